//! Codecs of Python: conversions between `bytes` and `str` that call Python's error handlers.
//!
//! Text with lone surrogates, which only error handlers make and read, has no `&str`. Between here and
//! Python text is in UTF-8 in which surrogates have codes of three bytes, as Python's handler `surrogatepass`
//! writes them.

mod char_table;
mod decoder;
mod encoder;
mod error_handler;
mod state_numbers;
mod text_codec;

use charpipe::{EncodingSpec, Error};
use pyo3::exceptions::PyLookupError;
use pyo3::prelude::*;

pub use decoder::DecoderState;
pub use encoder::EncoderState;
pub use text_codec::TextCodec;

/// The maximum length of the buffer between a codec and its output, in bytes.
const MAX_BUFFER_LEN: usize = 64 * 1024;

/// The length of the code of a surrogate, in bytes.
const SURROGATE_LEN: usize = 3;

fn parse(label: &str) -> PyResult<EncodingSpec> {
    let spec: Result<EncodingSpec, Error> = label.parse();
    let spec = spec.map_err(|error| PyLookupError::new_err(error.to_string()))?;
    match spec.transforms.is_empty() {
        true => Ok(spec),
        false => Err(PyLookupError::new_err(format!("{label} has transforms"))),
    }
}

/// Returns the length of a buffer for the conversion of an input of `len` bytes.
fn buffer_len(len: usize) -> usize {
    MAX_BUFFER_LEN.min(len.saturating_mul(4).saturating_add(64))
}

/// Makes `buffer` at least `len` bytes long.
fn grow(buffer: &mut Vec<u8>, len: usize) -> std::io::Result<()> {
    if buffer.len() < len {
        buffer.try_reserve(len - buffer.len())?;
        buffer.resize(len, 0);
    }
    Ok(())
}
