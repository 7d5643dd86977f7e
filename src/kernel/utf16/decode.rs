//! UTF-16 to text.

use crate::kernel::simd::{self, Loop, Simd, WIDTH};
use crate::kernel::to_text::{self, ROOM};

/// Decodes well-formed units at the front of `src` while `dst` has room to spare; surrogates are
/// well-formed in pairs, if `pairs`, or else not at all. Says octets read and written.
pub fn decode(src: &[u8], dst: &mut [u8], big: bool, pairs: bool) -> (usize, usize) {
    match (big, pairs) {
        (false, true) => simd::run(Decode::<false, true> { src, dst }),
        (false, false) => simd::run(Decode::<false, false> { src, dst }),
        (true, true) => simd::run(Decode::<true, true> { src, dst }),
        (true, false) => simd::run(Decode::<true, false> { src, dst }),
    }
}

/// Units of 16 bits, the high octet first if `BIG`.
pub(super) struct Decode<'a, const BIG: bool, const PAIRS: bool> {
    pub(super) src: &'a [u8],
    pub(super) dst: &'a mut [u8],
}

/// Vectors that are ASCII or not together.
const GROUP: usize = 4;

impl<const BIG: bool, const PAIRS: bool> Loop for Decode<'_, BIG, PAIRS> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Decode { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        let mut before = s.splat8(0);
        let mut waiting = 0;
        'text: loop {
            // A high surrogate that waits is no ASCII, and what follows it must not be.
            if waiting == 0 {
                let plain = ascii::<S, BIG>(s, &src[read..], &mut dst[written..]);
                read += 2 * plain;
                written += plain;
            }
            for _ in 0..GROUP {
                let Some(octets) = src[read..].first_chunk() else { break 'text };
                let Some(room) = dst[written..].first_chunk_mut() else { break 'text };
                let units = load::<S, BIG>(s, octets);
                let Some(put) = block::<S, PAIRS>(s, before, units, &mut waiting, room) else {
                    break 'text;
                };
                before = units;
                read += WIDTH;
                written += put;
            }
        }
        // Two octets of a pair stand in both.
        (read - 2 * waiting as usize, written - 2 * waiting as usize)
    }
}

#[inline(always)]
fn load<S: Simd, const BIG: bool>(s: S, octets: &[u8; WIDTH]) -> S::Bytes {
    const SWAPPED: [u8; WIDTH] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];
    let units = s.load(octets);
    if BIG { s.shuffle8(units, s.load(&SWAPPED)) } else { units }
}

/// Decodes groups of vectors that are all ASCII; says how many units.
#[inline(always)]
fn ascii<S: Simd, const BIG: bool>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (vectors, _) = src.as_chunks::<WIDTH>();
    let (groups, _) = vectors.as_chunks::<GROUP>();
    let (halves, _) = dst.as_chunks_mut::<WIDTH>();
    let (rooms, _) = halves.as_chunks_mut::<2>();
    let mut read = 0;
    for ([a, b, c, d], [first, last]) in groups.iter().zip(rooms) {
        let (a, b) = (load::<S, BIG>(s, a), load::<S, BIG>(s, b));
        let (c, d) = (load::<S, BIG>(s, c), load::<S, BIG>(s, d));
        if !is_none(s, s.or(s.or(a, b), s.or(c, d)), 0xFF80) {
            break;
        }
        s.store(s.pack16(a, b), first);
        s.store(s.pack16(c, d), last);
        read += GROUP * WIDTH / 2;
    }
    read
}

/// Whether no unit has any of these bits.
#[inline(always)]
fn is_none<S: Simd>(s: S, units: S::Bytes, bits: u16) -> bool {
    s.mask8(s.equal8(s.and(units, s.splat16(bits)), s.splat8(0))) == 0xFFFF
}

/// Decodes a vector of units, if they are well-formed; says how many octets. `waiting` is 1 where a
/// high surrogate stands last, before and behind them.
#[inline(always)]
fn block<S: Simd, const PAIRS: bool>(
    s: S,
    before: S::Bytes,
    units: S::Bytes,
    waiting: &mut u32,
    room: &mut [u8; ROOM],
) -> Option<usize> {
    if *waiting == 0
        && let Some(put) = to_text::units(s, units, room)
    {
        return Some(put);
    }
    if !PAIRS {
        return None;
    }
    let surrogates = to_text::surrogates(s, units);
    let lows = s.equal16(s.and(units, s.splat16(0xFC00)), s.splat16(0xDC00));
    let low = s.mask8(lows);
    // Two bits a unit.
    let high = s.mask8(surrogates) & !low;
    if low != ((high << 2) | (3 * *waiting)) & 0xFFFF {
        return None;
    }
    *waiting = high >> 15;
    Some(to_text::pairs(s, before, units, surrogates, lows, room))
}
