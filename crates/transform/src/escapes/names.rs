//! Names of characters: `\N{EURO SIGN}` (Python Language Reference, 2.4.1.1; perluniintro; ICU, "Any-Name"), and
//! `\N{U+20AC}` (Perl).

use std::fmt::Write;

use super::super::character_name::{CharacterName, NameIndex};
use super::super::item_transform::{Item, ItemFormat, ItemText, ItemTransform};
use super::super::{Transform, TransformCodecs};
use super::{Escape, STRICT, Stop, escape_or_text, flag, out_of_range, read_name, scalar_value};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::OptionSpec;

static OPTIONS: [OptionSpec; 1] =
    [flag(STRICT, "decode: report unknown names, and \\N without a name")];

/// Names of characters.
pub static NAMES: Transform = Transform {
    name: "names",
    aliases: &[],
    title: "\\N",
    description: "Names of characters: \\N{EURO SIGN}, \\N{U+20AC}; other text remains (Python, Perl, ICU)",
    options: &OPTIONS,
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            let is_strict = options.flag(STRICT);
            Box::new(ItemTransform::new(NameDecoder { is_strict, index: NameIndex::new() }))
        }),
        encoder: |_| Box::new(ItemTransform::new(NameEncoder)),
    },
};

/// The maximum length of an escape with a name in bytes. The longest name of Unicode 17 has 88.
const MAX_LEN: usize = 100;

struct NameDecoder {
    is_strict: bool,
    index: NameIndex,
}

/// Returns the character of `\N{NAME}` and the length of the escape.
pub(super) fn read(escape: Escape, index: NameIndex) -> Result<(Option<char>, usize), Stop> {
    let len = read_name(escape)?;
    let name = std::str::from_utf8(&escape.bytes[3..len - 1]).unwrap_or_default();
    match index.lookup(name) {
        Some(character) => Ok((Some(character), len)),
        None => Err(Item::Malformed { len, reason: MalformedReason::UnknownName }),
    }
}

impl NameDecoder {
    fn read(&self, escape: Escape) -> Result<(Option<char>, usize), Stop> {
        if escape.bytes.get(2..5) != Some(b"{U+") {
            return read(escape, self.index);
        }
        let Some(end) = escape.bytes.iter().position(|byte| *byte == b'}') else {
            return Err(escape.incomplete());
        };
        let digits = std::str::from_utf8(&escape.bytes[5..end]).unwrap_or_default();
        let value = u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'));
        match value {
            Some(value) => scalar_value(value, end + 1),
            None => Err(out_of_range(end + 1)),
        }
    }
}

impl ItemFormat for NameDecoder {
    const MAX_LEN: usize = super::MAX_LEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        let is_start = |at: &usize| src.get(at + 1).is_none_or(|byte| *byte == b'N');
        memchr::memchr_iter(b'\\', src).find(is_start).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let escape = Escape::new(src.as_bytes(), end);
        match escape.bytes {
            [_] if !end => return Item::NeedMore,
            [_, b'N', ..] => {}
            _ => return Item::unchanged(1, src, dst),
        }
        escape_or_text(self.read(escape), self.is_strict, src, dst)
    }
}

/// Writes the names of non-ASCII characters, and of a backslash that could be read as the start of one.
struct NameEncoder;

impl ItemFormat for NameEncoder {
    const MAX_LEN: usize = MAX_LEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        let is_start = |at: &usize| src.get(at + 1).is_none_or(|byte| *byte == b'N');
        let escape = memchr::memchr_iter(b'\\', src).find(is_start).unwrap_or(src.len());
        charpipe_kernel::ascii::prefix_len(&src[..escape])
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let mut characters = src.chars();
        let character = characters.next().unwrap_or_default();
        match (character, characters.next()) {
            ('\\', None) if !end => return Item::NeedMore,
            ('\\', other) if other != Some('N') => return Item::unchanged(1, src, dst),
            _ => {}
        }
        let code_point = u32::from(character);
        let mut text = ItemText::<MAX_LEN>::new();
        let _ = write!(text, "\\N{{{}}}", CharacterName(code_point));
        // Characters without a name have a label such as `<control-0080>`.
        if text.as_bytes().contains(&b'<') {
            text = ItemText::new();
            let _ = write!(text, "\\N{{U+{code_point:04X}}}");
        }
        text.item(character.len_utf8(), dst)
    }
}
