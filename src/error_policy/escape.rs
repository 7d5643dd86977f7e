//! Offenders written out in ASCII.

use std::fmt::Write;

use super::Unconvertible;

/// A way to write bytes and code points in ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapeStyle {
    /// `\xE9` and `\u{20AC}`, as in Rust and Swift.
    Backslash,
    /// `\xE9`, `\u20AC` and `\U0001F600`, as in C99 and Python.
    C,
    /// `\xE9`, `\u20AC` and, in UTF-16 units, `\uD83D\uDE00`, as in Java and JSON.
    Java,
    /// `&#8364;`; bytes have no such form and become `&#65533;`.
    Xml,
    /// `&#x20AC;`; bytes have no such form and become `&#xFFFD;`.
    XmlHex,
    /// `<E9>` and `<U+20AC>`, as in POSIX charmaps.
    Unicode,
    /// `%E9` and the percent-encoded UTF-8 of a character, as in URIs.
    Percent,
}

const STYLE_NAMES: [(&str, EscapeStyle); 7] = [
    ("backslash", EscapeStyle::Backslash),
    ("c", EscapeStyle::C),
    ("java", EscapeStyle::Java),
    ("xml", EscapeStyle::Xml),
    ("xml-hex", EscapeStyle::XmlHex),
    ("unicode", EscapeStyle::Unicode),
    ("percent", EscapeStyle::Percent),
];

impl EscapeStyle {
    pub(super) fn from_name(word: &str) -> Option<EscapeStyle> {
        STYLE_NAMES.iter().find(|(name, _)| *name == word).map(|(_, escape)| *escape)
    }

    pub(super) fn name(self) -> &'static str {
        STYLE_NAMES.iter().find(|(_, escape)| *escape == self).map_or("", |(name, _)| name)
    }

    pub(super) fn repertoire(self) -> &'static str {
        match self {
            EscapeStyle::Backslash => r"\xu{}0123456789ABCDEF",
            EscapeStyle::C => r"\xuU0123456789ABCDEF",
            EscapeStyle::Java => r"\xu0123456789ABCDEF",
            EscapeStyle::Xml => "&#;0123456789",
            EscapeStyle::XmlHex => "&#x;0123456789ABCDEF",
            EscapeStyle::Unicode => "<U+>0123456789ABCDEF",
            EscapeStyle::Percent => "%0123456789ABCDEF",
        }
    }

    pub(super) fn write(self, unconvertible: Unconvertible<'_>, text: &mut String) {
        match unconvertible {
            Unconvertible::Bytes(bytes) => self.write_bytes(bytes, text),
            Unconvertible::CodePoint(value) => self.write_code_point(value, text),
            Unconvertible::Character(character) => self.write_code_point(character.into(), text),
        }
    }

    fn write_bytes(self, bytes: &[u8], text: &mut String) {
        let (before, after) = match self {
            EscapeStyle::Xml => return text.push_str("&#65533;"),
            EscapeStyle::XmlHex => return text.push_str("&#xFFFD;"),
            EscapeStyle::Unicode => ("<", ">"),
            EscapeStyle::Percent => ("%", ""),
            EscapeStyle::Backslash | EscapeStyle::C | EscapeStyle::Java => ("\\x", ""),
        };
        for byte in bytes {
            text.push_str(before);
            push_hex(u32::from(*byte), 2, text);
            text.push_str(after);
        }
    }

    fn write_code_point(self, value: u32, text: &mut String) {
        let mut around = |before: &str, min, after: &str| {
            text.push_str(before);
            push_hex(value, min, text);
            text.push_str(after);
        };
        match (self, char::from_u32(value)) {
            (EscapeStyle::Backslash, _) => around("\\u{", 1, "}"),
            (EscapeStyle::C, _) if value <= 0xFFFF => around("\\u", 4, ""),
            (EscapeStyle::Java, Some(character)) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text.push_str("\\u");
                    push_hex(u32::from(*unit), 4, text);
                }
            }
            (EscapeStyle::C | EscapeStyle::Java, _) => around("\\U", 8, ""),
            // Writing to a string cannot fail.
            (EscapeStyle::Xml, _) => drop(write!(text, "&#{value};")),
            (EscapeStyle::XmlHex, _) => around("&#x", 1, ";"),
            (EscapeStyle::Percent, Some(character)) => {
                self.write_bytes(character.encode_utf8(&mut [0; 4]).as_bytes(), text);
            }
            (EscapeStyle::Unicode | EscapeStyle::Percent, _) => around("<U+", 4, ">"),
        }
    }
}

/// Writes a value in at least so many hexadecimal digits. `write!` is dear where every byte is a
/// error: 20 MB of FF to ISO-8859-1 by `xml` took 1.4 seconds with it and take 0.9 without.
fn push_hex(value: u32, min: u32, text: &mut String) {
    let digits = value.checked_ilog(16).map_or(1, |highest| highest + 1).max(min);
    for position in (0..digits).rev() {
        let digit = value >> (4 * position) & 0xF;
        text.push(char::from(b"0123456789ABCDEF"[digit as usize]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_style_escapes_bytes_and_code_points() {
        for (escape, bytes, euro, grin, ucs4_value) in [
            (EscapeStyle::Backslash, r"\xE9\x20", r"\u{20AC}", r"\u{1F600}", r"\u{7FFFFFFF}"),
            (EscapeStyle::C, r"\xE9\x20", r"\u20AC", r"\U0001F600", r"\U7FFFFFFF"),
            (EscapeStyle::Java, r"\xE9\x20", r"\u20AC", r"\uD83D\uDE00", r"\U7FFFFFFF"),
            (EscapeStyle::Xml, "&#65533;", "&#8364;", "&#128512;", "&#2147483647;"),
            (EscapeStyle::XmlHex, "&#xFFFD;", "&#x20AC;", "&#x1F600;", "&#x7FFFFFFF;"),
            (EscapeStyle::Unicode, "<E9><20>", "<U+20AC>", "<U+1F600>", "<U+7FFFFFFF>"),
            (EscapeStyle::Percent, "%E9%20", "%E2%82%AC", "%F0%9F%98%80", "<U+7FFFFFFF>"),
        ] {
            for (unconvertible, expected) in [
                (Unconvertible::Bytes(b"\xE9 "), bytes),
                (Unconvertible::CodePoint(0x20AC), euro),
                (Unconvertible::CodePoint(0x1F600), grin),
                (Unconvertible::CodePoint(0x7FFF_FFFF), ucs4_value),
            ] {
                let mut text = String::new();
                escape.write(unconvertible, &mut text);
                assert_eq!(text, expected, "{escape:?} {unconvertible:?}");
            }
        }
    }
}
