//! The escapes of RTF: `\'e9`, `\u8364?` and control words of characters (Rich Text Format Specification 1.9.1,
//! "Unicode RTF" and "Special Characters").
//!
//! A document without `\ansicpg` or with `\ansicpg1252`, and without `\uc`, is assumed: `\'e9` is a byte of
//! windows-1252, and one character follows each `\u` for readers that do not know it.

use super::super::item_transform::{Item, ItemFormat, ItemTransform};
use super::super::{Transform, TransformCodecs};
use super::unicode::UnicodeEscapeEncoder;
use super::{
    Escape, Following, MAX_WRITTEN, Stop, UNICODE, Writer, flag, invalid, out_of_range,
    scalar_value,
};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::OptionSpec;
use charpipe_encoding::encoding::constants::CP1252;
use charpipe_kernel::special_bytes::SpecialBytes;

static OPTIONS: [OptionSpec; 1] = [flag(
    UNICODE,
    "only the escapes of non-ASCII characters, for whole files; all other escapes remain",
)];

/// Text in RTF.
pub static RTF: Transform = Transform {
    name: "rtf",
    aliases: &[],
    title: "RTF",
    description: "Escapes of RTF: \\'e9 (a byte of windows-1252), \\u8364?, \\par (Rich Text Format 1.9.1)",
    options: &OPTIONS,
    codecs: TransformCodecs::Text {
        decoder: Some(|options| {
            Box::new(ItemTransform::new(RtfDecoder::new(options.flag(UNICODE))))
        }),
        encoder: |options| match options.flag(UNICODE) {
            true => Box::new(ItemTransform::new(UnicodeEscapeEncoder::new(write))),
            false => Box::new(ItemTransform::new(RtfEncoder::new())),
        },
    },
};

/// Control words of characters.
const WORDS: [(&[u8], char); 12] = [
    (b"bullet", '•'),
    (b"emdash", '—'),
    (b"emspace", '\u{2003}'),
    (b"endash", '–'),
    (b"enspace", '\u{2002}'),
    (b"ldblquote", '“'),
    (b"line", '\n'),
    (b"lquote", '‘'),
    (b"par", '\n'),
    (b"rdblquote", '”'),
    (b"rquote", '’'),
    (b"tab", '\t'),
];

/// The maximum length of a control word in letters, more than any has that is read here.
const MAX_WORD_LEN: usize = 10;

struct RtfDecoder {
    has_only_unicode: bool,
    /// The characters of the bytes in windows-1252.
    characters: [Option<char>; 256],
}

/// A control word.
struct ControlWord<'a> {
    name: &'a [u8],
    /// The number after the name.
    parameter: Option<i32>,
    /// The length up to what follows the word, in bytes.
    len: usize,
}

/// Reads the control word after a backslash, or none if its name is longer than any that is known here. A line
/// ending after it belongs to it, like a space.
fn read_word(escape: Escape<'_>) -> Result<Option<ControlWord<'_>>, Stop> {
    let bytes = &escape.bytes[1..];
    let needs_more = |at: usize| {
        (at == bytes.len() && escape.following == Following::MoreInput).then_some(Item::NeedMore)
    };
    let name_len = bytes.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    if name_len > MAX_WORD_LEN {
        return Ok(None);
    }
    let mut at = name_len;
    needs_more(at).map_or(Ok(()), Err)?;
    let is_negative = bytes.get(at) == Some(&b'-');
    at += usize::from(is_negative);
    let digits = bytes[at..].iter().take(6).take_while(|byte| byte.is_ascii_digit());
    let (mut value, mut count) = (0, 0);
    for digit in digits {
        (value, count) = (value * 10 + i32::from(digit - b'0'), count + 1);
    }
    at += count;
    needs_more(at).map_or(Ok(()), Err)?;
    let space = match &bytes[at..] {
        [b' ' | b'\n', ..] => 1,
        [b'\r'] if escape.following == Following::MoreInput => return Err(Item::NeedMore),
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    };
    let parameter = (count > 0).then_some(if is_negative { -value } else { value });
    Ok(Some(ControlWord { name: &bytes[..name_len], parameter, len: 1 + at + space }))
}

/// Returns the length of the character for readers that do not know `\u`, at the start of these bytes.
fn fallback_len(escape: Escape) -> Result<usize, Stop> {
    let len = match escape.bytes {
        [] | [b'\\'] if escape.following == Following::MoreInput => return Err(Item::NeedMore),
        [b'\\', b'\'', ..] => 4,
        [b'\\', b'\\' | b'{' | b'}', ..] => 2,
        [] | [b'\\' | b'{' | b'}' | b'\r' | b'\n', ..] => 0,
        [0..=0x7F, ..] => 1,
        [0x80..=0xDF, ..] => 2,
        [0xE0..=0xEF, ..] => 3,
        _ => 4,
    };
    match (len <= escape.bytes.len(), escape.following) {
        (true, _) => Ok(len),
        (false, Following::MoreInput) => Err(Item::NeedMore),
        (false, _) => Ok(0),
    }
}

impl ControlWord<'_> {
    /// Returns the code unit of `\u`, and the length with the character after it.
    fn code_unit(&self, escape: Escape) -> Result<Option<(u32, usize)>, Stop> {
        let (b"u", Some(value)) = (self.name, self.parameter) else { return Ok(None) };
        // Some programs write numbers above 32,767 without the sign.
        if !(-0x8000..=0xFFFF).contains(&value) {
            return Err(out_of_range(self.len));
        }
        let len = self.len + fallback_len(escape.skip(self.len))?;
        Ok(Some(((value & 0xFFFF) as u32, len)))
    }
}

impl RtfDecoder {
    fn new(has_only_unicode: bool) -> RtfDecoder {
        let character = |byte: usize| {
            let bytes = [byte as u8];
            let (text, had_errors) = CP1252.decode(&bytes);
            text.chars().next().filter(|_| !had_errors)
        };
        RtfDecoder { has_only_unicode, characters: std::array::from_fn(character) }
    }

    /// Returns the character of an escape and its length; none if the escape remains.
    fn read(&self, escape: Escape) -> Result<(Option<char>, usize), Stop> {
        match escape.bytes.get(1) {
            None => Err(escape.incomplete()),
            Some(b'\'') => {
                let (value, len) = escape.value(escape.digits(2, 16, 2, 2))?;
                match self.characters[value as usize] {
                    Some(character) => Ok((Some(character), len)),
                    None => Err(invalid(len)),
                }
            }
            Some(b'\\' | b'{' | b'}') => Ok((Some(char::from(escape.bytes[1])), 2)),
            Some(b'~') => Ok((Some('\u{A0}'), 2)),
            Some(b'-') => Ok((Some('\u{AD}'), 2)),
            Some(b'_') => Ok((Some('\u{2011}'), 2)),
            Some(b'\n') => Ok((Some('\n'), 2)),
            Some(letter) if letter.is_ascii_alphabetic() => self.read_character(escape),
            Some(_) => Ok((None, 1)),
        }
    }

    fn read_character(&self, escape: Escape) -> Result<(Option<char>, usize), Stop> {
        let Some(word) = read_word(escape)? else { return Ok((None, 1)) };
        let Some((high, len)) = word.code_unit(escape)? else {
            let known = WORDS.iter().find(|(name, _)| *name == word.name);
            return Ok(match known.filter(|_| word.parameter.is_none()) {
                // The carriage return before the line feed remains.
                Some((_, '\n')) if escape.bytes[..word.len].ends_with(b"\r\n") => {
                    (Some('\r'), word.len - 1)
                }
                Some((_, character)) => (Some(*character), word.len),
                None => (None, 1),
            });
        };
        let unpaired = Item::Malformed { len, reason: MalformedReason::UnpairedSurrogate };
        match high {
            0xD800..=0xDBFF => {}
            0xDC00..=0xDFFF => return Err(unpaired),
            _ => return scalar_value(high, len),
        }
        let rest = escape.skip(len);
        let low = match rest.bytes {
            [] | [b'\\'] if rest.following == Following::MoreInput => Err(Item::NeedMore),
            [b'\\', ..] => {
                read_word(rest).and_then(|word| word.map_or(Ok(None), |word| word.code_unit(rest)))
            }
            _ => Ok(None),
        };
        match low {
            Ok(Some((low @ 0xDC00..=0xDFFF, low_len))) => {
                scalar_value(0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF), len + low_len)
            }
            Err(Item::NeedMore) => Err(Item::NeedMore),
            _ => Err(unpaired),
        }
    }
}

impl ItemFormat for RtfDecoder {
    // Two code units, each as in `\u-10179 \'3f`.
    const MAX_LEN: usize = 32;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        memchr::memchr(b'\\', src).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let escape = Escape::new(src.as_bytes(), end);
        match self.read(escape) {
            Ok((Some(character), len))
                if !self.has_only_unicode
                    || !character.is_ascii() && !matches!(escape.bytes[1], b'~' | b'-' | b'_') =>
            {
                Item::char(len, character, dst)
            }
            Ok((_, len)) => Item::unchanged(len, src, dst),
            Err(Item::Malformed { .. }) if self.has_only_unicode => Item::unchanged(1, src, dst),
            Err(stop) => stop,
        }
    }
}

/// Writes text of a paragraph.
struct RtfEncoder {
    special: SpecialBytes,
}

impl RtfEncoder {
    fn new() -> RtfEncoder {
        let is_special =
            |byte: u8| matches!(byte, b'\\' | b'{' | b'}' | b'\t' | b'\r' | b'\n' | 0x80..);
        RtfEncoder { special: SpecialBytes::new(is_special) }
    }
}

impl ItemFormat for RtfEncoder {
    const MAX_LEN: usize = MAX_WRITTEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let mut characters = src.chars();
        let character = characters.next().unwrap_or_default();
        match (character, characters.next()) {
            ('\t', _) => Item::text(1, "\\tab ", dst),
            ('\n', _) => Item::text(1, "\\par\n", dst),
            ('\r', None) if !end => Item::NeedMore,
            ('\r', Some('\n')) => Item::text(2, "\\par\r\n", dst),
            ('\r', _) => Item::unchanged(1, src, dst),
            ('\u{A0}', _) => Item::text(2, "\\~", dst),
            ('\u{AD}', _) => Item::text(2, "\\-", dst),
            ('\u{2011}', _) => Item::text(3, "\\_", dst),
            (other, _) => {
                let mut writer = Writer::new();
                write(other, &mut writer);
                writer.item(other.len_utf8(), dst)
            }
        }
    }
}

/// Writes an ASCII character after a backslash, and others as signed code units, each with `?` after it.
fn write(character: char, writer: &mut Writer) {
    if character.is_ascii() {
        writer.push(&[b'\\', character as u8]);
        return;
    }
    for unit in character.encode_utf16(&mut [0; 2]) {
        writer.push(b"\\u");
        let signed = i32::from(*unit as i16);
        if signed < 0 {
            writer.push(b"-");
        }
        let value = signed.unsigned_abs();
        let digits = (0..5).rev().map(|power| value / 10_u32.pow(power));
        for number in digits.skip_while(|number| *number == 0) {
            writer.push(&[b'0' + (number % 10) as u8]);
        }
        writer.push(b"?");
    }
}
