//! The loop: bytes in, through the links of a chain, bytes out.
//!
//! Data runs one way. A link's output is drained through everything after it before the link runs
//! again, so memory is one block a link whatever the input, all output that the input allows has
//! been written before more input is requested, and an error can be located by replay.
//! A codec never sees the transcoder, and a new codec never changes it.

use std::fmt;
use std::io::Write;

use crate::codec::Status;
use crate::conversion_error::ErrorEvent;
use crate::error::Error;
use crate::error_policy::{ErrorPolicy, ReplacementTexts};
use crate::options::TranscodeOptions;
use crate::rfc2047;

mod buffer;
mod bulk_errors;
mod carry_over;
mod chain;
mod error_order;
mod errors;
pub(crate) mod header_block;
pub(crate) mod line_column;
mod output_buffer;
pub(crate) mod replay;
pub(crate) mod source_lines;
pub(crate) mod stage;
#[cfg(test)]
mod tests;
mod zero_copy;

use buffer::Buffer;
use bulk_errors::{BulkErrorHandler, BulkMode, BulkSupport};
use chain::Chain;
use error_order::PendingErrors;
use header_block::HeaderBlock;
use line_column::LineColumn;
use output_buffer::output_buffer;
use source_lines::SourceLines;
use stage::{InputOrigin, StageError};

/// Receives every conversion error, in the order of their positions in the input.
pub trait ErrorReporter {
    /// Whether the next error should come with its position and its bytes, which take time to find.
    fn wants_position(&self) -> bool;

    /// An error was met, and this was done about it.
    fn error(&mut self, error: &ErrorEvent);

    /// Whether up to the end of the file nothing is wanted of errors but their number, so that they
    /// need not be told one by one, nor those of bytes before those of characters after them.
    fn counts_only(&self) -> bool {
        false
    }

    /// Whether of characters that are transliterated or escaped, as the policy says, nothing is
    /// wanted but their number, so that they need not be reported one by one, nor before errors
    /// that come later. They are [not errors](crate::error::Done::is_error).
    fn counts_conversions_only(&self) -> bool {
        self.counts_only()
    }

    /// So many errors of one kind were met of which only the number was wanted, the same was done
    /// about all, and this is the first of them.
    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        for _ in 0..count {
            self.error(error);
        }
    }
}

/// The machine that carries out a [`Options`].
///
/// Read input into [`space`](Transcoder::space), say how much with [`filled`](Transcoder::filled), and end
/// with [`end_of_file`](Transcoder::end_of_file) after each file and [`finish`](Transcoder::finish) after the
/// last. After an error the transcoder is of no more use.
pub struct Transcoder {
    chain: Chain,
    output: Buffer,
    buffer_size: usize,
    error_policy: ErrorPolicy,
    replacements: ReplacementTexts,
    replacement: String,
    /// Errors of bytes that are reported after those of the text before them.
    pending_errors: PendingErrors,
    /// Whether the input is text that may be used where it stands.
    zero_copy: bool,
    /// Which stages may mend errors of which only the number is wanted.
    bulk_support: BulkSupport,
    encoding_names: (&'static str, &'static str),
    /// Offset in the file of index 0 of the first link's block; wraps below zero.
    base_offset: u64,
    /// Where the text stage's last step began.
    line_column: LineColumn,
    /// The lines of the file, where those of the text are others.
    source_lines: Option<SourceLines>,
    /// How far into the text stage's last output lines have been counted, and to what.
    counted_up_to: (usize, LineColumn),
    scratch: Box<[u8]>,
    /// How far the message has come, if only the header block of one is to be converted.
    header_block: Option<HeaderBlock>,
    /// Whether an error has stopped the run and only what was held back is being written.
    stopping: bool,
}

/// What a run writes to and tells.
struct RunContext<'a> {
    output: &'a mut dyn Write,
    reporter: &'a mut dyn ErrorReporter,
}

impl Transcoder {
    pub(crate) fn new(options: &TranscodeOptions, replacements: ReplacementTexts) -> Transcoder {
        Transcoder::with_chain(Chain::from_options(options), options, replacements)
    }

    fn with_chain(
        chain: Chain,
        options: &TranscodeOptions,
        replacements: ReplacementTexts,
    ) -> Transcoder {
        let max_lookahead = chain.stages.iter().map(|link| link.max_lookahead).max().unwrap_or(1);
        let base = (chain.stages[0].input.position() as u64).wrapping_neg();
        Transcoder {
            chain,
            // Room for a window is requested before each step, with a block full of output still
            // unwritten: else a stage that looks far ahead would cause a write an error.
            output: Buffer::new(0, options.clamped_buffer_size() + max_lookahead),
            buffer_size: options.clamped_buffer_size(),
            error_policy: options.error_policy.clone(),
            replacements,
            replacement: String::with_capacity(256),
            pending_errors: PendingErrors::default(),
            zero_copy: zero_copy::applies(options),
            bulk_support: BulkSupport::from_options(options),
            encoding_names: (options.from.encoding.name, options.to.encoding.name),
            base_offset: base,
            line_column: LineColumn::START,
            source_lines: rfc2047::is_header(options.from.encoding).then(SourceLines::default),
            counted_up_to: (0, LineColumn::START),
            scratch: vec![0; replay::SCRATCH_LEN.max(max_lookahead)].into_boxed_slice(),
            header_block: options.headers_only.then(HeaderBlock::default),
            stopping: false,
        }
    }

    /// Where to put the next input. Never empty.
    pub fn input_buffer(&mut self) -> &mut [u8] {
        let space = self.chain.stages[0].input.spare_mut();
        let max = self.buffer_size.min(space.len());
        &mut space[..max]
    }

    /// Converts `bytes` bytes that were put into [`space`](Transcoder::space), and writes all that can
    /// be written.
    ///
    /// # Errors
    ///
    /// [`Error::Stopped`] at an error under a policy that says so, after all before it has been
    /// written; [`Error::Write`].
    pub fn process(
        &mut self,
        bytes: usize,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        let context = &mut RunContext { output, reporter };
        if self.header_block.is_some() {
            return self.process_message(bytes, context);
        }
        self.accept_input(bytes);
        self.run_stage(0, false, context)?;
        self.report_encoded(context);
        self.flush(context)
    }

    /// Gives the first link bytes that were put into its block.
    fn accept_input(&mut self, bytes: usize) {
        let link = &mut self.chain.stages[0];
        let input = &mut link.input;
        if let Some(source_lines) = &mut self.source_lines {
            let index = input.position() + input.unread_bytes().len();
            source_lines
                .add(self.base_offset.wrapping_add(index as u64), &input.spare_mut()[..bytes]);
        }
        link.accept_input(bytes);
    }

    /// Ends one input file: a character that it cuts is an error, and what follows begins again.
    ///
    /// # Errors
    ///
    /// As [`filled`](Transcoder::filled).
    pub fn finish_input(
        &mut self,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        let context = &mut RunContext { output, reporter };
        self.finish_stages(self.chain.per_file_stages, context)?;
        self.report_pending(context);
        self.header_block = self.header_block.map(|_| HeaderBlock::default());
        self.base_offset = (self.chain.stages[0].input.position() as u64).wrapping_neg();
        self.line_column = LineColumn::START;
        self.source_lines = self.source_lines.take().map(|_| SourceLines::default());
        self.flush(context)
    }

    /// Ends the output: the encoder writes what it holds back.
    ///
    /// # Errors
    ///
    /// As [`filled`](Transcoder::filled).
    pub fn finish(
        &mut self,
        output: &mut dyn Write,
        reporter: &mut dyn ErrorReporter,
    ) -> Result<(), Error> {
        let context = &mut RunContext { output, reporter };
        for at in self.chain.per_file_stages..self.chain.stages.len() {
            self.run_stage(at, true, context)?;
        }
        self.flush(context)
    }

    /// Runs a link until it wants more input, and everything after it with it.
    fn run_stage(
        &mut self,
        at: usize,
        end: bool,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let mut backoff = zero_copy::Backoff::default();
        loop {
            let max =
                if at == 0 { self.zero_copy_step(&mut backoff, context)? } else { usize::MAX };
            self.step(at, end, max, context)?;
            match self.chain.stages[at].status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(StageError::Malformed(error)) => {
                    self.handle_malformed(at, error, context)?
                }
                Status::Error(StageError::Unmappable(invalid)) => {
                    self.handle_unmappable(at, invalid, context)?
                }
            }
        }
        self.carry_over(at);
        Ok(())
    }

    /// Calls a link's stage once and drains what it wrote.
    fn step(
        &mut self,
        at: usize,
        end: bool,
        max: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let bulk = match self.chain.stages[at].contains_replacement() {
            true => BulkMode::Disabled,
            false => self.bulk_mode(at, context),
        };
        let (link, output) = output_buffer(&mut self.chain, &mut self.output, at, context)?;
        let most = max.max(link.max_lookahead).min(output.len());
        let space = &mut output[..most];
        let (replacements, replacement) = (&mut self.replacements, &mut self.replacement);
        let mut handler = BulkErrorHandler::new(
            bulk,
            &self.error_policy,
            replacements,
            replacement,
            context.reporter,
        );
        let moved = link.call_stage(space, end, bulk_errors::as_handler(&mut handler));
        match moved {
            (0, 0) if link.status == Status::OutputFull => Err(Error::Internal(link.stage.name())),
            (_, 0) => Ok(()),
            (_, written) => self.drain(at, written, bulk == BulkMode::AllErrors, context),
        }
    }

    /// Passes on what a link wrote, in which answers may stand.
    fn drain(
        &mut self,
        at: usize,
        written: usize,
        handled_in_bulk: bool,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let last = at + 1 == self.chain.stages.len();
        let target = if last { &mut self.output } else { &mut self.chain.stages[at + 1].input };
        let text = &target.spare_mut()[..written];
        // Lines serve positions, and where text was mended nobody asks for any.
        let after =
            (at == self.chain.text_stage && !handled_in_bulk).then(|| self.line_column.after(text));
        target.advance(written);
        if after.is_some() {
            self.counted_up_to = (0, self.line_column);
        }
        if !last {
            self.chain.stages[at + 1].origin =
                if handled_in_bulk { InputOrigin::Recovered } else { InputOrigin::Stage };
            self.run_stage(at + 1, false, context)?;
        }
        if let Some(after) = after {
            self.line_column = after;
        }
        Ok(())
    }
}

impl fmt::Debug for Transcoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = self.encoding_names;
        let mut debug = f.debug_struct("Pump");
        debug.field("from", &from).field("to", &to).field("policy", &self.error_policy);
        debug.finish_non_exhaustive()
    }
}
