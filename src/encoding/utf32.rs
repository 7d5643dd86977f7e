//! UTF-32 and UCS-4: a value in four bytes, in one order or the other.
//!
//! UTF-32 goes up to U+10FFFF (Unicode 15, section 3.10), UCS-4 up to 7FFFFFFF (ISO/IEC
//! 10646-1:1993). Only the label `UTF-32` itself knows a byte order mark: one at the very
//! beginning is obeyed and dropped, without one the order is little-endian on every host, and the
//! first character written is led in by FF FE 00 00, so that no text makes no bytes. Unicode D101
//! has unmarked UTF-32 in big-endian order; `UTF-32BE` says so outright. Bare `UCS-4` is
//! big-endian, and a mark there, as after each label that names an order, is U+FEFF.

mod labels;
#[cfg(test)]
mod tests;

pub use labels::{UCS_4, UCS_4BE, UCS_4LE, UTF_32, UTF_32BE, UTF_32LE};

use super::Encoding;
use super::code_point_codec::{CodePointFormat, FormatDecoder, MAX_UCS4, MAX_UNICODE, ReadResult};
use crate::codec::Decoder;
use crate::conversion_error::MalformedReason;
use crate::kernel;

/// The order of the four bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf32ByteOrder {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
    /// As a mark says, which is to come or has been seen; without one little-endian.
    BomOrLittle,
    /// The same, but without a mark big-endian.
    BomOrBig,
}

/// A decoder of the label that obeys a mark, which is big-endian where there is none.
pub(super) fn network_order_decoder(encoding: &Encoding) -> Option<Box<dyn Decoder>> {
    let quad = Utf32Format { byte_order: Utf32ByteOrder::BomOrBig, max_value: MAX_UNICODE };
    (*encoding == UTF_32).then(|| Box::new(FormatDecoder::new(quad)) as Box<dyn Decoder>)
}

/// Four bytes in some order, up to some value.
struct Utf32Format {
    byte_order: Utf32ByteOrder,
    max_value: u32,
}

const BOM: u32 = 0xFEFF;
/// The mark as it looks in the other order.
const SWAPPED_BOM: u32 = 0xFFFE_0000;

/// States of a marked order: nothing seen, or settled one way or the other.
const ORDER_UNKNOWN: u64 = 0;
const LITTLE_ENDIAN: u64 = 1;
const BIG_ENDIAN: u64 = 2;

impl CodePointFormat for Utf32Format {
    const MAX_LOOKAHEAD: usize = 8;

    fn max_value(&self) -> u32 {
        self.max_value
    }

    fn decode_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        match (self.byte_order, *state) {
            (Utf32ByteOrder::BomOrLittle | Utf32ByteOrder::BomOrBig, ORDER_UNKNOWN) => (0, 0),
            (Utf32ByteOrder::Big, _) | (_, BIG_ENDIAN) => kernel::utf32::decode(src, dst, true),
            _ => kernel::utf32::decode(src, dst, false),
        }
    }

    fn encode_run(&self, text: &str, dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        match (self.byte_order, *state) {
            (Utf32ByteOrder::BomOrLittle, ORDER_UNKNOWN) => (0, 0),
            (order, _) => kernel::utf32::encode(text, dst, order == Utf32ByteOrder::Big),
        }
    }

    fn read_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult {
        let Some(&quad) = src.first_chunk::<4>() else {
            return if end {
                ReadResult::Malformed { len: src.len(), reason: MalformedReason::Truncated }
            } else {
                ReadResult::NeedMore
            };
        };
        let little = u32::from_le_bytes(quad);
        let value = match (self.byte_order, *state) {
            (Utf32ByteOrder::Little, _) => little,
            (Utf32ByteOrder::Big, _) | (_, BIG_ENDIAN) => little.swap_bytes(),
            (_, ORDER_UNKNOWN) => {
                // Whatever stands here, no later mark counts.
                let is_big = match little {
                    BOM => false,
                    SWAPPED_BOM => true,
                    _ => self.byte_order == Utf32ByteOrder::BomOrBig,
                };
                *state = if is_big { BIG_ENDIAN } else { LITTLE_ENDIAN };
                if matches!(little, BOM | SWAPPED_BOM) {
                    return ReadResult::Skip { len: 4 };
                }
                if is_big { little.swap_bytes() } else { little }
            }
            _ => little,
        };
        // Four bytes of UCS-4 can hold the code of a surrogate; it is the others that cannot.
        if self.max_value == MAX_UCS4 && matches!(value, 0xD800..=0xDFFF) {
            return ReadResult::Malformed {
                len: 4,
                reason: MalformedReason::SurrogateCodePoint(value),
            };
        }
        ReadResult::CodePoint { value, len: 4 }
    }

    fn write_one(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        if self.byte_order == Utf32ByteOrder::BomOrLittle && *state == ORDER_UNKNOWN {
            let (mark, output) = dst.get_mut(..8)?.split_at_mut(4);
            mark.copy_from_slice(&BOM.to_le_bytes());
            output.copy_from_slice(&value.to_le_bytes());
            *state = LITTLE_ENDIAN;
            return Some(8);
        }
        *dst.first_chunk_mut()? = match self.byte_order {
            Utf32ByteOrder::Big => value.to_be_bytes(),
            _ => value.to_le_bytes(),
        };
        Some(4)
    }
}
