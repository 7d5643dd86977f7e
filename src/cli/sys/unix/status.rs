//! The status of files.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;
use std::time::SystemTime;

use super::stdio::Handle;
use crate::cli::fs::file_id::FileId;

/// The status of a file at some time.
#[derive(Debug, Clone)]
pub(crate) struct FileStatus(Metadata);

impl FileStatus {
    /// Returns the status of an open file.
    pub(crate) fn of(file: &File) -> io::Result<FileStatus> {
        Ok(FileStatus(file.metadata()?))
    }

    /// Returns the status of an open stream.
    pub(crate) fn of_stream(fd: Handle<'_>) -> io::Result<FileStatus> {
        // `Metadata` comes only from a `File`, which owns its descriptor, so it gets a duplicate.
        FileStatus::of(&File::from(fd.try_clone_to_owned()?))
    }

    /// Returns the status of the file at a path; symbolic links are followed.
    pub(crate) fn at(path: &Path) -> io::Result<FileStatus> {
        Ok(FileStatus(fs::metadata(path)?))
    }

    pub(crate) fn is_file(&self) -> bool {
        self.0.is_file()
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.0.is_dir()
    }

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.0.size()
    }

    /// Returns the number of hard links.
    pub(crate) fn links(&self) -> u64 {
        self.0.nlink()
    }

    pub(crate) fn modified(&self) -> io::Result<SystemTime> {
        self.0.modified()
    }

    /// Returns the identity of a regular file, pipe or FIFO; `None` for terminals, sockets and devices,
    /// which can be read and written at the same time.
    pub(crate) fn file_id(&self) -> Option<FileId> {
        let file_type = self.0.file_type();
        (file_type.is_file() || file_type.is_fifo())
            .then(|| FileId::new(self.0.dev(), self.0.ino()))
    }

    /// Returns whether both have the same size and modification time: whether the file was not written in
    /// between.
    pub(crate) fn is_same_content(&self, other: &FileStatus) -> bool {
        let times = |file: &Metadata| (file.size(), file.mtime(), file.mtime_nsec());
        times(&self.0) == times(&other.0)
    }

    /// Returns whether both also have the same change time: whether no metadata changed either.
    pub(crate) fn is_same(&self, other: &FileStatus) -> bool {
        let times = |file: &Metadata| (file.ctime(), file.ctime_nsec());
        self.is_same_content(other) && times(&self.0) == times(&other.0)
    }

    pub(super) fn metadata(&self) -> &Metadata {
        &self.0
    }
}
