//! Where the bytes come from: a named file or the standard input.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::io::Errno;

use crate::file_id::FileId;
use crate::retry;

/// An open input.
#[derive(Debug)]
pub enum InputStream {
    /// The standard input.
    Stdin,
    /// A file.
    File(File),
}

impl InputStream {
    /// Opens a file. A FIFO waits here for its writer.
    ///
    /// # Errors
    ///
    /// What `open` answers. A directory can be opened, but has nothing to read: it is refused
    /// as [`io::ErrorKind::IsADirectory`].
    pub fn open(path: &Path) -> io::Result<InputStream> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(Errno::ISDIR.into());
        }
        Ok(InputStream::File(file))
    }

    /// The regular file or FIFO that this input is, if it is one.
    ///
    /// # Errors
    ///
    /// What `fstat` answers.
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
    /// Reads what is there, straight into `space`. A call that is interrupted or would block is
    /// made again, so neither shows.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        retry::read(self.fd(), buffer)
    }
}
