//! The status of files, and the metadata kept by a replacement.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::Storage::FileSystem::{
    FILE_ATTRIBUTE_DIRECTORY, FILE_ATTRIBUTE_READONLY, FILE_FLAG_BACKUP_SEMANTICS, FILE_TYPE_DISK,
};

use super::directory::DirectoryHandle;
use super::ffi;
use super::stdio::Handle;
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::preserve::{Preserve, PreserveError};

/// The number of intervals of 100 ns from 1601 to 1970.
const UNIX_EPOCH: u64 = 116_444_736_000_000_000;

/// The status of a file at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileStatus {
    is_disk: bool,
    attributes: u32,
    created: u64,
    modified: u64,
    len: u64,
    links: u64,
    id: FileId,
}

impl FileStatus {
    /// Returns the status of an open file.
    pub(crate) fn of(file: &File) -> io::Result<FileStatus> {
        if ffi::file_type(file) != FILE_TYPE_DISK {
            let id = FileId::new(0, 0);
            let (attributes, created, modified, len, links) = (0, 0, 0, 0, 1);
            return Ok(FileStatus {
                is_disk: false,
                attributes,
                created,
                modified,
                len,
                links,
                id,
            });
        }
        let information = ffi::file_information(file)?;
        let index = join(information.nFileIndexHigh, information.nFileIndexLow);
        Ok(FileStatus {
            is_disk: true,
            attributes: information.dwFileAttributes,
            created: file_time(information.ftCreationTime),
            modified: file_time(information.ftLastWriteTime),
            len: join(information.nFileSizeHigh, information.nFileSizeLow),
            links: u64::from(information.nNumberOfLinks),
            id: FileId::new(u64::from(information.dwVolumeSerialNumber), index),
        })
    }

    /// Returns the status of an open stream.
    pub(crate) fn of_stream(stream: Handle<'_>) -> io::Result<FileStatus> {
        FileStatus::of(stream.file()?)
    }

    /// Returns the status of the file at a path; symbolic links are followed.
    pub(crate) fn at(path: &Path) -> io::Result<FileStatus> {
        let mut options = OpenOptions::new();
        FileStatus::of(&options.access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?)
    }

    pub(crate) fn is_file(&self) -> bool {
        self.is_disk && !self.is_dir()
    }

    /// Returns the user ID of the owner, if files have one.
    pub(crate) fn owner(&self) -> Option<u32> {
        None
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.attributes & FILE_ATTRIBUTE_DIRECTORY != 0
    }

    pub(super) fn is_read_only(&self) -> bool {
        self.attributes & FILE_ATTRIBUTE_READONLY != 0
    }

    pub(super) fn attributes(&self) -> u32 {
        self.attributes
    }

    /// Returns the time of the creation, in intervals of 100 ns since 1601.
    pub(super) fn created(&self) -> u64 {
        self.created
    }

    /// Returns the permission bits that a file has elsewhere.
    #[expect(clippy::unused_self, reason = "files have them on other systems")]
    pub(crate) fn permissions(&self) -> u32 {
        0o666
    }

    /// Returns false: the permissions are not known.
    #[expect(clippy::unused_self, reason = "they are on other systems")]
    pub(crate) fn is_writable_by_owner(&self) -> bool {
        false
    }

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Returns the number of hard links.
    pub(crate) fn links(&self) -> u64 {
        self.links
    }

    #[expect(clippy::unnecessary_wraps, reason = "it can fail on other systems")]
    pub(crate) fn modified(&self) -> io::Result<SystemTime> {
        let time =
            |count: u64| Duration::new(count / 10_000_000, (count % 10_000_000) as u32 * 100);
        Ok(SystemTime::UNIX_EPOCH + time(self.modified.max(UNIX_EPOCH)) - time(UNIX_EPOCH))
    }

    /// Returns the identity of a regular file; `None` for directories, pipes and devices.
    pub(crate) fn file_id(&self) -> Option<FileId> {
        self.is_file().then_some(self.id)
    }

    /// Returns the identity of a file or directory.
    pub(super) fn id(&self) -> FileId {
        self.id
    }

    /// Returns whether the entry `name` is still this open file, with the same size and modification time:
    /// whether the file was neither replaced nor written since. `with_metadata` also compares everything else.
    pub(crate) fn is_current(
        &self,
        file: &File,
        directory: &DirectoryHandle,
        name: &OsStr,
        with_metadata: bool,
    ) -> bool {
        let Ok(new) = FileStatus::of(file) else { return false };
        (self.len, self.modified) == (new.len, new.modified)
            && (!with_metadata || *self == new)
            && directory.file_id_of(name).is_ok_and(|id| id == self.id)
    }

    /// Returns whether an open file still has this status and this name.
    pub(crate) fn is_unchanged(
        &self,
        file: &File,
        directory: &DirectoryHandle,
        name: &OsStr,
    ) -> bool {
        self.is_current(file, directory, name, true)
    }
}

fn join(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn file_time(time: FILETIME) -> u64 {
    join(time.dwHighDateTime, time.dwLowDateTime)
}

/// Returns the effective user ID of the process, if the system has one.
pub(crate) fn effective_user() -> Option<u32> {
    None
}

/// Copies attributes and creation time to `file`. [`replace`](super::directory::DirectoryHandle::replace)
/// keeps the access control list and streams. A backup that is a copy gets the access control list of its
/// directory.
pub(crate) fn copy_metadata(
    (file, _): (&File, &FileStatus),
    (_, old_status): (&File, &FileStatus),
    preserve: Preserve,
) -> io::Result<()> {
    if !preserve.mode {
        return Ok(());
    }
    ffi::set_attributes(file, old_status.attributes(), old_status.created())
        .map_err(|error| PreserveError::io_error("mode", &error))
}
