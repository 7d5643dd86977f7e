//! The bytes of a block.

use std::io::{self, Read};
use std::ops::Deref;

/// A buffer that is filled again and again, without clearing it.
#[derive(Debug, Default)]
pub(super) struct BlockBuffer {
    storage: Vec<u8>,
    len: usize,
}

impl BlockBuffer {
    /// Removes all bytes.
    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Returns the space after the bytes, up to a length of `max_len`.
    fn space(&mut self, max_len: usize) -> &mut [u8] {
        self.storage.resize(max_len.max(self.storage.len()), 0);
        &mut self.storage[self.len..max_len]
    }

    /// Reads once. Returns the number of bytes read, zero at the end of the input.
    pub(super) fn read_once(
        &mut self,
        source: &mut (impl Read + ?Sized),
        max_len: usize,
    ) -> io::Result<usize> {
        self.read_with(|space| source.read(space), max_len)
    }

    /// Reads once with `read`. Returns the number of bytes read, zero at the end of the input.
    pub(super) fn read_with(
        &mut self,
        mut read: impl FnMut(&mut [u8]) -> io::Result<usize>,
        max_len: usize,
    ) -> io::Result<usize> {
        loop {
            match read(self.space(max_len)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => {
                    let len = result?;
                    self.len += len;
                    return Ok(len);
                }
            }
        }
    }

    /// Reads until there are `max_len` bytes or the input ends.
    pub(super) fn read_all(
        &mut self,
        source: &mut (impl Read + ?Sized),
        max_len: usize,
    ) -> io::Result<()> {
        while self.len < max_len && self.read_once(source, max_len)? > 0 {}
        Ok(())
    }

    /// Appends the bytes of another buffer, unless there would be more than `max_len`.
    pub(super) fn try_append(&mut self, other: &[u8], max_len: usize) -> bool {
        let fits = self.len + other.len() <= max_len;
        if fits {
            self.space(max_len)[..other.len()].copy_from_slice(other);
            self.len += other.len();
        }
        fits
    }
}

impl Deref for BlockBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.storage[..self.len]
    }
}
