//! The file that is to be rewritten, open, locked, and known well enough to be known again.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::{Errno, retry_on_intr};

use super::backup::Backup;
use super::content_reader::ContentReader;
use super::error::InPlaceError;
use crate::file_id::FileId;
use crate::output::atomic_file::check_replaceable;
use crate::output::dir_entry::DirEntryRef;

/// What a file system answers that has no locks, or none for a file that is open for reading.
const LOCK_UNSUPPORTED_ERRORS: [Errno; 5] =
    [Errno::NOTSUP, Errno::NOSYS, Errno::NOLCK, Errno::INVAL, Errno::BADF];

/// Errors of a file system that cannot sync, or not through a descriptor for reading.
const SYNC_UNSUPPORTED_ERRORS: [Errno; 4] = [Errno::INVAL, Errno::NOSYS, Errno::BADF, Errno::ROFS];

/// The largest block, in bytes.
const MAX_BUFFER_SIZE: usize = 64 * 1024;

/// What a file is known by: its inode, and where it is to be parted from its other names, its name
/// in the directory of this inode.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FileKey(pub(super) FileId, pub(super) Option<OsString>);

impl FileKey {
    /// The key of a file with one name.
    pub(super) fn from_id(id: FileId) -> FileKey {
        FileKey(id, None)
    }
}

/// A file to rewrite.
#[derive(Debug)]
pub(super) struct LockedFile {
    pub(super) entry: DirEntryRef,
    pub(super) file: File,
    /// What it was when it was locked.
    pub(super) metadata: Metadata,
    pub(super) id: FileId,
}

impl LockedFile {
    /// Opens a file. Symbolic links are followed here and never again.
    pub(super) fn open_path(path: &Path) -> Result<LockedFile, InPlaceError> {
        LockedFile::open_entry(DirEntryRef::resolve(path).map_err(InPlaceError::Read)?)
    }

    /// Opens a file in a directory that is held open.
    pub(super) fn open_entry(entry: DirEntryRef) -> Result<LockedFile, InPlaceError> {
        let file = entry.open(OFlags::RDONLY).map_err(|error| match error.raw_os_error() {
            // A socket cannot be opened at all.
            Some(code) if code == Errno::NXIO.raw_os_error() => InPlaceError::NotRegularFile,
            _ => InPlaceError::Read(error),
        })?;
        let metadata = file.metadata().map_err(InPlaceError::Read)?;
        if metadata.is_dir() {
            return Err(InPlaceError::Read(Errno::ISDIR.into()));
        }
        let id = FileId::from_metadata(&metadata).filter(|_| metadata.is_file());
        let identity = id.ok_or(InPlaceError::NotRegularFile)?;
        Ok(LockedFile { entry, file, metadata, id: identity })
    }

    /// What the file is known by.
    pub(super) fn key(&self, break_links: bool) -> io::Result<FileKey> {
        if !break_links || self.metadata.nlink() < 2 {
            return Ok(FileKey::from_id(self.id));
        }
        let directory = FileId::from_stat(&rustix::fs::fstat(&self.entry.directory)?);
        Ok(FileKey(directory, Some(self.entry.name.clone())))
    }

    /// Keeps out whoever asks for a lock as well, for as long as the file is open, and makes sure
    /// that the file still stands where it was found. What counts as a change is one from here on.
    pub(super) fn lock(&mut self) -> Result<(), InPlaceError> {
        match retry_on_intr(|| flock(&self.file, FlockOperation::NonBlockingLockExclusive)) {
            Err(Errno::WOULDBLOCK) => return Err(InPlaceError::Locked),
            Err(error) if !LOCK_UNSUPPORTED_ERRORS.contains(&error) => {
                return Err(InPlaceError::Read(error.into()));
            }
            _ => {}
        }
        self.metadata = self.file.metadata().map_err(InPlaceError::Read)?;
        self.check_unchanged().map_err(InPlaceError::Write)
    }

    /// Whether it may be replaced: who has made a file read-only means its content, and other
    /// names of the file would keep the old content. A backup that an interrupted run has made is
    /// no such name.
    pub(super) fn check_replaceable(
        &self,
        break_links: bool,
        backup: Option<&Backup<'_>>,
    ) -> Result<(), InPlaceError> {
        check_replaceable(&self.entry, &self.file, &self.metadata).map_err(InPlaceError::Write)?;
        let links = self.metadata.nlink();
        let has_own_backup = backup.is_some_and(Backup::already_exists);
        if links > 1 + u64::from(has_own_backup) && !break_links {
            return Err(InPlaceError::HardLinked(links));
        }
        Ok(())
    }

    /// Refuses a file that somebody else has written, changed or put there since it was opened.
    pub(super) fn check_unchanged(&self) -> io::Result<()> {
        self.check_metadata(|of| [of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()])
    }

    /// The same, after it has got another name from us: that changes one of its times.
    pub(super) fn check_not_written(&self) -> io::Result<()> {
        self.check_metadata(|of| [of.mtime(), of.mtime_nsec(), 0, 0])
    }

    fn check_metadata(&self, times: fn(&Metadata) -> [i64; 4]) -> io::Result<()> {
        let (old, new) = (&self.metadata, self.file.metadata()?);
        if old.size() == new.size() && times(old) == times(&new) && self.is_at(&self.entry) {
            return Ok(());
        }
        Err(changed_error())
    }

    /// Makes later stores through a shared mapping change the times of the file: pages that are
    /// dirty already can be stored to without that. A small file needs none: between reading it
    /// again and the rename there is no time for a store, but a sync waits for the disk.
    pub(super) fn sync_mappings(&self) -> io::Result<()> {
        if self.metadata.size() <= MAX_BUFFER_SIZE as u64 {
            return Ok(());
        }
        match retry_on_intr(|| rustix::fs::fsync(&self.file)) {
            Err(error) if !SYNC_UNSUPPORTED_ERRORS.contains(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Refuses a file that does not hold what was converted. Stores through a shared mapping need
    /// not change its times.
    pub(super) fn check_checksum(&self, checksum: u32) -> io::Result<()> {
        let mut reader = self.reader().with_checksum();
        let mut buffer = self.new_buffer();
        while reader.read(&mut buffer)? > 0 {}
        if reader.checksum() == checksum { Ok(()) } else { Err(changed_error()) }
    }

    /// Whether this file stands there.
    pub(super) fn is_at(&self, entry: &DirEntryRef) -> bool {
        entry.stat().is_ok_and(|stat| FileId::from_stat(&stat) == self.id)
    }

    /// As many bytes as are dealt with at a time: a small file takes no more than it needs, for it
    /// may be one of many.
    pub(super) fn buffer_size(&self) -> usize {
        self.metadata.size().clamp(64, MAX_BUFFER_SIZE as u64) as usize
    }

    /// Room for a block.
    pub(super) fn new_buffer(&self) -> Box<[u8]> {
        vec![0; self.buffer_size()].into_boxed_slice()
    }

    /// The content from the start.
    pub(super) fn reader(&self) -> ContentReader<'_> {
        ContentReader { file: &self.file, offset: 0 }
    }
}

fn changed_error() -> io::Error {
    io::Error::other("another process has changed it meanwhile")
}
