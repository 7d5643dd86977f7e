//! Code points as the Unicode Standard writes them: `U+20AC` (The Unicode Standard, appendix A.1).

use super::super::item_transform::{Item, ItemFormat, ItemTransform};
use super::super::{Transform, TransformCodecs};
use super::{Escape, MAX_WRITTEN, STRICT, Writer, escape_or_text, flag, scalar_value};
use charpipe_encoding::encoding::OptionSpec;

static OPTIONS: [OptionSpec; 1] = [flag(STRICT, "decode: report U+ without a code point")];

/// Code points in the notation of the Unicode Standard.
pub static U_PLUS: Transform = Transform {
    name: "u-plus",
    aliases: &[],
    title: "U+",
    description: "Code points such as U+20AC and U+1F600; other text remains (The Unicode Standard, appendix A.1)",
    options: &OPTIONS,
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(ItemTransform::new(UPlusDecoder { is_strict: options.flag(STRICT) }))
        }),
        encoder: |_| Box::new(ItemTransform::new(UPlusEncoder)),
    },
};

/// The state after a code point: a digit would be a part of it.
const AFTER_CODE_POINT: u64 = 1;

/// Returns the offset of the first `U` that `+` follows, or that ends the bytes.
fn find(src: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'U', src).find(|at| src.get(at + 1).is_none_or(|byte| *byte == b'+'))
}

struct UPlusDecoder {
    is_strict: bool,
}

impl ItemFormat for UPlusDecoder {
    const MAX_LEN: usize = 8;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        find(src).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let escape = Escape::new(src.as_bytes(), end);
        match escape.bytes.get(1) {
            None if !end => return Item::NeedMore,
            Some(b'+') => {}
            _ => return Item::unchanged(1, src, dst),
        }
        let parsed = escape
            .value(escape.digits(2, 16, 4, 6))
            .and_then(|(value, len)| scalar_value(value, len));
        escape_or_text(parsed, self.is_strict, src, dst)
    }
}

/// Writes non-ASCII characters, and what would be read as a code point or as a digit of one.
struct UPlusEncoder;

impl ItemFormat for UPlusEncoder {
    const MAX_LEN: usize = MAX_WRITTEN;

    fn plain_len(&self, src: &[u8], state: u64) -> usize {
        if state == AFTER_CODE_POINT && src.first().is_some_and(u8::is_ascii_hexdigit) {
            return 0;
        }
        let plain = find(src).unwrap_or(src.len());
        charpipe_kernel::ascii::prefix_len(&src[..plain])
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, state: &mut u64) -> Item {
        let mut characters = src.chars();
        let character = characters.next().unwrap_or_default();
        if character == 'U' {
            match characters.next() {
                None if !end => return Item::NeedMore,
                Some('+') => {}
                _ => {
                    *state = 0;
                    return Item::unchanged(1, src, dst);
                }
            }
        }
        *state = AFTER_CODE_POINT;
        let mut writer = Writer::new();
        writer.push_uppercase(b"U+", u32::from(character), 4);
        writer.item(character.len_utf8(), dst)
    }
}
