//! The transcoder: runs input through a chain of stages to the output.
//!
//! Data flows one way. The output of a stage is processed by all later stages before the stage runs
//! again. Memory use is therefore one buffer per stage, all output that the input allows is written
//! before more input is read, and errors can be located by replay. Codecs do not know the transcoder,
//! and the transcoder does not depend on any particular codec.

use std::fmt;
use std::io::{Read, Write};

use crate::error_policy::ReplacementTexts;
use crate::options::TranscodeOptions;
use charpipe_encoding::codec::{EncodeStage, Status};
use charpipe_encoding::conversion_error::ErrorEvent;
use charpipe_encoding::encoding::MixedCounts;
use charpipe_encoding::error::Error;

mod bulk_errors;
#[doc(hidden)]
pub mod chain;
mod error_flow;
mod errors;
mod locator;
mod message;
mod pending_errors;
#[doc(hidden)]
pub mod position;
#[doc(hidden)]
pub mod replay;
mod resume;
#[cfg(test)]
mod tests;
mod zero_copy;

use bulk_errors::{BulkErrorHandler, BulkMode};
use chain::{Chain, InputOrigin, StageError};
use charpipe_mail::header_block::HeaderBlock;
use error_flow::ErrorFlow;
use locator::Locator;
use position::LineColumn;
use zero_copy::TextPath;

/// Receives every conversion error, in input order.
pub trait ErrorReporter {
    /// Returns whether to determine the position and the bytes of the next error, which takes time.
    fn wants_position(&self) -> bool;

    /// Receives an error and the action taken.
    fn error(&mut self, error: &ErrorEvent);

    /// Returns whether only the number of errors matters up to the end of the file. Errors are then
    /// counted in bulk, and malformed sequences may be counted after unmappable characters that follow
    /// them.
    fn counts_only(&self) -> bool {
        false
    }

    /// Returns whether only the number of transliterated and escaped characters matters. They are then
    /// counted in bulk, possibly after errors that follow them. They [do not count as
    /// errors](ErrorEvent::is_error).
    fn counts_conversions_only(&self) -> bool {
        self.counts_only()
    }

    /// Receives `count` errors of the class of `error` with the same action. Their kinds may differ.
    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        for _ in 0..count {
            self.error(error);
        }
    }

    /// Receives how a file was decoded whose encoding is a list of encodings, at its end.
    #[doc(hidden)]
    fn decoded_mixed(&mut self, _counts: &MixedCounts) {}
}

/// A converter, built by [`TranscodeOptions::build`].
///
/// Copy input into [`input_buffer`](Transcoder::input_buffer) and call [`process`](Transcoder::process), or
/// call [`process_reader`](Transcoder::process_reader). Call
/// [`finish_input`](Transcoder::finish_input) after each file and [`finish`](Transcoder::finish) after
/// the last. After an error a transcoder cannot be used again.
pub struct Transcoder {
    chain: Chain,
    locator: Locator,
    errors: ErrorFlow,
    text_path: TextPath,
    /// The state of the header scanner, if only headers are converted.
    header_block: Option<HeaderBlock>,
    /// Whether output stays in the buffer after a call, as far as it fits.
    holds_output: bool,
}

/// The output and the reporter of a call.
struct RunContext<'a> {
    output: &'a mut dyn Write,
    reporter: &'a mut dyn ErrorReporter,
}

impl Transcoder {
    /// Returns a transcoder with this encoder of the target encoding, which may have been used.
    pub(crate) fn new(
        options: &TranscodeOptions,
        encoder: Box<dyn EncodeStage>,
        replacements: ReplacementTexts,
    ) -> Transcoder {
        Transcoder::with_chain(Chain::from_options(options, encoder), options, replacements)
    }

    fn with_chain(
        chain: Chain,
        options: &TranscodeOptions,
        replacements: ReplacementTexts,
    ) -> Transcoder {
        // A decoder after a transform of bytes does not see the lines of the file.
        let has_source_lines = options.from.encoding.factory.counts_source_lines()
            || options.from.has_byte_transforms()
            || !options.header_fields.is_empty();
        Transcoder {
            locator: Locator::new(&chain, has_source_lines),
            chain,
            errors: ErrorFlow::new(options, replacements),
            text_path: TextPath::from_options(options),
            header_block: options.headers_only.then(HeaderBlock::default),
            holds_output: false,
        }
    }

    /// Counts lines in the file instead of in the decoded text, and columns in bytes.
    pub fn count_source_lines(&mut self) {
        self.locator.count_source_lines();
    }

    /// Returns the buffer for the next input. It is never empty.
    pub fn input_buffer(&mut self) -> &mut [u8] {
        self.chain.input_space()
    }

    /// Converts the first `len` bytes of [`input_buffer`](Transcoder::input_buffer), and writes all
    /// output that they allow.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Conversion`] on an error under the action `stop`, after writing everything
    /// before it, and [`Error::Io`] if writing fails.
    pub fn process(
        &mut self,
        len: usize,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        let context = &mut RunContext { output, reporter };
        if self.header_block.is_some() {
            return self.process_message(len, context);
        }
        self.accept_input(len);
        self.run_stage(0, false, context)?;
        self.errors.report_encoded(&self.chain, context.reporter);
        if self.holds_output {
            return Ok(());
        }
        self.chain.flush(context.output)
    }

    /// Converts all bytes of `input`. Everything that the bytes read so far allow is written before the
    /// next read, which may block.
    ///
    /// # Errors
    ///
    /// Returns [`Error::Read`] if reading fails; other errors as [`process`](Transcoder::process).
    pub fn process_reader(
        &mut self,
        input: &mut impl Read,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        loop {
            match input.read(self.input_buffer()).map_err(Error::Read)? {
                0 => return Ok(()),
                len => self.process(len, output, reporter)?,
            }
        }
    }

    /// Adds `len` bytes that were copied into the first stage's input buffer.
    fn accept_input(&mut self, len: usize) {
        self.locator.add_input(&mut self.chain, len);
        self.chain.stages[0].accept_input(len);
    }

    /// Returns whether the input so far ends inside a character, or in one that the following bytes may
    /// extend.
    pub fn has_unread_input(&self) -> bool {
        !self.chain.stages[0].input.unread_bytes().is_empty()
    }

    /// Ends one input file: an incomplete character is an error, and the next file starts from the
    /// initial state.
    ///
    /// # Errors
    ///
    /// As [`process`](Transcoder::process).
    pub fn finish_input(
        &mut self,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        let context = &mut RunContext { output, reporter };
        self.finish_stages(self.chain.per_file_stages, context)?;
        self.errors.report_pending(context.reporter);
        // In the next file, errors may be reported one by one again.
        self.errors.replacer.cache = None;
        if let Some(counter) = &self.chain.mixed_counter {
            context.reporter.decoded_mixed(&counter.take());
        }
        self.header_block = self.header_block.map(|_| HeaderBlock::default());
        self.locator.start_file(&self.chain);
        self.chain.flush(context.output)
    }

    /// Ends the output: the encoder writes what it has buffered.
    ///
    /// # Errors
    ///
    /// As [`process`](Transcoder::process).
    pub fn finish(
        &mut self,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        let context = &mut RunContext { output, reporter };
        for at in self.chain.per_file_stages..self.chain.stages.len() {
            self.run_stage(at, true, context)?;
        }
        self.errors.report_pending(context.reporter);
        self.chain.flush(context.output)
    }

    /// Runs stage `at` until it needs more input, and all later stages with it.
    fn run_stage(
        &mut self,
        at: usize,
        end: bool,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let mut backoff = zero_copy::Backoff::default();
        loop {
            let max_len =
                if at == 0 { self.zero_copy_step(&mut backoff, context)? } else { usize::MAX };
            if !self.copy_text(at, context)? {
                self.step(at, end, max_len, context)?;
            }
            match self.chain.stages[at].status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(StageError::Malformed(error)) => {
                    self.handle_malformed(at, error, context)?
                }
                Status::Error(StageError::Unmappable(error)) => {
                    self.handle_unmappable(at, error, context)?
                }
            }
        }
        self.locator.carry_over(&mut self.chain, at);
        Ok(())
    }

    /// Calls stage `at` once, to write about `max_len` bytes, and drains its output.
    fn step(
        &mut self,
        at: usize,
        end: bool,
        max_len: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let bulk = match self.chain.stages[at].contains_replacement() {
            true => BulkMode::Disabled,
            false => self.errors.bulk_mode(&self.chain, at, context.reporter),
        };
        let (link, output) = self.chain.output_buffer(at, context.output)?;
        let min_len = match bulk {
            BulkMode::Disabled => link.max_lookahead,
            _ => link.max_lookahead.max(bulk_errors::MIN_OUTPUT),
        };
        let max_len = max_len.max(min_len).min(output.len());
        let space = &mut output[..max_len];
        let mut handler = BulkErrorHandler::new(bulk, &mut self.errors.replacer, context.reporter);
        match link.call_stage(space, end, bulk_errors::as_handler(&mut handler)) {
            (0, 0) if link.status == Status::OutputFull => {
                Err(Error::Internal(format!("stage {at} made no progress").into()))
            }
            (_, 0) => Ok(()),
            (_, written) => self.drain(at, written, bulk == BulkMode::AllErrors, context),
        }
    }

    /// Passes `written` bytes of output of stage `at` to the next stage, and runs that.
    fn drain(
        &mut self,
        at: usize,
        written: usize,
        handled_in_bulk: bool,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        // Positions are not needed if errors were handled in bulk.
        let counts_lines = !handled_in_bulk || self.locator.always_counts_lines;
        let is_counted = at == self.chain.text_stage && counts_lines;
        let target = self.chain.buffer_after(at);
        let text = &target.spare_mut()[..written];
        let after = is_counted.then(|| self.locator.line_column.after(text));
        target.advance(written);
        self.run_next(at, after, handled_in_bulk, context)
    }

    /// Runs the stage after stage `at`, which has new input. `after` is the position after it, if it is
    /// the text.
    fn run_next(
        &mut self,
        at: usize,
        after: Option<LineColumn>,
        handled_in_bulk: bool,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        if after.is_some() {
            self.locator.start_output();
        }
        if at + 1 < self.chain.stages.len() {
            self.chain.stages[at + 1].origin =
                if handled_in_bulk { InputOrigin::Recovered } else { InputOrigin::Stage };
            self.run_stage(at + 1, false, context)?;
        }
        if let Some(after) = after {
            self.locator.line_column = after;
        }
        Ok(())
    }
}

impl fmt::Debug for Transcoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.errors.encoding_names;
        let mut debug = f.debug_struct("Transcoder");
        debug
            .field("from", &from)
            .field("to", &to)
            .field("error_policy", &self.errors.replacer.policy);
        debug.finish_non_exhaustive()
    }
}
