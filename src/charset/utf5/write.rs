//! Writing UTF-5, in lines if so asked. The state is the number of octets on the line.

use super::{Eol, Utf5};

const HEADS: &[u8; 16] = b"GHIJKLMNOPQRSTUV";
const DIGITS: &[u8; 16] = b"0123456789ABCDEF";

impl Utf5 {
    /// Writes one character, and a line break in front of it if the line would get too long.
    /// A raw CR or LF, which `eol=keep` lets through, begins a line of its own accord.
    pub(super) fn write(&self, value: u32, dst: &mut [u8], column: &mut u64) -> Option<usize> {
        if self.eol == Eol::Keep && matches!(value, 0x0A | 0x0D) {
            *dst.first_mut()? = value as u8;
            *column = 0;
            return Some(1);
        }
        let full_stop = self.dns && value == u32::from(b'.');
        let digits = if full_stop { 1 } else { digits(value) };
        let breaks = *column > 0 && *column + digits as u64 > self.wrap;
        let mut sequence = dst.get_mut(..usize::from(breaks) + digits)?;
        if breaks {
            sequence[0] = b'\n';
            sequence = &mut sequence[1..];
            *column = 0;
        }
        if full_stop {
            sequence[0] = b'.';
        } else {
            spell(value, sequence);
        }
        *column += digits as u64;
        Some(usize::from(breaks) + digits)
    }
}

/// Hexadecimal digits of a value, at least one.
fn digits(value: u32) -> usize {
    value.checked_ilog2().map_or(1, |bit| bit as usize / 4 + 1)
}

/// Fills `dst` with the digits of a value, which are as many.
fn spell(value: u32, dst: &mut [u8]) {
    let mut rest = value;
    for octet in dst.iter_mut().rev() {
        *octet = DIGITS[(rest & 0xF) as usize];
        rest >>= 4;
    }
    let highest = value >> (4 * (dst.len() - 1));
    dst[0] = HEADS[(highest & 0xF) as usize];
}
