//! JSON (RFC 8259) that is safe to print on a terminal and in a CI log.

use std::fmt::Display;
use std::io::{self, Write};

use crate::cli::quote::is_printable;
use serde::Serialize;
use serde_json::ser::{CharEscape, Formatter};

/// Returns a value as compact JSON.
pub fn to_json(value: &(impl Serialize + ?Sized)) -> String {
    let mut json = Vec::new();
    let formatter = PrintableFormatter::default();
    // Serialization to memory fails only for maps with keys other than strings.
    let _ = value.serialize(&mut serde_json::Serializer::with_formatter(&mut json, formatter));
    String::from_utf8(json).unwrap_or_default()
}

/// Returns the members of an object, without the braces around them.
pub fn to_json_members(object: &impl Serialize) -> String {
    let json = to_json(object);
    json.strip_prefix('{').and_then(|json| json.strip_suffix('}')).unwrap_or_default().to_owned()
}

/// Returns the text that a value displays as a JSON string.
pub fn to_json_string(text: impl Display) -> String {
    to_json(&text.to_string())
}

/// Escapes the characters that may control a terminal or change the direction of text, and the
/// second of two `#` in a row: CI services execute log lines that contain `##`.
#[derive(Default)]
struct PrintableFormatter {
    /// Whether the last character of the string was `#`.
    after_hash: bool,
}

impl Formatter for PrintableFormatter {
    fn begin_string<W: Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.after_hash = false;
        out.write_all(b"\"")
    }

    fn write_char_escape<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        self.after_hash = false;
        serde_json::ser::CompactFormatter.write_char_escape(out, escape)
    }

    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // No early exit, so that the compiler vectorizes the loop: almost all text passes.
        let is_plain = |byte| matches!(byte, b' '..=b'~') & (byte != b'#');
        if fragment.bytes().fold(true, |plain, byte| plain & is_plain(byte)) {
            self.after_hash &= fragment.is_empty();
            return out.write_all(fragment.as_bytes());
        }
        for character in fragment.chars() {
            let is_hash = character == '#';
            let is_second_hash = std::mem::replace(&mut self.after_hash, is_hash) && is_hash;
            if is_printable(character) && !is_second_hash {
                out.write_all(character.encode_utf8(&mut [0; 4]).as_bytes())?;
            } else {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::quote::CI_COMMAND_PREFIX;

    use super::*;

    #[test]
    fn strings_round_trip_without_control_characters() {
        for text in [
            "",
            "a\"b\\c/d",
            "tab\tline\nnul\0",
            "\x1B[31m\u{7F}\u{9B}",
            "é€😀",
            "\u{202E}\u{E0041}",
            "#a###",
            "#\"#\\##",
        ] {
            let fragments = to_json(&format_args!("{text}{}{text}", '#'));
            for (json, text) in [(to_json(text), text), (fragments, &format!("{text}#{text}"))] {
                assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
                let is_safe = json.chars().all(is_printable) && !json.contains(CI_COMMAND_PREFIX);
                assert!(is_safe, "{json:?}");
            }
        }
    }

    #[test]
    fn members_have_no_braces() {
        assert_eq!(to_json_members(&serde_json::json!({"a": {"b": 1}})), "\"a\":{\"b\":1}");
        assert_eq!(to_json_members(&serde_json::json!({})), "");
    }
}
