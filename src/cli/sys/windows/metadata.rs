//! File metadata kept by a replacement.

use std::fs::File;
use std::io;

use super::ffi;
use super::status::FileStatus;

/// Copies attributes and creation time to `file`. [`replace`](super::directory::DirectoryHandle::replace)
/// keeps the access control list and streams. A backup that is a copy gets the access control list of its
/// directory.
pub(crate) fn copy_metadata(file: &File, _old: &File, old_status: &FileStatus) -> io::Result<()> {
    ffi::set_attributes(file, old_status.attributes(), old_status.created())
}
