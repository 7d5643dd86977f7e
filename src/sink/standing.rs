//! Paths that stand for an open descriptor: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.
//!
//! Whoever names one means the descriptor as it is open, with its place in the file, and not the
//! name that its file happens to have.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::place::{LINKS, parent};

const FOLDERS: [&str; 3] = ["/proc/self/fd", "/proc/thread-self/fd", "/dev/fd"];

/// The number of the descriptor that a path stands for, itself or by symbolic links.
pub(super) fn descriptor(path: &Path) -> Option<i32> {
    let own: Vec<_> = FOLDERS.iter().filter_map(|folder| fs::canonicalize(folder).ok()).collect();
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let Ok(found) = fs::canonicalize(parent(&path))
            && own.contains(&found)
        {
            return path.file_name()?.to_str()?.parse().ok();
        }
        path = parent(&path).join(fs::read_link(&path).ok()?);
    }
    None
}

/// A copy of an open descriptor, which shares its place in the file.
///
/// # Errors
///
/// What the system answers; `EBADF` if it is not open.
pub(super) fn copy(number: i32) -> io::Result<File> {
    match number {
        0 => Ok(rustix::stdio::stdin().try_clone_to_owned()?.into()),
        1 => Ok(rustix::stdio::stdout().try_clone_to_owned()?.into()),
        2 => Ok(rustix::stdio::stderr().try_clone_to_owned()?.into()),
        _ => copy_by_number(number),
    }
}

#[cfg(target_os = "linux")]
fn copy_by_number(number: i32) -> io::Result<File> {
    use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

    let own = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(pidfd_getfd(own, number, PidfdGetfdFlags::empty())?.into())
}

/// Opening `/dev/fd/N` copies the descriptor outside Linux.
#[cfg(not(target_os = "linux"))]
fn copy_by_number(number: i32) -> io::Result<File> {
    fs::OpenOptions::new().write(true).open(format!("/dev/fd/{number}"))
}
