//! Error handling: applies the error policy, reports errors in input order and resumes.
//!
//! A stage works ahead of later stages with lookahead. So a decoder finds a malformed sequence before the
//! encoder finds an unmappable character that precedes it. Errors are therefore reported after the later
//! stages have read all bytes before them. Errors that are only counted have no order.

use std::collections::VecDeque;

use super::chain::{InputOrigin, Stage, flush, output_buffer};
use super::{RunContext, Transcoder};
use crate::error_policy::ErrorAction;
use charpipe_encoding::bom::{AFTER_START, AT_LATER_FILE, BOM};
use charpipe_encoding::codec::State;
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorEvent, ErrorKind, Excerpt, Malformed, StageLabel, Unmappable,
};
use charpipe_encoding::error::{ConversionError, Error};

impl Transcoder {
    /// Handles a malformed sequence at the start of the input of stage `at`.
    pub(super) fn handle_malformed(
        &mut self,
        at: usize,
        error: Malformed,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        if self.stopping && at <= self.chain.text_stage {
            // The input did not end here, so an incomplete character is not an error.
            self.skip_malformed(at, error);
            return Ok(());
        }
        if *self.replacer.policy.action_for_malformed(error.reason) == ErrorAction::PassThrough {
            return self.pass_through(at, error, context);
        }
        let action_taken = self.prepare_replacement(at, error);
        let link = &self.chain.stages[at];
        let index = link.input.position();
        // The error that it replaces has been reported.
        let is_replacement =
            error.len > 0 && (index..index + error.len).all(|index| link.is_replacement(index));
        if !is_replacement || action_taken == ActionTaken::Stopped {
            let kind = ErrorKind::Malformed { len: error.len, reason: error.reason };
            self.report_error(at, kind, action_taken, context)?;
        }

        let after = at.max(self.chain.text_stage) + 1;
        // After the last stage the position of the replacement is not needed.
        let needs_position =
            !self.replacer.replacement.is_empty() && after < self.chain.stages.len();
        let origin = if needs_position {
            InputOrigin::Replacement(self.position_of(at, index))
        } else {
            InputOrigin::Stage
        };
        self.skip_malformed(at, error);
        if self.replacer.replacement.is_empty() {
            return Ok(());
        }
        let replacement = std::mem::take(&mut self.replacer.replacement);
        self.insert_text(after, &replacement, origin, context)?;
        self.replacer.replacement = replacement;
        Ok(())
    }

    /// Determines the replacement for a malformed sequence of stage `at`. Returns the action taken.
    fn prepare_replacement(&mut self, at: usize, error: Malformed) -> ActionTaken {
        let unread = self.chain.stages[at].input.unread_bytes();
        self.replacer.replace_malformed(&unread[..error.len.min(unread.len())], error.reason)
    }

    /// Writes malformed bytes unchanged, bypassing the encoder. Flushes the later stages first, which
    /// may have buffered preceding text and errors in it.
    fn pass_through(
        &mut self,
        at: usize,
        error: Malformed,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let after = at.max(self.chain.text_stage) + 1;
        if error.len > 0 {
            self.write_bom(context)?;
        }
        for link in after..self.chain.stages.len() {
            self.run_stage(link, true, context)?;
        }
        let action_taken = self.prepare_replacement(at, error);
        self.report_error(
            at,
            ErrorKind::Malformed { len: error.len, reason: error.reason },
            action_taken,
            context,
        )?;
        let unread = self.chain.stages[at].input.unread_bytes();
        let mut bytes = &unread[..error.len.min(unread.len())];
        while !bytes.is_empty() {
            if self.output.spare_mut().is_empty() {
                flush(&mut self.output, context)?;
            }
            let space = self.output.spare_mut();
            let count = space.len().min(bytes.len());
            space[..count].copy_from_slice(&bytes[..count]);
            self.output.advance(count);
            bytes = &bytes[count..];
        }
        self.skip_malformed(at, error);
        Ok(())
    }

    /// Writes the BOM that precedes the output, if it has not been written yet.
    fn write_bom(&mut self, context: &mut RunContext<'_>) -> Result<(), Error> {
        let Some(add) = self.chain.bom_insertion else { return Ok(()) };
        let link = &mut self.chain.stages[add.stage];
        if link.stage.save_state() != State::INITIAL {
            return Ok(());
        }
        link.stage.restore_state(AFTER_START);
        self.insert_text(add.stage + 1, BOM, InputOrigin::Stage, context)
    }

    /// Resumes stage `at` after a malformed sequence.
    fn skip_malformed(&mut self, at: usize, error: Malformed) {
        let link = &mut self.chain.stages[at];
        link.input.consume(error.resume_len);
        link.stage.restore_state(error.resume_state);
        if at <= self.chain.text_stage {
            self.line_column = self.line_column.after_malformed();
        }
        // The text after it is not at the start of its file.
        if let Some(strip) = self.chain.strip_stage {
            self.chain.stages[strip].stage.restore_state(AFTER_START);
        }
        if let Some(add) = self.chain.bom_insertion {
            let stage = &mut self.chain.stages[add.stage].stage;
            if stage.save_state() == AT_LATER_FILE {
                stage.restore_state(AFTER_START);
            }
        }
    }

    /// Handles an unmappable character at the start of the input of stage `at`.
    pub(super) fn handle_unmappable(
        &mut self,
        at: usize,
        error: Unmappable,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let character = error.character;
        let link = &self.chain.stages[at];
        let (index, new_input_start) = (link.input.position(), link.new_input_start);
        if link.is_replacement(index) {
            return self.use_default_replacement(at, character);
        }
        let action_taken = self.replacer.replace_unmappable(error);
        self.report_error(at, ErrorKind::from_unmappable(error), action_taken, context)?;
        if at == self.chain.text_stage + 1 && index >= new_input_start {
            let written = index - new_input_start;
            let lines = self.line_column_at(written).after_character(character);
            self.counted_up_to = (written + character.len_utf8(), lines);
        }
        self.unread_replacement(at, character)
    }

    /// Replaces an unmappable character of a replacement with the default replacement.
    fn use_default_replacement(&mut self, at: usize, character: char) -> Result<(), Error> {
        let default_replacement = self.replacer.texts.default_replacement;
        if default_replacement.contains(character) {
            return Err(Error::Internal("the default replacement cannot be encoded".into()));
        }
        default_replacement.clone_into(&mut self.replacer.replacement);
        self.unread_replacement(at, character)
    }

    /// Replaces the next character of the input of stage `at` with the replacement.
    fn unread_replacement(&mut self, at: usize, character: char) -> Result<(), Error> {
        let link = &mut self.chain.stages[at];
        link.input.consume(character.len_utf8());
        if !link.input.prepend(&self.replacer.replacement) {
            return Err(Error::Internal("a replacement does not fit into the buffer".into()));
        }
        // The rest of a longer replacement may follow that of its first character.
        link.replacement_end =
            link.replacement_end.max(link.input.position() + self.replacer.replacement.len());
        Ok(())
    }

    /// Encodes text directly into the output, if no other input of stage `at` precedes it. Returns the
    /// number of bytes read. The rest takes the normal path, which costs as much again as the error.
    fn encode_directly(
        &mut self,
        at: usize,
        text: &str,
        context: &mut RunContext<'_>,
    ) -> Result<usize, Error> {
        if at + 1 != self.chain.stages.len()
            || !self.chain.stages[at].input.unread_bytes().is_empty()
        {
            return Ok(0);
        }
        let (link, output) = output_buffer(&mut self.chain, &mut self.output, at, context)?;
        let Stage::Encoder(encoder) = &mut link.stage else { return Ok(0) };
        let progress = encoder.encode(text, output, false);
        self.output.advance(progress.written);
        Ok(progress.read)
    }

    /// Inserts text into the input of stage `at`, or into the output after the last stage.
    fn insert_text(
        &mut self,
        at: usize,
        mut text: &str,
        origin: InputOrigin,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        text = &text[self.encode_directly(at, text, context)?..];
        while !text.is_empty() {
            let last = at == self.chain.stages.len();
            if last && self.output.spare_mut().len() < text.len() {
                self.flush(context)?;
            }
            let block = if last { &mut self.output } else { &mut self.chain.stages[at].input };
            let mut fits = text.len().min(block.spare_mut().len());
            while !text.is_char_boundary(fits) {
                fits -= 1;
            }
            if fits == 0 {
                return Err(Error::Internal("a replacement does not fit into the buffer".into()));
            }
            block.spare_mut()[..fits].copy_from_slice(&text.as_bytes()[..fits]);
            block.advance(fits);
            text = &text[fits..];
            if !last {
                self.chain.stages[at].origin = origin;
                self.run_stage(at, false, context)?;
            }
        }
        Ok(())
    }

    /// Reports an error. If the action is `stop`, writes everything before it and returns the error.
    fn report_error(
        &mut self,
        at: usize,
        kind: ErrorKind,
        action_taken: ActionTaken,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let stopped = action_taken == ActionTaken::Stopped;
        let excerpt = Excerpt::default();
        let stage = self.chain.stages[at].label;
        let mut error = ErrorEvent::new(kind, action_taken, None, excerpt, stage);
        // There may be millions of errors, of which only the first are shown.
        let counted = !action_taken.is_error() && context.reporter.counts_conversions_only();
        let is_queued = !self.pending_errors.is_empty() && !context.reporter.counts_only();
        if stopped || is_queued || !counted && context.reporter.wants_position() {
            let index = self.chain.stages[at].input.position();
            error.excerpt = self.excerpt(at, kind);
            error.position = Some(self.position_of(at, index));
        }
        if stopped {
            // Write the text before reporting the error that follows it. An encoder with lookahead may
            // still find an error that precedes this one.
            self.flush_after_stop(at, context)?;
            self.report_last(at, error, context);
        } else {
            self.report_in_order(at, error, context);
            return Ok(());
        }
        let (from, to) = self.encoding_names;
        Err(Error::Conversion(Box::new(ConversionError::new(error, from, to))))
    }

    /// Returns the bytes that a message about an error of stage `at` shows.
    fn excerpt(&self, at: usize, kind: ErrorKind) -> Excerpt {
        let ErrorKind::Malformed { len, reason } = kind else { return Excerpt::default() };
        let unread = self.chain.stages[at].input.unread_bytes();
        let is_ascii = match self.chain.stages[at].label {
            StageLabel::Main => self.reads_headers,
            StageLabel::Encoding(_) => false,
            StageLabel::Transform(_) => true,
        };
        Excerpt::of_malformed(unread, len, reason, is_ascii)
    }

    /// Writes what stage `at` and all later stages have buffered, ignoring unread input.
    fn flush_after_stop(&mut self, at: usize, context: &mut RunContext<'_>) -> Result<(), Error> {
        self.stopping = true;
        if at > self.chain.text_stage {
            loop {
                let (link, output) = output_buffer(&mut self.chain, &mut self.output, at, context)?;
                match link.stage.flush(output) {
                    0 => break,
                    written => self.drain(at, written, false, context)?,
                }
            }
        }
        for after in at + 1..self.chain.stages.len() {
            self.run_stage(after, true, context)?;
        }
        self.flush(context)
    }
}

/// The maximum number of queued errors. An encoder's lookahead contains fewer characters, so only
/// malformed bytes that are skipped can exceed it; then the first of them are reported early.
const MAX_PENDING: usize = 32 * 1024;

/// A queue of errors, with positions, that are reported after the errors that later stages may still find
/// before them. They are in the order of their offsets, at the same offset in that of the stages, and so
/// is what is reported: it does not depend on how much input a call of a stage has.
#[derive(Debug, Default)]
pub(super) struct PendingErrors(VecDeque<PendingError>);

#[derive(Debug)]
struct PendingError {
    offset: u64,
    /// The stage that has found it.
    stage: usize,
    event: ErrorEvent,
}

impl PendingErrors {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the errors, to change their lines and columns.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut ErrorEvent> {
        self.0.iter_mut().map(|error| &mut error.event)
    }

    /// Adds an error. Few errors are found after those that follow them.
    fn insert(&mut self, error: PendingError) {
        let key = |error: &PendingError| (error.offset, error.stage);
        let after = self.0.iter().rposition(|earlier| key(earlier) <= key(&error));
        self.0.insert(after.map_or(0, |index| index + 1), error);
    }

    /// Reports the leading errors whose offsets satisfy `is_next`.
    fn report_while(&mut self, is_next: impl Fn(u64) -> bool, context: &mut RunContext<'_>) {
        let count = self.0.iter().take_while(|error| is_next(error.offset)).count();
        self.0.drain(..count).for_each(|error| context.reporter.error(&error.event));
    }
}

impl Transcoder {
    /// Reports an error of stage `at`, or queues it if later stages have not read all bytes before it.
    fn report_in_order(&mut self, at: usize, event: ErrorEvent, context: &mut RunContext<'_>) {
        let Some(offset) = event.position.map(|position| position.offset) else {
            return context.reporter.error(&event);
        };
        // The other stages may still find errors in the bytes that they have left unread. Earlier stages have
        // none before this error, unless it is in a replacement.
        let unread = self.first_unread_offset(Some(at));
        if self.pending_errors.is_empty() && unread.is_none() {
            return context.reporter.error(&event);
        }
        self.pending_errors.insert(PendingError { offset, stage: at, event });
        let limit = unread.unwrap_or(u64::MAX);
        self.pending_errors.report_while(|next| next <= offset && next < limit, context);
        if self.pending_errors.0.len() > MAX_PENDING {
            self.pending_errors.0.drain(..1).for_each(|first| context.reporter.error(&first.event));
        }
    }

    /// Reports an error that stops the conversion, and the queued errors before it.
    fn report_last(&mut self, at: usize, event: ErrorEvent, context: &mut RunContext<'_>) {
        let offset = event.position.map_or(u64::MAX, |position| position.offset);
        let is_before = |error: &PendingError| (error.offset, error.stage) <= (offset, at);
        for error in self.pending_errors.0.drain(..).filter(is_before) {
            context.reporter.error(&error.event);
        }
        context.reporter.error(&event);
    }

    /// Reports the queued errors before which all bytes have been read, when no stage is running.
    pub(super) fn report_encoded(&mut self, context: &mut RunContext<'_>) {
        if self.pending_errors.is_empty() {
            return;
        }
        let limit = self.first_unread_offset(None).unwrap_or(u64::MAX);
        self.pending_errors.report_while(|offset| offset < limit, context);
    }

    /// Reports all queued errors, when all text has been encoded.
    pub(super) fn report_pending(&mut self, context: &mut RunContext<'_>) {
        self.pending_errors.report_while(|_| true, context);
    }

    /// Returns the offset of the first byte that an earlier call of a stage has left unread, except for
    /// those of one stage.
    fn first_unread_offset(&self, except: Option<usize>) -> Option<u64> {
        let links = self.chain.stages.iter().enumerate();
        let unread = links
            .filter(|(at, _)| Some(*at) != except)
            .filter_map(|(_, link)| link.unread_carried_bytes().first());
        unread.map(|carried| carried.position.offset).min()
    }
}
