//! Operations relative to an open directory.
//!
//! Files are opened by paths, but an open directory cannot be renamed or removed, because other
//! processes may not share that access to it, and neither can its parents: what its path names does not
//! change. The path has the prefix `\\?\`, so that its length is not limited to 260 characters and names
//! such as `nul` or `a.` are exact.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::windows::fs::{MetadataExt, OpenOptionsExt};
use std::path::{self, Path, PathBuf};

use windows_sys::Win32::Foundation as win32;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ADD_FILE, FILE_ATTRIBUTE_REPARSE_POINT, FILE_FLAG_BACKUP_SEMANTICS,
    FILE_FLAG_OPEN_REPARSE_POINT, FILE_GENERIC_READ, FILE_LIST_DIRECTORY, FILE_READ_ATTRIBUTES,
    FILE_SHARE_DELETE, FILE_SHARE_READ, FILE_SHARE_WRITE, FILE_TRAVERSE, FILE_WRITE_EA,
};

use super::ffi;
use super::file_name::is_component;
use super::status::FileStatus;
use crate::cli::quote::Quoted;
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::{CreateMode, FileAccess, FileKind};

/// The flags to open a file or directory itself, not what a symbolic link leads to.
const NO_FOLLOW: u32 = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT;

/// An open directory.
#[derive(Debug)]
pub(crate) struct DirectoryHandle {
    directory: File,
    /// Without symbolic links.
    path: PathBuf,
}

impl DirectoryHandle {
    /// Opens a directory by its path, following symbolic links.
    pub(crate) fn open(path: &Path) -> io::Result<DirectoryHandle> {
        use io::ErrorKind as Kind;
        DirectoryHandle::open_exact(match fs::canonicalize(path) {
            // Not every volume has canonical paths.
            Err(error)
                if !matches!(
                    error.kind(),
                    Kind::NotFound | Kind::NotADirectory | Kind::PermissionDenied
                ) =>
            {
                path::absolute(path)?
            }
            result => result?,
        })
    }

    /// Opens a directory. Rejects symbolic links.
    fn open_exact(path: PathBuf) -> io::Result<DirectoryHandle> {
        let open = |access| {
            let mut options = OpenOptions::new();
            options.access_mode(access).share_mode(FILE_SHARE_READ | FILE_SHARE_WRITE);
            options.custom_flags(NO_FOLLOW).open(&path)
        };
        let directory = match open(FILE_LIST_DIRECTORY) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => open(FILE_TRAVERSE)?,
            result => result?,
        };
        if directory.metadata()?.is_dir() {
            return Ok(DirectoryHandle { directory, path });
        }
        Err(io::ErrorKind::NotADirectory.into())
    }

    /// Opens a subdirectory. Rejects symbolic links.
    pub(crate) fn open_child(&self, name: &OsStr) -> io::Result<DirectoryHandle> {
        DirectoryHandle::open_exact(self.path_of(name)?)
    }

    /// Creates a subdirectory, and opens it. If it exists already, it is only opened.
    pub(crate) fn create_child(
        &self,
        name: &OsStr,
        _permissions: u32,
    ) -> io::Result<(DirectoryHandle, bool)> {
        match fs::create_dir(self.path_of(name)?) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            created => Ok((self.open_child(name)?, created.is_ok())),
        }
    }

    /// Returns the permission bits that a directory has elsewhere.
    #[expect(
        clippy::unnecessary_wraps,
        clippy::unused_self,
        reason = "directories have them elsewhere"
    )]
    pub(crate) fn permissions(&self) -> io::Result<u32> {
        Ok(0o777)
    }

    /// Opens the directory that contains this one now.
    pub(crate) fn open_parent(&self) -> io::Result<DirectoryHandle> {
        DirectoryHandle::open_exact(self.path.parent().unwrap_or(&self.path).to_owned())
    }

    /// Returns the path of an entry.
    fn path_of(&self, name: &OsStr) -> io::Result<PathBuf> {
        match is_component(name) {
            true => Ok(self.path.join(name)),
            false => Err(io::ErrorKind::InvalidFilename.into()),
        }
    }

    /// Returns the identity of the directory.
    pub(crate) fn file_id(&self) -> io::Result<FileId> {
        Ok(FileStatus::of(&self.directory)?.id())
    }

    /// Returns an error if no file may be created in the directory.
    pub(crate) fn check_writable(&self) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.access_mode(FILE_ADD_FILE).custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
        options.open(&self.path).map(drop)
    }

    /// Does nothing: the rename waits until it is on the disk, and a directory cannot be synced.
    pub(crate) fn sync(&self, _file: &File) -> io::Result<()> {
        Ok(())
    }

    /// Calls `found` with the name of each entry except `.` and `..`, and its type.
    pub(crate) fn for_each_entry(
        &self,
        mut found: impl FnMut(Option<FileKind>, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let kind = file_kind(entry.file_type()?);
            found(Some(kind), entry.file_name().as_encoded_bytes())?;
        }
        Ok(())
    }

    /// Returns the type of an entry.
    pub(crate) fn kind_of(&self, name: &OsStr) -> io::Result<FileKind> {
        Ok(file_kind(fs::symlink_metadata(self.path_of(name)?)?.file_type()))
    }

    /// Returns the identity of an entry; symbolic links are not followed.
    pub(crate) fn file_id_of(&self, name: &OsStr) -> io::Result<FileId> {
        let mut options = OpenOptions::new();
        let file = options.access_mode(0).custom_flags(NO_FOLLOW).open(self.path_of(name)?)?;
        Ok(FileStatus::of(&file)?.id())
    }

    /// Returns the target of a symbolic link; `None` for other files, which need not exist.
    pub(crate) fn read_link(&self, name: &OsStr) -> io::Result<Option<PathBuf>> {
        let path = self.path_of(name)?;
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => fs::read_link(&path).map(Some),
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(None),
        }
    }

    /// Opens a file.
    pub(crate) fn open_file(&self, name: &OsStr, access: FileAccess) -> io::Result<File> {
        let path = self.path_of(name)?;
        let open = |flags| {
            let mut options = OpenOptions::new();
            let share = match access {
                FileAccess::Convert => FILE_SHARE_READ | FILE_SHARE_DELETE,
                _ => FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
            };
            let access = match access {
                FileAccess::Write => FILE_READ_ATTRIBUTES,
                _ => FILE_GENERIC_READ,
            };
            options.access_mode(access).share_mode(share).custom_flags(flags).open(&path)
        };
        let file = open(NO_FOLLOW)?;
        let metadata = file.metadata()?;
        if metadata.is_symlink() {
            return Err(io::Error::other("has been replaced by a symbolic link"));
        }
        if metadata.file_attributes() & FILE_ATTRIBUTE_REPARSE_POINT == 0 {
            return Ok(file);
        }
        // A file whose content is elsewhere, for example in the cloud.
        let content = open(FILE_FLAG_BACKUP_SEMANTICS)?;
        match FileStatus::of(&content)?.id() == FileStatus::of(&file)?.id() {
            true => Ok(content),
            false => Err(io::Error::other("replaced or removed by another process")),
        }
    }

    /// Creates a file, which must not exist. It has the access control list of its directory until it
    /// replaces another file.
    pub(crate) fn create_file(&self, name: &OsStr, _mode: CreateMode) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        options.share_mode(FILE_SHARE_READ | FILE_SHARE_DELETE).open(self.path_of(name)?)
    }

    /// Creates no file: none can be without a name.
    pub(crate) fn create_unnamed(&self, _: CreateMode) -> Option<File> {
        None
    }

    /// Creates a hard link to an open file, which is the entry `name`.
    pub(crate) fn link(&self, file: &File, name: Option<&OsStr>, new: &OsStr) -> io::Result<()> {
        let name = name.ok_or(io::ErrorKind::Unsupported)?;
        fs::hard_link(self.path_of(name)?, self.path_of(new)?)?;
        if self.file_id_of(new).ok() == Some(FileStatus::of(file)?.id()) {
            return Ok(());
        }
        let _ = self.remove_file(new);
        Err(io::Error::other("changed by another process"))
    }

    /// Renames a file to a name at which there may be another one, which it then replaces. The attributes,
    /// creation time, access control list and streams of that one are kept. `file` is closed, as
    /// `ReplaceFileW` requires, and becomes the directory.
    pub(crate) fn replace(&self, file: &mut File, name: &OsStr, target: &OsStr) -> io::Result<()> {
        let (new, target) = (self.path_of(name)?, self.path_of(target)?);
        *file = self.directory.try_clone()?;
        let error = match ffi::replace_file(&target, &new) {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        match error.raw_os_error().map(|code| code as u32) {
            // The target does not exist, or this file system has no attributes to keep.
            Some(
                win32::ERROR_FILE_NOT_FOUND
                | win32::ERROR_NOT_SUPPORTED
                | win32::ERROR_INVALID_FUNCTION,
            ) => ffi::move_file(&new, &target),
            // The target may have been removed already.
            Some(
                win32::ERROR_UNABLE_TO_MOVE_REPLACEMENT | win32::ERROR_UNABLE_TO_MOVE_REPLACEMENT_2,
            ) => ffi::move_file(&new, &target).or_else(|error| rescue(&new, &target, error)),
            _ => Err(error),
        }
    }

    /// Renames a file to a name that must not exist. Returns `None`, because the system does not support that
    /// for an open file.
    pub(crate) fn rename_new(&self, _: &OsStr, _: &OsStr) -> Option<io::Result<()>> {
        None
    }

    /// Removes a file.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.path_of(name)?)
    }

    /// Returns an error if a file may not be written.
    pub(crate) fn check_file_writable(&self, name: &OsStr) -> io::Result<()> {
        // The permission to write includes this access, which is not excluded by other processes, or by
        // this one while it converts the file.
        let mut options = OpenOptions::new();
        options.access_mode(FILE_WRITE_EA | FILE_READ_ATTRIBUTES).custom_flags(NO_FOLLOW);
        let denied = io::ErrorKind::PermissionDenied;
        let read_only = || io::Error::new(denied, "is read-only");
        let mut query = OpenOptions::new();
        let file = query.access_mode(0).custom_flags(NO_FOLLOW).open(self.path_of(name)?)?;
        if FileStatus::of(&file)?.is_read_only() {
            return Err(read_only());
        }
        options.open(self.path_of(name)?).map(drop)
    }
}

/// Keeps the new content of a file that no longer exists: copies it, so that the temporary file can be
/// removed.
fn rescue(new: &Path, target: &Path, error: io::Error) -> io::Result<()> {
    if target.exists() {
        return Err(error);
    }
    let copy = target.with_added_extension("charpipe-rescued");
    match fs::copy(new, &copy) {
        Ok(_) => {
            let copy = Quoted::from_path(&copy).to_string();
            Err(io::Error::new(error.kind(), format!("{error}; its new content is in {copy}")))
        }
        Err(_) => Err(error),
    }
}

/// Returns whether this error of [`DirectoryHandle::link`] means that hard links are not supported, not
/// permitted or exhausted.
pub(crate) fn is_link_unsupported(error: &io::Error) -> bool {
    use win32 as w;
    let errors = [
        w::ERROR_INVALID_FUNCTION,
        w::ERROR_NOT_SUPPORTED,
        w::ERROR_ACCESS_DENIED,
        w::ERROR_TOO_MANY_LINKS,
        w::ERROR_CALL_NOT_IMPLEMENTED,
    ];
    error.raw_os_error().is_some_and(|code| errors.contains(&(code as u32)))
}

/// Returns the error for a directory in place of a file.
pub(crate) fn is_a_directory() -> io::Error {
    io::ErrorKind::IsADirectory.into()
}

/// Returns the error for symbolic links without an end.
pub(crate) fn symlink_loop() -> io::Error {
    io::Error::other("too many levels of symbolic links")
}

/// Returns false: no file is a socket.
pub(crate) fn is_socket_error(_: &io::Error) -> bool {
    false
}

/// Syncs a file.
pub(crate) fn sync_file(file: &File) -> io::Result<()> {
    file.sync_all()
}

fn file_kind(file_type: fs::FileType) -> FileKind {
    match file_type {
        file_type if file_type.is_symlink() => FileKind::Symlink,
        file_type if file_type.is_dir() => FileKind::Directory,
        file_type if file_type.is_file() => FileKind::File,
        _ => FileKind::Other,
    }
}

/// Creates a hard link to the program, since symbolic links require a privilege.
pub(crate) fn create_program_link(program: &Path, link: &Path) -> io::Result<()> {
    fs::hard_link(program, link)
}
