//! File identity independent of the name, to detect an output that is also an input.

use std::io;
use std::path::Path;

use crate::cli::sys::status::FileStatus;
use crate::cli::sys::stdio::Handle;

/// The device and inode number of a regular file, pipe or FIFO; on Windows the serial number of the
/// volume and the index of the file. Hard links and symbolic links to a file have the same identity.
/// Pipes are included because bytes written to one can be read from it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(crate) fn new(device: u64, inode: u64) -> FileId {
        FileId { device, inode }
    }

    /// Returns the identity of an open regular file, pipe or FIFO, or `None` for terminals, sockets and
    /// devices, which can be read and written at the same time.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`, or of duplicating the descriptor.
    pub(crate) fn from_stream(stream: Handle<'_>) -> io::Result<Option<FileId>> {
        Ok(FileStatus::of_stream(stream)?.file_id())
    }

    /// Returns the identity of the regular file or FIFO at a path; symbolic links are followed.
    ///
    /// # Errors
    ///
    /// Returns the error of `stat`, for example for a missing file.
    pub fn from_path(path: &Path) -> io::Result<Option<FileId>> {
        Ok(FileStatus::at(path)?.file_id())
    }

    pub(crate) fn device(self) -> u64 {
        self.device
    }

    pub(crate) fn inode(self) -> u64 {
        self.inode
    }
}
