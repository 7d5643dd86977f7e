//! What is told of a finding, put together without the machinery of `write!`.
//!
//! A file in the wrong encoding has a finding for each of its bytes, and all of them are told. A line
//! took 0.15 microseconds to format, several times what it takes to find the error.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use charpipe::check::{Finding, FindingKind};
use charpipe::conversion_error::Position;

/// Digits of the highest number.
const MAX_DIGITS: usize = 20;

/// The numbers below 100, in two digits.
const DIGIT_PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut number = 0;
    while number < pairs.len() {
        pairs[number] = [b'0' + number as u8 / 10, b'0' + number as u8 % 10];
        number += 1;
    }
    pairs
};

/// Text that grows part by part, and is written as a whole.
#[derive(Debug, Default)]
pub struct LineBuffer(Vec<u8>);

impl LineBuffer {
    /// Adds a text.
    #[inline]
    pub fn text(&mut self, text: &str) -> &mut LineBuffer {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a number in decimal digits, of which two are found at a time.
    pub fn number(&mut self, mut number: u64) -> &mut LineBuffer {
        let mut digits = [0; MAX_DIGITS];
        let mut first = MAX_DIGITS;
        while number >= 100 {
            first -= 2;
            digits[first..first + 2].copy_from_slice(&DIGIT_PAIRS[(number % 100) as usize]);
            number /= 100;
        }
        let [ten, one] = DIGIT_PAIRS[number as usize];
        first -= 1;
        digits[first] = one;
        if ten > b'0' {
            first -= 1;
            digits[first] = ten;
        }
        self.0.extend_from_slice(&digits[first..]);
        self
    }

    /// Adds a number in 32 hexadecimal digits.
    pub fn hexadecimal(&mut self, number: u128) -> &mut LineBuffer {
        let digit = |at: u32| b"0123456789abcdef"[(number >> (4 * at)) as usize & 0xF];
        self.0.extend((0..32).rev().map(digit));
        self
    }

    /// Adds a position, as it displays itself.
    pub fn position(&mut self, position: Position) -> &mut LineBuffer {
        let Position { offset, line, column } = position;
        self.number(line).text(":").number(column).text(": byte ").number(offset)
    }

    /// Writes all of it, and begins again.
    pub fn write_to(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let written = out.write_all(&self.0);
        self.0.clear();
        written
    }
}

/// Words that depend on nothing but what is wrong. They are found once for findings in a row in which
/// the same is wrong.
#[derive(Debug, Default)]
pub struct MessageCache {
    key: Option<(FindingKind, u64)>,
    text: String,
}

impl MessageCache {
    /// The words for a finding, which must be found in the same way each time.
    #[inline]
    pub fn of<D: fmt::Display>(&mut self, finding: &Finding, find: impl FnOnce() -> D) -> &str {
        let same =
            |(problem, len): (FindingKind, u64)| len == finding.len && problem == finding.kind;
        if !self.key.is_some_and(same) {
            self.text.clear();
            let _ = write!(self.text, "{}", find());
            self.key = Some((finding.kind, finding.len));
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use charpipe::check::LineEnding;

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
        let with =
            |problem, len| Finding { position: position, byte_column: None, len, kind: problem };
        let line_end = |found| FindingKind::WrongLineEnding { found, expected: LineEnding::Lf };
        let mut words = MessageCache::default();
        for finding in [
            with(FindingKind::UnexpectedBom, 2),
            with(FindingKind::UnexpectedBom, 3),
            with(line_end(LineEnding::Cr), 3),
            with(line_end(LineEnding::CrLf), 3),
        ] {
            let own = format!("{finding:?}");
            assert_eq!(words.of(&finding, || &own), own);
            assert_eq!(words.of(&finding, || "another"), own);
        }
    }
}
