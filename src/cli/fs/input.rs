//! Input streams: a named file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::cli::fs::byte_count;
use crate::cli::sys::directory::is_a_directory;
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::stdio::{self, Handle};
use charpipe_transcode::parallel::ReadAt;

/// An open input.
#[derive(Debug)]
pub enum InputStream {
    /// Standard input.
    Stdin,
    /// A file.
    File(File),
}

impl InputStream {
    /// Opens a file. Opening a FIFO waits for its writer.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`. A directory can be opened but not read, so it is rejected with
    /// [`io::ErrorKind::IsADirectory`].
    pub fn open(path: &Path) -> io::Result<InputStream> {
        let file = match File::open(path) {
            // Windows denies the access to a directory.
            Err(_) if cfg!(windows) && path.is_dir() => return Err(is_a_directory()),
            result => result?,
        };
        if !cfg!(windows) && file.metadata()?.is_dir() {
            return Err(is_a_directory());
        }
        Ok(InputStream::File(file))
    }

    /// Returns the identity of the input if it is a regular file, pipe or FIFO.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`.
    pub fn file_id(&self) -> io::Result<Option<FileId>> {
        FileStatus::of_stream(self.handle()).map(|status| status.file_id())
    }

    /// Rejects a file that the standard output or the standard error is written to: a list of names would grow
    /// while it is read.
    ///
    /// # Errors
    ///
    /// Returns an error if it is one.
    pub fn reject_output(&self) -> io::Result<()> {
        let Ok(Some(id)) = self.file_id() else { return Ok(()) };
        let is_output = |stream| {
            FileStatus::of_stream(stream)
                .map(|status| status.file_id())
                .is_ok_and(|output| output == Some(id))
        };
        match is_output(stdio::stdout()) || is_output(stdio::stderr()) {
            true => Err(io::Error::other("input file is output file")),
            false => Ok(()),
        }
    }

    /// Returns the input as a file that can be read at any offset, if it is one that was opened by its name. A
    /// file without a size, such as those of `/proc`, may return other bytes when it is read again.
    pub fn positional(&self) -> Option<PositionalFile> {
        let InputStream::File(file) = self else { return None };
        let status = file.metadata().ok()?;
        let has_size = status.is_file() && status.len() > 0;
        has_size.then(|| file.try_clone().ok().map(PositionalFile)).flatten()
    }

    fn handle(&self) -> Handle<'_> {
        match self {
            InputStream::Stdin => stdio::stdin(),
            InputStream::File(file) => stdio::of_file(file),
        }
    }
}

impl Read for InputStream {
    /// Reads directly into `buffer`. Interrupted and non-blocking calls are retried.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        stdio::read(self.handle(), buffer)
    }
}

/// A regular file that is read at any offset. For progress, the bytes that were converted are counted.
#[derive(Debug)]
pub struct PositionalFile(File);

impl ReadAt for PositionalFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        stdio::read_at(&self.0, buffer, offset)
    }

    fn count(&self, converted: u64) {
        byte_count::add(converted);
    }
}
