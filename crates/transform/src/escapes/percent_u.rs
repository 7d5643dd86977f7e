//! The escapes of `escape` in JavaScript: `%u20AC` and `%E9` (ECMA-262, section B.2.1).

use super::super::item_transform::{Item, ItemFormat, ItemTransform};
use super::super::{Transform, TransformCodecs};
use super::{
    CharacterEncoder, Escape, STRICT, Writer, escape_or_text, flag, read_utf16, scalar_value,
};
use charpipe_encoding::encoding::OptionSpec;
use charpipe_kernel::special_bytes::SpecialBytes;

static OPTIONS: [OptionSpec; 1] = [flag(STRICT, "decode: report % without digits")];

/// Escapes of code units with a percent sign.
pub static PERCENT_U: Transform = Transform {
    name: "percent-u",
    aliases: &[],
    title: "%u",
    description: "Escapes such as %u20AC and %E9 for U+00E9, as by escape() of JavaScript (ECMA-262, section B.2.1)",
    options: &OPTIONS,
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(ItemTransform::new(PercentUDecoder { is_strict: options.flag(STRICT) }))
        }),
        encoder: |_| {
            let special = SpecialBytes::new(is_special);
            Box::new(ItemTransform::new(CharacterEncoder { special, write }))
        },
    },
};

struct PercentUDecoder {
    is_strict: bool,
}

impl ItemFormat for PercentUDecoder {
    // Two code units.
    const MAX_LEN: usize = 12;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        memchr::memchr(b'%', src).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let escape = Escape::new(src.as_bytes(), end);
        let parsed = match escape.bytes.get(1) {
            Some(b'u') => read_utf16(escape, b"%u", false),
            _ => escape
                .value(escape.digits(1, 16, 2, 2))
                .and_then(|(value, len)| scalar_value(value, len)),
        };
        escape_or_text(parsed, self.is_strict, src, dst)
    }
}

/// Returns whether a byte is escaped.
fn is_special(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric() || b"@*_+-./".contains(&byte))
}

fn write(character: char, writer: &mut Writer) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        match *unit {
            ..=0xFF => writer.push_uppercase(b"%", u32::from(*unit), 2),
            _ => writer.push_uppercase(b"%u", u32::from(*unit), 4),
        }
    }
}
