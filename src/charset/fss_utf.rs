//! FSS-UTF: UTF-8 as it was in RFC 2044 and RFC 2279, 1 to 6 octets for values up to 7FFFFFFF.
//!
//! Shortest form and no surrogates, as ever; but five and six octets are well-formed, and four go
//! beyond U+10FFFF. The first proposal of that name, of 1992, with 1 to 5 octets and ranges that
//! begin where the shorter one ends, is another format and is not known here.

#[cfg(test)]
mod tests;

use super::wide::{Form, Reader, Taken, UCS, Writer, octets, wide};
use super::{Charset, Made, Mark, Settings};
use crate::kernel;

/// The 31-bit UTF-8 of RFC 2044.
pub static FSS_UTF: Charset = Charset {
    name: "FSS-UTF",
    about: "31 bits in 1 to 6 octets, UTF-8 as first published (RFC 2044); not the draft of 1992",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(FssUtf)),
        encoder: |_: &Settings| Box::new(Writer::new(FssUtf)),
    },
    wide: wide(
        |_| true,
        |_: &Settings| Box::new(Reader::new(FssUtf)),
        |_: &Settings| Box::new(Writer::new(FssUtf)),
    ),
};

struct FssUtf;

impl Form for FssUtf {
    const WINDOW: usize = 6;

    fn highest(&self) -> u32 {
        UCS
    }

    /// All of UTF-8 is the same on both sides.
    fn read_run(&self, src: &[u8], dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let near = &src[..src.len().min(dst.len())];
        // The validator has a price of entry, which a run of faults should not pay each time.
        if !near.first().is_some_and(|lead| matches!(lead, 0x00..=0x7F | 0xC2..=0xF4)) {
            return (0, 0);
        }
        let valid = kernel::utf8::prefix(near);
        dst[..valid].copy_from_slice(&near[..valid]);
        (valid, valid)
    }

    fn write_run(&self, text: &str, dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let fits = text.floor_char_boundary(dst.len());
        dst[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        (fits, fits)
    }

    fn take(&self, src: &[u8], end: bool, _state: &mut u64) -> Taken {
        octets::take(src, end)
    }

    fn put(&self, value: u32, dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        octets::put(value, dst)
    }
}
