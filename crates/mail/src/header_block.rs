//! The end of the header block of a message.
//!
//! The header block includes the first empty line, which ends it (RFC 5322, section 2.1). The line is
//! found in the bytes of the file, so both encodings must be ASCII-compatible.

/// The state of the scanner for the end of the header block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HeaderBlock {
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
