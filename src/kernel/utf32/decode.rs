//! UTF-32 to text.

use crate::kernel::simd::{self, Loop, Simd, WIDTH};
use crate::kernel::to_text::{self, ROOM};

/// Decodes scalar values at the front of `src` while `dst` has room to spare. Says octets read and
/// written.
pub fn decode(src: &[u8], dst: &mut [u8], big: bool) -> (usize, usize) {
    if big {
        simd::run(Decode::<true> { src, dst })
    } else {
        simd::run(Decode::<false> { src, dst })
    }
}

/// Values of 32 bits, the highest octet first if `BIG`.
pub(super) struct Decode<'a, const BIG: bool> {
    pub(super) src: &'a [u8],
    pub(super) dst: &'a mut [u8],
}

/// Octets of two vectors of values, which are as many as a vector of units.
const BLOCK: usize = 2 * WIDTH;

/// Blocks that are ASCII or not together.
const GROUP: usize = 2;

impl<const BIG: bool> Loop for Decode<'_, BIG> {
    type Answer = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Decode { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'text: loop {
            let plain = ascii::<S, BIG>(s, &src[read..], &mut dst[written..]);
            read += 4 * plain;
            written += plain;
            for _ in 0..GROUP {
                let Some(octets) = src[read..].first_chunk() else { break 'text };
                let Some(room) = dst[written..].first_chunk_mut() else { break 'text };
                let [a, b] = load::<S, BIG>(s, octets);
                let Some(put) = block(s, a, b, room) else { break 'text };
                read += BLOCK;
                written += put;
            }
        }
        (read, written)
    }
}

#[inline(always)]
fn load<S: Simd, const BIG: bool>(s: S, octets: &[u8; BLOCK]) -> [S::Bytes; 2] {
    const SWAPPED: [u8; WIDTH] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
    let [a, b] = octets.as_chunks().0 else { return [s.splat8(0); 2] };
    let (a, b) = (s.load(a), s.load(b));
    let swapped = s.load(&SWAPPED);
    if BIG { [s.shuffle8(a, swapped), s.shuffle8(b, swapped)] } else { [a, b] }
}

/// Decodes groups of vectors that are all ASCII; says how many values.
#[inline(always)]
fn ascii<S: Simd, const BIG: bool>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (blocks, _) = src.as_chunks::<BLOCK>();
    let (groups, _) = blocks.as_chunks::<GROUP>();
    let (rooms, _) = dst.as_chunks_mut::<WIDTH>();
    let mut read = 0;
    for ([first, last], room) in groups.iter().zip(rooms) {
        let ([a, b], [c, d]) = (load::<S, BIG>(s, first), load::<S, BIG>(s, last));
        if !is_none(s, s.or(s.or(a, b), s.or(c, d)), !0x7F) {
            break;
        }
        s.store(s.pack16(s.pack32(a, b), s.pack32(c, d)), room);
        read += GROUP * BLOCK / 4;
    }
    read
}

/// Whether no value has any of these bits.
#[inline(always)]
fn is_none<S: Simd>(s: S, values: S::Bytes, bits: u32) -> bool {
    s.mask8(s.equal8(s.and(values, s.splat32(bits)), s.splat8(0))) == 0xFFFF
}

/// Decodes eight values, if all are characters; says how many octets.
#[inline(always)]
fn block<S: Simd>(s: S, a: S::Bytes, b: S::Bytes, room: &mut [u8; ROOM]) -> Option<usize> {
    if is_none(s, s.or(a, b), 0xFFFF_0000) {
        return to_text::units(s, s.pack32(a, b), room);
    }
    let odd = s.or(no_character(s, a), no_character(s, b));
    // The highest bit of each value, in its last octet.
    (s.mask8(odd) & 0x8888 == 0).then(|| to_text::long(s, a, b, room))
}

/// The highest bit of each value that is a surrogate or beyond U+10FFFF.
#[inline(always)]
fn no_character<S: Simd>(s: S, values: S::Bytes) -> S::Bytes {
    let surrogates = s.equal32(s.and(values, s.splat32(0xFFFF_F800)), s.splat32(0xD800));
    let beyond = s.add32(values, s.splat32(0x7FFF_FFFF - 0x10_FFFF));
    s.or(surrogates, s.or(values, beyond))
}
