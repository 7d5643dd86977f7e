//! A file to convert: open, locked if it is to be replaced, and checked for changes by other processes.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use super::error::FileError;
use super::file_key_set::FileKey;
use crate::cli::fs::byte_count::{FileByteCount, PassCount};
use crate::cli::fs::directory::FileEntry;
use crate::cli::fs::output::atomic_file::check_replaceable;
use crate::cli::sys::directory::{is_a_directory, is_socket_error};
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::{FileAccess, access, stdio};

/// The largest buffer, in bytes.
const MAX_BUFFER_SIZE: usize = 64 * 1024;

/// A file to convert.
#[derive(Debug)]
pub(super) struct LockedFile {
    pub(super) entry: FileEntry,
    pub(super) file: Arc<File>,
    /// The status when the file was locked, or opened if it is only read.
    pub(super) status: FileStatus,
    pub(super) id: FileId,
    /// All of its content, if it was small enough to be [loaded](LockedFile::load).
    pub(super) content: Option<Box<[u8]>>,
    /// How far the file has been processed.
    pub(super) byte_count: FileByteCount,
}

impl LockedFile {
    /// Opens a file by its path, following symbolic links.
    pub(super) fn open_path(path: &Path, access: FileAccess) -> Result<LockedFile, FileError> {
        LockedFile::open_entry(FileEntry::resolve(path).map_err(FileError::Read)?, access)
    }

    /// Opens a file in an open directory.
    pub(super) fn open_entry(
        entry: FileEntry,
        access: FileAccess,
    ) -> Result<LockedFile, FileError> {
        let file = entry.open_with(access).map_err(|error| match error {
            // A socket cannot be opened at all.
            error if is_socket_error(&error) => FileError::NotRegularFile,
            error if access::is_sharing_violation(&error) => FileError::Locked,
            error => FileError::Read(error),
        })?;
        let status = FileStatus::of(&file).map_err(FileError::Read)?;
        if status.is_dir() {
            return Err(FileError::Read(is_a_directory()));
        }
        let id = status.file_id().filter(|_| status.is_file());
        let id = id.ok_or(FileError::NotRegularFile)?;
        let byte_count = FileByteCount::new(status.len());
        Ok(LockedFile { entry, file: Arc::new(file), status, id, content: None, byte_count })
    }

    /// Returns the key by which the file is claimed.
    pub(super) fn key(&self, break_hard_links: bool) -> io::Result<FileKey> {
        if !break_hard_links || self.status.links() < 2 {
            return Ok(FileKey::from_id(self.id));
        }
        Ok(FileKey(self.entry.directory.file_id()?, Some(self.entry.name.clone())))
    }

    /// Locks the file for as long as it is open, and checks that it has not been replaced or changed since
    /// it was opened. From here on, changes are relative to the status at this point.
    pub(super) fn lock(&mut self) -> Result<(), FileError> {
        if !access::try_lock(&self.file).map_err(FileError::Read)? {
            return Err(FileError::Locked);
        }
        let FileEntry { directory, name } = &self.entry;
        if self.status.is_unchanged(&self.file, directory.handle(), name) {
            return Ok(());
        }
        self.status = FileStatus::of(&self.file).map_err(FileError::Read)?;
        self.check_unchanged().map_err(FileError::Write)
    }

    /// Reads a small file, so that all passes over it examine the same bytes, which are read only once.
    pub(super) fn load(&mut self) -> io::Result<()> {
        let len = self.status.len();
        if len > MAX_BUFFER_SIZE as u64 {
            return Ok(());
        }
        // One byte more shows where it ends.
        let mut content = vec![0; len as usize + 1];
        let count = stdio::read_at(&self.file, &mut content, 0)?;
        if count as u64 == len {
            content.truncate(count);
            self.content = Some(content.into_boxed_slice());
        }
        Ok(())
    }

    /// Returns an error if the file must not be replaced, because it is read-only or because other hard
    /// links would keep the old content. A backup that an interrupted run has created does not count.
    pub(super) fn check_replaceable(
        &self,
        break_hard_links: bool,
        has_own_backup: bool,
    ) -> Result<(), FileError> {
        check_replaceable(&self.entry, &self.file, &self.status).map_err(FileError::Write)?;
        let links = self.status.links();
        if links > 1 + u64::from(has_own_backup) && !break_hard_links {
            return Err(FileError::HardLinked(links));
        }
        Ok(())
    }

    /// Returns an error if another process has changed or replaced the file since it was locked.
    pub(super) fn check_unchanged(&self) -> io::Result<()> {
        self.check_status(true)
    }

    /// Returns an error if another process has written or replaced the file since it was locked or opened.
    /// The change time is ignored: creating a hard link as a backup updates it.
    pub(super) fn check_not_written(&self) -> io::Result<()> {
        self.check_status(false)
    }

    fn check_status(&self, with_metadata: bool) -> io::Result<()> {
        let FileEntry { directory, name } = &self.entry;
        match self.status.is_current(&self.file, directory.handle(), name, with_metadata) {
            true => Ok(()),
            false => Err(changed_error()),
        }
    }

    /// Syncs the file, so that later stores through a shared mapping update its times: stores to pages
    /// that are already dirty do not. Small files are not synced, because a sync waits for the disk and
    /// there is hardly any time for a store between checking the checksum and the rename.
    pub(super) fn sync_mappings(&self) -> io::Result<()> {
        if self.status.len() <= MAX_BUFFER_SIZE as u64 {
            return Ok(());
        }
        access::sync_mappings(&self.file)
    }

    /// Returns an error if the content does not have this checksum. Stores through a shared mapping need
    /// not update the times of the file.
    pub(super) fn check_checksum(&self, checksum: u32) -> io::Result<()> {
        let pass = Some(self.byte_count.begin_pass());
        let reader = ContentReader { file: &self.file, content: None, offset: 0, pass };
        let (mut reader, mut buffer) = (reader.with_checksum(), self.new_buffer());
        // The size is that of the status, which is compared afterward.
        while reader.inner.offset < self.status.len() && reader.read(&mut buffer)? > 0 {}
        if reader.checksum() == checksum { Ok(()) } else { Err(changed_error()) }
    }

    /// Returns whether this entry refers to the file.
    pub(super) fn is_at(&self, entry: &FileEntry) -> bool {
        entry.file_id().is_ok_and(|id| id == self.id)
    }

    /// Returns the buffer size in bytes. Buffers of small files, of which there may be many, are not larger
    /// than the file.
    pub(super) fn buffer_size(&self) -> usize {
        self.status.len().clamp(64, MAX_BUFFER_SIZE as u64) as usize
    }

    pub(super) fn new_buffer(&self) -> Box<[u8]> {
        vec![0; self.buffer_size()].into_boxed_slice()
    }

    /// Returns a reader of the content from the start, for a pass over the file.
    pub(super) fn reader(&self) -> ContentReader<'_> {
        ContentReader { pass: Some(self.byte_count.begin_pass()), ..self.reader_at(0) }
    }

    /// Returns a reader of a part of the content from an offset.
    pub(super) fn reader_at(&self, offset: u64) -> ContentReader<'_> {
        ContentReader { file: &self.file, content: self.content.as_deref(), offset, pass: None }
    }
}

fn changed_error() -> io::Error {
    io::Error::other("changed by another process")
}

/// Reads the content of an open file without moving its file position.
#[derive(Debug)]
pub(super) struct ContentReader<'a> {
    file: &'a File,
    /// The content, if it was loaded.
    content: Option<&'a [u8]>,
    /// The offset of the next byte to read.
    pub(super) offset: u64,
    pass: Option<PassCount<'a>>,
}

impl<'a> ContentReader<'a> {
    /// Returns a reader that computes the checksum of the rest.
    pub(super) fn with_checksum(self) -> ChecksumReader<'a> {
        ChecksumReader { inner: self, hasher: crc32fast::Hasher::new() }
    }
}

impl Read for ContentReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match self.content {
            Some(content) => {
                content.get(self.offset as usize..).unwrap_or_default().read(buffer)?
            }
            None => stdio::read_at(self.file, buffer, self.offset)?,
        };
        self.offset += count as u64;
        if let Some(pass) = &mut self.pass {
            pass.add(count);
        }
        Ok(count)
    }
}

/// Reads the content of a file and computes a checksum.
#[derive(Debug)]
pub(super) struct ChecksumReader<'a> {
    inner: ContentReader<'a>,
    hasher: crc32fast::Hasher,
}

impl ChecksumReader<'_> {
    /// Returns the CRC-32 of the bytes read.
    pub(super) fn checksum(self) -> u32 {
        self.hasher.finalize()
    }
}

impl Read for ChecksumReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        Ok(count)
    }
}
