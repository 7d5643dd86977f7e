//! Values of LDIF (RFC 2849): `cn:: SsO2cmc=` is `cn: Jörg`.
//!
//! A line is a line of the format with its continuation lines, which start with a space. Only lines whose
//! values are encoded or decoded change; all others, with their folding, remain as they are.
//!
//! Decisions of the decoder:
//!
//! * A value remains in base64 if it is not text in UTF-8, has control characters, starts with a space, a
//!   colon or `<`, or ends with a space: so other programs read the same values from the result.
//! * Invalid base64 is an error of the whole line.
//! * A line of more than [`MAX_ENCODED_LEN`] bytes remains unchanged, as photos and certificates do.
//!
//! Decisions of the encoder:
//!
//! * A value that is not a `SAFE-STRING` is encoded, and so is one that ends with a space (note 8), in lines of
//!   76 characters. Values in base64 and URLs remain unchanged, and so do comments.
//! * A line of more than [`MAX_PLAIN_LEN`] bytes is not encoded: a character that it may not have is an error.

use super::base_n::{self, BaseDecoder, Padding};
use super::base64::Base64Format;
use super::line_transform::LineBuffer;
use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State, Status, TextTransform};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::EncodingOptions;
use charpipe_kernel::utf8::floor_char_boundary_of_bytes;

/// Values of LDIF.
pub static LDIF: Transform = Transform {
    name: "ldif",
    aliases: &[],
    title: "LDIF",
    description: "Values of LDIF that are in base64 after ::, as in cn:: SsO2cmc= (RFC 2849)",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: Some(|_| Box::new(LdifTransform::new(LdifDecoder::new()))),
        encoder: |_| Box::new(LdifTransform::new(LdifEncoder)),
    },
};

/// The maximum length of a line that is decoded, in bytes.
const MAX_ENCODED_LEN: usize = 4000;

/// The maximum length of a line that is encoded, in bytes: in base64, with line breaks, it has up to 4,096.
const MAX_PLAIN_LEN: usize = 2900;

/// The maximum length of a line that the encoder writes, in characters.
const MAX_COLUMNS: usize = 76;

/// How a line is converted.
trait LdifFormat: Send + Sync {
    /// The maximum length of a line in bytes.
    const MAX_LEN: usize;

    /// Returns whether this byte may be in a longer line, which remains unchanged.
    fn is_allowed(&self, byte: u8) -> bool;

    /// Appends the converted line. Returns false if it remains unchanged.
    fn convert(
        &mut self,
        line: &LdifLine<'_>,
        converted: &mut LineBuffer,
    ) -> Result<bool, MalformedReason>;
}

/// A line with a value.
struct LdifLine<'a> {
    name: &'a str,
    /// What follows the first colon.
    rest: &'a str,
    /// The line ending.
    ending: &'a str,
}

/// The end of a line.
enum LineEnd {
    /// Its length without the line ending, and the length of that.
    Found(usize, usize),
    TooLong,
    NeedMore,
}

/// Finds the end of the line at the start of `src`, and of its continuation lines, within `max` bytes.
fn line_end(src: &[u8], max: usize, end: bool) -> LineEnd {
    let near = &src[..src.len().min(max)];
    let mut from = 0;
    loop {
        let Some(at) = memchr::memchr(b'\n', &near[from..]).map(|at| from + at) else {
            return match (src.len() >= max, end) {
                (true, _) => LineEnd::TooLong,
                (false, true) => LineEnd::Found(src.len(), 0),
                (false, false) => LineEnd::NeedMore,
            };
        };
        match src.get(at + 1) {
            Some(b' ') => from = at + 1,
            None if !end => return LineEnd::NeedMore,
            _ => {
                let has_cr = at > 0 && src[at - 1] == b'\r';
                return LineEnd::Found(at - usize::from(has_cr), 1 + usize::from(has_cr));
            }
        }
    }
}

/// Returns the name and what follows the first colon, in a line that is not a comment.
fn split(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let is_name =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b';' | b'_');
    (!name.is_empty() && name.bytes().all(is_name)).then_some((name, rest))
}

/// Returns whether a byte may be in a value that is not in base64 (`SAFE-CHAR`), or is a line ending.
fn is_safe(byte: u8) -> bool {
    byte.is_ascii() && byte != 0
}

/// Converts lines. The state says whether the rest of a long line is copied.
struct LdifTransform<F> {
    format: F,
    is_copying: bool,
}

impl<F> LdifTransform<F> {
    fn new(format: F) -> LdifTransform<F> {
        LdifTransform { format, is_copying: false }
    }
}

impl<F: LdifFormat> Checkpoint for LdifTransform<F> {
    fn save_state(&self) -> State {
        State::new(u64::from(self.is_copying))
    }

    fn restore_state(&mut self, state: State) {
        self.is_copying = state.bits() & 1 == 1;
    }

    fn max_lookahead(&self) -> usize {
        4096
    }
}

impl<F: LdifFormat> TextTransform for LdifTransform<F> {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let mut converted = LineBuffer::new();
        while read < src.len() {
            let rest = &src[read..];
            let found = match self.is_copying {
                true => LineEnd::TooLong,
                false => line_end(rest.as_bytes(), F::MAX_LEN, end),
            };
            let (len, ending_len) = match found {
                LineEnd::Found(len, ending_len) => (len, ending_len),
                LineEnd::NeedMore => break,
                LineEnd::TooLong => match self.copy_long_line(rest, &mut dst[written..]) {
                    Ok(0) => return Progress::output_full(read, written),
                    Ok(len) => {
                        (read, written) = (read + len, written + len);
                        continue;
                    }
                    Err(error) => return Progress::error(read, written, error),
                },
            };
            let (line, ending) = rest[..len + ending_len].split_at(len);
            converted.clear();
            let is_converted = match split(line) {
                Some((name, rest)) => {
                    let line = LdifLine { name, rest, ending };
                    match self.format.convert(&line, &mut converted) {
                        Ok(is_converted) => is_converted,
                        Err(reason) => {
                            let error = Malformed::new(len, reason, State::INITIAL);
                            return Progress::error(read, written, error);
                        }
                    }
                }
                None => false,
            };
            let line = if is_converted { converted.as_bytes() } else { line.as_bytes() };
            let Some(space) = dst[written..].get_mut(..line.len() + ending_len) else {
                return Progress::output_full(read, written);
            };
            let (line_space, ending_space) = space.split_at_mut(line.len());
            line_space.copy_from_slice(line);
            ending_space.copy_from_slice(ending.as_bytes());
            written += line.len() + ending_len;
            read += len + ending_len;
        }
        Progress::input_empty(read, written)
    }
}

impl<F: LdifFormat> LdifTransform<F> {
    /// Copies a part of a long line, and returns its length: zero if the output is full.
    fn copy_long_line(&mut self, rest: &str, space: &mut [u8]) -> Result<usize, Malformed> {
        let src = rest.as_bytes();
        if let Some(first) = rest.chars().next().filter(|_| !self.format.is_allowed(src[0])) {
            let reason = MalformedReason::InvalidLength;
            return Err(Malformed::new(first.len_utf8(), reason, State::new(1)));
        }
        let near = &src[..src.len().min(space.len())];
        let line = &near[..memchr::memchr(b'\n', near).map_or(near.len(), |at| at + 1)];
        let allowed = line.iter().position(|byte| !self.format.is_allowed(*byte));
        let len = match allowed.unwrap_or(line.len()) {
            len if len == src.len() => len,
            len => floor_char_boundary_of_bytes(src, len),
        };
        if len > 0 {
            space[..len].copy_from_slice(&src[..len]);
            self.is_copying = src[len - 1] != b'\n';
        }
        Ok(len)
    }
}

struct LdifDecoder {
    base64: BaseDecoder<Base64Format>,
}

impl LdifDecoder {
    fn new() -> LdifDecoder {
        let options = EncodingOptions::default();
        let padding = Some(Padding::Required);
        LdifDecoder { base64: BaseDecoder::new(Base64Format::standard(), &options, false, padding) }
    }
}

/// Returns whether a value that is written directly is read as the same value.
fn is_text(value: &str) -> bool {
    let is_hidden = |character: char| character.is_control() && character != '\t';
    !value.contains(is_hidden) && !value.starts_with([' ', ':', '<']) && !value.ends_with(' ')
}

impl LdifFormat for LdifDecoder {
    const MAX_LEN: usize = MAX_ENCODED_LEN;

    fn is_allowed(&self, _: u8) -> bool {
        true
    }

    fn convert(
        &mut self,
        line: &LdifLine<'_>,
        converted: &mut LineBuffer,
    ) -> Result<bool, MalformedReason> {
        let Some(encoded) = line.rest.strip_prefix(':') else { return Ok(false) };
        let mut value = [0; MAX_ENCODED_LEN];
        self.base64.restore_state(State::INITIAL);
        // It skips white space, and so the line breaks.
        let progress = self.base64.transform_bytes(encoded.as_bytes(), &mut value, true);
        if let Status::Error(error) = progress.status {
            return Err(error.reason);
        }
        let Ok(value) = std::str::from_utf8(&value[..progress.written]) else { return Ok(false) };
        if !is_text(value) {
            return Ok(false);
        }
        converted.push_str(line.name)?;
        converted.push_str(if value.is_empty() { ":" } else { ": " })?;
        converted.push_str(value)?;
        Ok(true)
    }
}

struct LdifEncoder;

impl LdifFormat for LdifEncoder {
    const MAX_LEN: usize = MAX_PLAIN_LEN;

    fn is_allowed(&self, byte: u8) -> bool {
        is_safe(byte)
    }

    fn convert(
        &mut self,
        line: &LdifLine<'_>,
        converted: &mut LineBuffer,
    ) -> Result<bool, MalformedReason> {
        let value = line.rest.trim_start_matches(' ');
        let is_safe_value = value.bytes().all(is_safe)
            && !value.starts_with([' ', ':', '<'])
            && !value.ends_with(' ');
        if is_safe_value || line.rest.starts_with([':', '<']) {
            return Ok(false);
        }
        let newline = if line.ending.is_empty() { "\n" } else { line.ending };
        let mut column = 0;
        let mut push = |character: char| {
            if column == MAX_COLUMNS {
                converted.push_str(newline)?;
                converted.push(' ')?;
                column = 1;
            }
            column += 1;
            converted.push(character)
        };
        line.name.chars().chain(":: ".chars()).try_for_each(&mut push)?;
        let mut bytes = unfolded(value);
        while let Some(first) = bytes.next() {
            let (second, third) = (bytes.next(), bytes.next());
            let group = [first, second.unwrap_or(0), third.unwrap_or(0)];
            let mut digits = [0; 4];
            base_n::encode_groups_by_digit(&Base64Format::standard(), &group, &mut digits);
            let count = 2 + usize::from(second.is_some()) + usize::from(third.is_some());
            digits[count..].fill(b'=');
            digits.map(char::from).into_iter().try_for_each(&mut push)?;
        }
        Ok(true)
    }
}

/// Returns the bytes of a value without its line breaks and the space after each.
fn unfolded(value: &str) -> impl Iterator<Item = u8> + '_ {
    let bytes = value.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let skipped = match &bytes[at..] {
                [b'\n', b' ', ..] => 2,
                [b'\r', b'\n', b' ', ..] => 3,
                rest => {
                    let next = *rest.first()?;
                    at += 1;
                    return Some(next);
                }
            };
            at += skipped;
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::{
        decode, decode_every_way, encode_every_way, encode_with_errors,
    };
    use super::*;
    use MalformedReason::{InvalidCharacter, InvalidLength, InvalidPadding};

    /// Examples of RFC 2849 (the last is example 5), with values that are decoded to text.
    const PAIRS: [(&str, &str); 6] = [
        ("cn:: SsO2cmc=\n", "cn: Jörg\n"),
        ("dn:: b3U95Za25qWt6YOoLG89QWlyaXVz\r\n", "dn: ou=営業部,o=Airius\r\n"),
        (
            "givenname;lang-ja:: 44Ot44OJ44OL44O8\nsn: Ogasawara\n",
            "givenname;lang-ja: ロドニー\nsn: Ogasawara\n",
        ),
        ("title;lang-ja:: 5Za25qWt6YOoIOmDqOmVtw==", "title;lang-ja: 営業部 部長"),
        ("2.5.4.3:: w6k=\n-\n", "2.5.4.3: é\n-\n"),
        ("# é\n\ncn:: w6k=\n", "# é\n\ncn: é\n"),
    ];

    #[test]
    fn values_are_converted_both_ways() {
        for (encoded, decoded) in PAIRS {
            assert_eq!(decode("ldif", encoded), decoded);
            assert_eq!(encode_every_way("ldif", decoded), encoded);
        }
    }

    #[test]
    fn folded_values_are_joined_and_written_in_lines_of_76_characters() {
        let folded = "cn:: SsO2\n cm\n c=\ndescription: a long\n  line\n";
        assert_eq!(decode("ldif", folded), "cn: Jörg\ndescription: a long\n  line\n");
        assert_eq!(decode("ldif", "cn:: SsO2\r\n cmc=\r\nb: c\r\n"), "cn: Jörg\r\nb: c\r\n");
        // A value that is folded and not safe.
        assert_eq!(encode_every_way("ldif", "cn: J\n örg\n"), "cn:: SsO2cmc=\n");
        let long = format!("cn: {}\r\nsn: b\r\n", "é".repeat(60));
        let encoded = encode_every_way("ldif", &long);
        let first = encoded.lines().next().expect("a line");
        assert_eq!((first.len(), first.is_ascii()), (76, true));
        assert!(encoded.contains("cO\r\n pw6n") && encoded.ends_with("\r\nsn: b\r\n"), "{encoded}");
        assert_eq!(decode("ldif", &encoded), long);
    }

    #[test]
    fn what_would_not_be_read_as_the_same_value_remains() {
        // " a", ":a", "<a", "a ", "a\nb", ESC, FF and a NUL.
        for value in ["IGE=", "OmE=", "PGE=", "YSA=", "YQpi", "Gw==", "/w==", "AA=="] {
            let line = format!("cn:: {value}\n");
            assert_eq!(decode("ldif", &line), line);
            assert_eq!(encode_every_way("ldif", &line), line);
        }
        for line in ["cn:< file:///tmp/x\n", "cn: a\n", "cn:\n", "a b:: w6k=\n", "\n", " x:: w6k="]
        {
            assert_eq!(decode("ldif", line), line);
            assert_eq!(encode_every_way("ldif", line), line);
        }
        assert_eq!(decode("ldif", "cn::\nsn::  YQ==\n"), "cn:\nsn: a\n");
        assert_eq!(
            encode_every_way("ldif", "cn: a \ncn: <b\ncn: :c\n"),
            "cn:: YSA=\ncn:: PGI=\ncn:: OmM=\n"
        );
    }

    #[test]
    fn invalid_base64_is_an_error_of_the_line() {
        for (value, reason) in [("w6k", InvalidPadding), ("w*k=", InvalidCharacter)] {
            let (decoded, errors) =
                decode_every_way("ldif", &format!("a: b\ncn:: {value}\nc:: w6k=\n"));
            assert_eq!(errors, [(5, 5 + value.len(), reason)]);
            assert_eq!(decoded, "a: b\n\u{FFFD}\nc: é\n");
        }
    }

    #[test]
    fn long_lines_remain_or_are_errors() {
        let photo = format!("jpegPhoto:: {}\ncn:: w6k=\n", "/9j/".repeat(2000));
        let decoded = decode("ldif", &photo);
        assert_eq!(decoded, photo.replace("cn:: w6k=", "cn: é"));
        let text = format!("a: {}é\nb: é\n", "x".repeat(3000));
        let (encoded, errors) = encode_with_errors("ldif", &text);
        assert_eq!(errors, [(3003, 2, InvalidLength)]);
        assert_eq!(encoded, format!("a: {}\u{FFFD}\nb:: w6k=\n", "x".repeat(3000)));
    }
}
