//! Where the bytes go: the standard output, a device, or a file that is replaced as a whole.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::io::Errno;

use crate::file_id::FileId;
use crate::retry;

pub(crate) mod atomic_file;
pub(crate) mod dir_entry;
mod fd_path;
pub(crate) mod file_metadata;
mod inherited_fd;
pub(crate) mod rename_restriction;
pub(crate) mod temp_file;

pub use atomic_file::{AtomicFile, CommitError};
pub use fd_path::fd_number;
pub use temp_file::{TempFileRegistry, is_temp_file_name};

/// An open output. Every write goes to the kernel before it returns.
#[derive(Debug)]
pub enum OutputStream {
    /// The standard output.
    Stdout,
    /// A device, FIFO or the like, or an open descriptor: written as it stands.
    Direct(File),
    /// A regular file, new or old, that appears only when all went well.
    Atomic(AtomicFile),
}

impl OutputStream {
    /// Opens an output by its path. A regular file and a path where nothing is yet get a
    /// [`Replacement`]; anything else is written directly, and so is an open descriptor that the
    /// path stands for (`/dev/stdout`, `/dev/fd/3`) and that the process was started with. A
    /// temporary file stands in the list as long
    /// as it has a name of its own.
    ///
    /// # Errors
    ///
    /// What the system answers; [`io::ErrorKind::IsADirectory`] for a directory. A file with
    /// several hard links is refused.
    pub fn open(path: &Path, temp_files: &TempFileRegistry) -> io::Result<OutputStream> {
        match fd_path::fd_number(path) {
            Some(1) => return Ok(OutputStream::Stdout),
            Some(number) => return Ok(OutputStream::Direct(fd_path::duplicate(number)?)),
            None => {}
        }
        let metadata = fs::metadata(path);
        match metadata {
            Ok(found) if found.is_dir() => Err(Errno::ISDIR.into()),
            Ok(found) if !found.is_file() => {
                Ok(OutputStream::Direct(OpenOptions::new().write(true).open(path)?))
            }
            Ok(found) => Ok(OutputStream::Atomic(AtomicFile::replacing_path(
                path,
                Some(&found),
                temp_files,
            )?)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(OutputStream::Atomic(AtomicFile::replacing_path(path, None, temp_files)?))
            }
            Err(error) => Err(error),
        }
    }

    /// The regular file or FIFO that this output is, if it is one.
    ///
    /// # Errors
    ///
    /// What `fstat` answers.
    pub fn file_id(&self) -> io::Result<Option<FileId>> {
        FileId::from_fd(self.fd())
    }

    /// Whether nothing is seen of the output before it is [committed](Sink::commit).
    pub fn is_atomic(&self) -> bool {
        matches!(self, OutputStream::Atomic(_))
    }

    /// Says that all went well: only now a replacement takes its position, on disk when this
    /// returns. A sink that is dropped instead leaves no trace of it.
    ///
    /// # Errors
    ///
    /// What `fsync` or `rename` answers; the old file then stands as it was. If only the directory
    /// could not be put on disk, the new file stands in its position already:
    /// [`Uncommitted`] says which.
    pub fn commit(self) -> Result<(), CommitError> {
        match self {
            OutputStream::Atomic(file) => file.commit(|_| Ok(())),
            OutputStream::Stdout | OutputStream::Direct(_) => Ok(()),
        }
    }

    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            OutputStream::Stdout => rustix::stdio::stdout(),
            OutputStream::Direct(file) => file.as_fd(),
            OutputStream::Atomic(file) => file.fd(),
        }
    }
}

impl Write for OutputStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry::write(self.fd(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
