//! The escapes of Unicode characters alone, such as `\u20ac`, for whole files: `.properties`, JSON and
//! sources of Java. Every other escape keeps its meaning because it is not touched, and so does the
//! number of backslashes.
//!
//! Decoders leave the escape of a character that the file may need escaped (quotes, `\`, control
//! characters, and see [`UnicodeEscapeDecoder::is_decoded`]), of an unpaired surrogate, and what is not
//! an escape. A backslash begins an escape only if an even number of them is directly before it (The Java
//! Language Specification, section 3.3). With `strict`, invalid escapes and unpaired surrogates are errors.
//!
//! Encoders write all non-ASCII characters as escapes. After an odd number of backslashes a character remains:
//! its escape would be text there.

use super::super::item_transform::{Item, ItemFormat};
use super::syntax::{EscapeForm, NumericStyle};
use super::{
    BACKSLASH_U, Escape, MAX_LEN, MAX_WRITTEN, STRICT, Writer, read_braces, read_code_point,
    read_utf16, read_utf16_or_braces,
};
use charpipe_encoding::encoding::EncodingOptions;
use charpipe_kernel::special_bytes::SpecialBytes;

/// Reads the escapes of Unicode characters.
pub(super) struct UnicodeEscapeDecoder {
    syntax: &'static EscapeForm,
    is_strict: bool,
}

impl UnicodeEscapeDecoder {
    pub fn new(syntax: &'static EscapeForm, options: &EncodingOptions) -> UnicodeEscapeDecoder {
        UnicodeEscapeDecoder { syntax, is_strict: options.flag(STRICT) }
    }

    /// Returns whether the character may be in a file as it is, instead of its escape.
    fn is_decoded(&self, character: char) -> bool {
        match character {
            // Digits could continue the escape before them in C and Python. Punctuation and spaces are
            // syntax: the separators of `.properties`, the end of a literal, markup in a script.
            '\0'..='\x7F' => {
                matches!(self.syntax.numeric, NumericStyle::Utf16 { .. })
                    && character.is_ascii_alphanumeric()
            }
            // Line endings of JavaScript before 2019, and what would be a byte order mark.
            '\u{2028}' | '\u{2029}' | '\u{FEFF}' => false,
            _ => !character.is_control(),
        }
    }
}

impl ItemFormat for UnicodeEscapeDecoder {
    const MAX_LEN: usize = MAX_LEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        memchr::memchr(b'\\', src).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let escape = Escape::new(src.as_bytes(), end);
        let parsed = match (escape.bytes.get(1), self.syntax.numeric) {
            (None, _) if !end => return Item::NeedMore,
            (Some(b'\\'), _) => return Item::unchanged(2, src, dst),
            (Some(b'u'), NumericStyle::Utf16 { repeats_u }) => {
                read_utf16(escape, BACKSLASH_U, repeats_u)
            }
            (Some(b'u'), NumericStyle::Braces { max_digits, has_underscores }) => {
                read_braces(escape, max_digits, has_underscores)
            }
            (Some(b'u'), NumericStyle::Utf16OrBraces) => read_utf16_or_braces(escape),
            (Some(b'u'), NumericStyle::CodePoints) => read_code_point(escape, 4),
            (Some(b'u'), NumericStyle::CodePointsAndPairs) => {
                read_utf16(escape, BACKSLASH_U, false)
            }
            (Some(b'U'), style) if style.has_eight_digits() => read_code_point(escape, 8),
            _ => return Item::unchanged(1, src, dst),
        };
        match parsed {
            Ok((Some(character), len)) if self.is_decoded(character) => {
                Item::char(len, character, dst)
            }
            Ok((_, len)) => Item::unchanged(len, src, dst),
            Err(Item::NeedMore) => Item::NeedMore,
            Err(malformed) if self.is_strict => malformed,
            Err(_) => Item::unchanged(1, src, dst),
        }
    }
}

/// Writes non-ASCII characters as escapes.
pub(super) struct UnicodeEscapeEncoder {
    write: fn(char, &mut Writer),
    special: SpecialBytes,
}

impl UnicodeEscapeEncoder {
    /// `write` writes the escape of a non-ASCII character, or nothing if it has none.
    pub fn new(write: fn(char, &mut Writer)) -> UnicodeEscapeEncoder {
        let special = SpecialBytes::new(|byte| byte == b'\\' || !byte.is_ascii());
        UnicodeEscapeEncoder { write, special }
    }
}

impl ItemFormat for UnicodeEscapeEncoder {
    const MAX_LEN: usize = MAX_WRITTEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let mut characters = src.chars();
        let first = characters.next().unwrap_or_default();
        if first == '\\' {
            return match characters.next() {
                Some(escaped) => Item::unchanged(1 + escaped.len_utf8(), src, dst),
                None if end => Item::unchanged(1, src, dst),
                None => Item::NeedMore,
            };
        }
        let mut writer = Writer::new();
        (self.write)(first, &mut writer);
        match writer.as_bytes().is_empty() {
            true => Item::char(first.len_utf8(), first, dst),
            false => writer.item(first.len_utf8(), dst),
        }
    }
}
