//! The functions of a codec that convert a whole text.
//!
//! The stable ABI has no access to the layout of a string, but functions that copy: from and to UTF-32, which is the
//! fastest for short text, from Latin-1 for text up to U+00FF, and from UTF-16 for other text. All are several times as fast
//! as those from and to UTF-8.

#![allow(unsafe_code)]

use std::io::{self, Write};
use std::ptr;
use std::sync::Mutex;

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};
use charpipe::internals::encoding::EncodingOptions;
use charpipe::internals::transcode::split::SplitPoints;
use charpipe::{EncodingSpec, ISO_8859_1, UTF_16LE};
use pyo3::exceptions::{PyTypeError, PyUnicodeDecodeError, PyUnicodeEncodeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use super::char_table::{DecodeTable, EncodeTable};
use super::{DecoderState, EncoderState, buffer_len, grow, parse};
use crate::buffer::BytesBuffer;
use crate::bytes_of;
use crate::bytes_writer::{BytesWriter, new_bytes};
use crate::long_bytes::LongBytes;

/// The maximum length of input and text that are converted by a table whatever the characters are, in bytes and characters.
const SHORT_TEXT: usize = 256;

/// The number of characters that are encoded at a time.
const BLOCK_LEN: usize = 8 * 1024;

/// The maximum length of input that is converted without releasing the GIL, in bytes.
const SHORT_INPUT: usize = 16 * 1024;

/// What Python maps a byte to that has no character.
const UNMAPPED: char = '\u{FFFE}';

/// The functions `decode` and `encode` of a codec.
#[pyclass(module = "charpipe", frozen)]
pub struct TextCodec {
    label: String,
    spec: EncodingSpec,
    /// What the last calls have left, unless another thread is using it.
    decoder: Mutex<Option<TextDecoder>>,
    encoder: Mutex<Option<TextEncoder>>,
}

struct TextDecoder {
    decoder: Box<dyn DecodeStage>,
    /// Whether the input is what strings are made from, which Python validates.
    is_utf16: bool,
    /// The characters of a single-byte encoding for which this is the fastest way.
    charmap: Option<Py<PyString>>,
    table: DecodeTable,
    chars: Vec<u32>,
    latin1: Box<dyn EncodeStage>,
    utf16: Box<dyn EncodeStage>,
    /// The part of the text that was decoded last, and the same in another encoding.
    buffer: Vec<u8>,
    encoded: Vec<u8>,
}

struct TextEncoder {
    encoder: Box<dyn EncodeStage>,
    /// Whether Python has the same encoder.
    is_utf16: bool,
    table: EncodeTable,
    chars: Vec<u32>,
    encoded: Vec<u8>,
    buffer: Vec<u8>,
}

/// Text in the layout from which a string is made.
enum Units {
    Latin1(Vec<u8>),
    Utf16(Vec<u8>),
}

#[pymethods]
impl TextCodec {
    #[new]
    fn new(label: &str) -> PyResult<TextCodec> {
        let (decoder, encoder) = (Mutex::default(), Mutex::default());
        Ok(TextCodec { label: label.to_owned(), spec: parse(label)?, decoder, encoder })
    }

    /// Decodes bytes. Returns the text and the number of bytes.
    #[pyo3(signature = (input, errors = None, /))]
    fn decode<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyAny>,
        errors: Option<&Bound<'py, PyString>>,
    ) -> PyResult<(Bound<'py, PyString>, usize)> {
        let buffer = BytesBuffer::new(input)?;
        let len = buffer.as_bytes().len();
        let new = || TextDecoder::new(py, &self.spec);
        let text = with_unused(&self.decoder, len, new, |decoder| {
            decoder.decode(py, buffer.as_bytes(), || bytes_of(input))
        });
        match text? {
            Some(text) => Ok((text, len)),
            None => {
                // The error handler is called.
                let errors = errors.map_or(Ok("strict".into()), |errors| errors.to_cow())?;
                let (text, _) = DecoderState::new(&self.label)?.decode(py, input, &errors, true)?;
                Ok((text, len))
            }
        }
    }

    /// Encodes text. Returns the bytes and the number of characters.
    #[pyo3(signature = (input, errors = None, /))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        input: &Bound<'py, PyString>,
        errors: Option<&Bound<'py, PyString>>,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        let len = text_len(input)?;
        let data = with_unused(
            &self.encoder,
            len,
            || TextEncoder::new(&self.spec),
            |encoder| encoder.encode(py, input, len),
        );
        match data? {
            Some(data) => Ok((data, len)),
            None => {
                let errors = errors.map_or(Ok("strict".into()), |errors| errors.to_cow())?;
                let (data, _) = EncoderState::new(&self.label)?.encode(py, input, &errors, true)?;
                Ok((data, len))
            }
        }
    }
}

/// Returns the number of characters of a string, whatever `__len__` of its class returns.
pub(super) fn text_len(text: &Bound<'_, PyString>) -> PyResult<usize> {
    // SAFETY: the thread is attached, and the object is a string.
    let len = unsafe { ffi::PyUnicode_GetLength(text.as_ptr()) };
    usize::try_from(len).map_err(|_| PyErr::fetch(text.py()))
}

/// Calls a function with what the last call has left. The lock is not held while the GIL may be released.
fn with_unused<T, R>(
    unused: &Mutex<Option<T>>,
    input_len: usize,
    new: impl FnOnce() -> T,
    call: impl FnOnce(&mut T) -> R,
) -> R {
    let Ok(mut guard) = unused.try_lock() else { return call(&mut new()) };
    if input_len <= SHORT_INPUT {
        return call(guard.get_or_insert_with(new));
    }
    let mut taken = guard.take().unwrap_or_else(new);
    drop(guard);
    let result = call(&mut taken);
    if let Ok(mut guard) = unused.try_lock() {
        *guard = Some(taken);
    }
    result
}

impl TextDecoder {
    fn new(py: Python<'_>, spec: &EncodingSpec) -> TextDecoder {
        let options = EncodingOptions::default();
        TextDecoder {
            decoder: spec.encoding.decoder(&spec.options),
            is_utf16: is_utf16(spec),
            charmap: charmap(spec).map(|chars| PyString::new(py, &chars).unbind()),
            table: DecodeTable::new(),
            chars: Vec::new(),
            latin1: ISO_8859_1.encoder(&options),
            utf16: UTF_16LE.encoder(&options),
            buffer: Vec::new(),
            encoded: Vec::new(),
        }
    }

    /// Decodes a whole input, or returns `None` if it has an error. `copy` returns the same bytes in an object that no other
    /// thread can write to while the GIL is released.
    fn decode<'py>(
        &mut self,
        py: Python<'py>,
        input: &[u8],
        copy: impl FnOnce() -> PyResult<Bound<'py, PyBytes>>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let by_python = match &self.charmap {
            Some(charmap) => Some(charmap_string(py, input, charmap)),
            None => self.is_utf16.then(|| utf16_string(py, input)),
        };
        if let Some(text) = by_python {
            return match text {
                Err(error) if error.is_instance_of::<PyUnicodeDecodeError>(py) => Ok(None),
                text => text.map(Some),
            };
        }
        if input.len() <= SHORT_TEXT
            && self.table.decode(&mut *self.decoder, input, &mut self.chars)
        {
            return chars_string(py, &self.chars).map(Some);
        }
        self.decoder.restore_state(State::INITIAL);
        grow(&mut self.buffer, buffer_len(input.len()).max(self.decoder.max_lookahead()))?;
        let progress = self.decoder.decode(input, &mut self.buffer, true);
        match progress.status {
            Status::Error(_) => return Ok(None),
            Status::InputEmpty if progress.written <= SHORT_TEXT => {
                return self.short_text(py, progress.written).map(Some);
            }
            _ => {}
        }
        let is_whole = progress.status == Status::InputEmpty;
        let units = if input.len() <= SHORT_INPUT {
            self.decode_units(&input[progress.read..], progress.written, is_whole)
        } else {
            let copy = copy()?;
            let rest = &copy.as_bytes()[progress.read..];
            py.detach(|| self.decode_units(rest, progress.written, is_whole))
        };
        units?.map(|units| units.to_string(py)).transpose()
    }

    /// Returns the first `len` bytes of the buffer as a string.
    fn short_text<'py>(&mut self, py: Python<'py>, len: usize) -> PyResult<Bound<'py, PyString>> {
        let bytes = &self.buffer[..len];
        if bytes.is_ascii() {
            return latin1_string(py, bytes);
        }
        let size = ffi::Py_ssize_t::try_from(len)?;
        // SAFETY: as in `latin1_string`.
        let text = unsafe {
            let text = ffi::PyUnicode_DecodeUTF8(bytes.as_ptr().cast(), size, ptr::null());
            Bound::from_owned_ptr_or_err(py, text)
        };
        Ok(text?.cast_into::<PyString>()?)
    }

    /// Decodes the rest of an input, after the first `written` bytes of text. Returns `None` for an error.
    fn decode_units(
        &mut self,
        mut input: &[u8],
        mut written: usize,
        mut is_whole: bool,
    ) -> io::Result<Option<Units>> {
        let mut units = Units::Latin1(Vec::new());
        if let Units::Latin1(bytes) = &mut units {
            bytes.try_reserve(written.max(input.len()))?;
        }
        loop {
            self.append(&mut units, written)?;
            if is_whole {
                return Ok(Some(units));
            }
            let progress = self.decoder.decode(input, &mut self.buffer, true);
            input = &input[progress.read..];
            written = progress.written;
            match progress.status {
                Status::InputEmpty => is_whole = true,
                Status::OutputFull => {}
                Status::Error(_) => return Ok(None),
            }
        }
    }

    /// Appends the first `len` bytes of the buffer.
    fn append(&mut self, units: &mut Units, len: usize) -> io::Result<()> {
        let text = simdutf8::basic::from_utf8(&self.buffer[..len]).map_err(io::Error::other)?;
        let mut read = 0;
        if let Units::Latin1(bytes) = units {
            read = append_encoded(&mut *self.latin1, text, &mut self.encoded, bytes)?;
            if read == text.len() {
                return Ok(());
            }
            let mut wide = Vec::new();
            wide.try_reserve(2 * bytes.capacity())?;
            wide.extend(bytes.iter().flat_map(|byte| [*byte, 0]));
            *units = Units::Utf16(wide);
        }
        if let Units::Utf16(bytes) = units {
            append_encoded(&mut *self.utf16, &text[read..], &mut self.encoded, bytes)?;
        }
        Ok(())
    }
}

fn is_utf16(spec: &EncodingSpec) -> bool {
    spec.encoding == UTF_16LE && spec.options.is_empty()
}

/// Returns the characters of an encoding in which each byte is one, if many of them are above U+00FF: then Python's
/// function for a table is the fastest. For other text a kernel and Latin-1 are faster.
fn charmap(spec: &EncodingSpec) -> Option<String> {
    if !matches!(spec.split_rule().source, SplitPoints::AnyByte { .. }) {
        return None;
    }
    let mut charmap = String::new();
    let mut decoder = spec.encoding.decoder(&spec.options);
    for byte in 0..=u8::MAX {
        let mut text = [0; 64];
        decoder.restore_state(State::INITIAL);
        let progress = decoder.decode(&[byte], &mut text, true);
        if progress.status != Status::InputEmpty {
            charmap.push(UNMAPPED);
            continue;
        }
        let mut chars = std::str::from_utf8(&text[..progress.written]).ok()?.chars();
        let (Some(char), None) = (chars.next(), chars.next()) else { return None };
        charmap.push(char);
    }
    let is_wide = |char: &char| *char > '\u{FF}' && *char != UNMAPPED;
    (charmap.chars().filter(is_wide).count() >= 48).then_some(charmap)
}

/// Encodes text to the end of `output`, in at most two bytes for each byte. Returns the number of bytes read, up to
/// the first character that cannot be encoded.
fn append_encoded(
    encoder: &mut dyn EncodeStage,
    text: &str,
    buffer: &mut Vec<u8>,
    output: &mut Vec<u8>,
) -> io::Result<usize> {
    grow(buffer, 2 * text.len() + encoder.max_lookahead())?;
    encoder.restore_state(State::INITIAL);
    let progress = encoder.encode(text, buffer, true);
    output.try_reserve(progress.written)?;
    output.extend_from_slice(&buffer[..progress.written]);
    Ok(progress.read)
}

impl Units {
    fn to_string<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        match self {
            Units::Latin1(bytes) => latin1_string(py, bytes),
            Units::Utf16(bytes) => utf16_string(py, bytes),
        }
    }
}

/// Returns the string with these characters, up to U+00FF.
fn latin1_string<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let size = ffi::Py_ssize_t::try_from(bytes.len())?;
    let start = bytes.as_ptr().cast();
    // SAFETY: the thread is attached, and `start` points to `size` bytes. The result is null, with an
    // exception set, or a new reference.
    let text = unsafe {
        Bound::from_owned_ptr_or_err(py, ffi::PyUnicode_DecodeLatin1(start, size, ptr::null()))
    };
    Ok(text?.cast_into::<PyString>()?)
}

/// Returns the string with these characters.
fn chars_string<'py>(py: Python<'py>, chars: &[u32]) -> PyResult<Bound<'py, PyString>> {
    if cfg!(windows) {
        // Its wide characters have two bytes.
        let units = chars.iter().filter_map(|char| char::from_u32(*char)).collect::<String>();
        return Ok(PyString::new(py, &units));
    }
    let size = ffi::Py_ssize_t::try_from(chars.len())?;
    // SAFETY: as in `latin1_string`. A wide character has four bytes.
    let text = unsafe {
        let text = ffi::PyUnicode_FromWideChar(chars.as_ptr().cast(), size);
        Bound::from_owned_ptr_or_err(py, text)
    };
    Ok(text?.cast_into::<PyString>()?)
}

/// Returns the string with the characters of bytes.
fn charmap_string<'py>(
    py: Python<'py>,
    bytes: &[u8],
    charmap: &Py<PyString>,
) -> PyResult<Bound<'py, PyString>> {
    let size = ffi::Py_ssize_t::try_from(bytes.len())?;
    let start = bytes.as_ptr().cast();
    // SAFETY: as in `latin1_string`. The table is a string.
    let text = unsafe {
        let text = ffi::PyUnicode_DecodeCharmap(start, size, charmap.as_ptr(), ptr::null());
        Bound::from_owned_ptr_or_err(py, text)
    };
    Ok(text?.cast_into::<PyString>()?)
}

/// Returns the string with these code units, in little-endian order without a byte order mark.
fn utf16_string<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let size = ffi::Py_ssize_t::try_from(bytes.len())?;
    let start = bytes.as_ptr().cast();
    let mut order = -1;
    // SAFETY: as in `latin1_string`.
    let text = unsafe {
        let text = ffi::PyUnicode_DecodeUTF16(start, size, ptr::null(), &mut order);
        Bound::from_owned_ptr_or_err(py, text)
    };
    Ok(text?.cast_into::<PyString>()?)
}

impl TextEncoder {
    fn new(spec: &EncodingSpec) -> TextEncoder {
        TextEncoder {
            encoder: spec.encoding.encoder(&spec.options),
            is_utf16: is_utf16(spec),
            table: EncodeTable::new(),
            chars: Vec::new(),
            encoded: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// Encodes a whole text of `len` characters, or returns `None` if it has a character that cannot be encoded.
    fn encode<'py>(
        &mut self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        len: usize,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if let Some(bytes) = self.encode_by_table(py, text, len)? {
            return Ok(Some(bytes));
        }
        // SAFETY: the thread is attached, and the object is a string. The result is null, with an exception set, or
        // a new reference to an object of the type `bytes`.
        let utf8 = unsafe {
            let utf8 = match self.is_utf16 {
                true => ffi::PyUnicode_AsEncodedString(
                    text.as_ptr(),
                    c"utf-16-le".as_ptr(),
                    ptr::null(),
                ),
                false => ffi::PyUnicode_AsUTF8String(text.as_ptr()),
            };
            Bound::from_owned_ptr_or_opt(py, utf8)
        };
        let Some(utf8) = utf8 else {
            // Lone surrogates, for which an error handler may have bytes; or no memory.
            let error = PyErr::fetch(py);
            return if error.is_instance_of::<PyUnicodeEncodeError>(py) {
                Ok(None)
            } else {
                Err(error)
            };
        };
        let utf8 =
            utf8.cast_into::<PyBytes>().map_err(|_| PyTypeError::new_err("expected bytes"))?;
        if self.is_utf16 {
            return Ok(Some(utf8));
        }
        let Ok(text) = simdutf8::basic::from_utf8(utf8.as_bytes()) else { return Ok(None) };
        self.encoder.restore_state(State::INITIAL);
        grow(&mut self.buffer, buffer_len(text.len()).max(self.encoder.max_lookahead()))?;
        let progress = self.encoder.encode(text, &mut self.buffer, true);
        match progress.status {
            Status::InputEmpty => return new_bytes(py, &self.buffer[..progress.written]).map(Some),
            Status::Error(_) => return Ok(None),
            Status::OutputFull => {}
        }
        let mut output = BytesWriter::with_capacity(text.len())?;
        let is_encoded =
            py.detach(|| self.encode_rest(&text[progress.read..], progress.written, &mut output))?;
        if is_encoded { output.finish(py).map(Some) } else { Ok(None) }
    }

    /// Encodes text if all characters are in the table, and it is faster than by UTF-8: for short text, and for text of which
    /// most characters have three bytes in UTF-8.
    fn encode_by_table<'py>(
        &mut self,
        py: Python<'py>,
        text: &Bound<'py, PyString>,
        len: usize,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        if len > SHORT_TEXT {
            if self.is_utf16 {
                return Ok(None);
            }
            self.copy_block(text, 0, SHORT_TEXT)?;
            let is_wide = |char: &&u32| **char >= 0x800;
            if self.chars.iter().filter(is_wide).count() < SHORT_TEXT / 2 {
                return Ok(None);
            }
        }
        if len <= BLOCK_LEN {
            self.copy_chars(text, len)?;
            let is_encoded = self.encode_chars()?;
            return is_encoded.then(|| new_bytes(py, &self.encoded)).transpose();
        }
        // Most codes have two bytes.
        let mut bytes = LongBytes::with_capacity(py, 2 * len)?;
        for start in (0..len).step_by(BLOCK_LEN) {
            self.copy_block(text, start, len.min(start + BLOCK_LEN))?;
            if !self.encode_chars()? {
                return Ok(None);
            }
            bytes.target.write_all(&self.encoded)?;
        }
        bytes.finish().map(Some)
    }

    /// Encodes the characters that were copied. Returns whether all are in the table.
    fn encode_chars(&mut self) -> io::Result<bool> {
        self.encoded.clear();
        self.table.encode(&mut *self.encoder, &self.chars, &mut self.encoded)
    }

    /// Copies the characters of a part of a string.
    fn copy_block(&mut self, text: &Bound<'_, PyString>, start: usize, end: usize) -> PyResult<()> {
        let (first, last) = (ffi::Py_ssize_t::try_from(start)?, ffi::Py_ssize_t::try_from(end)?);
        // SAFETY: the thread is attached, and the object is a string. The result is null, with an exception set, or a new
        // reference to a string.
        let block = unsafe {
            let block = ffi::PyUnicode_Substring(text.as_ptr(), first, last);
            Bound::from_owned_ptr_or_err(text.py(), block)
        };
        self.copy_chars(&block?.cast_into::<PyString>()?, end - start)
    }

    /// Copies the `len` characters of a string.
    fn copy_chars(&mut self, text: &Bound<'_, PyString>, len: usize) -> PyResult<()> {
        self.chars.resize(len, 0);
        let size = ffi::Py_ssize_t::try_from(len)?;
        // SAFETY: the thread is attached, the object is a string, and the buffer has the given length, in characters.
        let start =
            unsafe { ffi::PyUnicode_AsUCS4(text.as_ptr(), self.chars.as_mut_ptr(), size, 0) };
        match start.is_null() {
            true => Err(PyErr::fetch(text.py())),
            false => Ok(()),
        }
    }

    /// Encodes the rest of a text, after the first `written` bytes. Returns whether it has no error.
    fn encode_rest(
        &mut self,
        mut text: &str,
        mut written: usize,
        output: &mut BytesWriter,
    ) -> io::Result<bool> {
        loop {
            output.write_all(&self.buffer[..written])?;
            let progress = self.encoder.encode(text, &mut self.buffer, true);
            text = &text[progress.read..];
            written = progress.written;
            match progress.status {
                Status::InputEmpty => {
                    output.write_all(&self.buffer[..written])?;
                    return Ok(true);
                }
                Status::OutputFull => {}
                Status::Error(_) => return Ok(false),
            }
        }
    }
}
