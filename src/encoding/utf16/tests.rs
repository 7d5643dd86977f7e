use crate::conversion_error::MalformedReason::{self, Surrogate, Truncated, UnpairedSurrogate};
use crate::encoding::testing::{Error, decode, decode_every_way, encode, encode_every_way};

type UnmappableChars = &'static [(usize, char)];

/// Encoding, bytes, text with U+FFFD for each error, the errors.
const DECODING: &[(&str, &[u8], &str, &[Error])] = &[
    // RFC 2781 section 4: one mark at the very start, and none elsewhere.
    ("UTF-16", b"\xFE\xFF\x00A", "A", &[]),
    ("UTF-16", b"\xFF\xFEA\x00", "A", &[]),
    ("UTF-16", b"A\x00", "A", &[]),
    ("UTF-16", b"", "", &[]),
    ("UTF-16", b"\xFF\xFE", "", &[]),
    ("UTF-16", b"\xFF\xFE\xFF\xFEA\x00", "\u{FEFF}A", &[]),
    ("UTF-16", b"\xFF\xFE\xFE\xFFA\x00", "\u{FFFE}A", &[]),
    ("UTF-16", b"\xFE\xFF\xFE\xFF\xFF\xFE", "\u{FEFF}\u{FFFE}", &[]),
    ("UTF-16", b"A\x00\xFF\xFE\xFE\xFF", "A\u{FEFF}\u{FFFE}", &[]),
    (
        "UTF-16",
        b"\x00\xDC\xFE\xFF\xFF\xFE",
        "\u{FFFD}\u{FFFE}\u{FEFF}",
        &[(0, 2, UnpairedSurrogate)],
    ),
    ("UTF-16", b"\x00\xD8\xFE\xFFA\x00", "\u{FFFD}\u{FFFE}A", &[(0, 2, UnpairedSurrogate)]),
    ("UTF-16", b"\xFE", "\u{FFFD}", &[(0, 1, Truncated)]),
    ("UTF-16", b"\xFE\xFF\x00", "\u{FFFD}", &[(2, 1, Truncated)]),
    ("UTF-16", b"\xFE\xFF\xD8\x3D\xDE\x00", "\u{1F600}", &[]),
    ("UTF-16BE", b"\xFE\xFF\x00A", "\u{FEFF}A", &[]),
    ("UTF-16BE", b"\xFF\xFE", "\u{FFFE}", &[]),
    ("UTF-16LE", b"\xFF\xFEA\x00", "\u{FEFF}A", &[]),
    ("UTF-16LE", b"\xFF\xFE\x00\x00", "\u{FEFF}\0", &[]),
    ("UTF-16LE", b"\xFE\xFF", "\u{FFFE}", &[]),
    // RFC 3629 section 7, in 16 bits.
    ("UTF-16BE", b"\x00A\x22\x62\x03\x91\x00.", "A\u{2262}\u{391}.", &[]),
    ("UTF-16BE", b"\xFE\xFF\xD8\x4C\xDF\xB4", "\u{FEFF}\u{233B4}", &[]),
    // The ends of both halves.
    ("UTF-16BE", b"\xD8\x00\xDC\x00\xDB\xFF\xDF\xFF", "\u{10000}\u{10FFFF}", &[]),
    ("UTF-16BE", b"\xD7\xFF\xE0\x00\xFF\xFF", "\u{D7FF}\u{E000}\u{FFFF}", &[]),
    // Lone surrogates, and what follows them.
    ("UTF-16BE", b"\xD8\x00\x00A", "\u{FFFD}A", &[(0, 2, UnpairedSurrogate)]),
    ("UTF-16BE", b"\xDC\x00\x00A", "\u{FFFD}A", &[(0, 2, UnpairedSurrogate)]),
    (
        "UTF-16BE",
        b"\xD8\x00\xD8\x00\xDC\x00\xDC\x00",
        "\u{FFFD}\u{10000}\u{FFFD}",
        &[(0, 2, UnpairedSurrogate), (6, 2, UnpairedSurrogate)],
    ),
    ("UTF-16BE", b"\x00A\xDB\xFF\xE0\x00", "A\u{FFFD}\u{E000}", &[(2, 2, UnpairedSurrogate)]),
    // Input that ends inside a character: one error, whatever is there of it.
    ("UTF-16BE", b"\x00", "\u{FFFD}", &[(0, 1, Truncated)]),
    ("UTF-16LE", b"A", "\u{FFFD}", &[(0, 1, Truncated)]),
    ("UTF-16LE", b"A\x00\x3D\xD8", "A\u{FFFD}", &[(2, 2, Truncated)]),
    ("UTF-16LE", b"A\x00\x3D\xD8\x00", "A\u{FFFD}", &[(2, 3, Truncated)]),
    (
        "UTF-16LE",
        b"A\x00\x00\xDE\x00",
        "A\u{FFFD}\u{FFFD}",
        &[(2, 2, UnpairedSurrogate), (4, 1, Truncated)],
    ),
    // UCS-2 has no pairs.
    ("UCS-2BE", b"\x00A", "A", &[]),
    ("UCS-2BE", b"\xD8\x3D\xDE\x00", "\u{FFFD}\u{FFFD}", &[(0, 2, Surrogate), (2, 2, Surrogate)]),
    ("UCS-2BE", b"\xFE\xFF\xFF\xFF", "\u{FEFF}\u{FFFF}", &[]),
    ("UCS-2LE", b"\x3D\xD8\x00", "\u{FFFD}\u{FFFD}", &[(0, 2, Surrogate), (2, 1, Truncated)]),
    ("UCS-2LE", b"\xFF\xFE", "\u{FEFF}", &[]),
    ("UCS-2", b"\xFE\xFF\x00A\xFE\xFF", "A\u{FEFF}", &[]),
    ("UCS-2", b"\xFF\xFEA\x00", "A", &[]),
    ("UCS-2", b"A\x00\xFF\xFE", "A\u{FEFF}", &[]),
    ("UNICODE", b"\xFE\xFF\x00A", "A", &[]),
    ("UNICODE", b"A\x00", "A", &[]),
];

#[test]
fn decodes_per_spec_at_every_split_and_buffer_size() {
    for (name, bytes, text, errors) in DECODING {
        let decoded = decode_every_way(name, bytes);
        assert_eq!(decoded, ((*text).to_owned(), errors.to_vec()), "{name} {bytes:02X?}");
    }
}

/// Encoding, text, bytes, characters without a code and their offsets.
const ENCODING: &[(&str, &str, &[u8], UnmappableChars)] = &[
    ("UTF-16", "", b"", &[]),
    ("UTF-16", "A", b"\xFF\xFEA\x00", &[]),
    ("UTF-16", "\u{1F600}A", b"\xFF\xFE\x3D\xD8\x00\xDEA\x00", &[]),
    ("UTF-16", "\u{FEFF}A", b"\xFF\xFE\xFF\xFEA\x00", &[]),
    ("UTF-16BE", "", b"", &[]),
    ("UTF-16BE", "A\u{1F600}", b"\x00A\xD8\x3D\xDE\x00", &[]),
    ("UTF-16BE", "\u{FEFF}\u{233B4}", b"\xFE\xFF\xD8\x4C\xDF\xB4", &[]),
    ("UTF-16LE", "\u{10000}\u{10FFFF}", b"\x00\xD8\x00\xDC\xFF\xDB\xFF\xDF", &[]),
    ("UCS-2", "A", b"A\x00", &[]),
    ("UCS-2", "A\u{1F600}B", b"A\x00B\x00", &[(1, '\u{1F600}')]),
    ("UCS-2BE", "\u{FFFF}\u{10000}", b"\xFF\xFF", &[(3, '\u{10000}')]),
    ("UCS-2LE", "\u{FEFF}", b"\xFF\xFE", &[]),
    ("UNICODE", "", b"", &[]),
    ("UNICODE", "A", b"\xFF\xFEA\x00", &[]),
    // The mark waits for a character that can be written.
    ("UNICODE", "\u{10000}A", b"\xFF\xFEA\x00", &[(0, '\u{10000}')]),
    ("UNICODE", "\u{10000}", b"", &[(0, '\u{10000}')]),
];

#[test]
fn encodes_per_spec_at_every_split_and_buffer_size() {
    for (name, text, bytes, errors) in ENCODING {
        let encoded = encode_every_way(name, text);
        assert_eq!(encoded, (bytes.to_vec(), errors.to_vec()), "{name} {text:?}");
    }
}

/// What the units of a UTF-16 label mean, by the standard library, with nothing truncated.
fn reference_decode(
    bytes: &[u8],
    order: fn([u8; 2]) -> u16,
) -> (String, Vec<(usize, usize, MalformedReason)>) {
    let units = bytes.as_chunks::<2>().0.iter().map(|pair| order(*pair));
    let (mut text, mut errors, mut at) = (String::new(), Vec::new(), 0);
    for found in char::decode_utf16(units) {
        match found {
            Ok(character) => {
                text.push(character);
                at += 2 * character.len_utf16();
            }
            Err(_) => {
                text.push('\u{FFFD}');
                errors.push((at, 2, UnpairedSurrogate));
                at += 2;
            }
        }
    }
    (text, errors)
}

#[test]
fn single_units_and_pairs_decode_like_std() {
    // A letter at the end keeps a high unit from being truncated, which the twin does not know.
    let mut inputs: Vec<Vec<u8>> = (0..=u16::MAX)
        .map(|unit| [unit, 0x4242].iter().flat_map(|unit| unit.to_be_bytes()).collect())
        .collect();
    for first in (0xD7F0..=0xE010_u16).step_by(13) {
        for second in (0xD7F0..=0xE010_u16).step_by(11) {
            let units = [first, second, 0x4242];
            inputs.push(units.iter().flat_map(|unit| unit.to_be_bytes()).collect());
        }
    }
    for input in &inputs {
        assert_eq!(
            decode("UTF-16BE", input),
            reference_decode(input, u16::from_be_bytes),
            "{input:02X?}"
        );
        let swapped: Vec<u8> = input.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        assert_eq!(decode("UTF-16LE", &swapped), reference_decode(&swapped, u16::from_le_bytes));
    }
}

#[test]
fn ascii_runs_convert_at_every_length_and_alignment() {
    for odd in ["\u{7F}", "\u{80}", "\u{20AC}", "\u{1F600}"] {
        for before in 0..40 {
            for after in [0, 1, 15, 16, 17, 33] {
                let text = format!("{}{odd}{}", "a".repeat(before), "z".repeat(after));
                let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
                let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
                assert_eq!(encode("UTF-16BE", &text).0, big);
                assert_eq!(encode("UTF-16LE", &text).0, little);
                assert_eq!(decode("UTF-16BE", &big).0, text);
                assert_eq!(decode("UTF-16LE", &little).0, text);
            }
        }
    }
    let mixed = "plain text, ".repeat(3) + "\u{E9}t\u{E9} \u{1F600}" + &"and on ".repeat(4);
    let bytes = encode_every_way("UTF-16", &mixed).0;
    assert_eq!(decode_every_way("UTF-16", &bytes), (mixed, vec![]));
}

/// Texts of `len` characters each, in which forms of all lengths follow each other as a linear
/// congruential generator has it: the first ones without a pair, the later ones ever more ASCII.
fn mixed_texts(len: usize) -> impl Iterator<Item = String> {
    const LETTERS: [char; 8] =
        ['\u{7F}', '\u{80}', '\u{7FF}', '\u{800}', '\u{D7FF}', '\u{E000}', '\u{FFFF}', '\u{1F600}'];
    (0..200).map(move |number: usize| {
        let mut seed = number as u64;
        let mut draw = |below: usize| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        (0..len).map(|_| *LETTERS.get(draw(7 + number / 10)).unwrap_or(&'a')).collect()
    })
}

#[test]
fn mixed_texts_of_all_lengths_convert_like_std() {
    for text in (0..120).flat_map(mixed_texts) {
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(encode("UTF-16BE", &text), (big.clone(), vec![]));
        assert_eq!(encode("UTF-16LE", &text), (little.clone(), vec![]));
        assert_eq!(decode("UTF-16BE", &big), (text.clone(), vec![]));
        assert_eq!(decode("UTF-16LE", &little), (text, vec![]));
    }
    for text in mixed_texts(60).step_by(20) {
        let bytes = encode_every_way("UTF-16LE", &text).0;
        assert_eq!(decode_every_way("UTF-16LE", &bytes), (text, vec![]));
    }
}

#[test]
fn every_scalar_value_round_trips() {
    let all: String = ('\0'..=char::MAX).collect();
    let plane: String = ('\0'..='\u{FFFF}').collect();
    for (name, text) in [
        ("UTF-16", &all),
        ("UTF-16BE", &all),
        ("UTF-16LE", &all),
        ("UCS-2", &plane),
        ("UCS-2BE", &plane),
        ("UCS-2LE", &plane),
        ("UNICODE", &plane),
    ] {
        let (bytes, errors) = encode(name, text);
        assert!(errors.is_empty(), "{name}");
        assert!(decode(name, &bytes) == (text.clone(), vec![]), "{name}");
    }
}
