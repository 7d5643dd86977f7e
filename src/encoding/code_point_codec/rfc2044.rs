//! Values in 1 to 6 bytes, as RFC 2044, section 2, has them: shortest form, no surrogates.

use super::ReadResult;
use crate::conversion_error::MalformedReason;

/// The first value of each length, from 2 bytes on.
const STEPS: [u32; 5] = [0x80, 0x800, 0x1_0000, 0x20_0000, 0x400_0000];

/// The high bits of the first byte, by length in bytes.
const LEADS: [u8; 7] = [0, 0, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC];

/// Reads one value at the start of `src`. An ill-formed sequence is the longest prefix of a
/// well-formed one, or else a single byte, as in UTF-8.
pub(in crate::encoding) fn take(src: &[u8], end: bool) -> ReadResult {
    let Some(&lead) = src.first() else { return ReadResult::NeedMore };
    let (len, low, high, below) = match lead {
        0x00..=0x7F => return ReadResult::CodePoint { value: u32::from(lead), len: 1 },
        0x80..=0xBF | 0xFE..=0xFF => {
            return ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte };
        }
        0xC0..=0xC1 => return ReadResult::Malformed { len: 1, reason: MalformedReason::Overlong },
        0xC2..=0xDF => (2, 0x80, 0xBF, MalformedReason::Overlong),
        0xE0 => (3, 0xA0, 0xBF, MalformedReason::Overlong),
        0xED => (3, 0x80, 0x9F, MalformedReason::Surrogate),
        0xE1..=0xEF => (3, 0x80, 0xBF, MalformedReason::Overlong),
        0xF0 => (4, 0x90, 0xBF, MalformedReason::Overlong),
        0xF1..=0xF7 => (4, 0x80, 0xBF, MalformedReason::Overlong),
        0xF8 => (5, 0x88, 0xBF, MalformedReason::Overlong),
        0xF9..=0xFB => (5, 0x80, 0xBF, MalformedReason::Overlong),
        0xFC => (6, 0x84, 0xBF, MalformedReason::Overlong),
        0xFD => (6, 0x80, 0xBF, MalformedReason::Overlong),
    };
    let mut value = u32::from(lead ^ LEADS[len]);
    for (index, &byte) in src[..src.len().min(len)].iter().enumerate().skip(1) {
        let why = match byte {
            0x80..=0xBF if index > 1 || (low..=high).contains(&byte) => {
                value = value << 6 | u32::from(byte & 0x3F);
                continue;
            }
            0x80..=0xBF => below,
            _ => MalformedReason::MissingTrailByte,
        };
        return ReadResult::Malformed { len: index, reason: why };
    }
    match src.len() {
        there if there >= len => ReadResult::CodePoint { value, len },
        there if end => ReadResult::Malformed { len: there, reason: MalformedReason::Truncated },
        _ => ReadResult::NeedMore,
    }
}

/// Writes a value up to 7FFFFFFF in 1 to 6 bytes; says how many, or nothing for want of space.
pub(in crate::encoding) fn put(value: u32, dst: &mut [u8]) -> Option<usize> {
    let len = 1 + STEPS.iter().filter(|first| value >= **first).count();
    let (lead, trails) = dst.get_mut(..len)?.split_first_mut()?;
    let mut rest = value;
    for byte in trails.iter_mut().rev() {
        *byte = 0x80 | (rest & 0x3F) as u8;
        rest >>= 6;
    }
    *lead = LEADS[len] | rest as u8;
    Some(len)
}
