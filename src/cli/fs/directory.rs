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
use std::path::{Path, PathBuf, is_separator};
use std::sync::Arc;

use crate::cli::quote::Quoted;
use crate::cli::sys::directory::{self, DirectoryHandle};
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::{FileAccess, FileKind, MAX_SYMLINKS, file_name, parent_directory};

/// An open directory. Clones share its descriptor.
#[derive(Debug, Clone)]
pub struct Directory(Arc<DirectoryInner>);

#[derive(Debug)]
struct DirectoryInner {
    handle: DirectoryHandle,
    /// For messages.
    path: PathBuf,
    /// Whether this process has created it.
    is_new: bool,
}

impl Directory {
    /// Opens a directory by its path, following symbolic links.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub fn open(path: &Path) -> io::Result<Directory> {
        Ok(Directory::new(DirectoryHandle::open(path)?, path.to_owned()))
    }

    fn new(handle: DirectoryHandle, path: PathBuf) -> Directory {
        Directory(Arc::new(DirectoryInner { handle, path, is_new: false }))
    }

    /// Opens a subdirectory.
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`, which rejects symbolic links, and an error for a name that is not
    /// a single component.
    pub fn open_child(&self, name: &OsStr) -> io::Result<Directory> {
        check_component(name)?;
        Ok(Directory::new(self.handle().open_child(name)?, self.path().join(name)))
    }

    /// Creates a subdirectory with these permission bits, as far as the umask allows, and opens it. If it
    /// exists already, it is only opened.
    pub(crate) fn create_child(&self, name: &OsStr, permissions: u32) -> io::Result<Directory> {
        check_component(name)?;
        self.create_child_at(name, permissions, self.path().join(name))
    }

    fn create_child_at(
        &self,
        name: &OsStr,
        permissions: u32,
        path: PathBuf,
    ) -> io::Result<Directory> {
        let created = self.handle().create_child(name, permissions);
        let (handle, is_new) = created.map_err(|error| self.creation_error(error))?;
        Ok(Directory(Arc::new(DirectoryInner { handle, path, is_new })))
    }

    /// Opens a directory by its path, following symbolic links. If it does not exist, it is created with
    /// these permission bits, and its parents with the default ones, as far as the umask allows.
    pub(crate) fn open_or_create(path: &Path, permissions: u32) -> io::Result<Directory> {
        match (Directory::open(path), path.file_name()) {
            (Err(error), Some(name)) if error.kind() == io::ErrorKind::NotFound => {
                let parent = Directory::open_or_create(parent_directory(path), 0o777)?;
                parent.create_child_at(name, permissions, path.to_owned())
            }
            (result, _) => result,
        }
    }

    /// Opens the directory that contains this one now. It may differ from the one that this directory
    /// was opened from: compare their [identities](Directory::file_id).
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`.
    pub fn open_parent(&self) -> io::Result<Directory> {
        let path = self.path().parent().unwrap_or(Path::new(""));
        Ok(Directory::new(self.handle().open_parent()?, path.to_owned()))
    }

    /// Returns the identity of the directory.
    ///
    /// # Errors
    ///
    /// Returns the error of `fstat`.
    pub fn file_id(&self) -> io::Result<FileId> {
        self.handle().file_id()
    }

    /// Returns the path by which the directory was found, for messages.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns whether the directory has been created by this process, so that there was nothing in it before.
    pub(crate) fn is_new(&self) -> bool {
        self.0.is_new
    }

    pub(crate) fn handle(&self) -> &DirectoryHandle {
        &self.0.handle
    }

    /// Returns the type of the entry of this name; symbolic links are not followed.
    pub(crate) fn kind_of(&self, name: &OsStr) -> io::Result<FileKind> {
        self.handle().kind_of(name)
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
        self.handle().check_writable().map_err(|error| self.creation_error(error))
    }

    /// Renames a file to a name, which must not be that of another file.
    ///
    /// # Errors
    ///
    /// Returns [`io::ErrorKind::AlreadyExists`] if there is a file of this name.
    pub(crate) fn rename_new(&self, file: &mut File, name: &OsStr, new: &OsStr) -> io::Result<()> {
        if let Some(result) = self.handle().rename_new(name, new) {
            return result;
        }
        match self.kind_of(new) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.handle().replace(file, name, new)
            }
            result => result.and(Err(io::ErrorKind::AlreadyExists.into())),
        }
    }

    /// Syncs the directory. Where the directory may not be read or its file system does not support
    /// syncing directories, the whole file system is synced, using `file`, which is on it.
    pub(crate) fn sync(&self, file: &File) -> io::Result<()> {
        self.handle().sync(file)
    }

    /// Returns the error of creating a file, naming the directory if that is what denies it: the file
    /// itself may well be writable.
    pub(crate) fn creation_error(&self, error: io::Error) -> io::Error {
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

fn check_component(name: &OsStr) -> io::Result<()> {
    match file_name::is_component(name) {
        true => Ok(()),
        false => Err(io::ErrorKind::InvalidInput.into()),
    }
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
            match directory.handle().read_link(name)? {
                Some(target) => path = parent_directory(&path).join(target),
                None => return Ok(directory.entry_unchecked(name.to_owned())),
            }
        }
        Err(directory::symlink_loop())
    }

    /// Opens the file for reading. Never waits, as opening a FIFO would.
    ///
    /// # Errors
    ///
    /// Returns the error of `openat`, and an error if the file is not a regular file.
    pub fn open(&self) -> io::Result<File> {
        let file = self.open_with(FileAccess::Read)?;
        if !FileStatus::of(&file)?.is_file() {
            return Err(io::Error::other("is not a regular file"));
        }
        Ok(file)
    }

    /// Opens the file with this access mode. Never waits, as opening a FIFO would.
    pub(crate) fn open_with(&self, access: FileAccess) -> io::Result<File> {
        self.directory.handle().open_file(&self.name, access)
    }

    /// Returns the identity of the file; symbolic links are not followed.
    pub(crate) fn file_id(&self) -> io::Result<FileId> {
        self.directory.handle().file_id_of(&self.name)
    }

    /// Creates a hard link to an open file, which is the entry `current` if it has a name.
    pub(crate) fn link(&self, file: &File, current: Option<&FileEntry>) -> io::Result<()> {
        self.directory.handle().link(file, current.map(|entry| &*entry.name), &self.name)
    }

    /// Removes the file.
    pub(crate) fn remove(&self) -> io::Result<()> {
        self.directory.handle().remove_file(&self.name)
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

/// Returns whether a path ends with a separator, so that it can only name a directory.
pub(crate) fn ends_with_separator(path: &Path) -> bool {
    path.as_os_str().as_encoded_bytes().last().is_some_and(|&last| is_separator(char::from(last)))
}

/// Returns the last component of a path that may name a file.
fn last_component(path: &Path) -> io::Result<&OsStr> {
    match path.file_name() {
        Some(name) if !ends_with_separator(path) => Ok(name),
        // The target of a link may end with a slash, too; `open` would require a directory then.
        _ => {
            fs::metadata(path)?;
            Err(directory::is_a_directory())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[cfg(unix)]
    use std::os::unix::fs::symlink;

    use super::*;

    fn open_temp_tree() -> (tempfile::TempDir, Directory) {
        let tree = tempfile::tempdir().unwrap();
        fs::create_dir(tree.path().join("sub")).unwrap();
        fs::write(tree.path().join("sub/file"), "x").unwrap();
        let directory = Directory::open(tree.path()).unwrap();
        (tree, directory)
    }

    #[cfg(unix)]
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

    #[cfg(unix)]
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

    #[cfg(unix)]
    #[test]
    fn only_regular_files_are_opened() {
        let (tree, directory) = open_temp_tree();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(directory.handle(), "fifo", fifo, mode, 0).unwrap();
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
