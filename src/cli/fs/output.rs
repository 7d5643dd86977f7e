//! Output streams: standard output, a device, or a file that is replaced atomically.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::cli::sys::directory::is_a_directory;
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::preserve::Preserve;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::stdio;
use crate::cli::sys::{file_name, inherited_fd};

pub(crate) mod atomic_file;
pub(crate) mod temp_file;

pub use atomic_file::{AtomicFile, CommitError};
pub use temp_file::{TempFileRegistry, is_temp_file_name};

/// An open output. Every write is passed to the kernel before it returns.
#[derive(Debug)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// A device, FIFO or the like, or an inherited descriptor, which is written directly.
    Direct(File),
    /// A regular file, new or existing, that is created or replaced on [`commit`](OutputStream::commit).
    Atomic(AtomicFile),
}

impl OutputStream {
    /// Opens an output by its path. A regular file or a file that does not exist is replaced atomically.
    /// Anything else is written directly, and so is an inherited descriptor that the path names
    /// (`/dev/stdout`, `/dev/fd/3`). A file that replaces another one gets the metadata in `preserve`.
    /// Temporary files are listed in `temp_files` while they have a name.
    ///
    /// # Errors
    ///
    /// Returns the error of the system, [`io::ErrorKind::IsADirectory`] for a directory, and an error
    /// for a file with several hard links.
    pub fn open(
        path: &Path,
        preserve: Preserve,
        temp_files: &TempFileRegistry,
    ) -> io::Result<OutputStream> {
        match inherited_fd::fd_number(path) {
            Some(1) => return Ok(OutputStream::Stdout),
            Some(number) => {
                return Ok(OutputStream::Direct(inherited_fd::duplicate_for_writing(number)?));
            }
            None => {}
        }
        let open_directly = || Ok(OutputStream::Direct(OpenOptions::new().write(true).open(path)?));
        if file_name::is_device(path) {
            return open_directly();
        }
        let existing = match FileStatus::at(path) {
            Ok(status) if status.is_dir() => return Err(is_a_directory()),
            Ok(status) if !status.is_file() => return open_directly(),
            Ok(status) => Some(status),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let file = AtomicFile::replacing_path(path, existing.as_ref(), preserve, temp_files)?;
        Ok(OutputStream::Atomic(file))
    }

    /// Returns the identity of the output if it is a regular file, pipe or FIFO.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`.
    pub fn file_id(&self) -> io::Result<Option<FileId>> {
        let handle = match self {
            OutputStream::Stdout => stdio::stdout(),
            OutputStream::Direct(file) => stdio::of_file(file),
            OutputStream::Atomic(file) => match file.file() {
                Some(file) => stdio::of_file(file),
                None => return Ok(None),
            },
        };
        FileStatus::of_stream(handle).map(|status| status.file_id())
    }

    /// Returns whether the output is invisible until it is [committed](OutputStream::commit).
    pub fn is_atomic(&self) -> bool {
        matches!(self, OutputStream::Atomic(_))
    }

    /// Commits the output: syncs the temporary file and renames it over the old file. Dropping the
    /// output without committing removes the temporary file.
    ///
    /// # Errors
    ///
    /// Returns the error of `fsync` or `rename`; the existing file is then unchanged. If only the
    /// directory could not be synced, the file has already been replaced: [`CommitError`] distinguishes
    /// the two.
    pub fn commit(self) -> Result<(), CommitError> {
        match self {
            OutputStream::Atomic(file) => file.commit(|_| Ok(())),
            OutputStream::Stdout | OutputStream::Direct(_) => Ok(()),
        }
    }
}

impl Write for OutputStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            OutputStream::Stdout => stdio::write(stdio::stdout(), bytes),
            OutputStream::Direct(file) => stdio::write(stdio::of_file(file), bytes),
            OutputStream::Atomic(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
