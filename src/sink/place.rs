//! Where a file stands: a name in a folder that is held open.
//!
//! Symbolic links are followed once, when a place is found. From then on everything happens within
//! the folder, so that nobody can turn a path around between two steps.

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
pub(super) const LINKS: usize = 40;

/// How a folder is opened that may be searched but not read.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::empty();

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    descriptor: OwnedFd,
    /// For messages.
    pub(super) path: PathBuf,
}

/// The name of a file in an open folder.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) folder: Arc<Folder>,
    pub(crate) name: OsString,
}

impl Place {
    /// Follows the symbolic links at the end of a path. What they lead to need not be there.
    ///
    /// # Errors
    ///
    /// What the system answers; `ELOOP` for links that lead nowhere.
    pub(crate) fn find(path: &Path) -> io::Result<Place> {
        let mut path = path.to_owned();
        for _ in 0..LINKS {
            let name = name(&path)?;
            let folder = Folder::open(parent(&path))?;
            match readlinkat(&folder, name, Vec::new()) {
                Ok(next) => path = parent(&path).join(OsStr::from_bytes(next.as_bytes())),
                Err(Errno::INVAL | Errno::NOENT) => {
                    return Ok(Place { folder: Arc::new(folder), name: name.to_owned() });
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Errno::LOOP.into())
    }

    /// The same place with a longer name.
    pub(crate) fn with_suffix(&self, suffix: &OsStr) -> Place {
        let mut name = self.name.clone();
        name.push(suffix);
        Place { folder: Arc::clone(&self.folder), name }
    }

    /// Opens the file that stands here. Never waits, as opening a FIFO would.
    pub(crate) fn open(&self, access: OFlags) -> io::Result<File> {
        let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let open = || openat(&self.folder, &self.name, flags, Mode::empty());
        match retry_on_intr(open) {
            // It was none when it was found. Some systems say EMLINK.
            Err(Errno::LOOP | Errno::MLINK) => Err(io::Error::other("is a symbolic link by now")),
            opened => Ok(opened?.into()),
        }
    }

    /// What stands here.
    pub(crate) fn look(&self) -> io::Result<Stat> {
        Ok(statat(&self.folder, &self.name, AtFlags::SYMLINK_NOFOLLOW)?)
    }
}

impl Folder {
    /// A directory that is open already. The path is for messages.
    pub(crate) fn of(descriptor: OwnedFd, path: PathBuf) -> Folder {
        Folder { descriptor, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn open(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open =
            |access| retry_on_intr(|| openat(rustix::fs::CWD, path, flags | access, Mode::empty()));
        let descriptor = match open(OFlags::RDONLY) {
            Err(Errno::ACCESS) => open(SEARCH)?,
            opened => opened?,
        };
        Ok(Folder { descriptor, path: path.to_owned() })
    }

    /// Whether a file may be created here.
    pub(crate) fn may_create(&self) -> io::Result<()> {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        accessat(self, ".", access, AtFlags::empty()).map_err(|error| self.blamed_for(error))
    }

    /// Puts what was done in the folder on disk. Where the folder may not be read, or its file
    /// system syncs none, the whole file system is synced: the one of `file`, which is within.
    pub(crate) fn sync(&self, file: &File) -> io::Result<()> {
        match retry_on_intr(|| rustix::fs::fsync(self)) {
            Err(Errno::BADF | Errno::INVAL) => sync_file_system(file),
            synced => Ok(synced?),
        }
    }

    /// Says that it is the folder that refuses, where it is: the file itself may well be
    /// writable.
    pub(crate) fn blamed_for(&self, error: Errno) -> io::Error {
        let error = io::Error::from(error);
        let kind = error.kind();
        match kind {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                let folder = Quoted::path(&self.path);
                io::Error::new(kind, format!("the folder {folder} refuses a new file: {kind}"))
            }
            _ => error,
        }
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
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
fn name(path: &Path) -> io::Result<&OsStr> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        // A link may say so too, and `open` would see to it that a folder is meant.
        fs::metadata(path)?;
        return Err(Errno::ISDIR.into());
    }
    match path.file_name() {
        Some(name) => Ok(name),
        None if path.as_os_str().is_empty() => Err(Errno::NOENT.into()),
        None => Err(Errno::ISDIR.into()),
    }
}

pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
