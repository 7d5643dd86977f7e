//! Error handling: applies the error policy and resumes.

use super::chain::{InputOrigin, Stage, write_unchanged};
use super::{RunContext, Transcoder};
use crate::error_policy::ErrorAction;
use charpipe_encoding::bom::{AFTER_START, BOM};
use charpipe_encoding::codec::State;
use charpipe_encoding::conversion_error::{ActionTaken, ErrorKind, Malformed, Unmappable};
use charpipe_encoding::error::Error;

impl Transcoder {
    /// Handles a malformed sequence at the start of the input of stage `at`.
    pub(super) fn handle_malformed(
        &mut self,
        at: usize,
        error: Malformed,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        if self.errors.stopping && at <= self.chain.text_stage {
            // The input did not end here, so an incomplete character is not an error.
            self.skip_malformed(at, error);
            return Ok(());
        }
        if *self.errors.replacer.policy.action_for_malformed(error.reason)
            == ErrorAction::PassThrough
        {
            return self.pass_through(at, error, context);
        }
        let action_taken = self.errors.prepare_replacement(&self.chain, at, error);
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
            !self.errors.replacer.replacement.is_empty() && after < self.chain.stages.len();
        let origin = if needs_position {
            InputOrigin::Replacement(self.locator.position_of(&mut self.chain, at, index))
        } else {
            InputOrigin::Stage
        };
        self.skip_malformed(at, error);
        if self.errors.replacer.replacement.is_empty() {
            return Ok(());
        }
        let replacement = std::mem::take(&mut self.errors.replacer.replacement);
        self.insert_text(after, &replacement, origin, context)?;
        self.errors.replacer.replacement = replacement;
        Ok(())
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
        let action_taken = self.errors.prepare_replacement(&self.chain, at, error);
        self.report_error(
            at,
            ErrorKind::Malformed { len: error.len, reason: error.reason },
            action_taken,
            context,
        )?;
        let unread = self.chain.stages[at].input.unread_bytes();
        let bytes = &unread[..error.len.min(unread.len())];
        write_unchanged(&mut self.chain.output, bytes, context.output)?;
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
        self.chain.stages[at].resume_after(error);
        if at <= self.chain.text_stage {
            self.locator.skip_malformed();
        }
        self.chain.leave_file_start();
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
        let index = link.input.position();
        if link.is_replacement(index) {
            return self.use_default_replacement(at, character);
        }
        let action_taken = self.errors.replacer.replace_unmappable(error);
        self.report_error(at, ErrorKind::from_unmappable(error), action_taken, context)?;
        self.locator.pass_unmappable(&self.chain, at, index, character);
        self.unread_replacement(at, character)
    }

    /// Replaces an unmappable character of a replacement with the default replacement.
    fn use_default_replacement(&mut self, at: usize, character: char) -> Result<(), Error> {
        let default_replacement = self.errors.replacer.texts.default_replacement;
        if default_replacement.contains(character) {
            return Err(Error::Internal("the default replacement cannot be encoded".into()));
        }
        default_replacement.clone_into(&mut self.errors.replacer.replacement);
        self.unread_replacement(at, character)
    }

    /// Replaces the next character of the input of stage `at` with the replacement.
    fn unread_replacement(&mut self, at: usize, character: char) -> Result<(), Error> {
        let link = &mut self.chain.stages[at];
        if link.input.position() >= link.replacement_end {
            link.replaced_index = link.input.position();
        }
        link.input.consume(character.len_utf8());
        if !link.input.prepend(&self.errors.replacer.replacement) {
            return Err(Error::Internal("a replacement does not fit into the buffer".into()));
        }
        // The rest of a longer replacement may follow that of its first character.
        link.replacement_end = link
            .replacement_end
            .max(link.input.position() + self.errors.replacer.replacement.len());
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
        let (link, output) = self.chain.output_buffer(at, context.output)?;
        let Stage::Encoder(encoder) = &mut link.stage else { return Ok(0) };
        let progress = encoder.encode(text, output, false);
        self.chain.output.advance(progress.written);
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
            if last && self.chain.output.spare_mut().len() < text.len() {
                self.chain.flush(context.output)?;
            }
            let fits = self.chain.buffer_after(at - 1).append_text(text);
            if fits == 0 {
                return Err(Error::Internal("a replacement does not fit into the buffer".into()));
            }
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
        let parts = (&mut self.chain, &mut self.locator);
        let event = self.errors.event(parts, at, (kind, action_taken), context.reporter);
        if action_taken != ActionTaken::Stopped {
            self.errors.report_in_order(&self.chain, at, event, context.reporter);
            return Ok(());
        }
        // Write the text before reporting the error that follows it. An encoder with lookahead may
        // still find an error that precedes this one.
        self.flush_after_stop(at, context)?;
        self.errors.report_last(at, event, context.reporter);
        Err(Error::Conversion(Box::new(self.errors.conversion_error(event))))
    }

    /// Writes what stage `at` and all later stages have buffered, ignoring unread input.
    fn flush_after_stop(&mut self, at: usize, context: &mut RunContext<'_>) -> Result<(), Error> {
        self.errors.stopping = true;
        if at > self.chain.text_stage {
            loop {
                let (link, output) = self.chain.output_buffer(at, context.output)?;
                match link.stage.flush(output) {
                    0 => break,
                    written => self.drain(at, written, false, context)?,
                }
            }
        }
        for after in at + 1..self.chain.stages.len() {
            self.run_stage(after, true, context)?;
        }
        self.chain.flush(context.output)
    }
}
