//! C99: non-ASCII characters as universal character names (ISO/IEC 9899:1999, section 6.4.3),
//! `\u20ac` and `\U0001f600`.
//!
//! As in GNU libiconv, bytes 80 to 9F are the control characters of these code points, and the
//! backslash of a name that the standard does not permit represents itself. Unlike in libiconv, an
//! escaped backslash does not begin a name, a backslash may be written as a name
//! (`escape_syntax.rs`), an incomplete name at the end of the input is text, and only 0 to 9 and A
//! to F are digits.

use super::Encoding;
use super::code_point_codec::{ReadResult, format_factory};
use super::escape_syntax::{self, EscapeSyntax, ParsedEscape};
use crate::conversion_error::MalformedReason;
use crate::encoding::split_rule::{SplitRule, SplitTarget};

/// ASCII with universal character names.
pub static C99: Encoding = Encoding::new(
    "C99",
    "ASCII with characters as in the source of C: \\u20ac, \\U0001f600 (ISO/IEC 9899)",
    format_factory!(|_| UniversalCharacterNames, |_| SplitRule::AFTER_LINE_FEED
        .with_target(SplitTarget::AfterLineFeed { header: false })),
);

struct UniversalCharacterNames;

/// The first character that is written as a name; those below represent themselves.
const FIRST_ESCAPED: u32 = 0xA0;

const BACKSLASH: u32 = b'\\' as u32;

/// Returns whether a name may represent this character.
fn is_allowed_ucn(value: u32) -> bool {
    match value {
        0x24 | 0x40 | 0x60 => true,
        // Needed by text that could not be written otherwise.
        BACKSLASH => true,
        0xD800..=0xDFFF => false,
        _ => value >= FIRST_ESCAPED,
    }
}

impl EscapeSyntax for UniversalCharacterNames {
    const MAX_LEN: usize = 10;
    const FIRST_ESCAPED: u32 = FIRST_ESCAPED;

    fn read_item(src: &[u8], end: bool) -> ReadResult {
        let (letter, digits) = match *src {
            [b'\\', b'U', ..] => (b'U', 8),
            [b'\\', ..] => (b'u', 4),
            [byte, ..] if u32::from(byte) < FIRST_ESCAPED => {
                return ReadResult::CodePoint { value: u32::from(byte), len: 1 };
            }
            _ => return ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte },
        };
        match escape_syntax::parse_escape(src, letter, digits, end) {
            ParsedEscape::Value(value) if is_allowed_ucn(value) => {
                ReadResult::CodePoint { value, len: 2 + digits }
            }
            ParsedEscape::Value(_) | ParsedEscape::NotAnEscape => escape_syntax::LITERAL_BACKSLASH,
            ParsedEscape::NeedMore => ReadResult::NeedMore,
        }
    }

    fn write_char(value: u32, dst: &mut [u8]) -> Option<usize> {
        match value {
            ..FIRST_ESCAPED => {
                *dst.first_mut()? = value as u8;
                Some(1)
            }
            FIRST_ESCAPED..0x1_0000 => escape_syntax::write_escape(value, b'u', 4, dst),
            _ => escape_syntax::write_escape(value, b'U', 8, dst),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode_every_way, encode_every_way};
    use super::*;

    #[test]
    fn ucns_decode_in_any_case_and_other_text_is_literal() {
        for (bytes, text) in [
            (&b"\\u20ac\\u20AC \\U0001f600"[..], "\u{20AC}\u{20AC} \u{1F600}"),
            (b"\\u0024\\u0040\\u0060", "$@`"),
            (b"\\U000000e9", "\u{E9}"),
            // The standard forbids names of other ASCII characters, and of surrogates.
            (b"\\u0041 \\u009f \\ud800", "\\u0041 \\u009f \\ud800"),
            (b"\\n\\\\u00e9\\", "\\n\\\\u00e9\\"),
            (b"\\\\\\u00e9 \\u005c\\U000000e9", "\\\\\u{E9} \\\u{E9}"),
            (b"\\u00g9 \\u", "\\u00g9 \\u"),
            (b"\x80\x9F", "\u{80}\u{9F}"),
        ] {
            let read = decode_every_way("C99", bytes);
            assert_eq!(read, (text.to_owned(), vec![]), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn bytes_from_a0_and_values_above_unicode_are_malformed() {
        for (bytes, len, reason) in [
            (&b"\xA0"[..], 1, MalformedReason::InvalidLeadByte),
            (b"\xFF", 1, MalformedReason::InvalidLeadByte),
            (b"\\U00110000", 10, MalformedReason::OutOfRange),
            (b"\\Uffffffff", 10, MalformedReason::OutOfRange),
        ] {
            let expected = ("\u{FFFD}".to_owned(), vec![(0, len, reason)]);
            assert_eq!(decode_every_way("C99", bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn encodes_the_shortest_ucn() {
        let text = "a\\\u{7F}\u{80}\u{9F}\u{A0}\u{FFFF}\u{10000}\u{10FFFF}";
        let bytes = b"a\\\x7F\x80\x9F\\u00a0\\uffff\\U00010000\\U0010ffff";
        assert_eq!(encode_every_way("C99", text), (bytes.to_vec(), vec![]));
    }

    #[test]
    fn escaped_backslash_keeps_its_meaning_both_ways() {
        for (text, bytes) in [
            ("\\\u{E9}", &b"\\u005c\\u00e9"[..]),
            ("\\\\\u{E9}", b"\\\\\\u00e9"),
            ("\\\u{1F600}\\", b"\\u005c\\U0001f600\\"),
            ("\\\u{80}", b"\\\x80"),
        ] {
            assert_eq!(encode_every_way("C99", text), (bytes.to_vec(), vec![]), "{text}");
            assert_eq!(decode_every_way("C99", bytes), (text.to_owned(), vec![]), "{text}");
        }
    }
}
