//! The number of input bytes that have been processed, for progress.
//!
//! It is a single counter: an addition for each block costs nothing that can be measured.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static PROCESSED: AtomicU64 = AtomicU64::new(0);

/// Returns the number of bytes that have been processed.
pub fn processed() -> u64 {
    PROCESSED.load(Relaxed)
}

/// Counts bytes.
pub fn add(count: u64) {
    PROCESSED.fetch_add(count, Relaxed);
}

/// A reader whose bytes are counted.
#[derive(Debug)]
pub struct CountedReader<R>(pub R);

impl<R: Read> Read for CountedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        add(count as u64);
        Ok(count)
    }
}

/// The byte count of a file that is read several times. Each pass counts for a part of its length;
/// dropping the count adds what is left of it.
#[derive(Debug)]
pub(super) struct FileByteCount {
    len: u64,
    /// The number of passes, if none is omitted.
    passes: AtomicU64,
    counted: AtomicU64,
}

impl FileByteCount {
    pub(super) fn new(len: u64) -> FileByteCount {
        FileByteCount { len, passes: AtomicU64::new(1), counted: AtomicU64::new(0) }
    }

    /// Sets the number of passes, before the first one.
    pub(super) fn expect_passes(&self, passes: u64) {
        self.passes.store(passes.max(1), Relaxed);
    }

    /// Begins a pass over the file.
    pub(super) fn begin_pass(&self) -> PassCount<'_> {
        PassCount { file: self, read: 0, counted: 0 }
    }

    fn add(&self, count: u64) {
        let count = count.min(self.len - self.counted.load(Relaxed));
        self.counted.fetch_add(count, Relaxed);
        add(count);
    }
}

impl Drop for FileByteCount {
    fn drop(&mut self) {
        self.add(self.len);
    }
}

/// The byte count of one pass over a file. Dropping it adds what is left of the part of the pass.
#[derive(Debug)]
pub(super) struct PassCount<'a> {
    file: &'a FileByteCount,
    read: u64,
    counted: u64,
}

impl PassCount<'_> {
    /// Counts bytes that have been read.
    pub(super) fn add(&mut self, read: usize) {
        self.read += read as u64;
        self.count_up_to(self.read);
    }

    fn count_up_to(&mut self, read: u64) {
        let target = read.min(self.file.len) / self.file.passes.load(Relaxed);
        self.file.add(target.saturating_sub(self.counted));
        self.counted = self.counted.max(target);
    }
}

impl Drop for PassCount<'_> {
    fn drop(&mut self) {
        self.count_up_to(self.file.len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_count_for_equal_parts() {
        let file = FileByteCount::new(100);
        file.expect_passes(3);
        let mut pass = file.begin_pass();
        pass.add(30);
        assert_eq!(file.counted.load(Relaxed), 10);
        pass.add(30);
        assert_eq!(file.counted.load(Relaxed), 20);
        drop(pass);
        assert_eq!(file.counted.load(Relaxed), 33);
        let mut pass = file.begin_pass();
        // The file has grown.
        pass.add(1000);
        assert_eq!(file.counted.load(Relaxed), 66);
        drop(pass);
        drop(file.begin_pass());
        assert_eq!(file.counted.load(Relaxed), 99);
        // More passes than expected.
        drop(file.begin_pass());
        assert_eq!(file.counted.load(Relaxed), 100);
    }
}
