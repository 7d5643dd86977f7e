//! Text to UTF-16.

use crate::kernel::from_text::{self, Encode, Near, Places, Target, from, octets};
use crate::kernel::simd::{self, Simd, WIDTH};

/// Encodes text at the front of `src` while `dst` has room to spare, with surrogate pairs if
/// `pairs`, else up to the first character that needs one. Says octets read and written.
pub fn encode(src: &str, dst: &mut [u8], big: bool, pairs: bool) -> (usize, usize) {
    let src = src.as_bytes();
    match (big, pairs) {
        (false, true) => simd::run(Encode::<Units<false, true>>::new(src, dst)),
        (false, false) => simd::run(Encode::<Units<false, false>>::new(src, dst)),
        (true, true) => simd::run(Encode::<Units<true, true>>::new(src, dst)),
        (true, false) => simd::run(Encode::<Units<true, false>>::new(src, dst)),
    }
}

/// Units of 16 bits, the high octet first if `BIG`.
pub(super) struct Units<const BIG: bool, const PAIRS: bool>;

impl<const BIG: bool, const PAIRS: bool> Units<BIG, PAIRS> {
    #[inline(always)]
    fn zip<S: Simd, const LAST: bool>(s: S, low: S::Bytes, high: S::Bytes) -> S::Bytes {
        let (a, b) = if BIG { (high, low) } else { (low, high) };
        Places::zip::<S, LAST>(s, a, b)
    }
}

impl<const BIG: bool, const PAIRS: bool> Target for Units<BIG, PAIRS> {
    const UNIT: usize = 2;
    const ROOM: usize = 3 * WIDTH;
    const LEAD: u8 = 0xF0;
    const LONG: usize = 2;

    #[inline(always)]
    fn long<S: Simd>(s: S, near: &Near) -> Option<Places<S::Bytes>> {
        PAIRS.then(|| long(s, near))
    }

    #[inline(always)]
    fn ascii<S: Simd>(s: S, octets: S::Bytes, room: &mut [u8]) {
        if let Some([first, last]) = room.as_chunks_mut().0.first_chunk_mut() {
            s.store(Self::zip::<S, false>(s, octets, s.splat8(0)), first);
            s.store(Self::zip::<S, true>(s, octets, s.splat8(0)), last);
        }
    }

    #[inline(always)]
    fn put<S: Simd, const LAST: bool>(s: S, places: Places<S::Bytes>, room: &mut [u8]) {
        if let Some(room) = room.first_chunk_mut() {
            let units = Self::zip::<S, LAST>(s, places.low, places.high);
            s.store(places.gather::<S, LAST>(s, units), room);
        }
    }
}

/// A character of four octets has its high surrogate at the third and its low one at the last.
/// Elsewhere in it nothing is set.
#[inline(always)]
fn long<S: Simd>(s: S, near: &Near) -> Places<S::Bytes> {
    let splat = |value| s.splat8(value);
    let (third, second, first) =
        (octets::<S, 0>(s, near), octets::<S, 1>(s, near), octets::<S, 2>(s, near));
    let last = octets::<S, 3>(s, near);
    let (is_low, is_high) = (from(s, third, 0xF0), from(s, second, 0xF0));

    // A low surrogate has the bits of the last two octets, as any other unit has.
    let plain = Places::short(s, near);
    let marked = s.or(s.and(from_text::middle(s, first), splat(0x03)), splat(0xDC));
    let high = s.select(is_low, marked, plain.high);

    // Bits 10 to 15 of the character, less the 1_0000 that a pair does without: C0 is D7C0's.
    let bits =
        s.or(s.and(s.up16::<2>(first), splat(0xFC)), s.and(s.down16::<4>(last), splat(0x03)));
    let carry = s.equal8(s.max8(bits, splat(0x40)), bits);
    let upper = s.sub8(s.sub8(second, splat(0xF0 - 0xD7)), carry);
    Places {
        low: s.select(is_high, s.add8(bits, splat(0xC0)), plain.low),
        high: s.select(is_high, upper, high),
        top: None,
        set: s.mask8(s.or(from_text::ends(s, near), is_high)),
    }
}
