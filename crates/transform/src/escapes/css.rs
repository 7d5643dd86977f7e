//! The escapes of CSS: `\20AC ` in strings and identifiers (CSS Syntax Module Level 3, section 4.3.7).
//!
//! One white space character after the digits is a part of the escape. Encoders always write one.

use super::super::item_transform::{Item, ItemFormat, ItemTransform};
use super::super::{Transform, TransformCodecs};
use super::unicode::UnicodeEscapeEncoder;
use super::{
    ASCII, CharacterEncoder, Escape, Following, Stop, UNICODE, Writer, flag, out_of_range,
    scalar_value,
};
use charpipe_encoding::encoding::OptionSpec;
use charpipe_kernel::special_bytes::SpecialBytes;

static OPTIONS: [OptionSpec; 2] = [
    flag(ASCII, "encode: escape non-ASCII characters"),
    flag(
        UNICODE,
        "only the escapes of non-ASCII characters, for whole files; all other escapes remain",
    ),
];

/// Strings and identifiers of CSS.
pub static CSS: Transform = Transform {
    name: "css",
    aliases: &[],
    title: "CSS",
    description: "Escapes of CSS: \\20AC and a space, \\\" (CSS Syntax Module Level 3, section 4.3.7)",
    options: &OPTIONS,
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            let has_only_unicode = options.flag(UNICODE);
            Box::new(ItemTransform::new(CssDecoder { has_only_unicode }))
        }),
        encoder: |options| match options.flag(UNICODE) {
            true => Box::new(ItemTransform::new(UnicodeEscapeEncoder::new(write))),
            false => {
                let is_ascii = options.flag(ASCII);
                let special = SpecialBytes::new(|byte| match byte {
                    b'"' | b'\\' | ..0x20 | 0x7F => true,
                    _ => is_ascii && !byte.is_ascii(),
                });
                let write = write_in_string;
                Box::new(ItemTransform::new(CharacterEncoder { special, write }))
            }
        },
    },
};

struct CssDecoder {
    has_only_unicode: bool,
}

/// Reads up to six digits and the white space after them.
fn read_code_point(escape: Escape) -> Result<(char, usize), Stop> {
    let (value, len) = escape.value(escape.digits(1, 16, 1, 6))?;
    let space = match escape.bytes.get(len..) {
        Some([]) | None if escape.following == Following::MoreInput => return Err(Item::NeedMore),
        Some(b"\r") if escape.following == Following::MoreInput => return Err(Item::NeedMore),
        Some([b'\r', b'\n', ..]) => 2,
        Some([b' ' | b'\t' | b'\n' | b'\r' | b'\x0C', ..]) => 1,
        _ => 0,
    };
    match scalar_value(value, len)? {
        (Some(character @ '\u{1}'..), _) => Ok((character, len + space)),
        _ => Err(out_of_range(len)),
    }
}

impl ItemFormat for CssDecoder {
    // A backslash, six digits, CR and LF.
    const MAX_LEN: usize = 9;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        memchr::memchr(b'\\', src).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let escape = Escape::new(src.as_bytes(), end);
        let Some(second) = src[1..].chars().next() else {
            return match self.has_only_unicode && end {
                true => Item::unchanged(1, src, dst),
                false => escape.incomplete(),
            };
        };
        let len = 1 + second.len_utf8();
        if second.is_ascii_hexdigit() {
            return match read_code_point(escape) {
                Ok((character, len)) if !self.has_only_unicode => Item::char(len, character, dst),
                Ok((character, len)) if !character.is_ascii() && !character.is_control() => {
                    Item::char(len, character, dst)
                }
                Ok((_, len)) => Item::unchanged(len, src, dst),
                Err(Item::Malformed { .. }) if self.has_only_unicode => {
                    Item::unchanged(1, src, dst)
                }
                Err(stop) => stop,
            };
        }
        match (second, escape.bytes.get(2)) {
            _ if self.has_only_unicode => Item::unchanged(len, src, dst),
            // A line continuation.
            ('\r', None) if !end => Item::NeedMore,
            ('\r', Some(b'\n')) => Item::Converted { read: 3, written: 0 },
            ('\n' | '\r' | '\x0C', _) => Item::Converted { read: 2, written: 0 },
            _ => Item::char(len, second, dst),
        }
    }
}

/// Writes a character that is special between double quotes.
fn write_in_string(character: char, writer: &mut Writer) {
    match character {
        '"' | '\\' => writer.push(&[b'\\', character as u8]),
        // U+0000 has no escape (CSSOM, section 2.1).
        '\0' => write(char::REPLACEMENT_CHARACTER, writer),
        _ => write(character, writer),
    }
}

/// Writes the digits and a space.
fn write(character: char, writer: &mut Writer) {
    let value = u32::from(character);
    let digits = (u32::BITS - value.leading_zeros()).div_ceil(4);
    writer.push_number(b"\\", value, digits, 4);
    writer.push(b" ");
}
