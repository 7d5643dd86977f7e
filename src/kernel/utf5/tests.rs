//! The kernels at every level against a reference implementation that prints numbers.

use super::{decode, encode};
use crate::kernel::simd::Level;

/// The bytes of a text.
fn reference_encode(text: &str) -> Vec<u8> {
    let spell = |character: char| {
        let digits = format!("{:X}", u32::from(character)).into_bytes();
        let first = char::from(digits[0]).to_digit(16).unwrap() as u8;
        [&[b'G' + first], &digits[1..]].concat()
    };
    text.chars().flat_map(spell).collect()
}

/// First and last characters of each number of digits, in runs of each length.
fn sample_texts() -> impl Iterator<Item = String> {
    const SAMPLES: [[char; 3]; 8] = [
        ['\0', '\n', '\u{F}'],
        ['\u{10}', 'a', '\u{7F}'],
        ['\u{80}', 'é', '\u{FF}'],
        ['\u{100}', 'ж', '\u{7FF}'],
        ['\u{800}', 'क', '\u{FFF}'],
        ['\u{1000}', '\u{D7FF}', '\u{FFFF}'],
        ['\u{10000}', '😀', '\u{FFFFF}'],
        ['\u{100000}', '\u{101234}', '\u{10FFFF}'],
    ];
    (0..SAMPLES.len() * SAMPLES.len() * 20).map(|index| {
        let (first, rest) = (index % 8, index / 8);
        let (second, count) = (rest % 8, 1 + rest / 8);
        let some = |sort: usize, count| SAMPLES[sort].iter().cycle().skip(count).take(count);
        let mut text = String::new();
        while text.len() < 250 {
            text.extend(some(first, count).chain(some(second, 1 + text.len() % count)));
        }
        text
    })
}

#[test]
fn encoding_agrees_with_format_at_every_level() {
    for text in sample_texts() {
        let expected = reference_encode(&text);
        for output_len in [0, 47, 48, 49, 100, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; output_len];
                let (read, written) = encode::encode_at_level(level, &text, &mut dst);
                let near_end = text.len() - read < encode::MIN_INPUT;
                assert!(
                    near_end || output_len - written < encode::MIN_OUTPUT,
                    "{level:?} {text:?} stops early"
                );
                assert_eq!(
                    written,
                    reference_encode(&text[..read]).len(),
                    "{level:?} {output_len} {text:?}"
                );
                assert_eq!(dst[..written], expected[..written], "{level:?} {output_len} {text:?}");
            }
        }
    }
}

#[test]
fn encoding_every_scalar_value_agrees_with_format() {
    let all: String = ('\0'..=char::MAX).collect();
    let expected = reference_encode(&all);
    for level in Level::all() {
        let mut dst = vec![0; expected.len()];
        let (read, written) = encode::encode_at_level(level, &all, &mut dst);
        assert!(all.len() - read < 2 * encode::MIN_INPUT, "{level:?}");
        assert!(dst[..written] == expected[..written], "{level:?}");
    }
}

#[test]
fn decoding_agrees_with_format_at_every_level() {
    for text in sample_texts() {
        let src = reference_encode(&text);
        for output_len in [0, 47, 48, 49, 100, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; output_len];
                let (read, written) = decode::decode_at_level(level, false, &src, &mut dst);
                let near_end = src.len() - read < decode::MIN_INPUT;
                assert!(
                    near_end || output_len - written < decode::MIN_OUTPUT,
                    "{level:?} {text:?} stops early"
                );
                assert_eq!(
                    dst[..written],
                    text.as_bytes()[..written],
                    "{level:?} {output_len} {text:?}"
                );
                let found = str::from_utf8(&dst[..written]).unwrap();
                assert_eq!(reference_encode(found), src[..read], "{level:?} {output_len} {text:?}");
            }
        }
    }
}

#[test]
fn ignore_case_accepts_lowercase_digits() {
    for text in sample_texts() {
        let src = reference_encode(&text).to_ascii_lowercase();
        for level in Level::all() {
            let mut dst = vec![0x55; 2000];
            let (read, written) = decode::decode_at_level(level, true, &src, &mut dst);
            assert!(src.len() - read < decode::MIN_INPUT, "{level:?} {text:?} stops early");
            assert_eq!(dst[..written], text.as_bytes()[..written], "{level:?} {text:?}");
            assert_eq!(
                reference_encode(&text[written..]).len(),
                src.len() - read,
                "{level:?} {text:?}"
            );
            assert_eq!(decode::decode_at_level(level, true, &[b'`'; 200], &mut dst), (0, 0));
            assert_eq!(decode::decode_at_level(level, true, &[b'w'; 200], &mut dst), (0, 0));
        }
    }
}

#[test]
fn decoding_every_scalar_value_agrees_with_format() {
    let all: String = ('\0'..=char::MAX).collect();
    let src = reference_encode(&all);
    for level in Level::all() {
        let mut dst = vec![0; all.len()];
        let (read, written) = decode::decode_at_level(level, false, &src, &mut dst);
        assert!(src.len() - read < 2 * decode::MIN_INPUT, "{level:?}");
        assert!(dst[..written] == all.as_bytes()[..written], "{level:?}");
        assert_eq!(src[read..], reference_encode(&all[written..]), "{level:?}");
    }
}

#[test]
fn decoding_stops_before_an_error_at_every_position() {
    // What is no byte of UTF-5, digits without a head, leading zeros, halves of pairs, and values
    // that are too high.
    let invalid_sequences: [&[u8]; 13] = [
        b"\n", b"a", b"g", b"\x80", b"@", b"W", b"/", b":", b"GA", b"G00", b"T800", b"TFFF",
        b"I10000",
    ];
    for part in ["ab", "жя", "क", "中文", "é", "😀", "a中b"] {
        let good = reference_encode(&part.repeat(30));
        for invalid in invalid_sequences {
            for before in 0..20 {
                let before = reference_encode(&part.repeat(before));
                let src = [&before[..], invalid, &good[..], &[b'I'; 100]].concat();
                for level in Level::all() {
                    let mut dst = vec![0x55; 2000];
                    let (read, written) = decode::decode_at_level(level, false, &src, &mut dst);
                    assert_eq!(read, before.len(), "{level:?} {invalid:?} after {part}");
                    let found = str::from_utf8(&dst[..written]).unwrap();
                    assert_eq!(
                        reference_encode(found),
                        before,
                        "{level:?} {invalid:?} after {part}"
                    );
                }
            }
        }
    }
}
