//! The 31-bit path, from each encoding that has it to each.

use crate::encoding::for_label;
use crate::encoding::testing::{narrow, narrow_every_way, widen};
use crate::options::EncodingSpec;

const HOLDERS: [&str; 6] = ["FSS-UTF", "UTF-1", "UCS-4", "UCS-4BE", "UCS-4LE", "UTF-5:ucs4"];

/// The first and last value of every form of every encoding, and their neighbors.
fn boundaries() -> Vec<u32> {
    let edges = [
        0,
        0xA0,
        0x100,
        0x4016,
        0x3_8E2E,
        0x80,
        0x800,
        0xD800,
        0xE000,
        0xFFFE,
        0x1_0000,
        0x11_0000,
        0x20_0000,
        0x400_0000,
        0x8000_0000,
    ];
    let nibbles = (0..8).map(|digit| 0x10_u32 << (4 * digit)).filter(|edge| *edge > 0);
    let around = |edge: u32| [edge.wrapping_sub(1), edge, edge.wrapping_add(1)];
    edges.into_iter().chain(nibbles).flat_map(around).filter(is_allowed).collect()
}

fn is_allowed(value: &u32) -> bool {
    *value <= 0x7FFF_FFFF && !(0xD800..=0xDFFF).contains(value)
}

/// Values with each number of significant bits, by a linear congruence.
fn sample() -> Vec<u32> {
    let mut seed = 1999_u64;
    let next = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = (seed >> 59) as u32 % 31;
        ((seed >> 20) as u32 & 0x7FFF_FFFF) >> bits
    };
    std::iter::repeat_with(next).filter(is_allowed).take(5_000).collect()
}

fn big_endian(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// RFC 2044's rule done by hand: the bits as text, six to a byte from the right.
fn by_bits(value: u32) -> Vec<u8> {
    if value < 0x80 {
        return vec![value as u8];
    }
    let bits = (32 - value.leading_zeros()) as usize;
    let len = (2..=6).find(|len| bits <= 5 * len + 1).unwrap();
    let text = format!("{}0{value:0width$b}", "1".repeat(len), width = 5 * len + 1);
    let byte = |bits: &[u8]| u8::from_str_radix(std::str::from_utf8(bits).unwrap(), 2).unwrap();
    let (lead, rest) = text.as_bytes().split_at(8);
    let trails = rest.chunks(6).map(|bits| 0x80 | byte(bits));
    std::iter::once(byte(lead)).chain(trails).collect()
}

#[test]
fn the_pivot_is_what_rfc_2044_says() {
    let values = [boundaries(), sample()].concat();
    for value in values {
        let seen = widen("UCS-4", &value.to_be_bytes());
        assert_eq!(seen, (by_bits(value), vec![]), "{value:X}");
    }
}

#[test]
fn every_value_passes_unharmed_from_each_encoding_to_each() {
    let plain = big_endian(&[boundaries(), sample()].concat());
    let pivot = widen("UCS-4", &plain).0;
    for from in HOLDERS {
        let (bytes, errors) = narrow(from, &pivot);
        assert_eq!(errors, [], "{from}");
        let there = widen(from, &bytes);
        assert!(there == (pivot.clone(), vec![]), "{from}");
        for to in HOLDERS {
            let back = widen(to, &narrow(to, &there.0).0);
            assert!(narrow("UCS-4", &back.0) == (plain.clone(), vec![]), "{from} to {to}");
        }
    }
}

#[test]
fn what_is_no_rfc_2044_form_is_an_error_of_the_second_half() {
    for to in HOLDERS {
        let (bytes, errors) = narrow_every_way(to, b"A\xED\xA0\x80B\xFE\xF8\x88\x80");
        let spans: Vec<_> = errors.iter().map(|error| (error.0, error.1)).collect();
        assert_eq!(spans, [(1, 1), (2, 1), (3, 1), (5, 1), (6, 3)], "{to}");
        assert_eq!(bytes, narrow(to, b"AB").0, "{to}");
    }
}

#[test]
fn a_utf_5_without_ucs4_lets_nothing_above_unicode_through() {
    for (label, expected) in [("UTF-5", false), ("UTF-5:ucs4", true)] {
        let EncodingSpec { encoding: registered, options: encoding_options } =
            label.parse().unwrap();
        assert_eq!(
            (registered.ucs4.as_ref().unwrap().is_enabled)(&encoding_options),
            expected,
            "{label}"
        );
    }
    assert_eq!(narrow("UTF-5", b"\xF4\x90\x80\x80A").0, b"K1");
    assert_eq!(widen("UTF-5", b"H10000K1").0, b"A");
}

#[test]
fn utf_32_has_no_31_bit_path() {
    for name in ["UTF-32", "UTF-32BE", "UTF-32LE"] {
        assert!(for_label(name).unwrap().ucs4.is_none());
    }
}
