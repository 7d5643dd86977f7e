//! Atomic replacement of a file.
//!
//! The new content is written to a temporary file in the same directory. When it is complete and
//! synced, one `rename` replaces the old file. Other processes see the old file or the new one, never a
//! part of either.

use std::fmt;
use std::fs::{File, FileTimes, Metadata};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat, fstat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::file_metadata::copy_metadata;
use super::temp_file::{TempFile, TempFileRegistry};
use crate::cli::fs::directory::{Directory, FileEntry};
use crate::cli::fs::file_id::FileId;
use crate::cli::fs::retry;
use crate::cli::quote::Quoted;

/// The mode of a file that does not exist yet, before the umask.
const NEW_FILE_MODE: Mode = Mode::from_raw_mode(0o666);

/// The mode of a replacement, which no other user may read before it has its owner.
const PRIVATE_MODE: Mode = Mode::from_raw_mode(0o600);

/// The new content of a file, in a temporary file until it is committed.
#[derive(Debug)]
pub struct AtomicFile {
    temp_file: TempFile,
    entry: FileEntry,
    /// The existing file, open, and its metadata when it was opened.
    original: Option<Box<(File, Metadata)>>,
}

impl AtomicFile {
    /// Creates the temporary file for `path`; `existing` is the metadata of its file if there is one. If
    /// `path` is a symbolic link, the file it leads to will be replaced and the link is kept.
    pub(super) fn replacing_path(
        path: &Path,
        existing: Option<&Metadata>,
        registry: &TempFileRegistry,
    ) -> io::Result<AtomicFile> {
        let Some(found) = existing else {
            if path.as_os_str().as_bytes().ends_with(b"/") {
                return Err(Errno::ISDIR.into());
            }
            let entry = FileEntry::resolve(path)?;
            check_rename_allowed(&entry.directory, None)?;
            let temp_file = TempFile::create(entry.clone(), NEW_FILE_MODE, registry)?;
            return Ok(AtomicFile { temp_file, entry, original: None });
        };
        let entry = FileEntry::resolve(path)?;
        check_not_replaced(&entry, found)?;
        // A file may be writable but not readable.
        let file = match entry.open_with(OFlags::RDONLY) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                entry.open_with(OFlags::WRONLY)?
            }
            result => result?,
        };
        let metadata = file.metadata()?;
        check_replaceable(&entry, &file, &metadata)?;
        AtomicFile::replacing_open(entry, file, metadata, registry)
    }

    /// Creates the temporary file for an open file, which `entry` names.
    pub(crate) fn replacing_open(
        entry: FileEntry,
        file: File,
        metadata: Metadata,
        registry: &TempFileRegistry,
    ) -> io::Result<AtomicFile> {
        let temp_file = TempFile::create(entry.clone(), PRIVATE_MODE, registry)?;
        Ok(AtomicFile { temp_file, entry, original: Some(Box::new((file, metadata))) })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.temp_file.file.as_fd()
    }

    /// Sets the modification time, after everything has been written.
    pub(crate) fn set_mtime(&self, time: SystemTime) -> io::Result<()> {
        self.temp_file.file.set_times(FileTimes::new().set_modified(time))
    }

    /// Syncs the new file, renames it over the old one and syncs the directory. Calls `before_rename` with the
    /// new file immediately before the rename, when everything else has succeeded.
    pub(crate) fn commit(
        self,
        before_rename: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<(), CommitError> {
        let AtomicFile { mut temp_file, entry, original } = self;
        let finish = || {
            if let Some((file, metadata)) = original.as_deref() {
                copy_metadata(&temp_file.file, file, metadata)?;
            }
            temp_file.file.sync_all()?;
            temp_file.persist(before_rename)
        };
        finish().map_err(CommitError::NotCommitted)?;
        // The original stays open until the directory is synced, so that its blocks are not reused while
        // the name on disk may still refer to it.
        entry.directory.sync(&temp_file.file).map_err(CommitError::NotDurable)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry::write(self.fd(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error of a commit.
#[derive(Debug)]
pub enum CommitError {
    /// The existing file is unchanged.
    NotCommitted(io::Error),
    /// The new file has replaced the old one, but the directory is not synced: the old file may be back
    /// after a crash.
    NotDurable(io::Error),
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CommitError::NotCommitted(_) => "cannot be written",
            CommitError::NotDurable(_) => {
                "written, but syncing its directory failed; it may be lost after a crash"
            }
        })
    }
}

impl std::error::Error for CommitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CommitError::NotCommitted(error) | CommitError::NotDurable(error) => Some(error),
        }
    }
}

/// Returns an error if the file was replaced or removed since it was found, or has other hard links,
/// which replacing it would break.
fn check_not_replaced(entry: &FileEntry, found: &Metadata) -> io::Result<()> {
    // Another run with the same output may have just ended; and a link below /proc may refer to a
    // deleted file.
    let current_id = match entry.stat() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        result => Some(FileId::from_stat(&result?)),
    };
    if current_id != FileId::from_metadata(found) {
        return Err(io::Error::other("replaced or removed by another process"));
    }
    let links = found.nlink();
    if links > 1 {
        let reason = format!("has {links} hard links; replacing it would break them");
        return Err(io::Error::other(reason));
    }
    Ok(())
}

/// Returns an error if the file cannot be renamed over, or could not be opened for writing: `rename`
/// requires no permission for the file itself, but a read-only file is meant to keep its content.
pub(crate) fn check_replaceable(
    entry: &FileEntry,
    file: &File,
    metadata: &Metadata,
) -> io::Result<()> {
    check_rename_allowed(&entry.directory, Some((file, metadata)))?;
    Ok(accessat(&entry.directory, &entry.name, Access::WRITE_OK, AtFlags::empty())?)
}

/// Returns an error if a file may be created in the directory but not renamed over another one.
///
/// The kernel reports this at the rename. There is a temporary file by then, and the restriction that
/// forbids renaming it may forbid removing it as well, so it is checked before anything is created.
///
/// # Errors
///
/// Returns [`io::ErrorKind::PermissionDenied`] with the directory and the reason.
fn check_rename_allowed(
    directory: &Directory,
    existing: Option<(&File, &Metadata)>,
) -> io::Result<()> {
    let denied = |reason: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    let path = Quoted::new(directory.path());
    if let Some(attribute) = blocking_attribute(directory) {
        return denied(format!("directory {path} is {attribute}"));
    }
    let Some((file, metadata)) = existing else { return Ok(()) };
    if let Some(attribute) = blocking_attribute(file) {
        return denied(format!("is {attribute}"));
    }
    if is_protected_by_sticky_bit(directory, metadata)? {
        return denied(format!("directory {path} is sticky and the file belongs to another user"));
    }
    Ok(())
}

/// Returns whether only other users may rename or remove a file. Root without the capability to do so
/// fails earlier, when it sets the mode of the new file.
fn is_protected_by_sticky_bit(directory: &Directory, file: &Metadata) -> io::Result<bool> {
    let stat = fstat(directory)?;
    let sticky = Mode::from_raw_mode(stat.st_mode).contains(Mode::SVTX);
    let user = geteuid();
    Ok(sticky && !user.is_root() && ![stat.st_uid, file.uid()].contains(&user.as_raw()))
}

/// Returns the attribute that prevents a file, or the files in a directory, from being renamed or
/// removed. Returns `None` if the file system does not support attributes.
#[cfg(target_os = "linux")]
fn blocking_attribute(file: impl AsFd) -> Option<&'static str> {
    use rustix::fs::{IFlags, StatxAttributes, StatxFlags, ioctl_getflags, statx};

    let both = StatxAttributes::APPEND | StatxAttributes::IMMUTABLE;
    let (append, immutable) = match statx(&file, c"", AtFlags::EMPTY_PATH, StatxFlags::empty()) {
        Ok(stat) if stat.stx_attributes_mask.contains(both) => {
            let has = |attribute| stat.stx_attributes.contains(attribute);
            (has(StatxAttributes::APPEND), has(StatxAttributes::IMMUTABLE))
        }
        _ => {
            let flags = ioctl_getflags(&file).unwrap_or(IFlags::empty());
            (flags.contains(IFlags::APPEND), flags.contains(IFlags::IMMUTABLE))
        }
    };
    match (append, immutable) {
        (_, true) => Some("immutable"),
        (true, false) => Some("append-only"),
        (false, false) => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn blocking_attribute(_: impl AsFd) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn replaced_or_removed_file_is_reported() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        fs::write(&path, "old").unwrap();
        let found = fs::metadata(&path).unwrap();
        let another = directory.path().join("another");
        fs::write(&another, "new").unwrap();
        fs::rename(&another, &path).unwrap();
        let error_for = |found| {
            let result =
                AtomicFile::replacing_path(&path, Some(found), &TempFileRegistry::default());
            result.expect_err("it is another file").to_string()
        };
        assert_eq!(error_for(&found), "replaced or removed by another process");
        fs::remove_file(&path).unwrap();
        assert_eq!(error_for(&found), "replaced or removed by another process");
    }
}
