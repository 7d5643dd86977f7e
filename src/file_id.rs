//! Which file it is, whatever its name: how an output that is also an input is noticed.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// A regular file, or a pipe or FIFO, by its device and inode. Hard links and symbolic links to it are
/// the same. What is written to a pipe comes out of it again, as with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    /// The regular file or FIFO that is open here; none for terminals, sockets and devices, which can
    /// be read and written at the same time.
    ///
    /// # Errors
    ///
    /// What `fstat` answers, and what keeps a descriptor from being copied.
    pub fn from_fd(fd: BorrowedFd<'_>) -> io::Result<Option<FileId>> {
        // Metadata is read through a `File`, and a `File` owns its descriptor, so it gets a copy.
        let copy = File::from(fd.try_clone_to_owned()?);
        Ok(FileId::from_metadata(&copy.metadata()?))
    }

    /// The regular file or FIFO that a path leads to.
    ///
    /// # Errors
    ///
    /// What `stat` answers, a missing file for one.
    pub fn from_path(path: &Path) -> io::Result<Option<FileId>> {
        Ok(FileId::from_metadata(&fs::metadata(path)?))
    }

    /// The regular file or FIFO that this describes.
    pub fn from_metadata(metadata: &Metadata) -> Option<FileId> {
        let kind = metadata.file_type();
        (kind.is_file() || kind.is_fifo())
            .then(|| FileId { device: metadata.dev(), inode: metadata.ino() })
    }

    /// What `stat` describes, whatever it is.
    #[allow(clippy::unnecessary_cast, reason = "the fields are of other types elsewhere")]
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
