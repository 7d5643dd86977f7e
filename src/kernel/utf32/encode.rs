//! Text to UTF-32.

use crate::kernel::from_text::{self, Encode, Near, Places, Target, from, octets};
use crate::kernel::simd::{self, Simd, WIDTH};

/// Encodes text at the front of `src` while `dst` has room to spare. Says octets read and written.
pub fn encode(src: &str, dst: &mut [u8], big: bool) -> (usize, usize) {
    let src = src.as_bytes();
    if big {
        simd::run(Encode::<Values<true>>::new(src, dst))
    } else {
        simd::run(Encode::<Values<false>>::new(src, dst))
    }
}

/// Values of 32 bits, the highest octet first if `BIG`.
pub(super) struct Values<const BIG: bool>;

impl<const BIG: bool> Values<BIG> {
    /// Puts what is less significant first, or last.
    #[inline(always)]
    fn ordered<T>(low: T, high: T) -> [T; 2] {
        if BIG { [high, low] } else { [low, high] }
    }

    /// Writes eight values of which the lower and the upper 16 bits are given.
    #[inline(always)]
    fn store<S: Simd>(s: S, units: S::Bytes, tops: S::Bytes, room: &mut [u8]) {
        if let Some([first, last]) = room.as_chunks_mut().0.first_chunk_mut() {
            let [a, b] = Self::ordered(units, tops);
            s.store(s.zip_low16(a, b), first);
            s.store(s.zip_high16(a, b), last);
        }
    }
}

impl<const BIG: bool> Target for Values<BIG> {
    const UNIT: usize = 4;
    const ROOM: usize = 6 * WIDTH;
    const LEAD: u8 = 0xF0;
    const LONG: usize = 1;

    #[inline(always)]
    fn long<S: Simd>(s: S, near: &Near) -> Option<Places<S::Bytes>> {
        Some(long(s, near))
    }

    #[inline(always)]
    fn ascii<S: Simd>(s: S, octets: S::Bytes, room: &mut [u8]) {
        let nought = s.splat8(0);
        let [a, b] = Self::ordered(octets, nought);
        if let Some((first, last)) = room.split_at_mut_checked(2 * WIDTH) {
            Self::store(s, s.zip_low8(a, b), nought, first);
            Self::store(s, s.zip_high8(a, b), nought, last);
        }
    }

    #[inline(always)]
    fn put<S: Simd, const LAST: bool>(s: S, places: Places<S::Bytes>, room: &mut [u8]) {
        let nought = s.splat8(0);
        let [a, b] = Self::ordered(places.low, places.high);
        let units = places.gather::<S, LAST>(s, Places::zip::<S, LAST>(s, a, b));
        let tops = places.top.map_or(nought, |top| {
            let [a, b] = Self::ordered(top, nought);
            places.gather::<S, LAST>(s, Places::zip::<S, LAST>(s, a, b))
        });
        Self::store(s, units, tops, room);
    }
}

/// A character of four octets has its value at the last.
#[inline(always)]
fn long<S: Simd>(s: S, near: &Near) -> Places<S::Bytes> {
    let splat = |value| s.splat8(value);
    let (third, second, first) =
        (octets::<S, 0>(s, near), octets::<S, 1>(s, near), octets::<S, 2>(s, near));
    let last = octets::<S, 3>(s, near);
    let four = from(s, third, 0xF0);
    let three = s.or(from(s, second, 0xE0), four);
    let upper = s.select(three, s.and(s.up16::<4>(second), splat(0xF0)), splat(0));
    let lead = s.and(s.up16::<2>(third), splat(0x1C));
    let top = s.or(lead, s.and(s.down16::<4>(second), splat(0x03)));
    Places {
        low: from_text::low(s, first, last),
        high: s.select(last, s.or(upper, from_text::middle(s, first)), splat(0)),
        top: Some(s.select(four, top, splat(0))),
        set: s.mask8(from_text::ends(s, near)),
    }
}
