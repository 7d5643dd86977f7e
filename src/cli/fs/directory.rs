//! Open directories and the files in them.
//!
//! A process that may write in a tree can replace a directory by a symbolic link between the moment
//! when a file is found and the moment when it is opened. Files found by a search are therefore not
//! opened by path: a [`Directory`] is opened relative to its parent, by a single name, and a
//! [`FileEntry`] relative to its directory. Symbolic links are followed once, in a path given by the
//! user.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Access, AtFlags, Mode, OFlags, Stat, accessat, openat, readlinkat, statat};
use rustix::io::{Errno, retry_on_intr};

use crate::cli::fs::file_id::FileId;
use crate::cli::quote::Quoted;

/// The number of symbolic links that Linux follows in a path.
pub(crate) const MAX_SYMLINKS: usize = 40;

/// Access mode for a directory that may be searched but not read.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::empty();

/// An open directory. Clones share its descriptor.
#[derive(Debug, Clone)]
pub struct Directory(Arc<DirectoryInner>);

#[derive(Debug)]
struct DirectoryInner {
    fd: OwnedFd,
    /// For messages.
    path: PathBuf,
}

impl Directory {
    /// Opens a directory by its path, following symbolic links.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub fn open(path: &Path) -> io::Result<Directory> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open =
            |access| retry_on_intr(|| openat(rustix::fs::CWD, path, flags | access, Mode::empty()));
        let fd = match open(OFlags::RDONLY) {
            Err(Errno::ACCESS) => open(SEARCH)?,
            result => result?,
        };
        Ok(Directory::new(fd, path.to_owned()))
    }

    fn new(fd: OwnedFd, path: PathBuf) -> Directory {
        Directory(Arc::new(DirectoryInner { fd, path }))
    }

    /// Opens a subdirectory.
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`, which rejects symbolic links, and an error for a name that is not
    /// a single component.
    pub fn open_child(&self, name: &OsStr) -> io::Result<Directory> {
        check_component(name)?;
        self.open_relative(name, self.path().join(name))
    }

    /// Opens the directory that contains this one now. It may differ from the one that this directory
    /// was opened from: compare their [identities](Directory::file_id).
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`.
    pub fn open_parent(&self) -> io::Result<Directory> {
        let path = self.path().parent().unwrap_or(Path::new(""));
        self.open_relative(OsStr::new(".."), path.to_owned())
    }

    fn open_relative(&self, name: &OsStr, path: PathBuf) -> io::Result<Directory> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let open = || openat(self, name, flags | OFlags::CLOEXEC, Mode::empty());
        Ok(Directory::new(retry_on_intr(open)?, path))
    }

    /// Returns the identity of the directory.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`.
    pub fn file_id(&self) -> io::Result<FileId> {
        Ok(FileId::from_stat(&rustix::fs::fstat(self)?))
    }

    /// Returns the path by which the directory was found, for messages.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the entry of this name, which need not exist.
    ///
    /// # Errors
    ///
    /// Returns an error for a name that is not a single component.
    pub fn entry(&self, name: &OsStr) -> io::Result<FileEntry> {
        check_component(name)?;
        Ok(self.entry_unchecked(name.to_owned()))
    }

    pub(crate) fn entry_unchecked(&self, name: OsString) -> FileEntry {
        FileEntry { directory: self.clone(), name }
    }

    /// Returns an error if no file may be created in the directory.
    pub(crate) fn check_writable(&self) -> io::Result<()> {
        let access = Access::WRITE_OK | Access::EXEC_OK;
        accessat(self, ".", access, AtFlags::empty()).map_err(|error| self.creation_error(error))
    }

    /// Syncs the directory. Where the directory may not be read or its file system does not support
    /// syncing directories, the whole file system is synced, using `file`, which is on it.
    pub(crate) fn sync(&self, file: &File) -> io::Result<()> {
        match retry_on_intr(|| rustix::fs::fsync(self)) {
            Err(Errno::BADF | Errno::INVAL) => sync_file_system(file),
            result => Ok(result?),
        }
    }

    /// Returns the error of creating a file, naming the directory if that is what denies it: the file
    /// itself may well be writable.
    pub(crate) fn creation_error(&self, error: Errno) -> io::Error {
        let error = io::Error::from(error);
        let kind = error.kind();
        match kind {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                let path = Quoted::from_path(self.path());
                io::Error::new(kind, format!("cannot create a file in directory {path}: {kind}"))
            }
            _ => error,
        }
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.fd.as_fd()
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

fn check_component(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_bytes();
    let is_invalid = matches!(bytes, b"" | b"." | b"..") || bytes.contains(&b'/');
    if is_invalid { Err(Errno::INVAL.into()) } else { Ok(()) }
}

/// The name of a file in an open directory.
#[derive(Debug, Clone)]
pub struct FileEntry {
    pub(crate) directory: Directory,
    pub(crate) name: OsString,
}

impl FileEntry {
    /// Follows the symbolic links at the end of a path. The file they lead to need not exist. From then
    /// on all operations are relative to the directory, so another process cannot redirect them.
    ///
    /// # Errors
    ///
    /// Returns the error of the system; `ELOOP` for a chain of links that does not end.
    pub(crate) fn resolve(path: &Path) -> io::Result<FileEntry> {
        let mut path = path.to_owned();
        for _ in 0..MAX_SYMLINKS {
            let name = last_component(&path)?;
            let directory = Directory::open(parent_directory(&path))?;
            match readlinkat(&directory, name, Vec::new()) {
                Ok(target) => {
                    path = parent_directory(&path).join(OsStr::from_bytes(target.as_bytes()));
                }
                Err(Errno::INVAL | Errno::NOENT) => {
                    return Ok(directory.entry_unchecked(name.to_owned()));
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(Errno::LOOP.into())
    }

    /// Opens the file for reading. Never waits, as opening a FIFO would.
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`, and an error if the file is not a regular file.
    pub fn open(&self) -> io::Result<File> {
        let file = self.open_with(OFlags::RDONLY)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        Ok(file)
    }

    /// Opens the file with this access mode. Never waits, as opening a FIFO would.
    pub(crate) fn open_with(&self, access: OFlags) -> io::Result<File> {
        let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW;
        let open = || openat(&self.directory, &self.name, flags, Mode::empty());
        match retry_on_intr(open) {
            // It was not a link when it was found. Some systems return EMLINK.
            Err(Errno::LOOP | Errno::MLINK) => {
                Err(io::Error::other("has been replaced by a symbolic link"))
            }
            result => Ok(result?.into()),
        }
    }

    /// Returns the status of the file; symbolic links are not followed.
    pub(crate) fn stat(&self) -> io::Result<Stat> {
        Ok(statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Returns the name.
    pub fn name(&self) -> &OsString {
        &self.name
    }

    /// Returns the path by which the file was found, for messages.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    /// Returns the entry in the same directory whose name has this suffix in addition.
    pub(crate) fn with_suffix(&self, suffix: &OsStr) -> FileEntry {
        let mut entry = self.clone();
        entry.name.push(suffix);
        entry
    }

    /// Returns whether both entries have the same name in the same open directory.
    pub(crate) fn is_same(&self, other: &FileEntry) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.directory.0, &other.directory.0)
    }
}

/// Returns the last component of a path that may name a file.
fn last_component(path: &Path) -> io::Result<&OsStr> {
    if path.as_os_str().as_bytes().ends_with(b"/") {
        // The target of a link may end so, too; `open` would require a directory then.
        fs::metadata(path)?;
        return Err(Errno::ISDIR.into());
    }
    match path.file_name() {
        Some(name) => Ok(name),
        None if path.as_os_str().is_empty() => Err(Errno::NOENT.into()),
        None => Err(Errno::ISDIR.into()),
    }
}

/// Returns the directory part of a path, `.` if it has none.
pub(crate) fn parent_directory(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn open_temp_tree() -> (tempfile::TempDir, Directory) {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("sub")).unwrap();
        fs::write(tree.path().join("sub/file"), "x").unwrap();
        let directory = Directory::open(tree.path()).unwrap();
        (tree, directory)
    }

    #[test]
    fn symbolic_links_are_never_followed() {
        let (tree, directory) = open_temp_tree();
        symlink("sub", tree.path().join("dir-link")).unwrap();
        symlink("sub/file", tree.path().join("link")).unwrap();
        assert!(directory.open_child(OsStr::new("dir-link")).is_err());
        let error = directory.entry(OsStr::new("link")).unwrap().open().unwrap_err();
        assert_eq!(error.to_string(), "has been replaced by a symbolic link");
        let sub = directory.open_child(OsStr::new("sub")).unwrap();
        assert!(sub.entry(OsStr::new("file")).unwrap().open().is_ok());
    }

    #[test]
    fn moved_directory_keeps_its_files() {
        let (tree, directory) = open_temp_tree();
        let entry = directory.open_child("sub".as_ref()).unwrap().entry("file".as_ref()).unwrap();
        fs::rename(tree.path().join("sub"), tree.path().join("moved")).unwrap();
        symlink("/etc", tree.path().join("sub")).unwrap();
        assert!(entry.open().is_ok());
        assert_eq!(entry.path(), tree.path().join("sub/file"));
    }

    #[test]
    fn names_of_several_components_are_rejected() {
        let (_tree, directory) = open_temp_tree();
        for name in ["", ".", "..", "sub/file", "/etc", "sub/"] {
            assert!(directory.open_child(name.as_ref()).is_err(), "{name}");
            assert!(directory.entry(name.as_ref()).is_err(), "{name}");
        }
    }

    #[test]
    fn only_regular_files_are_opened() {
        let (tree, directory) = open_temp_tree();
        let mode = Mode::from_raw_mode(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(&directory, "fifo", fifo, mode, 0).unwrap();
        for name in ["fifo", "sub"] {
            let error = directory.entry(name.as_ref()).unwrap().open().unwrap_err();
            assert_eq!(error.to_string(), "is not a regular file", "{name}");
        }
        drop(tree);
    }

    #[test]
    fn parent_is_the_current_containing_directory() {
        let (_tree, directory) = open_temp_tree();
        let parent = directory.open_child("sub".as_ref()).unwrap().open_parent().unwrap();
        assert_eq!(parent.file_id().unwrap(), directory.file_id().unwrap());
        assert_eq!(parent.path(), directory.path());
    }
}
