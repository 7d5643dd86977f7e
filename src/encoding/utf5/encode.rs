//! Writing UTF-5, in lines if so asked. The state is the number of bytes on the line.

use super::{Eol, Utf5Format};
use crate::kernel::utf5::{self, encode_hex};

impl Utf5Format {
    /// Writes one character, and a line break before it if the line would get too long.
    /// A raw CR or LF, which `eol=keep` lets through, begins a line of its own accord.
    pub(super) fn encode_one(&self, value: u32, dst: &mut [u8], column: &mut u64) -> Option<usize> {
        if self.eol == Eol::Keep && matches!(value, 0x0A | 0x0D) {
            *dst.first_mut()? = value as u8;
            *column = 0;
            return Some(1);
        }
        let full_stop = self.dns && value == u32::from(b'.');
        let digit_count = if full_stop { 1 } else { utf5::digit_count(value) };
        let breaks = *column > 0 && *column + digit_count as u64 > self.max_line_len;
        let mut sequence = dst.get_mut(..usize::from(breaks) + digit_count)?;
        if breaks {
            sequence[0] = b'\n';
            sequence = &mut sequence[1..];
            *column = 0;
        }
        if full_stop {
            sequence[0] = b'.';
        } else {
            sequence.copy_from_slice(&encode_hex(value).0[..digit_count]);
        }
        *column += digit_count as u64;
        Some(usize::from(breaks) + digit_count)
    }
}
