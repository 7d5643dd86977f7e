//! A whole message: its header block is converted, its body goes out as it came.
//!
//! The block ends with the first empty line (RFC 5322, section 2.1), which belongs to it. It is
//! looked for in the bytes of the file, so both charsets must have ASCII at its own bytes.

use crate::bom::AT_LATER_FILE;
use crate::codec::State;
use crate::error::Error;

use super::chain::BomInsertion;
use super::{RunContext, Transcoder};

/// How far a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum HeaderBlock {
    /// At the beginning of a line of the header block.
    #[default]
    LineStart,
    /// After a CR at the beginning of a line.
    AfterCr,
    /// Inside a line.
    InLine,
    /// In the body.
    Body,
}

impl HeaderBlock {
    /// How many of the bytes that come next belong to the header block.
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
    /// Converts the header block among the bytes that were put into the space, and writes the body
    /// among them as it stands.
    pub(super) fn process_message(
        &mut self,
        bytes: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        let input = &mut self.chain.stages[0].input;
        let was_body = self.header_block == Some(HeaderBlock::Body);
        let Some(message) = &mut self.header_block else { return Ok(()) };
        let head = message.header_len(&input.spare_mut()[..bytes]);
        if was_body {
            return context.output.write_all(&input.spare_mut()[..bytes]).map_err(Error::Io);
        }
        // The block moves what it holds. This is once a message.
        let body = input.spare_mut()[head..bytes].to_vec();
        self.accept_input(head);
        self.run_stage(0, false, context)?;
        if self.header_block == Some(HeaderBlock::Body) {
            self.finish_stages(self.chain.stages.len(), context)?;
        }
        self.report_encoded(context);
        self.flush(context)?;
        context.output.write_all(&body).map_err(Error::Io)
    }

    /// Ends the input of the first links, in their order, and lets them begin again.
    pub(super) fn finish_stages(
        &mut self,
        count: usize,
        context: &mut RunContext<'_>,
    ) -> Result<(), Error> {
        for at in 0..count {
            self.run_stage(at, true, context)?;
        }
        let begun =
            |add: &BomInsertion| self.chain.stages[add.stage].stage.save_state() != State::INITIAL;
        let begun = self.chain.bom_insertion.filter(|add| add.drops_later_bom && begun(add));
        for link in &mut self.chain.stages[..count] {
            link.stage.restore_state(State::INITIAL);
        }
        if let Some(add) = begun {
            self.chain.stages[add.stage].stage.restore_state(AT_LATER_FILE);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_block_ends_with_the_first_empty_line() {
        for (message, head) in [
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
            assert_eq!(HeaderBlock::default().header_len(message), head, "{message:?}");
            for cut in 0..=message.len() {
                let mut split = HeaderBlock::default();
                let first = split.header_len(&message[..cut]);
                assert_eq!(first + split.header_len(&message[cut..]), head, "{message:?} {cut}");
            }
        }
    }
}
