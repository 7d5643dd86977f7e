//! Writing UTF-5, in lines if so asked. The state is the number of octets on the line.

use super::{Eol, Utf5};
use crate::kernel::utf5::digits::{self, spell};

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
        let digits = if full_stop { 1 } else { digits::count(value) };
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
            sequence.copy_from_slice(&spell(value).0[..digits]);
        }
        *column += digits as u64;
        Some(usize::from(breaks) + digits)
    }
}
