//! JAVA: non-ASCII characters as the Unicode escapes of Java source text (The Java Language
//! Specification, section 3.3): `\u20ac`, and two for a surrogate pair.
//!
//! As in GNU libiconv, bytes from 80 on are decoded as ISO-8859-1 and not written, and the
//! backslash of an escape with a second `u`, or of an unpaired surrogate, represents itself. Unlike
//! in libiconv, an escaped backslash does not begin an escape (`escape_syntax.rs`), an incomplete
//! escape at the end of the input is text, and only 0 to 9 and A to F are digits.
//!
//! For files, which may have UTF-8 beside escapes and in which an escaped quote or backslash must remain one, there
//! is the option `unicode` of the transform `java`.

use super::Encoding;
use super::code_point_codec::{ReadResult, format_factory};
use super::escape_syntax::{self, EscapeSyntax, ParsedEscape};
use crate::encoding::split_rule::{SplitRule, SplitTarget};

/// ISO-8859-1 with Unicode escapes.
pub static JAVA: Encoding = Encoding::new(
    "JAVA",
    "ASCII with characters as in the source of Java: \\u20ac, \\ud83d\\ude00; in files with other \
     characters too it is utf-8/java:unicode",
    format_factory!(|_| JavaEscapes, |_| SplitRule::AFTER_LINE_FEED
        .with_target(SplitTarget::AfterLineFeed { header: false })),
);

struct JavaEscapes;

/// The length of an escape in bytes.
const ESCAPE_LEN: usize = 6;

fn read_unit(src: &[u8], end: bool) -> ParsedEscape {
    escape_syntax::parse_escape(src, b'u', ESCAPE_LEN - 2, end)
}

impl EscapeSyntax for JavaEscapes {
    const MAX_LEN: usize = 2 * ESCAPE_LEN;
    const FIRST_ESCAPED: u32 = 0x80;

    fn read_item(src: &[u8], end: bool) -> ReadResult {
        if src[0] != b'\\' {
            return ReadResult::CodePoint { value: u32::from(src[0]), len: 1 };
        }
        let high = match read_unit(src, end) {
            ParsedEscape::Value(high @ 0xD800..=0xDBFF) => high,
            ParsedEscape::Value(0xDC00..=0xDFFF) | ParsedEscape::NotAnEscape => {
                return escape_syntax::LITERAL_BACKSLASH;
            }
            ParsedEscape::Value(value) => return ReadResult::CodePoint { value, len: ESCAPE_LEN },
            ParsedEscape::NeedMore => return ReadResult::NeedMore,
        };
        match read_unit(&src[ESCAPE_LEN..], end) {
            ParsedEscape::Value(low @ 0xDC00..=0xDFFF) => {
                let value = 0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF);
                ReadResult::CodePoint { value, len: 2 * ESCAPE_LEN }
            }
            ParsedEscape::Value(_) | ParsedEscape::NotAnEscape => escape_syntax::LITERAL_BACKSLASH,
            ParsedEscape::NeedMore => ReadResult::NeedMore,
        }
    }

    fn write_char(value: u32, dst: &mut [u8]) -> Option<usize> {
        let write_unit =
            |unit, dst: &mut [u8]| escape_syntax::write_escape(unit, b'u', ESCAPE_LEN - 2, dst);
        match value {
            ..0x80 => {
                *dst.first_mut()? = value as u8;
                Some(1)
            }
            0x80..0x1_0000 => write_unit(value, dst),
            _ => {
                let (high, low) = dst.get_mut(..2 * ESCAPE_LEN)?.split_at_mut(ESCAPE_LEN);
                write_unit(0xD7C0 + (value >> 10), high)?;
                write_unit(0xDC00 | value & 0x3FF, low)?;
                Some(2 * ESCAPE_LEN)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode_every_way, encode_every_way};

    #[test]
    fn escapes_decode_in_any_case_and_other_text_is_literal() {
        for (bytes, text) in [
            (&b"\\u20ac\\u20AC\\u0041"[..], "\u{20AC}\u{20AC}A"),
            (b"\\ud83d\\uDE00!", "\u{1F600}!"),
            (b"\\ud800\\udc00\\udbff\\udfff", "\u{10000}\u{10FFFF}"),
            (b"\\ud83d\\u0041 \\ude00", "\\ud83dA \\ude00"),
            (b"\\ud83d\\", "\\ud83d\\"),
            (b"\\uu20ac \\u20g0 \\", "\\uu20ac \\u20g0 \\"),
            (b"\\\\u00e9", "\\\\u00e9"),
            (b"\\\\\\u00e9", "\\\\\u{E9}"),
            (b"\\u005cu00e9 \\u005c\\u00e9", "\\u00e9 \\\u{E9}"),
            (b"\\ud83d\\\\ude00", "\\ud83d\\\\ude00"),
            (b"\x80\xE9\xFF", "\u{80}\u{E9}\u{FF}"),
        ] {
            let read = decode_every_way("JAVA", bytes);
            assert_eq!(read, (text.to_owned(), vec![]), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn encodes_characters_as_utf_16_code_units() {
        let text = "a\\\u{7F}\u{80}\u{FFFF}\u{10000}\u{10FFFF}";
        let bytes = b"a\\\x7F\\u0080\\uffff\\ud800\\udc00\\udbff\\udfff";
        assert_eq!(encode_every_way("JAVA", text), (bytes.to_vec(), vec![]));
    }

    #[test]
    fn escaped_backslash_keeps_its_meaning_both_ways() {
        for (text, bytes) in [
            ("\\\u{E9}", &b"\\u005c\\u00e9"[..]),
            ("\\\\\u{E9}", b"\\\\\\u00e9"),
            ("\\\\\\\u{1F600}", b"\\\\\\u005c\\ud83d\\ude00"),
            ("C:\\dir\\\\n\\", b"C:\\dir\\\\n\\"),
            ("\\", b"\\"),
            ("\\\\", b"\\\\"),
        ] {
            assert_eq!(encode_every_way("JAVA", text), (bytes.to_vec(), vec![]), "{text}");
            assert_eq!(decode_every_way("JAVA", bytes), (text.to_owned(), vec![]), "{text}");
        }
    }
}
