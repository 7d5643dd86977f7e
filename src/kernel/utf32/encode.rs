//! Text to UTF-32.

use crate::kernel::simd::{self, Simd, WIDTH};
use crate::kernel::utf8_decode::{
    self, FromUtf8Kernel, InputWindow, UnitLanes, UnitSink, at_least, load_at,
};

/// Encodes text at the start of `src` while `dst` has space to spare. Says bytes read and written.
pub fn encode(src: &str, dst: &mut [u8], big: bool) -> (usize, usize) {
    let src = src.as_bytes();
    if big {
        simd::run(FromUtf8Kernel::<Utf32Sink<true>>::new(src, dst))
    } else {
        simd::run(FromUtf8Kernel::<Utf32Sink<false>>::new(src, dst))
    }
}

/// Values of 32 bits, the highest byte first if `BIG`.
pub(super) struct Utf32Sink<const BIG: bool>;

impl<const BIG: bool> Utf32Sink<BIG> {
    /// Puts what is less significant first, or last.
    #[inline(always)]
    fn ordered<T>(low: T, high: T) -> [T; 2] {
        if BIG { [high, low] } else { [low, high] }
    }

    /// Writes eight values of which the lower and the upper 16 bits are given.
    #[inline(always)]
    fn store_values<S: Simd>(s: S, units: S::Bytes, tops: S::Bytes, output: &mut [u8]) {
        if let Some([first, last]) = output.as_chunks_mut().0.first_chunk_mut() {
            let [a, b] = Self::ordered(units, tops);
            s.store(s.zip_low16(a, b), first);
            s.store(s.zip_high16(a, b), last);
        }
    }
}

impl<const BIG: bool> UnitSink for Utf32Sink<BIG> {
    const UNIT_LEN: usize = 4;
    const MAX_OUTPUT: usize = 6 * WIDTH;
    const STOP_LEAD: u8 = 0xF0;
    const LONG_UNITS: usize = 1;

    #[inline(always)]
    fn up_to_4_bytes<S: Simd>(s: S, input: &InputWindow) -> Option<UnitLanes<S::Bytes>> {
        Some(scalar_value_lanes(s, input))
    }

    #[inline(always)]
    fn write_ascii<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8]) {
        let zero = s.splat8(0);
        let [a, b] = Self::ordered(bytes, zero);
        if let Some((first, last)) = output.split_at_mut_checked(2 * WIDTH) {
            Self::store_values(s, s.zip_low8(a, b), zero, first);
            Self::store_values(s, s.zip_high8(a, b), zero, last);
        }
    }

    #[inline(always)]
    fn write_half<S: Simd, const LAST: bool>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]) {
        let zero = s.splat8(0);
        let [a, b] = Self::ordered(lanes.low, lanes.high);
        let units = lanes.compress::<S, LAST>(s, UnitLanes::zip_half::<S, LAST>(s, a, b));
        let tops = lanes.top.map_or(zero, |top| {
            let [a, b] = Self::ordered(top, zero);
            lanes.compress::<S, LAST>(s, UnitLanes::zip_half::<S, LAST>(s, a, b))
        });
        Self::store_values(s, units, tops, output);
    }
}

/// A character of four bytes has its value at the last.
#[inline(always)]
fn scalar_value_lanes<S: Simd>(s: S, input: &InputWindow) -> UnitLanes<S::Bytes> {
    let splat = |value| s.splat8(value);
    let (third, second, first) =
        (load_at::<S, 0>(s, input), load_at::<S, 1>(s, input), load_at::<S, 2>(s, input));
    let last = load_at::<S, 3>(s, input);
    let four = at_least(s, third, 0xF0);
    let three = s.or(at_least(s, second, 0xE0), four);
    let upper = s.select(three, s.and(s.shl16::<4>(second), splat(0xF0)), splat(0));
    let lead = s.and(s.shl16::<2>(third), splat(0x1C));
    let top = s.or(lead, s.and(s.shr16::<4>(second), splat(0x03)));
    UnitLanes {
        low: utf8_decode::low_bits(s, first, last),
        high: s.select(last, s.or(upper, utf8_decode::middle_bits(s, first)), splat(0)),
        top: Some(s.select(four, top, splat(0))),
        mask: s.movemask8(utf8_decode::char_ends(s, input)),
    }
}
