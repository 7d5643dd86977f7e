//! The kernels at every level against reference implementations that know rows of bits.

use super::{decode, encode};
use crate::kernel::ascii_set::AsciiByteSet;
use crate::kernel::base64::Base64Alphabet;
use crate::kernel::simd::Level;

const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn is_direct(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"'(),-./:? \t\r\n".contains(&byte)
}

fn digit(byte: u8) -> Option<usize> {
    DIGITS.bytes().position(|digit| digit == byte)
}

/// What well-formed bytes mean, from a position with `taken` bits of a run's next byte taken.
fn reference_decode(wire: &[u8], taken: Option<u8>) -> String {
    let (mut units, mut at, mut taken) = (Vec::new(), 0, taken);
    loop {
        if let Some(skip) = taken.take() {
            let run = wire[at..].iter().map_while(|byte| digit(*byte));
            let bits: Vec<u16> = run
                .flat_map(|value| (0..6).rev().map(move |bit| (value >> bit & 1) as u16))
                .collect();
            at += bits.len() / 6 + usize::from(wire.get(at + bits.len() / 6) == Some(&b'-'));
            let whole = bits[usize::from(skip)..].chunks_exact(16);
            assert!(whole.remainder().len() < 6 && !whole.remainder().contains(&1));
            units.extend(whole.map(|bits| bits.iter().fold(0, |unit, bit| unit << 1 | bit)));
        }
        match wire[at..] {
            [] => return String::from_utf16(&units).unwrap(),
            [b'+', b'-', ..] => {
                units.push(u16::from(b'+'));
                at += 2;
            }
            [b'+', ..] => {
                taken = Some(0);
                at += 1;
            }
            [byte, ..] => {
                assert!(is_direct(byte));
                units.push(byte.into());
                at += 1;
            }
        }
    }
}

/// The bytes of a text, from the outside of a run or from one that is open.
fn reference_encode(text: &str, in_run: bool) -> Vec<u8> {
    let is_direct = |character: char| u8::try_from(character).is_ok_and(is_direct);
    let (mut bytes, mut rest, mut in_run) = (Vec::new(), text, in_run);
    while let Some(first) = rest.chars().next() {
        let run = rest.find(is_direct).unwrap_or(rest.len());
        if in_run || run > 0 && first != '+' {
            bytes.extend(b"+".iter().filter(|_| !in_run));
            let units: Vec<u16> = rest[..run].encode_utf16().collect();
            let bits = units.iter().flat_map(|unit| (0..16).rev().map(move |bit| unit >> bit & 1));
            let mut bits: Vec<u16> = bits.collect();
            bits.resize(bits.len().next_multiple_of(6), 0);
            let value =
                |bits: &[u16]| bits.iter().fold(0, |value, bit| value << 1 | usize::from(*bit));
            bytes.extend(bits.chunks(6).map(|bits| DIGITS.as_bytes()[value(bits)]));
            rest = &rest[run..];
            let next = rest.bytes().next();
            bytes.extend(next.filter(|next| *next == b'-' || digit(*next).is_some()).map(|_| b'-'));
            in_run = false;
        } else if first == '+' {
            bytes.extend(b"+-");
            rest = &rest[1..];
        } else {
            bytes.push(first as u8);
            rest = &rest[1..];
        }
    }
    bytes
}

/// Texts with runs of every sort and length among direct characters, in an order by chance.
fn sample_texts() -> impl Iterator<Item = String> {
    const SAMPLES: [&[char]; 8] = [
        &['a', 'Z', ' ', '-', '/'],
        &['é', 'ж', '\u{80}', '\u{7FF}'],
        &['中', '\u{800}', '\u{D7FF}', '\u{E000}', '\u{FFFF}'],
        &['😀', '\u{10000}', '\u{10FFFF}'],
        &['"', '=', '~', '\0', '\u{7F}'],
        &['é', '中', '😀', '+', '"'],
        &['+'],
        &['b'],
    ];
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut below = move |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 33) as usize % limit
    };
    (0..400).map(move |round| {
        let longest = [3, 9, 30, 90][round % 4];
        let mut text = String::new();
        while text.len() < 300 {
            let sort = SAMPLES[below(SAMPLES.len())];
            for _ in 0..below(longest) {
                text.push(sort[below(sort.len())]);
            }
            text.push_str(["", "a", " b"][below(3)]);
        }
        text
    })
}

fn decoder() -> decode::Utf7DecodeConfig {
    decode::Utf7DecodeConfig {
        shift: b'+',
        direct: AsciiByteSet::new(is_direct),
        alphabet: Base64Alphabet::with_last_digit(b'/'),
        ascii_in_run: true,
        canonical_only: false,
    }
}

fn encoder() -> encode::Utf7EncodeConfig {
    let hyphen_before = |byte: usize| byte == usize::from(b'-') || digit(byte as u8).is_some();
    encode::Utf7EncodeConfig {
        shift: b'+',
        direct: AsciiByteSet::new(is_direct),
        alphabet: Base64Alphabet::with_last_digit(b'/'),
        hyphen_before: std::array::from_fn(hyphen_before),
        shift_in_run: true,
    }
}

#[test]
fn decoded_part_and_rest_are_the_whole_text() {
    let form = decoder();
    for expected in sample_texts() {
        let src = reference_encode(&expected, false);
        assert_eq!(reference_decode(&src, None), expected);
        for output_len in [0, 115, 116, 131, 200, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; output_len];
                let progress = decode::decode_at_level(level, &form, false, &src, &mut dst);
                // It may go back to the first half of a pair.
                let near_end = src.len() - progress.read < decode::MIN_INPUT + 3;
                let full = output_len - progress.written < decode::MIN_OUTPUT;
                assert!(near_end || full, "{level:?} stops early in {expected:?}");
                let read = String::from_utf8(dst[..progress.written].to_vec()).unwrap();
                let whole = read + &reference_decode(&src[progress.read..], progress.run);
                assert_eq!(whole, expected, "{level:?} {output_len} {progress:?}");
            }
        }
    }
}

#[test]
fn decoding_stops_before_an_error_at_every_position() {
    let form = decoder();
    let long = "й".repeat(40) + " and " + &"中文😀".repeat(9) + &"z".repeat(90);
    let good = reference_encode(&long, false);
    for at in 0..good.len() - 80 {
        for invalid in [b'~', 0x80, 0xFF, b'\\'] {
            let mut src = good.clone();
            src[at] = invalid;
            for level in Level::all() {
                let mut dst = vec![0x55; 2000];
                let progress = decode::decode_at_level(level, &form, false, &src, &mut dst);
                let read = str::from_utf8(&dst[..progress.written]).unwrap();
                assert!(long.starts_with(read), "{level:?} {at} {invalid}");
                let is_near = progress.read <= at && at < progress.read + decode::MIN_INPUT;
                assert!(is_near, "{level:?} {at} {invalid} {progress:?}");
            }
        }
    }
}

#[test]
fn decoding_stops_before_malformed_runs() {
    let form = decoder();
    // Lone halves of pairs, pairs in the wrong order, bits to spare, digits to spare, and no run.
    let invalid =
        ["2D0-", "3AA-", "3gDYPQ-", "2D0AQQ-", "AOl-", "AOkA-", "AOkAAAA-", "A-", "AA-", "!", " "];
    for invalid in invalid {
        for before in 0..70 {
            let src = "x".repeat(before) + "+" + invalid + &"y".repeat(150);
            for level in Level::all() {
                let mut dst = vec![0x55; 2000];
                let progress =
                    decode::decode_at_level(level, &form, false, src.as_bytes(), &mut dst);
                let expected =
                    decode::Utf7DecodeProgress { read: before, written: before, run: None };
                assert_eq!(progress, expected, "{level:?} {invalid} {before}");
            }
        }
    }
}

#[test]
fn canonical_form_requires_hyphens_and_forbids_adjacent_runs_and_ascii() {
    let form = decode::Utf7DecodeConfig { ascii_in_run: false, canonical_only: true, ..decoder() };
    for (src, read) in [
        ("+AOk-é", 5),
        ("+AOk.", 0),
        ("+AOk-+AOk-", 0),
        ("+AOk-+-", 0),
        ("+AEE-", 0),
        ("+AOkAQQ-", 0),
        ("+--", 3),
    ] {
        let (prefix, suffix) = ("x".repeat(20), "\u{7F}".repeat(150));
        let src = format!("{prefix}{src}{suffix}");
        for level in Level::all() {
            let mut dst = vec![0x55; 2000];
            let progress = decode::decode_at_level(level, &form, false, src.as_bytes(), &mut dst);
            assert_eq!(progress.read, 20 + read, "{level:?} {src}");
        }
    }
}

#[test]
fn encoded_part_and_rest_are_the_whole_text() {
    let form = encoder();
    for text in sample_texts() {
        let expected = reference_encode(&text, false);
        for output_len in [0, 97, 98, 120, 200, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; output_len];
                let progress = encode::encode_at_level(level, &form, false, &text, &mut dst);
                let near_end = text.len() - progress.read < encode::MIN_INPUT;
                let full = output_len - progress.written < encode::MIN_OUTPUT;
                // A row of pairs and single units may never come to a multiple of three units.
                assert!(
                    near_end || full || text.contains(|c| c > '\u{FFFF}'),
                    "{level:?} {text:?}"
                );
                let whole = [
                    &dst[..progress.written],
                    &reference_encode(&text[progress.read..], progress.in_run),
                ];
                let whole = String::from_utf8(whole.concat()).unwrap();
                assert_eq!(whole.as_bytes(), expected, "{level:?} {output_len} {progress:?}");
            }
        }
    }
}
