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
use super::simd::{AsArrays, DOUBLE_WIDTH, DoubleBytes, Kernel, Lanes, Simd, WIDTH, WideSimd};
use super::utf8_decode_wide::{self, WideBlock, WideUnits};

/// The number of bytes before a position on which its code unit depends.
pub const CONTEXT: usize = 3;

/// The number of bytes before and after the positions of a step. The byte after them shows whether a
/// character ends at the last position.
const AROUND: usize = CONTEXT + 1;

/// The input of a step of 16 positions.
type InputWindow = [u8; WIDTH + AROUND];

/// The input of a step of 32 positions.
type DoubleWindow = [u8; DOUBLE_WIDTH + AROUND];

/// The bytes around the positions of a step.
#[derive(Debug, Clone, Copy)]
pub struct Block<B> {
    /// Those three bytes before the positions.
    pub third: B,
    /// Those two bytes before.
    pub second: B,
    /// Those before.
    pub first: B,
    /// Those at the positions.
    pub last: B,
    /// Those after.
    next: B,
}

/// Loads 16 bytes at an offset.
#[inline(always)]
fn load_at<S: Simd>(s: S, input: &InputWindow, from: usize) -> S::Bytes {
    s.load(input[from..].first_chunk().unwrap_or(&[0; WIDTH]))
}

/// Loads 32 bytes at an offset.
#[inline(always)]
fn load_double_at<S: Simd>(s: S, input: &DoubleWindow, from: usize) -> DoubleBytes<S> {
    s.double().load(input[from..].first_chunk().unwrap_or(&[0; DOUBLE_WIDTH]))
}

impl<B: Copy> Block<B> {
    #[inline(always)]
    fn load<S: Simd<Bytes = B>>(s: S, input: &InputWindow) -> Block<B> {
        Block {
            third: load_at(s, input, 0),
            second: load_at(s, input, 1),
            first: load_at(s, input, 2),
            last: load_at(s, input, CONTEXT),
            next: load_at(s, input, AROUND),
        }
    }

    /// Returns a mask of the positions where a character ends: no continuation byte follows.
    #[inline(always)]
    pub fn char_ends<L: Lanes<Bytes = B>>(&self, l: L) -> u32 {
        l.movemask8(l.gt_i8(self.next, l.splat8(0xBF)))
    }

    /// Returns whether a character that [`UnitLanes::up_to_3_bytes`] cannot decode for `T` begins three
    /// bytes before a position or at one.
    #[inline(always)]
    fn has_long<L: Lanes<Bytes = B>, T: UnitSink>(&self, l: L) -> bool {
        l.movemask8(at_least(l, l.max8(self.third, self.last), T::STOP_LEAD)) != 0
    }
}

/// Loads a block of 32 positions.
#[inline(always)]
fn load_double<S: Simd>(s: S, input: &DoubleWindow) -> Block<DoubleBytes<S>> {
    Block {
        third: load_double_at(s, input, 0),
        second: load_double_at(s, input, 1),
        first: load_double_at(s, input, 2),
        last: load_double_at(s, input, CONTEXT),
        next: load_double_at(s, input, AROUND),
    }
}

/// The code units of the positions of a step, in parts of 8 bits.
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
    fn up_to_4_bytes<L: Lanes>(l: L, block: &Block<L::Bytes>) -> Option<UnitLanes<L::Bytes>>;

    /// Writes 32 ASCII characters.
    fn write_ascii<S: Simd>(s: S, bytes: DoubleBytes<S>, output: &mut [u8]);

    /// Writes the code units of the first or the last 8 positions of 16. May overwrite bytes after them.
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
    pub fn up_to_3_bytes<L: Lanes<Bytes = B>>(l: L, block: &Block<B>) -> UnitLanes<B> {
        let Block { second, first, last, .. } = *block;
        // Zero except for the lead byte of three.
        let three = l.shl16::<4>(l.saturating_sub8(second, l.splat8(0xE0)));
        UnitLanes {
            low: low_bits(l, first, last),
            high: l.select(last, l.or(three, middle_bits(l, first)), l.splat8(0)),
            top: None,
            mask: block.char_ends(l),
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
pub fn low_bits<L: Lanes>(l: L, first: L::Bytes, last: L::Bytes) -> L::Bytes {
    let bits = l.and(last, l.splat8(0x3F));
    l.select(last, l.or(bits, l.and(l.shl16::<6>(first), l.splat8(0xC0))), last)
}

/// Returns bits 8 to 11 where a character of two or more bytes ends, from its second to last byte.
#[inline(always)]
pub fn middle_bits<L: Lanes>(l: L, first: L::Bytes) -> L::Bytes {
    l.and(l.shr16::<2>(first), l.splat8(0x0F))
}

/// Sets the highest bit of each byte that is at least `limit`, which must be 0x80 or more.
#[inline(always)]
pub fn at_least<L: Lanes>(l: L, bytes: L::Bytes, limit: u8) -> L::Bytes {
    l.saturating_sub8(bytes, l.splat8(limit - 0x80))
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

/// The number of bytes tested for ASCII at once.
const ASCII_GROUP_LEN: usize = 2 * DOUBLE_WIDTH;

/// The number of steps of 32 bytes between two tests for ASCII.
const DOUBLE_STEPS_PER_ASCII_TEST: usize = 4;

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
        let mut input = [0; WIDTH + AROUND];
        let Some(first) = src.first_chunk::<{ WIDTH + 1 }>() else { return (0, 0) };
        input[CONTEXT..].copy_from_slice(first);
        let Some(mut written) = encode_step::<S, T>(s, &input, dst) else { return (0, 0) };
        let mut read = WIDTH;
        'text: loop {
            let ascii = encode_ascii::<S, T>(s, &src[read..], &mut dst[written..]);
            read += ascii;
            written += T::UNIT_LEN * ascii;
            for _ in 0..DOUBLE_STEPS_PER_ASCII_TEST {
                let Some(input) = src[read - CONTEXT..].first_chunk() else { break 'text };
                let Some(count) = encode_double_step::<S, T>(s, input, &mut dst[written..]) else {
                    break 'text;
                };
                read += DOUBLE_WIDTH;
                written += count;
            }
        }
        while let Some(input) = src[read - CONTEXT..].first_chunk() {
            let Some(count) = encode_step::<S, T>(s, input, &mut dst[written..]) else { break };
            read += WIDTH;
            written += count;
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
    let (vectors, _) = src.as_arrays::<DOUBLE_WIDTH>();
    let (groups, _) = vectors.as_arrays::<{ ASCII_GROUP_LEN / DOUBLE_WIDTH }>();
    let (d, mut read) = (s.double(), 0);
    for ([a, b], output) in groups.iter().zip(dst.chunks_exact_mut(T::UNIT_LEN * ASCII_GROUP_LEN)) {
        let (a, b) = (d.load(a), d.load(b));
        if !d.are_clear(d.or(a, b), d.splat8(0x80)) {
            break;
        }
        let (first, last) = output.split_at_mut(T::UNIT_LEN * DOUBLE_WIDTH);
        T::write_ascii(s, a, first);
        T::write_ascii(s, b, last);
        read += ASCII_GROUP_LEN;
    }
    read
}

/// Encodes the characters that end at 16 positions. Returns the number of bytes written.
#[inline(always)]
fn encode_step<S: Simd, T: UnitSink>(s: S, input: &InputWindow, dst: &mut [u8]) -> Option<usize> {
    let output = dst.get_mut(..T::MAX_OUTPUT)?;
    let block = Block::load(s, input);
    if block.has_long::<S, T>(s) {
        Some(write_units::<S, T>(s, T::up_to_4_bytes(s, &block)?, output))
    } else {
        Some(write_units::<S, T>(s, UnitLanes::up_to_3_bytes(s, &block), output))
    }
}

/// Encodes the characters that end at 32 positions. Returns the number of bytes written.
#[inline(always)]
fn encode_double_step<S: Simd, T: UnitSink>(
    s: S,
    input: &DoubleWindow,
    dst: &mut [u8],
) -> Option<usize> {
    let output = dst.get_mut(..2 * T::MAX_OUTPUT)?;
    let (d, block) = (s.double(), load_double(s, input));
    if block.has_long::<S::Double, T>(d) {
        Some(write_double_units::<S, T>(s, T::up_to_4_bytes(d, &block)?, output))
    } else {
        Some(write_double_units::<S, T>(s, UnitLanes::up_to_3_bytes(d, &block), output))
    }
}

#[inline(always)]
fn write_double_units<S: Simd, T: UnitSink>(
    s: S,
    lanes: UnitLanes<DoubleBytes<S>>,
    output: &mut [u8],
) -> usize {
    let ([low, last_low], [high, last_high]) = (s.split(lanes.low), s.split(lanes.high));
    let (top, last_top) = match lanes.top {
        Some(top) => {
            let [top, last_top] = s.split(top);
            (Some(top), Some(last_top))
        }
        None => (None, None),
    };
    let first = UnitLanes { low, high, top, mask: lanes.mask & 0xFFFF };
    let last =
        UnitLanes { low: last_low, high: last_high, top: last_top, mask: lanes.mask >> WIDTH };
    let written = write_units::<S, T>(s, first, output);
    written + write_units::<S, T>(s, last, &mut output[written..])
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
