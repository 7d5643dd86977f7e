//! Percent-encoding (RFC 3986, section 2.1) and `application/x-www-form-urlencoded` (URL Standard,
//! section 5).
//!
//! Decisions:
//!
//! * `percent` escapes all bytes except the unreserved characters of RFC 3986, as
//!   `urllib.parse.quote` with `safe=""` and, apart from `!*'()`, `encodeURIComponent` do. With
//!   `keep=reserved` it leaves reserved characters unchanged, so that a whole URI stays one.
//! * `form` writes a space as `+` and leaves `*-._` unchanged, as the URL Standard does. It encodes
//!   a single name or value: `=` and `&` are escaped. When decoding they represent themselves.
//! * With `lines` the encoder does not escape line endings (LF and CR LF), so that each line is
//!   encoded by itself. The decoders always accept line endings.
//! * The decoders accept hexadecimal digits of both cases. All characters of RFC 3986 represent
//!   themselves; other bytes are errors. An invalid escape is the `%` with up to two printable
//!   characters after it. With `lenient` other bytes, and a `%` that starts no escape, represent
//!   themselves, as in the URL Standard. With `keep-ascii` the escapes of ASCII characters remain: `%20`,
//!   `%22` and `%0A` would end a field or a line of a log, and `%25` would begin an escape.

use super::unit_table::{self, UnitTable};
use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::special_bytes::SpecialBytes;
use charpipe_kernel::{byte_escapes, hex};

const LINES: OptionSpec = OptionSpec {
    name: "lines",
    values: OptionValues::Flag,
    description: "keep line endings when encoding",
};

const LENIENT: OptionSpec = OptionSpec {
    name: "lenient",
    values: OptionValues::Flag,
    description: "when decoding copy invalid escapes and other bytes",
};

/// Percent-encoding.
pub static PERCENT: Transform = Transform {
    name: "percent",
    aliases: &["url"],
    title: "percent-encoding",
    description: "Escapes such as %C3%A9 in URLs (RFC 3986, section 2.1)",
    options: &[
        OptionSpec {
            name: "keep",
            values: OptionValues::Choice(&["unreserved", "reserved"]),
            description: "the characters that are not escaped when encoding; reserved adds \
                          :/?#[]@!$&'()*+,;=",
        },
        LINES,
        LENIENT,
        super::KEEP_ASCII_ESCAPES,
    ],
    codecs: TransformCodecs::Bytes {
        decoder: |options| Box::new(PercentDecoder::new(options, false)),
        encoder: |options| {
            let keeps_reserved = options.is_choice("keep", "reserved");
            let is_kept = |byte| is_unreserved(byte) || (keeps_reserved && is_reserved(byte));
            Box::new(PercentEncoder::new(options, AsciiByteSet::new(is_kept), false))
        },
    },
};

/// The encoding of form fields.
pub static FORM: Transform = Transform {
    name: "form",
    aliases: &["x-www-form-urlencoded"],
    title: "form encoding",
    description: "A name or value of application/x-www-form-urlencoded, with + for spaces (URL \
                  Standard)",
    options: &[LINES, LENIENT, super::KEEP_ASCII_ESCAPES],
    codecs: TransformCodecs::Bytes {
        decoder: |options| Box::new(PercentDecoder::new(options, true)),
        encoder: |options| {
            let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"*-._".contains(&byte);
            Box::new(PercentEncoder::new(options, AsciiByteSet::new(is_kept), true))
        },
    },
};

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~".contains(&byte)
}

fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

/// Escapes bytes, without a state.
struct PercentEncoder {
    kept: AsciiByteSet,
    /// CR and LF are special if line endings are kept.
    units: UnitTable,
}

impl PercentEncoder {
    fn new(options: &EncodingOptions, kept: AsciiByteSet, is_form: bool) -> PercentEncoder {
        let mut units = UnitTable::new(b'%', |byte| kept.contains(byte));
        if is_form {
            units.set(b' ', b'+');
        }
        if options.flag("lines") {
            units.set_special(b'\n');
            units.set_special(b'\r');
        }
        PercentEncoder { kept, units }
    }
}

impl Checkpoint for PercentEncoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl ByteTransform for PercentEncoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let (from, to) = (&src[read..], &mut dst[written..]);
            let run = byte_escapes::encode(self.units.units(), &self.kept, from, to);
            read += run.0;
            written += run.1;
            let done = self.units.encode(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            if run.0 + done.0 > 0 {
                continue;
            }
            let (unit, len) = self.units.unit(src[read]);
            let (unit, read_len) = match src[read..] {
                _ if len > 0 => (&unit[..len], 1),
                [b'\n', ..] => (&b"\n"[..], 1),
                [b'\r', b'\n', ..] => (&b"\r\n"[..], 2),
                [b'\r'] if !end => break,
                _ => (&b"%0D"[..], 1),
            };
            let Some(to) = dst[written..].get_mut(..unit.len()) else {
                return Progress::output_full(read, written);
            };
            to.copy_from_slice(unit);
            read += read_len;
            written += unit.len();
        }
        Progress::input_empty(read, written)
    }
}

/// Replaces escapes by bytes, without a state.
struct PercentDecoder {
    literals: AsciiByteSet,
    /// What each byte represents, except `%`.
    single: [Option<u8>; 256],
    /// Whether `+` is a space.
    is_form: bool,
    is_lenient: bool,
    /// With `keep-ascii`, the bytes that are not copied.
    special: Option<SpecialBytes>,
}

impl PercentDecoder {
    fn new(options: &EncodingOptions, is_form: bool) -> PercentDecoder {
        let is_lenient = options.flag("lenient");
        let keeps_ascii = options.flag(super::KEEP_ASCII_ESCAPES.name);
        let is_form = is_form && !keeps_ascii;
        let is_literal = |byte| {
            let is_known = is_unreserved(byte) || is_reserved(byte) || byte == b'\n';
            (is_known || (is_lenient && byte != b'%')) && !(is_form && byte == b'+')
        };
        let literals = AsciiByteSet::new(is_literal);
        let single = std::array::from_fn(|byte| match byte as u8 {
            b'+' if is_form => Some(b' '),
            byte => literals.contains(byte).then_some(byte),
        });
        let is_plain = |byte| literals.contains(byte) || is_lenient && byte != b'%';
        let special = keeps_ascii.then(|| SpecialBytes::new(|byte| !is_plain(byte)));
        PercentDecoder { literals, single, is_form, is_lenient, special }
    }

    /// Decodes bytes up to one that needs [`unit`](Self::unit). Returns the numbers of bytes read and
    /// written.
    fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if let Some(special) = &self.special {
            let len = special.prefix_len(&src[..src.len().min(dst.len())]);
            dst[..len].copy_from_slice(&src[..len]);
            return (len, len);
        }
        let run = byte_escapes::decode(b'%', &self.literals, src, dst);
        let (from, to) = (&src[run.0..], &mut dst[run.1..]);
        let done = unit_table::decode_escapes(b'%', &self.single, from, to);
        (run.0 + done.0, run.1 + done.1)
    }

    /// Returns the byte of the first character or escape and the length, or `None` if more input is
    /// needed.
    fn unit(&self, src: &[u8], end: bool) -> Result<Option<(u8, usize)>, Malformed> {
        let error = |len, reason| Err(Malformed::new(len, reason, State::INITIAL));
        match src[0] {
            b'%' => {}
            b'+' if self.is_form => return Ok(Some((b' ', 1))),
            byte if self.is_lenient || self.literals.contains(byte) => return Ok(Some((byte, 1))),
            b'\r' => {
                return match src.get(1) {
                    Some(b'\n') => Ok(Some((b'\r', 1))),
                    None if !end => Ok(None),
                    _ => error(1, MalformedReason::InvalidCharacter),
                };
            }
            _ => return error(1, MalformedReason::InvalidCharacter),
        }
        match src {
            [_, high, low, ..] => {
                if let Some(byte) = hex::decode_byte([*high, *low]) {
                    // The digits after a `%` that remains represent themselves.
                    let is_kept = byte.is_ascii() && self.special.is_some();
                    return Ok(Some(if is_kept { (b'%', 1) } else { (byte, 3) }));
                }
            }
            [_, digit] if !end && digit.is_ascii_hexdigit() => return Ok(None),
            [_] if !end => return Ok(None),
            _ => {}
        }
        if self.is_lenient {
            return Ok(Some((b'%', 1)));
        }
        let is_printable = |byte: &&u8| matches!(byte, b'!'..=b'~') && **byte != b'%';
        let printable = src[1..].iter().take(2).take_while(is_printable).count();
        match src.len() - 1 - printable {
            // Whether another character belongs to it is not known yet.
            0 if printable < 2 && !end => Ok(None),
            0 if printable < 2 => error(1 + printable, MalformedReason::Truncated),
            _ => error(1 + printable, MalformedReason::InvalidEscape),
        }
    }
}

impl Checkpoint for PercentDecoder {
    fn max_lookahead(&self) -> usize {
        4
    }
}

impl ByteTransform for PercentDecoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let run = self.decode_run(&src[read..], &mut dst[written..]);
            read += run.0;
            written += run.1;
            if run.0 > 0 {
                continue;
            }
            match self.unit(&src[read..], end) {
                Ok(Some((byte, len))) => {
                    let Some(to) = dst.get_mut(written) else {
                        return Progress::output_full(read, written);
                    };
                    *to = byte;
                    read += len;
                    written += 1;
                }
                Ok(None) => break,
                Err(error) => return Progress::error(read, written, error),
            }
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::byte_testing::{decode, encode};
    use charpipe_encoding::conversion_error::MalformedReason::{
        InvalidCharacter, InvalidEscape, Truncated,
    };

    #[test]
    fn characters_outside_the_set_are_escaped() {
        assert_eq!(encode(&PERCENT, "", "a-b._~ é/?%\n"), "a-b._~%20%C3%A9%2F%3F%25%0A");
        assert_eq!(
            encode(&PERCENT, "keep=reserved", "http://é/?a[0]=%"),
            "http://%C3%A9/?a[0]=%25"
        );
        assert_eq!(encode(&PERCENT, "lines", "a b\nc\rd\r\n\r"), "a%20b\nc%0Dd\r\n%0D");
        assert_eq!(encode(&FORM, "", "a b+c~*=&\n"), "a+b%2Bc%7E*%3D%26%0A");
    }

    #[test]
    fn escapes_are_decoded_in_both_cases() {
        let (plain, escaped) = ("é +%", "%C3%a9%20+%25");
        assert_eq!(decode(&PERCENT, "", escaped), (plain.into(), vec![]));
        assert_eq!(decode(&FORM, "", "a=%C3%A9+%2B&b\r\n"), ("a=é +&b\r\n".into(), vec![]));
    }

    #[test]
    fn invalid_input_is_reported() {
        let decode_to = |src: &[u8]| decode(&PERCENT, "", src);
        assert_eq!(
            decode_to(b"a%G1b%4%41"),
            ("abA".into(), vec![(1, 3, InvalidEscape), (5, 2, InvalidEscape)])
        );
        assert_eq!(decode_to(b"%4"), ("".into(), vec![(0, 2, Truncated)]));
        assert_eq!(decode_to(b"a%"), ("a".into(), vec![(1, 1, Truncated)]));
        assert_eq!(
            decode_to(b"a b\xE9\r<"),
            (
                "ab".into(),
                vec![
                    (1, 1, InvalidCharacter),
                    (3, 1, InvalidCharacter),
                    (4, 1, InvalidCharacter),
                    (5, 1, InvalidCharacter)
                ]
            )
        );
        let log = b"GET /caf%C3%A9%20%22%0A%25C3+%\xE9 x";
        let kept = b"GET /caf\xC3\xA9%20%22%0A%25C3+%\xE9 x";
        assert_eq!(decode(&PERCENT, "lenient,keep-ascii", log), (kept.into(), vec![]));
        assert_eq!(decode(&FORM, "lenient,keep-ascii", log), (kept.into(), vec![]));
        let lenient = decode(&PERCENT, "lenient", b"a b\xE9%G1%4%%41%");
        assert_eq!(lenient, (b"a b\xE9%G1%4%A%".into(), vec![]));
    }
}
