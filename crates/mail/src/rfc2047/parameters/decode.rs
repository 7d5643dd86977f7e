//! Writes parameters of RFC 2231 as quoted-strings with an encoded-word.
//!
//! `filename*0*=utf-8''caf; filename*1*=%C3%A9` becomes `filename="=?utf-8?Q?caf=C3=A9?="`. Parameters
//! remain unchanged if their parts are not in order, which RFC 2231 allows, or more than
//! [`LOOKAHEAD`] bytes long together, or if their charset is unknown. Languages are dropped.

use std::ops::Range;

use super::{
    FieldContext, FieldPosition, NAME_LOOKAHEAD, ParameterStep, ParameterStop, Parse, ends_token,
    run_steps, skip_attribute, skip_fws, skip_value,
};
use crate::rfc2047::decode::LabelCache;
use crate::rfc2047::state::BitPacker;
use crate::rfc2047::transfer_encoding::q_text;
use charpipe_encoding::codec::{ByteTransform, Checkpoint, Progress, State};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_encoding::encoding::EncodingOptions;
use charpipe_kernel::hex;

/// The maximum length of a parameter.
const LOOKAHEAD: usize = 4096;

/// The maximum number of parts of a parameter.
const MAX_PARTS: usize = 255;

/// Rewrites parameters.
pub struct ParameterDecoder {
    labels: LabelCache,
    now: ParameterDecoderState,
}

/// Everything that the decoder keeps between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct ParameterDecoderState {
    context: FieldContext,
    value: Value,
}

/// The value that is being converted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Value {
    /// The number of parts after this one.
    parts_left: u8,
    /// Whether this part has percent-encoded bytes.
    is_extended: bool,
    /// Whether this part is in quotation marks.
    is_quoted: bool,
    /// Whether the value becomes an encoded-word.
    is_word: bool,
    /// Whether encoded quotation marks and backslashes get a backslash.
    escapes: bool,
}

impl ParameterDecoderState {
    fn pass(self, bits: &mut BitPacker) -> ParameterDecoderState {
        let Value { parts_left, is_extended, is_quoted, is_word, escapes } = self.value;
        ParameterDecoderState {
            context: self.context.pass(bits),
            value: Value {
                parts_left: bits.number(8, parts_left.into()) as u8,
                is_extended: bits.flag(is_extended),
                is_quoted: bits.flag(is_quoted),
                is_word: bits.flag(is_word),
                escapes: bits.flag(escapes),
            },
        }
    }
}

/// The start of a part of a parameter.
struct PartStart {
    attribute: Range<usize>,
    number: usize,
    /// Whether the name ends with `*`.
    is_extended: bool,
    is_quoted: bool,
    /// The index of the value, after a quotation mark.
    value: usize,
}

/// A parameter of RFC 2231.
struct Parameter {
    attribute: Range<usize>,
    label: Range<usize>,
    /// The index of the value of the first part, after the charset and the language.
    content: usize,
    value: Value,
}

impl PartStart {
    /// Parses the part of a parameter after the semicolon before `at`.
    fn parse(src: &[u8], at: usize, end: bool) -> Parse<PartStart> {
        let start = skip_fws(src, at, end)?;
        let name_end = skip_attribute(src, start, end)?;
        let byte = |at: usize| match src.get(at) {
            Some(byte) => Ok(*byte),
            None if end => Err(ParameterStop::NotFound),
            None => Err(ParameterStop::NeedMore),
        };
        if byte(name_end)? != b'*' {
            return Err(ParameterStop::NotFound);
        }
        let mut at = name_end + 1;
        let (mut number, mut digits) = (0, 0);
        while byte(at)?.is_ascii_digit() && digits < 3 {
            number = 10 * number + usize::from(src[at] - b'0');
            (at, digits) = (at + 1, digits + 1);
        }
        // Without a number there is one `*`, which says that the value is extended.
        let mut is_extended = digits == 0;
        if digits > 0 && byte(at)? == b'*' {
            is_extended = true;
            at += 1;
        }
        if byte(at)? != b'=' || (digits > 1 && src[name_end + 1] == b'0') {
            return Err(ParameterStop::NotFound);
        }
        let is_quoted = match src.get(at + 1) {
            None if !end => return Err(ParameterStop::NeedMore),
            first => first == Some(&b'"'),
        };
        let value = at + 1 + usize::from(is_quoted);
        let has_number = digits > 0;
        let number = if has_number { number } else { usize::MAX };
        Ok(PartStart { attribute: start..name_end, number, is_extended, is_quoted, value })
    }

    /// Returns the index after the value, which ends at `end`, with its quotation mark.
    fn after(&self, end: usize) -> usize {
        end + usize::from(self.is_quoted)
    }
}

/// Parses the next part of a value that ends before `at`.
fn parse_next_part(src: &[u8], at: usize, end: bool) -> Parse<PartStart> {
    let semicolon = skip_fws(src, at, end)?;
    match src.get(semicolon) {
        Some(b';') => PartStart::parse(src, semicolon + 1, end),
        _ => Err(ParameterStop::NotFound),
    }
}

impl ParameterDecoder {
    pub fn new(options: &EncodingOptions) -> ParameterDecoder {
        ParameterDecoder {
            labels: LabelCache::new(options.flag("strict")),
            now: ParameterDecoderState::default(),
        }
    }

    /// Parses all parts of a parameter after a semicolon. `end` means that nothing follows `src`.
    fn parse(&mut self, src: &[u8], end: bool) -> Parse<Parameter> {
        let first = PartStart::parse(src, 0, end)?;
        let mut value_end = skip_value(src, first.value, first.is_quoted, end)?;
        let (mut label, mut content) = (0..0, first.value);
        if first.is_extended {
            let quote = |from: usize| {
                memchr::memchr(b'\'', &src[from..value_end])
                    .map(|at| from + at)
                    .ok_or(ParameterStop::NotFound)
            };
            let charset_end = quote(first.value)?;
            label = first.value..charset_end;
            content = quote(charset_end + 1)? + 1;
            if !label.is_empty() {
                self.labels.find(&src[label.clone()]).ok_or(ParameterStop::NotFound)?;
            }
        }
        let is_whole = first.number == usize::MAX;
        if !is_whole && first.number > 0 {
            return Err(ParameterStop::NotFound);
        }
        let mut count = 1;
        let mut last = first.after(value_end);
        while !is_whole && count < MAX_PARTS {
            let name = &src[first.attribute.clone()];
            let part = match parse_next_part(src, last, end) {
                Ok(part) if src[part.attribute.clone()].eq_ignore_ascii_case(name) => part,
                Ok(_) | Err(ParameterStop::NotFound) => break,
                Err(ParameterStop::NeedMore) => return Err(ParameterStop::NeedMore),
            };
            if part.number != count || (part.is_extended && !first.is_extended) {
                return Err(ParameterStop::NotFound);
            }
            value_end = skip_value(src, part.value, part.is_quoted, end)?;
            last = part.after(value_end);
            count += 1;
        }
        let value = Value {
            parts_left: (count - 1) as u8,
            is_extended: first.is_extended,
            is_quoted: first.is_quoted,
            is_word: first.is_extended,
            escapes: label.is_empty() || allows_escapes(&src[label.clone()]),
        };
        Ok(Parameter { attribute: first.attribute, label, content, value })
    }

    fn step(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> ParameterStep {
        match self.now.context.position {
            FieldPosition::Value => self.convert(src, dst, end),
            _ if src.is_empty() => ParameterStep::NeedMore,
            FieldPosition::AfterSemicolon => self.begin(src, dst, end),
            FieldPosition::LineStart | FieldPosition::ContinuationStart => {
                match self.now.context.begin_line(src, end) {
                    Some(context) => self.now.context = context,
                    None => return ParameterStep::NeedMore,
                }
                ParameterStep::Continue
            }
            FieldPosition::OtherLine | FieldPosition::Parameters => {
                let (len, context) = self.now.context.copy(&src[..src.len().min(dst.len())]);
                if len == 0 {
                    return ParameterStep::OutputFull;
                }
                dst[..len].copy_from_slice(&src[..len]);
                self.now.context = context;
                ParameterStep::Advanced { read: len, written: len }
            }
        }
    }

    /// Begins a parameter after a semicolon, or finds that there is none.
    fn begin(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> ParameterStep {
        let window = &src[..src.len().min(LOOKAHEAD)];
        let is_last = end && window.len() == src.len();
        let Parameter { attribute, label, content, value } = match self.parse(window, is_last) {
            Ok(parameter) => parameter,
            Err(ParameterStop::NeedMore) if window.len() < LOOKAHEAD => {
                return ParameterStep::NeedMore;
            }
            Err(ParameterStop::NeedMore | ParameterStop::NotFound) => {
                self.now.context.position = FieldPosition::Parameters;
                return ParameterStep::Continue;
            }
        };
        let label = if label.is_empty() { &b"utf-8"[..] } else { &src[label] };
        let parts = match value.is_word {
            true => [&src[..attribute.end], b"=\"=?", label, b"?Q?"],
            false => [&src[..attribute.end], b"=\"", b"", b""],
        };
        let Some(written) = write(&parts, dst) else { return ParameterStep::OutputFull };
        self.now.context.position = FieldPosition::Value;
        self.now.value = value;
        ParameterStep::Advanced { read: content, written }
    }

    /// Converts the next byte of a value, or its end.
    fn convert(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> ParameterStep {
        let Value { is_extended, is_quoted, is_word, escapes, .. } = self.now.value;
        let (byte, len) = match src {
            [] if !end => return ParameterStep::NeedMore,
            [] => return self.end_part(src, dst, end),
            [b'"', ..] if is_quoted => return self.end_part(src, dst, end),
            [byte, ..] if !is_quoted && ends_token(*byte) => return self.end_part(src, dst, end),
            // Folding white space in a quoted-string.
            [b'\r' | b'\n', ..] | [b'\\', b'\r' | b'\n', ..] if is_quoted => {
                return ParameterStep::Advanced { read: 1, written: 0 };
            }
            [b'\\'] if is_quoted && !end => return ParameterStep::NeedMore,
            [b'\\', byte, ..] if is_quoted => (*byte, 2),
            [b'%', digits @ ..] if is_extended => match digits {
                [high, low, ..] => match hex::decode_byte([*high, *low]) {
                    Some(byte) => (byte, 3),
                    None => (b'%', 1),
                },
                _ if !end => return ParameterStep::NeedMore,
                _ => (b'%', 1),
            },
            [byte, ..] => (*byte, 1),
        };
        let has_backslash = len == 2 || (matches!(byte, b'"' | b'\\') && (escapes || !is_word));
        let unit = match (is_word, has_backslash) {
            (true, false) => write(&[q_text(byte)], dst),
            (true, true) => write(&[q_text(b'\\'), q_text(byte)], dst),
            (false, false) => write(&[&[byte]], dst),
            (false, true) => write(&[b"\\", &[byte]], dst),
        };
        let Some(written) = unit else { return ParameterStep::OutputFull };
        ParameterStep::Advanced { read: len, written }
    }

    /// Ends a part of a value, and goes on to the next one.
    fn end_part(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> ParameterStep {
        let quote = usize::from(self.now.value.is_quoted && !src.is_empty());
        if let Some(parts_left) = self.now.value.parts_left.checked_sub(1) {
            let window = &src[..src.len().min(LOOKAHEAD)];
            match parse_next_part(window, quote, end && window.len() == src.len()) {
                Ok(part) => {
                    let PartStart { is_extended, is_quoted, .. } = part;
                    self.now.value = Value { parts_left, is_extended, is_quoted, ..self.now.value };
                    return ParameterStep::Advanced { read: part.value, written: 0 };
                }
                Err(ParameterStop::NeedMore) if window.len() < LOOKAHEAD => {
                    return ParameterStep::NeedMore;
                }
                // All parts have been parsed before.
                Err(ParameterStop::NeedMore | ParameterStop::NotFound) => {}
            }
        }
        let close: &[u8] = if self.now.value.is_word { b"?=\"" } else { b"\"" };
        let Some(written) = write(&[close], dst) else { return ParameterStep::OutputFull };
        self.now.context = FieldContext::at(FieldPosition::Parameters);
        self.now.value = Value::default();
        ParameterStep::Advanced { read: quote, written }
    }
}

/// Writes slices if there is space for all of them. Returns their length.
fn write(parts: &[&[u8]], dst: &mut [u8]) -> Option<usize> {
    let len = parts.iter().map(|part| part.len()).sum();
    let mut dst = dst.get_mut(..len)?;
    for part in parts {
        let (to, rest) = dst.split_at_mut(part.len());
        to.copy_from_slice(part);
        dst = rest;
    }
    Some(len)
}

/// Whether bytes 22 and 5C are always quotation marks and backslashes in the charset with this label.
/// In the charsets of East Asia they may be part of a character.
fn allows_escapes(label: &[u8]) -> bool {
    let prefixes = ["utf-8", "us-ascii", "iso-8859-", "windows-125", "koi8-"];
    prefixes.iter().any(|prefix| {
        label.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes()))
    })
}

impl Checkpoint for ParameterDecoder {
    fn save_state(&self) -> State {
        let mut bits = BitPacker::writer();
        self.now.pass(&mut bits);
        State::new(bits.bits)
    }

    fn restore_state(&mut self, at: State) {
        self.now = ParameterDecoderState::default().pass(&mut BitPacker::reader(at.bits()));
    }

    fn max_lookahead(&self) -> usize {
        LOOKAHEAD + NAME_LOOKAHEAD
    }
}

impl ByteTransform for ParameterDecoder {
    fn transform_bytes(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        run_steps(
            self,
            |it| &mut it.now,
            |it, read, written| it.step(&src[read..], &mut dst[written..], end),
        )
    }
}
