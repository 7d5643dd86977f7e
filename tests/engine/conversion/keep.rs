//! Action `keep`: malformed bytes pass unchanged, into targets where that is well defined.

use charpipe::ErrorAction;
use charpipe::internals::conversion_error::ActionTaken;
use charpipe::internals::encoding::{ALL, Encoding};

use crate::conversion::driver::{conversion_options, run_conversion};

fn accepts_keep(encoding: &Encoding) -> bool {
    conversion_options("UTF-8", encoding.name(), "keep", "stop").build().is_ok()
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
        assert!(conversion_options("UTF-8", name, "keep", "stop").build().is_ok(), "{name}");
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
        assert!(conversion_options("UTF-8", name, "keep", "stop").build().is_err(), "{name}");
    }
}

/// Text of ASCII on both sides of what is kept is written as it is, for every target.
#[test]
fn kept_bytes_leave_the_text_around_them_unchanged() {
    let text = "abc é中я\u{301} xyz\r\n";
    for encoding in ALL.iter().filter(|encoding| accepts_keep(encoding)) {
        let options = conversion_options("UTF-8", encoding.name(), "keep", "skip");
        let encoded = run_conversion(&options, &[text.as_bytes()]).output;
        let input = [text.as_bytes(), b"\xFF\x80", text.as_bytes(), b"\xE2\x82"].concat();
        let outcome = run_conversion(&options, &[&input, text.as_bytes()]);
        let expected = [&encoded[..], b"\xFF\x80", &encoded, b"\xE2\x82", &encoded].concat();
        assert!(outcome.output == expected, "{}", encoding.name());
        let kept = outcome
            .errors
            .iter()
            .filter(|error| error.action_taken == ActionTaken::PassedThrough)
            .count();
        assert_eq!(kept, 3, "{}", encoding.name());
    }
}

#[test]
fn kept_bytes_follow_pending_encoder_output() {
    // か waits for a combining mark, and A for an accent.
    for (target, text, bytes) in [
        ("EUC-JISX0213", "か\u{309A}", &b"\xA4\xAB"[..]),
        ("TCVN5712-1", "A\u{300}", b"A"),
        ("BIG5-HKSCS", "\u{CA}\u{304}", b"\x88\x66"),
    ] {
        let first = text.chars().next().unwrap().to_string();
        for block in [1, 2, 3, 7, 1000] {
            let mut options = conversion_options("UTF-8", target, "keep", "stop");
            options.buffer_size = block;
            let outcome = run_conversion(&options, &[&[first.as_bytes(), b"\xFF\n\xFE"].concat()]);
            assert_eq!(outcome.output, [bytes, b"\xFF\n\xFE"].concat(), "{target} {block}");
            let positions: Vec<_> =
                outcome.errors.iter().map(|error| error.position.unwrap()).collect();
            let offset = first.len() as u64;
            let found: Vec<_> =
                positions.iter().map(|at| (at.offset, at.line, at.column)).collect();
            assert_eq!(found, [(offset, 1, 2), (offset + 2, 2, 1)], "{target} {block}");
        }
    }
}

#[test]
fn errors_held_back_are_reported_before_kept_bytes() {
    for block in [1, 2, 3, 7, 1000] {
        let mut options = conversion_options("UTF-8", "EUC-JISX0213", "keep", "replace");
        options.buffer_size = block;
        let outcome =
            run_conversion(&options, &["か\u{E000}".as_bytes(), b"\xFF", "か".as_bytes()]);
        let joined = ["か\u{E000}".as_bytes(), b"\xFF", "か".as_bytes()].concat();
        assert_eq!(run_conversion(&options, &[&joined]).output, b"\xA4\xAB?\xFF\xA4\xAB");
        let offsets: Vec<_> = run_conversion(&options, &[&joined])
            .errors
            .iter()
            .map(|error| error.position.unwrap().offset)
            .collect();
        assert_eq!(offsets, [3, 6]);
        assert_eq!(outcome.errors.len(), 2);
    }
}

#[test]
fn characters_cannot_be_kept() {
    let mut options = conversion_options("UTF-8", "ASCII", "keep", "stop");
    for action in [ErrorAction::PassThrough, ErrorAction::PassThroughText] {
        options.error_policy.unmappable = action;
        assert!(options.build().is_err());
    }
}
