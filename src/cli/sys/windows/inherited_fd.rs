//! Inherited descriptors, which have no paths on Windows.

use std::fs::File;
use std::io;
use std::path::Path;

/// Returns the number of the descriptor that a path names: none.
pub(crate) fn fd_number(_path: &Path) -> Option<i32> {
    None
}

/// Duplicates an inherited descriptor for writing.
pub(crate) fn duplicate_for_writing(_number: i32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}
