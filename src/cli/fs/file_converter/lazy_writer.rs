//! A writer that creates the new file when the output first differs from the old content.
//!
//! Many files contain only ASCII or are already converted. As long as the output is the same as the file,
//! nothing is written, so neither a file that would not change nor its directory is modified.

use std::io::{self, Read, Write};

use super::error::FileError;
use super::locked_file::LockedFile;
use crate::cli::fs::output::atomic_file::AtomicFile;

/// Writes the new content of a file.
pub(super) struct LazyWriter<'a> {
    original: &'a LockedFile,
    /// Creates the new file, or in a dry run only checks whether it may be created. Called on the first
    /// difference.
    create: &'a (dyn Fn() -> Result<Option<AtomicFile>, FileError> + Sync),
    /// The error of `create`.
    denied: Option<FileError>,
    /// The number of bytes written so far that are equal to those of the file.
    common_len: u64,
    state: LazyWriterState,
    buffer: Box<[u8]>,
}

enum LazyWriterState {
    /// All output so far is equal to the content of the file.
    Identical,
    /// The output differs and is written to this file.
    Changed(AtomicFile),
    /// The output differs and is discarded.
    WouldChange,
}

/// The result of writing a file.
pub(super) enum WriteResult {
    /// The file would not change.
    Unchanged,
    /// The file would change without `dry_run`.
    WouldChange,
    /// The file changes when this is committed.
    Changed(AtomicFile),
}

impl<'a> LazyWriter<'a> {
    /// Returns a writer for the new content of a file, which `create` creates. If that returns no file,
    /// nothing is written.
    pub(super) fn new(
        original: &'a LockedFile,
        create: &'a (dyn Fn() -> Result<Option<AtomicFile>, FileError> + Sync),
    ) -> LazyWriter<'a> {
        LazyWriter {
            original,
            create,
            denied: None,
            common_len: 0,
            state: LazyWriterState::Identical,
            buffer: match original.content {
                Some(_) => Box::default(),
                None => original.new_buffer(),
            },
        }
    }

    /// Ends the output. `result` is the result of the conversion, whose error is returned.
    pub(super) fn finish(
        mut self,
        result: Result<(), FileError>,
    ) -> Result<WriteResult, FileError> {
        let same_len = self.common_len == self.original.status.len();
        let result = match self.state {
            LazyWriterState::Identical if result.is_ok() && !same_len => {
                self.start_writing(&[]).map_err(FileError::Write)
            }
            _ => result,
        };
        if let Some(denied) = self.denied {
            return Err(denied);
        }
        result?;
        Ok(match self.state {
            LazyWriterState::Identical => WriteResult::Unchanged,
            LazyWriterState::WouldChange => WriteResult::WouldChange,
            LazyWriterState::Changed(new_file) => WriteResult::Changed(new_file),
        })
    }

    /// Returns the number of leading bytes that are equal to those of the file at the current offset.
    fn common_prefix(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let old = match &self.original.content {
            Some(content) => content.get(self.common_len as usize..).unwrap_or_default(),
            None => {
                let len = bytes.len().min(self.buffer.len());
                let mut reader = self.original.reader_at(self.common_len);
                let count = reader.read(&mut self.buffer[..len])?;
                &self.buffer[..count]
            }
        };
        let pairs = bytes.iter().zip(old);
        Ok(pairs.take_while(|(one, other)| one == other).count())
    }

    /// Creates the new file and writes the common prefix and these bytes.
    fn start_writing(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut new_file = match (self.create)() {
            Ok(Some(new_file)) => new_file,
            Ok(None) => {
                self.state = LazyWriterState::WouldChange;
                return Ok(());
            }
            Err(denied) => {
                self.denied = Some(denied);
                return Err(io::ErrorKind::PermissionDenied.into());
            }
        };
        if let Some(content) = &self.original.content {
            new_file.write_all(&content[..self.common_len as usize])?;
            new_file.write_all(bytes)?;
            self.state = LazyWriterState::Changed(new_file);
            return Ok(());
        }
        let mut reader = self.original.reader_at(0);
        while reader.offset < self.common_len {
            let len = (self.common_len - reader.offset).min(self.buffer.len() as u64) as usize;
            let count = reader.read(&mut self.buffer[..len])?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            new_file.write_all(&self.buffer[..count])?;
        }
        new_file.write_all(bytes)?;
        self.state = LazyWriterState::Changed(new_file);
        Ok(())
    }
}

impl Write for LazyWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            LazyWriterState::Changed(new_file) => return new_file.write(bytes),
            LazyWriterState::WouldChange => return Ok(bytes.len()),
            LazyWriterState::Identical => {}
        }
        let count = self.common_prefix(bytes)?;
        self.common_len += count as u64;
        if count < bytes.len() && (count == 0 || self.original.content.is_some()) {
            self.start_writing(&bytes[count..])?;
            return Ok(bytes.len());
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
