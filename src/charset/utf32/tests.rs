//! Orders, marks and limits of four octets.

use crate::charset::walk::{
    decode, decode_every_way, encode, encode_every_way, narrow, widen, widen_every_way,
};
use crate::fault::Why;

#[test]
fn every_scalar_value_is_itself_in_four_octets() {
    let text: String = ('\0'..=char::MAX).collect();
    let big: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    let little: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    for (label, octets) in [
        ("UTF-32BE", &big),
        ("UCS-4", &big),
        ("UCS-4BE", &big),
        ("UTF-32LE", &little),
        ("UCS-4LE", &little),
    ] {
        assert!(encode(label, &text) == (octets.clone(), vec![]), "{label}");
        assert!(decode(label, octets) == (text.clone(), vec![]), "{label}");
    }
}

#[test]
fn one_mark_at_the_very_beginning_of_utf_32_is_obeyed_and_dropped() {
    let cases: &[(&[u8], &str)] = &[
        (b"\xFF\xFE\0\0A\0\0\0", "A"),
        (b"\0\0\xFE\xFF\0\0\0A", "A"),
        (b"A\0\0\0", "A"),
        (b"\xFF\xFE\0\0\xFF\xFE\0\0", "\u{FEFF}"),
        (b"\0\0\xFE\xFF\0\0\xFE\xFF", "\u{FEFF}"),
        (b"A\0\0\0\xFF\xFE\0\0", "A\u{FEFF}"),
        // Behind the first character a mark of the other order is no character at all.
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
fn a_mark_is_text_behind_every_other_label() {
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
fn utf_32_writes_a_mark_before_its_first_character_and_none_without_one() {
    assert_eq!(encode_every_way("UTF-32", "AB").0, b"\xFF\xFE\0\0A\0\0\0B\0\0\0");
    assert_eq!(encode_every_way("UTF-32", "\u{FEFF}").0, b"\xFF\xFE\0\0\xFF\xFE\0\0");
    assert_eq!(encode_every_way("UTF-32", "").0, b"");
}

#[test]
fn what_no_charset_of_four_octets_has_is_one_fault_of_four() {
    use Why::{Beyond, OutOfRange, Surrogate, SurrogateValue};
    for (value, utf32, ucs4) in [
        (0xD800, Surrogate, SurrogateValue(0xD800)),
        (0xDFFF, Surrogate, SurrogateValue(0xDFFF)),
        (0x11_0000, OutOfRange, Beyond(0x11_0000)),
        (0x7FFF_FFFF, OutOfRange, Beyond(0x7FFF_FFFF)),
        (0x8000_0000, OutOfRange, OutOfRange),
        (0xFFFF_FFFF, OutOfRange, OutOfRange),
    ] {
        let big = [[0, 0, 0, b'a'], u32::to_be_bytes(value), [0, 0, 0, b'b']].concat();
        let little = [[b'a', 0, 0, 0], u32::to_le_bytes(value), [b'b', 0, 0, 0]].concat();
        for (label, input, why) in [
            ("UTF-32", &little, utf32),
            ("UTF-32LE", &little, utf32),
            ("UTF-32BE", &big, utf32),
            ("UCS-4", &big, ucs4),
            ("UCS-4LE", &little, ucs4),
        ] {
            let expected = ("a\u{FFFD}b".to_owned(), vec![(4, 4, why)]);
            assert_eq!(decode_every_way(label, input), expected, "{label} {value:X}");
        }
    }
}

#[test]
fn a_tail_of_one_to_three_octets_is_one_truncated_fault() {
    for label in ["UTF-32", "UTF-32BE", "UTF-32LE", "UCS-4", "UCS-4BE", "UCS-4LE"] {
        for len in 1..4 {
            let mut input = encode(label, "A").0;
            let at = input.len();
            input.extend(vec![0xFF; len]);
            let faults = decode_every_way(label, &input).1;
            assert_eq!(faults, [(at, len, Why::Truncated)], "{label}");
        }
    }
}

#[test]
fn ucs_4_goes_up_to_31_bits_and_no_further() {
    let highest = b"\x7F\xFF\xFF\xFF";
    assert_eq!(narrow("UCS-4LE", &widen("UCS-4", highest).0).0, b"\xFF\xFF\xFF\x7F");
    assert_eq!(widen_every_way("UCS-4", b"\x80\0\0\0").1, [(0, 4, Why::OutOfRange)]);
}
