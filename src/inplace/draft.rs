//! The new content of a file, which comes into being with the first byte that differs.
//!
//! As long as the output is the same as the file, nothing is written: many files are all ASCII, or
//! are converted already. So a file that would not change is not touched, nor is its folder.

use std::io::{self, Read, Write};

use super::content::Content;
use super::failure::Failure;
use super::source::Source;
use crate::sink::replacement::Replacement;
use crate::sink::temporary::Temporaries;

/// The new content of a file.
pub(super) struct Draft<'a> {
    source: &'a Source,
    list: &'a Temporaries,
    /// Asked whether the file may be replaced, when it comes to that.
    permit: &'a dyn Fn() -> Result<(), Failure>,
    /// Why it may not.
    refusal: Option<Failure>,
    dry: bool,
    /// Bytes of output so far that are the same as those of the file.
    same: u64,
    state: State,
    space: Box<[u8]>,
}

enum State {
    /// All output so far is what the file holds.
    Same,
    /// It is not, and is being written.
    Differs(Replacement),
    /// It is not, and is not wanted.
    WouldDiffer,
}

/// What has come of a draft.
pub(super) enum Drafted {
    /// The file would not change.
    Unchanged,
    /// The file would change, but is not to.
    WouldChange,
    /// The file changes, when this is committed.
    New(Replacement),
}

impl<'a> Draft<'a> {
    /// A draft for a file; a dry one writes nothing.
    pub(super) fn new(
        source: &'a Source,
        list: &'a Temporaries,
        permit: &'a dyn Fn() -> Result<(), Failure>,
        dry: bool,
    ) -> Draft<'a> {
        let space = source.space();
        Draft { source, list, permit, refusal: None, dry, same: 0, state: State::Same, space }
    }

    /// Ends the output, or gives it up for what ended the run.
    pub(super) fn finish(mut self, run: Result<(), Failure>) -> Result<Drafted, Failure> {
        let whole = self.same == self.source.metadata.len();
        let run = match self.state {
            State::Same if run.is_ok() && !whole => self.begin().map_err(Failure::Write),
            _ => run,
        };
        if let Some(refusal) = self.refusal {
            return Err(refusal);
        }
        run?;
        Ok(match self.state {
            State::Same => Drafted::Unchanged,
            State::WouldDiffer => Drafted::WouldChange,
            State::Differs(replacement) => Drafted::New(replacement),
        })
    }

    /// The bytes at the beginning of `bytes` that the file has here as well.
    fn in_common(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let most = bytes.len().min(self.space.len());
        let mut content = Content { file: &self.source.file, at: self.same };
        let count = content.read(&mut self.space[..most])?;
        let pairs = bytes.iter().zip(&self.space[..count]);
        Ok(pairs.take_while(|(one, other)| one == other).count())
    }

    /// Begins to write: first what has been the same.
    fn begin(&mut self) -> io::Result<()> {
        if let Err(refusal) = (self.permit)() {
            self.refusal = Some(refusal);
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if self.dry {
            self.source.place.folder.may_create()?;
            self.state = State::WouldDiffer;
            return Ok(());
        }
        self.source.sync_mappings()?;
        let Source { place, file, metadata, .. } = self.source;
        let (place, file, metadata) = (place.clone(), file.try_clone()?, metadata.clone());
        let mut replacement = Replacement::over(place, file, metadata, self.list)?;
        let mut content = Content { file: &self.source.file, at: 0 };
        while content.at < self.same {
            let most = (self.same - content.at).min(self.space.len() as u64) as usize;
            let count = content.read(&mut self.space[..most])?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            replacement.write_all(&self.space[..count])?;
        }
        self.state = State::Differs(replacement);
        Ok(())
    }
}

impl Write for Draft<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Differs(replacement) => return replacement.write(bytes),
            State::WouldDiffer => return Ok(bytes.len()),
            State::Same => {}
        }
        let count = self.in_common(bytes)?;
        self.same += count as u64;
        if count == 0 && !bytes.is_empty() {
            self.begin()?;
            return self.write(bytes);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
