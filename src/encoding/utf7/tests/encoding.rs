//! What the encoder writes, and that the decoder reads it back.

use super::super::UTF_7;
use crate::encoding::EncodingOptions;
use crate::encoding::testing::{decode, encode, encode_every_way};

/// Options, text and bytes.
fn check(name: &str, rows: &[(&str, &str, &str)]) {
    for (options, text, wire) in rows {
        let encoded = encode_every_way(&format!("{name}:{options}"), text).0;
        assert_eq!(String::from_utf8(encoded).unwrap(), *wire, "{options} {text:?}");
    }
}

#[test]
fn a_run_closes_at_the_first_direct_character_and_at_the_end() {
    check(
        "UTF-7",
        &[
            ("", "", ""),
            ("", "A.\t\r\n ", "A.\t\r\n "),
            ("", "\u{E9}", "+AOk-"),
            ("", "\u{E9}.", "+AOk."),
            ("", "\u{E9} \u{E9}", "+AOk +AOk-"),
            ("", "\u{E9}a", "+AOk-a"),
            ("", "\u{E9}/", "+AOk-/"),
            ("", "\u{E9}-", "+AOk--"),
            ("", "\u{E9}\u{E9}\u{E9}.", "+AOkA6QDp."),
            ("close=always", "\u{E9}. \u{E9}", "+AOk-. +AOk-"),
            ("", "\u{263A}!", "+JjoAIQ-"),
            ("optional=direct", "\u{263A}!", "+Jjo!"),
            ("setO=direct,close=always", "\u{263A}!", "+Jjo-!"),
            ("", "\0\\~\x7F", "+AAAAXAB+AH8-"),
            ("optional=direct", "\\~", "+AFwAfg-"),
            ("", "\u{1F600}", "+2D3eAA-"),
            ("", "\u{FEFF}", "+/v8-"),
        ],
    );
}

#[test]
fn a_plus_is_doubled_outside_a_run_and_stays_inside() {
    check(
        "UTF-7",
        &[
            ("", "1+1", "1+-1"),
            ("", "-+", "-+-"),
            ("", "+-", "+--"),
            ("", "\u{E9}+", "+AOkAKw-"),
            ("", "+\u{E9}", "+-+AOk-"),
            ("", "\u{E9}+a", "+AOkAKw-a"),
        ],
    );
}

#[test]
fn a_mailbox_name_merges_neighbors_and_closes_before_an_ampersand() {
    check(
        "UTF-7-IMAP",
        &[
            ("", "++", "++"),
            ("", "&", "&-"),
            ("", "\u{E9}&", "&AOk-&-"),
            ("", "&\u{E9}", "&-&AOk-"),
            ("", "\u{263A}!", "&Jjo-!"),
            ("", "\u{53F0}\u{5317}\u{65E5}\u{672C}\u{8A9E}", "&U,BTF2XlZyyKng-"),
            ("", "\t\r\n\x7F", "&AAkADQAKAH8-"),
            ("", "\u{FFFE}", "&,,4-"),
            ("", "\0", "&AAA-"),
        ],
    );
}

#[test]
fn second_flush_is_empty_and_full_output_loses_nothing() {
    use crate::codec::{Progress, Status};
    let mut encoder = UTF_7.encoder(&EncodingOptions::default());
    let mut space = [0; 4];
    assert_eq!(encoder.encode("\u{E9}", &mut space, true), Progress::output_full(2, 3));
    assert_eq!(&space[..3], b"+AO");
    assert_eq!(encoder.encode("", &mut space[..1], true).status, Status::OutputFull);
    assert_eq!(encoder.encode("", &mut space[..2], true), Progress::input_empty(0, 2));
    assert_eq!(&space[..2], b"k-");
    assert_eq!(encoder.encode("", &mut space, true), Progress::input_empty(0, 0));
}

#[test]
fn every_scalar_value_round_trips() {
    let all: String = ('\0'..=char::MAX).collect();
    assert_round_trip("UTF-7", "UTF-7", &all);
    assert_round_trip("UTF-7:optional=direct,close=always", "UTF-7", &all);
    assert_round_trip("UTF-7-IMAP", "UTF-7-IMAP", &all);
}

#[test]
fn isolated_characters_use_base64_only_when_required() {
    let few = ('\0'..'\u{800}').chain(('\u{800}'..=char::MAX).step_by(97));
    let apart: String = few.flat_map(|character| [character, 'a']).collect();
    assert_round_trip("UTF-7", "UTF-7:reject=d", &apart);
    assert_round_trip("UTF-7:optional=direct,close=always", "UTF-7:reject=do", &apart);
    assert_round_trip("UTF-7-IMAP", "UTF-7-IMAP", &apart);
}

fn assert_round_trip(out: &str, back: &str, text: &str) {
    let (wire, unmappable) = encode(out, text);
    assert!(wire.is_ascii() && unmappable.is_empty(), "{out}");
    assert!(decode(back, &wire) == (text.to_owned(), vec![]), "{out}");
}
