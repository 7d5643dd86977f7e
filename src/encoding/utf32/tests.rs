//! Orders, marks and limits of four bytes.

use crate::conversion_error::MalformedReason;
use crate::encoding::testing::{
    decode, decode_every_way, encode, encode_every_way, narrow, widen, widen_every_way,
};

#[test]
fn every_scalar_value_is_itself_in_four_bytes() {
    let text: String = ('\0'..=char::MAX).collect();
    let big: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    let little: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    for (label, bytes) in [
        ("UTF-32BE", &big),
        ("UCS-4", &big),
        ("UCS-4BE", &big),
        ("UTF-32LE", &little),
        ("UCS-4LE", &little),
    ] {
        assert!(encode(label, &text) == (bytes.clone(), vec![]), "{label}");
        assert!(decode(label, bytes) == (text.clone(), vec![]), "{label}");
    }
}

#[test]
fn one_bom_at_the_start_is_detected_and_removed() {
    let cases: &[(&[u8], &str)] = &[
        (b"\xFF\xFE\0\0A\0\0\0", "A"),
        (b"\0\0\xFE\xFF\0\0\0A", "A"),
        (b"A\0\0\0", "A"),
        (b"\xFF\xFE\0\0\xFF\xFE\0\0", "\u{FEFF}"),
        (b"\0\0\xFE\xFF\0\0\xFE\xFF", "\u{FEFF}"),
        (b"A\0\0\0\xFF\xFE\0\0", "A\u{FEFF}"),
        // After the first character a mark of the other order is no character at all.
        (b"A\0\0\0\0\0\xFE\xFF", "A\u{FFFD}"),
        (b"\0\xD8\0\0\xFF\xFE\0\0", "\u{FFFD}\u{FEFF}"),
        (b"\0\xD8\0\0\0\0\xFE\xFF", "\u{FFFD}\u{FFFD}"),
        (b"\0\0\xFE\xFF\0\x11\0\0\0\0\xFE\xFF", "\u{FFFD}\u{FEFF}"),
        (b"\xFF\xFE\0\0", ""),
        (b"\xFF\xFE\0", "\u{FFFD}"),
    ];
    for (input, text) in cases {
        assert_eq!(decode_every_way("UTF-32", input).0, *text, "{input:02X?}");
    }
}

#[test]
fn bom_is_text_for_labels_with_fixed_endianness() {
    for (label, mark) in [
        ("UTF-32BE", b"\0\0\xFE\xFF"),
        ("UCS-4", b"\0\0\xFE\xFF"),
        ("UCS-4BE", b"\0\0\xFE\xFF"),
        ("UTF-32LE", b"\xFF\xFE\0\0"),
        ("UCS-4LE", b"\xFF\xFE\0\0"),
    ] {
        assert_eq!(decode(label, mark).0, "\u{FEFF}", "{label}");
        assert_eq!(encode(label, "\u{FEFF}").0, mark, "{label}");
    }
}

#[test]
fn utf_32_writes_bom_only_before_first_character() {
    assert_eq!(encode_every_way("UTF-32", "AB").0, b"\xFF\xFE\0\0A\0\0\0B\0\0\0");
    assert_eq!(encode_every_way("UTF-32", "\u{FEFF}").0, b"\xFF\xFE\0\0\xFF\xFE\0\0");
    assert_eq!(encode_every_way("UTF-32", "").0, b"");
}

#[test]
fn invalid_value_is_one_error_of_four_bytes() {
    use MalformedReason::{AboveUnicode, OutOfRange, Surrogate, SurrogateCodePoint};
    for (value, utf32, ucs4) in [
        (0xD800, Surrogate, SurrogateCodePoint(0xD800)),
        (0xDFFF, Surrogate, SurrogateCodePoint(0xDFFF)),
        (0x11_0000, OutOfRange, AboveUnicode(0x11_0000)),
        (0x7FFF_FFFF, OutOfRange, AboveUnicode(0x7FFF_FFFF)),
        (0x8000_0000, OutOfRange, OutOfRange),
        (0xFFFF_FFFF, OutOfRange, OutOfRange),
    ] {
        let big = [[0, 0, 0, b'a'], u32::to_be_bytes(value), [0, 0, 0, b'b']].concat();
        let little = [[b'a', 0, 0, 0], u32::to_le_bytes(value), [b'b', 0, 0, 0]].concat();
        for (label, input, reason) in [
            ("UTF-32", &little, utf32),
            ("UTF-32LE", &little, utf32),
            ("UTF-32BE", &big, utf32),
            ("UCS-4", &big, ucs4),
            ("UCS-4LE", &little, ucs4),
        ] {
            let expected = ("a\u{FFFD}b".to_owned(), vec![(4, 4, reason)]);
            assert_eq!(decode_every_way(label, input), expected, "{label} {value:X}");
        }
    }
}

#[test]
fn trailing_one_to_three_bytes_are_one_truncated_error() {
    for label in ["UTF-32", "UTF-32BE", "UTF-32LE", "UCS-4", "UCS-4BE", "UCS-4LE"] {
        for len in 1..4 {
            let mut input = encode(label, "A").0;
            let at = input.len();
            input.extend(vec![0xFF; len]);
            let errors = decode_every_way(label, &input).1;
            assert_eq!(errors, [(at, len, MalformedReason::Truncated)], "{label}");
        }
    }
}

#[test]
fn ucs_4_is_limited_to_31_bits() {
    let highest = b"\x7F\xFF\xFF\xFF";
    assert_eq!(narrow("UCS-4LE", &widen("UCS-4", highest).0).0, b"\xFF\xFF\xFF\x7F");
    assert_eq!(widen_every_way("UCS-4", b"\x80\0\0\0").1, [(0, 4, MalformedReason::OutOfRange)]);
}
