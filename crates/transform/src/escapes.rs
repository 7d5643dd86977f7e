//! The escape sequences of string literals, without the quotes: one implementation for the syntaxes of
//! `escapes/syntax.rs`.
//!
//! Decoders read the escapes and leave everything else unchanged, so they also work on whole source
//! files with escapes. With `strict`, a character that has to be escaped in a literal is an error.
//! Encoders write what may be between double quotes: `\`, `"`, and control characters as escapes, and
//! with `ascii` also all non-ASCII characters. With `lines`, line feeds remain: each line is a literal.
//!
//! The escapes of CSS, SQL, RTF, `%u20AC` and `U+20AC` differ in more than letters and have a file each.
//!
//! With `unicode` only the escapes of Unicode characters are read and written, which keeps a whole file valid
//! (`escapes/unicode.rs`).

mod css;
#[cfg(all(feature = "transforms", feature = "transliterations"))]
mod names;
mod percent_u;
mod rtf;
mod sql;
mod syntax;
mod u_plus;
mod unicode;

#[cfg(all(feature = "transforms", feature = "transliterations"))]
use super::character_name::NameIndex;
use super::item_transform::{Item, ItemFormat, ItemText, ItemTransform};
use super::{Transform, TransformCodecs};
use charpipe_encoding::conversion_error::MalformedReason;
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::hex::{LOWERCASE, UPPERCASE};
use charpipe_kernel::special_bytes::SpecialBytes;
pub use css::CSS;
#[cfg(all(feature = "transforms", feature = "transliterations"))]
pub use names::NAMES;
pub use percent_u::PERCENT_U;
pub use rtf::RTF;
pub use sql::SQL;
use syntax::{ByteDigits, EscapeContinuation, EscapeForm, HexEscape, NumericStyle, UnknownEscape};
pub use syntax::{C, GO, JAVA, JAVASCRIPT, JSON, POSTGRES, PYTHON, RUST, SWIFT};
pub use u_plus::U_PLUS;

const STRICT: &str = "strict";
const ASCII: &str = "ascii";
const LINES: &str = "lines";
const UNICODE: &str = "unicode";

const fn flag(name: &'static str, description: &'static str) -> OptionSpec {
    OptionSpec { name, values: OptionValues::Flag, description }
}

static OPTIONS: [OptionSpec; 4] = [
    flag(STRICT, "decode: report characters that must be escaped, and unknown escapes"),
    flag(ASCII, "encode: escape non-ASCII characters"),
    flag(LINES, "encode: keep line feeds, so that each line is a literal"),
    flag(
        UNICODE,
        "only the escapes of non-ASCII characters, for whole files; all other escapes remain",
    ),
];

/// The maximum length of an escape sequence in bytes. What the syntaxes allow to be longer (digits in C, `u`
/// in Java, `_` in Rust) is an error beyond this.
const MAX_LEN: usize = 128;

/// The state after `\` and a line ending in Rust: white space is skipped.
const SKIPPING_SPACE: u64 = 1;

/// Reads escape sequences.
struct EscapeDecoder {
    syntax: &'static EscapeForm,
    is_strict: bool,
    special: SpecialBytes,
    #[cfg(all(feature = "transforms", feature = "transliterations"))]
    names: Option<NameIndex>,
}

impl EscapeDecoder {
    fn new(syntax: &'static EscapeForm, options: &EncodingOptions) -> EscapeDecoder {
        let is_strict = options.flag(STRICT);
        let is_special = |byte| byte == b'\\' || is_strict && (syntax.is_forbidden)(byte);
        EscapeDecoder {
            syntax,
            is_strict,
            special: SpecialBytes::new(is_special),
            #[cfg(all(feature = "transforms", feature = "transliterations"))]
            names: syntax.has_names.then(NameIndex::new),
        }
    }
}

/// An escape sequence, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parsed {
    /// A number of `len` bytes.
    Value { value: u32, len: usize },
    /// The first `len` bytes are as in the syntax, and those after them not.
    Invalid { len: usize },
    /// The input ends first.
    Incomplete,
}

/// The prefix of a code unit in most languages.
const BACKSLASH_U: &[u8] = b"\\u";

/// Stops the conversion of an item.
type Stop = Item;

impl ItemFormat for EscapeDecoder {
    const MAX_LEN: usize = MAX_LEN;

    fn plain_len(&self, src: &[u8], state: u64) -> usize {
        match src.first() {
            Some(byte) if state == SKIPPING_SPACE && is_space(*byte) => 0,
            _ => self.special.prefix_len(src),
        }
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, state: &mut u64) -> Item {
        let bytes = src.as_bytes();
        if *state == SKIPPING_SPACE && is_space(bytes[0]) {
            let read = bytes.iter().take_while(|byte| is_space(**byte)).count();
            return Item::Converted { read, written: 0 };
        }
        *state = 0;
        if bytes[0] != b'\\' {
            return Item::Malformed { len: 1, reason: MalformedReason::InvalidCharacter };
        }
        match self.read_escape(Escape::new(bytes, end), src, state) {
            Ok((character, len)) => match character {
                Some(character) => Item::char(len, character, dst),
                None => Item::Converted { read: len, written: 0 },
            },
            Err(Item::Converted { .. }) => Item::text(1, "\\", dst),
            Err(stop) => stop,
        }
    }
}

/// Returns whether a continuation in Rust skips the byte.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The bytes from a backslash on.
#[derive(Clone, Copy)]
struct Escape<'a> {
    bytes: &'a [u8],
    following: Following,
}

/// What follows the bytes of an [`Escape`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Following {
    /// Input that is not there yet.
    MoreInput,
    /// The end of the input.
    End,
    /// Bytes beyond the maximum length.
    Excess,
}

impl<'a> Escape<'a> {
    /// Returns the escape at the start of `src`. `end` means that nothing follows `src`.
    fn new(src: &'a [u8], end: bool) -> Escape<'a> {
        let following = match (src.len() < MAX_LEN, end) {
            (true, true) => Following::End,
            (true, false) => Following::MoreInput,
            (false, _) => Following::Excess,
        };
        Escape { bytes: &src[..src.len().min(MAX_LEN)], following }
    }

    /// Returns the result of an escape sequence that reaches the end of the bytes.
    fn incomplete(self) -> Stop {
        let len = self.bytes.len();
        match self.following {
            Following::MoreInput => Item::NeedMore,
            Following::End => Item::Malformed { len, reason: MalformedReason::Truncated },
            Following::Excess => invalid(2),
        }
    }

    /// Reads `min` to `max` digits after `start` bytes.
    fn digits(self, start: usize, radix: u32, min: usize, max: usize) -> Parsed {
        let (mut value, mut len) = (0_u32, start);
        while len < start + max {
            let Some(&byte) = self.bytes.get(len) else {
                if len < start + min || self.following != Following::End {
                    return Parsed::Incomplete;
                }
                break;
            };
            let Some(digit) = char::from(byte).to_digit(radix) else { break };
            value = value.saturating_mul(radix).saturating_add(digit);
            len += 1;
        }
        match len < start + min {
            true => Parsed::Invalid { len },
            false => Parsed::Value { value, len },
        }
    }

    /// Returns the value and length of what was parsed.
    fn value(self, parsed: Parsed) -> Result<(u32, usize), Stop> {
        match parsed {
            Parsed::Value { value, len } => Ok((value, len)),
            Parsed::Invalid { len } => Err(invalid(len)),
            Parsed::Incomplete => Err(self.incomplete()),
        }
    }

    /// Returns the escape sequence that begins `start` bytes later.
    fn skip(self, start: usize) -> Self {
        Escape { bytes: &self.bytes[start..], ..self }
    }
}

fn invalid(len: usize) -> Stop {
    Item::Malformed { len, reason: MalformedReason::InvalidEscape }
}

fn out_of_range(len: usize) -> Stop {
    Item::Malformed { len, reason: MalformedReason::OutOfRange }
}

/// The item of a backslash that represents itself.
const LITERAL_BACKSLASH: Stop = Item::Converted { read: 1, written: 1 };

/// Returns the character of a code point that `len` bytes represent.
fn scalar_value(value: u32, len: usize) -> Result<(Option<char>, usize), Stop> {
    match (char::from_u32(value), value) {
        (Some(character), _) => Ok((Some(character), len)),
        (None, 0xD800..=0xDFFF) => Err(Item::Malformed { len, reason: MalformedReason::Surrogate }),
        (None, _) => Err(out_of_range(len)),
    }
}

/// Returns the item of an escape whose first byte is text if the escape is invalid, unless `is_strict`.
fn escape_or_text(
    parsed: Result<(Option<char>, usize), Stop>,
    is_strict: bool,
    src: &str,
    dst: &mut [u8],
) -> Item {
    match parsed {
        Ok((Some(character), len)) => Item::char(len, character, dst),
        Err(Item::NeedMore) => Item::NeedMore,
        Err(malformed) if is_strict => malformed,
        _ => Item::unchanged(1, src, dst),
    }
}

impl EscapeDecoder {
    /// Returns the character of an escape sequence, or none for a continuation, and its length.
    fn read_escape(
        &self,
        escape: Escape,
        src: &str,
        state: &mut u64,
    ) -> Result<(Option<char>, usize), Stop> {
        let syntax = self.syntax;
        let Some(&letter) = escape.bytes.get(1) else { return Err(escape.incomplete()) };
        if let Some([_, byte]) = syntax.simple.iter().find(|[own, _]| *own == letter) {
            return Ok((Some(char::from(*byte)), 2));
        }
        match letter {
            b'0'..=b'7' if syntax.max_octal > 0 => self.read_octal(escape),
            b'x' if syntax.hex != HexEscape::None => self.read_hex(escape),
            b'u' => match syntax.numeric {
                NumericStyle::Utf16 { repeats_u } => read_utf16(escape, BACKSLASH_U, repeats_u),
                NumericStyle::Braces { max_digits, has_underscores } => {
                    read_braces(escape, max_digits, has_underscores)
                }
                NumericStyle::Utf16OrBraces => read_utf16_or_braces(escape),
                NumericStyle::CodePoints => read_code_point(escape, 4),
                NumericStyle::CodePointsAndPairs => read_utf16(escape, BACKSLASH_U, false),
            },
            b'U' if syntax.numeric.has_eight_digits() => read_code_point(escape, 8),
            b'N' if syntax.has_names => self.read_name(escape),
            b'\n' | b'\r' if syntax.continuation != EscapeContinuation::None => {
                if escape.bytes == b"\\\r" && escape.following == Following::MoreInput {
                    return Err(Item::NeedMore);
                }
                if syntax.continuation == EscapeContinuation::SkipsSpace {
                    *state = SKIPPING_SPACE;
                }
                Ok((None, if escape.bytes[1..].starts_with(b"\r\n") { 3 } else { 2 }))
            }
            _ => {
                let character = src[1..].chars().next();
                let len = 1 + character.map_or(0, char::len_utf8);
                match (syntax.unknown, character) {
                    (UnknownEscape::Backslash, _) if !self.is_strict => Err(LITERAL_BACKSLASH),
                    (UnknownEscape::Character, Some('\u{2028}' | '\u{2029}'))
                        if syntax.continuation != EscapeContinuation::None =>
                    {
                        Ok((None, len))
                    }
                    (UnknownEscape::Character, _) => Ok((character, len)),
                    _ => Err(invalid(len)),
                }
            }
        }
    }

    #[cfg(all(feature = "transforms", feature = "transliterations"))]
    fn read_name(&self, escape: Escape) -> Result<(Option<char>, usize), Stop> {
        let index = self.names.ok_or(invalid(2))?;
        names::read(escape, index)
    }

    /// Without the names of characters all are unknown.
    #[cfg(not(all(feature = "transforms", feature = "transliterations")))]
    fn read_name(&self, escape: Escape) -> Result<(Option<char>, usize), Stop> {
        let len = read_name(escape)?;
        Err(Item::Malformed { len, reason: MalformedReason::UnknownName })
    }

    fn read_octal(&self, escape: Escape) -> Result<(Option<char>, usize), Stop> {
        if let Some(digits) = self.syntax.byte_digits {
            return read_utf8(escape, digits);
        }
        let parsed = escape.digits(1, 8, 1, 3);
        let (value, len) = escape.value(parsed)?;
        if value > self.syntax.max_octal {
            // `\400` of Java is `\40` and `0`.
            return Ok((char::from_u32(value >> 3), len - 1));
        }
        scalar_value(value, len)
    }

    fn read_hex(&self, escape: Escape) -> Result<(Option<char>, usize), Stop> {
        if let Some(digits) = self.syntax.byte_digits {
            return read_utf8(escape, digits);
        }
        let (value, len) = escape.value(escape.digits(2, 16, 2, 2))?;
        match value > 0x7F && self.syntax.hex == HexEscape::Ascii {
            true => Err(out_of_range(len)),
            false => scalar_value(value, len),
        }
    }
}

/// Reads the escape of a byte: up to three octal digits, or `x` and hexadecimal ones.
fn read_byte(escape: Escape, digits: ByteDigits) -> Parsed {
    match escape.bytes.get(1) {
        Some(b'x') => escape.digits(2, 16, digits.hex_min, digits.hex_max),
        Some(b'0'..=b'7') => escape.digits(1, 8, digits.octal_min, 3),
        Some(_) => Parsed::Invalid { len: 1 },
        None => Parsed::Incomplete,
    }
}

/// Reads the escapes of the bytes of a character in UTF-8.
fn read_utf8(escape: Escape, digits: ByteDigits) -> Result<(Option<char>, usize), Stop> {
    let mut utf8 = [0; 4];
    let (mut count, mut total) = (0, 0);
    loop {
        let rest = escape.skip(total);
        let parsed = match rest.bytes.first() {
            Some(b'\\') => read_byte(rest, digits),
            Some(_) => Parsed::Invalid { len: 0 },
            None => Parsed::Incomplete,
        };
        let (value, len) = match parsed {
            Parsed::Value { value, len } => (value, len),
            Parsed::Incomplete if escape.following == Following::MoreInput => {
                return Err(Item::NeedMore);
            }
            // The escapes before it are invalid without this one.
            _ if count > 0 => return Err(invalid(total)),
            Parsed::Invalid { len } => return Err(invalid(len)),
            Parsed::Incomplete => return Err(escape.incomplete()),
        };
        let Ok(byte) = u8::try_from(value) else {
            return Err(if count > 0 { invalid(total) } else { out_of_range(len) });
        };
        utf8[count] = byte;
        match std::str::from_utf8(&utf8[..=count]) {
            Ok(text) => return Ok((text.chars().next(), total + len)),
            Err(error) if error.error_len().is_none() => (count, total) = (count + 1, total + len),
            Err(_) => return Err(invalid(if count > 0 { total } else { len })),
        }
    }
}

/// Reads one code unit of UTF-16, or two of a surrogate pair. In Java, the last letter of the prefix may repeat.
fn read_utf16(
    escape: Escape,
    prefix: &[u8],
    repeats_u: bool,
) -> Result<(Option<char>, usize), Stop> {
    let (high, len) = escape.value(read_code_unit(escape, prefix, repeats_u))?;
    let unpaired = Item::Malformed { len, reason: MalformedReason::UnpairedSurrogate };
    match high {
        0xD800..=0xDBFF => {}
        0xDC00..=0xDFFF => return Err(unpaired),
        _ => return scalar_value(high, len),
    }
    let rest = escape.skip(len);
    match read_code_unit(rest, prefix, repeats_u) {
        Parsed::Value { value: low @ 0xDC00..=0xDFFF, len: low_len } => {
            scalar_value(0x1_0000 + ((high & 0x3FF) << 10 | low & 0x3FF), len + low_len)
        }
        Parsed::Incomplete if escape.following == Following::MoreInput => Err(Item::NeedMore),
        _ => Err(unpaired),
    }
}

/// Reads a prefix, such as `\u`, and four digits.
fn read_code_unit(escape: Escape, prefix: &[u8], repeats_u: bool) -> Parsed {
    for (index, expected) in prefix.iter().enumerate() {
        match escape.bytes.get(index) {
            Some(byte) if byte == expected => {}
            Some(_) => return Parsed::Invalid { len: index },
            None => return Parsed::Incomplete,
        }
    }
    let rest = &escape.bytes[prefix.len()..];
    let more = rest.iter().take_while(|byte| repeats_u && **byte == b'u').count();
    escape.digits(prefix.len() + more, 16, 4, 4)
}

/// Reads `\u` and four digits, or `\u{…}`.
fn read_utf16_or_braces(escape: Escape) -> Result<(Option<char>, usize), Stop> {
    match escape.bytes.get(2) {
        Some(b'{') => read_braces(escape, MAX_LEN, false),
        _ => read_utf16(escape, BACKSLASH_U, false),
    }
}

/// Reads `\u` or `\U` and this number of digits.
fn read_code_point(escape: Escape, digits: usize) -> Result<(Option<char>, usize), Stop> {
    let (value, len) = escape.value(escape.digits(2, 16, digits, digits))?;
    scalar_value(value, len)
}

/// Reads `\u{…}`: up to `max_digits` digits, each followed by any number of `_` where that is allowed.
fn read_braces(
    escape: Escape,
    max_digits: usize,
    has_underscores: bool,
) -> Result<(Option<char>, usize), Stop> {
    let mut value = 0_u32;
    let mut digits = 0;
    for (index, byte) in escape.bytes.iter().enumerate().skip(2) {
        let digit = char::from(*byte).to_digit(16);
        match (index, byte, digit) {
            (2, b'{', _) => {}
            (2, ..) => return Err(invalid(index)),
            (_, b'}', _) if digits > 0 => return scalar_value(value, index + 1),
            (_, b'_', _) if has_underscores && digits > 0 => {}
            (_, _, Some(digit)) if digits < max_digits => {
                value = value.saturating_mul(16).saturating_add(digit);
                digits += 1;
            }
            _ => return Err(invalid(index)),
        }
    }
    Err(escape.incomplete())
}

/// Returns the length of `\N{…}` in bytes. The name is not empty.
fn read_name(escape: Escape) -> Result<usize, Stop> {
    for (index, byte) in escape.bytes.iter().enumerate().skip(2) {
        match (index, byte) {
            (2, b'{') => {}
            (4.., b'}') => return Ok(index + 1),
            (3.., b' ' | b'-') => {}
            (3.., byte) if byte.is_ascii_alphanumeric() => {}
            _ => return Err(invalid(index)),
        }
    }
    Err(escape.incomplete())
}

/// Writes escape sequences.
struct EscapeEncoder {
    syntax: &'static EscapeForm,
    special: SpecialBytes,
}

impl EscapeEncoder {
    fn new(syntax: &'static EscapeForm, options: &EncodingOptions) -> EscapeEncoder {
        let (is_ascii, keeps_lines) = (options.flag(ASCII), options.flag(LINES));
        let special = SpecialBytes::new(|byte| match byte {
            b'\n' if keeps_lines => false,
            0x7F => syntax.escapes_delete || is_ascii,
            b'\\' | ..0x20 => true,
            _ if byte == syntax.quote => true,
            _ => is_ascii && !byte.is_ascii(),
        });
        EscapeEncoder { syntax, special }
    }
}

impl ItemFormat for EscapeEncoder {
    const MAX_LEN: usize = MAX_WRITTEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        let character = src.chars().next().unwrap_or_default();
        let value = u32::from(character);
        let simple = self.syntax.simple.iter().find(|[_, byte]| u32::from(*byte) == value);
        let mut writer = Writer::new();
        match simple {
            Some([letter, _]) => writer.push(&[b'\\', *letter]),
            None => (self.syntax.write)(character, &mut writer),
        }
        writer.item(character.len_utf8(), dst)
    }
}

/// Writes each character with a special byte as an escape.
struct CharacterEncoder {
    special: SpecialBytes,
    write: fn(char, &mut Writer),
}

impl ItemFormat for CharacterEncoder {
    const MAX_LEN: usize = MAX_WRITTEN;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        let character = src.chars().next().unwrap_or_default();
        let mut writer = Writer::new();
        (self.write)(character, &mut writer);
        writer.item(character.len_utf8(), dst)
    }
}

/// The maximum length of the escapes of a character in bytes.
const MAX_WRITTEN: usize = 24;

/// The escapes of a character.
type Writer = ItemText<MAX_WRITTEN>;

impl Writer {
    /// Appends a prefix and a number in hexadecimal digits in upper case, at least `min`.
    fn push_uppercase(&mut self, prefix: &[u8], value: u32, min: u32) {
        let digits = (u32::BITS - value.leading_zeros()).div_ceil(4).max(min);
        self.push_digits(prefix, value, digits, 4, &UPPERCASE);
    }

    /// Appends a prefix and a number of digits, of `bits` bits each.
    fn push_number(&mut self, prefix: &[u8], value: u32, digits: u32, bits: u32) {
        self.push_digits(prefix, value, digits, bits, &LOWERCASE);
    }

    fn push_digits(
        &mut self,
        prefix: &[u8],
        value: u32,
        digits: u32,
        bits: u32,
        letters: &[u8; 16],
    ) {
        self.push(prefix);
        for position in (0..digits).rev() {
            let digit = value >> (bits * position) & ((1 << bits) - 1);
            self.push(&[letters[digit as usize]]);
        }
    }
}

#[cfg(test)]
mod tests;
