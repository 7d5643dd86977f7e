//! From text back to the bytes of the file.

use crate::pump::link::Link;
use crate::pump::locate::{replay, replay_past};

/// Where in the file the characters of a piece come from, as offsets. Asked from the front to the
/// back.
pub(super) trait Source {
    /// The first byte of the character that begins at this index of the text.
    fn start(&mut self, index: usize) -> u64;

    /// The end of the character of `len` bytes that begins at this index of the text.
    fn end(&mut self, index: usize, len: usize) -> u64;
}

/// Text that stands in the file as it is, from this offset on.
pub(super) struct InPlace(pub u64);

impl Source for InPlace {
    fn start(&mut self, index: usize) -> u64 {
        self.0 + index as u64
    }

    fn end(&mut self, index: usize, len: usize) -> u64 {
        self.0 + (index + len) as u64
    }
}

/// Text that the last step of a link has decoded, from bytes that are found by running it again.
pub(super) struct Decoded<'a> {
    /// Offset in the file of index 0 of the link's block.
    pub base: u64,
    pub link: &'a mut Link,
    pub scratch: &'a mut [u8],
}

impl Source for Decoded<'_> {
    fn start(&mut self, index: usize) -> u64 {
        self.base.wrapping_add(replay(self.link, self.scratch, index) as u64)
    }

    fn end(&mut self, index: usize, len: usize) -> u64 {
        self.base.wrapping_add(replay_past(self.link, self.scratch, index, len) as u64)
    }
}
