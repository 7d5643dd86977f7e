//! FSS-UTF: UTF-8 as it was in RFC 2044 and RFC 2279, 1 to 6 bytes for values up to 7FFFFFFF.
//!
//! Shortest form and no surrogates, as ever; but five and six bytes are well-formed, and four go
//! beyond U+10FFFF. The first proposal of that name, of 1992, with 1 to 5 bytes and ranges that
//! begin where the shorter one ends, is another format and is not known here.

#[cfg(test)]
mod tests;

use super::code_point_codec::{
    CodePointFormat, FormatDecoder, FormatEncoder, MAX_UCS4, ReadResult, rfc2044, ucs4_codecs,
};
use super::{BomHandling, Encoding, EncodingOptions, FnFactory};
use crate::kernel;

/// The 31-bit UTF-8 of RFC 2044.
pub static FSS_UTF: Encoding = Encoding {
    name: "FSS-UTF",
    description: "31 bits in 1 to 6 bytes, UTF-8 as first published (RFC 2044); not the draft of 1992",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(FormatDecoder::new(FssUtfFormat)),
        encoder: |_: &EncodingOptions| Box::new(FormatEncoder::new(FssUtfFormat)),
    },
    ucs4: ucs4_codecs(
        |_| true,
        |_: &EncodingOptions| Box::new(FormatDecoder::new(FssUtfFormat)),
        |_: &EncodingOptions| Box::new(FormatEncoder::new(FssUtfFormat)),
    ),
};

struct FssUtfFormat;

impl CodePointFormat for FssUtfFormat {
    const MAX_LOOKAHEAD: usize = 6;

    fn max_value(&self) -> u32 {
        MAX_UCS4
    }

    /// All of UTF-8 is the same on both sides.
    fn decode_run(&self, src: &[u8], dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let near = &src[..src.len().min(dst.len())];
        // The validator has a price of entry, which a run of errors should not pay each time.
        if !near.first().is_some_and(|lead| matches!(lead, 0x00..=0x7F | 0xC2..=0xF4)) {
            return (0, 0);
        }
        let valid = kernel::utf8::valid_prefix_len(near);
        dst[..valid].copy_from_slice(&near[..valid]);
        (valid, valid)
    }

    fn encode_run(&self, text: &str, dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let fits = text.floor_char_boundary(dst.len());
        dst[..fits].copy_from_slice(&text.as_bytes()[..fits]);
        (fits, fits)
    }

    fn read_one(&self, src: &[u8], end: bool, _state: &mut u64) -> ReadResult {
        rfc2044::take(src, end)
    }

    fn write_one(&self, value: u32, dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        rfc2044::put(value, dst)
    }
}
