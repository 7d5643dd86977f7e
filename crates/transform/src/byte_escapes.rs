//! Escapes of bytes, such as `\xC3\xA9` and `\303\251`, in logs and string literals.
//!
//! Decisions of the decoder:
//!
//! * `\x` with two hexadecimal digits and `\` with three octal digits up to 377 are bytes. Everything
//!   else represents itself, so the decoder can be applied to a whole log. `\\` remains as it is: the
//!   `\xC3` in `\\xC3` is not an escape.
//! * With `simple` all escapes of string literals are decoded: also `\\ \" \' \a \b \t \n \v \f \r`,
//!   and octal escapes of one or two digits.
//! * With `strict` a `\` that starts no escape is an error.
//! * With `keep-ascii` the escapes of ASCII characters remain: `\x22`, `\x0A` and `\n` would end a field or
//!   a line of the log, and `\x5C` would begin an escape.
//!
//! Decisions of the encoder:
//!
//! * It escapes non-ASCII bytes and `\`, as `\xC3` and `\x5C`, or `\303` and `\134`.
//! * With `simple` it writes what may be between double quotes: it also escapes `"` and control
//!   characters, and writes the short forms of the decoder. Together with `form=octal` that is how git
//!   quotes names of files. With `lines` line feeds remain.

use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::hex::{self, LOWERCASE, UPPERCASE};
use charpipe_kernel::special_bytes::SpecialBytes;

/// Escapes of bytes.
pub static BYTE_ESCAPES: Transform = Transform {
    name: "byte-escapes",
    aliases: &["c-bytes"],
    title: "byte escape",
    description: "Escapes of bytes such as \\xC3\\xA9 and \\303\\251; other text remains (ISO/IEC \
                  9899, section 6.4.4.4)",
    options: &[
        OptionSpec {
            name: "form",
            values: OptionValues::Choice(&["any", "hex", "octal"]),
            description: "the escapes: \\xC3 or \\303; any decodes both and writes \\xC3",
        },
        OptionSpec {
            name: "simple",
            values: OptionValues::Flag,
            description: "all escapes of string literals, such as \\n, \\\\ and \\0",
        },
        OptionSpec {
            name: "case",
            values: OptionValues::Choice(&["upper", "lower"]),
            description: "the case of hexadecimal digits when encoding",
        },
        OptionSpec {
            name: "lines",
            values: OptionValues::Flag,
            description: "keep line feeds when encoding with simple",
        },
        OptionSpec {
            name: "strict",
            values: OptionValues::Flag,
            description: "when decoding report a backslash that starts no escape",
        },
        super::KEEP_ASCII_ESCAPES,
    ],
    codecs: TransformCodecs::Bytes {
        decoder: |options| Box::new(ByteEscapeDecoder::new(options)),
        encoder: |options| Box::new(ByteEscapeEncoder::new(options)),
    },
};

/// The letters of simple escapes, with their bytes.
const SIMPLE: [[u8; 2]; 10] = [
    *b"\\\\", *b"\"\"", *b"''", *b"a\x07", *b"b\x08", *b"t\t", *b"n\n", *b"v\x0B", *b"f\x0C",
    *b"r\r",
];

/// Writes escapes, without a state.
struct ByteEscapeEncoder {
    special: SpecialBytes,
    /// The escape of each byte, padded with zeros.
    escapes: Box<[[u8; 4]; 256]>,
}

impl ByteEscapeEncoder {
    fn new(options: &EncodingOptions) -> ByteEscapeEncoder {
        let (is_simple, keeps_lines) = (options.flag("simple"), options.flag("lines"));
        let is_octal = options.is_choice("form", "octal");
        let digits = if options.is_choice("case", "lower") { &LOWERCASE } else { &UPPERCASE };
        let digit = |byte: u8, shift: u32, mask: u8| digits[usize::from(byte >> shift & mask)];
        let escape = |byte: u8| match SIMPLE.iter().find(|[_, own]| is_simple && *own == byte) {
            Some([letter, _]) => [b'\\', *letter, 0, 0],
            None if is_octal => [b'\\', digit(byte, 6, 3), digit(byte, 3, 7), digit(byte, 0, 7)],
            None => [b'\\', b'x', digit(byte, 4, 0xF), digit(byte, 0, 0xF)],
        };
        let special = SpecialBytes::new(|byte| match byte {
            b'\\' | 0x80.. => true,
            b'\n' => is_simple && !keeps_lines,
            b'"' | 0x7F | ..0x20 => is_simple,
            _ => false,
        });
        let escapes = Box::new(std::array::from_fn(|byte| escape(byte as u8)));
        ByteEscapeEncoder { special, escapes }
    }
}

impl Checkpoint for ByteEscapeEncoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl ByteTransform for ByteEscapeEncoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], _end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let byte = src[read];
            if !self.special.contains(byte) {
                let len = copy_plain(&self.special, &src[read..], &mut dst[written..]);
                if len == 0 {
                    return Progress::output_full(read, written);
                }
                read += len;
                written += len;
                continue;
            }
            let escape = &self.escapes[usize::from(byte)];
            let len = if escape[2] == 0 { 2 } else { 4 };
            let Some(to) = dst[written..].get_mut(..len) else {
                return Progress::output_full(read, written);
            };
            to.copy_from_slice(&escape[..len]);
            read += 1;
            written += len;
        }
        Progress::input_empty(read, written)
    }
}

/// Copies the bytes before the first special one while they fit, and returns their number.
fn copy_plain(special: &SpecialBytes, src: &[u8], dst: &mut [u8]) -> usize {
    let len = special.prefix_len(&src[..src.len().min(dst.len())]);
    dst[..len].copy_from_slice(&src[..len]);
    len
}

/// What a backslash starts.
enum Unit {
    /// The escape of a byte, of this length.
    Byte(u8, usize),
    /// This number of bytes that represent themselves.
    Copied(usize),
    Malformed(usize, MalformedReason),
    NeedMore,
}

/// Replaces escapes by bytes, without a state.
struct ByteEscapeDecoder {
    special: SpecialBytes,
    accepts_hex: bool,
    accepts_octal: bool,
    is_simple: bool,
    is_strict: bool,
    keeps_ascii: bool,
}

impl ByteEscapeDecoder {
    fn new(options: &EncodingOptions) -> ByteEscapeDecoder {
        ByteEscapeDecoder {
            special: SpecialBytes::new(|byte| byte == b'\\'),
            accepts_hex: !options.is_choice("form", "octal"),
            accepts_octal: !options.is_choice("form", "hex"),
            is_simple: options.flag("simple"),
            is_strict: options.flag("strict"),
            keeps_ascii: options.flag(super::KEEP_ASCII_ESCAPES.name),
        }
    }

    /// Returns what the backslash at the start of `src` starts.
    fn unit(&self, src: &[u8], end: bool) -> Unit {
        let Some(&letter) = src.get(1) else { return self.incomplete(1, end) };
        match letter {
            b'x' if self.accepts_hex => return self.hex(src, end),
            b'0'..=b'7' if self.accepts_octal => return self.octal(src, end),
            _ => {}
        }
        let simple = SIMPLE.iter().find(|[own, _]| self.is_simple && *own == letter);
        match (simple, letter) {
            (Some([_, byte]), _) => Unit::Byte(*byte, 2),
            (None, b'\\') if !self.is_strict => Unit::Copied(2),
            (None, b'!'..=b'~') => self.invalid(2, MalformedReason::InvalidEscape),
            (None, _) => self.invalid(1, MalformedReason::InvalidEscape),
        }
    }

    fn hex(&self, src: &[u8], end: bool) -> Unit {
        match src[2..] {
            [high, low, ..] => {
                if let Some(byte) = hex::decode_byte([high, low]) {
                    return Unit::Byte(byte, 4);
                }
            }
            [digit] if digit.is_ascii_hexdigit() => return self.incomplete(3, end),
            [] => return self.incomplete(2, end),
            _ => {}
        }
        let has_digit = src.get(2).is_some_and(u8::is_ascii_hexdigit);
        self.invalid(2 + usize::from(has_digit), MalformedReason::InvalidEscape)
    }

    fn octal(&self, src: &[u8], end: bool) -> Unit {
        let is_digit = |byte: &&u8| matches!(byte, b'0'..=b'7');
        let digits = src[1..].iter().take(3).take_while(is_digit);
        let (value, len) = digits
            .fold((0, 1), |(value, len), digit| (value << 3 | u32::from(*digit - b'0'), len + 1));
        let reaches_end = len == src.len() && len < 4;
        if reaches_end && (!end || !self.is_simple) {
            return self.incomplete(len, end);
        }
        match u8::try_from(value) {
            Ok(byte) if len == 4 || self.is_simple => Unit::Byte(byte, len),
            Ok(_) => self.invalid(len, MalformedReason::InvalidEscape),
            Err(_) => self.invalid(len, MalformedReason::OutOfRange),
        }
    }

    /// Returns the unit of `len` bytes that start an escape and are not followed by anything yet.
    fn incomplete(&self, len: usize, end: bool) -> Unit {
        match end {
            true => self.invalid(len, MalformedReason::Truncated),
            false => Unit::NeedMore,
        }
    }

    /// Returns the unit of a backslash that starts no escape.
    fn invalid(&self, len: usize, reason: MalformedReason) -> Unit {
        match self.is_strict {
            true => Unit::Malformed(len, reason),
            false => Unit::Copied(1),
        }
    }
}

impl Checkpoint for ByteEscapeDecoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl ByteTransform for ByteEscapeDecoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let rest = &src[read..];
            if rest[0] != b'\\' {
                let len = copy_plain(&self.special, rest, &mut dst[written..]);
                if len == 0 {
                    return Progress::output_full(read, written);
                }
                read += len;
                written += len;
                continue;
            }
            let decoded;
            let (bytes, len) = match self.unit(rest, end) {
                Unit::Byte(..0x80, len) if self.keeps_ascii => (&rest[..len], len),
                Unit::Byte(byte, len) => {
                    decoded = [byte];
                    (&decoded[..], len)
                }
                Unit::Copied(len) => (&rest[..len], len),
                Unit::Malformed(len, reason) => {
                    return Progress::error(
                        read,
                        written,
                        Malformed::new(len, reason, State::INITIAL),
                    );
                }
                Unit::NeedMore => break,
            };
            let Some(to) = dst[written..].get_mut(..bytes.len()) else {
                return Progress::output_full(read, written);
            };
            to.copy_from_slice(bytes);
            read += len;
            written += bytes.len();
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_testing::{decode, encode};
    use charpipe_encoding::conversion_error::MalformedReason::{
        InvalidEscape, OutOfRange, Truncated,
    };

    #[test]
    fn escapes_of_bytes_are_decoded_and_other_text_remains() {
        for (options, escaped, plain) in [
            ("", &b"caf\\xC3\\xa9 \\303\\251"[..], &b"caf\xC3\xA9 \xC3\xA9"[..]),
            (
                "",
                b"\\n \\\\xC3 \\12 \\xG1 \\400 \\377 \xE9 \\",
                b"\\n \\\\xC3 \\12 \\xG1 \\400 \xFF \xE9 \\",
            ),
            ("form=hex", b"C:\\303 \\xC3", b"C:\\303 \xC3"),
            ("form=octal", b"\\303 \\xC3", b"\xC3 \\xC3"),
            (
                "simple",
                b"\\a\\b\\t\\n\\v\\f\\r\\\"\\'\\\\ \\0\\12\\101\\q",
                b"\x07\x08\t\n\x0B\x0C\r\"'\\ \0\nA\\q",
            ),
            (
                "keep-ascii",
                b"\\x22\\xC3\\xA9\\x0a \\x5CxC3 \\012\\303\\251 \\n",
                b"\\x22\xC3\xA9\\x0a \\x5CxC3 \\012\xC3\xA9 \\n",
            ),
            ("keep-ascii,simple", b"\\n\\\"\\\\xC3 \\xC3", b"\\n\\\"\\\\xC3 \xC3"),
        ] {
            assert_eq!(
                decode(&BYTE_ESCAPES, options, escaped),
                (plain.into(), vec![]),
                "{options}"
            );
        }
    }

    #[test]
    fn invalid_escapes_are_reported_on_request() {
        let decode = |src: &str| decode(&BYTE_ESCAPES, "strict", src).1;
        assert_eq!(
            decode("\\xG1 \\x4G \\4z"),
            [(0, 2, InvalidEscape), (5, 3, InvalidEscape), (10, 2, InvalidEscape)]
        );
        assert_eq!(
            decode("\\\\ \\n \\é \\400"),
            [
                (0, 2, InvalidEscape),
                (3, 2, InvalidEscape),
                (6, 1, InvalidEscape),
                (10, 4, OutOfRange)
            ]
        );
        assert_eq!(decode("\\"), [(0, 1, Truncated)]);
        assert_eq!(decode("\\x4"), [(0, 3, Truncated)]);
        assert_eq!(decode("\\30"), [(0, 3, Truncated)]);
    }

    #[test]
    fn non_ascii_bytes_and_backslashes_are_escaped() {
        let plain = "é\\ \"\n\x01";
        assert_eq!(encode(&BYTE_ESCAPES, "", plain), "\\xC3\\xA9\\x5C \"\n\x01");
        assert_eq!(
            encode(&BYTE_ESCAPES, "case=lower,simple", plain),
            "\\xc3\\xa9\\\\ \\\"\\n\\x01"
        );
        // As `git ls-files` prints the name.
        assert_eq!(
            encode(&BYTE_ESCAPES, "form=octal,simple", plain),
            "\\303\\251\\\\ \\\"\\n\\001"
        );
        assert_eq!(encode(&BYTE_ESCAPES, "simple,lines", "\n\r"), "\n\\r");
    }
}
