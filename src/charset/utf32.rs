//! UTF-32 and UCS-4: a value in four octets, in one order or the other.
//!
//! UTF-32 goes up to U+10FFFF (Unicode 15, section 3.10), UCS-4 up to 7FFFFFFF (ISO/IEC
//! 10646-1:1993). Only the label `UTF-32` itself knows a byte order mark: one at the very
//! beginning is obeyed and dropped, without one the order is little-endian on every host, and the
//! first character written is led in by FF FE 00 00, so that no text makes no octets. Unicode D101
//! has unmarked UTF-32 in big-endian order; `UTF-32BE` says so outright. Bare `UCS-4` is
//! big-endian, and a mark there, as behind each label that names an order, is U+FEFF.

mod labels;
#[cfg(test)]
mod tests;

pub use labels::{UCS_4, UCS_4BE, UCS_4LE, UTF_32, UTF_32BE, UTF_32LE};

use super::Charset;
use super::wide::{Form, Reader, Taken, UCS, UNICODE};
use crate::codec::Decoder;
use crate::fault::Why;
use crate::kernel;

/// The order of the four octets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
    /// As a mark says, which is to come or has been seen; without one little-endian.
    Marked,
    /// The same, but without a mark big-endian.
    MarkedElseBig,
}

/// A decoder of the label that obeys a mark, which is big-endian where there is none.
pub(super) fn network_order(charset: &Charset) -> Option<Box<dyn Decoder>> {
    let quad = Quad { order: Order::MarkedElseBig, highest: UNICODE };
    (*charset == UTF_32).then(|| Box::new(Reader::new(quad)) as Box<dyn Decoder>)
}

/// Four octets in some order, up to some value.
struct Quad {
    order: Order,
    highest: u32,
}

const MARK: u32 = 0xFEFF;
/// The mark as it looks in the other order.
const SWAPPED_MARK: u32 = 0xFFFE_0000;

/// States of a marked order: nothing seen, or settled one way or the other.
const UNSETTLED: u64 = 0;
const SETTLED_LITTLE: u64 = 1;
const SETTLED_BIG: u64 = 2;

impl Form for Quad {
    const WINDOW: usize = 8;

    fn highest(&self) -> u32 {
        self.highest
    }

    fn read_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        match (self.order, *state) {
            (Order::Marked | Order::MarkedElseBig, UNSETTLED) => (0, 0),
            (Order::Big, _) | (_, SETTLED_BIG) => kernel::utf32::decode(src, dst, true),
            _ => kernel::utf32::decode(src, dst, false),
        }
    }

    fn write_run(&self, text: &str, dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        match (self.order, *state) {
            (Order::Marked, UNSETTLED) => (0, 0),
            (order, _) => kernel::utf32::encode(text, dst, order == Order::Big),
        }
    }

    fn take(&self, src: &[u8], end: bool, state: &mut u64) -> Taken {
        let Some(&quad) = src.first_chunk::<4>() else {
            return if end {
                Taken::Bad { len: src.len(), why: Why::Truncated }
            } else {
                Taken::More
            };
        };
        let little = u32::from_le_bytes(quad);
        let value = match (self.order, *state) {
            (Order::Little, _) => little,
            (Order::Big, _) | (_, SETTLED_BIG) => little.swap_bytes(),
            (_, UNSETTLED) => {
                // Whatever stands here, no later mark counts.
                let is_big = match little {
                    MARK => false,
                    SWAPPED_MARK => true,
                    _ => self.order == Order::MarkedElseBig,
                };
                *state = if is_big { SETTLED_BIG } else { SETTLED_LITTLE };
                if matches!(little, MARK | SWAPPED_MARK) {
                    return Taken::Nothing { len: 4 };
                }
                if is_big { little.swap_bytes() } else { little }
            }
            _ => little,
        };
        // Four octets of UCS-4 can hold the code of a surrogate; it is the others that cannot.
        if self.highest == UCS && matches!(value, 0xD800..=0xDFFF) {
            return Taken::Bad { len: 4, why: Why::SurrogateValue(value) };
        }
        Taken::Value { value, len: 4 }
    }

    fn put(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        if self.order == Order::Marked && *state == UNSETTLED {
            let (mark, room) = dst.get_mut(..8)?.split_at_mut(4);
            mark.copy_from_slice(&MARK.to_le_bytes());
            room.copy_from_slice(&value.to_le_bytes());
            *state = SETTLED_LITTLE;
            return Some(8);
        }
        *dst.first_chunk_mut()? = match self.order {
            Order::Big => value.to_be_bytes(),
            _ => value.to_le_bytes(),
        };
        Some(4)
    }
}
