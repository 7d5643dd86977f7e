//! The table of ISO-IR-178, and its arithmetic done the long way.

use crate::conversion_error::MalformedReason;
use crate::encoding::testing::{Error, decode, decode_every_way, encode, narrow, widen};

/// The annex's rule: T of the quotients by powers of 190, in numbers that cannot overflow.
fn reference_encode(value: u32) -> Vec<u8> {
    let t = |z: u128| match z {
        0x00..=0x5D => (z + 0x21) as u8,
        _ => (z + 0x42) as u8,
    };
    let x = u128::from(value);
    match x {
        0..=0x9F => vec![x as u8],
        0xA0..=0xFF => vec![0xA0, x as u8],
        0x100..=0x4015 => {
            let y = x - 0x100;
            vec![(0xA1 + y / 190) as u8, t(y % 190)]
        }
        0x4016..=0x3_8E2D => {
            let y = x - 0x4016;
            vec![(0xF6 + y / 36_100) as u8, t(y / 190 % 190), t(y % 190)]
        }
        _ => {
            let y = x - 0x3_8E2E;
            let lead = (0xFC + y / 1_303_210_000) as u8;
            vec![lead, t(y / 6_859_000 % 190), t(y / 36_100 % 190), t(y / 190 % 190), t(y % 190)]
        }
    }
}

#[test]
fn every_scalar_value_matches_reference_both_ways() {
    let text: String = ('\0'..=char::MAX).collect();
    let bytes: Vec<u8> = text.chars().flat_map(|c| reference_encode(u32::from(c))).collect();
    assert!(encode("UTF-1", &text) == (bytes.clone(), vec![]));
    assert!(decode("UTF-1", &bytes) == (text, vec![]));
}

#[test]
fn each_length_covers_the_specified_values() {
    let table: &[(u32, &[u8])] = &[
        (0x00, b"\x00"),
        (0x7F, b"\x7F"),
        (0x80, b"\x80"),
        (0x9F, b"\x9F"),
        (0xA0, b"\xA0\xA0"),
        (0xFF, b"\xA0\xFF"),
        (0x100, b"\xA1\x21"),
        (0x15D, b"\xA1\x7E"),
        (0x15E, b"\xA1\xA0"),
        (0x1BD, b"\xA1\xFF"),
        (0x1BE, b"\xA2\x21"),
        (0x4015, b"\xF5\xFF"),
        (0x4016, b"\xF6\x21\x21"),
        (0xFEFF, b"\xF7\x64\x4C"),
        (0x3_8E2D, b"\xFB\xFF\xFF"),
        (0x3_8E2E, b"\xFC\x21\x21\x21\x21"),
        (0x10_FFFF, b"\xFC\x21\x39\x6E\x6C"),
        (0x7FFF_FFFF, b"\xFD\xBD\x2B\xB9\x40"),
    ];
    for (value, bytes) in table {
        assert_eq!(narrow("UCS-4", &widen("UTF-1", bytes).0).0, value.to_be_bytes());
        assert_eq!(narrow("UTF-1", &widen("UCS-4", &value.to_be_bytes()).0).0, *bytes);
    }
}

#[test]
fn slash_is_literal_only_at_character_start() {
    assert_eq!(decode_every_way("UTF-1", b"/\xA1//").0, "/\u{10E}/");
}

#[test]
fn errors_have_position_length_and_reason() {
    use MalformedReason::{
        AboveUnicode, InvalidLeadByte, MissingTrailByte, OutOfRange, Surrogate, Truncated,
    };
    let surrogate = reference_encode(0xD800);
    let cases: &[(&[u8], &[Error], &str)] = &[
        (b"\xFE\xFFa", &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte)], "\u{FFFD}\u{FFFD}a"),
        (b"\xA0a", &[(0, 1, MissingTrailByte)], "\u{FFFD}a"),
        (b"\xA0\x9F", &[(0, 1, MissingTrailByte)], "\u{FFFD}\u{9F}"),
        (b"\xA1 ", &[(0, 1, MissingTrailByte)], "\u{FFFD} "),
        (b"\xA1\x7F", &[(0, 1, MissingTrailByte)], "\u{FFFD}\x7F"),
        (b"\xF6!\x80", &[(0, 2, MissingTrailByte)], "\u{FFFD}\u{80}"),
        (b"\xFC!!! ", &[(0, 4, MissingTrailByte)], "\u{FFFD} "),
        (b"\xA0", &[(0, 1, Truncated)], "\u{FFFD}"),
        (b"\xF6!", &[(0, 2, Truncated)], "\u{FFFD}"),
        (b"\xFD!!!", &[(0, 4, Truncated)], "\u{FFFD}"),
        (&surrogate, &[(0, 3, Surrogate)], "\u{FFFD}"),
        (b"\xFC!9nma", &[(0, 5, AboveUnicode(0x11_0000))], "\u{FFFD}a"),
        (b"\xFD\xBD+\xB9@", &[(0, 5, AboveUnicode(0x7FFF_FFFF))], "\u{FFFD}"),
        (b"\xFD\xBD+\xB9Aa", &[(0, 5, OutOfRange)], "\u{FFFD}a"),
        (b"\xFD\xFF\xFF\xFF\xFF", &[(0, 5, OutOfRange)], "\u{FFFD}"),
    ];
    for (input, errors, text) in cases {
        let decoded = decode_every_way("UTF-1", input);
        assert_eq!(decoded, ((*text).to_owned(), errors.to_vec()), "{input:02X?}");
    }
}
