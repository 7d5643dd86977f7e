//! JSON (RFC 8259) that is safe to print on a terminal and in a CI log.

use std::fmt::{Display, Write};

use crate::cli::quote::is_printable;

/// What can be written as JSON.
pub trait ToJson {
    /// Appends the value as compact JSON.
    fn write_json(&self, json: &mut String);
}

/// Returns a value as compact JSON.
pub fn to_json(value: &(impl ToJson + ?Sized)) -> String {
    let mut json = String::new();
    value.write_json(&mut json);
    json
}

/// Returns the text that a value displays as a JSON string.
pub fn to_json_string(text: impl Display) -> String {
    to_json(&text.to_string())
}

/// An object, whose members are in the order in which they were added.
#[derive(Debug, Clone, Default)]
pub struct JsonObject {
    members: String,
}

impl JsonObject {
    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToJson) -> JsonObject {
        self.separate();
        self.members.extend(["\"", name, "\":"]);
        value.write_json(&mut self.members);
        self
    }

    /// Adds a member, unless it has no value.
    #[must_use]
    pub fn with_some(self, name: &str, value: Option<impl ToJson>) -> JsonObject {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds the members of another object.
    #[must_use]
    pub fn with_members(mut self, other: &JsonObject) -> JsonObject {
        if !other.members.is_empty() {
            self.separate();
            self.members.push_str(&other.members);
        }
        self
    }

    /// Returns the members, without the braces around them.
    pub fn members(&self) -> &str {
        &self.members
    }

    fn separate(&mut self) {
        if !self.members.is_empty() {
            self.members.push(',');
        }
    }
}

impl ToJson for JsonObject {
    fn write_json(&self, json: &mut String) {
        json.extend(["{", &self.members, "}"]);
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write_json(&self, json: &mut String) {
        json.push('[');
        for (index, value) in self.iter().enumerate() {
            if index > 0 {
                json.push(',');
            }
            value.write_json(json);
        }
        json.push(']');
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write_json(&self, json: &mut String) {
        match self {
            Some(value) => value.write_json(json),
            None => json.push_str("null"),
        }
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write_json(&self, json: &mut String) {
        self.as_slice().write_json(json);
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write_json(&self, json: &mut String) {
        (**self).write_json(json);
    }
}

impl ToJson for bool {
    fn write_json(&self, json: &mut String) {
        json.push_str(if *self { "true" } else { "false" });
    }
}

impl ToJson for u32 {
    fn write_json(&self, json: &mut String) {
        u64::from(*self).write_json(json);
    }
}

impl ToJson for u64 {
    fn write_json(&self, json: &mut String) {
        json.push_str(itoa::Buffer::new().format(*self));
    }
}

/// A finite number.
impl ToJson for f64 {
    fn write_json(&self, json: &mut String) {
        let _ = write!(json, "{self:?}");
    }
}

impl ToJson for char {
    fn write_json(&self, json: &mut String) {
        self.encode_utf8(&mut [0; 4]).write_json(json);
    }
}

impl ToJson for String {
    fn write_json(&self, json: &mut String) {
        self.as_str().write_json(json);
    }
}

/// Escapes the characters that may control a terminal or change the direction of text, and the
/// second of two `#` in a row: CI services execute log lines that contain `##`.
impl ToJson for str {
    fn write_json(&self, json: &mut String) {
        json.push('"');
        if self.bytes().all(|byte| IS_PLAIN[usize::from(byte)]) {
            json.push_str(self);
        } else {
            write_escaped(self, json);
        }
        json.push('"');
    }
}

/// Whether each byte is written as it is, wherever it occurs.
static IS_PLAIN: [bool; 0x100] = {
    let mut is_plain = [false; 0x100];
    let mut byte = b' ';
    while byte <= b'~' {
        is_plain[byte as usize] = !matches!(byte, b'#' | b'"' | b'\\');
        byte += 1;
    }
    is_plain
};

fn write_escaped(text: &str, json: &mut String) {
    let mut after_hash = false;
    for character in text.chars() {
        let is_hash = character == '#';
        let is_second_hash = std::mem::replace(&mut after_hash, is_hash) && is_hash;
        match character {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\x08' => json.push_str("\\b"),
            '\x0C' => json.push_str("\\f"),
            _ if is_printable(character) && !is_second_hash => json.push(character),
            _ => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
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
            "tab\tline\nnul\0\r\x08\x0C",
            "\x1B[31m\u{7F}\u{9B}",
            "é€😀",
            "\u{202E}\u{E0041}",
            "#a###",
            "#\"#\\##",
        ] {
            let fragments = to_json_string(format_args!("{text}{}{text}", '#'));
            for (json, text) in [(to_json(text), text), (fragments, &format!("{text}#{text}"))] {
                assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
                let is_safe = json.chars().all(is_printable) && !json.contains(CI_COMMAND_PREFIX);
                assert!(is_safe, "{json:?}");
            }
        }
    }

    #[test]
    fn values_are_as_in_another_implementation() {
        let object = JsonObject::default()
            .with("a", [1_u64, u64::MAX].as_slice())
            .with("b", JsonObject::default().with("c", 0.25).with("d", 1.0).with("e", 0.0001))
            .with_some("f", None::<bool>)
            .with("g", None::<&str>)
            .with_members(&JsonObject::default())
            .with_members(&JsonObject::default().with("h", true))
            .with("i", '\u{1F600}')
            .with("j", "\u{8}\u{C}\n\r\t\"\\\u{1B}");
        let expected = serde_json::json!({
            "a": [1, u64::MAX],
            "b": { "c": 0.25, "d": 1.0, "e": 0.0001 },
            "g": null,
            "h": true,
            "i": "\u{1F600}",
            "j": "\u{8}\u{C}\n\r\t\"\\\u{1B}",
        });
        assert_eq!(to_json(&object), expected.to_string());
        assert_eq!(format!("{{{}}}", object.members()), expected.to_string());
        assert_eq!(to_json(&JsonObject::default()), "{}");
    }
}
