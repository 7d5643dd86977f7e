//! Action `keep`: malformed bytes pass unchanged, into targets where that is well defined.

use charpipe::charset::{ALL, Charset};
use charpipe::fault::Done;
use charpipe::policy::Action;

use crate::run::{plan, run};

fn is_accepted(charset: &Charset) -> bool {
    plan("UTF-8", charset.name, "keep", "stop").pump().is_ok()
}

#[test]
fn keep_is_accepted_for_stateless_supersets_of_ascii() {
    for name in [
        "UTF-8",
        "CESU-8",
        "US-ASCII",
        "ISO-8859-1",
        "ISO-8859-15",
        "KOI8-R",
        "CP1252",
        "CP437",
        "MACINTOSH",
        "TIS-620",
        "TCVN5712-1",
        "TSCII",
        "CP1258",
        "SJIS",
        "CP932",
        "EUC-JP",
        "EUC-JISX0213",
        "EUC-KR",
        "EUC-TW",
        "GB2312",
        "GBK",
        "GB18030",
        "BIG5",
        "BIG5-HKSCS",
        "JOHAB",
    ] {
        assert!(plan("UTF-8", name, "keep", "stop").pump().is_ok(), "{name}");
    }
    for name in [
        "UTF-16",
        "UTF-16LE",
        "UTF-16BE",
        "UTF-32",
        "UCS-2",
        "UCS-4",
        "UTF-7",
        "UTF-7-IMAP",
        "UTF-5",
        "BOCU-1",
        "CP037",
        "IBM1047",
        "IBM930",
        "IBM939",
        "ISO-2022-JP",
        "ISO-2022-KR",
        "ISO-2022-CN",
        "HZ",
        "DIN_66003",
        "JAVA",
        "C99",
        "RFC2047",
    ] {
        assert!(plan("UTF-8", name, "keep", "stop").pump().is_err(), "{name}");
    }
}

/// Text of ASCII on both sides of what is kept is written as it is, for every target.
#[test]
fn kept_bytes_leave_the_text_around_them_unchanged() {
    let text = "abc é中я\u{301} xyz\r\n";
    for charset in ALL.iter().filter(|charset| is_accepted(charset)) {
        let plan = plan("UTF-8", charset.name, "keep", "skip");
        let encoded = run(&plan, &[text.as_bytes()]).output;
        let input = [text.as_bytes(), b"\xFF\x80", text.as_bytes(), b"\xE2\x82"].concat();
        let outcome = run(&plan, &[&input, text.as_bytes()]);
        let expected = [&encoded[..], b"\xFF\x80", &encoded, b"\xE2\x82", &encoded].concat();
        assert!(outcome.output == expected, "{}", charset.name);
        let kept = outcome.faults.iter().filter(|fault| fault.done == Done::Kept).count();
        assert_eq!(kept, 3, "{}", charset.name);
    }
}

#[test]
fn kept_bytes_come_after_what_an_encoder_holds_back() {
    // か waits for a combining mark, and A for an accent.
    for (target, text, bytes) in [
        ("EUC-JISX0213", "か\u{309A}", &b"\xA4\xAB"[..]),
        ("TCVN5712-1", "A\u{300}", b"A"),
        ("BIG5-HKSCS", "\u{CA}\u{304}", b"\x88\x66"),
    ] {
        let first = text.chars().next().unwrap().to_string();
        for block in [1, 2, 3, 7, 1000] {
            let mut plan = plan("UTF-8", target, "keep", "stop");
            plan.block = block;
            let outcome = run(&plan, &[&[first.as_bytes(), b"\xFF\n\xFE"].concat()]);
            assert_eq!(outcome.output, [bytes, b"\xFF\n\xFE"].concat(), "{target} {block}");
            let places: Vec<_> = outcome.faults.iter().map(|fault| fault.place.unwrap()).collect();
            let offset = first.len() as u64;
            let found: Vec<_> = places.iter().map(|at| (at.offset, at.line, at.column)).collect();
            assert_eq!(found, [(offset, 1, 2), (offset + 2, 2, 1)], "{target} {block}");
        }
    }
}

#[test]
fn errors_held_back_are_reported_before_kept_bytes() {
    for block in [1, 2, 3, 7, 1000] {
        let mut plan = plan("UTF-8", "EUC-JISX0213", "keep", "replace");
        plan.block = block;
        let outcome = run(&plan, &["か\u{E000}".as_bytes(), b"\xFF", "か".as_bytes()]);
        let joined = ["か\u{E000}".as_bytes(), b"\xFF", "か".as_bytes()].concat();
        assert_eq!(run(&plan, &[&joined]).output, b"\xA4\xAB?\xFF\xA4\xAB");
        let offsets: Vec<_> =
            run(&plan, &[&joined]).faults.iter().map(|fault| fault.place.unwrap().offset).collect();
        assert_eq!(offsets, [3, 6]);
        assert_eq!(outcome.faults.len(), 2);
    }
}

#[test]
fn characters_cannot_be_kept() {
    let mut plan = plan("UTF-8", "ASCII", "keep", "stop");
    for action in [Action::Keep, Action::KeepText] {
        plan.policy.unmappable = action;
        assert!(plan.pump().is_err());
    }
}
