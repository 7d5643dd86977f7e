//! File identity independent of the name, to detect an output that is also an input.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// The device and inode number of a regular file, pipe or FIFO. Hard links and symbolic links to a file
/// have the same identity. Pipes are included because bytes written to one can be read from it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// Returns the identity of an open regular file, pipe or FIFO, or `None` for terminals, sockets and
    /// devices, which can be read and written at the same time.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`, or of duplicating the descriptor.
    pub fn from_fd(fd: BorrowedFd<'_>) -> io::Result<Option<FileId>> {
        // `Metadata` comes only from a `File`, which owns its descriptor, so it gets a duplicate.
        let copy = File::from(fd.try_clone_to_owned()?);
        Ok(FileId::from_metadata(&copy.metadata()?))
    }

    /// Returns the identity of the regular file or FIFO at a path; symbolic links are followed.
    ///
    /// # Errors
    ///
    /// Returns the error of `stat`, for example for a missing file.
    pub fn from_path(path: &Path) -> io::Result<Option<FileId>> {
        Ok(FileId::from_metadata(&fs::metadata(path)?))
    }

    /// Returns the identity of the regular file or FIFO with this metadata.
    pub fn from_metadata(metadata: &Metadata) -> Option<FileId> {
        let file_type = metadata.file_type();
        (file_type.is_file() || file_type.is_fifo())
            .then(|| FileId { device: metadata.dev(), inode: metadata.ino() })
    }

    /// Returns the identity of a file of any type.
    #[allow(clippy::unnecessary_cast, reason = "the field types differ between platforms")]
    pub(crate) fn from_stat(stat: &rustix::fs::Stat) -> FileId {
        FileId { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }

    pub(crate) fn device(self) -> u64 {
        self.device
    }

    pub(crate) fn inode(self) -> u64 {
        self.inode
    }

    #[cfg(test)]
    pub(crate) fn new(device: u64, inode: u64) -> FileId {
        FileId { device, inode }
    }
}
