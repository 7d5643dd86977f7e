//! The escapes of `U&'…'` in SQL: `\20AC` and `\+01F600` (ISO/IEC 9075-2, section 5.3; PostgreSQL, section
//! 4.1.2.3), and the doubled quotation mark. The quotation marks around the literal are not a part of it.

use super::super::item_transform::{Item, ItemFormat, ItemTransform};
use super::super::{Transform, TransformCodecs};
use super::{CharacterEncoder, Escape, STRICT, Writer, flag, invalid, read_code_point, read_utf16};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::OptionSpec;
use charpipe_kernel::special_bytes::SpecialBytes;

static OPTIONS: [OptionSpec; 1] = [flag(STRICT, "decode: report ' that is not doubled")];

/// Unicode string literals of SQL.
pub static SQL: Transform = Transform {
    name: "sql",
    aliases: &[],
    title: "SQL",
    description: "Escapes of U&'…' in SQL: \\20AC, \\+01F600, '' (ISO/IEC 9075-2, section 5.3)",
    options: &OPTIONS,
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(ItemTransform::new(SqlDecoder { is_strict: options.flag(STRICT) }))
        }),
        encoder: |_| {
            let special = SpecialBytes::new(is_special);
            Box::new(ItemTransform::new(CharacterEncoder { special, write }))
        },
    },
};

struct SqlDecoder {
    is_strict: bool,
}

impl ItemFormat for SqlDecoder {
    // Two code units.
    const MAX_LEN: usize = 10;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        memchr::memchr2(b'\\', b'\'', src).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let escape = Escape::new(src.as_bytes(), end);
        let (first, second) = (escape.bytes[0], escape.bytes.get(1));
        if first == b'\'' {
            return match second {
                None if !end => Item::NeedMore,
                Some(b'\'') => Item::text(2, "'", dst),
                _ if self.is_strict => {
                    Item::Malformed { len: 1, reason: MalformedReason::InvalidCharacter }
                }
                _ => Item::unchanged(1, src, dst),
            };
        }
        let parsed = match second {
            None => return escape.incomplete(),
            Some(b'\\') => return Item::text(2, "\\", dst),
            Some(b'+') => read_code_point(escape, 6),
            Some(byte) if byte.is_ascii_hexdigit() => read_utf16(escape, b"\\", false),
            Some(_) => Err(invalid(1 + src[1..].chars().next().map_or(0, char::len_utf8))),
        };
        match parsed {
            Ok((Some(character), len)) => Item::char(len, character, dst),
            Ok((None, _)) => Item::NeedMore,
            Err(stop) => stop,
        }
    }
}

/// Returns whether a byte is escaped.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'\\' | b'\'') || !byte.is_ascii()
}

fn write(character: char, writer: &mut Writer) {
    match u32::from(character) {
        value @ ..0x80 => writer.push(&[value as u8; 2]),
        value @ ..=0xFFFF => writer.push_uppercase(b"\\", value, 4),
        value => writer.push_uppercase(b"\\+", value, 6),
    }
}
