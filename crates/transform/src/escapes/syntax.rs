//! The escape syntaxes of the languages.

use super::unicode::{UnicodeEscapeDecoder, UnicodeEscapeEncoder};
use super::{
    EscapeDecoder, EscapeEncoder, ItemTransform, MAX_LEN, OPTIONS, Transform, TransformCodecs,
    UNICODE, Writer,
};

/// The escape sequences of a language.
pub(super) struct EscapeForm {
    /// The letters after `\` with their characters. The encoder writes the first of a character.
    pub simple: &'static [[u8; 2]],
    /// The maximum value of an octal escape of up to three digits, or zero if there are none.
    pub max_octal: u32,
    /// The form of `\x`.
    pub hex: HexEscape,
    /// The digits of octal and hexadecimal escapes, where they are bytes of UTF-8.
    pub byte_digits: Option<ByteDigits>,
    /// The form of `\u`.
    pub numeric: NumericStyle,
    /// Whether there is `\N{NAME}`.
    pub has_names: bool,
    /// What `\` before a line ending does.
    pub continuation: EscapeContinuation,
    /// What `\` before another character is.
    pub unknown: UnknownEscape,
    /// The quotation mark around literals.
    pub quote: u8,
    /// Returns whether a byte must not appear in a literal.
    pub is_forbidden: fn(u8) -> bool,
    /// Whether U+007F is escaped, even without `ascii`.
    pub escapes_delete: bool,
    /// Writes the escape of a character that is not in `simple`.
    pub write: fn(char, &mut Writer),
    /// Writes the Unicode escape of a non-ASCII character, or nothing if it has none.
    pub write_unicode: fn(char, &mut Writer),
}

/// The number of digits in escapes of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByteDigits {
    /// The minimum of octal digits, of at most three.
    pub octal_min: usize,
    /// The minimum of hexadecimal digits after `\x`.
    pub hex_min: usize,
    /// The maximum of hexadecimal digits.
    pub hex_max: usize,
}

/// What `\` before a character without a meaning is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnknownEscape {
    /// An error.
    Invalid,
    /// A backslash. With `strict`, it is an error.
    Backslash,
    /// The character.
    Character,
}

/// The form of `\x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HexEscape {
    /// There is none.
    None,
    /// Two digits, up to 7F.
    Ascii,
    /// Two digits.
    Latin1,
    /// The digits of a byte.
    Bytes,
}

/// The form of `\u`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumericStyle {
    /// Four digits, a code unit of UTF-16.
    Utf16 {
        /// Whether there may be several `u`.
        repeats_u: bool,
    },
    /// Four digits, or eight after `\U`: a code point.
    CodePoints,
    /// The same, and code units of surrogate pairs.
    CodePointsAndPairs,
    /// Digits in braces.
    Braces {
        /// The maximum number of digits.
        max_digits: usize,
        /// Whether `_` may follow a digit.
        has_underscores: bool,
    },
    /// Four digits, a code unit of UTF-16, or any number of digits in braces.
    Utf16OrBraces,
}

impl NumericStyle {
    /// Returns whether there is `\U` with eight digits.
    pub fn has_eight_digits(self) -> bool {
        matches!(self, NumericStyle::CodePoints | NumericStyle::CodePointsAndPairs)
    }
}

/// What `\` before a line ending does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EscapeContinuation {
    /// It is invalid.
    None,
    /// Both are removed.
    Removed,
    /// Both and the white space after them are removed.
    SkipsSpace,
}

/// Defines the transform of a syntax.
macro_rules! escape_transform {
    ($(#[$doc:meta])* $id:ident, $name:literal, $title:literal, $description:literal, $syntax:expr) => {
        $(#[$doc])*
        pub static $id: Transform = Transform {
            name: $name,
            aliases: &[],
            title: $title,
            description: $description,
            options: &OPTIONS,
            codecs: TransformCodecs::Text {
                decoder: Some(|options| match options.flag(UNICODE) {
                    true => Box::new(ItemTransform::new(UnicodeEscapeDecoder::new(&$syntax, options))),
                    false => Box::new(ItemTransform::new(EscapeDecoder::new(&$syntax, options))),
                }),
                encoder: |options| match options.flag(UNICODE) {
                    true => Box::new(ItemTransform::new(UnicodeEscapeEncoder::new($syntax.write_unicode))),
                    false => Box::new(ItemTransform::new(EscapeEncoder::new(&$syntax, options))),
                },
            },
        };
    };
}

escape_transform! {
    /// Java.
    JAVA, "java", "Java",
    "Escapes of Java: \\n, \\u20ac, \\ud83d\\ude00 (Java Language Specification, 3.3 and 3.10.7)",
    JAVA_SYNTAX
}

escape_transform! {
    /// JSON.
    JSON, "json", "JSON",
    "Escapes of JSON strings: \\n, \\u20ac, \\ud83d\\ude00 (RFC 8259, section 7)",
    JSON_SYNTAX
}

escape_transform! {
    /// C.
    C, "c", "C",
    "Escapes of C: \\n, \\342\\202\\254, \\u20ac, \\U0001f600 (ISO/IEC 9899, sections 6.4.3 and 6.4.4)",
    C_SYNTAX
}

escape_transform! {
    /// Rust.
    RUST, "rust", "Rust",
    "Escapes of Rust: \\n, \\x7f, \\u{20ac} (The Rust Reference, \"Literal expressions\")",
    RUST_SYNTAX
}

escape_transform! {
    /// Python.
    PYTHON, "python", "Python",
    "Escapes of Python: \\n, \\xe9, \\u20ac, \\U0001f600 (Python Language Reference, 2.4.1.1)",
    PYTHON_SYNTAX
}

escape_transform! {
    /// Go.
    GO, "go", "Go",
    "Escapes of Go: \\n, \\x7f, \\u20ac, \\U0001f600 (The Go Programming Language Specification, \"Rune literals\")",
    GO_SYNTAX
}

escape_transform! {
    /// JavaScript.
    JAVASCRIPT, "javascript", "JavaScript",
    "Escapes of JavaScript: \\n, \\xe9, \\u20ac, \\u{1f600} (ECMA-262, section 12.9.4)",
    JAVASCRIPT_SYNTAX
}

escape_transform! {
    /// Swift.
    SWIFT, "swift", "Swift",
    "Escapes of Swift: \\n, \\u{20ac} (The Swift Programming Language, \"Lexical Structure\")",
    SWIFT_SYNTAX
}

escape_transform! {
    /// PostgreSQL.
    POSTGRES, "postgres", "PostgreSQL",
    "Escapes of E'…' in PostgreSQL: \\n, \\303\\251, \\u20ac, \\U0001f600 (its documentation, section 4.1.2.2)",
    POSTGRES_SYNTAX
}

/// A Unicode escape of a backslash is a backslash; it does not begin another escape sequence. Source
/// text that has only the escapes of section 3.3, as from native2ascii, is the encoding `JAVA`.
static JAVA_SYNTAX: EscapeForm = EscapeForm {
    simple: &[*b"b\x08", *b"t\t", *b"n\n", *b"f\x0C", *b"r\r", *b"\"\"", *b"\\\\", *b"''", *b"s "],
    max_octal: 0o377,
    hex: HexEscape::None,
    byte_digits: None,
    numeric: NumericStyle::Utf16 { repeats_u: true },
    has_names: false,
    continuation: EscapeContinuation::Removed,
    unknown: UnknownEscape::Invalid,
    quote: b'"',
    is_forbidden: |byte| matches!(byte, b'"' | b'\n' | b'\r'),
    escapes_delete: true,
    write: write_utf16,
    write_unicode: write_utf16,
};

static JSON_SYNTAX: EscapeForm = EscapeForm {
    simple: &[*b"\"\"", *b"\\\\", *b"//", *b"b\x08", *b"f\x0C", *b"n\n", *b"r\r", *b"t\t"],
    max_octal: 0,
    hex: HexEscape::None,
    byte_digits: None,
    numeric: NumericStyle::Utf16 { repeats_u: false },
    has_names: false,
    continuation: EscapeContinuation::None,
    unknown: UnknownEscape::Invalid,
    quote: b'"',
    is_forbidden: |byte| byte == b'"' || byte < 0x20,
    escapes_delete: false,
    write: write_utf16,
    write_unicode: write_utf16,
};

/// Octal and hexadecimal escapes are bytes, and are read and written as bytes of UTF-8.
static C_SYNTAX: EscapeForm = EscapeForm {
    simple: &[
        *b"a\x07", *b"b\x08", *b"t\t", *b"n\n", *b"v\x0B", *b"f\x0C", *b"r\r", *b"\"\"", *b"\\\\",
        *b"''", *b"??",
    ],
    max_octal: 0o777,
    hex: HexEscape::Bytes,
    byte_digits: Some(ByteDigits { octal_min: 1, hex_min: 1, hex_max: MAX_LEN }),
    numeric: NumericStyle::CodePoints,
    has_names: false,
    continuation: EscapeContinuation::Removed,
    unknown: UnknownEscape::Invalid,
    quote: b'"',
    is_forbidden: |byte| matches!(byte, b'"' | b'\n'),
    escapes_delete: true,
    write: |character, writer| match u32::from(character) {
        // Universal character names may not designate these.
        ..0xA0 => {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                writer.push_number(b"\\", u32::from(byte), 3, 3);
            }
        }
        _ => write_code_point(character, writer),
    },
    write_unicode: |character, writer| match character {
        '\u{80}'..='\u{9F}' => {}
        _ => write_code_point(character, writer),
    },
};

static RUST_SYNTAX: EscapeForm = EscapeForm {
    simple: &[*b"t\t", *b"n\n", *b"r\r", *b"0\0", *b"\"\"", *b"\\\\", *b"''"],
    max_octal: 0,
    hex: HexEscape::Ascii,
    byte_digits: None,
    numeric: NumericStyle::Braces { max_digits: 6, has_underscores: true },
    has_names: false,
    continuation: EscapeContinuation::SkipsSpace,
    unknown: UnknownEscape::Invalid,
    quote: b'"',
    is_forbidden: |byte| matches!(byte, b'"' | b'\r'),
    escapes_delete: true,
    write: write_braces,
    write_unicode: write_braces,
};

/// Names (`\N{EURO SIGN}`) are unknown without the feature `transforms`.
static PYTHON_SYNTAX: EscapeForm = EscapeForm {
    simple: &[
        *b"t\t", *b"n\n", *b"r\r", *b"\"\"", *b"\\\\", *b"''", *b"a\x07", *b"b\x08", *b"f\x0C",
        *b"v\x0B",
    ],
    max_octal: 0o777,
    hex: HexEscape::Latin1,
    byte_digits: None,
    numeric: NumericStyle::CodePoints,
    has_names: true,
    continuation: EscapeContinuation::Removed,
    unknown: UnknownEscape::Backslash,
    quote: b'"',
    is_forbidden: |byte| matches!(byte, b'"' | b'\n' | b'\r'),
    escapes_delete: true,
    write: |character, writer| match u32::from(character) {
        value @ ..=0xFF => writer.push_number(b"\\x", value, 2, 4),
        _ => write_code_point(character, writer),
    },
    write_unicode: write_code_point,
};

/// Octal and hexadecimal escapes are bytes, and are read as bytes of UTF-8.
static GO_SYNTAX: EscapeForm = EscapeForm {
    simple: &[
        *b"a\x07", *b"b\x08", *b"f\x0C", *b"n\n", *b"r\r", *b"t\t", *b"v\x0B", *b"\\\\", *b"\"\"",
        *b"''",
    ],
    max_octal: 0o777,
    hex: HexEscape::Bytes,
    byte_digits: Some(ByteDigits { octal_min: 3, hex_min: 2, hex_max: 2 }),
    numeric: NumericStyle::CodePoints,
    has_names: false,
    continuation: EscapeContinuation::None,
    unknown: UnknownEscape::Invalid,
    quote: b'"',
    is_forbidden: |byte| matches!(byte, b'"' | b'\n'),
    escapes_delete: true,
    write: write_byte_or_code_point,
    write_unicode: write_code_point,
};

static JAVASCRIPT_SYNTAX: EscapeForm = EscapeForm {
    simple: &[
        *b"b\x08", *b"t\t", *b"n\n", *b"v\x0B", *b"f\x0C", *b"r\r", *b"\"\"", *b"''", *b"\\\\",
    ],
    max_octal: 0o377,
    hex: HexEscape::Latin1,
    byte_digits: None,
    numeric: NumericStyle::Utf16OrBraces,
    has_names: false,
    continuation: EscapeContinuation::Removed,
    unknown: UnknownEscape::Character,
    quote: b'"',
    is_forbidden: |byte| matches!(byte, b'"' | b'\n' | b'\r'),
    escapes_delete: true,
    write: write_utf16,
    write_unicode: write_utf16,
};

static SWIFT_SYNTAX: EscapeForm = EscapeForm {
    simple: &[*b"0\0", *b"\\\\", *b"t\t", *b"n\n", *b"r\r", *b"\"\"", *b"''"],
    max_octal: 0,
    hex: HexEscape::None,
    byte_digits: None,
    numeric: NumericStyle::Braces { max_digits: 8, has_underscores: false },
    has_names: false,
    continuation: EscapeContinuation::None,
    unknown: UnknownEscape::Invalid,
    quote: b'"',
    is_forbidden: |byte| matches!(byte, b'"' | b'\n' | b'\r'),
    escapes_delete: true,
    write: write_braces,
    write_unicode: write_braces,
};

/// Octal and hexadecimal escapes are bytes, and are read as bytes of UTF-8.
static POSTGRES_SYNTAX: EscapeForm = EscapeForm {
    simple: &[*b"b\x08", *b"f\x0C", *b"n\n", *b"r\r", *b"t\t", *b"''", *b"\\\\"],
    max_octal: 0o777,
    hex: HexEscape::Bytes,
    byte_digits: Some(ByteDigits { octal_min: 1, hex_min: 1, hex_max: 2 }),
    numeric: NumericStyle::CodePointsAndPairs,
    has_names: false,
    continuation: EscapeContinuation::None,
    unknown: UnknownEscape::Character,
    quote: b'\'',
    is_forbidden: |byte| byte == b'\'',
    escapes_delete: true,
    write: write_byte_or_code_point,
    write_unicode: write_code_point,
};

/// Writes one escape for each code unit.
fn write_utf16(character: char, writer: &mut Writer) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        writer.push_number(b"\\u", u32::from(*unit), 4, 4);
    }
}

/// Writes four digits, or eight after `\U`.
fn write_code_point(character: char, writer: &mut Writer) {
    match u32::from(character) {
        value @ ..=0xFFFF => writer.push_number(b"\\u", value, 4, 4),
        value => writer.push_number(b"\\U", value, 8, 4),
    }
}

/// Writes two digits after `\x` for ASCII, or else a code point.
fn write_byte_or_code_point(character: char, writer: &mut Writer) {
    match u32::from(character) {
        value @ ..0x80 => writer.push_number(b"\\x", value, 2, 4),
        _ => write_code_point(character, writer),
    }
}

/// Writes the digits of a character in braces.
fn write_braces(character: char, writer: &mut Writer) {
    let value = u32::from(character);
    let digits = (u32::BITS - value.leading_zeros()).div_ceil(4).max(1);
    writer.push_number(b"\\u{", value, digits, 4);
    writer.push(b"}");
}
