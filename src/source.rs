//! Where the bytes come from: a named file or the standard input.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::io::Errno;

use crate::identity::Identity;
use crate::patience;

/// An open input.
#[derive(Debug)]
pub enum Source {
    /// The standard input.
    Stdin,
    /// A file.
    File(File),
}

impl Source {
    /// Opens a file. A FIFO waits here for its writer.
    ///
    /// # Errors
    ///
    /// What `open` answers. A directory can be opened, but has nothing to read: it is refused
    /// as [`io::ErrorKind::IsADirectory`].
    pub fn open(path: &Path) -> io::Result<Source> {
        let file = File::open(path)?;
        if file.metadata()?.is_dir() {
            return Err(Errno::ISDIR.into());
        }
        Ok(Source::File(file))
    }

    /// The regular file or FIFO that this input is, if it is one.
    ///
    /// # Errors
    ///
    /// What `fstat` answers.
    pub fn identity(&self) -> io::Result<Option<Identity>> {
        Identity::of(self.descriptor())
    }

    fn descriptor(&self) -> BorrowedFd<'_> {
        match self {
            Source::Stdin => rustix::stdio::stdin(),
            Source::File(file) => file.as_fd(),
        }
    }
}

impl Read for Source {
    /// Reads what is there, straight into `space`. A call that is interrupted or would block is
    /// made again, so neither shows.
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        patience::read(self.descriptor(), space)
    }
}
