//! File metadata kept by a replacement.

use std::fs::File;
use std::io;

use super::status::FileStatus;

/// Does nothing: [`replace`](super::directory::DirectoryHandle::replace) keeps attributes, creation time,
/// access control list and streams. A backup that is a copy gets the access control list of its
/// directory.
pub(crate) fn copy_metadata(_file: &File, _old: &File, _status: &FileStatus) -> io::Result<()> {
    Ok(())
}
