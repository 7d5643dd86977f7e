//! Reading the content of an open file, also with a checksum.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;

use crate::retry;

/// The content of an open file, read without moving the position in it.
#[derive(Debug)]
pub(super) struct ContentReader<'a> {
    pub(super) file: &'a File,
    /// Bytes that have been read.
    pub(super) offset: u64,
}

impl<'a> ContentReader<'a> {
    /// Computes a checksum of what is read from here on.
    pub(super) fn with_checksum(self) -> ChecksumReader<'a> {
        ChecksumReader { inner: self, hasher: crc32fast::Hasher::new() }
    }
}

impl Read for ContentReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = retry::read_at(self.file.as_fd(), buffer, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

/// The content of a file, with a checksum of the bytes that have been read.
#[derive(Debug)]
pub(super) struct ChecksumReader<'a> {
    inner: ContentReader<'a>,
    hasher: crc32fast::Hasher,
}

impl ChecksumReader<'_> {
    /// The CRC-32 of the bytes that have been read.
    pub(super) fn checksum(self) -> u32 {
        self.hasher.finalize()
    }
}

impl Read for ChecksumReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}
