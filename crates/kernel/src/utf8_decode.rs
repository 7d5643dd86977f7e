//! UTF-8 to other encodings, 16 bytes at a time and without a branch per character.
//!
//! The value of a character is known at its last byte, from that byte and the three before it. A
//! step computes a code unit for each of 16 positions, as if a character ended there, and then
//! keeps those where one does. It does not test which lengths the characters have, because branches
//! on them are mispredicted in mixed text.
//!
//! UTF-16 has one more code unit at the third byte of a four-byte character: the high surrogate.

use std::marker::PhantomData;

use super::compress;
use super::simd::{AsArrays, Kernel, Simd, WIDTH, WideSimd};
use super::utf8_decode_wide::{self, WideBlock, WideUnits};

/// The number of bytes before a position on which its code unit depends.
pub const CONTEXT: usize = 3;

/// The input of a step: 16 positions, the bytes before them, and one byte after them, which shows
/// whether a character ends at the last position.
pub type InputWindow = [u8; CONTEXT + WIDTH + 1];

/// Loads the bytes at an offset of `FROM - CONTEXT` from the positions of a step.
#[inline(always)]
pub fn load_at<S: Simd, const FROM: usize>(s: S, input: &InputWindow) -> S::Bytes {
    s.load(input[FROM..].first_chunk().unwrap_or(&[0; WIDTH]))
}

/// The code units of 16 positions, in parts of 8 bits.
#[derive(Debug, Clone, Copy)]
pub struct UnitLanes<B> {
    /// Bits 0 to 7.
    pub low: B,
    /// Bits 8 to 15.
    pub high: B,
    /// Bits 16 to 20, if a code unit has any.
    pub top: Option<B>,
    /// A bit for each position that has a code unit, the first position lowest.
    pub mask: u32,
}

/// A target encoding of the branch-free UTF-8 decoder.
pub trait UnitSink {
    /// The number of bytes in a code unit.
    const UNIT_LEN: usize;

    /// The output capacity that a step needs, including bytes that the next step overwrites.
    const MAX_OUTPUT: usize;

    /// The lowest lead byte of a character that [`UnitLanes::up_to_3_bytes`] cannot decode for this
    /// target.
    const STOP_LEAD: u8;

    /// The number of code units of a four-byte character.
    const LONG_UNITS: usize;

    /// Returns the code units of positions with four-byte characters among them, or `None` if the
    /// target cannot encode those.
    fn up_to_4_bytes<S: Simd>(s: S, input: &InputWindow) -> Option<UnitLanes<S::Bytes>>;

    /// Writes 16 ASCII characters.
    fn write_ascii<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8]);

    /// Writes the code units of the first or the last 8 positions. May overwrite bytes after them.
    fn write_half<S: Simd, const LAST: bool>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]);

    /// Returns the code units of a block with four-byte characters, or `None` if the target cannot
    /// encode those.
    fn wide_up_to_4_bytes<W: WideSimd>(
        w: W,
        block: &WideBlock<W::Bytes>,
    ) -> Option<WideUnits<W::Bytes>>;

    /// Writes 64 ASCII characters.
    fn write_wide_ascii<W: WideSimd>(w: W, bytes: W::Bytes, output: &mut [u8]);

    /// Writes the code units of a block. May overwrite bytes after them, up to 64 code units.
    fn write_wide<W: WideSimd>(w: W, units: WideUnits<W::Bytes>, output: &mut [u8]);
}

impl<B: Copy> UnitLanes<B> {
    /// Returns the code units of positions where all characters have up to three bytes.
    #[inline(always)]
    pub fn up_to_3_bytes<S: Simd<Bytes = B>>(s: S, input: &InputWindow) -> UnitLanes<B> {
        let (second, first) = (load_at::<S, 1>(s, input), load_at::<S, 2>(s, input));
        let last = load_at::<S, CONTEXT>(s, input);
        // Zero except for the lead byte of three.
        let three = s.shl16::<4>(s.saturating_sub8(second, s.splat8(0xE0)));
        let zero = s.splat8(0);
        UnitLanes {
            low: low_bits(s, first, last),
            high: s.select(last, s.or(three, middle_bits(s, first)), zero),
            top: None,
            mask: s.movemask8(char_ends(s, input)),
        }
    }

    /// Interleaves the first or the last 8 positions of two vectors.
    #[inline(always)]
    pub fn zip_half<S: Simd<Bytes = B>, const LAST: bool>(s: S, a: B, b: B) -> B {
        if LAST { s.zip_high8(a, b) } else { s.zip_low8(a, b) }
    }

    /// Packs the code units of the first or the last 8 positions.
    #[inline(always)]
    pub fn compress<S: Simd<Bytes = B>, const LAST: bool>(self, s: S, units: B) -> B {
        compress::compress16(s, units, if LAST { self.mask >> 8 } else { self.mask })
    }
}

/// Returns bits 0 to 7 where a character ends, from its last two bytes.
#[inline(always)]
pub fn low_bits<S: Simd>(s: S, first: S::Bytes, last: S::Bytes) -> S::Bytes {
    let bits = s.and(last, s.splat8(0x3F));
    s.select(last, s.or(bits, s.and(s.shl16::<6>(first), s.splat8(0xC0))), last)
}

/// Returns bits 8 to 11 where a character of two or more bytes ends, from its second to last byte.
#[inline(always)]
pub fn middle_bits<S: Simd>(s: S, first: S::Bytes) -> S::Bytes {
    s.and(s.shr16::<2>(first), s.splat8(0x0F))
}

/// Returns a mask of the positions where a character ends: no continuation byte follows.
#[inline(always)]
pub fn char_ends<S: Simd>(s: S, input: &InputWindow) -> S::Bytes {
    s.gt_i8(load_at::<S, { CONTEXT + 1 }>(s, input), s.splat8(0xBF))
}

/// Sets the highest bit of each byte that is at least `limit`, which must be 0x80 or more.
#[inline(always)]
pub fn at_least<S: Simd>(s: S, bytes: S::Bytes, limit: u8) -> S::Bytes {
    s.saturating_sub8(bytes, s.splat8(limit - 0x80))
}

/// Converts UTF-8 to `T` while the output has space left, up to the first unmappable character.
pub struct FromUtf8Kernel<'a, T> {
    src: &'a [u8],
    dst: &'a mut [u8],
    sink: PhantomData<T>,
}

impl<'a, T> FromUtf8Kernel<'a, T> {
    /// Creates the kernel; `src` must be valid UTF-8.
    pub const fn new(src: &'a [u8], dst: &'a mut [u8]) -> Self {
        FromUtf8Kernel { src, dst, sink: PhantomData }
    }
}

/// The minimum length of the text for wide vectors, in bytes.
const MIN_WIDE: usize = WIDTH + 1;

/// The number of vectors tested for ASCII at once.
pub const ASCII_GROUP_VECTORS: usize = 4;

impl<T: UnitSink> Kernel for FromUtf8Kernel<'_, T> {
    /// The numbers of bytes read and written, in whole characters.
    type Output = (usize, usize);

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        let FromUtf8Kernel { src, dst, .. } = self;
        let (read, written) = match src.len() {
            0..MIN_WIDE => (0, 0),
            _ => utf8_decode_wide::convert::<W, T>(w, src, dst),
        };
        // What wide vectors leave over needs less space in the output.
        let (src, dst) = (&src[read..], &mut dst[written..]);
        let (more_read, more_written) = FromUtf8Kernel::<T>::new(src, dst).run(w.narrow());
        (read + more_read, written + more_written)
    }

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let FromUtf8Kernel { src, dst, .. } = self;
        let mut input = [0; CONTEXT + WIDTH + 1];
        let Some(first) = src.first_chunk::<{ WIDTH + 1 }>() else { return (0, 0) };
        input[CONTEXT..].copy_from_slice(first);
        let Some(mut written) = encode_step::<S, T>(s, &input, dst) else { return (0, 0) };
        let mut read = WIDTH;
        'text: loop {
            let ascii = encode_ascii::<S, T>(s, &src[read..], &mut dst[written..]);
            read += ascii;
            written += T::UNIT_LEN * ascii;
            for _ in 0..ASCII_GROUP_VECTORS {
                let Some(input) = src[read - CONTEXT..].first_chunk() else { break 'text };
                let Some(count) = encode_step::<S, T>(s, input, &mut dst[written..]) else {
                    break 'text;
                };
                read += WIDTH;
                written += count;
            }
        }
        let (back, unwritten) = trailing_partial::<T>(src, read);
        (read - back, written - unwritten)
    }
}

/// Converts a prefix of the input, which need not be valid UTF-8, to `T` while the output has space left. Only
/// wide vectors convert characters that are not ASCII.
pub struct FromUnvalidatedKernel<'a, T> {
    src: &'a [u8],
    dst: &'a mut [u8],
    sink: PhantomData<T>,
}

impl<'a, T> FromUnvalidatedKernel<'a, T> {
    /// Creates the kernel.
    pub const fn new(src: &'a [u8], dst: &'a mut [u8]) -> Self {
        FromUnvalidatedKernel { src, dst, sink: PhantomData }
    }
}

impl<T: UnitSink> Kernel for FromUnvalidatedKernel<'_, T> {
    /// The numbers of bytes read, in whole characters, and written.
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let read = encode_ascii::<S, T>(s, self.src, self.dst);
        (read, T::UNIT_LEN * read)
    }

    const HAS_WIDE: bool = true;

    #[inline(always)]
    fn run_wide<W: WideSimd>(self, w: W) -> (usize, usize) {
        utf8_decode_wide::convert_unvalidated::<W, T>(w, self.src, self.dst)
    }
}

/// Encodes the leading groups of vectors that are all ASCII. Returns the number of bytes read.
#[inline(always)]
pub fn encode_ascii<S: Simd, T: UnitSink>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (vectors, _) = src.as_arrays::<WIDTH>();
    let (groups, _) = vectors.as_arrays::<ASCII_GROUP_VECTORS>();
    let mut read = 0;
    for (group, output) in
        groups.iter().zip(dst.chunks_exact_mut(T::UNIT_LEN * ASCII_GROUP_VECTORS * WIDTH))
    {
        let [a, b, c, d] =
            [s.load(&group[0]), s.load(&group[1]), s.load(&group[2]), s.load(&group[3])];
        if s.movemask8(s.or(s.or(a, b), s.or(c, d))) != 0 {
            break;
        }
        let size = T::UNIT_LEN * WIDTH;
        T::write_ascii(s, a, &mut output[..size]);
        T::write_ascii(s, b, &mut output[size..2 * size]);
        T::write_ascii(s, c, &mut output[2 * size..3 * size]);
        T::write_ascii(s, d, &mut output[3 * size..4 * size]);
        read += ASCII_GROUP_VECTORS * WIDTH;
    }
    read
}

/// Encodes the characters that end at 16 positions. Returns the number of bytes written.
#[inline(always)]
fn encode_step<S: Simd, T: UnitSink>(s: S, input: &InputWindow, dst: &mut [u8]) -> Option<usize> {
    let output = dst.get_mut(..T::MAX_OUTPUT)?;
    let (third, last) = (load_at::<S, 0>(s, input), load_at::<S, CONTEXT>(s, input));
    if s.movemask8(at_least(s, s.max8(third, last), T::STOP_LEAD)) == 0 {
        Some(write_units::<S, T>(s, UnitLanes::up_to_3_bytes(s, input), output))
    } else {
        Some(write_units::<S, T>(s, T::up_to_4_bytes(s, input)?, output))
    }
}

#[inline(always)]
fn write_units<S: Simd, T: UnitSink>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]) -> usize {
    let first = T::UNIT_LEN * (lanes.mask & 0xFF).count_ones() as usize;
    T::write_half::<S, false>(s, lanes, output);
    T::write_half::<S, true>(s, lanes, &mut output[first..]);
    first + T::UNIT_LEN * (lanes.mask >> 8).count_ones() as usize
}

/// Returns the number of bytes read of a character that does not end before `read`, and the number
/// of bytes already written for it.
pub fn trailing_partial<T: UnitSink>(src: &[u8], read: usize) -> (usize, usize) {
    let is_trail = |byte: &u8| byte & 0xC0 == 0x80;
    if !src.get(read).is_some_and(is_trail) {
        return (0, 0);
    }
    let back = 1 + src[..read].iter().rev().take_while(|byte| is_trail(byte)).count();
    (back, if back == CONTEXT { T::UNIT_LEN * (T::LONG_UNITS - 1) } else { 0 })
}
