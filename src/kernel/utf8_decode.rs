//! UTF-8 to units of other encodings, 16 bytes at a time and without a branch for a character.
//!
//! All that a character means is known at its last byte, from that and the three before it.
//! So a unit is worked out for each of 16 positions, as if a character ended there, and then those
//! where one does are brought together. What the text is a mixture of is not asked, for that is
//! what a processor cannot foresee.
//!
//! UTF-16 takes one more unit at the third byte of four, the high surrogate.

use std::marker::PhantomData;

use super::compress;
use super::simd::{Kernel, Simd, WIDTH};

/// Bytes before a position that count there.
const CONTEXT: usize = 3;

/// What a step looks at: 16 positions, what counts before them, and what tells whether the last
/// one is an end.
pub type InputWindow = [u8; CONTEXT + WIDTH + 1];

/// The bytes as many positions after those of a step, and `BEFORE` more.
#[inline(always)]
pub fn load_at<S: Simd, const FROM: usize>(s: S, input: &InputWindow) -> S::Bytes {
    s.load(input[FROM..].first_chunk().unwrap_or(&[0; WIDTH]))
}

/// What the units of 16 positions are, in pieces of 8 bits.
#[derive(Debug, Clone, Copy)]
pub struct UnitLanes<B> {
    /// Bits 0 to 7.
    pub low: B,
    /// Bits 8 to 15.
    pub high: B,
    /// Bits 16 to 20, if a unit has any.
    pub top: Option<B>,
    /// The positions that have a unit, the first one lowest.
    pub mask: u32,
}

/// What text is encoded to.
pub trait UnitSink {
    /// Bytes of a unit.
    const UNIT_LEN: usize;

    /// Bytes that a step may write, with what it writes too much.
    const MAX_OUTPUT: usize;

    /// The first byte of a character that [`Positions::short`] does not do.
    const STOP_LEAD: u8;

    /// Units of a character of four bytes.
    const LONG_UNITS: usize;

    /// Units of positions some of which belong to characters of four bytes; nothing if there are no
    /// units for them.
    fn up_to_4_bytes<S: Simd>(s: S, input: &InputWindow) -> Option<UnitLanes<S::Bytes>>;

    /// Writes 16 characters of ASCII.
    fn write_ascii<S: Simd>(s: S, bytes: S::Bytes, output: &mut [u8]);

    /// Writes the units of 8 positions, the first ones or the last ones, and anything after them.
    fn write_half<S: Simd, const LAST: bool>(s: S, lanes: UnitLanes<S::Bytes>, output: &mut [u8]);
}

impl<B: Copy> UnitLanes<B> {
    /// Units of positions that belong to characters of up to three bytes.
    #[inline(always)]
    pub fn up_to_3_bytes<S: Simd<Bytes = B>>(s: S, input: &InputWindow) -> UnitLanes<B> {
        let (second, first) = (load_at::<S, 1>(s, input), load_at::<S, 2>(s, input));
        let last = load_at::<S, CONTEXT>(s, input);
        // Zero but for the first byte of three.
        let three = s.shl16::<4>(s.saturating_sub8(second, s.splat8(0xE0)));
        let zero = s.splat8(0);
        UnitLanes {
            low: low_bits(s, first, last),
            high: s.select(last, s.or(three, middle_bits(s, first)), zero),
            top: None,
            mask: s.movemask8(char_ends(s, input)),
        }
    }

    /// The first 8 positions of two vectors or the last ones, side by side.
    #[inline(always)]
    pub fn zip_half<S: Simd<Bytes = B>, const LAST: bool>(s: S, a: B, b: B) -> B {
        if LAST { s.zip_high8(a, b) } else { s.zip_low8(a, b) }
    }

    /// Brings together the units of the first 8 positions or the last ones.
    #[inline(always)]
    pub fn compress<S: Simd<Bytes = B>, const LAST: bool>(self, s: S, units: B) -> B {
        compress::compress16(s, units, if LAST { self.mask >> 8 } else { self.mask })
    }
}

/// The lowest 8 bits where a character ends, from its last byte and the one before it.
#[inline(always)]
pub fn low_bits<S: Simd>(s: S, first: S::Bytes, last: S::Bytes) -> S::Bytes {
    let bits = s.and(last, s.splat8(0x3F));
    s.select(last, s.or(bits, s.and(s.shl16::<6>(first), s.splat8(0xC0))), last)
}

/// Bits 8 to 11 where a character of two bytes or more ends, from its last byte but one.
#[inline(always)]
pub fn middle_bits<S: Simd>(s: S, first: S::Bytes) -> S::Bytes {
    s.and(s.shr16::<2>(first), s.splat8(0x0F))
}

/// The positions where a character ends: no other byte of it follows.
#[inline(always)]
pub fn char_ends<S: Simd>(s: S, input: &InputWindow) -> S::Bytes {
    s.gt_i8(load_at::<S, { CONTEXT + 1 }>(s, input), s.splat8(0xBF))
}

/// Whether bytes are this one or above it, as the highest bit of each. From 80 on.
#[inline(always)]
pub fn at_least<S: Simd>(s: S, bytes: S::Bytes, limit: u8) -> S::Bytes {
    s.saturating_sub8(bytes, s.splat8(limit - 0x80))
}

/// Encodes text as far as there is space to spare, up to a character that the target has not.
pub struct FromUtf8Kernel<'a, T> {
    src: &'a [u8],
    dst: &'a mut [u8],
    sink: PhantomData<T>,
}

impl<'a, T> FromUtf8Kernel<'a, T> {
    /// `src` is UTF-8.
    pub const fn new(src: &'a [u8], dst: &'a mut [u8]) -> Self {
        FromUtf8Kernel { src, dst, sink: PhantomData }
    }
}

/// Vectors that are ASCII or not together.
pub const ASCII_GROUP_VECTORS: usize = 4;

impl<T: UnitSink> Kernel for FromUtf8Kernel<'_, T> {
    /// Bytes read and written, whole characters.
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> (usize, usize) {
        let FromUtf8Kernel { src, dst, .. } = self;
        let mut input = [0; CONTEXT + WIDTH + 1];
        let Some(front) = src.first_chunk::<{ WIDTH + 1 }>() else { return (0, 0) };
        input[CONTEXT..].copy_from_slice(front);
        let Some(mut written) = encode_step::<S, T>(s, &input, dst) else { return (0, 0) };
        let mut read = WIDTH;
        'text: loop {
            let plain = encode_ascii::<S, T>(s, &src[read..], &mut dst[written..]);
            read += plain;
            written += T::UNIT_LEN * plain;
            for _ in 0..ASCII_GROUP_VECTORS {
                let Some(input) = src[read - CONTEXT..].first_chunk() else { break 'text };
                let Some(put) = encode_step::<S, T>(s, input, &mut dst[written..]) else {
                    break 'text;
                };
                read += WIDTH;
                written += put;
            }
        }
        let (back, unwritten) = trailing_partial::<T>(src, read);
        (read - back, written - unwritten)
    }
}

/// Encodes groups of vectors that are all ASCII; says how many bytes.
#[inline(always)]
pub fn encode_ascii<S: Simd, T: UnitSink>(s: S, src: &[u8], dst: &mut [u8]) -> usize {
    let (vectors, _) = src.as_chunks::<WIDTH>();
    let (groups, _) = vectors.as_chunks::<ASCII_GROUP_VECTORS>();
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

/// Encodes what ends at 16 positions; how many bytes that makes.
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

/// The bytes of a character that is not at its end, and what has been written of it.
fn trailing_partial<T: UnitSink>(src: &[u8], read: usize) -> (usize, usize) {
    let is_trail = |byte: &u8| byte & 0xC0 == 0x80;
    if !src.get(read).is_some_and(is_trail) {
        return (0, 0);
    }
    let back = 1 + src[..read].iter().rev().take_while(|byte| is_trail(byte)).count();
    (back, if back == CONTEXT { T::UNIT_LEN * (T::LONG_UNITS - 1) } else { 0 })
}
