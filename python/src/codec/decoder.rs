//! The decoder of a codec.

use std::io;

use charpipe::internals::codec::{DecodeStage, Status};
use charpipe::internals::conversion_error::Malformed;
use pyo3::exceptions::{PyTypeError, PyUnicodeDecodeError, PyUnicodeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::error_handler::{self, ErrorHandler};
use super::state_numbers::DECODER_STATES;
use super::{SURROGATE_LEN, buffer_len, grow, parse};
use crate::bytes_of;
use crate::bytes_writer::new_bytes;

/// The decoder of a codec.
#[pyclass(module = "charpipe")]
pub struct DecoderState {
    decoder: Box<dyn DecodeStage>,
    name: String,
    buffer: Vec<u8>,
}

/// Decoded text, in UTF-8 with codes of surrogates.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    has_surrogates: bool,
}

impl Text {
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.try_reserve(bytes.len())?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self, py: Python<'_>) -> PyResult<Bound<'_, PyString>> {
        if !self.has_surrogates {
            return PyString::from_bytes(py, &self.bytes);
        }
        let bytes = new_bytes(py, &self.bytes)?;
        PyString::from_encoded_object(&bytes, Some(c"utf-8"), Some(c"surrogatepass"))
    }
}

#[pymethods]
impl DecoderState {
    #[new]
    pub fn new(label: &str) -> PyResult<DecoderState> {
        let spec = parse(label)?;
        Ok(DecoderState {
            decoder: spec.encoding.decoder(&spec.options),
            name: spec.to_string(),
            buffer: Vec::new(),
        })
    }

    /// Decodes `data`. Returns the text and the number of bytes that were read: all of them if `final`,
    /// otherwise without an incomplete sequence at the end. After an exception the state is that before the
    /// call.
    pub fn decode<'py>(
        &mut self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        errors: &str,
        r#final: bool,
    ) -> PyResult<(Bound<'py, PyString>, usize)> {
        let state = self.decoder.save_state();
        let result = self.decode_data(py, bytes_of(data)?, errors, r#final);
        if result.is_err() {
            self.decoder.restore_state(state);
        }
        result
    }

    /// Returns a number for the current state.
    fn state(&self) -> usize {
        DECODER_STATES.number_of(&self.name, self.decoder.save_state())
    }

    /// Restores the state with a number.
    fn set_state(&mut self, number: usize) -> PyResult<()> {
        let state = DECODER_STATES.state(&self.name, number);
        let state = state.ok_or_else(|| PyUnicodeError::new_err("unknown decoder state"))?;
        self.decoder.restore_state(state);
        Ok(())
    }
}

impl DecoderState {
    fn decode_data<'py>(
        &mut self,
        py: Python<'py>,
        mut data: Bound<'py, PyBytes>,
        errors: &str,
        is_final: bool,
    ) -> PyResult<(Bound<'py, PyString>, usize)> {
        let mut handler = ErrorHandler::new(errors);
        let (mut text, mut position) = (Text::default(), 0);
        text.bytes.try_reserve(data.as_bytes().len()).map_err(io::Error::from)?;
        loop {
            let input = &data.as_bytes()[position..];
            let (read, error) = py.detach(|| self.decode_part(input, &mut text, is_final))?;
            position += read;
            let Some(error) = error else { break };
            if !is_final && self.may_be_surrogate(&data.as_bytes()[position..], errors) {
                break;
            }
            let end = position + error.resume_len;
            // At the end of the input something may be missing.
            let start = if position == end { end.saturating_sub(1) } else { position };
            let reason = format!("invalid {} sequence", self.name);
            let arguments = (self.name_after(&error), &data, start, end, reason);
            let exception = py.get_type::<PyUnicodeDecodeError>().call1(arguments)?;
            let (replacement, next) = handler.call(&exception)?;
            let Ok(replacement) = replacement.cast::<PyString>() else {
                let message = "a decoding error handler must return a tuple (str, int)";
                return Err(PyTypeError::new_err(message));
            };
            // A handler may replace the input.
            data = exception.getattr("object")?.cast_into::<PyBytes>()?;
            position = error_handler::position(py, &next, data.as_bytes().len())?;
            let replacement = replacement.call_method1("encode", ("utf-8", "surrogatepass"))?;
            let replacement = replacement.cast_into::<PyBytes>()?;
            text.has_surrogates |= std::str::from_utf8(replacement.as_bytes()).is_err();
            text.push(replacement.as_bytes())?;
            if position >= end {
                self.decoder.restore_state(error.resume_state);
            }
        }
        Ok((text.finish(py)?, position))
    }

    /// Decodes up to the first error. Returns the number of bytes read, and the error.
    fn decode_part(
        &mut self,
        input: &[u8],
        text: &mut Text,
        end: bool,
    ) -> io::Result<(usize, Option<Malformed>)> {
        grow(&mut self.buffer, buffer_len(input.len()))?;
        let mut read = 0;
        loop {
            let progress = self.decoder.decode(&input[read..], &mut self.buffer, end);
            read += progress.read;
            text.push(&self.buffer[..progress.written])?;
            match progress.status {
                Status::InputEmpty => return Ok((read, None)),
                Status::OutputFull => {}
                Status::Error(error) => return Ok((read, Some(error))),
            }
        }
    }

    /// Returns whether a malformed sequence at the end of a part may be continued to the code of a
    /// surrogate, which the handler `surrogatepass` reads as a whole.
    fn may_be_surrogate(&self, rest: &[u8], errors: &str) -> bool {
        errors == "surrogatepass"
            && self.name == "UTF-8"
            && rest.len() < SURROGATE_LEN
            && rest.first() == Some(&0xED)
            && rest.get(1).is_none_or(|byte| (0xA0..=0xBF).contains(byte))
    }

    /// Returns the name of the encoding for the exception for an error: with the byte order, which
    /// `surrogatepass` needs.
    fn name_after(&mut self, error: &Malformed) -> String {
        if self.name != "UTF-16" && self.name != "UTF-32" {
            return self.name.clone();
        }
        let state = self.decoder.save_state();
        self.decoder.restore_state(error.resume_state);
        let mut output = [0; 64];
        let progress = self.decoder.decode(b"A\0\0\0", &mut output, false);
        self.decoder.restore_state(state);
        let is_little_endian = progress.written > 0 && output[0] == b'A';
        format!("{}{}", self.name, if is_little_endian { "LE" } else { "BE" })
    }
}
