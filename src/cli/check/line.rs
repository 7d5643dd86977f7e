//! What is told of a finding, put together without the machinery of `write!`.
//!
//! A file in the wrong encoding has a finding for each of its bytes, and all of them are told. A line
//! took 0.15 microseconds to format, several times what it takes to find the fault.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use charpipe::check::{Finding, Problem};
use charpipe::fault::Place;

/// Digits of the highest number.
const DIGITS: usize = 20;

/// The numbers below 100, in two digits.
const PAIRS: [[u8; 2]; 100] = {
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
pub struct Line(Vec<u8>);

impl Line {
    /// Adds a text.
    #[inline]
    pub fn text(&mut self, text: &str) -> &mut Line {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a number in decimal digits, of which two are found at a time.
    pub fn number(&mut self, mut number: u64) -> &mut Line {
        let mut digits = [0; DIGITS];
        let mut first = DIGITS;
        while number >= 100 {
            first -= 2;
            digits[first..first + 2].copy_from_slice(&PAIRS[(number % 100) as usize]);
            number /= 100;
        }
        let [ten, one] = PAIRS[number as usize];
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
    pub fn hexadecimal(&mut self, number: u128) -> &mut Line {
        let digit = |at: u32| b"0123456789abcdef"[(number >> (4 * at)) as usize & 0xF];
        self.0.extend((0..32).rev().map(digit));
        self
    }

    /// Adds a place, as it displays itself.
    pub fn place(&mut self, place: Place) -> &mut Line {
        let Place { offset, line, column } = place;
        self.number(line).text(":").number(column).text(": byte ").number(offset)
    }

    /// Writes all of it, and begins anew.
    pub fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let written = out.write_all(&self.0);
        self.0.clear();
        written
    }
}

/// Words that depend on nothing but what is wrong. They are found once for findings in a row in which
/// the same is wrong.
#[derive(Debug, Default)]
pub struct Words {
    of: Option<(Problem, u64)>,
    text: String,
}

impl Words {
    /// The words for a finding, which must be found in the same way each time.
    #[inline]
    pub fn of<D: fmt::Display>(&mut self, finding: &Finding, find: impl FnOnce() -> D) -> &str {
        let same =
            |(problem, len): (Problem, u64)| len == finding.len && problem == finding.problem;
        if !self.of.is_some_and(same) {
            self.text.clear();
            let _ = write!(self.text, "{}", find());
            self.of = Some((finding.problem, finding.len));
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use charpipe::check::LineEnd;

    use super::*;

    fn written(line: &mut Line) -> String {
        let mut out = Vec::new();
        line.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_and_places_are_written_as_they_display_themselves() {
        let mut line = Line::default();
        for number in [0, 1, 9, 10, 99, 100, 12345, u64::MAX - 1, u64::MAX] {
            assert_eq!(written(line.number(number)), number.to_string());
            let place = Place { offset: number, line: 7, column: number / 2 };
            assert_eq!(written(line.place(place)), place.to_string());
            let number = u128::from(number) << 60;
            assert_eq!(written(line.hexadecimal(number)), format!("{number:032x}"));
        }
    }

    #[test]
    fn a_line_begins_anew_when_it_has_been_written() {
        let mut line = Line::default();
        assert_eq!(written(line.text("é").number(1).text("\n")), "é1\n");
        assert_eq!(written(&mut line), "");
    }

    #[test]
    fn words_are_found_anew_when_anything_else_is_wrong() {
        let place = Place { offset: 0, line: 1, column: 1 };
        let with = |problem, len| Finding { place, byte_column: None, len, problem };
        let line_end = |found| Problem::LineEnd { found, expected: LineEnd::Lf };
        let mut words = Words::default();
        for finding in [
            with(Problem::Marked, 2),
            with(Problem::Marked, 3),
            with(line_end(LineEnd::Cr), 3),
            with(line_end(LineEnd::CrLf), 3),
        ] {
            let own = format!("{finding:?}");
            assert_eq!(words.of(&finding, || &own), own);
            assert_eq!(words.of(&finding, || "another"), own);
        }
    }
}
