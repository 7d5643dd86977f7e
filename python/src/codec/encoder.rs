//! The encoder of a codec.

use std::io::{self, Write};
use std::str;

use charpipe::EncodingSpec;
use charpipe::internals::codec::{EncodeStage, State, Status};
use pyo3::exceptions::{PyTypeError, PyUnicodeEncodeError, PyUnicodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::error_handler::{self, ErrorHandler};
use super::state_numbers::ENCODER_STATES;
use super::text_codec::text_len;
use super::{SURROGATE_LEN, buffer_len, grow, parse};
use crate::bytes_writer::BytesWriter;

/// The encoder of a codec.
#[pyclass(module = "charpipe")]
pub struct EncoderState {
    spec: EncodingSpec,
    encoder: Box<dyn EncodeStage>,
    /// The name of the encoding, with the byte order, which the handler `surrogatepass` needs.
    name: String,
    buffer: Vec<u8>,
    start: Start,
    /// Whether the state can contain a part of a character, as in UTF-7; if that was needed.
    state_holds_text: Option<bool>,
}

/// The start of the output.
#[derive(Default)]
struct Start {
    /// What precedes the first character: a byte order mark, a designation.
    header: Vec<u8>,
    /// The state after it.
    state: State,
    /// The length of the code of a line feed, in bytes: that of a code unit.
    unit_len: usize,
}

/// The position of a character.
#[derive(Clone, Copy, Default)]
struct Cursor {
    /// The number of characters before it.
    index: usize,
    /// The number of bytes before it, in UTF-8 with codes of surrogates.
    offset: usize,
}

impl Cursor {
    /// Moves to the character with an index, which must not be past the end.
    fn move_to(&mut self, text: &[u8], index: usize) {
        while self.index < index {
            self.offset += char_len(text[self.offset]);
            self.index += 1;
        }
        while self.index > index {
            self.offset -= 1;
            self.index -= usize::from(text[self.offset] & 0xC0 != 0x80);
        }
    }

    /// Moves forward by the characters in `len` bytes.
    fn advance(&mut self, text: &[u8], len: usize) {
        let passed = &text[self.offset..self.offset + len];
        self.index += passed.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        self.offset += len;
    }
}

/// Returns the length of the character that begins with a byte.
fn char_len(first_byte: u8) -> usize {
    match first_byte {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        0xF0.. => 4,
    }
}

/// Text in UTF-8 with codes of surrogates, and the part without them that was used last.
struct Text<'a> {
    bytes: &'a [u8],
    part_start: usize,
    part: &'a str,
}

impl<'a> Text<'a> {
    /// Returns the text from `offset` up to the next surrogate; empty before one.
    fn part_at(&mut self, offset: usize) -> &'a str {
        let part = offset.checked_sub(self.part_start).and_then(|start| self.part.get(start..));
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            return part;
        }
        let rest = &self.bytes[offset..];
        self.part_start = offset;
        self.part = match str::from_utf8(rest) {
            Ok(part) => part,
            Err(error) => str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        self.part
    }
}

#[pymethods]
impl EncoderState {
    #[new]
    pub fn new(label: &str) -> PyResult<EncoderState> {
        let spec = parse(label)?;
        let mut name = spec.to_string();
        if name == "UTF-16" || name == "UTF-32" {
            name.push_str("LE");
        }
        let mut encoder = spec.encoding.encoder(&spec.options);
        let start = Start::of(&mut *encoder);
        Ok(EncoderState { spec, encoder, name, buffer: Vec::new(), start, state_holds_text: None })
    }

    /// Encodes `text`. Returns the bytes and the number of characters that were read: all of them if
    /// `final`, otherwise without an ASCII character at the end that may become part of an escape. After an
    /// exception the state is that before the call.
    pub fn encode<'py>(
        &mut self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        errors: &str,
        r#final: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let state = self.encoder.save_state();
        let result = self.encode_text(py, text, errors, r#final);
        if result.is_err() {
            self.encoder.restore_state(state);
        }
        result
    }

    /// Returns a number for the current state; 0 for that after a byte order mark or another header.
    fn state(&self) -> usize {
        self.swap_start(ENCODER_STATES.number_of(&self.name, self.encoder.save_state()))
    }

    /// Restores the state with a number.
    fn set_state(&mut self, number: usize) -> PyResult<()> {
        let state = ENCODER_STATES.state(&self.name, self.swap_start(number));
        let state = state.ok_or_else(|| PyUnicodeError::new_err("unknown encoder state"))?;
        self.encoder.restore_state(state);
        Ok(())
    }

    /// Restores the state before the first character.
    fn reset(&mut self) {
        self.encoder.restore_state(State::INITIAL);
    }
}

impl Start {
    fn of(encoder: &mut dyn EncodeStage) -> Start {
        let (mut first, mut second) = ([0; 64], [0; 64]);
        let with_header = encoder.encode("\n", &mut first, false);
        let state = encoder.save_state();
        let without_header = encoder.encode("\n", &mut second, false);
        encoder.restore_state(State::INITIAL);
        if with_header.status != Status::InputEmpty || without_header.status != Status::InputEmpty {
            return Start { unit_len: 1, ..Start::default() };
        }
        let unit_len = without_header.written;
        // Characters of seven bits are not all written yet.
        let header = first[..with_header.written.saturating_sub(unit_len)].to_vec();
        match header.is_empty() {
            true => Start { header, state: State::INITIAL, unit_len },
            false => Start { header, state, unit_len },
        }
    }
}

impl EncoderState {
    /// Exchanges the number of the initial state and that of the state after the header: Python sets 0 to
    /// append to a file.
    fn swap_start(&self, number: usize) -> usize {
        let after_header = ENCODER_STATES.number_of(&self.name, self.start.state);
        match number {
            0 => after_header,
            number if number == after_header => 0,
            number => number,
        }
    }

    fn encode_text<'py>(
        &mut self,
        py: Python<'py>,
        string: &Bound<'py, PyString>,
        errors: &str,
        is_final: bool,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let bytes = string.call_method1("encode", ("utf-8", "surrogatepass"))?;
        let bytes = bytes.cast_into::<PyBytes>()?;
        let bytes = bytes.as_bytes();
        let part = simdutf8::basic::from_utf8(bytes).unwrap_or_default();
        let mut text = Text { bytes, part_start: 0, part };
        let len = text_len(string)?;
        let mut handler = ErrorHandler::new(errors);
        let mut output = BytesWriter::with_capacity(bytes.len())?;
        let mut cursor = Cursor::default();
        loop {
            let stopped = py.detach(|| {
                let part = text.part_at(cursor.offset);
                let is_last = cursor.offset + part.len() == bytes.len();
                let (read, has_error) = self.encode_part(part, &mut output, is_final, is_last)?;
                match cursor.offset + read == bytes.len() {
                    true => cursor = Cursor { index: len, offset: bytes.len() },
                    false => cursor.advance(bytes, read),
                }
                Ok::<_, io::Error>(has_error || !is_last)
            })?;
            if !stopped {
                break;
            }
            let start = cursor;
            self.skip_unmappable(&mut text, &mut cursor, errors);
            let is_surrogate = text.part_at(start.offset).is_empty();
            let reason = match is_surrogate {
                true => "surrogates not allowed".to_owned(),
                false => format!("character is not in {}", self.name),
            };
            let arguments = (self.name.as_str(), string, start.index, cursor.index, reason);
            let exception = py.get_type::<PyUnicodeEncodeError>().call1(arguments)?;
            let (replacement, next) = handler.call(&exception)?;
            let is_written = if let Ok(replacement) = replacement.cast::<PyBytes>() {
                // A file may end in a part of a code unit.
                let is_end = is_final && cursor.offset == bytes.len();
                self.write_bytes(replacement.as_bytes(), &mut output, is_end)?
            } else if let Ok(replacement) = replacement.cast::<PyString>() {
                match replacement.to_cow() {
                    Ok(replacement) => self.write_replacement(&replacement, &mut output)?,
                    Err(_) => false,
                }
            } else {
                let message = "an encoding error handler must return a tuple (str or bytes, int)";
                return Err(PyTypeError::new_err(message));
            };
            if !is_written {
                return Err(PyErr::from_value(exception));
            }
            cursor.move_to(bytes, error_handler::position(py, &next, len)?);
        }
        Ok((output.finish(py)?, cursor.index))
    }

    /// Encodes a part of the text up to the first error. Returns the number of bytes read, and whether there
    /// is an error. What precedes a surrogate is encoded as a whole.
    fn encode_part(
        &mut self,
        part: &str,
        output: &mut BytesWriter,
        is_final: bool,
        is_last: bool,
    ) -> io::Result<(usize, bool)> {
        let (mut read, has_error) = self.encode_str(part, output, is_final && is_last)?;
        if has_error || (is_final && is_last) {
            return Ok((read, has_error));
        }
        // Few programs end an encoder: a `TextIOWrapper` does not. A character that the encoder keeps because
        // the next one may combine with it would be lost. But an escape that two calls make together would be
        // read as another character.
        let rest = &part[read..];
        if (!rest.is_empty() && (!is_last || !rest.is_ascii())) || self.state_holds_text() {
            let (rest_read, has_error) = self.encode_str(rest, output, true)?;
            read += rest_read;
            return Ok((read, has_error));
        }
        Ok((read, false))
    }

    /// Returns whether the state can contain a part of a character: what was written for one, without its
    /// end, is not decoded.
    fn state_holds_text(&mut self) -> bool {
        let (encoder, spec) = (&mut self.encoder, &self.spec);
        *self.state_holds_text.get_or_insert_with(|| {
            let state = encoder.save_state();
            encoder.restore_state(State::INITIAL);
            let mut output = [0; 64];
            let encoded = encoder.encode("é", &mut output, false);
            encoder.restore_state(state);
            let mut text = [0; 64];
            let mut decoder = spec.encoding.decoder(&spec.options);
            let decoded = decoder.decode(&output[..encoded.written], &mut text, false);
            encoded.status == Status::InputEmpty
                && encoded.read == "é".len()
                && text[..decoded.written] != *"é".as_bytes()
        })
    }

    /// Encodes text up to the first error. Returns the number of bytes read, and whether there is an error.
    fn encode_str(
        &mut self,
        text: &str,
        output: &mut BytesWriter,
        end: bool,
    ) -> io::Result<(usize, bool)> {
        grow(&mut self.buffer, buffer_len(text.len()))?;
        let mut read = 0;
        loop {
            let progress = self.encoder.encode(&text[read..], &mut self.buffer, end);
            read += progress.read;
            output.write_all(&self.buffer[..progress.written])?;
            match progress.status {
                Status::InputEmpty => return Ok((read, false)),
                Status::OutputFull => {}
                Status::Error(_) => return Ok((read, true)),
            }
        }
    }

    /// Moves over the character that cannot be encoded, and over those that follow it. The handler
    /// `surrogateescape` receives the bytes that it can write separately.
    fn skip_unmappable(&mut self, text: &mut Text<'_>, cursor: &mut Cursor, errors: &str) {
        let mut output = [0; 64];
        let state = self.encoder.save_state();
        let bytes = text.bytes;
        let is_escaped_byte = |offset: usize| match bytes[offset..] {
            [0xED, 0xB2 | 0xB3, ..] => errors == "surrogateescape",
            _ => false,
        };
        let starts_with_bytes = is_escaped_byte(cursor.offset);
        let mut is_first = true;
        while cursor.offset < bytes.len() {
            if starts_with_bytes && !is_escaped_byte(cursor.offset) {
                return;
            }
            let part = text.part_at(cursor.offset);
            let len = part.chars().next().map_or(SURROGATE_LEN, char::len_utf8);
            if !is_first && !part.is_empty() {
                let progress = self.encoder.encode(&part[..len], &mut output, false);
                self.encoder.restore_state(state);
                if !matches!(progress.status, Status::Error(_)) {
                    return;
                }
            }
            is_first = false;
            cursor.offset += len;
            cursor.index += 1;
        }
    }

    /// Writes bytes of an error handler. Returns whether they are whole code units, or the end.
    fn write_bytes(
        &mut self,
        bytes: &[u8],
        output: &mut BytesWriter,
        is_end: bool,
    ) -> io::Result<bool> {
        if bytes.len() % self.start.unit_len != 0 && !is_end {
            return Ok(false);
        }
        if !bytes.is_empty() && self.encoder.save_state() == State::INITIAL {
            output.write_all(&self.start.header)?;
            self.encoder.restore_state(self.start.state);
        }
        output.write_all(bytes)?;
        Ok(true)
    }

    /// Encodes text of an error handler. Returns whether the encoding has all of it.
    fn write_replacement(&mut self, text: &str, output: &mut BytesWriter) -> io::Result<bool> {
        let (read, has_error) = self.encode_part(text, output, false, false)?;
        Ok(!has_error && read == text.len())
    }
}
