//! Writes values of parameters that are not ASCII in the syntax of RFC 2231, in UTF-8.
//!
//! `filename="café.txt"` becomes `filename*=UTF-8''caf%C3%A9.txt`, or `filename*0*=…`, `filename*1*=…` on
//! lines of their own if one line would have more than 76 characters. A value of more than
//! [`MAX_VALUE`] bytes, or with a name of more than [`MAX_NAME`], remains unchanged, which is an error
//! of the encoder after this stage.

use std::ops::Range;

use super::{
    FieldContext, FieldPosition, ParameterStep, ParameterStop, Parse, run_steps, skip_attribute,
    skip_fws, skip_value,
};
use crate::rfc2047::encode::{EncodedLineEnding, LINE_LOOKAHEAD, MAX_LINE};
use crate::rfc2047::state::BitPacker;
use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_kernel as kernel;

/// The maximum length of the value of a parameter that is encoded, with the white space before it.
const MAX_VALUE: usize = 2048;

/// The maximum length of the name of a parameter that is encoded.
const MAX_NAME: usize = 40;

/// More than a value with all parts of its name, if each has one character, and more than
/// [`LINE_LOOKAHEAD`].
const MAX_OUTPUT: usize = 24 * 1024;

const COLUMN_BITS: u32 = 7;
const MAX_COLUMN: usize = (1 << COLUMN_BITS) - 1;

/// Encodes parameters.
#[derive(Default)]
pub struct ParameterEncoder {
    now: ParameterEncoderState,
}

/// Everything that the encoder keeps between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ParameterEncoderState {
    context: FieldContext,
    /// The length of the line so far, in bytes.
    column: usize,
    /// How the last line ended.
    line_ending: EncodedLineEnding,
    /// Whether the last byte is a CR.
    is_after_cr: bool,
}

const LINE_ENDINGS: [EncodedLineEnding; 3] =
    [EncodedLineEnding::Unknown, EncodedLineEnding::Lf, EncodedLineEnding::CrLf];

impl ParameterEncoderState {
    fn pass(self, bits: &mut BitPacker) -> ParameterEncoderState {
        ParameterEncoderState {
            context: self.context.pass(bits),
            column: bits.number(COLUMN_BITS, self.column as u64) as usize,
            line_ending: bits.one_of(2, &LINE_ENDINGS, self.line_ending as usize),
            is_after_cr: bits.flag(self.is_after_cr),
        }
    }

    /// Counts bytes up to the end of a line.
    fn count(&mut self, bytes: &[u8]) {
        self.column = (self.column + bytes.len()).min(MAX_COLUMN);
        if let [before @ .., b'\n'] = bytes {
            self.column = 0;
            let has_cr = before.last().map_or(self.is_after_cr, |last| *last == b'\r');
            self.line_ending = if has_cr { EncodedLineEnding::CrLf } else { EncodedLineEnding::Lf };
        }
        self.is_after_cr = bytes.last() == Some(&b'\r');
    }
}

/// A parameter to encode, as indexes after the semicolon before it.
struct EncodedParameter {
    name: Range<usize>,
    value: Range<usize>,
    is_quoted: bool,
    end: usize,
}

/// Parses the parameter after a semicolon if its value is not ASCII.
fn parse(src: &[u8], end: bool) -> Parse<EncodedParameter> {
    let start = skip_fws(src, 0, end)?;
    let name_end = skip_attribute(src, start, end)?;
    let is_quoted = match src[name_end..] {
        [b'=', b'"', ..] => true,
        [b'='] | [] if !end => return Err(ParameterStop::NeedMore),
        [b'=', ..] => false,
        _ => return Err(ParameterStop::NotFound),
    };
    let value = name_end + 1 + usize::from(is_quoted);
    let value_end = skip_value(src, value, is_quoted, end)?;
    if src[value..value_end].is_ascii() || name_end - start > MAX_NAME {
        return Err(ParameterStop::NotFound);
    }
    let end = value_end + usize::from(is_quoted);
    Ok(EncodedParameter { name: start..name_end, value: value..value_end, is_quoted, end })
}

/// Writes to a slice, unless it is full.
struct ParameterWriter<'a> {
    dst: &'a mut [u8],
    written: usize,
    is_full: bool,
}

impl ParameterWriter<'_> {
    fn push(&mut self, bytes: &[u8]) {
        match self.dst.get_mut(self.written..self.written + bytes.len()) {
            Some(to) => to.copy_from_slice(bytes),
            None => self.is_full = true,
        }
        self.written += bytes.len();
    }

    /// Writes a parameter on the current line. Returns its length.
    fn push_whole(&mut self, name: &[u8], chars: EncodedChars<'_>) -> usize {
        let start = self.written;
        for part in [name, b"*=", CHARSET] {
            self.push(part);
        }
        chars.for_each(|(encoded, len)| self.push(&encoded[..len]));
        self.written - start
    }

    /// Writes a parameter in parts on lines of their own, from the second column on. Returns the
    /// length of the last line.
    fn push_parts(
        &mut self,
        name: &[u8],
        chars: EncodedChars<'_>,
        ending: EncodedLineEnding,
    ) -> usize {
        let mut chars = chars.peekable();
        let mut line_start = self.written - 1;
        for number in 0.. {
            self.push(name);
            self.push(b"*");
            push_number(number, self);
            self.push(b"*=");
            if number == 0 {
                self.push(CHARSET);
            }
            let part_start = self.written;
            while let Some((encoded, len)) = chars.next_if(|(_, len)| {
                self.written == part_start || self.written - line_start + len < MAX_LINE
            }) {
                self.push(&encoded[..len]);
            }
            if chars.peek().is_none() {
                break;
            }
            self.push(b";");
            self.push(ending.bytes());
            line_start = self.written;
            self.push(b" ");
        }
        self.written - line_start
    }
}

/// The characters of a value, percent-encoded.
struct EncodedChars<'a> {
    chars: std::str::Chars<'a>,
    is_quoted: bool,
}

/// A percent-encoded character, and its length.
type ParameterChar = ([u8; 12], usize);

impl Iterator for EncodedChars<'_> {
    type Item = ParameterChar;

    fn next(&mut self) -> Option<ParameterChar> {
        let mut character = self.chars.next()?;
        if self.is_quoted {
            // Folding white space, and backslashes before other characters.
            while matches!(character, '\r' | '\n') {
                character = self.chars.next()?;
            }
            if character == '\\' {
                character = self.chars.next()?;
            }
        }
        let (mut encoded, mut len) = ([0; 12], 0);
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            if is_value_char(byte) {
                encoded[len] = byte;
                len += 1;
            } else {
                let [high, low] = kernel::hex::encode_byte(byte);
                encoded[len..len + 3].copy_from_slice(&[b'%', high, low]);
                len += 3;
            }
        }
        Some((encoded, len))
    }
}

/// Whether a byte needs no escape, neither in mail nor in HTTP (RFC 8187, section 3.2.1, `attr-char`).
fn is_value_char(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$&+-.^_`|~".contains(&byte)
}

const CHARSET: &[u8] = b"UTF-8''";

impl ParameterEncoder {
    fn step(&mut self, src: &str, dst: &mut [u8], end: bool) -> ParameterStep {
        let bytes = src.as_bytes();
        match self.now.context.position {
            _ if bytes.is_empty() => ParameterStep::NeedMore,
            FieldPosition::AfterSemicolon => self.parameter(src, dst, end),
            FieldPosition::LineStart | FieldPosition::ContinuationStart => {
                match self.now.context.begin_line(bytes, end) {
                    Some(context) => self.now.context = context,
                    None => return ParameterStep::NeedMore,
                }
                ParameterStep::Continue
            }
            FieldPosition::OtherLine | FieldPosition::Parameters | FieldPosition::Value => {
                let near = kernel::utf8::floor_char_boundary(src, src.len().min(dst.len()));
                let (len, context) = self.now.context.copy(&bytes[..near]);
                if len == 0 {
                    return ParameterStep::OutputFull;
                }
                dst[..len].copy_from_slice(&bytes[..len]);
                self.now.count(&bytes[..len]);
                self.now.context = context;
                ParameterStep::Advanced { read: len, written: len }
            }
        }
    }

    /// Encodes the parameter after a semicolon, or finds that this is not needed.
    fn parameter(&mut self, src: &str, dst: &mut [u8], end: bool) -> ParameterStep {
        let window = kernel::utf8::floor_char_boundary(src, src.len().min(MAX_VALUE));
        let found = match parse(&src.as_bytes()[..window], end && window == src.len()) {
            Ok(found) => found,
            Err(ParameterStop::NeedMore) if src.len() < MAX_VALUE => {
                return ParameterStep::NeedMore;
            }
            Err(ParameterStop::NeedMore | ParameterStop::NotFound) => {
                self.now.context.position = FieldPosition::Parameters;
                return ParameterStep::Continue;
            }
        };
        let Some(ending) = self.line_ending(src.as_bytes(), end) else {
            return ParameterStep::NeedMore;
        };
        let fws = &src.as_bytes()[..found.name.start];
        let name = src[found.name].as_bytes();
        let chars =
            || EncodedChars { chars: src[found.value.clone()].chars(), is_quoted: found.is_quoted };
        let encoded_len: usize = chars().map(|(_, len)| len).sum();
        // With the semicolon that may follow.
        let whole_len = name.len() + 2 + CHARSET.len() + encoded_len + 1;
        let column = match memchr::memrchr(b'\n', fws) {
            Some(at) => fws.len() - at - 1,
            None => self.now.column + fws.len(),
        };
        let mut out = ParameterWriter { dst, written: 0, is_full: false };
        let column = if column + whole_len <= MAX_LINE {
            out.push(fws);
            column + out.push_whole(name, chars())
        } else {
            out.push(ending.bytes());
            out.push(b" ");
            match whole_len < MAX_LINE {
                true => 1 + out.push_whole(name, chars()),
                false => out.push_parts(name, chars(), ending),
            }
        };
        if out.is_full {
            return ParameterStep::OutputFull;
        }
        let written = out.written;
        self.now.context = FieldContext::at(FieldPosition::Parameters);
        self.now.column = column.min(MAX_COLUMN);
        self.now.is_after_cr = false;
        ParameterStep::Advanced { read: found.end, written }
    }

    /// Returns how lines end, or `None` if more input is needed.
    fn line_ending(&self, src: &[u8], end: bool) -> Option<EncodedLineEnding> {
        if self.now.line_ending != EncodedLineEnding::Unknown {
            return Some(self.now.line_ending);
        }
        let near = &src[..src.len().min(LINE_LOOKAHEAD)];
        match memchr::memchr(b'\n', near) {
            Some(at) if at > 0 && near[at - 1] == b'\r' => Some(EncodedLineEnding::CrLf),
            None if near.len() < LINE_LOOKAHEAD && !end => None,
            _ => Some(EncodedLineEnding::Lf),
        }
    }
}

/// Writes a decimal number.
fn push_number(number: usize, out: &mut ParameterWriter<'_>) {
    if number >= 10 {
        push_number(number / 10, out);
    }
    out.push(&[b'0' + (number % 10) as u8]);
}

impl Checkpoint for ParameterEncoder {
    fn save_state(&self) -> State {
        let mut bits = BitPacker::writer();
        self.now.pass(&mut bits);
        State::new(bits.bits)
    }

    fn restore_state(&mut self, at: State) {
        self.now = ParameterEncoderState::default().pass(&mut BitPacker::reader(at.bits()));
    }

    fn max_lookahead(&self) -> usize {
        MAX_OUTPUT
    }
}

impl TextTransform for ParameterEncoder {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        run_steps(
            self,
            |it| &mut it.now,
            |it, read, written| it.step(&src[read..], &mut dst[written..], end),
        )
    }
}
