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
//! use charpipe::split::SplitPoints;
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
//! use charpipe::split;
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

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

mod range;

#[cfg(feature = "cli")]
pub(crate) use range::part_offset;
pub use range::{InputRange, RangeResult, RangeState, RangeTranscoder};

/// Where a file in an encoding can be split, and where text can be split that is encoded in it.
///
/// ```
/// let rule = charpipe::UTF_7.split_rule();
/// assert_eq!(rule.to_string(), "source after 0A; target after line feeds");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SplitRule {
    /// Where a file in the encoding can be split.
    pub source: SplitPoints,
    /// The bytes that end a line, after which the decoder is in its initial state by the rules of the
    /// encoding or in most texts, but not after all. Files that have no split points can be split there if it is
    /// verified afterwards that the conversion of the preceding part ended in the initial state. Empty
    /// for encodings without such lines, and for those that need none.
    pub unverified_line_feeds: ByteSet,
    /// Where text can be split that is encoded in the encoding.
    pub target: SplitTarget,
}

/// Where a file can be split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitPoints {
    /// Anywhere. The bytes in `line_feeds` decode to U+000A.
    AnyByte {
        /// The bytes that decode to U+000A.
        line_feeds: ByteSet,
    },
    /// After a byte in `bytes`.
    AfterByte {
        /// The bytes.
        bytes: ByteSet,
        /// Those of them that decode to U+000A.
        line_feeds: ByteSet,
        /// The byte that must not directly precede them.
        not_after: Option<u8>,
    },
    /// After U+000A in `width` bytes, at an offset that is a multiple of `width`.
    AfterLineFeedUnit {
        /// 2 or 4.
        width: u8,
        /// The order of the bytes.
        byte_order: ByteOrder,
    },
    /// Nowhere.
    None {
        /// Why.
        reason: &'static str,
    },
}

/// The order of the bytes of a code unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ByteOrder {
    /// The most significant byte comes first.
    Big,
    /// The least significant byte comes first.
    Little,
    /// The order of the byte order mark at the start of the file, or little-endian without one.
    Bom,
}

/// Where text can be split that is encoded in an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SplitTarget {
    /// Anywhere: each character is encoded by itself.
    AnyCharacter,
    /// After a line feed, which returns the encoder to one and the same state.
    AfterLineFeed {
        /// Whether that is not the initial state: the encoder writes a byte order mark or another header
        /// before the first character.
        header: bool,
    },
    /// Nowhere.
    None {
        /// Why.
        reason: &'static str,
    },
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteSet([u64; 4]);

/// The byte 0A.
const LINE_FEED: ByteSet = ByteSet::from_bytes(b"\n");

impl SplitRule {
    /// The rule of encodings that can be split after the byte 0A, and encode each character by itself.
    pub(crate) const AFTER_LINE_FEED: SplitRule = SplitRule::after(LINE_FEED, LINE_FEED);

    /// Returns the rule of encodings that can be split anywhere.
    pub(crate) const fn any_byte(line_feeds: ByteSet) -> SplitRule {
        SplitRule::new(SplitPoints::AnyByte { line_feeds })
    }

    /// Returns the rule of encodings that can be split after these bytes, of which some are U+000A.
    pub(crate) const fn after(bytes: ByteSet, line_feeds: ByteSet) -> SplitRule {
        SplitRule::new(SplitPoints::AfterByte { bytes, line_feeds, not_after: None })
    }

    /// Returns the rule of encodings with code units of `width` bytes.
    pub(crate) const fn after_unit(width: u8, byte_order: ByteOrder) -> SplitRule {
        SplitRule::new(SplitPoints::AfterLineFeedUnit { width, byte_order })
    }

    /// Returns the rule of encodings that cannot be split at all.
    pub(crate) const fn unsplittable(reason: &'static str) -> SplitRule {
        SplitRule::new(SplitPoints::None { reason }).with_target(SplitTarget::None { reason })
    }

    /// Returns the rule of encodings that encode each character by itself.
    pub(crate) const fn new(source: SplitPoints) -> SplitRule {
        let target = SplitTarget::AnyCharacter;
        SplitRule { source, unverified_line_feeds: ByteSet::EMPTY, target }
    }

    /// Returns the rule with another target.
    pub(crate) const fn with_target(self, target: SplitTarget) -> SplitRule {
        SplitRule { target, ..self }
    }

    /// Returns the rule with line feeds at which a split must be verified.
    pub(crate) const fn with_unverified(self, line_feeds: ByteSet) -> SplitRule {
        SplitRule { unverified_line_feeds: line_feeds, ..self }
    }
}

impl SplitPoints {
    /// Returns those of these points at which text can also be split for a target encoding.
    ///
    /// ```
    /// let source = charpipe::ISO_8859_1.split_rule().source;
    /// assert_eq!(source.to_string(), "after any byte");
    /// let points = source.for_target(charpipe::UTF_7.split_rule().target);
    /// assert_eq!(points.to_string(), "after 0A");
    /// ```
    #[must_use]
    pub fn for_target(self, target: SplitTarget) -> SplitPoints {
        match (target, self) {
            (SplitTarget::None { reason }, _) => SplitPoints::None { reason },
            (SplitTarget::AnyCharacter, points) => points,
            (
                SplitTarget::AfterLineFeed { .. },
                SplitPoints::AnyByte { line_feeds } | SplitPoints::AfterByte { line_feeds, .. },
            ) if line_feeds.is_empty() => SplitPoints::None {
                reason: "the target needs line feeds, which the source does not have",
            },
            (SplitTarget::AfterLineFeed { .. }, SplitPoints::AnyByte { line_feeds }) => {
                SplitPoints::AfterByte { bytes: line_feeds, line_feeds, not_after: None }
            }
            (
                SplitTarget::AfterLineFeed { .. },
                SplitPoints::AfterByte { line_feeds, not_after, .. },
            ) => SplitPoints::AfterByte { bytes: line_feeds, line_feeds, not_after },
            (SplitTarget::AfterLineFeed { .. }, points) => points,
        }
    }
}

impl ByteOrder {
    /// Returns U+000A in `width` bytes.
    pub(crate) fn line_feed(self, width: usize) -> [u8; 4] {
        let mut unit = [0; 4];
        unit[if self == ByteOrder::Big { width - 1 } else { 0 }] = b'\n';
        unit
    }

    /// Returns the byte order of a file whose first code unit is this one, or shorter.
    fn of_file(self, first_unit: &[u8]) -> ByteOrder {
        match (self, first_unit) {
            (ByteOrder::Bom, [0xFE, 0xFF] | [0, 0, 0xFE, 0xFF]) => ByteOrder::Big,
            (ByteOrder::Bom, _) => ByteOrder::Little,
            _ => self,
        }
    }
}

impl ByteSet {
    /// No byte.
    pub const EMPTY: ByteSet = ByteSet([0; 4]);

    /// Returns the set of these bytes.
    pub(crate) const fn from_bytes(bytes: &[u8]) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        let mut index = 0;
        while index < bytes.len() {
            set.0[(bytes[index] >> 6) as usize] |= 1 << (bytes[index] & 63);
            index += 1;
        }
        set
    }

    /// Returns the set of the bytes for which a function returns true.
    pub(crate) fn from_fn(mut is_member: impl FnMut(u8) -> bool) -> ByteSet {
        let bytes: Vec<u8> = (0..=u8::MAX).filter(|byte| is_member(*byte)).collect();
        ByteSet::from_bytes(&bytes)
    }

    /// Returns whether a byte is in the set.
    ///
    /// ```
    /// let rule = charpipe::Encoding::lookup("jis_x0208")?.split_rule();
    /// let charpipe::split::SplitPoints::AfterByte { bytes, .. } = rule.source else { panic!() };
    /// assert!(bytes.contains(0x20) && !bytes.contains(0x21));
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub const fn contains(self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 != 0
    }

    /// Returns whether no byte is in the set.
    pub const fn is_empty(self) -> bool {
        matches!(self.0, [0, 0, 0, 0])
    }

    /// Returns the bytes in the set, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |byte| self.contains(*byte))
    }

    /// Returns the offset of the first byte of `bytes` that is in the set.
    pub(crate) fn position(self, bytes: &[u8]) -> Option<usize> {
        let mut members = self.iter();
        match (members.next(), members.next(), members.next()) {
            (None, ..) => None,
            (Some(only), None, _) => memchr::memchr(only, bytes),
            (Some(one), Some(other), None) => memchr::memchr2(one, other, bytes),
            _ => bytes.iter().position(|byte| self.contains(*byte)),
        }
    }
}

/// Writes the bytes in hexadecimal, with ranges: `00 to 20 or 7F to FF`.
impl fmt::Display for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(u8, u8)> = Vec::new();
        for byte in self.iter() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == byte => *last = byte,
                _ => ranges.push((byte, byte)),
            }
        }
        let mut parts = Vec::new();
        for (first, last) in ranges {
            match last - first {
                0 => parts.push(format!("{first:02X}")),
                1 => parts.extend([format!("{first:02X}"), format!("{last:02X}")]),
                _ => parts.push(format!("{first:02X} to {last:02X}")),
            }
        }
        match parts.split_last() {
            None => Ok(()),
            Some((only, [])) => f.write_str(only),
            Some((last, others)) => write!(f, "{} or {last}", others.join(", ")),
        }
    }
}

impl fmt::Display for SplitPoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            SplitPoints::AnyByte { .. } => f.write_str("after any byte"),
            SplitPoints::AfterByte { bytes, not_after, .. } => {
                write!(f, "after {bytes}")?;
                not_after.map_or(Ok(()), |byte| write!(f, ", unless {byte:02X} precedes it"))
            }
            SplitPoints::AfterLineFeedUnit { width, byte_order } => {
                f.write_str("after")?;
                let hex = |f: &mut fmt::Formatter<'_>, order: ByteOrder| {
                    let unit = order.line_feed(width.into());
                    unit[..width.into()].iter().try_for_each(|byte| write!(f, " {byte:02X}"))
                };
                match byte_order {
                    ByteOrder::Bom => {
                        hex(f, ByteOrder::Little)?;
                        f.write_str(" or, by the byte order mark,")?;
                        hex(f, ByteOrder::Big)?;
                    }
                    order => hex(f, order)?,
                }
                write!(f, " at a multiple of {width} bytes")
            }
            SplitPoints::None { reason } => write!(f, "nowhere: {reason}"),
        }
    }
}

impl fmt::Display for SplitTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SplitTarget::AnyCharacter => f.write_str("after any character"),
            SplitTarget::AfterLineFeed { header: false } => f.write_str("after line feeds"),
            SplitTarget::AfterLineFeed { header: true } => {
                f.write_str("after line feeds; only the first part begins with the header")
            }
            SplitTarget::None { reason } => write!(f, "nowhere: {reason}"),
        }
    }
}

impl fmt::Display for SplitRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "source {}", self.source)?;
        if !self.unverified_line_feeds.is_empty() {
            write!(f, ", and if verified after {}", self.unverified_line_feeds)?;
        }
        write!(f, "; target {}", self.target)
    }
}

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
                let mut from =
                    usize::try_from((offset - 1).saturating_sub(block_start)).unwrap_or(0);
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
/// let context = charpipe::split::context(&mut std::io::Cursor::new(text), &points, 6)?;
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
    fn byte_sets_are_written_as_ranges() {
        let text = |bytes: &[u8]| ByteSet::from_bytes(bytes).to_string();
        assert_eq!(text(b""), "");
        assert_eq!(text(b"\n"), "0A");
        assert_eq!(text(b"\x0E\x0F"), "0E or 0F");
        assert_eq!(text(b"\0\x01\x02\x40\xFE\xFF"), "00 to 02, 40, FE or FF");
    }

    #[test]
    fn rules_are_written_with_their_conditions() {
        let rule = |label: &str| crate::Encoding::lookup(label).unwrap().split_rule().to_string();
        assert_eq!(rule("hz"), "source after 0A, unless 7E precedes it; target after line feeds");
        assert_eq!(
            rule("ibm939"),
            "source after 0E or 0F, and if verified after 25; target after line feeds"
        );
        assert_eq!(
            rule("utf-16"),
            "source after 0A 00 or, by the byte order mark, 00 0A at a multiple of 2 bytes; target after line \
             feeds; only the first part begins with the header"
        );
        assert_eq!(
            rule("jis_x0208"),
            "source after 00 to 20 or 7F to FF; target after any character"
        );
    }

    #[test]
    fn points_for_a_target_are_at_line_feeds_of_the_source() {
        let points = |source: &str, target: &str| {
            let [source, target] =
                [source, target].map(|label| crate::Encoding::lookup(label).unwrap().split_rule());
            source.source.for_target(target.target).to_string()
        };
        assert_eq!(points("ibm1047", "utf-8"), "after any byte");
        assert_eq!(points("ibm1047", "utf-7"), "after 25");
        assert_eq!(points("utf-ebcdic", "utf-16"), "after 15");
        assert_eq!(points("hz", "iso-2022-jp"), "after 0A, unless 7E precedes it");
        assert_eq!(points("utf-16be", "utf-16"), "after 00 0A at a multiple of 2 bytes");
        assert!(points("ibm939", "utf-7").starts_with("nowhere: the target needs line feeds"));
        assert!(points("utf-8", "scsu").starts_with("nowhere: "));
    }
}
