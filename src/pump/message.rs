//! A whole message: its header block is converted, its body goes out as it came.
//!
//! The block ends with the first empty line (RFC 5322, section 2.1), which belongs to it. It is
//! looked for in the bytes of the file, so both charsets must have ASCII at its own octets.

use crate::codec::State;
use crate::error::Error;
use crate::filter::NEXT_FILE;

use super::chain::Add;
use super::{Flow, Pump};

/// How far a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Message {
    /// At the beginning of a line of the header block.
    #[default]
    Start,
    /// Behind a CR at the beginning of a line.
    Return,
    /// Inside a line.
    Inside,
    /// In the body.
    Body,
}

impl Message {
    /// How many of the bytes that come next belong to the header block.
    pub fn head(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (*self, byte) {
                (Message::Body, _) => return at,
                (Message::Start | Message::Return, b'\n') => *self = Message::Body,
                (Message::Start, b'\r') => *self = Message::Return,
                _ => match memchr::memchr(b'\n', &bytes[at..]) {
                    Some(line) => {
                        at += line;
                        *self = Message::Start;
                    }
                    None => {
                        *self = Message::Inside;
                        return bytes.len();
                    }
                },
            }
            at += 1;
        }
        at
    }
}

impl Pump {
    /// Converts the header block among the bytes that were put into the space, and writes the body
    /// among them as it stands.
    pub(super) fn split(&mut self, bytes: usize, flow: &mut Flow<'_>) -> Result<(), Error> {
        let input = &mut self.chain.links[0].input;
        let was_body = self.message == Some(Message::Body);
        let Some(message) = &mut self.message else { return Ok(()) };
        let head = message.head(&input.room()[..bytes]);
        if was_body {
            return flow.out.write_all(&input.room()[..bytes]).map_err(Error::Write);
        }
        // The block moves what it holds. This is once a message.
        let body = input.room()[head..bytes].to_vec();
        self.take_in(head);
        self.run(0, false, flow)?;
        if self.message == Some(Message::Body) {
            self.end_links(self.chain.links.len(), flow)?;
        }
        self.report_encoded(flow);
        self.write(flow)?;
        flow.out.write_all(&body).map_err(Error::Write)
    }

    /// Ends the input of the first links, in their order, and lets them begin anew.
    pub(super) fn end_links(&mut self, count: usize, flow: &mut Flow<'_>) -> Result<(), Error> {
        for at in 0..count {
            self.run(at, true, flow)?;
        }
        let begun = |add: &Add| self.chain.links[add.at].stage.state() != State::START;
        let begun = self.chain.add.filter(|add| add.drops && begun(add));
        for link in &mut self.chain.links[..count] {
            link.stage.resume(State::START);
        }
        if let Some(add) = begun {
            self.chain.links[add.at].stage.resume(NEXT_FILE);
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
            assert_eq!(Message::default().head(message), head, "{message:?}");
            for cut in 0..=message.len() {
                let mut split = Message::default();
                let first = split.head(&message[..cut]);
                assert_eq!(first + split.head(&message[cut..]), head, "{message:?} {cut}");
            }
        }
    }
}
