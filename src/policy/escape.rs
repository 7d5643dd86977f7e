//! Offenders written out in ASCII.

use std::fmt::Write;

use super::Offender;

/// A way to write bytes and code points in ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
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

const NAMES: [(&str, Escape); 7] = [
    ("backslash", Escape::Backslash),
    ("c", Escape::C),
    ("java", Escape::Java),
    ("xml", Escape::Xml),
    ("xml-hex", Escape::XmlHex),
    ("unicode", Escape::Unicode),
    ("percent", Escape::Percent),
];

impl Escape {
    pub(super) fn named(word: &str) -> Option<Escape> {
        NAMES.iter().find(|(name, _)| *name == word).map(|(_, escape)| *escape)
    }

    pub(super) fn name(self) -> &'static str {
        NAMES.iter().find(|(_, escape)| *escape == self).map_or("", |(name, _)| name)
    }

    pub(super) fn repertoire(self) -> &'static str {
        match self {
            Escape::Backslash => r"\xu{}0123456789ABCDEF",
            Escape::C => r"\xuU0123456789ABCDEF",
            Escape::Java => r"\xu0123456789ABCDEF",
            Escape::Xml => "&#;0123456789",
            Escape::XmlHex => "&#x;0123456789ABCDEF",
            Escape::Unicode => "<U+>0123456789ABCDEF",
            Escape::Percent => "%0123456789ABCDEF",
        }
    }

    pub(super) fn write(self, offender: Offender<'_>, text: &mut String) {
        match offender {
            Offender::Bytes(bytes) => self.bytes(bytes, text),
            Offender::Value(value) => self.value(value, text),
            Offender::Character(character) => self.value(character.into(), text),
        }
    }

    fn bytes(self, bytes: &[u8], text: &mut String) {
        let (before, behind) = match self {
            Escape::Xml => return text.push_str("&#65533;"),
            Escape::XmlHex => return text.push_str("&#xFFFD;"),
            Escape::Unicode => ("<", ">"),
            Escape::Percent => ("%", ""),
            Escape::Backslash | Escape::C | Escape::Java => ("\\x", ""),
        };
        for byte in bytes {
            text.push_str(before);
            hexadecimal(u32::from(*byte), 2, text);
            text.push_str(behind);
        }
    }

    fn value(self, value: u32, text: &mut String) {
        let mut around = |before: &str, least, behind: &str| {
            text.push_str(before);
            hexadecimal(value, least, text);
            text.push_str(behind);
        };
        match (self, char::from_u32(value)) {
            (Escape::Backslash, _) => around("\\u{", 1, "}"),
            (Escape::C, _) if value <= 0xFFFF => around("\\u", 4, ""),
            (Escape::Java, Some(character)) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text.push_str("\\u");
                    hexadecimal(u32::from(*unit), 4, text);
                }
            }
            (Escape::C | Escape::Java, _) => around("\\U", 8, ""),
            // Writing to a string cannot fail.
            (Escape::Xml, _) => drop(write!(text, "&#{value};")),
            (Escape::XmlHex, _) => around("&#x", 1, ";"),
            (Escape::Percent, Some(character)) => {
                self.bytes(character.encode_utf8(&mut [0; 4]).as_bytes(), text);
            }
            (Escape::Unicode | Escape::Percent, _) => around("<U+", 4, ">"),
        }
    }
}

/// Writes a value in at least so many hexadecimal digits. `write!` is dear where every byte is a
/// fault: 20 MB of FF to ISO-8859-1 by `xml` took 1.4 seconds with it and take 0.9 without.
fn hexadecimal(value: u32, least: u32, text: &mut String) {
    let digits = value.checked_ilog(16).map_or(1, |highest| highest + 1).max(least);
    for place in (0..digits).rev() {
        let digit = value >> (4 * place) & 0xF;
        text.push(char::from(b"0123456789ABCDEF"[digit as usize]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_escape_has_its_own_form_for_bytes_bmp_and_beyond() {
        for (escape, bytes, euro, grin, wide) in [
            (Escape::Backslash, r"\xE9\x20", r"\u{20AC}", r"\u{1F600}", r"\u{7FFFFFFF}"),
            (Escape::C, r"\xE9\x20", r"\u20AC", r"\U0001F600", r"\U7FFFFFFF"),
            (Escape::Java, r"\xE9\x20", r"\u20AC", r"\uD83D\uDE00", r"\U7FFFFFFF"),
            (Escape::Xml, "&#65533;", "&#8364;", "&#128512;", "&#2147483647;"),
            (Escape::XmlHex, "&#xFFFD;", "&#x20AC;", "&#x1F600;", "&#x7FFFFFFF;"),
            (Escape::Unicode, "<E9><20>", "<U+20AC>", "<U+1F600>", "<U+7FFFFFFF>"),
            (Escape::Percent, "%E9%20", "%E2%82%AC", "%F0%9F%98%80", "<U+7FFFFFFF>"),
        ] {
            for (offender, expected) in [
                (Offender::Bytes(b"\xE9 "), bytes),
                (Offender::Value(0x20AC), euro),
                (Offender::Value(0x1F600), grin),
                (Offender::Value(0x7FFF_FFFF), wide),
            ] {
                let mut text = String::new();
                escape.write(offender, &mut text);
                assert_eq!(text, expected, "{escape:?} {offender:?}");
            }
        }
    }
}
