//! Input streams: a named file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::io::Errno;

use crate::cli::fs::file_id::FileId;
use crate::cli::fs::retry;

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
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(Errno::ISDIR.into());
        }
        Ok(InputStream::File(file))
    }

    /// Returns the identity of the input if it is a regular file, pipe or FIFO.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`.
    pub fn file_id(&self) -> io::Result<Option<FileId>> {
        FileId::from_fd(self.fd())
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            InputStream::Stdin => rustix::stdio::stdin(),
            InputStream::File(file) => file.as_fd(),
        }
    }
}

impl Read for InputStream {
    /// Reads directly into `buffer`. Interrupted and non-blocking calls are retried.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        retry::read(self.fd(), buffer)
    }
}
