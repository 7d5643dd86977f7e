//! Text in JSON (RFC 8259).

use std::fmt::{self, Write};

use charpipe::quote::is_printable;

/// A string of JSON, with its quotes. What may drive a terminal or turn the direction of writing
/// is escaped, as JSON allows for any character; so is the second of two `#` in a row, because CI
/// services execute commands in a log that begin with these.
pub struct JsonString<T>(pub T);

impl<T: fmt::Display> fmt::Display for JsonString<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", JsonEscaped(&self.0))
    }
}

/// What stands between the quotes of a string of JSON.
pub struct JsonEscaped<T>(pub T);

impl<T: fmt::Display> fmt::Display for JsonEscaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(EscapeWriter { out: f, after_hash: false }, "{}", self.0)
    }
}

/// Text on its way between the quotes.
struct EscapeWriter<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    /// Whether the last character was `#`.
    after_hash: bool,
}

impl Write for EscapeWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // Our own words, mostly.
        let special = |byte| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\' | b'#');
        if !text.is_empty() && !text.bytes().any(special) {
            self.after_hash = false;
            return self.out.write_str(text);
        }
        text.chars().try_for_each(|character| self.write_char(character))
    }

    fn write_char(&mut self, character: char) -> fmt::Result {
        let after_sign = std::mem::replace(&mut self.after_hash, character == '#');
        match character {
            '"' | '\\' => write!(self.out, "\\{character}"),
            '#' if after_sign => self.out.write_str("\\u0023"),
            _ if is_printable(character) => self.out.write_char(character),
            _ => {
                let mut units = [0; 2];
                let mut units = character.encode_utf16(&mut units).iter();
                units.try_for_each(|unit| write!(self.out, "\\u{unit:04x}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use charpipe::quote::CI_COMMAND_PREFIX;

    use super::*;

    #[test]
    fn strings_round_trip_without_control_characters() {
        for text in [
            "",
            "a\"b\\c/d",
            "tab\tline\nnul\0",
            "\x1B[31m\u{9B}",
            "é€😀",
            "\u{202E}\u{E0041}",
            "#a###",
        ] {
            let json = JsonString(text).to_string();
            assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
            assert!(
                json.chars().all(is_printable) && !json.contains(CI_COMMAND_PREFIX),
                "{json:?}"
            );
        }
    }
}
