//! Finds the header fields in messages: of a single message, of a mailbox, and of their MIME parts.
//!
//! A header block begins at the start of the input and ends with the first empty line (RFC 5322,
//! section 2.1). If the input starts with `From `, it is a mailbox: a line that starts so, at the start
//! or after an empty line, begins the next message (RFC 4155). In a body a line that starts with `--`
//! begins a header block if `Content-` follows it: that of a MIME part (RFC 2046, section 5.1).

/// The number of bytes at the start of a line that classify it.
pub(super) const LOOKAHEAD: usize = 8;

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    /// The first line of a header field, or a line of a header block without a name.
    Field,
    /// A further line of a header field.
    Continuation,
    /// Any other line.
    Other,
}

/// The state between two lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct MessageScanner {
    block: Block,
    /// Whether the input is a mailbox.
    is_mailbox: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Block {
    /// At the start of the input.
    #[default]
    Start,
    /// At the start of a header block.
    HeaderStart,
    /// In a header block, after its first field.
    Header,
    /// In a body.
    Body,
    /// In a body, after an empty line.
    AfterEmptyLine,
    /// In a body, after a line that starts with `--`.
    AfterBoundary,
}

const BLOCKS: [Block; 6] = [
    Block::Start,
    Block::HeaderStart,
    Block::Header,
    Block::Body,
    Block::AfterEmptyLine,
    Block::AfterBoundary,
];

impl MessageScanner {
    /// The number of bits of [`pack`](MessageScanner::pack).
    pub const BITS: u32 = 4;

    /// Packs the state. The initial state is zero.
    pub fn pack(self) -> u64 {
        self.block as u64 | u64::from(self.is_mailbox) << 3
    }

    /// Unpacks the lowest bits.
    pub fn unpack(bits: u64) -> MessageScanner {
        let block = BLOCKS.get((bits & 7) as usize).copied().unwrap_or_default();
        MessageScanner { block, is_mailbox: bits >> 3 & 1 == 1 }
    }

    /// Classifies the line at the start of `line`, and returns the state after it; `None` if more input
    /// is needed. `end` means that nothing follows `line`.
    pub fn classify(self, line: &[u8], end: bool) -> Option<(LineKind, MessageScanner)> {
        let starts_with = |text: &[u8]| {
            let near = &line[..line.len().min(text.len())];
            let is_prefix = near.eq_ignore_ascii_case(&text[..near.len()]);
            (is_prefix && (near.len() == text.len() || !end)).then_some(near.len() == text.len())
        };
        // Returns whether the line starts with a text, or returns `None` from the method.
        macro_rules! starts_with {
            ($text:expr) => {
                match starts_with($text) {
                    Some(false) => return None,
                    found => found.is_some(),
                }
            };
        }
        let to = |block| MessageScanner { block, ..self };
        let is_header = match self.block {
            Block::Start | Block::HeaderStart | Block::Header => true,
            Block::AfterBoundary => starts_with!(b"Content-"),
            Block::Body | Block::AfterEmptyLine => false,
        };
        if matches!(self.block, Block::Start) && starts_with!(b"From ") {
            let scanner = MessageScanner { block: Block::HeaderStart, is_mailbox: true };
            return Some((LineKind::Other, scanner));
        }
        let is_empty = starts_with!(b"\n") || starts_with!(b"\r\n");
        if is_header {
            return Some(match line.first()? {
                _ if is_empty => (LineKind::Other, to(Block::AfterEmptyLine)),
                b' ' | b'\t' if self.block == Block::Header => {
                    (LineKind::Continuation, to(Block::Header))
                }
                _ => (LineKind::Field, to(Block::Header)),
            });
        }
        let is_separator =
            self.is_mailbox && self.block == Block::AfterEmptyLine && starts_with!(b"From ");
        let block = match () {
            () if is_separator => Block::HeaderStart,
            () if is_empty => Block::AfterEmptyLine,
            () if starts_with!(b"--") => Block::AfterBoundary,
            () => Block::Body,
        };
        Some((LineKind::Other, to(block)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a letter for each line: F, C or O.
    fn classify(message: &str) -> String {
        let mut scanner = MessageScanner::default();
        let lines = message.split_inclusive('\n').map(|line| {
            for len in LOOKAHEAD..line.len() {
                let part = scanner.classify(&line.as_bytes()[..len], false);
                assert_eq!(part, scanner.classify(line.as_bytes(), true), "{line:?}");
            }
            let (kind, next) = scanner.classify(line.as_bytes(), true).expect("a whole line");
            scanner = MessageScanner::unpack(next.pack());
            assert_eq!(scanner, next);
            match kind {
                LineKind::Field => 'F',
                LineKind::Continuation => 'C',
                LineKind::Other => 'O',
            }
        });
        lines.collect()
    }

    #[test]
    fn header_block_ends_with_an_empty_line() {
        assert_eq!(classify("A: b\n c\nD: e\n\nF: g\n\nFrom x\nH: i\n"), "FCFOOOOO");
        assert_eq!(classify("A: b\r\n\tc\r\n\r\nF: g\r\n"), "FCOO");
        assert_eq!(classify(" a\n b\n \nc"), "FCCF");
        assert_eq!(classify("\nA: b\n"), "OO");
    }

    #[test]
    fn messages_of_a_mailbox_start_with_a_line() {
        assert_eq!(classify("From x\nA: b\n\nFrom y\nC: d\n\ntext\nFrom z\nE: f\n"), "OFOOFOOOO");
        assert_eq!(classify("From: x\n\nFrom y\nC: d\n"), "FOOO");
        assert_eq!(classify("FROM x\n"), "O");
    }

    #[test]
    fn parts_of_a_message_have_headers() {
        let message =
            "A: b\n\n--x\ncontent-type: a;\n b\n\ntext\n--x\nText: a\n\n-- \nContent-A: b\n\n";
        assert_eq!(classify(message), "FOOFCOOOOOOFO");
    }

    #[test]
    fn start_of_a_line_may_need_more_input() {
        let scanner = MessageScanner::default();
        assert_eq!(scanner.classify(b"", false), None);
        assert_eq!(scanner.classify(b"Fro", false), None);
        assert_eq!(scanner.classify(b"\r", false), None);
        assert!(scanner.classify(b"Fro", true).is_some());
        assert!(scanner.classify(b"A", false).is_some());
    }
}
