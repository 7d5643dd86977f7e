//! Values in 1 to 6 octets, as RFC 2044, section 2, has them: shortest form, no surrogates.

use super::Taken;
use crate::fault::Why;

/// The first value of each length, from 2 octets on.
const STEPS: [u32; 5] = [0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];

/// The high bits of the first octet, by length in octets.
const LEADS: [u8; 7] = [0, 0, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC];

/// Reads one value at the front of `src`. An ill-formed sequence is the longest prefix of a
/// well-formed one, or else a single octet, as in UTF-8.
pub(in crate::charset) fn take(src: &[u8], end: bool) -> Taken {
    let Some(&lead) = src.first() else { return Taken::More };
    let (len, low, high, below) = match lead {
        0x00..=0x7F => return Taken::Value { value: u32::from(lead), len: 1 },
        0x80..=0xBF | 0xFE..=0xFF => return Taken::Bad { len: 1, why: Why::Stray },
        0xC0..=0xC1 => return Taken::Bad { len: 1, why: Why::Overlong },
        0xC2..=0xDF => (2, 0x80, 0xBF, Why::Overlong),
        0xE0 => (3, 0xA0, 0xBF, Why::Overlong),
        0xED => (3, 0x80, 0x9F, Why::Surrogate),
        0xE1..=0xEF => (3, 0x80, 0xBF, Why::Overlong),
        0xF0 => (4, 0x90, 0xBF, Why::Overlong),
        0xF1..=0xF7 => (4, 0x80, 0xBF, Why::Overlong),
        0xF8 => (5, 0x88, 0xBF, Why::Overlong),
        0xF9..=0xFB => (5, 0x80, 0xBF, Why::Overlong),
        0xFC => (6, 0x84, 0xBF, Why::Overlong),
        0xFD => (6, 0x80, 0xBF, Why::Overlong),
    };
    let mut value = u32::from(lead ^ LEADS[len]);
    for (index, &octet) in src[..src.len().min(len)].iter().enumerate().skip(1) {
        let why = match octet {
            0x80..=0xBF if index > 1 || (low..=high).contains(&octet) => {
                value = value << 6 | u32::from(octet & 0x3F);
                continue;
            }
            0x80..=0xBF => below,
            _ => Why::Continuation,
        };
        return Taken::Bad { len: index, why };
    }
    match src.len() {
        there if there >= len => Taken::Value { value, len },
        there if end => Taken::Bad { len: there, why: Why::Truncated },
        _ => Taken::More,
    }
}

/// Writes a value up to 7FFFFFFF in 1 to 6 octets; says how many, or nothing for want of room.
pub(in crate::charset) fn put(value: u32, dst: &mut [u8]) -> Option<usize> {
    let len = 1 + STEPS.iter().filter(|first| value >= **first).count();
    let (lead, trails) = dst.get_mut(..len)?.split_first_mut()?;
    let mut rest = value;
    for octet in trails.iter_mut().rev() {
        *octet = 0x80 | (rest & 0x3F) as u8;
        rest >>= 6;
    }
    *lead = LEADS[len] | rest as u8;
    Some(len)
}
