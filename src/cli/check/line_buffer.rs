//! Formatting of findings without `write!`.
//!
//! A file in the wrong encoding has a finding for each of its bytes, and consecutive findings differ only
//! in numbers. Their line is formatted once; after that its digits are updated. With `write!` a line took
//! 0.15 microseconds to format, several times as long as the check that found the error; with serde_json
//! 0.27 to 0.62.

use std::fmt::{self, Write as _};

use charpipe_check::{Finding, FindingKind};
use charpipe_kernel::hex;

/// The number of hexadecimal digits of a fingerprint.
const FINGERPRINT_LEN: usize = 32;

/// A line that is assembled in memory.
#[derive(Debug, Default)]
pub struct ReportBuffer {
    bytes: Vec<u8>,
    /// The numbers of the line that are still to be appended.
    values: Vec<u64>,
    /// The numbers of the line.
    numbers: Vec<Number>,
    /// The index of the fingerprint.
    fingerprint: usize,
}

/// A number in a line.
#[derive(Debug, Clone, Copy)]
struct Number {
    value: u64,
    /// The index of the first digit, and that after the last one.
    start: usize,
    end: usize,
}

impl ReportBuffer {
    /// Appends a string, which must depend only on the file and on the kind and length of the finding.
    #[inline]
    pub fn text(&mut self, text: &str) -> &mut ReportBuffer {
        self.bytes.extend_from_slice(text.as_bytes());
        self
    }

    /// Appends the next number of the finding in decimal digits.
    pub fn number(&mut self) -> &mut ReportBuffer {
        let value = self.values.get(self.numbers.len()).copied().unwrap_or_default();
        let start = self.bytes.len();
        self.bytes.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
        self.numbers.push(Number { value, start, end: self.bytes.len() });
        self
    }

    /// Appends space for a fingerprint.
    pub fn fingerprint(&mut self) -> &mut ReportBuffer {
        self.fingerprint = self.bytes.len();
        self.text("00000000000000000000000000000000")
    }

    /// Clears the line, to format one with these numbers.
    fn begin(&mut self, values: &[u64]) {
        self.bytes.clear();
        self.numbers.clear();
        self.values.clear();
        self.values.extend_from_slice(values);
    }

    /// Replaces the numbers. Returns whether they have the same numbers of digits as those before.
    #[inline]
    fn update(&mut self, values: &[u64]) -> bool {
        let numbers = self.numbers.iter_mut().zip(values);
        for (number, value) in numbers {
            if number.value != *value && !number.update(*value, &mut self.bytes) {
                return false;
            }
        }
        self.numbers.len() == values.len()
    }
}

impl Number {
    /// Replaces the digits in `line`. Returns whether their number has not changed.
    #[inline]
    fn update(&mut self, value: u64, line: &mut [u8]) -> bool {
        let digits = &mut line[self.start..self.end];
        let increment = value.checked_sub(self.value).filter(|increment| *increment < 10);
        self.value = value;
        if let Some(increment) = increment {
            let mut carry = increment as u8;
            for digit in digits.iter_mut().rev() {
                *digit += carry;
                if *digit <= b'9' {
                    return true;
                }
                *digit -= 10;
                carry = 1;
            }
            return false;
        }
        let mut buffer = itoa::Buffer::new();
        let formatted = buffer.format(value).as_bytes();
        if formatted.len() != digits.len() {
            return false;
        }
        digits.copy_from_slice(formatted);
        true
    }
}

/// The lines of findings in one file, and the message of the last finding.
#[derive(Debug, Default)]
pub struct FindingLines {
    line: ReportBuffer,
    key: Option<(FindingKind, u64)>,
    message: String,
}

impl FindingLines {
    /// Begins another file.
    pub fn begin_file(&mut self) {
        self.key = None;
    }

    /// Returns the line for a finding. `message` must depend only on its kind and length; `format` also on
    /// the file, and appends the numbers in order.
    #[inline]
    pub fn format<D: fmt::Display>(
        &mut self,
        finding: &Finding,
        numbers: &[u64],
        message: impl FnOnce() -> D,
        format: impl FnOnce(&mut ReportBuffer, &str),
    ) -> &[u8] {
        let is_same = self
            .key
            .as_ref()
            .is_some_and(|(kind, len)| *len == finding.len && is_same_kind(kind, &finding.kind));
        if !is_same {
            self.message.clear();
            let _ = write!(self.message, "{}", message());
            self.key = Some((finding.kind, finding.len));
        }
        if !is_same || !self.line.update(numbers) {
            self.line.begin(numbers);
            format(&mut self.line, &self.message);
        }
        &self.line.bytes
    }

    /// Writes a fingerprint into the last line, and returns that.
    pub fn with_fingerprint(&mut self, fingerprint: u128) -> &[u8] {
        let ReportBuffer { bytes, fingerprint: start, .. } = &mut self.line;
        if let Some(digits) = bytes.get_mut(*start..*start + FINGERPRINT_LEN) {
            let _ = hex::encode(&hex::LOWERCASE, &fingerprint.to_be_bytes(), digits);
        }
        bytes
    }
}

/// Returns whether two kinds are equal. Inlined for malformed sequences, of which there may be millions.
#[inline]
fn is_same_kind(kind: &FindingKind, other: &FindingKind) -> bool {
    match (kind, other) {
        (
            FindingKind::Malformed { reason, excerpt, stage },
            FindingKind::Malformed {
                reason: other_reason,
                excerpt: other_excerpt,
                stage: other_stage,
            },
        ) => excerpt == other_excerpt && reason == other_reason && stage == other_stage,
        _ => kind == other,
    }
}

#[cfg(test)]
mod tests {
    use charpipe_check::LineEnding;
    use charpipe_encoding::conversion_error::Position;

    use super::*;

    fn finding(kind: FindingKind, len: u64) -> Finding {
        let position = Position { offset: 0, line: 1, column: 1 };
        Finding::new(position, len, kind)
    }

    fn formatted(lines: &mut FindingLines, numbers: [u64; 2]) -> String {
        let line = lines.format(
            &finding(FindingKind::UnexpectedBom, 3),
            &numbers,
            || "é",
            |line, message| {
                line.text("<").number().text(message).number().text(">");
            },
        );
        String::from_utf8(line.to_vec()).unwrap()
    }

    #[test]
    fn numbers_are_updated() {
        let numbers = [0, 1, 2, 9, 10, 11, 19, 20, 99, 100, 108, 998, 999, 1000, 1009, 1010];
        let large = [12345, 99_999, 100_000, 12, 7, 3, u64::MAX - 1, u64::MAX, 0, 5];
        let mut lines = FindingLines::default();
        for number in numbers.into_iter().chain(large) {
            for second in [number, number / 3, number] {
                let line = formatted(&mut lines, [number, second]);
                assert_eq!(line, format!("<{number}é{second}>"));
            }
        }
        for number in 0..3000 {
            assert_eq!(formatted(&mut lines, [number, 7]), format!("<{number}é7>"));
        }
    }

    #[test]
    fn fingerprint_has_32_digits() {
        let mut lines = FindingLines::default();
        lines.format(
            &finding(FindingKind::UnexpectedBom, 3),
            &[5],
            || "",
            |line, _| {
                line.number().text(" ").fingerprint().text(".");
            },
        );
        for number in [0, 1, 0x1234_5678_9ABC_DEF0 << 60, u128::MAX] {
            assert_eq!(lines.with_fingerprint(number), format!("5 {number:032x}.").as_bytes());
        }
    }

    #[test]
    fn message_is_formatted_again_for_a_different_finding() {
        let line_ending = |found| FindingKind::WrongLineEnding { found, expected: LineEnding::Lf };
        let mut lines = FindingLines::default();
        let mut format = |finding: &Finding, file: &str, message: &str| {
            let format = |line: &mut ReportBuffer, message: &str| {
                line.text(file).text(message);
            };
            lines.format(finding, &[], || message.to_owned(), format).to_vec()
        };
        for finding in [
            finding(FindingKind::UnexpectedBom, 2),
            finding(FindingKind::UnexpectedBom, 3),
            finding(line_ending(LineEnding::Cr), 3),
            finding(line_ending(LineEnding::CrLf), 3),
        ] {
            let message = format!("{finding:?}");
            assert_eq!(format(&finding, "a", &message), format!("a{message}").as_bytes());
            assert_eq!(format(&finding, "b", "another"), format!("a{message}").as_bytes());
        }
        lines.begin_file();
        let finding = finding(line_ending(LineEnding::CrLf), 3);
        let line = lines.format(&finding, &[], || "new", |line, text| _ = line.text(text));
        assert_eq!(line, b"new");
    }
}
