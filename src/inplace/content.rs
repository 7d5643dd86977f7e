//! Reading the content of an open file, also with a checksum.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;

use crate::patience;

/// The content of an open file, read without moving the place in it.
#[derive(Debug)]
pub(super) struct Content<'a> {
    pub(super) file: &'a File,
    /// Bytes that have been read.
    pub(super) at: u64,
}

impl<'a> Content<'a> {
    /// Computes a checksum of what is read from here on.
    pub(super) fn with_checksum(self) -> Checksummed<'a> {
        Checksummed { content: self, hasher: crc32fast::Hasher::new() }
    }
}

impl Read for Content<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let count = patience::read_at(self.file.as_fd(), space, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

/// The content of a file, with a checksum of the bytes that have been read.
#[derive(Debug)]
pub(super) struct Checksummed<'a> {
    content: Content<'a>,
    hasher: crc32fast::Hasher,
}

impl Checksummed<'_> {
    /// The CRC-32 of the bytes that have been read.
    pub(super) fn checksum(self) -> u32 {
        self.hasher.finalize()
    }
}

impl Read for Checksummed<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let count = self.content.read(space)?;
        self.hasher.update(&space[..count]);
        Ok(count)
    }
}
