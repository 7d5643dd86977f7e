//! Where a file in an encoding can be split so that its parts can be converted independently.

use std::fmt;

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
    pub const fn unsplittable(reason: &'static str) -> SplitRule {
        SplitRule::new(SplitPoints::None { reason }).with_target(SplitTarget::None { reason })
    }

    /// Returns the rule of encodings that encode each character by itself.
    pub(crate) const fn new(source: SplitPoints) -> SplitRule {
        let target = SplitTarget::AnyCharacter;
        SplitRule { source, unverified_line_feeds: ByteSet::EMPTY, target }
    }

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
    pub fn line_feed(self, width: usize) -> [u8; 4] {
        let mut unit = [0; 4];
        unit[if self == ByteOrder::Big { width - 1 } else { 0 }] = b'\n';
        unit
    }

    /// Returns the byte order of a file whose first code unit is this one, or shorter.
    pub fn of_file(self, first_unit: &[u8]) -> ByteOrder {
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
    pub const fn from_bytes(bytes: &[u8]) -> ByteSet {
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
    /// let charpipe_encoding::encoding::split_rule::SplitPoints::AfterByte { bytes, .. } = rule.source else { panic!() };
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
    pub fn position(self, bytes: &[u8]) -> Option<usize> {
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
