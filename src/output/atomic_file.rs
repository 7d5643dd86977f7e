//! A file that is written beside the one it will replace.
//!
//! The old content stands until the new one is whole and on disk; then one `rename` swaps them.
//! Whoever looks in between sees the old file or the new one, never half of either.

use std::fmt;
use std::fs::{File, FileTimes, Metadata};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat};
use rustix::io::Errno;

use super::dir_entry::DirEntryRef;
use super::file_metadata::copy_metadata;
use super::rename_restriction;
use super::temp_file::{TempFile, TempFileRegistry};
use crate::file_id::FileId;
use crate::retry;

/// The permissions of a new file before the umask, and of one that replaces another: nobody else
/// may look into that before it has its owner.
const NEW_FILE_MODE: Mode = Mode::from_raw_mode(0o666);
const PRIVATE_MODE: Mode = Mode::from_raw_mode(0o600);

/// The new content of a file, on its way.
#[derive(Debug)]
pub struct AtomicFile {
    temp_file: TempFile,
    entry: DirEntryRef,
    /// The file to be replaced, if there is one, open, and what it was when it was opened.
    original: Option<Box<(File, Metadata)>>,
}

impl AtomicFile {
    /// Starts the new content of `path`, whose file is `old` if there is one. Where `path` is a
    /// symbolic link, the file it leads to will be replaced and the link stays.
    pub(super) fn replacing_path(
        path: &Path,
        existing: Option<&Metadata>,
        registry: &TempFileRegistry,
    ) -> io::Result<AtomicFile> {
        let Some(found) = existing else {
            if path.as_os_str().as_bytes().ends_with(b"/") {
                return Err(Errno::ISDIR.into());
            }
            let entry = DirEntryRef::resolve(path)?;
            rename_restriction::check_rename_allowed(&entry.directory, None)?;
            let temp_file = TempFile::create(entry.clone(), NEW_FILE_MODE, registry)?;
            return Ok(AtomicFile { temp_file: temp_file, entry: entry, original: None });
        };
        let position = DirEntryRef::resolve(path)?;
        check_not_replaced(&position, found)?;
        // Who may write a file need not be allowed to read it.
        let file = match position.open(OFlags::RDONLY) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                position.open(OFlags::WRONLY)?
            }
            opened => opened?,
        };
        let metadata = file.metadata()?;
        check_replaceable(&position, &file, &metadata)?;
        AtomicFile::replacing_open(position, file, metadata, registry)
    }

    /// Starts the new content of an open file that stands at `position`.
    pub(crate) fn replacing_open(
        entry: DirEntryRef,
        file: File,
        metadata: Metadata,
        registry: &TempFileRegistry,
    ) -> io::Result<AtomicFile> {
        let temp_file = TempFile::create(entry.clone(), PRIVATE_MODE, registry)?;
        Ok(AtomicFile {
            temp_file: temp_file,
            entry: entry,
            original: Some(Box::new((file, metadata))),
        })
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.temp_file.file.as_fd()
    }

    /// Sets the time of the last change, after everything has been written.
    pub(crate) fn set_mtime(&self, time: SystemTime) -> io::Result<()> {
        self.temp_file.file.set_times(FileTimes::new().set_modified(time))
    }

    /// Takes the position of the old file, on disk when this returns. `first` is called just before
    /// that with the new file, when everything else has gone well.
    pub(crate) fn commit(
        self,
        before_rename: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<(), CommitError> {
        let AtomicFile { mut temp_file, entry: position, original: old } = self;
        let finish = || {
            if let Some((file, metadata)) = old.as_deref() {
                copy_metadata(&temp_file.file, file, metadata)?;
            }
            temp_file.file.sync_all()?;
            temp_file.persist(before_rename)
        };
        finish().map_err(CommitError::NotCommitted)?;
        // The old file is open until then, so that nobody is given its space as long as the name may
        // still lead there on the disk.
        position.directory.sync(&temp_file.file).map_err(CommitError::NotDurable)
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

/// How far a commit has come that failed.
#[derive(Debug)]
pub enum CommitError {
    /// The old file stands as it was.
    NotCommitted(io::Error),
    /// The new file is in its position and on disk, but its directory may not be: after a crash the old
    /// file may be back.
    NotDurable(io::Error),
}

impl fmt::Display for CommitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CommitError::NotCommitted(_) => "cannot be written",
            CommitError::NotDurable(_) => "is written, but its directory may not be on disk",
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

/// Refuses a file that was replaced or removed since it was found, or has other names: these are not
/// parted.
fn check_not_replaced(entry: &DirEntryRef, old: &Metadata) -> io::Result<()> {
    // Another run with the same output may have ended just now; and a link below /proc may name a
    // file that has no name any more.
    let current_id = match entry.stat() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        looked => Some(FileId::from_stat(&looked?)),
    };
    if current_id != FileId::from_metadata(old) {
        return Err(io::Error::other("another process has replaced or removed it"));
    }
    if old.nlink() > 1 {
        let links = old.nlink();
        let reason = format!("it has {links} hard links, and replacing it would part them");
        return Err(io::Error::other(reason));
    }
    Ok(())
}

/// Refuses a file that cannot be replaced, and one that `open` would not open for writing: a rename
/// requires no permission for the file itself, but a read-only file is meant to keep its content.
///
/// # Errors
///
/// Why it may not be replaced.
pub(crate) fn check_replaceable(
    entry: &DirEntryRef,
    file: &File,
    metadata: &Metadata,
) -> io::Result<()> {
    rename_restriction::check_rename_allowed(&entry.directory, Some((file, metadata)))?;
    Ok(accessat(&entry.directory, &entry.name, Access::WRITE_OK, AtFlags::empty())?)
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
        let refused = |found| {
            let of = AtomicFile::replacing_path(&path, Some(found), &TempFileRegistry::default());
            of.expect_err("it is another file").to_string()
        };
        assert_eq!(refused(&found), "another process has replaced or removed it");
        fs::remove_file(&path).unwrap();
        assert_eq!(refused(&found), "another process has replaced or removed it");
    }
}
