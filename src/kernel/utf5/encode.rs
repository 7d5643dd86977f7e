//! From text to UTF-5.

use super::hex::encode_hex;
use crate::kernel::same_length_run;
use crate::kernel::simd::{self, Kernel, Simd, WIDTH};
use crate::kernel::utf7::utf8_to_utf16;

/// Bytes that are sorted together.
const WINDOW_LEN: usize = 64;
/// Bytes that must be there: a step may begin at the last of a window.
pub(super) const MIN_INPUT: usize = WINDOW_LEN + 2 * WIDTH;
/// Bytes that there must be space for, those included that the next step overwrites.
pub(super) const MIN_OUTPUT: usize = 2 * WIDTH + WIDTH;

/// Encodes `text` from its front on, until the space might not do or the end is near. Bytes read and
/// bytes written; what stands in `dst` after them is of no meaning.
#[inline]
pub fn encode(text: &str, dst: &mut [u8]) -> (usize, usize) {
    if text.len() < MIN_INPUT || dst.len() < MIN_OUTPUT {
        return (0, 0);
    }
    simd::run(Utf5EncodeKernel { text, dst })
}

/// The same at a given level, for tests.
#[cfg(test)]
pub(super) fn encode_at_level(level: simd::Level, text: &str, dst: &mut [u8]) -> (usize, usize) {
    level.run(Utf5EncodeKernel { text, dst })
}

struct Utf5EncodeKernel<'a> {
    text: &'a str,
    dst: &'a mut [u8],
}

impl Kernel for Utf5EncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let Utf5EncodeKernel { text, mut dst } = self;
        let (mut src, output_len) = (text.as_bytes(), dst.len());
        let writer = Utf5WindowEncoder { simd, hex: simd.load(b"0123456789ABCDEF") };
        loop {
            let count = writer.encode_ascii(src, dst);
            src = &src[count..];
            dst = &mut dst[2 * count..];
            let Some(input) = src.first_chunk() else { break };
            if dst.len() < MIN_OUTPUT {
                break;
            }
            let (read, written) = writer.encode_window(input, dst);
            src = &src[read..];
            dst = &mut dst[written..];
        }
        (text.len() - src.len(), output_len - dst.len())
    }
}

/// For each byte of a window a bit, that of the first one lowest.
#[derive(Default)]
struct Utf5EncodeMasks {
    /// ASCII from U+0010 on.
    ascii: u64,
    /// First bytes of characters to U+00FF, to U+07FF, to U+0FFF and to U+FFFF.
    latin1: u64,
    two_byte: u64,
    up_to_0fff: u64,
    three_byte: u64,
}

const EVERY_SECOND: u64 = 0x5555_5555_5555_5555;
const EVERY_THIRD: u64 = 0x9249_2492_4924_9249;

/// How many of the characters from `at` on have their first bytes in `leads`, up to `most`.
#[inline(always)]
fn count_run(leads: u64, at: usize, len: usize, pattern: u64, max: usize) -> usize {
    (((leads >> at) ^ pattern).trailing_zeros() as usize / len).min(max)
}

struct Utf5WindowEncoder<S: Simd> {
    simd: S,
    hex: S::Bytes,
}

impl<S: Simd> Utf5WindowEncoder<S> {
    #[inline(always)]
    fn classify(&self, input: &[u8; MIN_INPUT]) -> Utf5EncodeMasks {
        let (simd, mut window) = (self.simd, Utf5EncodeMasks::default());
        for (index, text) in input.as_chunks().0.iter().take(WINDOW_LEN / WIDTH).enumerate() {
            let text = simd.load(text);
            // With sign, all first bytes are above all continuation bytes and below ASCII.
            let from = |first: u8| {
                let below = simd.splat8(first.wrapping_sub(1));
                u64::from(simd.movemask8(simd.gt_i8(text, below))) << (index * WIDTH)
            };
            let [one, latin, two, short, three, four] =
                [0x10, 0xC0, 0xC4, 0xE0, 0xE1, 0xF0].map(from);
            window.ascii |= one;
            window.latin1 |= latin & !two;
            window.two_byte |= two & !short;
            window.up_to_0fff |= short & !three;
            window.three_byte |= three & !four;
        }
        window
    }

    /// Writes whole vectors of ASCII from U+0010 on; says how many bytes that is.
    #[inline(always)]
    fn encode_ascii(&self, src: &[u8], dst: &mut [u8]) -> usize {
        let simd = self.simd;
        let to = dst.as_chunks_mut::<WIDTH>().0.as_chunks_mut::<2>().0;
        let vectors = src.as_chunks::<WIDTH>().0.iter().zip(to);
        let mut count = 0;
        for (text, [first, second]) in vectors {
            let text = simd.load(text);
            if simd.movemask8(simd.gt_i8(text, simd.splat8(0x0F))) != 0xFFFF {
                break;
            }
            let pairs = self.digit_pairs(text);
            simd.store(pairs[0], first);
            simd.store(pairs[1], second);
            count += WIDTH;
        }
        count
    }

    /// Writes the characters that begin in a window. Bytes read and bytes written.
    #[inline(always)]
    fn encode_window(&self, input: &[u8; MIN_INPUT], mut dst: &mut [u8]) -> (usize, usize) {
        let (window, output_len) = (self.classify(input), dst.len());
        let mut at = 0;
        while at < WINDOW_LEN
            && let Some(to) = dst.first_chunk_mut()
        {
            let (read, written) = self.encode_step(&input[at..], &window, at, to);
            at += read;
            dst = &mut dst[written..];
        }
        (at, output_len - dst.len())
    }

    /// Writes the characters of one sort that stand at `at`.
    #[inline(always)]
    fn encode_step(
        &self,
        text: &[u8],
        window: &Utf5EncodeMasks,
        at: usize,
        to: &mut [u8; MIN_OUTPUT],
    ) -> (usize, usize) {
        let simd = self.simd;
        let Some(input) = text.first_chunk::<{ WIDTH + 2 }>() else { return (0, 0) };
        let Some(vector) = input.first_chunk::<WIDTH>() else { return (0, 0) };
        match input[0] {
            control @ 0x00..=0x0F => {
                to[0] = b'G' + control;
                (1, 1)
            }
            0x10..=0x7F => {
                let count = count_run(window.ascii, at, 1, u64::MAX, WIDTH);
                self.write_2digit(simd.load(vector), to);
                (count, 2 * count)
            }
            0xC0..=0xC3 => {
                let count = count_run(window.latin1, at, 2, EVERY_SECOND, WIDTH / 2);
                let units =
                    simd.and(utf8_to_utf16::units_from_2byte(simd, vector), simd.splat16(0xFF));
                self.write_2digit(simd.narrow16(units, units), to);
                (2 * count, 2 * count)
            }
            0xC4..=0xDF => {
                let count = count_run(window.two_byte, at, 2, EVERY_SECOND, WIDTH / 2);
                self.write_3digit(utf8_to_utf16::units_from_2byte(simd, vector), to);
                (2 * count, 3 * count)
            }
            0xE0 => {
                let count = count_run(window.up_to_0fff, at, 3, EVERY_THIRD, 6);
                self.write_3digit(utf8_to_utf16::units_from_3byte(simd, input), to);
                (3 * count, 3 * count)
            }
            0xE1..=0xEF => {
                let count = count_run(window.three_byte, at, 3, EVERY_THIRD, 6);
                self.write_4digit(utf8_to_utf16::units_from_3byte(simd, input), to);
                (3 * count, 4 * count)
            }
            _ => (4, write_code_point(same_length_run::decode_four_byte(vector), to)),
        }
    }

    #[inline(always)]
    fn store_at(&self, bytes: S::Bytes, to: &mut [u8; MIN_OUTPUT], at: usize) {
        if let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
            self.simd.store(bytes, to);
        }
    }

    /// The digits of the low halves of bytes.
    #[inline(always)]
    fn low_nibble_digits(&self, bytes: S::Bytes) -> S::Bytes {
        self.simd.shuffle8(self.hex, self.simd.and(bytes, self.simd.splat8(0x0F)))
    }

    /// Two digits of each byte, the first one a head.
    #[inline(always)]
    fn digit_pairs(&self, bytes: S::Bytes) -> [S::Bytes; 2] {
        let simd = self.simd;
        let high = simd.and(simd.shr16::<4>(bytes), simd.splat8(0x0F));
        let (heads, digits) = (simd.add8(high, simd.splat8(b'G')), self.low_nibble_digits(bytes));
        [simd.zip_low8(heads, digits), simd.zip_high8(heads, digits)]
    }

    /// Two digits of each byte.
    #[inline(always)]
    fn write_2digit(&self, bytes: S::Bytes, to: &mut [u8; MIN_OUTPUT]) {
        let [first, second] = self.digit_pairs(bytes);
        self.store_at(first, to, 0);
        self.store_at(second, to, WIDTH);
    }

    /// Three digits of each unit.
    #[inline(always)]
    fn write_3digit(&self, units: S::Bytes, to: &mut [u8; MIN_OUTPUT]) {
        const SHUFFLE: [u8; WIDTH] = [1, 2, 0, 5, 6, 4, 9, 10, 8, 13, 14, 12, 128, 128, 128, 128];
        let (simd, close) = (self.simd, self.simd.load(&SHUFFLE));
        let heads = simd.add16(simd.and(units, simd.splat16(0x0F00)), simd.splat16(0x4700));
        let last = simd.and(self.low_nibble_digits(units), simd.splat16(0x00FF));
        let middle = self.low_nibble_digits(simd.shr16::<4>(units));
        let ends = simd.or(heads, last);
        let first = simd.shuffle8(simd.zip_low16(ends, middle), close);
        self.store_at(first, to, 0);
        self.store_at(simd.shuffle8(simd.zip_high16(ends, middle), close), to, 12);
    }

    /// Four digits of each unit.
    #[inline(always)]
    fn write_4digit(&self, units: S::Bytes, to: &mut [u8; MIN_OUTPUT]) {
        let simd = self.simd;
        // The digits of each byte stand in the order of their bytes: the low one first.
        let (even, odd) =
            (self.low_nibble_digits(simd.shr16::<4>(units)), self.low_nibble_digits(units));
        let head = simd.and(simd.shr16::<4>(units), simd.splat16(0x0F00));
        let head = simd.add16(head, simd.splat16(0x4700));
        let even = simd.or(head, simd.and(even, simd.splat16(0x00FF)));
        const SHUFFLE: [u8; WIDTH] = [2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13];
        let close = simd.load(&SHUFFLE);
        self.store_at(simd.shuffle8(simd.zip_low8(even, odd), close), to, 0);
        self.store_at(simd.shuffle8(simd.zip_high8(even, odd), close), to, WIDTH);
    }
}

/// Writes the digits of a value; says how many.
#[inline(always)]
fn write_code_point(value: u32, to: &mut [u8; MIN_OUTPUT]) -> usize {
    let (bytes, len) = encode_hex(value);
    to[..8].copy_from_slice(&bytes);
    len
}
