//! The platform layer: all that differs between Unix and Windows, and the types of both.
//!
//! Both implementations have the same modules, and items of the same names in them. The rest of the
//! command depends on no platform.

use std::path::Path;

pub mod file_id;
pub mod preserve;

#[cfg(unix)]
mod unix {
    pub(crate) mod access;
    pub(crate) mod directory;
    pub(crate) mod file_name;
    pub(crate) mod inherited_fd;
    pub(crate) mod process;
    pub(crate) mod status;
    pub(crate) mod stdio;
}
#[cfg(windows)]
mod windows {
    pub(crate) mod access;
    pub(crate) mod directory;
    mod ffi;
    pub(crate) mod file_name;
    pub(crate) mod inherited_fd;
    pub(crate) mod process;
    pub(crate) mod status;
    pub(crate) mod stdio;
}

#[cfg(unix)]
pub(crate) use unix::{access, directory, file_name, inherited_fd, process, status, stdio};
#[cfg(windows)]
pub(crate) use windows::{access, directory, file_name, inherited_fd, process, status, stdio};

/// The number of symbolic links that Linux follows in a path.
pub(crate) const MAX_SYMLINKS: usize = 40;

/// Returns the directory part of a path, `.` if it has none.
pub(crate) fn parent_directory(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

/// What to do when a signal ends or stops the process.
#[cfg_attr(
    windows,
    allow(dead_code, reason = "a process cannot be stopped, and ends with a code of the system")
)]
pub(crate) struct Cleanup {
    /// Called before the process ends.
    pub(crate) before_end: Box<dyn Fn() + Send + Sync>,
    /// Called to stop the process; it calls its argument, which returns when the process continues.
    pub(crate) around_stop: fn(&mut dyn FnMut()),
    /// The exit code if the signal does not end the process.
    pub(crate) exit_code: i32,
}

/// The type of a directory entry. Symbolic links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link; on Windows also a junction.
    Symlink,
    /// A device, pipe or socket.
    Other,
}

/// Who may access a file that is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CreateMode {
    /// Everybody whom the umask allows; on Windows, as inherited from the directory.
    Default,
    /// Its owner, until it gets the permissions of the file that it replaces.
    Private,
    /// Those whom these permission bits and the umask allow; on Windows, as inherited from the directory.
    Permissions(u32),
}

/// The purpose of opening a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// To read it.
    Read,
    /// To convert it: as `Read`; on Windows, other processes cannot open it for writing.
    Convert,
    /// To keep it open, where it may not be read.
    Write,
}
