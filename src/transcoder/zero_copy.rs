//! Input that is text already, used where it stands.
//!
//! Where the source is UTF-8 and nothing stands between the two codecs, the decoder would only copy.
//! So the valid text at the start of the block goes to the encoder, or to the output, as it is. No
//! error is known here: at the first doubt the chain does a little, then this is tried again.
//! Output, errors and positions are the same without, which `tests/conversion/in_place.rs` holds it to.

use super::bulk_errors::{BulkErrorHandler, BulkMode, as_handler};
use super::chain::{Stage, final_output_buffer, flush};
use super::{RunContext, Transcoder};
use crate::bom::AFTER_START;
use crate::codec::Status;
use crate::encoding;
use crate::error::Error;
use crate::options::TranscodeOptions;

/// Bytes of text that the chain is given at first.
const MIN_DETOUR: usize = 64;

/// Bytes of text that are written from where they stand. Fewer are gathered in a block, because
/// each write is a call of the system.
const DIRECT_WRITE_MIN: usize = 4096;

/// How much the chain does before the text is tried again.
#[derive(Default)]
pub(super) struct Backoff {
    length: usize,
    /// Index into the first link's input where it ends.
    end: usize,
}

impl Backoff {
    /// So many bytes were used as they stand, up to `position` of the input: where to try again.
    /// Where errors stand close together the chain is given ever more, so that trying costs
    /// nothing that counts.
    fn update(&mut self, came: usize, position: usize) {
        self.length = if came < MIN_DETOUR {
            self.length.saturating_mul(2).max(MIN_DETOUR)
        } else {
            MIN_DETOUR
        };
        self.end = position.saturating_add(self.length);
    }
}

/// Whether the input of this options's chain is the text that the last codec wants.
pub(super) fn applies(options: &TranscodeOptions) -> bool {
    options.fast_paths && encoding::is_utf8(options.from.encoding)
}

impl Transcoder {
    /// Uses text where it stands, as far as it goes; says how many bytes of text the chain may
    /// write then.
    pub(super) fn zero_copy_step(
        &mut self,
        backoff: &mut Backoff,
        context: &mut RunContext<'_>,
    ) -> Result<usize, Error> {
        if !self.zero_copy {
            return Ok(usize::MAX);
        }
        let position = self.chain.stages[0].input.position();
        if position < backoff.end {
            return Ok(backoff.end - position);
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

    /// Whether text may go past the stages between the two codecs: none holds any, and a filter of
    /// marks is past the start.
    fn can_bypass_stages(&self) -> bool {
        self.chain.stages[1..].iter().all(|link| {
            let passes = !matches!(link.stage, Stage::TextTransform(_))
                || link.stage.save_state() == AFTER_START;
            passes && link.input.unread_bytes().is_empty()
        })
    }

    /// UTF-8 to UTF-8.
    fn copy_through(&mut self, context: &mut RunContext<'_>) -> Result<(), Error> {
        let text = self.chain.stages[0].input.unread_text().as_bytes();
        let many = text.len() >= DIRECT_WRITE_MIN;
        if many || self.output.spare_mut().len() < text.len() {
            flush(&mut self.output, context)?;
        }
        if many {
            context.output.write_all(text).map_err(Error::Io)?;
        } else {
            self.output.spare_mut()[..text.len()].copy_from_slice(text);
            self.output.advance(text.len());
        }
        let read = text.len();
        self.advance_input(read, self.bulk_mode(0, context) == BulkMode::AllErrors);
        Ok(())
    }

    /// UTF-8 to any other encoding.
    fn encode_from_input(
        &mut self,
        last: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let positions_unneeded = self.bulk_mode(0, context) == BulkMode::AllErrors;
        let bulk = self.bulk_mode(last, context);
        loop {
            let output = final_output_buffer(
                &mut self.output,
                self.chain.stages[last].max_lookahead,
                context,
            )?;
            let [source, .., target] = &mut self.chain.stages[..] else { return Ok(()) };
            let (text, Stage::Encoder(encoder)) = (source.input.unread_text(), &mut target.stage)
            else {
                return Ok(());
            };
            if text.is_empty() {
                return Ok(());
            }
            let (replacements, replacement) = (&mut self.replacements, &mut self.replacement);
            let mut handler = BulkErrorHandler::new(
                bulk,
                &self.error_policy,
                replacements,
                replacement,
                context.reporter,
            );
            let progress = match as_handler(&mut handler) {
                Some(error_handler) => {
                    encoder.encode_with_handler(text, output, false, error_handler)
                }
                None => encoder.encode(text, output, false),
            };
            self.output.advance(progress.written);
            self.advance_input(progress.read, positions_unneeded);
            if progress.read == 0 || progress.status != Status::OutputFull {
                return Ok(());
            }
        }
    }

    /// So many bytes of text have been used, in which nobody or somebody may ask for a position.
    fn advance_input(&mut self, read: usize, positions_unneeded: bool) {
        let input = &mut self.chain.stages[0].input;
        if !positions_unneeded {
            self.line_column = self.line_column.after(&input.unread_bytes()[..read]);
        }
        input.consume(read);
    }
}
