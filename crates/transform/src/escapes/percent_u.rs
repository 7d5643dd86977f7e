//! The escapes of `escape` in JavaScript: `%u20AC` and `%E9` (ECMA-262, section B.2.1).

use super::super::item_transform::{Item, ItemFormat, ItemTransform};
use super::super::{Transform, TransformCodecs};
use super::{Escape, MAX_WRITTEN, STRICT, Writer, flag, read_utf16, scalar_value};
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
        encoder: |_| Box::new(ItemTransform::new(PercentUEncoder::new())),
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
        match parsed {
            Ok((Some(character), len)) => Item::char(len, character, dst),
            Err(Item::NeedMore) => Item::NeedMore,
            Err(malformed) if self.is_strict => malformed,
            _ => Item::unchanged(1, src, dst),
        }
    }
}

struct PercentUEncoder {
    special: SpecialBytes,
}

impl PercentUEncoder {
    fn new() -> PercentUEncoder {
        let is_special = |byte: u8| !(byte.is_ascii_alphanumeric() || b"@*_+-./".contains(&byte));
        PercentUEncoder { special: SpecialBytes::new(is_special) }
    }
}

impl ItemFormat for PercentUEncoder {
    const MAX_LEN: usize = MAX_WRITTEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        let character = src.chars().next().unwrap_or_default();
        let mut writer = Writer::new();
        for unit in character.encode_utf16(&mut [0; 2]) {
            match *unit {
                ..=0xFF => writer.push_uppercase(b"%", u32::from(*unit), 2),
                _ => writer.push_uppercase(b"%u", u32::from(*unit), 4),
            }
        }
        writer.item(character.len_utf8(), dst)
    }
}
