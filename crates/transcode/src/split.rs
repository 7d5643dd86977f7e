//! Where a file can be split so that its parts can be converted independently.
//!
//! Each part of a file is converted by itself, and the outputs are joined: the result is the conversion of
//! the whole file, byte for byte, if the file is split where nothing that precedes has an influence on
//! what follows. That is so after a *split sequence* of the source encoding: one that leads the decoder from
//! every state that any input can lead to, malformed input included, to one and the same state, with
//! nothing unread. The encoder needs the same property at the character that is decoded there. In
//! the theory of automata it is a synchronizing sequence. The [`SplitRule`] of an encoding says which
//! sequences these are:
//!
//! ```
//! use charpipe_transcode::split::SplitPoints;
//!
//! // A line feed, because 0A is never the second byte of a character.
//! assert_eq!(charpipe::SHIFT_JIS.split_rule().source.to_string(), "after 0A");
//! // A line feed, but not the bytes 0A 00 of two other characters.
//! let rule = charpipe::UTF_16LE.split_rule();
//! assert_eq!(rule.source.to_string(), "after 0A 00 at a multiple of 2 bytes");
//! // No sequence: the characters may be Japanese before and after a line feed.
//! let rule = charpipe::ISO_2022_JP.split_rule();
//! assert!(matches!(rule.source, SplitPoints::None { .. }));
//! ```
//!
//! [`safe_offset`] finds the next split point of a file after an offset. Parts that are separated by arbitrary
//! offsets x, y, … begin and end at the safe offsets of these, so that each can be converted without
//! knowledge of the others:
//!
//! ```
//! use charpipe_transcode::split;
//!
//! let text = b"\x93\xFA\x96\x7B\nab\ncd";
//! let points = charpipe::SHIFT_JIS.split_rule().source;
//! let safe_offset = |offset| split::safe_offset(&mut std::io::Cursor::new(text), &points, offset);
//! assert_eq!([safe_offset(0)?, safe_offset(1)?, safe_offset(5)?], [0, 5, 5]);
//! assert_eq!([safe_offset(6)?, safe_offset(8)?, safe_offset(9)?], [8, 8, 10]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # How a part is converted
//!
//! A part that does not begin at the start of the file begins in the state after the split sequence, which
//! may differ from the initial one: in `UTF-16` the byte order is that of the start of the file, and U+FEFF is
//! a character. [`context`] returns the bytes that a new decoder must read first; their text is dropped.
//! Likewise a new encoder must have encoded a line feed, whose bytes are dropped, if its rule is
//! [`SplitTarget::AfterLineFeed`]: then it writes no second byte order mark.
//!
//! Errors are handled one by one and have no influence on what follows, unless the conversion stops.
//! Transforms, as in `utf-8/base64`, and chains of more than two encodings cannot be split.

use std::io::{self, Read, Seek, SeekFrom};

mod range;
#[doc(hidden)]
pub use range::part_offset;
pub use range::{InputRange, RangeResult, RangeState, RangeTranscoder};

pub use charpipe_encoding::encoding::split_rule::{
    ByteOrder, ByteSet, SplitPoints, SplitRule, SplitTarget,
};

/// The number of bytes that are read at a time, first and at most.
const BLOCK_SIZES: std::ops::RangeInclusive<usize> = 512..=65_536;

/// Returns the first split point of `input` at or after `offset`: 0 for 0, the size of the input for all
/// offsets after the last split point, and otherwise the end of the first split sequence that ends at or
/// after `offset`.
///
/// The result depends on the input, the points and the offset only, and does not decrease when the
/// offset increases. Reads from there up to the split sequence, in blocks of constant size, and
/// for [`ByteOrder::Bom`] the start of the input. See the [module](self) for an example.
///
/// # Errors
///
/// Returns the errors of `input`.
pub fn safe_offset(
    input: &mut (impl Read + Seek),
    points: &SplitPoints,
    offset: u64,
) -> io::Result<u64> {
    let size = input.seek(SeekFrom::End(0))?;
    if offset == 0 || offset >= size {
        return Ok(offset.min(size));
    }
    match *points {
        SplitPoints::AnyByte { .. } => Ok(offset),
        SplitPoints::AfterByte { bytes, not_after, .. } => {
            // The sequence may end at the offset, and the byte before it matters if it must not precede.
            let start = offset.saturating_sub(1 + u64::from(not_after.is_some()));
            let mut previous = None;
            let is_split = |block: &[u8], block_start: u64| {
                let mut from = usize::from(block_start + 1 < offset);
                while let Some(found) = bytes.position(block.get(from..).unwrap_or_default()) {
                    let at = from + found;
                    let before = at.checked_sub(1).map_or(previous, |before| Some(block[before]));
                    if not_after.is_none() || before != not_after {
                        return Some(at + 1);
                    }
                    from = at + 1;
                }
                previous = block.last().copied();
                None
            };
            first_in_blocks(input, start, 1, is_split).map(|found| found.unwrap_or(size))
        }
        SplitPoints::AfterLineFeedUnit { width, byte_order } => {
            let width = usize::from(width);
            let order = byte_order_of_file(input, byte_order, width)?;
            let unit = &order.line_feed(width)[..width];
            let start = offset.div_ceil(width as u64) - 1;
            let is_split = |block: &[u8], _| {
                let index = block.chunks_exact(width).position(|other| other == unit)?;
                Some((index + 1) * width)
            };
            let found = first_in_blocks(input, start * width as u64, width, is_split)?;
            Ok(found.unwrap_or(size))
        }
        SplitPoints::None { .. } => Ok(size),
    }
}

/// Returns the bytes that a new decoder must read before those from `offset` on, which is a split point;
/// their text is dropped. They are the byte order mark, if the points depend on it, and the bytes of
/// the split sequence, in all at most eight. Empty at the start of the input.
///
/// ```
/// let text = b"\xFE\xFF\0a\0\n\0b";
/// let points = charpipe::UTF_16.split_rule().source;
/// let context = charpipe_transcode::split::context(&mut std::io::Cursor::new(text), &points, 6)?;
/// assert_eq!(context, b"\xFE\xFF\0\n");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Returns the errors of `input`.
pub fn context(
    input: &mut (impl Read + Seek),
    points: &SplitPoints,
    offset: u64,
) -> io::Result<Vec<u8>> {
    let (width, byte_order) = match *points {
        SplitPoints::AfterLineFeedUnit { width, byte_order } => (width.into(), byte_order),
        _ => (1, ByteOrder::Little),
    };
    let mut context = Vec::new();
    if byte_order == ByteOrder::Bom && offset > width {
        input.rewind()?;
        input.by_ref().take(width).read_to_end(&mut context)?;
        if byte_order.of_file(&context) == ByteOrder::Little {
            context.clear();
        }
    }
    if let Some(start) = offset.checked_sub(width) {
        input.seek(SeekFrom::Start(start))?;
        input.by_ref().take(width).read_to_end(&mut context)?;
    }
    Ok(context)
}

/// Returns the byte order of a file, by its byte order mark if that decides.
fn byte_order_of_file(
    input: &mut (impl Read + Seek),
    byte_order: ByteOrder,
    width: usize,
) -> io::Result<ByteOrder> {
    let mut first_unit = Vec::new();
    if byte_order == ByteOrder::Bom {
        input.rewind()?;
        input.by_ref().take(width as u64).read_to_end(&mut first_unit)?;
    }
    Ok(byte_order.of_file(&first_unit))
}

/// Reads from `start` in blocks that are multiples of `width`, except for the last one, and returns the
/// offset of the first position that `find` returns for a block and its offset.
fn first_in_blocks(
    input: &mut (impl Read + Seek),
    start: u64,
    width: usize,
    mut find: impl FnMut(&[u8], u64) -> Option<usize>,
) -> io::Result<Option<u64>> {
    input.seek(SeekFrom::Start(start))?;
    let (mut block, mut block_start) = (Vec::new(), start);
    let mut block_size = *BLOCK_SIZES.start();
    debug_assert_eq!(block_size % width, 0, "units are not divided");
    loop {
        block.clear();
        input.by_ref().take(block_size as u64).read_to_end(&mut block)?;
        if let Some(found) = find(&block, block_start) {
            return Ok(Some(block_start + found as u64));
        }
        if block.len() < block_size {
            return Ok(None);
        }
        block_start += block.len() as u64;
        block_size = (block_size * 2).min(*BLOCK_SIZES.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tilde_before_a_line_feed_may_be_in_another_block() {
        // RFC 1843: a tilde before a line feed continues the line.
        let points = charpipe_encoding::HZ.split_rule().source;
        for len in 500..520 {
            let mut input = vec![b'a'; len];
            input.extend_from_slice(b"~\nb\nc");
            for offset in 1..5 {
                let found = safe_offset(&mut io::Cursor::new(&input), &points, offset).unwrap();
                assert_eq!(found, len as u64 + 4, "{len} {offset}");
            }
        }
    }
}
