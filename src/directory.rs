//! Directories that are held open, and the files in them.
//!
//! A process that may write in a tree can replace a directory of it by a symbolic link between the moment
//! in which a file is found and the moment in which it is opened. So what a search finds is not
//! opened by its path: a [`Directory`] is opened from the one that contains it, by a single name,
//! and an [`Entry`] from its directory. Symbolic links are followed only in the path that the
//! search begins with.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};

use crate::file_id::FileId;
use crate::output::dir_entry::{DirEntryRef, DirHandle};

/// An open directory. Copies share its descriptor.
#[derive(Debug, Clone)]
pub struct Directory(Arc<DirHandle>);

impl Directory {
    /// Opens the directory that a user has named; symbolic links are followed.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory(Arc::new(DirHandle::open(path)?)))
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`, which refuses symbolic links, and an error for a name that
    /// is not a single component.
    pub fn open_child(&self, name: &OsStr) -> io::Result<Directory> {
        check_component(name)?;
        self.open_relative(name, self.path().join(name))
    }

    /// Opens the directory that contains this one now. It need not be the one that this one was
    /// opened from: compare their [identities](Directory::identity).
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
        Ok(Directory(Arc::new(DirHandle::from_fd(retry_on_intr(open)?, path))))
    }

    /// Which directory it is.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`.
    pub fn file_id(&self) -> io::Result<FileId> {
        Ok(FileId::from_stat(&rustix::fs::fstat(self)?))
    }

    /// The path by which it was found, for messages.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The file of this name in it, which need not exist.
    ///
    /// # Errors
    ///
    /// Returns an error for a name that is not a single component.
    pub fn entry(&self, name: &OsStr) -> io::Result<FileEntry> {
        check_component(name)?;
        Ok(FileEntry(DirEntryRef { directory: Arc::clone(&self.0), name: name.to_owned() }))
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn check_component(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_bytes();
    let refused = matches!(bytes, b"" | b"." | b"..") || bytes.contains(&b'/');
    if refused { Err(Errno::INVAL.into()) } else { Ok(()) }
}

/// A file in an open directory.
#[derive(Debug, Clone)]
pub struct FileEntry(DirEntryRef);

impl FileEntry {
    /// Opens it for reading.
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`, and an error for anything but a regular file. Never waits,
    /// as opening a FIFO would.
    pub fn open(&self) -> io::Result<File> {
        let file = self.0.open(OFlags::RDONLY)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        Ok(file)
    }

    /// Its name.
    pub fn name(&self) -> &OsString {
        &self.0.name
    }

    /// The path by which it was found, for messages.
    pub fn path(&self) -> PathBuf {
        self.0.directory.path().join(&self.0.name)
    }

    pub(crate) fn entry_ref(&self) -> &DirEntryRef {
        &self.0
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
        symlink("sub", tree.path().join("way")).unwrap();
        symlink("sub/file", tree.path().join("link")).unwrap();
        assert!(directory.open_child(OsStr::new("way")).is_err());
        let error = directory.entry(OsStr::new("link")).unwrap().open().unwrap_err();
        assert_eq!(error.to_string(), "is a symbolic link by now");
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
