//! Text to UTF-16.

use crate::kernel::simd::{self, Simd, WIDTH};
use crate::kernel::utf8_decode::{
    self, FromUtf8Kernel, InputWindow, UnitLanes, UnitSink, at_least, load_at,
};

/// Encodes text at the start of `src` while `dst` has space to spare, with surrogate pairs if
/// `pairs`, else up to the first character that needs one. Says bytes read and written.
pub fn encode(src: &str, dst: &mut [u8], big: bool, allow_pairs: bool) -> (usize, usize) {
    let src = src.as_bytes();
    match (big, allow_pairs) {
        (false, true) => simd::run(FromUtf8Kernel::<Utf16Sink<false, true>>::new(src, dst)),
        (false, false) => simd::run(FromUtf8Kernel::<Utf16Sink<false, false>>::new(src, dst)),
        (true, true) => simd::run(FromUtf8Kernel::<Utf16Sink<true, true>>::new(src, dst)),
        (true, false) => simd::run(FromUtf8Kernel::<Utf16Sink<true, false>>::new(src, dst)),
    }
}

/// Units of 16 bits, the high byte first if `BIG`.
pub(super) struct Utf16Sink<const BIG: bool, const PAIRS: bool>;

impl<const BIG: bool, const PAIRS: bool> Utf16Sink<BIG, PAIRS> {
    #[inline(always)]
    fn zip_ordered<S: Simd, const LAST: bool>(s: S, low: S::Bytes, high: S::Bytes) -> S::Bytes {
        let (a, b) = if BIG { (high, low) } else { (low, high) };
        UnitLanes::zip_half::<S, LAST>(s, a, b)
    }
}

impl<const BIG: bool, const PAIRS: bool> UnitSink for Utf16Sink<BIG, PAIRS> {
    const UNIT_LEN: usize = 2;
    const MAX_OUTPUT: usize = 3 * WIDTH;
    const STOP_LEAD: u8 = 0xF0;
    const LONG_UNITS: usize = 2;

    #[inline(always)]
    fn up_to_4_bytes<S: Simd>(s: S, input: &InputWindow) -> Option<UnitLanes<S::Bytes>> {
        PAIRS.then(|| surrogate_pair_lanes(s, input))
    }

    #[inline(always)]
    fn write_ascii<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8]) {
        if let Some([first, last]) = output.as_chunks_mut().0.first_chunk_mut() {
            s.store(Self::zip_ordered::<S, false>(s, bytes, s.splat8(0)), first);
            s.store(Self::zip_ordered::<S, true>(s, bytes, s.splat8(0)), last);
        }
    }

    #[inline(always)]
    fn write_half<S: Simd, const LAST: bool>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]) {
        if let Some(output) = output.first_chunk_mut() {
            let units = Self::zip_ordered::<S, LAST>(s, lanes.low, lanes.high);
            s.store(lanes.compress::<S, LAST>(s, units), output);
        }
    }
}

/// A character of four bytes has its high surrogate at the third and its low one at the last.
/// Elsewhere in it nothing is set.
#[inline(always)]
fn surrogate_pair_lanes<S: Simd>(s: S, input: &InputWindow) -> UnitLanes<S::Bytes> {
    let splat = |value| s.splat8(value);
    let (third, second, first) =
        (load_at::<S, 0>(s, input), load_at::<S, 1>(s, input), load_at::<S, 2>(s, input));
    let last = load_at::<S, 3>(s, input);
    let (is_low, is_high) = (at_least(s, third, 0xF0), at_least(s, second, 0xF0));

    // A low surrogate has the bits of the last two bytes, as any other unit has.
    let plain = UnitLanes::up_to_3_bytes(s, input);
    let marked = s.or(s.and(utf8_decode::middle_bits(s, first), splat(0x03)), splat(0xDC));
    let high = s.select(is_low, marked, plain.high);

    // Bits 10 to 15 of the character, less the 1_0000 that a pair does without: C0 is D7C0's.
    let bits =
        s.or(s.and(s.shl16::<2>(first), splat(0xFC)), s.and(s.shr16::<4>(last), splat(0x03)));
    let carry = s.eq8(s.max8(bits, splat(0x40)), bits);
    let upper = s.sub8(s.sub8(second, splat(0xF0 - 0xD7)), carry);
    UnitLanes {
        low: s.select(is_high, s.add8(bits, splat(0xC0)), plain.low),
        high: s.select(is_high, upper, high),
        top: None,
        mask: s.movemask8(s.or(utf8_decode::char_ends(s, input), is_high)),
    }
}
