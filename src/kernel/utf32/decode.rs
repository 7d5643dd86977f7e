//! UTF-32 to text.

use crate::kernel::simd::{self, Kernel, Simd, WIDTH};
use crate::kernel::utf8_encode::{self, MAX_ENCODED_LEN};

/// Decodes scalar values at the start of `src` while `dst` has space to spare. Says bytes read and
/// written.
pub fn decode(src: &[u8], dst: &mut [u8], big: bool) -> (usize, usize) {
    if big {
        simd::run(Utf32DecodeKernel::<true> { src, dst })
    } else {
        simd::run(Utf32DecodeKernel::<false> { src, dst })
    }
}

/// Values of 32 bits, the highest byte first if `BIG`.
pub(super) struct Utf32DecodeKernel<'a, const BIG: bool> {
    pub(super) src: &'a [u8],
    pub(super) dst: &'a mut [u8],
}

/// Bytes of two vectors of values, which are as many as a vector of units.
const BLOCK_LEN: usize = 2 * WIDTH;

/// Blocks that are ASCII or not together.
const ASCII_GROUP_BLOCKS: usize = 2;

impl<const BIG: bool> Kernel for Utf32DecodeKernel<'_, BIG> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let Utf32DecodeKernel { src, dst } = self;
        let (mut read, mut written) = (0, 0);
        'text: loop {
            let plain = decode_ascii::<S, BIG>(s, &src[read..], &mut dst[written..]);
            read += 4 * plain;
            written += plain;
            for _ in 0..ASCII_GROUP_BLOCKS {
                let Some(bytes) = src[read..].first_chunk() else { break 'text };
                let Some(output) = dst[written..].first_chunk_mut() else { break 'text };
                let [a, b] = load_values::<S, BIG>(s, bytes);
                let Some(put) = decode_block(s, a, b, output) else { break 'text };
                read += BLOCK_LEN;
                written += put;
            }
        }
        (read, written)
    }
}

#[inline(always)]
fn load_values<S: Simd, const BIG: bool>(s: S, bytes: &[u8; BLOCK_LEN]) -> [S::Bytes; 2] {
    const BYTE_SWAP: [u8; WIDTH] = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12];
    let [a, b] = bytes.as_chunks().0 else { return [s.splat8(0); 2] };
    let (a, b) = (s.load(a), s.load(b));
    let swapped = s.load(&BYTE_SWAP);
    if BIG { [s.shuffle8(a, swapped), s.shuffle8(b, swapped)] } else { [a, b] }
}

/// Decodes groups of vectors that are all ASCII; says how many values.
#[inline(always)]
fn decode_ascii<S: Simd, const BIG: bool>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (blocks, _) = src.as_chunks::<BLOCK_LEN>();
    let (groups, _) = blocks.as_chunks::<ASCII_GROUP_BLOCKS>();
    let (outputs, _) = dst.as_chunks_mut::<WIDTH>();
    let mut read = 0;
    for ([first, last], output) in groups.iter().zip(outputs) {
        let ([a, b], [c, d]) = (load_values::<S, BIG>(s, first), load_values::<S, BIG>(s, last));
        if !are_clear(s, s.or(s.or(a, b), s.or(c, d)), !0x7F) {
            break;
        }
        s.store(s.narrow16(s.narrow32(a, b), s.narrow32(c, d)), output);
        read += ASCII_GROUP_BLOCKS * BLOCK_LEN / 4;
    }
    read
}

/// Whether no value has any of these bits.
#[inline(always)]
fn are_clear<S: Simd>(s: S, values: S::Bytes, bits: u32) -> bool {
    s.movemask8(s.eq8(s.and(values, s.splat32(bits)), s.splat8(0))) == 0xFFFF
}

/// Decodes eight values, if all are characters; says how many bytes.
#[inline(always)]
fn decode_block<S: Simd>(
    s: S,
    a: S::Bytes,
    b: S::Bytes,
    output: &mut [u8; MAX_ENCODED_LEN],
) -> Option<usize> {
    if are_clear(s, s.or(a, b), 0xFFFF_0000) {
        return utf8_encode::encode_units(s, s.narrow32(a, b), output);
    }
    let odd = s.or(not_scalar_value(s, a), not_scalar_value(s, b));
    // The highest bit of each value, in its last byte.
    (s.movemask8(odd) & 0x8888 == 0).then(|| utf8_encode::encode_u32(s, a, b, output))
}

/// The highest bit of each value that is a surrogate or beyond U+10FFFF.
#[inline(always)]
fn not_scalar_value<S: Simd>(s: S, values: S::Bytes) -> S::Bytes {
    let surrogates = s.eq32(s.and(values, s.splat32(0xFFFF_F800)), s.splat32(0xD800));
    let beyond = s.add32(values, s.splat32(0x7FFF_FFFF - 0x10_FFFF));
    s.or(surrogates, s.or(values, beyond))
}
