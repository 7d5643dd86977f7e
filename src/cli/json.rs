//! Text in JSON (RFC 8259).

use std::fmt::{self, Write};

use charpipe::quote::is_printable;

/// A string of JSON, with its quotes. What may drive a terminal or turn the direction of writing
/// is escaped, as JSON allows for any character.
pub struct Text<'a>(pub &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for character in self.0.chars() {
            match character {
                '"' | '\\' => write!(f, "\\{character}")?,
                _ if is_printable(character) => f.write_char(character)?,
                _ => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        write!(f, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        f.write_char('"')
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
