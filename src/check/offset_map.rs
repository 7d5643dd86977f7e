//! From text back to the bytes of the file.

use crate::transcoder::chain::ChainLink;
use crate::transcoder::position::{replay_past, replay_to};

/// Where in the file the characters of a piece come from, as offsets. Asked from the front to the
/// back.
pub(super) trait OffsetMap {
    /// The first byte of the character that begins at this index of the text.
    fn char_start(&mut self, index: usize) -> u64;

    /// The end of the character of `len` bytes that begins at this index of the text.
    fn char_end(&mut self, index: usize, len: usize) -> u64;
}

/// Text that stands in the file as it is, from this offset on.
pub(super) struct DirectOffsets(pub u64);

impl OffsetMap for DirectOffsets {
    fn char_start(&mut self, index: usize) -> u64 {
        self.0 + index as u64
    }

    fn char_end(&mut self, index: usize, len: usize) -> u64 {
        self.0 + (index + len) as u64
    }
}

/// Text that the last step of a link has decoded, from bytes that are found by running it again.
pub(super) struct ReplayedOffsets<'a> {
    /// Offset in the file of index 0 of the link's block.
    pub base_offset: u64,
    pub link: &'a mut ChainLink,
    pub scratch: &'a mut [u8],
}

impl OffsetMap for ReplayedOffsets<'_> {
    fn char_start(&mut self, index: usize) -> u64 {
        self.base_offset.wrapping_add(replay_to(self.link, self.scratch, index) as u64)
    }

    fn char_end(&mut self, index: usize, len: usize) -> u64 {
        self.base_offset.wrapping_add(replay_past(self.link, self.scratch, index, len) as u64)
    }
}
