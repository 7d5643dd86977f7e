//! Conversion that begins in the middle of an input.
//!
//! Between two calls everything that later output depends on is the state of each stage and the bytes that
//! the stages have left unread. A transcoder with the same states and nothing unread therefore
//! continues a conversion as the one that came so far would.

use std::io::{self, Write};

use super::Transcoder;
use super::position::{LineColumn, rebase};
use crate::error_policy::{ErrorAction, ErrorPolicy};
use crate::transcoder::ErrorReporter;
use charpipe_encoding::codec::State;
use charpipe_encoding::conversion_error::ErrorEvent;
use charpipe_encoding::error::Error;

/// Ignores all errors.
struct IgnoreErrors;

impl ErrorReporter for IgnoreErrors {
    fn wants_position(&self) -> bool {
        false
    }

    fn error(&mut self, _: &ErrorEvent) {}
}

impl Transcoder {
    /// Returns whether the conversion depends on nothing but the states of the stages and unread bytes.
    pub(crate) fn can_resume(&self) -> bool {
        !self.locator.counts_source_lines() && self.header_block.is_none()
    }

    /// Returns the states of the stages, or `None` if a stage has unread bytes.
    pub(crate) fn stage_states(&self) -> Option<Vec<State>> {
        (self.errors.is_idle() && self.chain.is_idle()).then(|| self.chain.states())
    }

    /// Returns the states of the stages. What they have left unread is not part of them.
    pub(crate) fn states(&self) -> Vec<State> {
        self.chain.states()
    }

    /// Continues at `offset` of the input, whose line and column is `at`, with these states of the stages.
    /// Unread bytes are dropped.
    pub(crate) fn resume(&mut self, states: &[State], offset: u64, at: LineColumn) {
        self.chain.resume(states);
        self.errors.resume();
        self.locator.resume(&self.chain, offset, at);
    }

    /// Returns the initial states of the stages.
    pub(crate) fn initial_states(&self) -> Vec<State> {
        vec![State::INITIAL; self.chain.stages.len()]
    }

    /// Returns the states of the stages after an input that ends with these bytes, if nothing before
    /// them matters.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Internal`] if a stage has left bytes unread.
    pub(crate) fn states_after(&mut self, context: &[u8]) -> Result<Vec<State>, Error> {
        self.resume(&self.initial_states(), 0, LineColumn::START);
        let skip = || ErrorAction::Skip;
        let policy = ErrorPolicy { malformed: skip(), unmappable: skip() };
        let policy = std::mem::replace(&mut self.errors.replacer.policy, policy);
        let mut result = Ok(());
        let mut rest = context;
        while !rest.is_empty() && result.is_ok() {
            let space = self.input_buffer();
            let len = space.len().min(rest.len());
            space[..len].copy_from_slice(&rest[..len]);
            result = self.process(len, &mut io::sink(), &mut IgnoreErrors);
            rest = &rest[len..];
        }
        self.errors.replacer.policy = policy;
        result?;
        self.stage_states()
            .ok_or_else(|| Error::Internal("a stage has state at a split point".into()))
    }

    /// Returns the number of bytes of output that are kept.
    pub(crate) fn held_output_len(&self) -> usize {
        self.chain.output.unread_bytes().len()
    }

    /// Keeps up to `capacity` bytes of output until [`release_output`](Transcoder::release_output), instead
    /// of writing them at the end of each call. More are written earlier.
    pub(crate) fn hold_output(&mut self, capacity: usize) {
        self.chain.output.grow(capacity);
        self.holds_output = true;
    }

    /// Writes the output that was kept, and no longer keeps any.
    pub(crate) fn release_output(&mut self, output: &mut dyn Write) -> io::Result<()> {
        self.holds_output = false;
        output.write_all(self.chain.output.unread_bytes())?;
        let all = self.chain.output.unread_bytes().len();
        self.chain.output.consume(all);
        self.chain.output.compact();
        Ok(())
    }

    /// Counts lines even where only the number of errors matters.
    pub(crate) fn always_count_lines(&mut self) {
        self.locator.always_counts_lines = true;
        self.errors.keep_lines();
    }

    /// Returns the offset in the input of the next byte that is read.
    pub(crate) fn next_offset(&self) -> u64 {
        self.locator.next_offset(&self.chain)
    }

    /// Moves the lines and columns of a transcoder that began at the first line, to `start`.
    pub(crate) fn rebase_lines(&mut self, start: LineColumn) {
        for link in &mut self.chain.stages {
            link.carried_bytes.iter_mut().for_each(|carried| rebase(&mut carried.position, start));
        }
        self.errors.rebase_lines(start);
        self.locator.rebase_lines(start);
    }

    /// Returns the line and the column of the next character.
    pub(crate) fn line_column(&self) -> LineColumn {
        self.locator.line_column
    }
}
