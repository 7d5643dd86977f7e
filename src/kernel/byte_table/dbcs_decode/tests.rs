//! The stretches against a loop of one code after another.

use super::*;
use crate::kernel::simd::Level;

/// Singles are ASCII or turned, pairs are characters of all lengths but for some.
fn sample_char(lead_rule: LeadRule, code: &[u8]) -> Option<char> {
    match (lead_rule, code) {
        (LeadRule::AsciiSingles, [one]) => Some(char::from(*one)),
        (LeadRule::MappedSingles, [one]) => {
            char::from_u32(0x3A0 + u32::from(*one)).filter(|_| *one != 0x5C)
        }
        (_, [lead, trail]) if trail % 32 == 31 || *lead == 0xFF => None,
        (_, [lead, trail]) => {
            char::from_u32(u32::from(*lead) << (trail % 3 + 4) | u32::from(*trail))
        }
        _ => None,
    }
}

fn pair_table(lead_rule: LeadRule) -> PairTable {
    let mut forms = vec![0; 0x1_0000];
    for (unit, form) in forms.iter_mut().enumerate() {
        let [lead, trail] = (unit as u16).to_le_bytes();
        let code = match (lead_rule, lead, trail) {
            (LeadRule::PairsOnly, ..) | (_, 0x80.., _) => &[lead, trail][..],
            (_, _, 0) => &[lead][..],
            _ => &[],
        };
        *form = sample_char(lead_rule, code).map_or(0, crate::kernel::byte_table::utf8_bytes_of);
    }
    PairTable { utf8: forms.into_boxed_slice().try_into().unwrap(), lead_rule }
}

/// The text of the bytes, code by code, and where it ends.
fn reference(lead_rule: LeadRule, bytes: &[u8]) -> (usize, String) {
    let (mut read, mut text) = (0, String::new());
    while let Some(first) = bytes.get(read) {
        let len = if lead_rule == LeadRule::PairsOnly || *first >= 0x80 { 2 } else { 1 };
        let code = bytes.get(read..read + len).and_then(|code| sample_char(lead_rule, code));
        let Some(character) = code else { break };
        text.push(character);
        read += len;
    }
    (read, text)
}

/// Bytes that are codes, in runs of one byte and of two.
fn sample_codes(lead_rule: LeadRule, seed: usize) -> Vec<u8> {
    let mut bytes = vec![b' '; 2 * (seed % 40)];
    for turn in 0..150 {
        let mixed = (turn + seed).wrapping_mul(0x9E37_79B9) >> 7;
        let [lead, trail, ..] = mixed.to_le_bytes();
        let run = mixed >> 16 & 3;
        let single = lead & 0x7F;
        if lead_rule != LeadRule::PairsOnly && sample_char(lead_rule, &[single]).is_some() {
            bytes.extend(std::iter::repeat_n(single, run));
        }
        let lead = if lead_rule == LeadRule::PairsOnly { lead & 0x7F } else { lead | 0x80 };
        if sample_char(lead_rule, &[lead, trail]).is_some() {
            bytes.extend([lead, trail].repeat(run));
        }
    }
    bytes
}

#[test]
fn decoding_agrees_with_reference() {
    for lead_rule in [LeadRule::AsciiSingles, LeadRule::MappedSingles, LeadRule::PairsOnly] {
        let table = pair_table(lead_rule);
        for seed in 0..200 {
            let mut src = sample_codes(lead_rule, seed);
            if seed % 3 > 0 {
                let at = (seed * 5 % src.len()) & !1;
                src.splice(at..at, [0xFF, 0x1F]);
            }
            let (max_read, text) = reference(lead_rule, &src);
            for (level, dst) in Level::all().flat_map(|level| {
                [0, max_output_len(1) - 1, max_output_len(1), 500, 9000]
                    .map(|output| (level, output))
            }) {
                let mut dst = vec![0x55; dst];
                let whole = dst.len() == 9000;
                let table = &table;
                let (read, written) = match lead_rule {
                    LeadRule::PairsOnly => table.decode(&src, &mut dst),
                    _ => level.run(DbcsDecodeKernel { table, src: &src, dst: &mut dst }),
                };
                let (same, front) = reference(lead_rule, &src[..read]);
                assert_eq!(
                    (same, &dst[..written]),
                    (read, front.as_bytes()),
                    "{lead_rule:?} {seed}"
                );
                assert!(text.starts_with(&front));
                assert!(
                    !whole || max_read == read || src.len() - read < INPUT_WINDOW,
                    "{lead_rule:?} {seed}"
                );
            }
        }
    }
}
