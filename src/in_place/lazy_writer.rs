//! The new content of a file, which comes into being with the first byte that differs.
//!
//! As long as the output is the same as the file, nothing is written: many files are all ASCII, or
//! are converted already. So a file that would not change is not touched, nor is its directory.

use std::io::{self, Read, Write};

use super::content_reader::ContentReader;
use super::error::InPlaceError;
use super::locked_file::LockedFile;
use crate::output::atomic_file::AtomicFile;
use crate::output::temp_file::TempFileRegistry;

/// The new content of a file.
pub(super) struct LazyWriter<'a> {
    original: &'a LockedFile,
    registry: &'a TempFileRegistry,
    /// Asked whether the file may be replaced, when it comes to that.
    check_allowed: &'a dyn Fn() -> Result<(), InPlaceError>,
    /// Why it may not.
    denied: Option<InPlaceError>,
    dry_run: bool,
    /// Bytes of output so far that are the same as those of the file.
    common_len: u64,
    state: LazyWriterState,
    buffer: Box<[u8]>,
}

enum LazyWriterState {
    /// All output so far is what the file holds.
    Identical,
    /// It is not, and is being written.
    Changed(AtomicFile),
    /// It is not, and is not wanted.
    WouldChange,
}

/// What has come of a draft.
pub(super) enum WriteResult {
    /// The file would not change.
    Unchanged,
    /// The file would change, but is not to.
    WouldChange,
    /// The file changes, when this is committed.
    Changed(AtomicFile),
}

impl<'a> LazyWriter<'a> {
    /// A draft for a file; a dry one writes nothing.
    pub(super) fn new(
        original: &'a LockedFile,
        registry: &'a TempFileRegistry,
        check_allowed: &'a dyn Fn() -> Result<(), InPlaceError>,
        dry_run: bool,
    ) -> LazyWriter<'a> {
        let buffer = original.new_buffer();
        LazyWriter {
            original: original,
            registry: registry,
            check_allowed: check_allowed,
            denied: None,
            dry_run: dry_run,
            common_len: 0,
            state: LazyWriterState::Identical,
            buffer: buffer,
        }
    }

    /// Ends the output, or gives it up for what ended the run.
    pub(super) fn finish(
        mut self,
        result: Result<(), InPlaceError>,
    ) -> Result<WriteResult, InPlaceError> {
        let same_len = self.common_len == self.original.metadata.len();
        let run = match self.state {
            LazyWriterState::Identical if result.is_ok() && !same_len => {
                self.start_writing().map_err(InPlaceError::Write)
            }
            _ => result,
        };
        if let Some(denied) = self.denied {
            return Err(denied);
        }
        run?;
        Ok(match self.state {
            LazyWriterState::Identical => WriteResult::Unchanged,
            LazyWriterState::WouldChange => WriteResult::WouldChange,
            LazyWriterState::Changed(replacement) => WriteResult::Changed(replacement),
        })
    }

    /// The bytes at the beginning of `bytes` that the file has here as well.
    fn common_prefix(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let len = bytes.len().min(self.buffer.len());
        let mut reader = ContentReader { file: &self.original.file, offset: self.common_len };
        let count = reader.read(&mut self.buffer[..len])?;
        let pairs = bytes.iter().zip(&self.buffer[..count]);
        Ok(pairs.take_while(|(one, other)| one == other).count())
    }

    /// Begins to write: first what has been the same.
    fn start_writing(&mut self) -> io::Result<()> {
        if let Err(denied) = (self.check_allowed)() {
            self.denied = Some(denied);
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if self.dry_run {
            self.original.entry.directory.check_writable()?;
            self.state = LazyWriterState::WouldChange;
            return Ok(());
        }
        self.original.sync_mappings()?;
        let LockedFile { entry: position, file, metadata, .. } = self.original;
        let (position, file, metadata) = (position.clone(), file.try_clone()?, metadata.clone());
        let mut new_file = AtomicFile::replacing_open(position, file, metadata, self.registry)?;
        let mut reader = ContentReader { file: &self.original.file, offset: 0 };
        while reader.offset < self.common_len {
            let len = (self.common_len - reader.offset).min(self.buffer.len() as u64) as usize;
            let count = reader.read(&mut self.buffer[..len])?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            new_file.write_all(&self.buffer[..count])?;
        }
        self.state = LazyWriterState::Changed(new_file);
        Ok(())
    }
}

impl Write for LazyWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            LazyWriterState::Changed(replacement) => return replacement.write(bytes),
            LazyWriterState::WouldChange => return Ok(bytes.len()),
            LazyWriterState::Identical => {}
        }
        let count = self.common_prefix(bytes)?;
        self.common_len += count as u64;
        if count == 0 && !bytes.is_empty() {
            self.start_writing()?;
            return self.write(bytes);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
