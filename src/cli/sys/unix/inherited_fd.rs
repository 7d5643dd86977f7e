//! Descriptors inherited by the process, and the paths that name them: `/dev/stdout`, `/dev/fd/3`,
//! `/proc/self/fd/3`.
//!
//! Such a path means the open descriptor with its file position, not the file it refers to. Opening
//! `/dev/fd/N` would need `/proc` and permission for the file, and on Linux would not share the file
//! position; `pidfd_getfd` is forbidden in many containers. Duplicating a descriptor always works.

#![allow(unsafe_code, reason = "a number cannot be converted to a descriptor safely")]

use std::fs::{self, File};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::{Errno, FdFlags, fcntl_dupfd_cloexec, fcntl_getfd};

use crate::cli::sys::{MAX_SYMLINKS, parent_directory};

const FD_DIRECTORIES: [&str; 3] = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];

/// The lowest number of a duplicate: after the standard streams.
const MIN_COPY_FD: i32 = 3;

/// Returns the number of the descriptor that a path names, directly or through symbolic links. The
/// directories are recognized by name, too, because `/proc` may not be mounted.
pub(crate) fn fd_number(path: &Path) -> Option<i32> {
    let fd_directories: Vec<_> =
        FD_DIRECTORIES.iter().filter_map(|directory| fs::canonicalize(directory).ok()).collect();
    let mut path = path.to_owned();
    for _ in 0..MAX_SYMLINKS {
        let directory = parent_directory(&path);
        if FD_DIRECTORIES.iter().any(|known| directory == Path::new(known))
            || fs::canonicalize(directory).is_ok_and(|found| fd_directories.contains(&found))
        {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = directory.join(fs::read_link(&path).ok()?);
    }
    None
}

/// Duplicates an inherited descriptor for writing. The duplicate shares its file position.
///
/// # Errors
///
/// Returns `EBADF` if it is not open, or was opened by this process, and an error if it is open for
/// reading only.
pub(crate) fn duplicate_for_writing(number: i32) -> io::Result<File> {
    let copy = duplicate_fd(number)?;
    if fcntl_getfl(&copy)? & OFlags::ACCMODE == OFlags::RDONLY {
        return Err(io::Error::other("is open for reading only"));
    }
    Ok(copy.into())
}

fn duplicate_fd(number: i32) -> io::Result<OwnedFd> {
    if number < 0 {
        return Err(Errno::BADF.into());
    }
    // SAFETY: The number is not -1, and nothing reads, writes or closes the descriptor through this
    // borrow. The kernel returns EBADF for a number that is not open. A descriptor that is open and not
    // close-on-exec was inherited, because this process opens none of that kind: it has no owner in
    // this process that could close it in the meantime.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    if fcntl_getfd(fd)?.contains(FdFlags::CLOEXEC) {
        return Err(Errno::BADF.into());
    }
    Ok(fcntl_dupfd_cloexec(fd, MIN_COPY_FD)?)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn only_an_inherited_descriptor_is_duplicated() {
        assert!(duplicate_fd(0).unwrap().as_raw_fd() >= MIN_COPY_FD);
        let (reader, _writer) = std::io::pipe().unwrap();
        for number in [-1, i32::MIN, i32::MAX, reader.as_raw_fd()] {
            assert_eq!(
                duplicate_fd(number).unwrap_err().raw_os_error(),
                Some(Errno::BADF.raw_os_error())
            );
        }
    }
}
