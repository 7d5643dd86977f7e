//! A decoder that is ready for a large input against the same one that is not.

use super::mapping::MultiByteMapping;
use super::pair_table;
use super::{ALL, trail_bytes};
use crate::codec::{Decoder, Status};
use crate::conversion_error::MalformedReason;
use crate::encoding::{Encoding, EncodingOptions, stateful};

/// Numbers that are the same each time (splitmix64).
fn random_numbers(mut seed: u64) -> impl Iterator<Item = u64> {
    std::iter::repeat_with(move || {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    })
}

/// Runs of random bytes of one sort each: ASCII, lead bytes, 7-bit pairs, all bytes, and shifts.
fn random_bytes() -> Vec<u8> {
    let mut numbers = random_numbers(1);
    let mut bytes = Vec::new();
    while bytes.len() < 12_000 {
        let Some(kind) = numbers.next() else { break };
        let run = numbers.by_ref().take((kind >> 8) as usize % 30);
        match kind % 6 {
            0 => bytes.extend(run.map(|number| 0x20 + (number % 0x60) as u8)),
            1 => bytes.extend(run.map(|number| 0x81 + (number % 0x7E) as u8)),
            2 => bytes.extend(run.flat_map(|number| [0xB0 + (number % 24) as u8, 0xA1])),
            3 => bytes.extend(run.flat_map(|number| [0x30 + (number % 24) as u8, 0x21])),
            4 => bytes.extend(run.map(|number| number as u8)),
            _ => bytes.extend([&b"\x1B$B"[..], b"\x1B(B", b"\x0E", b"\x0F"][run.count() % 4]),
        }
    }
    bytes
}

/// Offset, length and reason of each error.
type DecodeErrors = Vec<(usize, usize, MalformedReason)>;

fn decode_all(decoder: &mut dyn Decoder, src: &[u8], space: usize) -> (Vec<u8>, DecodeErrors) {
    let (mut out, mut errors, mut read) = (Vec::new(), Vec::new(), 0);
    let mut dst = vec![0; space];
    loop {
        let progress = decoder.decode(&src[read..], &mut dst, true);
        out.extend_from_slice(&dst[..progress.written]);
        read += progress.read;
        match progress.status {
            Status::InputEmpty => return (out, errors),
            Status::OutputFull => assert!(progress.read + progress.written > 0, "no progress"),
            Status::Error(error) => {
                errors.push((read, error.len, error.reason));
                read += error.resume_len;
                decoder.restore_state(error.resume_state);
            }
        }
    }
}

fn all_encodings() -> impl Iterator<Item = &'static Encoding> {
    ALL.iter().chain(stateful::ALL).copied()
}

#[test]
fn prepared_decoder_matches_unprepared_decoder() {
    let src = random_bytes();
    for encoding in all_encodings() {
        let plain = decode_all(&mut *encoding.decoder(&EncodingOptions::default()), &src, 1 << 18);
        for output in [16, 61, 1 << 18] {
            let mut ready = encoding.decoder(&EncodingOptions::default());
            ready.prepare_for_large_input();
            assert!(decode_all(&mut *ready, &src, output) == plain, "{} {output}", encoding.name);
        }
    }
}

#[test]
fn prepared_decoder_matches_on_every_byte_pair() {
    let src: Vec<u8> = (0..=0xFFFF_u16).flat_map(u16::to_be_bytes).collect();
    for encoding in all_encodings() {
        let plain = decode_all(&mut *encoding.decoder(&EncodingOptions::default()), &src, 1 << 18);
        let mut ready = encoding.decoder(&EncodingOptions::default());
        ready.prepare_for_large_input();
        assert!(decode_all(&mut *ready, &src, 1 << 18) == plain, "{}", encoding.name);
    }
}

/// Mapping, bytes, text: all but the last bytes are for the table.
const TABLE_CASES: &[(MultiByteMapping, &[u8], &str)] = &[
    (
        MultiByteMapping::with_ascii(include_bytes!("data/euc-kr.trie"), &trail_bytes::GR_94),
        b"a\xB0\xA1 \xB0\xA1\xB0\xA1\xA5\xC1\xB0\xA1, \xB0\xA1\xB0\xA1\xB0\xA1\n",
        "a\u{AC00} \u{AC00}\u{AC00}\u{391}\u{AC00}, \u{AC00}\u{AC00}\u{AC00}\n",
    ),
    (
        MultiByteMapping::with_ascii(include_bytes!("data/sjis.trie"), &trail_bytes::SHIFT_JIS),
        b"\x5C\x88\x9F\x88\x9F\x7E\x88\x9F\x88\x9F\x88\x9F\x88\x9Fab",
        "\u{A5}\u{4E9C}\u{4E9C}\u{203E}\u{4E9C}\u{4E9C}\u{4E9C}\u{4E9C}ab",
    ),
    (
        MultiByteMapping::without_ascii(include_bytes!("data/jisx0208.trie"), &trail_bytes::GL_94),
        b"\x30\x21\x30\x21\x30\x21\x30\x21\x26\x21\x30\x21\x30\x21\x30\x21",
        "\u{4E9C}\u{4E9C}\u{4E9C}\u{4E9C}\u{391}\u{4E9C}\u{4E9C}\u{4E9C}",
    ),
];

#[test]
fn pair_table_decodes_one_and_two_byte_codes() {
    for (mapping, bytes, text) in TABLE_CASES {
        let quick = pair_table::build_pair_table(mapping).expect("it has codes of two bytes");
        let (bytes, text) = (bytes.repeat(50), text.repeat(50));
        let mut dst = vec![0; 4 * bytes.len()];
        let (read, written) = quick.decode(&bytes, &mut dst);
        assert!(bytes.len() - read < 80, "{read} of {}", bytes.len());
        assert_eq!(dst[..written], text.as_bytes()[..written]);
    }
}

#[test]
fn pair_table_stops_at_unknown_codes() {
    let mapping =
        MultiByteMapping::with_ascii(include_bytes!("data/euc-jp.trie"), &trail_bytes::GR_94);
    let quick = pair_table::build_pair_table(&mapping).expect("it has codes of two bytes");
    for odd in [&b"\xFF"[..], b"\x80", b"\x8F\xB0\xA1", b"\xB0\x41", b"\xA9\xA1"] {
        for before in 0..12 {
            let bytes = [&b"\xB0\xA1".repeat(before), odd, &b"\xB0\xA1".repeat(60)].concat();
            let (read, written) = quick.decode(&bytes, &mut [0; 400]);
            assert_eq!((read, written), (2 * before, 3 * before), "{odd:02X?} {before}");
        }
    }
}
