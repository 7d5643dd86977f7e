//! A tight loop from UTF-5 to text. It stops at what is no character, and where a step might not
//! see the end of one or not have the room.
//!
//! Measured with the command, against one character at a time: 3.5 times as fast for English,
//! twice for Russian and Chinese.

use super::read::Class;
use crate::charset::wide::octets;

/// Octets that a step looks at: eight pairs, and what stands behind them.
const NEAR: usize = 17;
/// Pairs in them.
const PAIRS: usize = 8;
/// Octets of the longest character.
const LONGEST: usize = 6;

/// Octets read and written; what stands in `dst` behind them is of no meaning.
pub(super) fn read(classes: &[Class; 256], mut src: &[u8], mut dst: &mut [u8]) -> (usize, usize) {
    let (there, room) = (src.len(), dst.len());
    while let Some(near) = src.first_chunk()
        && let Some(to) = dst.first_chunk_mut()
    {
        let (read, written) = match one(classes, near) {
            Some((0x10..=0x7F, _)) if is_ascii(near) => {
                *to = pairs(near);
                (2 * PAIRS, PAIRS)
            }
            Some((value, len)) => {
                let Some((octets, written)) = octets::text(value) else { break };
                to[..4].copy_from_slice(&octets);
                (len, written)
            }
            None => break,
        };
        src = &src[read..];
        dst = &mut dst[written..];
    }
    (there - src.len(), room - dst.len())
}

/// The value that stands first, and its octets, if it is in its shortest form.
#[inline(always)]
fn one(classes: &[Class; 256], near: &[u8; NEAR]) -> Option<(u32, usize)> {
    let class = |at: usize| classes[usize::from(near[at])];
    let Class::Head(first) = class(0) else { return None };
    let mut value = u32::from(first);
    for len in 1..=LONGEST {
        let Class::Digit(digit) = class(len) else { return Some((value, len)) };
        if first == 0 {
            return None;
        }
        value = value << 4 | u32::from(digit);
    }
    None
}

/// Whether all pairs are ASCII from U+0010 on, in capital letters.
#[inline(always)]
fn is_ascii(near: &[u8; NEAR]) -> bool {
    let mut others = u8::from(!matches!(near[2 * PAIRS], b'G'..=b'V'));
    for [head, digit] in near.as_chunks::<2>().0 {
        let is_letter = digit.wrapping_sub(b'A') < 6;
        let is_digit = is_letter | (digit.wrapping_sub(b'0') < 10);
        others |= u8::from(head.wrapping_sub(b'H') >= 7) | u8::from(!is_digit);
    }
    others == 0
}

/// The values of pairs, each a head and a digit.
#[inline(always)]
fn pairs(near: &[u8; NEAR]) -> [u8; PAIRS] {
    let mut values = [0; PAIRS];
    for (value, [head, digit]) in values.iter_mut().zip(near.as_chunks::<2>().0) {
        // The letters' low bits count from 1, so that A is 9 and 1.
        let low = (digit & 0xF) + 9 * (digit >> 6);
        *value = (head - b'G') << 4 | low;
    }
    values
}
