//! Decoders and encoders for codecs of Python. An error is returned to the caller, which calls Python's error
//! handler and continues.

use charpipe::internals::codec::{Decoder, Encoder, State, Status};
use charpipe::{EncodingSpec, Error};
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The length of the buffer between a codec and an object of Python.
const BUFFER_LEN: usize = 64 * 1024;

/// An error: where it begins and ends in the input of the call, and what is wrong.
type CodecError = (usize, usize, String);

fn parse(label: &str) -> PyResult<EncodingSpec> {
    let spec: Result<EncodingSpec, Error> = label.parse();
    let spec = spec.map_err(|error| PyLookupError::new_err(error.to_string()))?;
    match spec.transforms.is_empty() {
        true => Ok(spec),
        false => Err(PyLookupError::new_err(format!("{label} has transforms"))),
    }
}

/// The states that a codec had, as small numbers. Python keeps one with a position in a file.
#[derive(Default)]
struct StateNumbers(Vec<State>);

impl StateNumbers {
    fn number_of(&mut self, state: State) -> usize {
        if state == State::INITIAL {
            return 0;
        }
        let index = self.0.iter().position(|other| *other == state).unwrap_or_else(|| {
            self.0.push(state);
            self.0.len() - 1
        });
        index + 1
    }

    fn state(&self, number: usize) -> State {
        let index = number.checked_sub(1);
        index.and_then(|index| self.0.get(index)).copied().unwrap_or(State::INITIAL)
    }
}

/// The decoder of a codec.
#[pyclass(module = "charpipe")]
pub struct DecoderState {
    decoder: Box<dyn Decoder>,
    name: String,
    numbers: StateNumbers,
    /// Where to resume after the last error.
    resume_state: State,
}

#[pymethods]
impl DecoderState {
    #[new]
    fn new(label: &str) -> PyResult<DecoderState> {
        let spec = parse(label)?;
        Ok(DecoderState {
            decoder: spec.encoding.decoder(&spec.options),
            name: spec.to_string(),
            numbers: StateNumbers::default(),
            resume_state: State::INITIAL,
        })
    }

    /// Decodes `data` from `start` on, up to the first error. Returns the text, the position up to which was
    /// read, and the error.
    fn decode<'py>(
        &mut self,
        py: Python<'py>,
        data: &Bound<'py, PyBytes>,
        start: usize,
        r#final: bool,
    ) -> (Bound<'py, PyString>, usize, Option<CodecError>) {
        let input = data.as_bytes().get(start..).unwrap_or_default();
        let (text, read, error) = py.detach(|| self.decode_part(input, r#final));
        let error = error.map(|(from, to, reason)| (start + from, start + to, reason));
        (PyString::new(py, &text), start + read, error)
    }

    /// Continues after the last error.
    fn resume(&mut self) {
        self.decoder.restore_state(self.resume_state);
    }

    /// Returns a number for the current state.
    fn state(&mut self) -> usize {
        self.numbers.number_of(self.decoder.save_state())
    }

    /// Restores the state with a number.
    fn set_state(&mut self, number: usize) {
        self.decoder.restore_state(self.numbers.state(number));
    }
}

impl DecoderState {
    fn decode_part(&mut self, input: &[u8], end: bool) -> (String, usize, Option<CodecError>) {
        let (mut text, mut read) = (String::with_capacity(input.len()), 0);
        let mut buffer = vec![0; BUFFER_LEN.min(4 * input.len() + 64)];
        loop {
            let progress = self.decoder.decode(&input[read..], &mut buffer, end);
            read += progress.read;
            // A decoder writes valid text.
            text.push_str(std::str::from_utf8(&buffer[..progress.written]).unwrap_or_default());
            match progress.status {
                Status::InputEmpty => return (text, read, None),
                Status::OutputFull => {}
                Status::Error(error) => {
                    self.resume_state = error.resume_state;
                    let reason = format!("invalid {} sequence", self.name);
                    return (text, read, Some((read, read + error.resume_len, reason)));
                }
            }
        }
    }
}

/// The encoder of a codec.
#[pyclass(module = "charpipe")]
pub struct EncoderState {
    encoder: Box<dyn Encoder>,
    name: String,
    numbers: StateNumbers,
}

#[pymethods]
impl EncoderState {
    #[new]
    fn new(label: &str) -> PyResult<EncoderState> {
        let spec = parse(label)?;
        Ok(EncoderState {
            encoder: spec.encoding.encoder(&spec.options),
            name: spec.to_string(),
            numbers: StateNumbers::default(),
        })
    }

    /// Encodes `text` up to the first error. Returns the bytes, the number of characters read, and the
    /// error.
    fn encode<'py>(
        &mut self,
        py: Python<'py>,
        text: &str,
        r#final: bool,
    ) -> (Bound<'py, PyBytes>, usize, Option<CodecError>) {
        let (bytes, read, error) = py.detach(|| self.encode_part(text, r#final));
        (PyBytes::new(py, &bytes), read, error)
    }

    /// Returns a number for the current state.
    fn state(&mut self) -> usize {
        self.numbers.number_of(self.encoder.save_state())
    }

    /// Restores the state with a number.
    fn set_state(&mut self, number: usize) {
        self.encoder.restore_state(self.numbers.state(number));
    }
}

impl EncoderState {
    fn encode_part(&mut self, text: &str, end: bool) -> (Vec<u8>, usize, Option<CodecError>) {
        let (mut bytes, mut read) = (Vec::with_capacity(text.len()), 0);
        let mut buffer = vec![0; BUFFER_LEN.min(4 * text.len() + 64)];
        let characters = |read: usize| text[..read].chars().count();
        loop {
            let progress = self.encoder.encode(&text[read..], &mut buffer, end);
            read += progress.read;
            bytes.extend_from_slice(&buffer[..progress.written]);
            match progress.status {
                Status::InputEmpty => return (bytes, characters(read), None),
                Status::OutputFull => {}
                Status::Error(_) => {
                    let at = characters(read);
                    let reason = format!("character is not in {}", self.name);
                    return (bytes, at, Some((at, at + 1, reason)));
                }
            }
        }
    }
}
