//! Inputs of nothing but errors, and what is left of them: by the standard library.

use std::fmt;

use charpipe::TranscodeOptions;
use charpipe::internals::error_policy::{ErrorAction, ErrorPolicy};

use super::expected;

/// From, what is repeated, and to which encodings.
const ERROR_INPUTS: [(&str, &[u8], &[&str]); 6] = [
    ("utf-8", b"\xFF", &["utf-8", "utf-16le", "utf-7", "utf-5"]),
    ("utf-8", b"a\xFF", &["utf-8", "utf-16le"]),
    ("utf-8", b"\xE2\x82A", &["utf-8", "utf-16le"]),
    ("utf-16le", b"\x00\xD8", &["utf-8"]),
    ("utf-8", "中".as_bytes(), &["latin1", "us-ascii"]),
    ("utf-8", "жñ".as_bytes(), &["latin1", "us-ascii"]),
];

/// One line of the report.
pub struct ErrorCase {
    from: &'static str,
    unit: &'static [u8],
    to: &'static str,
    action: &'static str,
}

impl fmt::Display for ErrorCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ErrorCase { from, unit, to, action } = self;
        write!(f, "{from} > {to} ({unit:02X?}, {action})")
    }
}

pub fn cases() -> impl Iterator<Item = ErrorCase> {
    ERROR_INPUTS.into_iter().flat_map(|(from, unit, targets)| {
        targets.iter().flat_map(move |&to| {
            ["skip", "replace"].into_iter().map(move |action| ErrorCase { from, unit, to, action })
        })
    })
}

impl ErrorCase {
    pub fn conversion_options(&self) -> TranscodeOptions {
        let encoding =
            |label: &str| label.parse::<charpipe::EncodingSpec>().expect("named in the table");
        let mut options = TranscodeOptions::new(encoding(self.from), encoding(self.to));
        let action: ErrorAction = self.action.parse().expect("a word of the vocabulary");
        options.error_policy = ErrorPolicy { malformed: action.clone(), unmappable: action };
        options
    }

    pub fn input(&self, size: usize) -> Vec<u8> {
        self.unit.repeat(size / self.unit.len())
    }

    /// The expected output: with each error omitted, or with its replacement.
    pub fn output(&self, input: &[u8]) -> Vec<u8> {
        let text = match self.from {
            "utf-16le" => {
                let units = input.as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit));
                char::decode_utf16(units).map(|one| one.unwrap_or('\u{FFFD}')).collect()
            }
            _ => String::from_utf8_lossy(input),
        };
        let limit = match self.to {
            "us-ascii" => 0x80,
            "latin1" => 0x100,
            _ => 0x11_0000,
        };
        let is_error = |c: char| c == '\u{FFFD}' || u32::from(c) >= limit;
        let instead = if limit > 0xFFFD { "\u{FFFD}" } else { "?" };
        let left = match self.action {
            "skip" => text.replace(is_error, ""),
            _ => text.replace(is_error, instead),
        };
        expected::encode_text(self.to, &left)
    }
}
