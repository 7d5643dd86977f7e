//! The examples of the RFCs, and a table of samples that other converters were asked about too.

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;

use super::super::{UTF_7, UTF_7_IMAP};
use super::driver::{decode, decode_every_way, decoder, encode, encode_every_way, encoder};
use crate::charset::Charset;
use crate::fault::Kind;

/// Every room that a codec of this window may get in practice, and some more.
const ROOMS: usize = 64;

#[test]
fn the_examples_of_the_rfcs_decode() {
    for (wire, text) in [
        // RFC 1642 and RFC 2152.
        ("A+ImIDkQ.", "A\u{2262}\u{391}."),
        ("Hi Mom +Jjo-!", "Hi Mom \u{263A}!"),
        ("Hi Mom -+Jjo--!", "Hi Mom -\u{263A}-!"),
        ("+ZeVnLIqe-", "\u{65E5}\u{672C}\u{8A9E}"),
        ("Item 3 is +AKM-1.", "Item 3 is \u{A3}1."),
    ] {
        let decoded = decode_every_way(&mut *decoder(&UTF_7, ""), wire.as_bytes(), ROOMS);
        assert_eq!((decoded.text.as_str(), decoded.faults.len()), (text, 0), "{wire}");
    }
}

#[test]
fn the_examples_of_the_rfcs_come_back_with_set_o_direct() {
    for (wire, text) in [
        ("A+ImIDkQ.", "A\u{2262}\u{391}."),
        ("Hi Mom -+Jjo--!", "Hi Mom -\u{263A}-!"),
        ("+ZeVnLIqe-", "\u{65E5}\u{672C}\u{8A9E}"),
        ("Item 3 is +AKM-1.", "Item 3 is \u{A3}1."),
    ] {
        let encoded = encode_every_way(&mut *encoder(&UTF_7, "set-o=direct"), text, ROOMS);
        assert_eq!(String::from_utf8(encoded).unwrap(), wire);
    }
}

const APPENDIX_A: &str = include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.utf8");
const WITH_SET_O: &str = include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.set-o.utf7");
const WITHOUT: &str = include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.no-set-o.utf7");
const NEEDED: &str = include_str!("../../../../tests/data/utf7/rfc1642-appendix-a.needed.utf7");

#[test]
fn appendix_a_of_rfc_1642_comes_out_both_ways() {
    assert_eq!(APPENDIX_A.len(), 1280);
    for (options, wire, len) in [
        ("set-o=direct,close=always", WITH_SET_O, 1294),
        ("close=always", WITHOUT, 1330),
        ("", NEEDED, 1317),
    ] {
        assert_eq!(wire.len(), len);
        for room in [6, 7, 64, 65536] {
            for cut in [0, 1, 52, 640, 641, 642, 643] {
                let cut = APPENDIX_A.floor_char_boundary(cut);
                let encoded = encode(&mut *encoder(&UTF_7, options), APPENDIX_A, cut, room);
                assert!(encoded == wire.as_bytes(), "{options} room {room} cut {cut}");
                let decoded = decode(&mut *decoder(&UTF_7, ""), wire.as_bytes(), &[cut], room);
                assert!(decoded.text == APPENDIX_A, "{options} room {room} cut {cut}");
                assert_eq!(decoded.faults, []);
            }
        }
    }
}

/// The field `key` of a sample, decoded.
fn octets(sample: &Value, key: &str) -> Vec<u8> {
    BASE64_STANDARD.decode(sample[key].as_str().expect(key)).expect(key)
}

/// Text in UTF-8 or UTF-32BE.
fn text(charset: &Value, octets: &[u8]) -> String {
    if charset == "UTF-8" {
        return String::from_utf8(octets.to_vec()).unwrap();
    }
    assert_eq!(charset, "UTF-32BE");
    let value = |four: &[u8; 4]| char::from_u32(u32::from_be_bytes(*four)).unwrap();
    octets.as_chunks().0.iter().map(value).collect()
}

fn charset(name: &Value) -> Option<&'static Charset> {
    [&UTF_7, &UTF_7_IMAP].into_iter().find(|charset| name == charset.name)
}

fn check_encoder(charset: &Charset, sample: &Value) {
    let text = text(&sample["from"], &octets(sample, "input_b64"));
    let encoded = encode_every_way(&mut *encoder(charset, ""), &text, ROOMS);
    assert_eq!(encoded, octets(sample, "expect_b64"), "{sample}");
}

fn check_decoder(charset: &Charset, sample: &Value) {
    let wire = octets(sample, "input_b64");
    let decoded = decode_every_way(&mut *decoder(charset, ""), &wire, ROOMS);
    let expected = |key| text(&sample["to"], &octets(sample, key));
    let Some(error) = sample.get("expect_error") else {
        let skipped = if sample["mode"] == "ignore" { "" } else { "\u{FFFD}" };
        let got = decoded.text.replace('\u{FFFD}', skipped);
        assert_eq!(got, expected("expect_b64"), "{sample}");
        assert_eq!(decoded.faults.is_empty(), sample["mode"] == "strict", "{sample}");
        return;
    };
    let (offset, len, why) = decoded.faults[0];
    let kind = if why.kind() == Kind::Truncated { "trunc" } else { "ill" };
    assert_eq!((offset as u64, len as u64), place(error), "{sample}");
    assert_eq!(error["kind"], kind, "{sample}");
    let good = decoded.text.split('\u{FFFD}').next();
    assert_eq!(good, Some(expected("prefix_b64").as_str()), "{sample}");
}

fn place(error: &Value) -> (u64, u64) {
    (error["offset"].as_u64().unwrap(), error["len"].as_u64().unwrap())
}

#[test]
fn every_sample_comes_out_as_it_is_listed() {
    let samples = include_str!("../../../../tests/data/utf7/vectors.jsonl");
    assert!(samples.lines().count() > 60);
    for line in samples.lines() {
        let sample: Value = serde_json::from_str(line).unwrap();
        match (charset(&sample["from"]), charset(&sample["to"])) {
            (Some(from), None) => check_decoder(from, &sample),
            (None, Some(to)) => check_encoder(to, &sample),
            _ => panic!("{sample}"),
        }
    }
}
