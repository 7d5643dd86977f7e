//! Paths that stand for an open descriptor: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
//!
//! Whoever names one means the descriptor as it is open, with its position in the file, and not the
//! name that its file happens to have.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::{OFlags, fcntl_getfl};

use super::dir_entry::{MAX_SYMLINKS, parent_directory};
use super::inherited_fd;

const FD_DIRECTORIES: [&str; 3] = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];

/// The number of the descriptor that a path stands for, itself or by symbolic links. These
/// directories are known by name too, for `/proc` may not be mounted.
pub fn fd_number(path: &Path) -> Option<i32> {
    let fd_directories: Vec<_> =
        FD_DIRECTORIES.iter().filter_map(|directory| fs::canonicalize(directory).ok()).collect();
    let mut path = path.to_owned();
    for _ in 0..MAX_SYMLINKS {
        let dir = parent_directory(&path);
        if FD_DIRECTORIES.iter().any(|own| dir == Path::new(own))
            || fs::canonicalize(dir).is_ok_and(|found| fd_directories.contains(&found))
        {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = dir.join(fs::read_link(&path).ok()?);
    }
    None
}

/// A copy of an open descriptor, to write to.
///
/// # Errors
///
/// What the system answers; `EBADF` if it is not open.
pub(super) fn duplicate(number: i32) -> io::Result<File> {
    let copy = inherited_fd::duplicate_fd(number)?;
    if fcntl_getfl(&copy)? & OFlags::ACCMODE == OFlags::RDONLY {
        return Err(io::Error::other("it is open for reading only"));
    }
    Ok(copy.into())
}
