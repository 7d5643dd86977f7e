//! Where the conversion of a block can begin: after the first line feed, if there is one.

use crate::options::TranscodeOptions;
use crate::split::{ByteOrder, ByteSet, SplitPoints, SplitRule, SplitTarget};

/// After what the conversion of a block begins. That the state is the expected one there is verified, so
/// this needs to be right most of the time only.
#[derive(Debug, Clone, Copy)]
pub enum Boundary {
    /// Nothing: at the start of the block.
    Anything,
    /// One of these bytes, unless another one precedes it.
    Byte {
        /// The bytes.
        bytes: ByteSet,
        /// The byte before which it is none.
        not_after: Option<u8>,
    },
    /// U+000A in two or four bytes, at a multiple of that.
    Unit {
        /// The length of a unit, in bytes.
        width: usize,
        /// The order of its bytes.
        byte_order: ByteOrder,
    },
}

/// What ends lines in most encodings.
const LINE_FEED: ByteSet = ByteSet::from_bytes(b"\n");

impl Boundary {
    /// Returns where a conversion with these options can begin.
    pub fn from_options(options: &TranscodeOptions) -> Boundary {
        let rule = options.from.split_rule();
        let is_simple = options.via.is_empty() && options.to.transforms.is_empty();
        let any_character =
            is_simple && options.to.split_rule().target == SplitTarget::AnyCharacter;
        if !any_character || !rule.unverified_line_feeds.is_empty() {
            return Boundary::after_line_feed(rule);
        }
        match rule.source {
            SplitPoints::AnyByte { .. } => Boundary::Anything,
            SplitPoints::AfterByte { bytes, not_after, .. } => Boundary::Byte { bytes, not_after },
            _ => Boundary::after_line_feed(rule),
        }
    }

    /// Returns the boundary after a line feed of an encoding.
    pub fn after_line_feed(rule: SplitRule) -> Boundary {
        let after = |bytes, not_after| Boundary::Byte { bytes, not_after };
        if !rule.unverified_line_feeds.is_empty() {
            return after(rule.unverified_line_feeds, None);
        }
        match rule.source {
            SplitPoints::AnyByte { line_feeds } if !line_feeds.is_empty() => {
                after(line_feeds, None)
            }
            SplitPoints::AfterByte { line_feeds, not_after, .. } if !line_feeds.is_empty() => {
                after(line_feeds, not_after)
            }
            SplitPoints::AfterLineFeedUnit { width, byte_order } => {
                Boundary::Unit { width: width.into(), byte_order }
            }
            _ => after(LINE_FEED, None),
        }
    }

    /// Returns the first index of `block`, which begins at `offset` of the input, at which the conversion can
    /// begin.
    pub fn find(self, block: &[u8], offset: u64) -> Option<usize> {
        match self {
            Boundary::Anything => Some(0),
            Boundary::Byte { bytes, not_after: None } => bytes.position(block).map(|at| at + 1),
            Boundary::Byte { bytes, not_after: Some(not_after) } => {
                let mut from = 1;
                loop {
                    let at = from + bytes.position(block.get(from..)?)?;
                    if block[at - 1] != not_after {
                        return Some(at + 1);
                    }
                    from = at + 1;
                }
            }
            Boundary::Unit { width, byte_order } => {
                let skipped = (offset % width as u64) as usize;
                let start = if skipped == 0 { 0 } else { width - skipped };
                let (big, little) =
                    (ByteOrder::Big.line_feed(width), { ByteOrder::Little.line_feed(width) });
                let is_line_feed = |unit: &[u8]| {
                    byte_order != ByteOrder::Little && *unit == big[..width]
                        || byte_order != ByteOrder::Big && *unit == little[..width]
                };
                let units = block.get(start..)?.chunks_exact(width);
                let index = units.clone().position(is_line_feed)?;
                Some(start + (index + 1) * width)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary(from: &str) -> Boundary {
        Boundary::from_options(&TranscodeOptions::from_labels(from, "utf-8").unwrap())
    }

    #[test]
    fn text_without_line_feeds_is_divided_after_bytes_that_end_a_state() {
        // RFC 3501, section 5.1.3: a space is in no base64 run.
        assert_eq!(boundary("utf-7-imap").find(b"&AOk- &AOk-", 5), Some(6));
        assert_eq!(boundary("windows-1252").find(b"abc", 5), Some(0));
    }

    #[test]
    fn line_feeds_of_code_units_are_found_at_any_offset() {
        // U+0A0A U+000A U+0061
        let text = b"\x0A\x0A\0\x0A\0a";
        let boundary = boundary("utf-16be");
        for start in 0..=2 {
            assert_eq!(boundary.find(&text[start..], start as u64), Some(4 - start), "{start}");
        }
        assert_eq!(boundary.find(&text[3..], 3), None);
    }
}
