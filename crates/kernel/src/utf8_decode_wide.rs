//! UTF-8 to other encodings, 64 bytes at a time: the method of [`utf8_decode`](super::utf8_decode)
//! with wide vectors, which need no tables to keep the code units of some positions.

use super::simd::{AsArrays, WIDE_WIDTH, WideSimd};
use super::utf8_decode::{CONTEXT, UnitSink, trailing_partial};
use super::utf8_validate::{WideValidator, load_at};

/// The number of blocks that are decoded before the next test for a run of ASCII.
const GROUP_BLOCKS: usize = 4;

/// The length of a long run of ASCII, in bytes.
const LONG_RUN: usize = GROUP_BLOCKS * WIDE_WIDTH;

/// The input of a block: 64 positions, the bytes before them, and one byte after them, which shows
/// whether a character ends at the last position.
type Window = [u8; CONTEXT + WIDE_WIDTH + 1];

/// 64 positions of the text.
#[derive(Debug, Clone, Copy)]
pub struct WideBlock<B> {
    /// The bytes three before the positions.
    pub third: B,
    /// The bytes two before the positions.
    pub second: B,
    /// The bytes before the positions.
    pub first: B,
    /// The bytes at the positions.
    pub last: B,
    /// The positions where a character ends.
    pub ends: u64,
}

/// The code units of 64 positions, in parts of 8 bits.
#[derive(Debug, Clone, Copy)]
pub struct WideUnits<B> {
    /// Bits 0 to 7.
    pub low: B,
    /// Bits 8 to 15.
    pub high: B,
    /// Bits 16 to 20, if a code unit has any.
    pub top: Option<B>,
    /// The positions that have a code unit.
    pub set: u64,
}

impl<B: Copy> WideBlock<B> {
    /// Loads the block of the first characters of the text.
    #[inline(always)]
    fn at_start<W: WideSimd<Bytes = B>>(w: W, text: &[u8]) -> WideBlock<B> {
        let (zero, last) = (w.splat8(0), w.load_prefix(text));
        WideBlock {
            third: w.concat_last16::<13>(zero, last),
            second: w.concat_last16::<14>(zero, last),
            first: w.concat_last16::<15>(zero, last),
            last,
            ends: w.gt_i8(w.load_prefix(&text[1..]), w.splat8(0xBF)),
        }
    }

    /// Loads a block.
    #[inline(always)]
    fn load<W: WideSimd<Bytes = B>>(w: W, window: &Window) -> WideBlock<B> {
        WideBlock {
            third: load_at::<W, 0>(w, window),
            second: load_at::<W, 1>(w, window),
            first: load_at::<W, 2>(w, window),
            last: load_at::<W, CONTEXT>(w, window),
            ends: w.gt_i8(load_at::<W, { CONTEXT + 1 }>(w, window), w.splat8(0xBF)),
        }
    }

    /// Loads a block that ends with the text, after `read` bytes.
    #[inline(always)]
    fn at_end<W: WideSimd<Bytes = B>>(w: W, text: &[u8], read: usize) -> WideBlock<B> {
        let positions = (1 << (text.len() - read)) - 1;
        WideBlock {
            third: w.load_prefix(&text[read - 3..]),
            second: w.load_prefix(&text[read - 2..]),
            first: w.load_prefix(&text[read - 1..]),
            last: w.load_prefix(&text[read..]),
            ends: w.gt_i8(w.load_prefix(&text[read + 1..]), w.splat8(0xBF)) & positions,
        }
    }

    /// Returns the bytes three, two and one before the positions, and those at them.
    #[inline(always)]
    fn bytes(&self) -> [B; 4] {
        [self.third, self.second, self.first, self.last]
    }

    /// Returns the code units of positions where all characters have up to three bytes.
    #[inline(always)]
    pub fn up_to_3_bytes<W: WideSimd<Bytes = B>>(&self, w: W) -> WideUnits<B> {
        let WideBlock { second, first, last, ends, .. } = *self;
        let non_ascii = w.movemask8(last);
        // Zero except for the lead byte of three.
        let three = w.shl16::<4>(w.saturating_sub8(second, w.splat8(0xE0)));
        let middle = w.and(w.shr16::<2>(first), w.splat8(0x0F));
        let upper = w.and(w.shl16::<6>(first), w.splat8(0xC0));
        let trail = w.or(w.and(last, w.splat8(0x3F)), upper);
        WideUnits {
            low: w.select8(non_ascii, trail, last),
            high: w.select8(non_ascii, w.or(three, middle), w.splat8(0)),
            top: None,
            set: ends,
        }
    }
}

/// Converts valid UTF-8 while the output has space left, up to a character that the target cannot
/// encode. Returns the numbers of bytes read and written, in whole characters.
#[inline(always)]
pub fn convert<W: WideSimd, T: UnitSink>(w: W, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (mut read, mut written) = (0, 0);
    if src.len() >= WIDE_WIDTH {
        let Some(count) = write_block::<W, T>(w, &WideBlock::at_start(w, src), dst) else {
            return (0, 0);
        };
        (read, written) = (WIDE_WIDTH, count);
        'text: loop {
            let ascii = convert_ascii::<W, T>(w, &src[read..], &mut dst[written..]);
            read += ascii;
            written += T::UNIT_LEN * ascii;
            // After long runs of ASCII the next one is likely near.
            let blocks = if ascii >= LONG_RUN { 1 } else { GROUP_BLOCKS };
            for _ in 0..blocks {
                let Some(window) = src[read - CONTEXT..].first_chunk() else { break 'text };
                let block = WideBlock::load(w, window);
                let Some(count) = write_block::<W, T>(w, &block, &mut dst[written..]) else {
                    break 'text;
                };
                read += WIDE_WIDTH;
                written += count;
            }
        }
        if src.len() - read < WIDE_WIDTH && read < src.len() {
            let block = WideBlock::at_end(w, src, read);
            if let Some(count) = write_block::<W, T>(w, &block, &mut dst[written..]) {
                return (src.len(), written + count);
            }
        }
    } else if !src.is_empty() {
        let block = WideBlock::at_start(w, src);
        let block = WideBlock { ends: block.ends & ((1 << src.len()) - 1), ..block };
        if let Some(count) = write_block::<W, T>(w, &block, dst) {
            return (src.len(), count);
        }
    }
    // A character that does not end in a block is read again.
    let (back, unwritten) = trailing_partial::<T>(src, read);
    (read - back, written - unwritten)
}

/// Converts a prefix of `src`, which need not be valid UTF-8, while the output has space left: up to the first
/// invalid sequence or a character that the target cannot encode at most. May leave some hundred bytes
/// over. Returns the numbers of bytes read and written, in whole characters.
#[inline(always)]
pub fn convert_unvalidated<W: WideSimd, T: UnitSink>(
    w: W,
    src: &[u8],
    dst: &mut [u8],
) -> (usize, usize) {
    if src.len() <= WIDE_WIDTH {
        return (0, 0);
    }
    let mut validator = WideValidator::new(w);
    let block = WideBlock::at_start(w, src);
    validator.check(block.bytes());
    let Some(count) = write_block::<W, T>(w, &block, dst) else { return (0, 0) };
    let (mut read, mut written) = (WIDE_WIDTH, count);
    // An error may be found in the blocks after it. So the text before the last group is valid, and so is
    // the character at its end.
    let mut valid = (0, 0);
    let mut is_last = false;
    while !is_last {
        let start = (read, written);
        let ascii = convert_ascii::<W, T>(w, &src[read..], &mut dst[written..]);
        if ascii > 0 {
            validator.check_window(&src[read - CONTEXT..]);
        }
        read += ascii;
        written += T::UNIT_LEN * ascii;
        let blocks = if ascii >= LONG_RUN { 1 } else { GROUP_BLOCKS };
        for _ in 0..blocks {
            is_last = true;
            let Some(window) = src[read - CONTEXT..].first_chunk() else { break };
            let block = WideBlock::load(w, window);
            validator.check(block.bytes());
            let Some(count) = write_block::<W, T>(w, &block, &mut dst[written..]) else { break };
            read += WIDE_WIDTH;
            written += count;
            is_last = false;
        }
        if validator.has_error() || is_last && is_invalid_end(src, read) {
            (read, written) = valid;
            break;
        }
        valid = start;
    }
    if read == 0 {
        return (0, 0);
    }
    let (back, unwritten) = trailing_partial::<T>(src, read);
    (read - back, written - unwritten)
}

/// Returns whether a character ends at `end`, after at least three valid bytes, although the next byte
/// continues it, or does not end there, although the next byte does not continue it.
fn is_invalid_end(src: &[u8], end: usize) -> bool {
    let is_trail = |byte: &u8| byte & 0xC0 == 0x80;
    let trail = src[..end].iter().rev().take(CONTEXT).take_while(|byte| is_trail(byte)).count();
    let len = match src[end - 1 - trail] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xFF => 4,
        _ => 1,
    };
    (trail + 1 < len) != src.get(end).is_some_and(is_trail)
}

/// Converts leading blocks that are all ASCII. Returns the number of bytes read.
#[inline(always)]
pub fn convert_ascii<W: WideSimd, T: UnitSink>(w: W, src: &[u8], dst: &mut [u8]) -> usize {
    let inputs = src.as_arrays::<WIDE_WIDTH>().0;
    let mut read = 0;
    for (input, output) in inputs.iter().zip(dst.chunks_exact_mut(T::UNIT_LEN * WIDE_WIDTH)) {
        let bytes = w.load(input);
        if w.movemask8(bytes) != 0 {
            break;
        }
        T::write_wide_ascii(w, bytes, output);
        read += WIDE_WIDTH;
    }
    read
}

/// Encodes the characters that end in a block. Returns the number of bytes written, or `None` if the
/// output is too small or the target cannot encode a character.
#[inline(always)]
fn write_block<W: WideSimd, T: UnitSink>(
    w: W,
    block: &WideBlock<W::Bytes>,
    dst: &mut [u8],
) -> Option<usize> {
    let output = dst.get_mut(..T::UNIT_LEN * WIDE_WIDTH)?;
    let long = w.at_least8(w.max8(block.third, block.last), w.splat8(T::STOP_LEAD));
    let units = if long == 0 { block.up_to_3_bytes(w) } else { T::wide_up_to_4_bytes(w, block)? };
    T::write_wide(w, units, output);
    Some(T::UNIT_LEN * units.set.count_ones() as usize)
}

#[cfg(test)]
mod tests {
    use crate::simd::WIDE_WIDTH;
    use crate::{utf16, utf32};

    /// Encodes what the kernels leave over character by character.
    fn encode_all(
        text: &str,
        mut kernel: impl FnMut(&str, &mut [u8]) -> (usize, usize),
        scalar: impl Fn(char) -> Vec<u8>,
    ) -> Vec<u8> {
        let mut dst = vec![0; 4 * text.len() + 4 * WIDE_WIDTH];
        let (read, written) = kernel(text, &mut dst);
        dst.truncate(written);
        dst.extend(text[read..].chars().flat_map(scalar));
        dst
    }

    #[test]
    fn every_character_is_encoded_after_every_length() {
        let step = if cfg!(miri) { 4001 } else { 1 };
        let all: String = ('\0'..=char::MAX).step_by(step).collect();
        let shuffled: String = {
            let mut characters: Vec<char> = all.chars().collect();
            let count = characters.len();
            for index in 0..count {
                characters.swap(index, index * 7919 % count);
            }
            characters.into_iter().collect()
        };
        for text in [&all, &shuffled, &("ab".to_owned() + &all)] {
            let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
                text.encode_utf16().flat_map(order).collect()
            };
            let utf32 = |order: fn(u32) -> [u8; 4]| -> Vec<u8> {
                text.chars().flat_map(|character| order(character.into())).collect()
            };
            for big in [false, true] {
                let order16 = if big { u16::to_be_bytes } else { u16::to_le_bytes };
                let order32 = if big { u32::to_be_bytes } else { u32::to_le_bytes };
                let found = encode_all(
                    text,
                    |src, dst| utf16::encode(src, dst, big, true),
                    |c| c.encode_utf16(&mut [0; 2]).iter().copied().flat_map(order16).collect(),
                );
                assert!(found == utf16(order16), "UTF-16 {big}");
                let found = encode_all(
                    text,
                    |src, dst| utf32::encode(src, dst, big),
                    |c| order32(c.into()).to_vec(),
                );
                assert!(found == utf32(order32), "UTF-32 {big}");
            }
        }
    }
}
