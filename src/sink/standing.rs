//! Paths that stand for an open descriptor: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
//!
//! Whoever names one means the descriptor as it is open, with its place in the file, and not the
//! name that its file happens to have.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rustix::fs::{OFlags, fcntl_getfl};

use super::inherited;
use super::place::{LINKS, parent};

const FOLDERS: [&str; 3] = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];

/// The number of the descriptor that a path stands for, itself or by symbolic links. These
/// directories are known by name too, for `/proc` may not be mounted.
pub fn descriptor(path: &Path) -> Option<i32> {
    let own: Vec<_> = FOLDERS.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let folder = parent(&path);
        if FOLDERS.iter().any(|own| folder == Path::new(own))
            || fs::canonicalize(folder).is_ok_and(|found| own.contains(&found))
        {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = folder.join(fs::read_link(&path).ok()?);
    }
    None
}

/// A copy of an open descriptor, to write to.
///
/// # Errors
///
/// What the system answers; `EBADF` if it is not open.
pub(super) fn copy(number: i32) -> io::Result<File> {
    let copy = inherited::copy(number)?;
    if fcntl_getfl(&copy)? & OFlags::ACCMODE == OFlags::RDONLY {
        return Err(io::Error::other("it is open for reading only"));
    }
    Ok(copy.into())
}
