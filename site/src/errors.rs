//! The errors of a conversion, for a list on the page.

use std::fmt::Write as _;

use charpipe::{ErrorEvent, ErrorKind, ErrorReporter};
use wasm_bindgen::prelude::wasm_bindgen;

/// An error and its position in the file.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorEntry {
    /// The byte offset, from 0.
    pub offset: f64,
    /// The line, from 1.
    pub line: f64,
    /// The column, from 1, in characters.
    pub column: f64,
    /// The bytes of a malformed sequence in hexadecimal, or the code point of a character, as in `U+20AC`.
    pub what: String,
    /// The message of the command.
    pub message: String,
    /// Whether it is a malformed sequence, not a character.
    pub is_malformed: bool,
}

/// Collects the first errors, and counts all.
#[derive(Debug)]
pub(crate) struct ErrorLog {
    pub(crate) entries: Vec<ErrorEntry>,
    /// The number of malformed sequences and of characters that were lost.
    pub(crate) error_count: u64,
    /// The number of characters that were written as a transliteration or an escape.
    pub(crate) rewritten_count: u64,
    max_entries: usize,
    /// The names of the source and the target encoding.
    names: (&'static str, &'static str),
}

impl ErrorLog {
    pub(crate) fn new(max_entries: usize, names: (&'static str, &'static str)) -> ErrorLog {
        ErrorLog { entries: Vec::new(), error_count: 0, rewritten_count: 0, max_entries, names }
    }
}

impl ErrorReporter for ErrorLog {
    fn wants_position(&self) -> bool {
        self.entries.len() < self.max_entries
    }

    fn counts_only(&self) -> bool {
        !self.wants_position()
    }

    fn error(&mut self, event: &ErrorEvent) {
        self.repeated_error(event, 1);
        let Some(position) = event.position.filter(|_| self.wants_position()) else { return };
        let what = match event.kind {
            ErrorKind::Malformed { len, .. } => hex(event.excerpt.bytes(), len),
            ErrorKind::Unmappable(character) | ErrorKind::NotAllowedHere(character) => {
                format!("U+{:04X}", u32::from(character))
            }
            _ => String::new(),
        };
        self.entries.push(ErrorEntry {
            offset: position.offset as f64,
            line: position.line as f64,
            column: position.column as f64,
            what,
            message: event.display(self.names.0, self.names.1).to_string(),
            is_malformed: matches!(event.kind, ErrorKind::Malformed { .. }),
        });
    }

    fn repeated_error(&mut self, event: &ErrorEvent, count: u64) {
        match event.action_taken.is_error() {
            true => self.error_count += count,
            false => self.rewritten_count += count,
        }
    }
}

/// Returns the first `len` bytes in hexadecimal, with an ellipsis if there are fewer.
fn hex(bytes: &[u8], len: usize) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(len) {
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{byte:02X}");
    }
    if bytes.len() < len {
        text.push_str(" …");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_that_was_not_kept_whole_ends_with_an_ellipsis() {
        assert_eq!(hex(b"\xE9\x20", 1), "E9");
        assert_eq!(hex(b"\xE9\x20", 3), "E9 20 …");
    }
}
