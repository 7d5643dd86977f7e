//! Text in JSON (RFC 8259).

use std::fmt::{self, Write};

use charpipe::quote::is_printable;

/// A string of JSON, with its quotes. What may drive a terminal or turn the direction of writing
/// is escaped, as JSON allows for any character.
pub struct Text<T>(pub T);

impl<T: fmt::Display> fmt::Display for Text<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", Inside(&self.0))
    }
}

/// What stands between the quotes of a string of JSON.
pub struct Inside<T>(pub T);

impl<T: fmt::Display> fmt::Display for Inside<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(Escaped(f), "{}", self.0)
    }
}

/// Text on its way between the quotes.
struct Escaped<'a, 'b>(&'a mut fmt::Formatter<'b>);

impl Write for Escaped<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Our own words, mostly.
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\') {
            return self.0.write_str(text);
        }
        text.chars().try_for_each(|character| self.write_char(character))
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        match character {
            '"' | '\\' => write!(self.0, "\\{character}"),
            _ if is_printable(character) => self.0.write_char(character),
            _ => {
                let mut units = [0; 2];
                let mut units = character.encode_utf16(&mut units).iter();
                units.try_for_each(|unit| write!(self.0, "\\u{unit:04x}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_comes_back_and_drives_no_terminal() {
        for text in
            ["", "a\"b\\c/d", "tab\tline\nnul\0", "\x1B[31m\u{9B}", "é€😀", "\u{202E}\u{E0041}"]
        {
            let json = Text(text).to_string();
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            assert!(json.chars().all(is_printable), "{json:?}");
        }
    }
}
