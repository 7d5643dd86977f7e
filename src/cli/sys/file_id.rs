//! File identity independent of the name, to detect an output that is also an input.

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

    pub(crate) fn device(self) -> u64 {
        self.device
    }

    pub(crate) fn inode(self) -> u64 {
        self.inode
    }
}
