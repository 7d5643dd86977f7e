//! Where a file stands: a name in a directory that is held open.
//!
//! Symbolic links are followed once, when a position is found. From then on everything happens within
//! the directory, so that nobody can turn a path around between two steps.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, Mode, OFlags, Stat, accessat, openat, readlinkat, statat};
use rustix::io::{Errno, retry_on_intr};

use crate::quote::Quoted;

/// Links that lead on to links, as many as Linux follows.
pub(super) const MAX_SYMLINKS: usize = 40;

/// How a directory is opened that may be searched but not read.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::empty();

/// An open directory.
#[derive(Debug)]
pub(crate) struct DirHandle {
    fd: OwnedFd,
    /// For messages.
    pub(super) path: PathBuf,
}

/// The name of a file in an open directory.
#[derive(Debug, Clone)]
pub(crate) struct DirEntryRef {
    pub(crate) directory: Arc<DirHandle>,
    pub(crate) name: OsString,
}

impl DirEntryRef {
    /// Follows the symbolic links at the end of a path. What they lead to need not be there.
    ///
    /// # Errors
    ///
    /// What the system answers; `ELOOP` for links that lead nowhere.
    pub(crate) fn resolve(path: &Path) -> io::Result<DirEntryRef> {
        let mut path = path.to_owned();
        for _ in 0..MAX_SYMLINKS {
            let name = last_component(&path)?;
            let directory = DirHandle::open(parent_directory(&path))?;
            match readlinkat(&directory, name, Vec::new()) {
                Ok(next) => path = parent_directory(&path).join(OsStr::from_bytes(next.as_bytes())),
                Err(Errno::INVAL | Errno::NOENT) => {
                    return Ok(DirEntryRef {
                        directory: Arc::new(directory),
                        name: name.to_owned(),
                    });
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Errno::LOOP.into())
    }

    /// The same position with a longer name.
    pub(crate) fn with_suffix(&self, suffix: &OsStr) -> DirEntryRef {
        let mut name = self.name.clone();
        name.push(suffix);
        DirEntryRef { directory: Arc::clone(&self.directory), name }
    }

    /// Opens the file that stands here. Never waits, as opening a FIFO would.
    pub(crate) fn open(&self, access: OFlags) -> io::Result<File> {
        let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let open = || openat(&self.directory, &self.name, flags, Mode::empty());
        match retry_on_intr(open) {
            // It was none when it was found. Some systems say EMLINK.
            Err(Errno::LOOP | Errno::MLINK) => Err(io::Error::other("is a symbolic link by now")),
            opened => Ok(opened?.into()),
        }
    }

    /// What stands here.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW)?)
    }
}

impl DirHandle {
    /// A directory that is open already. The path is for messages.
    pub(crate) fn from_fd(fd: OwnedFd, path: PathBuf) -> DirHandle {
        DirHandle { fd: fd, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn open(path: &Path) -> io::Result<DirHandle> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open =
            |access| retry_on_intr(|| openat(rustix::fs::CWD, path, flags | access, Mode::empty()));
        let fd = match open(OFlags::RDONLY) {
            Err(Errno::ACCESS) => open(SEARCH)?,
            opened => opened?,
        };
        Ok(DirHandle { fd: fd, path: path.to_owned() })
    }

    /// Whether a file may be created here.
    pub(crate) fn check_writable(&self) -> io::Result<()> {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        accessat(self, ".", access, AtFlags::empty()).map_err(|error| self.creation_error(error))
    }

    /// Puts what was done in the directory on disk. Where the directory may not be read, or its file
    /// system syncs none, the whole file system is synced: the one of `file`, which is within.
    pub(crate) fn sync(&self, file: &File) -> io::Result<()> {
        match retry_on_intr(|| rustix::fs::fsync(self)) {
            Err(Errno::BADF | Errno::INVAL) => sync_file_system(file),
            synced => Ok(synced?),
        }
    }

    /// Says that it is the directory that refuses, where it is: the file itself may well be
    /// writable.
    pub(crate) fn creation_error(&self, error: Errno) -> io::Error {
        let error = io::Error::from(error);
        let kind = error.kind();
        match kind {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                let directory = Quoted::from_path(&self.path);
                io::Error::new(
                    kind,
                    format!("the directory {directory} refuses a new file: {kind}"),
                )
            }
            _ => error,
        }
    }
}

impl AsFd for DirHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(target_os = "linux")]
fn sync_file_system(file: &File) -> io::Result<()> {
    Ok(retry_on_intr(|| rustix::fs::syncfs(file))?)
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: &File) -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

/// The last part of a path that may name a file.
fn last_component(path: &Path) -> io::Result<&OsStr> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        // A link may say so too, and `open` would see to it that a directory is meant.
        fs::metadata(path)?;
        return Err(Errno::ISDIR.into());
    }
    match path.file_name() {
        Some(name) => Ok(name),
        None if path.as_os_str().is_empty() => Err(Errno::NOENT.into()),
        None => Err(Errno::ISDIR.into()),
    }
}

pub(super) fn parent_directory(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}
