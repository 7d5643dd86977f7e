//! Values of vCards: properties in quoted-printable to text.
//!
//! vCard 2.1 writes `N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg`, which becomes `N:Jörg`. All other
//! lines remain unchanged: values of vCard 3.0 and 4.0 (RFC 2426, RFC 6350) are text in the encoding of the
//! file. With the option `text` their escapes (`\n`, `\,`, `\;`, `\\`, section 3.4 of RFC 6350) become
//! characters, and folded lines are joined; the result is for readers, and not a vCard any more.
//!
//! Decisions:
//!
//! * Without a `CHARSET` values are in UTF-8, which the ASCII of vCard 2.1 is too. A charset means what it does
//!   in mail. The property remains unchanged if it is unknown.
//! * A line break in quoted-printable becomes `\n`, as in vCard 3.0 and 4.0; with `text` a line feed.
//! * A `=` that starts no escape and does not end the line is an error. Characters that are not escaped represent
//!   themselves.
//! * Lines of vCard 2.1 are folded before white space, which remains, others before a space that is dropped.
//! * The name and the parameters have up to [`MAX_HEADER_LEN`] bytes in one line.

use super::decoder_cache::DecoderCache;
use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{Checkpoint, Progress, State, Status, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{self, EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::hex;
use charpipe_kernel::utf8::floor_char_boundary_of_bytes;

/// Values of vCards.
pub static VCARD: Transform = Transform {
    name: "vcard",
    aliases: &["vcf"],
    title: "vCard",
    description: "Values of vCards in quoted-printable to text, as in N;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg \
                  (vCard 2.1)",
    options: &[OptionSpec {
        name: "text",
        values: OptionValues::Flag,
        description: "also convert \\n, \\, \\; and \\\\ of vCard 3.0 and 4.0 (RFC 6350, section 3.4), and join \
                      folded lines",
    }],
    codecs: TransformCodecs::Text {
        decoder: None,
        encoder: |options| Box::new(VcardTransform::new(options)),
    },
};

/// The maximum length of the name and the parameters of a property, in bytes.
const MAX_HEADER_LEN: usize = 512;

/// The maximum number of encoded bytes that are decoded at once.
const CHUNK_LEN: usize = 256;

/// The maximum number of bytes of the input from which these are taken.
const MAX_CHUNK_SOURCE: usize = 2048;

/// The number of bytes of decoded text that are written at once. A line feed may become two bytes.
const MAX_TEXT_LEN: usize = 1024;

/// The output buffer size that always allows progress.
const MAX_LOOKAHEAD: usize = 2 * MAX_TEXT_LEN + 8;

/// Where the transform is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    LineStart,
    /// In a line, or the rest of one, that is copied.
    Copied,
    /// In a value with escapes of vCard 3.0 and 4.0.
    Escaped,
    /// In a value in quoted-printable.
    QuotedPrintable,
}

const POSITIONS: [Position; 4] =
    [Position::LineStart, Position::Copied, Position::Escaped, Position::QuotedPrintable];

/// The state: where the transform is, whether a value in quoted-printable has just had a CR, whether the version
/// is 2.1, and the charset of the value with the state of its decoder.
struct VcardTransform {
    is_text: bool,
    position: Position,
    after_cr: bool,
    is_2_1: bool,
    charset: u16,
    decoder_state: State,
    decoders: DecoderCache,
}

/// One step: what was read and written, or why nothing was.
enum Step {
    Converted(usize, usize),
    OutputFull,
    NeedMore,
    Malformed(Malformed),
}

/// The name and the parameters of a property.
enum Header<'a> {
    /// With the colon.
    Property(&'a str),
    /// Another line.
    Other,
    NeedMore,
}

/// Returns the name and the parameters at the start of a line.
fn header(src: &str, end: bool) -> Header<'_> {
    let mut is_quoted = false;
    for (at, byte) in src.bytes().enumerate().take(MAX_HEADER_LEN) {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b':' if !is_quoted => return Header::Property(&src[..=at]),
            b'\r' | b'\n' => return Header::Other,
            _ => {}
        }
    }
    if src.len() >= MAX_HEADER_LEN || end { Header::Other } else { Header::NeedMore }
}

/// Returns whether a parameter says that the value is in quoted-printable.
fn is_encoding(parameter: &str) -> bool {
    let value = match parameter.split_once('=') {
        Some((name, value)) if name.eq_ignore_ascii_case("encoding") => value,
        _ => parameter,
    };
    value.eq_ignore_ascii_case("quoted-printable")
}

/// Returns the charset that a parameter names.
fn charset_label(parameter: &str) -> Option<&str> {
    let (name, value) = parameter.split_once('=')?;
    name.eq_ignore_ascii_case("charset").then(|| value.trim_matches('"'))
}

/// A run of bytes in quoted-printable.
struct Chunk {
    bytes: [u8; CHUNK_LEN],
    /// Where each of them starts in the input, and where the last one ends.
    offsets: [u16; CHUNK_LEN + 1],
    len: usize,
    /// Whether the value ends after them, and the length of the line ending.
    end: Option<usize>,
    /// Whether an invalid escape follows, or a character that is not ASCII.
    is_interrupted: bool,
}

impl Chunk {
    /// Reads bytes from the start of `src`.
    fn read(src: &[u8], end: bool) -> Chunk {
        let mut chunk = Chunk {
            bytes: [0; CHUNK_LEN],
            offsets: [0; CHUNK_LEN + 1],
            len: 0,
            end: None,
            is_interrupted: false,
        };
        let mut at = 0;
        while chunk.len < CHUNK_LEN && at < MAX_CHUNK_SOURCE {
            let rest = &src[at..];
            let (byte, len) = match rest {
                [] if end => {
                    chunk.end = Some(0);
                    break;
                }
                [b'\n', ..] => {
                    chunk.end = Some(1);
                    break;
                }
                [b'\r', b'\n', ..] => {
                    chunk.end = Some(2);
                    break;
                }
                [] => break,
                [b'\r' | b'='] | [b'=', b'\r'] if !end => break,
                [b'=', b'\n', ..] | [b'=', b'\r', b'\n', ..] => {
                    at += if rest[1] == b'\n' { 2 } else { 3 };
                    chunk.offsets[chunk.len] = at as u16;
                    continue;
                }
                [b'=', digit] if !end && digit.is_ascii_hexdigit() => break,
                [b'=', high, low, ..] => match hex::decode_byte([*high, *low]) {
                    Some(byte) => (byte, 3),
                    None => {
                        chunk.is_interrupted = true;
                        break;
                    }
                },
                [byte, ..] if byte.is_ascii() && *byte != b'=' => (*byte, 1),
                _ => {
                    chunk.is_interrupted = true;
                    break;
                }
            };
            chunk.bytes[chunk.len] = byte;
            at += len;
            chunk.len += 1;
            chunk.offsets[chunk.len] = at as u16;
        }
        chunk
    }

    fn offset(&self, index: usize) -> usize {
        usize::from(self.offsets[index])
    }
}

impl VcardTransform {
    fn new(options: &EncodingOptions) -> VcardTransform {
        VcardTransform {
            is_text: options.flag("text"),
            position: Position::LineStart,
            after_cr: false,
            is_2_1: false,
            charset: 0,
            decoder_state: State::INITIAL,
            decoders: DecoderCache::new(),
        }
    }

    /// Begins a line.
    fn begin_line(&mut self, src: &str, dst: &mut [u8], end: bool) -> Step {
        let header = match header(src, end) {
            Header::NeedMore => return Step::NeedMore,
            Header::Other => return self.copy_line(src, dst),
            Header::Property(header) => header,
        };
        let (name, parameters) = match header[..header.len() - 1].split_once(';') {
            Some((name, parameters)) => (name, Some(parameters)),
            None => (&header[..header.len() - 1], None),
        };
        let is_version = name.eq_ignore_ascii_case("version");
        if is_version && src.len() < header.len() + 3 && !end {
            return Step::NeedMore;
        }
        let parameters = || parameters.into_iter().flat_map(|it| it.split(';'));
        let label = parameters().find_map(charset_label).unwrap_or("utf-8");
        let charset = parameters()
            .any(is_encoding)
            .then(|| encoding::for_mime_label(label).and_then(encoding::index_of))
            .flatten();
        let Some(charset) = charset else {
            return match self.is_text {
                false => self.copy_line(src, dst),
                true => {
                    let Some(space) = dst.get_mut(..header.len()) else { return Step::OutputFull };
                    space.copy_from_slice(header.as_bytes());
                    if is_version {
                        self.is_2_1 = src[header.len()..].starts_with("2.1");
                    }
                    self.position = Position::Escaped;
                    Step::Converted(header.len(), header.len())
                }
            };
        };
        let kept = parameters().filter(|it| !is_encoding(it) && charset_label(it).is_none());
        let mut written = 0;
        let parts = std::iter::once(name).chain(kept.flat_map(|it| [";", it])).chain([":"]);
        for part in parts {
            let Some(space) = dst.get_mut(written..written + part.len()) else {
                return Step::OutputFull;
            };
            space.copy_from_slice(part.as_bytes());
            written += part.len();
        }
        self.charset = charset;
        self.position = Position::QuotedPrintable;
        Step::Converted(header.len(), written)
    }

    /// Copies a line, or a part of it.
    fn copy_line(&mut self, src: &str, dst: &mut [u8]) -> Step {
        let src = src.as_bytes();
        let near = &src[..src.len().min(dst.len())];
        let len = match memchr::memchr(b'\n', near) {
            Some(at) => at + 1,
            None if near.len() == src.len() => near.len(),
            None => floor_char_boundary_of_bytes(src, near.len()),
        };
        if len == 0 {
            return Step::OutputFull;
        }
        dst[..len].copy_from_slice(&src[..len]);
        let is_ended = src[len - 1] == b'\n';
        self.position = if is_ended { Position::LineStart } else { Position::Copied };
        Step::Converted(len, len)
    }

    /// Converts a part of a value with escapes.
    fn convert_escaped(&mut self, src: &str, dst: &mut [u8], end: bool) -> Step {
        let bytes = src.as_bytes();
        let near = &bytes[..bytes.len().min(dst.len())];
        let run = near.iter().position(|byte| matches!(byte, b'\\' | b'\r' | b'\n'));
        let run = match run {
            None if near.len() == bytes.len() => near.len(),
            None => floor_char_boundary_of_bytes(bytes, near.len()),
            Some(run) => run,
        };
        if run > 0 {
            dst[..run].copy_from_slice(&bytes[..run]);
            return Step::Converted(run, run);
        }
        let is_2_1 = self.is_2_1;
        let (read, text, position): (usize, &[u8], Position) = match bytes {
            [b'\\' | b'\r'] | [b'\n'] | [b'\r', b'\n'] if !end => return Step::NeedMore,
            [b'\\', b'\r' | b'\n'] | [b'\\', b'\r', b'\n'] if !end => return Step::NeedMore,
            // A line that is folded within an escape.
            [b'\\', b'\n', b' ' | b'\t', rest @ ..]
            | [b'\\', b'\r', b'\n', b' ' | b'\t', rest @ ..]
                if !is_2_1 =>
            {
                let folded = bytes.len() - rest.len();
                match rest {
                    [] if !end => return Step::NeedMore,
                    [b'n' | b'N', ..] => (folded + 1, b"\n", Position::Escaped),
                    [b',' | b';' | b'\\', ..] => (folded + 1, &rest[..1], Position::Escaped),
                    _ => (folded, b"\\", Position::Escaped),
                }
            }
            [b'\\', b'n' | b'N', ..] if !is_2_1 => (2, b"\n", Position::Escaped),
            [b'\\', b',' | b'\\', ..] if !is_2_1 => (2, &bytes[1..2], Position::Escaped),
            [b'\\', b';', ..] => (2, b";", Position::Escaped),
            [b'\n', b' ' | b'\t', ..] => (1 + usize::from(!is_2_1), b"", Position::Escaped),
            [b'\r', b'\n', b' ' | b'\t', ..] => (2 + usize::from(!is_2_1), b"", Position::Escaped),
            [b'\n', ..] => (1, b"\n", Position::LineStart),
            [b'\r', b'\n', ..] => (2, b"\r\n", Position::LineStart),
            // A backslash or CR, or a character for which there is not enough space.
            [byte @ (b'\\' | b'\r'), ..] => (1, std::slice::from_ref(byte), Position::Escaped),
            _ => return Step::OutputFull,
        };
        let Some(space) = dst.get_mut(..text.len()) else { return Step::OutputFull };
        space.copy_from_slice(text);
        self.position = position;
        Step::Converted(read, text.len())
    }

    /// Converts a part of a value in quoted-printable.
    fn convert_quoted_printable(&mut self, src: &str, dst: &mut [u8], end: bool) -> Step {
        let chunk = Chunk::read(src.as_bytes(), end);
        if chunk.is_interrupted && chunk.offset(chunk.len) == 0 {
            return self.convert_interruption(src, dst);
        }
        let decoder = self.decoders.get(self.charset);
        decoder.restore_state(self.decoder_state);
        let mut text = [0; MAX_TEXT_LEN];
        let bytes = &chunk.bytes[..chunk.len];
        // Nothing else completes a character then.
        let is_last = chunk.end.is_some() || chunk.is_interrupted;
        let mut decoded = decoder.decode(bytes, &mut text, is_last);
        let is_stuck = decoded == Progress::input_empty(0, 0) && !is_last;
        if is_stuck && chunk.offset(chunk.len) >= MAX_CHUNK_SOURCE {
            decoded = decoder.decode(bytes, &mut text, true);
        }
        let text = std::str::from_utf8(&text[..decoded.written]).unwrap_or_default();
        let after = decoder.save_state();
        self.write_text(src, dst, &chunk, decoded, text, after)
    }

    /// Reports an invalid escape, or copies a character that is not escaped.
    fn convert_interruption(&mut self, src: &str, dst: &mut [u8]) -> Step {
        let first = src.chars().next().unwrap_or_default();
        let len = first.len_utf8();
        if first == '=' {
            let state = self.save_state();
            return Step::Malformed(Malformed::new(len, MalformedReason::InvalidEscape, state));
        }
        let Some(space) = dst.get_mut(..len) else { return Step::OutputFull };
        space.copy_from_slice(&src.as_bytes()[..len]);
        self.after_cr = false;
        Step::Converted(len, len)
    }

    /// Writes the text of a chunk, and the line ending if the value ends with it.
    fn write_text(
        &mut self,
        src: &str,
        dst: &mut [u8],
        chunk: &Chunk,
        decoded: Progress<Malformed>,
        text: &str,
        decoder_state: State,
    ) -> Step {
        let (mut written, mut after_cr) = (0, self.after_cr);
        let mut push = |text: &[u8]| {
            let space = dst.get_mut(written..written + text.len())?;
            space.copy_from_slice(text);
            written += text.len();
            Some(())
        };
        let newline: &[u8] = if self.is_text { b"\n" } else { b"\\n" };
        for character in text.chars() {
            let is_second = after_cr && character == '\n';
            after_cr = character == '\r';
            let pushed = match character {
                '\n' if is_second => Some(()),
                '\r' | '\n' => push(newline),
                _ => push(character.encode_utf8(&mut [0; 4]).as_bytes()),
            };
            if pushed.is_none() {
                return Step::OutputFull;
            }
        }
        let mut read = chunk.offset(decoded.read);
        let is_whole = decoded.read == chunk.len && decoded.status == Status::InputEmpty;
        let line_ending = chunk.end.filter(|len| is_whole && *len > 0);
        if let Some(len) = line_ending {
            if push(&src.as_bytes()[read..read + len]).is_none() {
                return Step::OutputFull;
            }
            read += len;
        }
        if read > 0 || written > 0 {
            (self.after_cr, self.decoder_state) = (after_cr, decoder_state);
            if line_ending.is_some() {
                self.end_value();
            }
            return Step::Converted(read, written);
        }
        let Status::Error(error) = decoded.status else { return Step::NeedMore };
        let at = |len: usize| chunk.offset((decoded.read + len).min(chunk.len));
        Step::Malformed(Malformed {
            len: at(error.len),
            reason: MalformedReason::InvalidForCharset,
            resume_len: at(error.resume_len),
            resume_state: self.save_state().with_inner(error.resume_state),
        })
    }

    fn end_value(&mut self) {
        self.position = Position::LineStart;
        (self.charset, self.after_cr, self.decoder_state) = (0, false, State::INITIAL);
    }
}

impl Checkpoint for VcardTransform {
    fn save_state(&self) -> State {
        let bits = self.position as u64
            | u64::from(self.is_2_1) << 2
            | u64::from(self.after_cr) << 3
            | u64::from(self.charset) << 8;
        State::new(bits).with_inner(self.decoder_state)
    }

    fn restore_state(&mut self, state: State) {
        let bits = state.bits();
        self.position = POSITIONS[(bits & 3) as usize];
        self.is_2_1 = bits >> 2 & 1 == 1;
        self.after_cr = bits >> 3 & 1 == 1;
        self.charset = (bits >> 8) as u16;
        self.decoder_state = state.inner();
    }

    fn max_lookahead(&self) -> usize {
        MAX_LOOKAHEAD
    }
}

impl TextTransform for VcardTransform {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while read < src.len() {
            let (rest, space) = (&src[read..], &mut dst[written..]);
            let step = match self.position {
                Position::LineStart => self.begin_line(rest, space, end),
                Position::Copied => self.copy_line(rest, space),
                Position::Escaped => self.convert_escaped(rest, space, end),
                Position::QuotedPrintable => self.convert_quoted_printable(rest, space, end),
            };
            match step {
                Step::Converted(step_read, step_written) => {
                    (read, written) = (read + step_read, written + step_written);
                }
                Step::OutputFull => return Progress::output_full(read, written),
                Step::NeedMore => break,
                Step::Malformed(error) => return Progress::error(read, written, error),
            }
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{encode_every_way, encode_with_errors};
    use MalformedReason::{InvalidEscape, InvalidForCharset};

    use super::*;

    #[test]
    fn properties_in_quoted_printable_become_text() {
        for (vcard, text) in [
            ("FN;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:J=C3=B6rg\r\n", "FN:Jörg\r\n"),
            ("fn;quoted-printable;charset=ISO-8859-1:J=F6rg\n", "fn:Jörg\n"),
            (
                "item1.ADR;WORK;ENCODING=quoted-printable:;;K=C3=B6ln=3B;x\n",
                "item1.ADR;WORK:;;Köln;;x\n",
            ),
            (
                "N;CHARSET=\"utf-8\";ENCODING=QUOTED-PRINTABLE;TYPE=\"a:b\":=C3=A9\n",
                "N;TYPE=\"a:b\":é\n",
            ),
            // Soft line breaks, also within a character.
            ("A;ENCODING=QUOTED-PRINTABLE:a=\r\nb=C3=\r\n=A9=\n\r\nB:c=\n", "A:ab\u{E9}\r\nB:c=\n"),
            ("N;CHARSET=SHIFT_JIS;ENCODING=QUOTED-PRINTABLE:=93=FA=96{=\n=83\\\n", "N:日本ソ\n"),
            (
                "N;CHARSET=ISO-2022-JP;ENCODING=QUOTED-PRINTABLE:=1B$B=\n=46=7CK=5C=1B(B\n",
                "N:日本\n",
            ),
            ("NOTE;ENCODING=QUOTED-PRINTABLE:a=0D=0Ab=0Ac\n", "NOTE:a\\nb\\nc\n"),
            // Without the end of the line, and with characters that are not escaped.
            ("N;ENCODING=QUOTED-PRINTABLE:é=C3=A9", "N:éé"),
            ("N;ENCODING=QUOTED-PRINTABLE:\nA:b", "N:\nA:b"),
        ] {
            assert_eq!(encode_every_way("vcard", vcard), text);
        }
    }

    #[test]
    fn version_is_passed_on_as_soon_as_it_is_known() {
        let mut encoder = VcardTransform::new(&EncodingOptions::default());
        for (text, read) in [("VERSION:2.", 0), ("VERSION:2.1", 11)] {
            let progress = encoder.transform_text(text, &mut [0; 20], false);
            assert_eq!(progress.read, read, "{text}");
        }
    }

    #[test]
    fn other_lines_remain() {
        for line in [
            "BEGIN:VCARD\r\nVERSION:3.0\r\nURL:http://x/?a=bc&d=3D\r\n",
            "NOTE:a\\nb\\, c\r\n  folded\r\n",
            "N;CHARSET=x-unknown;ENCODING=QUOTED-PRINTABLE:=C3=A9\n",
            "PHOTO;ENCODING=BASE64:\n =C3=A9\n\n",
            "X-QUOTED-PRINTABLE:=C3=A9",
            "ENCODING=QUOTED-PRINTABLE\n:=C3=A9\n",
        ] {
            assert_eq!(encode_every_way("vcard", line), line);
        }
        let long = format!("X;{}ENCODING=QUOTED-PRINTABLE:=41\n", "y;".repeat(300));
        assert_eq!(encode_every_way("vcard", &long), long);
    }

    #[test]
    fn escapes_become_characters_with_the_option() {
        for (vcard, text) in [
            (
                "VERSION:4.0\r\nNOTE:a\\nb\\, \\Nc\\;\\\\n\\x\r\nN:long\r\n  name\r\n\t!\r\n",
                "VERSION:4.0\r\nNOTE:a\nb, \nc;\\n\\x\r\nN:long name!\r\n",
            ),
            ("VERSION:2.1\nA:b\\;c\\n\n d\\,\nB:e\\", "VERSION:2.1\nA:b;c\\n d\\,\nB:e\\"),
            ("NOTE;ENCODING=QUOTED-PRINTABLE:a=0D=0Ab\r\n", "NOTE:a\nb\r\n"),
        ] {
            assert_eq!(encode_every_way("vcard:text", vcard), text);
        }
    }

    #[test]
    fn invalid_escapes_and_bytes_are_errors() {
        let start = "N;ENCODING=QUOTED-PRINTABLE:";
        for (value, text, errors) in [
            ("a=G1\n", "a\u{FFFD}G1\n", vec![(29, 1, InvalidEscape)]),
            ("=\r", "\u{FFFD}\r", vec![(28, 1, InvalidEscape)]),
            (
                "a=FF=C3\nb",
                "a\u{FFFD}\u{FFFD}\nb",
                vec![(29, 3, InvalidForCharset), (32, 3, InvalidForCharset)],
            ),
            ("=C3é", "\u{FFFD}é", vec![(28, 3, InvalidForCharset)]),
            ("=E2=82=\n=41", "\u{FFFD}A", vec![(28, 8, InvalidForCharset)]),
        ] {
            let expected = (format!("N:{}", text.replace('\r', "\\n")), errors);
            assert_eq!(
                encode_with_errors("vcard", &format!("{start}{value}")),
                expected,
                "{value:?}"
            );
        }
    }

    #[test]
    fn long_values_are_decoded_in_pieces() {
        let value = "=D0=96=\n".repeat(2000);
        let vcard = format!("NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:{value}\n");
        let options = EncodingOptions::default();
        let mut transform = VcardTransform::new(&options);
        let mut dst = vec![0; 10_000];
        let progress = transform.transform_text(&vcard, &mut dst, true);
        assert_eq!((progress.read, progress.status), (vcard.len(), Status::InputEmpty));
        assert_eq!(
            std::str::from_utf8(&dst[..progress.written]),
            Ok(&*format!("NOTE:{}\n", "Ж".repeat(2000)))
        );
        // More soft line breaks than are examined between two bytes of a character.
        let vcard = format!("N;ENCODING=QUOTED-PRINTABLE:=D0{}=96\n", "=\n".repeat(3000));
        assert_eq!(encode_with_errors("vcard", &vcard).0, "N:\u{FFFD}\u{FFFD}\n");
    }
}
