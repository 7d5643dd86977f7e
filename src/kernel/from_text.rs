//! UTF-8 to units of other encodings, 16 octets at a time and without a branch for a character.
//!
//! All that a character means is known at its last octet, from that and the three in front of it.
//! So a unit is worked out for each of 16 places, as if a character ended there, and then those
//! where one does are brought together. What the text is a mixture of is not asked, for that is
//! what a processor cannot foresee.
//!
//! UTF-16 takes one more unit at the third octet of four, the high surrogate.

use std::marker::PhantomData;

use super::gather;
use super::simd::{Loop, Simd, WIDTH};

/// Octets in front of a place that count there.
const BEFORE: usize = 3;

/// What a step looks at: 16 places, what counts in front of them, and what tells whether the last
/// one is an end.
pub type Near = [u8; BEFORE + WIDTH + 1];

/// The octets as many places behind those of a step, and `BEFORE` more.
#[inline(always)]
pub fn octets<S: Simd, const FROM: usize>(s: S, near: &Near) -> S::Bytes {
    s.load(near[FROM..].first_chunk().unwrap_or(&[0; WIDTH]))
}

/// What the units of 16 places are, in pieces of 8 bits.
#[derive(Debug, Clone, Copy)]
pub struct Places<B> {
    /// Bits 0 to 7.
    pub low: B,
    /// Bits 8 to 15.
    pub high: B,
    /// Bits 16 to 20, if a unit has any.
    pub top: Option<B>,
    /// The places that have a unit, the first one lowest.
    pub set: u32,
}

/// What text is encoded to.
pub trait Target {
    /// Octets of a unit.
    const UNIT: usize;

    /// Octets that a step may write, with what it writes too much.
    const ROOM: usize;

    /// The first octet of a character that [`Places::short`] does not do.
    const LEAD: u8;

    /// Units of a character of four octets.
    const LONG: usize;

    /// Units of places some of which belong to characters of four octets; nothing if there are no
    /// units for them.
    fn long<S: Simd>(s: S, near: &Near) -> Option<Places<S::Bytes>>;

    /// Writes 16 characters of ASCII.
    fn ascii<S: Simd>(s: S, octets: S::Bytes, room: &mut [u8]);

    /// Writes the units of 8 places, the first ones or the last ones, and anything behind them.
    fn put<S: Simd, const LAST: bool>(s: S, places: Places<S::Bytes>, room: &mut [u8]);
}

impl<B: Copy> Places<B> {
    /// Units of places that belong to characters of up to three octets.
    #[inline(always)]
    pub fn short<S: Simd<Bytes = B>>(s: S, near: &Near) -> Places<B> {
        let (second, first) = (octets::<S, 1>(s, near), octets::<S, 2>(s, near));
        let last = octets::<S, BEFORE>(s, near);
        // Nought but for the first octet of three.
        let three = s.up16::<4>(s.sub_to_nought8(second, s.splat8(0xE0)));
        let nought = s.splat8(0);
        Places {
            low: low(s, first, last),
            high: s.select(last, s.or(three, middle(s, first)), nought),
            top: None,
            set: s.mask8(ends(s, near)),
        }
    }

    /// The first 8 places of two vectors or the last ones, side by side.
    #[inline(always)]
    pub fn zip<S: Simd<Bytes = B>, const LAST: bool>(s: S, a: B, b: B) -> B {
        if LAST { s.zip_high8(a, b) } else { s.zip_low8(a, b) }
    }

    /// Brings together the units of the first 8 places or the last ones.
    #[inline(always)]
    pub fn gather<S: Simd<Bytes = B>, const LAST: bool>(self, s: S, units: B) -> B {
        gather::units(s, units, if LAST { self.set >> 8 } else { self.set })
    }
}

/// The lowest 8 bits where a character ends, from its last octet and the one in front of it.
#[inline(always)]
pub fn low<S: Simd>(s: S, first: S::Bytes, last: S::Bytes) -> S::Bytes {
    let bits = s.and(last, s.splat8(0x3F));
    s.select(last, s.or(bits, s.and(s.up16::<6>(first), s.splat8(0xC0))), last)
}

/// Bits 8 to 11 where a character of two octets or more ends, from its last octet but one.
#[inline(always)]
pub fn middle<S: Simd>(s: S, first: S::Bytes) -> S::Bytes {
    s.and(s.down16::<2>(first), s.splat8(0x0F))
}

/// The places where a character ends: no other octet of it follows.
#[inline(always)]
pub fn ends<S: Simd>(s: S, near: &Near) -> S::Bytes {
    s.greater_signed8(octets::<S, { BEFORE + 1 }>(s, near), s.splat8(0xBF))
}

/// Whether octets are this one or above it, as the highest bit of each. From 80 on.
#[inline(always)]
pub fn from<S: Simd>(s: S, octets: S::Bytes, limit: u8) -> S::Bytes {
    s.sub_to_nought8(octets, s.splat8(limit - 0x80))
}

/// Encodes text as far as there is room to spare, up to a character that the target has not.
pub struct Encode<'a, T> {
    src: &'a [u8],
    dst: &'a mut [u8],
    target: PhantomData<T>,
}

impl<'a, T> Encode<'a, T> {
    /// `src` is UTF-8.
    pub const fn new(src: &'a [u8], dst: &'a mut [u8]) -> Self {
        Encode { src, dst, target: PhantomData }
    }
}

/// Vectors that are ASCII or not together.
pub const GROUP: usize = 4;

impl<T: Target> Loop for Encode<'_, T> {
    /// Octets read and written, whole characters.
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Encode { src, dst, .. } = self;
        let mut near = [0; BEFORE + WIDTH + 1];
        let Some(front) = src.first_chunk::<{ WIDTH + 1 }>() else { return (0, 0) };
        near[BEFORE..].copy_from_slice(front);
        let Some(mut written) = step::<S, T>(s, &near, dst) else { return (0, 0) };
        let mut read = WIDTH;
        'text: loop {
            let plain = ascii::<S, T>(s, &src[read..], &mut dst[written..]);
            read += plain;
            written += T::UNIT * plain;
            for _ in 0..GROUP {
                let Some(near) = src[read - BEFORE..].first_chunk() else { break 'text };
                let Some(put) = step::<S, T>(s, near, &mut dst[written..]) else { break 'text };
                read += WIDTH;
                written += put;
            }
        }
        let (back, unwritten) = unfinished::<T>(src, read);
        (read - back, written - unwritten)
    }
}

/// Encodes groups of vectors that are all ASCII; says how many octets.
#[inline(always)]
pub fn ascii<S: Simd, T: Target>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (vectors, _) = src.as_chunks::<WIDTH>();
    let (groups, _) = vectors.as_chunks::<GROUP>();
    let mut read = 0;
    for (group, room) in groups.iter().zip(dst.chunks_exact_mut(T::UNIT * GROUP * WIDTH)) {
        let [a, b, c, d] =
            [s.load(&group[0]), s.load(&group[1]), s.load(&group[2]), s.load(&group[3])];
        if s.mask8(s.or(s.or(a, b), s.or(c, d))) != 0 {
            break;
        }
        let size = T::UNIT * WIDTH;
        T::ascii(s, a, &mut room[..size]);
        T::ascii(s, b, &mut room[size..2 * size]);
        T::ascii(s, c, &mut room[2 * size..3 * size]);
        T::ascii(s, d, &mut room[3 * size..4 * size]);
        read += GROUP * WIDTH;
    }
    read
}

/// Encodes what ends at 16 places; how many octets that makes.
#[inline(always)]
fn step<S: Simd, T: Target>(s: S, near: &Near, dst: &mut [u8]) -> Option<usize> {
    let room = dst.get_mut(..T::ROOM)?;
    let (third, last) = (octets::<S, 0>(s, near), octets::<S, BEFORE>(s, near));
    if s.mask8(from(s, s.max8(third, last), T::LEAD)) == 0 {
        Some(write::<S, T>(s, Places::short(s, near), room))
    } else {
        Some(write::<S, T>(s, T::long(s, near)?, room))
    }
}

#[inline(always)]
fn write<S: Simd, T: Target>(s: S, places: Places<S::Bytes>, room: &mut [u8]) -> usize {
    let first = T::UNIT * (places.set & 0xFF).count_ones() as usize;
    T::put::<S, false>(s, places, room);
    T::put::<S, true>(s, places, &mut room[first..]);
    first + T::UNIT * (places.set >> 8).count_ones() as usize
}

/// The octets of a character that is not at its end, and what has been written of it.
fn unfinished<T: Target>(src: &[u8], read: usize) -> (usize, usize) {
    let is_trail = |octet: &u8| octet & 0xC0 == 0x80;
    if !src.get(read).is_some_and(is_trail) {
        return (0, 0);
    }
    let back = 1 + src[..read].iter().rev().take_while(|octet| is_trail(octet)).count();
    (back, if back == BEFORE { T::UNIT * (T::LONG - 1) } else { 0 })
}
