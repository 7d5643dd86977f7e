//! Formatting of findings without `write!` and serde.
//!
//! A file in the wrong encoding has a finding for each of its bytes. With `write!` a line took
//! 0.15 microseconds to format, several times as long as the check that found the error. With
//! serde_json a line took 2.2 (`json`) to 3.7 times (`gitlab`) as long as with a [`LineBuffer`]:
//! 0.27 to 0.62 microseconds instead of 0.12 to 0.17.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use crate::check::{Finding, FindingKind};
use crate::conversion_error::Position;

/// A line that is assembled in memory and written at once.
#[derive(Debug, Default)]
pub struct LineBuffer(Vec<u8>);

impl LineBuffer {
    /// Appends a string.
    #[inline]
    pub fn text(&mut self, text: &str) -> &mut LineBuffer {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends a number in decimal digits.
    pub fn number(&mut self, number: u64) -> &mut LineBuffer {
        self.text(itoa::Buffer::new().format(number))
    }

    /// Appends a position in the format of its `Display`.
    pub fn position(&mut self, position: Position) -> &mut LineBuffer {
        let Position { offset, line, column } = position;
        self.number(line).text(":").number(column).text(": byte ").number(offset)
    }

    /// Appends a number in 32 hexadecimal digits.
    pub fn hexadecimal(&mut self, number: u128) -> &mut LineBuffer {
        let digit = |at: u32| b"0123456789abcdef"[(number >> (4 * at)) as usize & 0xF];
        self.0.extend((0..32).rev().map(digit));
        self
    }

    /// Writes the line and clears the buffer.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn write_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let written = out.write_all(&self.0);
        self.0.clear();
        written
    }
}

/// The message of the last finding. Consecutive findings of the same kind share a message, which
/// is formatted only once.
#[derive(Debug, Default)]
pub struct MessageCache {
    key: Option<(FindingKind, u64)>,
    text: String,
}

impl MessageCache {
    /// Returns the message for a finding; `format` must depend only on its kind and length.
    #[inline]
    pub fn get<D: fmt::Display>(&mut self, finding: &Finding, format: impl FnOnce() -> D) -> &str {
        let is_same = |(kind, len): (FindingKind, u64)| len == finding.len && kind == finding.kind;
        if !self.key.is_some_and(is_same) {
            self.text.clear();
            let _ = write!(self.text, "{}", format());
            self.key = Some((finding.kind, finding.len));
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use crate::check::LineEnding;

    use super::*;

    fn written_text(line: &mut LineBuffer) -> String {
        let mut out = Vec::new();
        line.write_to(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_and_positions_match_their_display_form() {
        let mut line = LineBuffer::default();
        for number in [0, 1, 9, 10, 99, 100, 12345, u64::MAX - 1, u64::MAX] {
            assert_eq!(written_text(line.number(number)), number.to_string());
            let position = Position { offset: number, line: 7, column: number / 2 };
            assert_eq!(written_text(line.position(position)), position.to_string());
            let number = u128::from(number) << 60;
            assert_eq!(written_text(line.hexadecimal(number)), format!("{number:032x}"));
        }
    }

    #[test]
    fn line_buffer_is_empty_after_write() {
        let mut line = LineBuffer::default();
        assert_eq!(written_text(line.text("é").number(1).text("\n")), "é1\n");
        assert_eq!(written_text(&mut line), "");
    }

    #[test]
    fn message_is_formatted_again_for_a_different_finding() {
        let position = Position { offset: 0, line: 1, column: 1 };
        let finding =
            |kind, len| Finding { position, byte_column: None, len, kind, encoding_index: 0 };
        let line_ending = |found| FindingKind::WrongLineEnding { found, expected: LineEnding::Lf };
        let mut messages = MessageCache::default();
        for finding in [
            finding(FindingKind::UnexpectedBom, 2),
            finding(FindingKind::UnexpectedBom, 3),
            finding(line_ending(LineEnding::Cr), 3),
            finding(line_ending(LineEnding::CrLf), 3),
        ] {
            let message = format!("{finding:?}");
            assert_eq!(messages.get(&finding, || &message), message);
            assert_eq!(messages.get(&finding, || "another"), message);
        }
    }
}
