//! Which file it is, whatever its name: how an output that is also an input is noticed.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A regular file, by its device and inode. Hard links and symbolic links to it are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    /// The regular file that is open here; nothing for pipes, terminals and devices, which can be
    /// read and written at the same time.
    ///
    /// # Errors
    ///
    /// What `fstat` answers, and what keeps a descriptor from being copied.
    pub fn of(fd: BorrowedFd<'_>) -> io::Result<Option<Identity>> {
        // Metadata is read through a `File`, and a `File` owns its descriptor, so it gets a copy.
        let copy = File::from(fd.try_clone_to_owned()?);
        Ok(Identity::from_metadata(&copy.metadata()?))
    }

    /// The regular file that a path leads to.
    ///
    /// # Errors
    ///
    /// What `stat` answers, a missing file for one.
    pub fn at(path: &Path) -> io::Result<Option<Identity>> {
        Ok(Identity::from_metadata(&fs::metadata(path)?))
    }

    /// The regular file that this describes.
    pub fn from_metadata(metadata: &Metadata) -> Option<Identity> {
        metadata.is_file().then(|| Identity { device: metadata.dev(), inode: metadata.ino() })
    }

    /// What `stat` describes, whatever it is.
    #[allow(clippy::unnecessary_cast, reason = "the fields are of other types elsewhere")]
    pub(crate) fn from_stat(stat: &rustix::fs::Stat) -> Identity {
        Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
    }

    pub(crate) fn device(self) -> u64 {
        self.device
    }

    pub(crate) fn inode(self) -> u64 {
        self.inode
    }

    #[cfg(test)]
    pub(crate) fn new(device: u64, inode: u64) -> Identity {
        Identity { device, inode }
    }
}
