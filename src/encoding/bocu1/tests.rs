use crate::conversion_error::MalformedReason::{
    MissingTrailByte, OutOfRange, Surrogate, Truncated,
};
use crate::encoding::testing::{Error, decode, decode_every_way, encode, encode_every_way};

/// Text and its bytes. The bytes are also what ICU writes.
const ROUND_TRIP: &[(&str, &[u8])] = &[
    ("", b""),
    ("\0\t\n\r ", b"\0\t\n\r "),
    // UTN #6: the signature.
    ("\u{FEFF}", b"\xFB\xEE\x28"),
    ("\u{FFFE}", b"\xFB\xEF\x34"),
    // The last and the first difference of each length, upwards.
    ("\u{7F}", b"\xCF"),
    ("\u{80}", b"\xD0\x01"),
    ("\u{2950}", b"\xFA\xFF"),
    ("\u{2951}", b"\xFB\x01\x01"),
    ("\u{2DD4B}", b"\xFD\xFF\xFF"),
    ("\u{2DD4C}", b"\xFE\x01\x01\x01"),
    ("\u{10FFFF}", b"\xFE\x19\xB4\x54"),
    // And downwards.
    ("\u{C0}\u{80}", b"\xD0\x4D\x50"),
    ("\u{FF}\u{7F}", b"\xD0\x8C\x4F\xFF"),
    ("\u{2DD4B}\u{80}", b"\xFD\xFF\xFF\x22\x01\x59"),
    ("\u{10FFFF}A", b"\xFE\x19\xB4\x54\x21\xF0\x58\xF9"),
    // A control begins again, a space does not.
    ("\u{10FFFF}\nA", b"\xFE\x19\xB4\x54\x0A\x91"),
    ("\u{10FFFF} A", b"\xFE\x19\xB4\x54\x20\x21\xF0\x58\xF9"),
    ("a\ta", b"\xB1\x09\xB1"),
    // Scripts that are wider than a block.
    ("\u{3042}\u{4E00}\u{AC00}\u{3042}", b"\xFB\x11\x59\xEE\xE3\xFB\x16\x87\x24\x91\xEC"),
    ("\u{4E00}\u{9FA5}\u{9FA6}", b"\xFB\x33\xAA\xFA\x83\xFA\x84"),
    ("\u{D7A3}\u{D7A4}\u{FEFF}", b"\xFB\xC4\xAA\xE6\xBE\xF9\x21"),
    ("Hello, \u{4E16}\u{754C}\n", b"\x98\xB5\xBC\xBC\xBF\x7C\x20\xFB\x33\xC0\x4E\x6E\x0A"),
    ("\u{440}\u{443}\u{441} \u{441}", b"\xD3\xF4\x93\x91\x20\x91"),
];

#[test]
fn round_trips_at_every_split_and_buffer_size() {
    for (text, bytes) in ROUND_TRIP {
        assert_eq!(encode_every_way("BOCU-1", text), (bytes.to_vec(), vec![]), "{text:?}");
        let decoded = decode_every_way("BOCU-1", bytes);
        assert_eq!(decoded, ((*text).to_owned(), vec![]), "{bytes:02X?}");
    }
}

/// Bytes, text with U+FFFD for each error, the errors.
const DECODE_ONLY: &[(&[u8], &str, &[Error])] = &[
    // The reset is no character.
    (b"\xFF", "", &[]),
    (b"\xD3\x65\x90\xFF\x90\xFF", "\u{3B1}\u{3C0}@", &[]),
    // A control or a space in a difference, which is then like any other character.
    (b"\x5A\x91", "\nA", &[]),
    (b"\xD3\x65\x4C\x79\x91", "\u{3B1} A", &[]),
    // Controls and the space are never trails, and are not lost with an invalid lead.
    (b"\xD0\x00A", "\u{FFFD}\0\u{FFFD}", &[(0, 1, MissingTrailByte), (2, 1, Truncated)]),
    (b"\xFB\x41\n\x91", "\u{FFFD}\nA", &[(0, 2, MissingTrailByte)]),
    (b"\xFE\x01\x01 \x91", "\u{FFFD} A", &[(0, 3, MissingTrailByte)]),
    // An error loses the character before.
    (b"\xD3\x65\xD0\x20\x91", "\u{3B1}\u{FFFD} A", &[(2, 1, MissingTrailByte)]),
    // No scalar values: D800, 110000, and less than zero.
    (b"\xFB\xC5\x11\x91", "\u{FFFD}A", &[(0, 3, Surrogate)]),
    (b"\xFE\x19\xB4\x55\x91", "\u{FFFD}A", &[(0, 4, OutOfRange)]),
    (b"\x4F\xFE\x91", "\u{FFFD}A", &[(0, 2, OutOfRange)]),
    (b"\x21\x01\x01\x01\x91", "\u{FFFD}A", &[(0, 4, OutOfRange)]),
    // Input that ends inside a difference.
    (b"\x91\xD0", "A\u{FFFD}", &[(1, 1, Truncated)]),
    (b"\x91\xFB\xEE", "A\u{FFFD}", &[(1, 2, Truncated)]),
    (b"\xFE\x19\xB4", "\u{FFFD}", &[(0, 3, Truncated)]),
];

#[test]
fn decodes_per_spec_at_every_split_and_buffer_size() {
    for (bytes, text, errors) in DECODE_ONLY {
        let decoded = decode_every_way("BOCU-1", bytes);
        assert_eq!(decoded, ((*text).to_owned(), errors.to_vec()), "{bytes:02X?}");
    }
}

/// Encodes as UTN #6 puts it in words: signed distances, a case for each length on each side.
fn reference_encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut previous = 0x40;
    for code in text.chars().map(|character| character as i32) {
        if code <= 0x20 {
            bytes.push(code as u8);
            previous = if code == 0x20 { previous } else { 0x40 };
            continue;
        }
        let (lead, beyond, trails) = match code - previous {
            far @ ..=-187_661 => (0x22, far + 187_660, 3),
            far @ -187_660..=-10_514 => (0x25, far + 10_513, 2),
            far @ -10_513..=-65 => (0x50, far + 64, 1),
            near @ -64..=63 => (0x90, near, 0),
            far @ 64..=10_512 => (0xD0, far - 64, 1),
            far @ 10_513..=187_659 => (0xFB, far - 10_513, 2),
            far => (0xFE, far - 187_660, 3),
        };
        bytes.push((lead + beyond.div_euclid(243_i32.pow(trails))) as u8);
        for position in (0..trails).rev() {
            let value = beyond.div_euclid(243_i32.pow(position)).rem_euclid(243);
            bytes.push(match value {
                0..=5 => value + 0x01,
                6..=15 => value - 6 + 0x10,
                16..=19 => value - 16 + 0x1C,
                _ => value + 13,
            } as u8);
        }
        previous = match code {
            0x3040..=0x309F => 0x3070,
            0x4E00..=0x9FA5 => 0x4E00 + 10_513,
            0xAC00..=0xD7A3 => (0xAC00 + 0xD7A3) / 2,
            _ => code / 0x80 * 0x80 + 0x40,
        };
    }
    bytes
}

#[test]
fn every_scalar_value_matches_reference_and_round_trips() {
    let upwards: String = ('\0'..=char::MAX).collect();
    let downwards: String = ('\0'..=char::MAX).rev().collect();
    // From each plane to each other: far differences on both sides.
    let across: String = ('\0'..=char::MAX)
        .step_by(7)
        .zip(('!'..=char::MAX).rev().step_by(11))
        .flat_map(|(low, high)| [low, high])
        .collect();
    for text in [upwards, downwards, across] {
        let bytes = reference_encode(&text);
        assert!(encode("BOCU-1", &text) == (bytes.clone(), vec![]));
        assert!(decode("BOCU-1", &bytes) == (text, vec![]));
    }
}

#[test]
fn encoded_bytes_sort_like_code_points() {
    let mut last = Vec::new();
    for character in ('\0'..=char::MAX).step_by(61) {
        let bytes = encode("BOCU-1", character.encode_utf8(&mut [0; 4])).0;
        assert!(last < bytes, "{character:?}");
        last = bytes;
    }
}
