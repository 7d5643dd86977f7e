//! Atomic replacement of a file.
//!
//! The new content is written to a temporary file in the same directory, when it is complete if it is small.
//! When that is complete and synced, one `rename` replaces the old file. Other processes see the old file or the
//! new one, never a part of either.

use std::fmt;
use std::fs::{File, FileTimes};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::temp_file::{TempFile, TempFileRegistry};
use crate::cli::fs::directory::{FileEntry, ends_with_separator};
use crate::cli::sys::access::check_rename_allowed;
use crate::cli::sys::directory::{is_a_directory, sync_file};
use crate::cli::sys::preserve::Preserve;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::{CreateMode, FileAccess, stdio};

/// The size in bytes up to which the new content is kept in memory: a file without a name, and a name for it,
/// cost more than a named file, which is left only if the process is killed while it writes it.
const MAX_BUFFERED_LEN: usize = 64 * 1024;

/// The new content of a file, in memory or a temporary file until it is committed.
#[derive(Debug)]
pub struct AtomicFile {
    content: NewContent,
    entry: FileEntry,
    mode: CreateMode,
    registry: TempFileRegistry,
    /// The existing file, open, and its status when it was opened.
    original: Option<Box<(Arc<File>, FileStatus)>>,
    /// The metadata of the existing file that the new one gets.
    preserve: Preserve,
    /// The modification time that the new file gets.
    mtime: Option<SystemTime>,
    /// Whether there must be no file of this name by the time of the commit.
    is_new: bool,
}

#[derive(Debug)]
enum NewContent {
    /// In memory.
    Buffered(Vec<u8>),
    /// In a temporary file, as it is too long.
    Spilled(TempFile),
    /// In a temporary file, which is written by its [handle](AtomicFile::file).
    Streamed(TempFile),
}

impl AtomicFile {
    /// Creates the temporary file for `path`; `existing` is the status of its file if there is one. If
    /// `path` is a symbolic link, the file it leads to will be replaced and the link is kept.
    pub(super) fn replacing_path(
        path: &Path,
        existing: Option<&FileStatus>,
        preserve: Preserve,
        registry: &TempFileRegistry,
    ) -> io::Result<AtomicFile> {
        let Some(found) = existing else {
            if ends_with_separator(path) {
                return Err(is_a_directory());
            }
            let entry = FileEntry::resolve(path)?;
            check_rename_allowed(entry.directory.handle(), entry.directory.path(), None)?;
            return AtomicFile::create_new(entry, CreateMode::Default, registry).streamed();
        };
        let entry = FileEntry::resolve(path)?;
        check_not_replaced(&entry, found)?;
        let (file, status) = open_existing(&entry)?;
        check_replaceable(&entry, &file, &status)?;
        AtomicFile::replacing_open(entry, (file, status), preserve, registry).streamed()
    }

    /// Returns the empty content of a file that does not exist yet.
    pub(crate) fn create_new(
        entry: FileEntry,
        mode: CreateMode,
        registry: &TempFileRegistry,
    ) -> AtomicFile {
        AtomicFile {
            content: NewContent::Buffered(Vec::new()),
            entry,
            mode,
            registry: registry.clone(),
            original: None,
            preserve: Preserve::default(),
            mtime: None,
            is_new: false,
        }
    }

    /// Returns the empty new content of an open file, which `entry` names.
    pub(crate) fn replacing_open(
        entry: FileEntry,
        existing: (Arc<File>, FileStatus),
        preserve: Preserve,
        registry: &TempFileRegistry,
    ) -> AtomicFile {
        let mode = if preserve.mode { CreateMode::Private } else { CreateMode::Default };
        let new = AtomicFile::create_new(entry, mode, registry);
        AtomicFile { original: Some(Box::new(existing)), preserve, ..new }
    }

    /// Creates the temporary file at once.
    fn streamed(self) -> io::Result<AtomicFile> {
        let content = NewContent::Streamed(self.create_temp_file()?);
        Ok(AtomicFile { content, ..self })
    }

    fn create_temp_file(&self) -> io::Result<TempFile> {
        TempFile::create(self.entry.clone(), self.mode, &self.registry)
    }

    /// Makes it an error if there is a file of this name by the time of the [commit](AtomicFile::commit).
    pub(crate) fn excluding_existing(self) -> AtomicFile {
        AtomicFile { is_new: true, ..self }
    }

    /// Returns the temporary file, if there is one.
    pub(super) fn file(&self) -> Option<&File> {
        match &self.content {
            NewContent::Buffered(_) => None,
            NewContent::Spilled(temp_file) | NewContent::Streamed(temp_file) => {
                Some(&temp_file.file)
            }
        }
    }

    /// Sets the modification time that the file will have.
    pub(crate) fn set_mtime(&mut self, time: SystemTime) {
        self.mtime = Some(time);
    }

    /// Syncs the new file, renames it over the old one and syncs the directory. Calls `before_rename` with the
    /// new file immediately before the rename, when everything else has succeeded.
    pub(crate) fn commit(
        self,
        before_rename: impl FnOnce(&mut TempFile) -> io::Result<()>,
    ) -> Result<(), CommitError> {
        let AtomicFile { content, entry, mode, registry, original, preserve, mtime, is_new } = self;
        let set_metadata = |temp_file: &mut TempFile| {
            if let Some((file, status)) = original.as_deref() {
                temp_file.copy_metadata((file, status), preserve)?;
            }
            if let Some(mtime) = mtime {
                temp_file.file.set_times(FileTimes::new().set_modified(mtime))?;
            }
            if is_new {
                temp_file.set_new();
            }
            Ok(())
        };
        let (target, is_spilled) = (entry.clone(), matches!(content, NewContent::Spilled(_)));
        let persisted = match content {
            NewContent::Buffered(bytes) => {
                let fill = |temp_file: &mut TempFile| {
                    temp_file.file.write_all(&bytes)?;
                    set_metadata(temp_file)
                };
                TempFile::create_and_persist(target, mode, &registry, fill, before_rename)
            }
            NewContent::Spilled(mut temp_file) | NewContent::Streamed(mut temp_file) => {
                let persist = || {
                    set_metadata(&mut temp_file)?;
                    // A file without a name is also synced with its name, while other threads wait.
                    if temp_file.is_named() || is_spilled {
                        sync_file(&temp_file.file)?;
                    }
                    temp_file.persist(before_rename)
                };
                persist().map(|()| temp_file)
            }
        };
        let new_file = persisted.map_err(CommitError::NotCommitted)?;
        // The original stays open until the directory is synced, so that its blocks are not reused while
        // the name on disk may still refer to it.
        entry.directory.sync(&new_file.file).map_err(CommitError::NotDurable)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let NewContent::Buffered(content) = &mut self.content {
            if content.len() + bytes.len() <= MAX_BUFFERED_LEN {
                content.extend_from_slice(bytes);
                return Ok(bytes.len());
            }
            let content = std::mem::take(content);
            let mut temp_file = self.create_temp_file()?;
            temp_file.file.write_all(&content)?;
            self.content = NewContent::Spilled(temp_file);
        }
        match self.file() {
            Some(file) => stdio::write(stdio::of_file(file), bytes),
            None => Ok(0),
        }
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
fn check_not_replaced(entry: &FileEntry, found: &FileStatus) -> io::Result<()> {
    // Another run with the same output may have just ended; and a link below /proc may refer to a
    // deleted file.
    let current_id = match entry.file_id() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        result => Some(result?),
    };
    if current_id != found.file_id() {
        return Err(io::Error::other("replaced or removed by another process"));
    }
    let links = found.links();
    if links > 1 {
        let reason = format!("has {links} hard links; replacing it would break them");
        return Err(io::Error::other(reason));
    }
    Ok(())
}

/// Opens a file that is to be replaced. It may be writable but not readable.
pub(crate) fn open_existing(entry: &FileEntry) -> io::Result<(Arc<File>, FileStatus)> {
    let file = match entry.open_with(FileAccess::Read) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            entry.open_with(FileAccess::Write)?
        }
        result => result?,
    };
    let status = FileStatus::of(&file)?;
    Ok((Arc::new(file), status))
}

/// Returns an error if the file cannot be renamed over, or could not be opened for writing: `rename`
/// requires no permission for the file itself, but a read-only file is meant to keep its content.
pub(crate) fn check_replaceable(
    entry: &FileEntry,
    file: &File,
    status: &FileStatus,
) -> io::Result<()> {
    let directory = &entry.directory;
    check_rename_allowed(directory.handle(), directory.path(), Some((file, status)))?;
    if status.is_writable_by_owner() {
        return Ok(());
    }
    directory.handle().check_file_writable(&entry.name)
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
        let found = FileStatus::at(&path).unwrap();
        let another = directory.path().join("another");
        fs::write(&another, "new").unwrap();
        fs::rename(&another, &path).unwrap();
        let error_for = |found| {
            let (preserve, registry) = (Preserve::default(), TempFileRegistry::default());
            let result = AtomicFile::replacing_path(&path, Some(found), preserve, &registry);
            result.expect_err("it is another file").to_string()
        };
        assert_eq!(error_for(&found), "replaced or removed by another process");
        fs::remove_file(&path).unwrap();
        assert_eq!(error_for(&found), "replaced or removed by another process");
    }
}
