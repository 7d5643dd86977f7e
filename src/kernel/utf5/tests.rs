//! The kernels at every level against a slow twin that prints numbers.

use super::{decode, encode};
use crate::kernel::simd::Level;

/// The octets of a text.
fn wire(text: &str) -> Vec<u8> {
    let spell = |character: char| {
        let digits = format!("{:X}", u32::from(character)).into_bytes();
        let first = char::from(digits[0]).to_digit(16).unwrap() as u8;
        [&[b'G' + first], &digits[1..]].concat()
    };
    text.chars().flat_map(spell).collect()
}

/// First and last characters of each number of digits, in runs of each length.
fn texts() -> impl Iterator<Item = String> {
    const SORTS: [[char; 3]; 8] = [
        ['\0', '\n', '\u{F}'],
        ['\u{10}', 'a', '\u{7F}'],
        ['\u{80}', 'é', '\u{FF}'],
        ['\u{100}', 'ж', '\u{7FF}'],
        ['\u{800}', 'क', '\u{FFF}'],
        ['\u{1000}', '\u{D7FF}', '\u{FFFF}'],
        ['\u{10000}', '😀', '\u{FFFFF}'],
        ['\u{100000}', '\u{101234}', '\u{10FFFF}'],
    ];
    (0..SORTS.len() * SORTS.len() * 20).map(|index| {
        let (first, rest) = (index % 8, index / 8);
        let (second, count) = (rest % 8, 1 + rest / 8);
        let some = |sort: usize, count| SORTS[sort].iter().cycle().skip(count).take(count);
        let mut text = String::new();
        while text.len() < 250 {
            text.extend(some(first, count).chain(some(second, 1 + text.len() % count)));
        }
        text
    })
}

#[test]
fn texts_are_encoded_as_their_numbers_are_printed_at_every_level() {
    for text in texts() {
        let expected = wire(&text);
        for room in [0, 47, 48, 49, 100, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; room];
                let (read, written) = encode::at(level, &text, &mut dst);
                let near = text.len() - read < encode::NEAR;
                assert!(near || room - written < encode::ROOM, "{level:?} {text:?} stops early");
                assert_eq!(written, wire(&text[..read]).len(), "{level:?} {room} {text:?}");
                assert_eq!(dst[..written], expected[..written], "{level:?} {room} {text:?}");
            }
        }
    }
}

#[test]
fn every_scalar_value_is_encoded_as_its_number_is_printed() {
    let all: String = ('\0'..=char::MAX).collect();
    let expected = wire(&all);
    for level in Level::all() {
        let mut dst = vec![0; expected.len()];
        let (read, written) = encode::at(level, &all, &mut dst);
        assert!(all.len() - read < 2 * encode::NEAR, "{level:?}");
        assert!(dst[..written] == expected[..written], "{level:?}");
    }
}

#[test]
fn texts_are_decoded_from_their_printed_numbers_at_every_level() {
    for text in texts() {
        let src = wire(&text);
        for room in [0, 47, 48, 49, 100, 2000] {
            for level in Level::all() {
                let mut dst = vec![0x55; room];
                let (read, written) = decode::at(level, false, &src, &mut dst);
                let near = src.len() - read < decode::NEAR;
                assert!(near || room - written < decode::ROOM, "{level:?} {text:?} stops early");
                assert_eq!(dst[..written], text.as_bytes()[..written], "{level:?} {room} {text:?}");
                let found = str::from_utf8(&dst[..written]).unwrap();
                assert_eq!(wire(found), src[..read], "{level:?} {room} {text:?}");
            }
        }
    }
}

#[test]
fn small_letters_are_capital_ones_if_asked_for() {
    for text in texts() {
        let src = wire(&text).to_ascii_lowercase();
        for level in Level::all() {
            let mut dst = vec![0x55; 2000];
            let (read, written) = decode::at(level, true, &src, &mut dst);
            assert!(src.len() - read < decode::NEAR, "{level:?} {text:?} stops early");
            assert_eq!(dst[..written], text.as_bytes()[..written], "{level:?} {text:?}");
            assert_eq!(wire(&text[written..]).len(), src.len() - read, "{level:?} {text:?}");
            assert_eq!(decode::at(level, true, &[b'`'; 200], &mut dst), (0, 0));
            assert_eq!(decode::at(level, true, &[b'w'; 200], &mut dst), (0, 0));
        }
    }
}

#[test]
fn every_scalar_value_is_decoded_from_its_printed_number() {
    let all: String = ('\0'..=char::MAX).collect();
    let src = wire(&all);
    for level in Level::all() {
        let mut dst = vec![0; all.len()];
        let (read, written) = decode::at(level, false, &src, &mut dst);
        assert!(src.len() - read < 2 * decode::NEAR, "{level:?}");
        assert!(dst[..written] == all.as_bytes()[..written], "{level:?}");
        assert_eq!(src[read..], wire(&all[written..]), "{level:?}");
    }
}

#[test]
fn nothing_is_decoded_from_a_fault_on_wherever_it_stands() {
    // What is no octet of UTF-5, digits without a head, leading zeros, halves of pairs, and values
    // that are too high.
    let faults: [&[u8]; 13] = [
        b"\n", b"a", b"g", b"\x80", b"@", b"W", b"/", b":", b"GA", b"G00", b"T800", b"TFFF",
        b"I10000",
    ];
    for part in ["ab", "жя", "क", "中文", "é", "😀", "a中b"] {
        let good = wire(&part.repeat(30));
        for fault in faults {
            for before in 0..20 {
                let before = wire(&part.repeat(before));
                let src = [&before[..], fault, &good[..], &[b'I'; 100]].concat();
                for level in Level::all() {
                    let mut dst = vec![0x55; 2000];
                    let (read, written) = decode::at(level, false, &src, &mut dst);
                    assert_eq!(read, before.len(), "{level:?} {fault:?} behind {part}");
                    let found = str::from_utf8(&dst[..written]).unwrap();
                    assert_eq!(wire(found), before, "{level:?} {fault:?} behind {part}");
                }
            }
        }
    }
}
