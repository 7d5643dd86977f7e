//! Zero-copy conversion of UTF-8 input.
//!
//! A decoder of UTF-8 would only copy. The valid text at the start of the input buffer is therefore
//! passed directly to the encoder, or to the output if that is UTF-8 too. Errors are not handled here:
//! the chain converts some input and then this is tried again. Output, errors and positions are the
//! same without it, which `tests/engine/conversion/in_place.rs` checks.
//!
//! In chains with transforms the decoder's output is needed to locate errors. There the valid text is
//! copied, so that it is validated once only.

use super::bulk_errors::{BulkErrorHandler, BulkMode, as_handler};
use super::chain::{Stage, final_output_buffer, flush};
use super::{RunContext, Transcoder};
use crate::options::TranscodeOptions;
use charpipe_encoding::bom::AFTER_START;
use charpipe_encoding::codec::Status;
use charpipe_encoding::encoding;
use charpipe_encoding::error::Error;

/// The minimum number of bytes that the chain converts before the next try.
const MIN_DETOUR: usize = 64;

/// The minimum number of bytes that are written directly from the input buffer. Fewer are collected in
/// the output buffer, because each write is a system call.
const DIRECT_WRITE_MIN: usize = 4096;

/// The minimum number of bytes that are encoded before they are validated.
const UNVALIDATED_MIN: usize = 256;

/// The minimum length of the output for that.
const UNVALIDATED_OUTPUT_MIN: usize = 4 * UNVALIDATED_MIN;

/// The maximum number of bytes that are encoded in a call before they are validated. Their lines are counted
/// after it, while they are in a cache near to the processor.
const UNVALIDATED_MAX: usize = 32 * 1024;

/// The number of bytes that the chain converts before the next try.
#[derive(Default)]
pub(super) struct Backoff {
    length: usize,
    /// The index into the first stage's input of the next try.
    end: usize,
}

impl Backoff {
    /// Schedules the next try, after `len` bytes up to `position` were converted without the chain. If
    /// errors are frequent the length doubles, so that the tries cost little.
    fn update(&mut self, len: usize, position: usize) {
        self.length = if len < MIN_DETOUR {
            self.length.saturating_mul(2).max(MIN_DETOUR)
        } else {
            MIN_DETOUR
        };
        self.end = position.saturating_add(self.length);
    }
}

/// How valid UTF-8 in the input reaches the later stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPath {
    /// A decoder converts it.
    Decode,
    /// The text stage of a chain with transforms copies it.
    Copy,
    /// The encoder or the output reads it from the input buffer; nothing but a BOM filter comes before it.
    Direct,
}

impl TextPath {
    /// Returns the path with these options.
    pub fn from_options(options: &TranscodeOptions) -> TextPath {
        match options.fast_paths && encoding::is_utf8(options.from.encoding) {
            true if options.is_simple() => TextPath::Direct,
            true => TextPath::Copy,
            false => TextPath::Decode,
        }
    }
}

/// The length of text between two errors, in bytes, below which a decoder converts both.
const MIN_COPIED_LEN: usize = 64;

impl Transcoder {
    /// Copies valid text from the input of stage `at` to the next stage, and runs that. Returns `false`
    /// if the stage is not a decoder of UTF-8, or its input is at an error or empty.
    pub(super) fn copy_text(
        &mut self,
        at: usize,
        context: &mut RunContext<'_>,
    ) -> Result<bool, Error> {
        if self.text_path != TextPath::Copy || at != self.chain.text_stage {
            return Ok(false);
        }
        let in_bulk =
            self.errors.bulk_mode(&self.chain, at, context.reporter) == BulkMode::AllErrors;
        let Some([link, next]) = self.chain.stages.get_mut(at..at + 2) else { return Ok(false) };
        let start = link.input.position();
        let unread_len = link.input.unread_bytes().len();
        let text = link.input.unread_text();
        if in_bulk && text.len() < unread_len.min(MIN_COPIED_LEN) {
            // The decoder also handles the errors that follow.
            return Ok(false);
        }
        let len = next.input.append_text(text);
        if len == 0 {
            return Ok(false);
        }
        let after = self.locator.line_column.after(&text.as_bytes()[..len]);
        link.record_call(start, false);
        link.input.consume(len);
        link.status = match link.input.unread_bytes() {
            [] => Status::InputEmpty,
            _ => Status::OutputFull,
        };
        self.run_next(at, Some(after), false, context)?;
        Ok(true)
    }

    /// Converts valid text at the start of the input without the chain. Returns the number of bytes that
    /// the chain may then write before the next try.
    pub(super) fn zero_copy_step(
        &mut self,
        backoff: &mut Backoff,
        context: &mut RunContext<'_>,
    ) -> Result<usize, Error> {
        if self.text_path != TextPath::Direct {
            return Ok(usize::MAX);
        }
        let position = self.chain.stages[0].input.position();
        let remaining = backoff.end.saturating_sub(position);
        if remaining > 0 {
            return Ok(remaining);
        }
        if self.can_bypass_stages() {
            let last = self.chain.stages.len() - 1;
            match self.chain.stages[last].stage {
                Stage::Encoder(_) => self.encode_from_input(last, context)?,
                _ => self.copy_through(context)?,
            }
        }
        let now = self.chain.stages[0].input.position();
        backoff.update(now - position, now);
        Ok(backoff.length)
    }

    /// Returns whether text may bypass the stages between the codecs: they have no unread input, and a
    /// BOM filter is past the start.
    fn can_bypass_stages(&self) -> bool {
        self.chain.stages[1..].iter().all(|link| {
            let passes = !matches!(link.stage, Stage::TextTransform(_))
                || link.stage.save_state() == AFTER_START;
            passes && link.input.unread_bytes().is_empty()
        })
    }

    /// Copies valid text to the output.
    fn copy_through(&mut self, context: &mut RunContext<'_>) -> Result<(), Error> {
        let text = self.chain.stages[0].input.unread_text().as_bytes();
        let writes_directly = text.len() >= DIRECT_WRITE_MIN;
        let output = &mut self.chain.output;
        if writes_directly || output.spare_mut().len() < text.len() {
            flush(output, context.output)?;
        }
        if writes_directly {
            context.output.write_all(text).map_err(Error::Io)?;
        } else {
            output.spare_mut()[..text.len()].copy_from_slice(text);
            output.advance(text.len());
        }
        let read = text.len();
        self.advance_input(
            read,
            self.errors.bulk_mode(&self.chain, 0, context.reporter) == BulkMode::AllErrors,
        );
        Ok(())
    }

    /// Encodes valid text from the first stage's input.
    fn encode_from_input(
        &mut self,
        last: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let positions_unneeded =
            self.errors.bulk_mode(&self.chain, 0, context.reporter) == BulkMode::AllErrors;
        let bulk = self.errors.bulk_mode(&self.chain, last, context.reporter);
        // Short input is not worth the call, which encodes nothing before frequent errors.
        let input_len = self.chain.stages[0].input.unread_bytes().len();
        let mut tries_unvalidated = input_len >= UNVALIDATED_MIN;
        loop {
            let min_len = match tries_unvalidated {
                true => UNVALIDATED_OUTPUT_MIN,
                false => self.chain.stages[last].max_lookahead,
            };
            let output = final_output_buffer(&mut self.chain.output, min_len, context.output)?;
            let [source, .., target] = &mut self.chain.stages[..] else { return Ok(()) };
            let Stage::Encoder(encoder) = &mut target.stage else { return Ok(()) };
            if let Some(bytes) = source.input.unvalidated_bytes().filter(|_| tries_unvalidated) {
                let bytes = &bytes[..bytes.len().min(UNVALIDATED_MAX)];
                let (read, written) = encoder.encode_unvalidated(bytes, output);
                self.chain.output.advance(written);
                self.advance_input(read, positions_unneeded);
                tries_unvalidated = read > 0;
                continue;
            }
            let text = source.input.unread_text();
            if text.is_empty() {
                return Ok(());
            }
            let mut handler =
                BulkErrorHandler::new(bulk, &mut self.errors.replacer, context.reporter);
            let progress = match as_handler(&mut handler) {
                Some(handler) => encoder.encode_with_handler(text, output, false, handler),
                None => encoder.encode(text, output, false),
            };
            self.chain.output.advance(progress.written);
            self.advance_input(progress.read, positions_unneeded);
            if progress.status != Status::OutputFull {
                return Ok(());
            }
        }
    }

    /// Consumes `read` bytes of the input, and counts their lines unless positions are not needed.
    fn advance_input(&mut self, read: usize, positions_unneeded: bool) {
        let input = &mut self.chain.stages[0].input;
        if !positions_unneeded || self.locator.always_counts_lines {
            self.locator.line_column =
                self.locator.line_column.after(&input.unread_bytes()[..read]);
        }
        input.consume(read);
    }
}
