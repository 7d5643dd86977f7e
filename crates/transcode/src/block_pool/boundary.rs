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
