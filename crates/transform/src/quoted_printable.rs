//! Quoted-printable (RFC 2045, section 6.7).
//!
//! Decisions of the decoder:
//!
//! * Lower-case hexadecimal digits are accepted, which the RFC allows.
//! * LF is a line ending, and so is CR LF. They are kept as they are. A CR without LF is an error.
//! * White space at the end of a line, or of the input, is dropped (rule 3), also between the `=` of
//!   a soft line break and the line ending. Only the last 1,000 bytes of a run of it are dropped.
//! * Bytes above 7E and control characters are errors (rule 2).
//! * An invalid escape is the `=` with up to two printable characters after it; decoding resumes
//!   after them. A `=` at the end of the input is an error: nothing follows the soft line break.
//! * Lines of more than 76 characters are accepted.
//! * With the option `lenient` all other bytes, and a `=` that starts no escape, represent
//!   themselves, which is what RFC 2045 suggests to robust decoders.
//!
//! Decisions of the encoder:
//!
//! * LF and CR LF are line endings of the text and are kept; a soft line break ends in LF. With
//!   `newline=crlf`, as in mail, all of them become CR LF. With `binary` CR and LF are escaped.
//! * Space and tab are escaped only at the end of a line or of the input.
//! * Lines have up to 76 characters, including the `=` of a soft line break.

use super::unit_table::UnitTable;
use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::ascii_set::AsciiByteSet;
use charpipe_kernel::byte_escapes::is_space;
use charpipe_kernel::{byte_escapes, hex, quoted_printable};

/// Quoted-printable.
pub static QUOTED_PRINTABLE: Transform = Transform {
    name: "qp",
    aliases: &["quoted-printable"],
    title: "quoted-printable",
    description: "Escapes such as =3D, in lines of up to 76 characters (RFC 2045, section 6.7)",
    options: &[
        OptionSpec {
            name: "binary",
            values: OptionValues::Flag,
            description: "escape CR and LF when encoding",
        },
        OptionSpec {
            name: "newline",
            values: OptionValues::Choice(&["lf", "crlf"]),
            description: "the ending of soft line breaks when encoding; crlf also converts all line \
                          endings of the text",
        },
        OptionSpec {
            name: "lenient",
            values: OptionValues::Flag,
            description: "when decoding copy invalid escapes and other bytes",
        },
    ],
    codecs: TransformCodecs::Bytes {
        decoder: |options| Box::new(QpDecoder::new(options)),
        encoder: |options| Box::new(QpEncoder::new(options)),
    },
};

/// The maximum length of a line.
const MAX_LINE_LEN: usize = 76;

/// The number of literal bytes in a row after which a vectorized copy is faster.
const LONG_RUN: usize = 8;

/// The maximum length of white space that the decoder drops, for which it looks ahead.
const MAX_SPACE_LEN: usize = 1000;

/// Returns whether a byte other than white space represents itself.
fn is_literal(byte: u8) -> bool {
    matches!(byte, b'!'..=b'~') && byte != b'='
}

/// The end of a line or the bytes that start something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineEnd {
    /// A line ending of this length, or the end of the input, which has length 0.
    Found(usize),
    /// Something else.
    NotHere,
    /// More input is needed.
    Unknown,
}

/// Looks for a line ending at the start of `src`.
fn line_end(src: &[u8], end: bool) -> LineEnd {
    match src {
        [] if end => LineEnd::Found(0),
        [b'\n', ..] => LineEnd::Found(1),
        [b'\r', b'\n', ..] => LineEnd::Found(2),
        [] => LineEnd::Unknown,
        [b'\r'] if !end => LineEnd::Unknown,
        _ => LineEnd::NotHere,
    }
}

fn escape(byte: u8) -> [u8; 3] {
    let [high, low] = hex::encode_byte(byte);
    [b'=', high, low]
}

/// Encodes to quoted-printable. The state is the number of characters in the line.
struct QpEncoder {
    is_binary: bool,
    is_crlf: bool,
    /// Literal characters and white space.
    literals: AsciiByteSet,
    /// CR and LF are special if they are line endings.
    units: UnitTable,
    column: usize,
}

impl QpEncoder {
    fn new(options: &EncodingOptions) -> QpEncoder {
        let is_binary = options.flag("binary");
        let mut units = UnitTable::new(b'=', is_literal);
        units.set(b' ', b' ');
        units.set(b'\t', b'\t');
        if !is_binary {
            units.set_special(b'\r');
            units.set_special(b'\n');
        }
        QpEncoder {
            is_binary,
            units,
            is_crlf: options.is_choice("newline", "crlf"),
            literals: AsciiByteSet::new(|byte| is_literal(byte) || is_space(byte)),
            column: 0,
        }
    }

    /// Looks for a line ending that is not escaped, or the end of the input.
    fn line_end(&self, src: &[u8], end: bool) -> LineEnd {
        match src {
            [_, ..] if self.is_binary => LineEnd::NotHere,
            _ => line_end(src, end),
        }
    }

    /// Encodes bytes by the kernel, which stops shortly before the end of a slice. Returns the numbers of
    /// bytes read and written.
    fn encode_run(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (read, written, column) = quoted_printable::encode(
            self.units.units(),
            &self.literals,
            self.is_crlf,
            self.column,
            src,
            dst,
        );
        self.column = column;
        (read, written)
    }

    /// Encodes bytes for which the next one suffices, up to the end of a line. Returns the numbers of
    /// bytes read and written.
    fn encode_units(&mut self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written, mut column) = (0, 0, self.column);
        while let Some(&[byte, next]) = src[read..].first_chunk() {
            let Some(to) = dst[written..].first_chunk_mut::<8>() else { break };
            let (unit, len) = self.units.unit(byte);
            if len == 0 || self.units.unit(next).1 == 0 {
                break;
            }
            if column + len >= MAX_LINE_LEN {
                let newline = self.newline();
                to[0] = b'=';
                to[1..=newline.len()].copy_from_slice(newline);
                written += 1 + newline.len();
                column = 0;
                // The unit starts the next line, where a run may begin.
                break;
            }
            to[..4].copy_from_slice(&unit);
            read += 1;
            written += len;
            column += len;
        }
        self.column = column;
        (read, written)
    }

    fn newline(&self) -> &'static [u8] {
        if self.is_crlf { b"\r\n" } else { b"\n" }
    }
}

/// Copies `bytes` to the start of `dst` if they fit.
fn write(bytes: &[u8], dst: &mut [u8]) -> Option<usize> {
    dst.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(bytes.len())
}

impl Checkpoint for QpEncoder {
    fn save_state(&self) -> State {
        State::new(self.column as u64)
    }

    fn restore_state(&mut self, state: State) {
        self.column = state.bits() as usize;
    }

    /// A soft line break and an escape are 6 bytes.
    fn max_lookahead(&self) -> usize {
        8
    }
}

impl ByteTransform for QpEncoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let done = self.encode_run(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            let done = self.encode_units(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            if done.1 > 0 {
                continue;
            }
            let Some(rest) = src.get(read..).filter(|rest| !rest.is_empty()) else { break };
            match self.line_end(rest, end) {
                LineEnd::Unknown => break,
                LineEnd::NotHere => {}
                LineEnd::Found(len) => {
                    let newline = if self.is_crlf { self.newline() } else { &rest[..len] };
                    let Some(written_len) = write(newline, &mut dst[written..]) else {
                        return Progress::output_full(read, written);
                    };
                    read += len;
                    written += written_len;
                    self.column = 0;
                    continue;
                }
            }
            let byte = rest[0];
            // A unit with the last column of a line, and white space, depend on what follows.
            let following = self.line_end(&rest[1..], end);
            let is_last = match following {
                _ if !is_space(byte) && self.column + 3 < MAX_LINE_LEN => false,
                LineEnd::Unknown => break,
                LineEnd::Found(_) => true,
                LineEnd::NotHere => false,
            };
            let is_copied = is_literal(byte) || (is_space(byte) && !is_last);
            let unit = if is_copied { &rest[..1] } else { &escape(byte)[..] };
            let max_column = if is_last { MAX_LINE_LEN } else { MAX_LINE_LEN - 1 };
            let (mut out, mut len) = ([0; 8], 0);
            let mut column = self.column;
            if column + unit.len() > max_column {
                for part in [&b"="[..], self.newline()] {
                    out[len..len + part.len()].copy_from_slice(part);
                    len += part.len();
                }
                column = 0;
            }
            out[len..len + unit.len()].copy_from_slice(unit);
            len += unit.len();
            if write(&out[..len], &mut dst[written..]).is_none() {
                return Progress::output_full(read, written);
            }
            self.column = column + unit.len();
            read += 1;
            written += len;
        }
        Progress::input_empty(read, written)
    }
}

/// Decodes quoted-printable, without a state.
struct QpDecoder {
    is_lenient: bool,
    /// Literal characters and white space.
    literals: AsciiByteSet,
}

/// What the decoder finds at the start of the input.
enum QuotedUnit {
    /// A byte, of the output, represented by this number of bytes of input.
    Byte(u8, usize),
    /// This number of bytes, copied. The first part of them may be copied alone.
    Copied(usize),
    /// This number of bytes, dropped.
    Dropped(usize),
    Malformed(usize, MalformedReason),
    NeedMore,
}

impl QpDecoder {
    fn new(options: &EncodingOptions) -> QpDecoder {
        QpDecoder {
            is_lenient: options.flag("lenient"),
            literals: AsciiByteSet::new(|byte| is_literal(byte) || is_space(byte)),
        }
    }

    /// Decodes escapes, soft line breaks and line endings, and copies what is between them, up to a
    /// line ending or a long run. Returns the numbers of bytes read and written.
    fn decode_units(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written, mut run) = (0, 0, 0);
        while let (Some(&[first, second, third]), Some(to)) =
            (src[read..].first_chunk(), dst.get_mut(written))
        {
            let len = match first {
                b'=' => match (hex::decode_byte([second, third]), second) {
                    (Some(byte), _) => {
                        *to = byte;
                        run = 0;
                        read += 3;
                        written += 1;
                        continue;
                    }
                    (None, b'\n') => 2,
                    (None, b'\r') if third == b'\n' => 3,
                    _ => break,
                },
                b'\n' => 1,
                byte => {
                    let is_inner_space = is_space(byte) && (is_literal(second) || second == b'=');
                    if run == LONG_RUN || !(is_literal(byte) || is_inner_space) {
                        break;
                    }
                    run += 1;
                    *to = byte;
                    read += 1;
                    written += 1;
                    continue;
                }
            };
            // A line has ended, and a run may begin.
            if first == b'\n' {
                *to = b'\n';
                written += 1;
            }
            read += len;
            break;
        }
        (read, written)
    }

    fn unit(&self, src: &[u8], end: bool) -> QuotedUnit {
        match src[0] {
            b'=' => self.escape(src, end),
            b' ' | b'\t' => white_space(src, end),
            byte if is_literal(byte) => QuotedUnit::Copied(1),
            _ => match line_end(src, end) {
                LineEnd::Found(len) => QuotedUnit::Copied(len),
                LineEnd::Unknown => QuotedUnit::NeedMore,
                LineEnd::NotHere if self.is_lenient => QuotedUnit::Copied(1),
                LineEnd::NotHere => QuotedUnit::Malformed(1, MalformedReason::InvalidCharacter),
            },
        }
    }

    /// Decodes an escape or a soft line break.
    fn escape(&self, src: &[u8], end: bool) -> QuotedUnit {
        match src {
            [_, high, low, ..] => {
                if let Some(byte) = hex::decode_byte([*high, *low]) {
                    return QuotedUnit::Byte(byte, 3);
                }
            }
            [_, digit] if !end && digit.is_ascii_hexdigit() => return QuotedUnit::NeedMore,
            [_] if !end => return QuotedUnit::NeedMore,
            _ => {}
        }
        let spaces = space_len(&src[1..]);
        match line_end(&src[1 + spaces..], end) {
            _ if spaces > MAX_SPACE_LEN => {}
            LineEnd::Found(0) if self.is_lenient => return QuotedUnit::Dropped(1 + spaces),
            LineEnd::Found(0) => {
                return QuotedUnit::Malformed(1 + spaces, MalformedReason::Truncated);
            }
            LineEnd::Found(len) => return QuotedUnit::Dropped(1 + spaces + len),
            LineEnd::Unknown => return QuotedUnit::NeedMore,
            LineEnd::NotHere => {}
        }
        if self.is_lenient {
            return QuotedUnit::Copied(1);
        }
        let printable = src[1..].iter().take(2).take_while(|byte| is_literal(**byte)).count();
        match src.len() - 1 - printable {
            // Whether another character belongs to it is not known yet.
            0 if printable < 2 && !end => QuotedUnit::NeedMore,
            0 if printable < 2 => QuotedUnit::Malformed(1 + printable, MalformedReason::Truncated),
            _ => QuotedUnit::Malformed(1 + printable, MalformedReason::InvalidEscape),
        }
    }
}

/// Returns the number of bytes of white space at the start of `src`, at most one more than the
/// maximum.
fn space_len(src: &[u8]) -> usize {
    src.iter().take(MAX_SPACE_LEN + 1).take_while(|byte| is_space(**byte)).count()
}

/// Drops or copies a run of white space.
fn white_space(src: &[u8], end: bool) -> QuotedUnit {
    let len = src.iter().take_while(|byte| is_space(**byte)).count();
    if len > MAX_SPACE_LEN {
        return QuotedUnit::Copied(len - MAX_SPACE_LEN);
    }
    match line_end(&src[len..], end) {
        LineEnd::Found(_) => QuotedUnit::Dropped(len),
        LineEnd::NotHere => QuotedUnit::Copied(len),
        LineEnd::Unknown => QuotedUnit::NeedMore,
    }
}

impl Checkpoint for QpDecoder {
    fn max_lookahead(&self) -> usize {
        MAX_SPACE_LEN + 4
    }
}

impl ByteTransform for QpDecoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let (from, to) = (&src[read..], &mut dst[written..]);
            let done = byte_escapes::decode_lines(b'=', &self.literals, from, to);
            read += done.0;
            written += done.1;
            let done = self.decode_units(&src[read..], &mut dst[written..]);
            read += done.0;
            written += done.1;
            if done.0 > 0 {
                continue;
            }
            let Some(rest) = src.get(read..).filter(|rest| !rest.is_empty()) else { break };
            let to = &mut dst[written..];
            let (read_len, written_len) = match self.unit(rest, end) {
                QuotedUnit::Byte(byte, len) => (len, write(&[byte], to)),
                QuotedUnit::Copied(len) => {
                    let len = len.min(to.len().max(1));
                    (len, write(&rest[..len], to))
                }
                QuotedUnit::Dropped(len) => (len, Some(0)),
                QuotedUnit::NeedMore => break,
                QuotedUnit::Malformed(len, reason) => {
                    let error = Malformed::new(len, reason, State::INITIAL);
                    return Progress::error(read, written, error);
                }
            };
            let Some(written_len) = written_len else {
                return Progress::output_full(read, written);
            };
            read += read_len;
            written += written_len;
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

    fn encoded(options: &str, src: impl AsRef<[u8]>) -> String {
        encode(&QUOTED_PRINTABLE, options, src)
    }

    #[test]
    fn example_of_the_rfc_is_decoded() {
        let text = "Now's the time =\r\nfor all folk to come=\r\n to the aid of their country.";
        let expected = "Now's the time for all folk to come to the aid of their country.";
        assert_eq!(decode(&QUOTED_PRINTABLE, "", text), (expected.into(), vec![]));
    }

    #[test]
    fn bytes_and_trailing_white_space_are_escaped() {
        assert_eq!(encoded("", "a=b\tc d é\x7F~!"), "a=3Db\tc d =C3=A9=7F~!");
        assert_eq!(encoded("", "a \nb\t\r\nc  "), "a=20\nb=09\r\nc =20");
        assert_eq!(encoded("", "a \rb\r"), "a =0Db=0D");
        assert_eq!(encoded("binary", "a \nb\r\n"), "a =0Ab=0D=0A");
        assert_eq!(encoded("newline=crlf", "a\nb\r\nc"), "a\r\nb\r\nc");
    }

    #[test]
    fn lines_have_up_to_76_characters() {
        let line = |len| "x".repeat(len);
        assert_eq!(encoded("", line(76)), line(76));
        assert_eq!(
            encoded("", line(76) + "\n" + &line(77)),
            format!("{0}\n{1}=\nxx", line(76), line(75))
        );
        assert_eq!(encoded("", line(73) + "é\r\n"), format!("{}=\n=C3=A9\r\n", line(73)));
        assert_eq!(encoded("newline=crlf", line(72) + "éy"), format!("{}=C3=\r\n=A9y", line(72)));
        assert_eq!(encoded("", line(73) + "=\n="), format!("{}=3D\n=3D", line(73)));
        assert_eq!(encoded("", line(74) + " \n"), format!("{}=\n=20\n", line(74)));
        assert_eq!(encoded("", line(73) + " \n"), format!("{}=20\n", line(73)));
        assert_eq!(encoded("", line(75) + " y"), format!("{}=\n y", line(75)));
        assert_eq!(encoded("binary", line(75) + "\n"), format!("{}=\n=0A", line(75)));
    }

    #[test]
    fn white_space_at_the_end_of_a_line_is_dropped() {
        let decode_to = |src: &str| decode(&QUOTED_PRINTABLE, "", src);
        assert_eq!(decode_to("a \t\r\nb =\t \n c\t"), ("a\r\nb  c".into(), vec![]));
        let long = format!("a{}b", " ".repeat(2500));
        assert_eq!(decode_to(&long), (long.clone().into(), vec![]));
        let long = format!("a{}\n", " ".repeat(1002));
        assert_eq!(decode_to(&long), ("a  \n".into(), vec![]));
    }

    #[test]
    fn invalid_input_is_reported() {
        let decode_to = |src: &[u8]| decode(&QUOTED_PRINTABLE, "", src);
        assert_eq!(decode_to(b"a=e9=E9"), (b"a\xE9\xE9".into(), vec![]));
        assert_eq!(decode_to(b"a=G1b"), ("ab".into(), vec![(1, 3, InvalidEscape)]));
        assert_eq!(decode_to(b"=4\n"), ("\n".into(), vec![(0, 2, InvalidEscape)]));
        assert_eq!(
            decode_to(b"= x=="),
            (" x".into(), vec![(0, 1, InvalidEscape), (3, 1, InvalidEscape), (4, 1, Truncated)])
        );
        assert_eq!(decode_to(b"=A=41"), ("A".into(), vec![(0, 2, InvalidEscape)]));
        assert_eq!(decode_to(b"=4"), ("".into(), vec![(0, 2, Truncated)]));
        assert_eq!(decode_to(b"= \t"), ("".into(), vec![(0, 3, Truncated)]));
        assert_eq!(
            decode_to(b"\xE9\r\0"),
            (
                "".into(),
                vec![(0, 1, InvalidCharacter), (1, 1, InvalidCharacter), (2, 1, InvalidCharacter)]
            )
        );
        let lenient = decode(&QUOTED_PRINTABLE, "lenient", b"\xE9\r=G=3D=");
        assert_eq!(lenient, (b"\xE9\r=G=".into(), vec![]));
    }
}
