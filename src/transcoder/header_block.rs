//! Conversion of the headers of a message; the body is copied unchanged.
//!
//! The header block includes the first empty line, which ends it (RFC 5322, section 2.1). The line is
//! found in the bytes of the file, so both encodings must be ASCII-compatible.

use crate::bom::AT_LATER_FILE;
use crate::codec::State;
use crate::error::Error;

use super::chain::BomInsertion;
use super::{RunContext, Transcoder};

/// The state of the scanner for the end of the header block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum HeaderBlock {
    /// At the start of a line of the header block.
    #[default]
    LineStart,
    /// After a CR at the start of a line.
    AfterCr,
    /// Inside a line.
    InLine,
    /// In the body.
    Body,
}

impl HeaderBlock {
    /// Returns the number of leading bytes that belong to the header block.
    pub fn header_len(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (*self, byte) {
                (HeaderBlock::Body, _) => return at,
                (HeaderBlock::LineStart | HeaderBlock::AfterCr, b'\n') => *self = HeaderBlock::Body,
                (HeaderBlock::LineStart, b'\r') => *self = HeaderBlock::AfterCr,
                _ => match memchr::memchr(b'\n', &bytes[at..]) {
                    Some(line) => {
                        at += line;
                        *self = HeaderBlock::LineStart;
                    }
                    None => {
                        *self = HeaderBlock::InLine;
                        return bytes.len();
                    }
                },
            }
            at += 1;
        }
        at
    }
}

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
        self.report_encoded(context);
        self.flush(context)?;
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
        let has_started =
            |add: &BomInsertion| self.chain.stages[add.stage].stage.save_state() != State::INITIAL;
        let started =
            self.chain.bom_insertion.filter(|add| add.drops_later_bom && has_started(add));
        for link in &mut self.chain.stages[..count] {
            link.stage.restore_state(State::INITIAL);
        }
        if let Some(add) = started {
            self.chain.stages[add.stage].stage.restore_state(AT_LATER_FILE);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_block_ends_with_the_first_empty_line() {
        for (message, header_len) in [
            (&b"A: b\n\nbody\n\n"[..], 6),
            (b"A: b\r\n\r\nbody", 8),
            (b"A: b\r\n c\r\n\nbody", 11),
            (b"\nbody", 1),
            (b"\r\nbody", 2),
            (b"A: b\r\r\n\n", 8),
            (b"A: b\n\r", 6),
            (b"A: b\n\rx\n\nb", 9),
            (b"A: b\n \n\nb", 8),
            (b"A: b", 4),
            (b"", 0),
        ] {
            assert_eq!(HeaderBlock::default().header_len(message), header_len, "{message:?}");
            for split_at in 0..=message.len() {
                let mut split = HeaderBlock::default();
                let first = split.header_len(&message[..split_at]);
                assert_eq!(
                    first + split.header_len(&message[split_at..]),
                    header_len,
                    "{message:?} {split_at}"
                );
            }
        }
    }
}
