//! Conversion of the headers of a message; the body is copied unchanged.

use charpipe_encoding::error::Error;
use charpipe_mail::header_block::HeaderBlock;

use super::{RunContext, Transcoder};

impl Transcoder {
    /// Converts the header block in the first `len` bytes of the input buffer, and writes the part of
    /// the body in them unchanged.
    pub(super) fn process_message(
        &mut self,
        len: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let input = &mut self.chain.stages[0].input;
        let was_body = self.header_block == Some(HeaderBlock::Body);
        let Some(header_block) = &mut self.header_block else { return Ok(()) };
        let header_len = header_block.header_len(&input.spare_mut()[..len]);
        if was_body {
            return context.output.write_all(&input.spare_mut()[..len]).map_err(Error::Io);
        }
        // The buffer is reused during conversion. This happens once per message.
        let body = input.spare_mut()[header_len..len].to_vec();
        self.accept_input(header_len);
        self.run_stage(0, false, context)?;
        if self.header_block == Some(HeaderBlock::Body) {
            self.finish_stages(self.chain.stages.len(), context)?;
        }
        self.errors.report_encoded(&self.chain, context.reporter);
        self.chain.flush(context.output)?;
        context.output.write_all(&body).map_err(Error::Io)
    }

    /// Ends the input of the first `count` stages, in order, and resets them.
    pub(super) fn finish_stages(
        &mut self,
        count: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        for at in 0..count {
            self.run_stage(at, true, context)?;
        }
        self.chain.reset_stages(count);
        Ok(())
    }
}
