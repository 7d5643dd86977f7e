//! The tight loops against a reference implementation: a text is the sum of its characters, each by itself.

use crate::codec::{Progress, Status};
use crate::encoding::{ALL, Encoding, EncodingOptions};

/// Encodings in which each character stands for itself, whatever is beside it.
const LABELS: [&str; 7] = ["UTF-32BE", "UTF-32LE", "UCS-4", "UTF-5", "UTF-1", "FSS-UTF", "UCS-4LE"];

/// First characters of what the loops tell apart, last ones, and some between.
const SAMPLES: [&[char]; 9] = [
    &['\0', '\n', '\u{F}'],
    &['\u{10}', ' ', '/', 'A', 'z', '\u{7F}'],
    &['\u{80}', '\u{9F}', '\u{A0}', 'é', '\u{FF}'],
    &['\u{100}', 'ж', 'Я', '\u{7FF}'],
    &['\u{800}', 'क', '\u{FFF}'],
    &['\u{1000}', '中', '\u{D7FF}', '\u{E000}', '\u{FEFF}', '\u{FFFF}'],
    &['\u{10000}', '🎂', '\u{FFFFF}'],
    &['\u{100000}', '\u{10FFFF}'],
    &['a'],
];

/// A text of runs, the lengths and members of which a sequence of numbers chooses.
fn text(seed: u64, longest: u64) -> String {
    let mut number = seed;
    let mut next = |below: usize| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (number >> 33) as usize % below
    };
    let mut text = String::new();
    while text.len() < 400 {
        let members = SAMPLES[next(SAMPLES.len())];
        for _ in 0..next(longest as usize) {
            text.push(members[next(members.len())]);
        }
    }
    text
}

fn encoding(name: &str) -> &'static Encoding {
    ALL.iter().find(|encoding| encoding.name == name).unwrap()
}

fn encode(encoding: &Encoding, text: &str) -> Vec<u8> {
    let mut dst = vec![0; 8 * text.len() + 64];
    let mut encoder = encoding.encoder(&EncodingOptions::default());
    let Progress { read, written, status: stop } = encoder.encode(text, &mut dst, true);
    assert_eq!((read, stop), (text.len(), Status::InputEmpty));
    dst.truncate(written);
    dst
}

#[test]
fn a_text_is_the_sum_of_its_characters() {
    for name in LABELS {
        let encoding = encoding(name);
        for seed in 0..300 {
            let text = text(seed, 2 + seed % 20);
            let singly = |character: char| encode(encoding, character.encode_utf8(&mut [0; 4]));
            let bytes = encode(encoding, &text);
            assert_eq!(bytes, text.chars().flat_map(singly).collect::<Vec<_>>(), "{name} {text:?}");

            let mut dst = vec![0; text.len() + 64];
            let mut decoder = encoding.decoder(&EncodingOptions::default());
            let Progress { read, written, status: stop } = decoder.decode(&bytes, &mut dst, true);
            assert_eq!((read, stop), (bytes.len(), Status::InputEmpty), "{name} {text:?}");
            assert_eq!(dst[..written], *text.as_bytes(), "{name}");
        }
    }
}
