//! UTF-16 to text.

use crate::kernel::simd::{self, Kernel, Simd, WIDTH};
use crate::kernel::utf8_encode::{self, MAX_ENCODED_LEN};

/// Decodes well-formed units at the start of `src` while `dst` has space to spare; surrogates are
/// well-formed in pairs, if `pairs`, or else not at all. Says bytes read and written.
pub fn decode(src: &[u8], dst: &mut [u8], big: bool, allow_pairs: bool) -> (usize, usize) {
    match (big, allow_pairs) {
        (false, true) => simd::run(Utf16DecodeKernel::<false, true> { src, dst }),
        (false, false) => simd::run(Utf16DecodeKernel::<false, false> { src, dst }),
        (true, true) => simd::run(Utf16DecodeKernel::<true, true> { src, dst }),
        (true, false) => simd::run(Utf16DecodeKernel::<true, false> { src, dst }),
    }
}

/// Units of 16 bits, the high byte first if `BIG`.
pub(super) struct Utf16DecodeKernel<'a, const BIG: bool, const PAIRS: bool> {
    pub(super) src: &'a [u8],
    pub(super) dst: &'a mut [u8],
}

/// Vectors that are ASCII or not together.
const ASCII_GROUP_VECTORS: usize = 4;

impl<const BIG: bool, const PAIRS: bool> Kernel for Utf16DecodeKernel<'_, BIG, PAIRS> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Utf16DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        let mut before = s.splat8(0);
        let mut waiting = 0;
        'text: loop {
            // A high surrogate that waits is no ASCII, and what follows it must not be.
            if waiting == 0 {
                let plain = decode_ascii::<S, BIG>(s, &src[read..], &mut dst[written..]);
                read += 2 * plain;
                written += plain;
            }
            for _ in 0..ASCII_GROUP_VECTORS {
                let Some(bytes) = src[read..].first_chunk() else { break 'text };
                let Some(output) = dst[written..].first_chunk_mut() else { break 'text };
                let units = load_units::<S, BIG>(s, bytes);
                let Some(put) = decode_vector::<S, PAIRS>(s, before, units, &mut waiting, output)
                else {
                    break 'text;
                };
                before = units;
                read += WIDTH;
                written += put;
            }
        }
        // Two bytes of a pair stand in both.
        (read - 2 * waiting as usize, written - 2 * waiting as usize)
    }
}

#[inline(always)]
fn load_units<S: Simd, const BIG: bool>(s: S, bytes: &[u8; WIDTH]) -> S::Bytes {
    const BYTE_SWAP: [u8; WIDTH] = [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14];
    let units = s.load(bytes);
    if BIG { s.shuffle8(units, s.load(&BYTE_SWAP)) } else { units }
}

/// Decodes groups of vectors that are all ASCII; says how many units.
#[inline(always)]
fn decode_ascii<S: Simd, const BIG: bool>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (vectors, _) = src.as_chunks::<WIDTH>();
    let (groups, _) = vectors.as_chunks::<ASCII_GROUP_VECTORS>();
    let (halves, _) = dst.as_chunks_mut::<WIDTH>();
    let (outputs, _) = halves.as_chunks_mut::<2>();
    let mut read = 0;
    for ([a, b, c, d], [first, last]) in groups.iter().zip(outputs) {
        let (a, b) = (load_units::<S, BIG>(s, a), load_units::<S, BIG>(s, b));
        let (c, d) = (load_units::<S, BIG>(s, c), load_units::<S, BIG>(s, d));
        if !are_clear(s, s.or(s.or(a, b), s.or(c, d)), 0xFF80) {
            break;
        }
        s.store(s.narrow16(a, b), first);
        s.store(s.narrow16(c, d), last);
        read += ASCII_GROUP_VECTORS * WIDTH / 2;
    }
    read
}

/// Whether no unit has any of these bits.
#[inline(always)]
fn are_clear<S: Simd>(s: S, units: S::Bytes, bits: u16) -> bool {
    s.movemask8(s.eq8(s.and(units, s.splat16(bits)), s.splat8(0))) == 0xFFFF
}

/// Decodes a vector of units, if they are well-formed; says how many bytes. `waiting` is 1 where a
/// high surrogate stands last, before and after them.
#[inline(always)]
fn decode_vector<S: Simd, const PAIRS: bool>(
    s: S,
    previous: S::Bytes,
    units: S::Bytes,
    waiting: &mut u32,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> Option<usize> {
    if *waiting == 0
        && let Some(put) = utf8_encode::encode_units(s, units, output)
    {
        return Some(put);
    }
    if !PAIRS {
        return None;
    }
    let surrogates = utf8_encode::surrogate_mask(s, units);
    let lows = s.eq16(s.and(units, s.splat16(0xFC00)), s.splat16(0xDC00));
    let low = s.movemask8(lows);
    // Two bits a unit.
    let high = s.movemask8(surrogates) & !low;
    if low != ((high << 2) | (3 * *waiting)) & 0xFFFF {
        return None;
    }
    *waiting = high >> 15;
    Some(utf8_encode::encode_surrogate_pairs(s, previous, units, surrogates, lows, output))
}
