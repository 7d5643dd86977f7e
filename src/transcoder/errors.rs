//! What the transcoder does at an error: ask the policy, tell the report, and go on.

use std::collections::VecDeque;

use super::chain::{InputOrigin, Stage, flush, output_buffer};
use super::{RunContext, Transcoder};
use crate::bom::{AFTER_START, AT_LATER_FILE, BOM};
use crate::codec::State;
use crate::conversion_error::{ActionTaken, ErrorEvent, ErrorKind, Excerpt, Malformed, Unmappable};
use crate::error::{ConversionError, Error};
use crate::error_policy::{ErrorAction, Unconvertible};

impl Transcoder {
    /// Deals with bytes that link `at` has met at the start of its input.
    pub(super) fn handle_malformed(
        &mut self,
        at: usize,
        error: Malformed,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        if self.stopping && at <= self.chain.text_stage {
            // The end is of our making, and what it cuts is no error.
            self.skip_malformed(at, error);
            return Ok(());
        }
        if *self.error_policy.action_for_malformed(error.reason) == ErrorAction::PassThrough {
            return self.pass_through(at, error, context);
        }
        let action_taken = self.prepare_replacement(at, error);
        let kind = ErrorKind::Malformed { len: error.len, reason: error.reason };
        self.report_error(at, kind, action_taken, context)?;

        let index = self.chain.stages[at].input.position();
        let after = at.max(self.chain.text_stage) + 1;
        // Where nothing comes after, nobody will ask where the answer stands.
        let asked = !self.replacement.is_empty() && after < self.chain.stages.len();
        let origin = if asked {
            InputOrigin::Replacement(self.position_of(at, index))
        } else {
            InputOrigin::Stage
        };
        self.skip_malformed(at, error);
        if self.replacement.is_empty() {
            return Ok(());
        }
        let answer = std::mem::take(&mut self.replacement);
        self.insert_text(after, &answer, origin, context)?;
        self.replacement = answer;
        Ok(())
    }

    /// Finds the replacement for bytes that link `at` has met; says what that is to them.
    fn prepare_replacement(&mut self, at: usize, error: Malformed) -> ActionTaken {
        let unread = self.chain.stages[at].input.unread_bytes();
        let unconvertible =
            Unconvertible::from_malformed(&unread[..error.len.min(unread.len())], error.reason);
        let action = self.error_policy.action_for_malformed(error.reason);
        self.replacement.clear();
        action.write_replacement(unconvertible, &mut self.replacements, &mut self.replacement)
    }

    /// Writes malformed bytes unchanged, past the encoder: first all that comes before them, since
    /// a later stage may hold some of it back, and errors in it.
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

    /// Writes the byte order mark that comes before the first output, if it is still to come.
    fn write_bom(&mut self, context: &mut RunContext<'_>) -> Result<(), Error> {
        let Some(add) = self.chain.bom_insertion else { return Ok(()) };
        let link = &mut self.chain.stages[add.stage];
        if link.stage.save_state() != State::INITIAL {
            return Ok(());
        }
        link.stage.restore_state(AFTER_START);
        self.insert_text(add.stage + 1, BOM, InputOrigin::Stage, context)
    }

    fn skip_malformed(&mut self, at: usize, error: Malformed) {
        let link = &mut self.chain.stages[at];
        link.input.consume(error.resume_len);
        link.stage.restore_state(error.resume_state);
        if at <= self.chain.text_stage {
            self.line_column = self.line_column.after_malformed();
        }
        // Nothing after it is at the start of its file.
        if let Some(strip) = self.chain.strip_stage {
            self.chain.stages[strip].stage.restore_state(AFTER_START);
        }
        if let Some(add) = self.chain.bom_insertion
            && self.chain.stages[add.stage].stage.save_state() == AT_LATER_FILE
        {
            self.chain.stages[add.stage].stage.restore_state(AFTER_START);
        }
    }

    /// Deals with a character that link `at` has met at the start of its input.
    pub(super) fn handle_unmappable(
        &mut self,
        at: usize,
        error: Unmappable,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let character = error.character;
        let link = &self.chain.stages[at];
        let (index, fresh) = (link.input.position(), link.new_input_start);
        self.replacement.clear();
        if link.is_replacement(index) {
            return self.use_default_replacement(at, character);
        }
        let unconvertible = Unconvertible::from_unmappable(error);
        let action = &self.error_policy.unmappable;
        let action_taken =
            action.write_replacement(unconvertible, &mut self.replacements, &mut self.replacement);
        self.report_error(at, ErrorKind::from_unmappable(error), action_taken, context)?;
        if at == self.chain.text_stage + 1 && index >= fresh {
            let lines = self.line_column_at(index - fresh).after_character(character);
            self.counted_up_to = (index - fresh + character.len_utf8(), lines);
        }
        self.unread_replacement(at, character)
    }

    /// A character of a replacement that the target lacks too gives way to the fallback, which it has.
    fn use_default_replacement(&mut self, at: usize, character: char) -> Result<(), Error> {
        let default_replacement = self.replacements.default_replacement;
        if default_replacement.contains(character) {
            return Err(Error::Internal("fallback"));
        }
        self.replacement.push_str(default_replacement);
        self.unread_replacement(at, character)
    }

    /// Puts the answer in the position of the character that comes next.
    fn unread_replacement(&mut self, at: usize, character: char) -> Result<(), Error> {
        let link = &mut self.chain.stages[at];
        link.input.consume(character.len_utf8());
        if !link.input.prepend(&self.replacement) {
            return Err(Error::Internal("answer"));
        }
        // Of a look-alike the rest may still stand after what takes the position of its first character.
        link.replacement_end =
            link.replacement_end.max(link.input.position() + self.replacement.len());
        Ok(())
    }

    /// Encodes the front of an answer straight into the output, if nothing waits before it; says
    /// how far it came. What is left, an encoder with look-ahead or one that lacks a character,
    /// goes the common way, which costs as much again as the error.
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

    /// Sends text of our own into link `at`, or into the output.
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
            let fits = text.floor_char_boundary(block.spare_mut().len());
            if fits == 0 {
                return Err(Error::Internal("answer"));
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

    /// Reports an error; under the policy stop ends the run, after all before it is written.
    fn report_error(
        &mut self,
        at: usize,
        kind: ErrorKind,
        action_taken: ActionTaken,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let stopped = action_taken == ActionTaken::Stopped;
        let mut error = ErrorEvent {
            kind: kind,
            action_taken: action_taken,
            position: None,
            excerpt: Excerpt::default(),
        };
        // Errors come by the million, and only the first are shown.
        let counted = !action_taken.is_error() && context.reporter.counts_conversions_only();
        let waits = !self.pending_errors.is_empty() && !context.reporter.counts_only();
        if stopped || waits || !counted && context.reporter.wants_position() {
            let index = self.chain.stages[at].input.position();
            error.excerpt = self.excerpt(at, kind);
            error.position = Some(self.position_of(at, index));
        }
        if stopped {
            // Whoever watches both sees the text first, then what is wrong after it. And a stage
            // that looks ahead may still hold an error, which stands before this one.
            self.flush_after_stop(at, context)?;
            if at <= self.chain.text_stage {
                self.report_pending(context);
            }
        }
        self.report_in_order(at, error, context);
        if !stopped {
            return Ok(());
        }
        let (from, to) = self.encoding_names;
        Err(Error::Conversion(Box::new(ConversionError { event: error, from, to })))
    }

    /// The bytes of an offender, and the one that should have gone on, which a reader wants to see.
    fn excerpt(&self, at: usize, kind: ErrorKind) -> Excerpt {
        let ErrorKind::Malformed { len, reason } = kind else { return Excerpt::default() };
        let unread = self.chain.stages[at].input.unread_bytes();
        let len_shown = len + reason.context_len(&unread[..len.min(unread.len())]);
        let shown = &unread[..len_shown.min(unread.len())];
        if self.source_lines.is_some() { Excerpt::ascii(shown) } else { Excerpt::hex(shown) }
    }

    /// Makes link `at` and all after it write what they hold back, whatever is still unread.
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

// Errors in the order of their positions in the input.
//
// A decoder works ahead of an encoder with lookahead, so it meets a malformed sequence before the
// encoder meets an unmappable character that precedes it. Errors of bytes therefore wait until all
// text before them has been encoded. Errors that are only counted have no order.

/// The most errors that wait. An encoder's lookahead holds fewer characters, so only malformed bytes
/// that leave no text at all can be more; then the first of them are reported early.
const MAX_PENDING: usize = 32 * 1024;

/// Errors of bytes, all with positions, that wait for the text before them.
#[derive(Debug, Default)]
pub(super) struct PendingErrors(VecDeque<ErrorEvent>);

impl PendingErrors {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports the errors for which this holds of their offset, up to the first of which it does not.
    fn report_while(&mut self, is_next: impl Fn(u64) -> bool, context: &mut RunContext<'_>) {
        let offset = |error: &ErrorEvent| error.position.map_or(0, |position| position.offset);
        while let Some(error) = self.0.pop_front_if(|error| is_next(offset(error))) {
            context.reporter.error(&error);
        }
    }
}

impl Transcoder {
    /// Reports an error of link `at`, now or when it is its turn.
    pub(super) fn report_in_order(
        &mut self,
        at: usize,
        error: ErrorEvent,
        context: &mut RunContext<'_>,
    ) {
        let Some(position) = error.position else { return context.reporter.error(&error) };
        if at > self.chain.text_stage {
            // Of two at one offset that of the decoder comes first: it has no character to encode.
            self.pending_errors.report_while(|offset| offset <= position.offset, context);
            return context.reporter.error(&error);
        }
        self.report_encoded(context);
        if self.first_unread_offset(at + 1).is_none() {
            return context.reporter.error(&error);
        }
        if self.pending_errors.0.len() == MAX_PENDING
            && let Some(first) = self.pending_errors.0.pop_front()
        {
            context.reporter.error(&first);
        }
        self.pending_errors.0.push_back(error);
    }

    /// Reports the errors before which all text has been encoded.
    pub(super) fn report_encoded(&mut self, context: &mut RunContext<'_>) {
        if self.pending_errors.is_empty() {
            return;
        }
        let limit = self.first_unread_offset(self.chain.text_stage + 1).unwrap_or(u64::MAX);
        self.pending_errors.report_while(|offset| offset < limit, context);
    }

    /// Reports all errors that wait, because nothing before them is left to be encoded.
    pub(super) fn report_pending(&mut self, context: &mut RunContext<'_>) {
        self.pending_errors.report_while(|_| true, context);
    }

    /// The offset of the first text that a link from `at` on has not read yet.
    fn first_unread_offset(&self, at: usize) -> Option<u64> {
        let links = self.chain.stages.iter().skip(at);
        links
            .filter_map(|link| link.carried_bytes.first())
            .map(|carried| carried.position.offset)
            .min()
    }
}
