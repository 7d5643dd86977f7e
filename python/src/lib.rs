//! The extension module of the Python package `charpipe`: conversions run without the GIL.
//!
//! The extension module converts `bytes` to `bytes` without the GIL; shorter inputs than 16 KiB keep it, because
//! releasing it takes longer. The result is written directly to its object (`long_bytes.rs`), whose pages would otherwise be
//! touched with the GIL. Files and codecs are Python code on top (`charpipe/`): `io.RawIOBase` over a `Converter`, and
//! `codecs` over decoders that return the first error, for which the codec calls Python's error handler. The state of a
//! decoder is a number to Python, which is part of a position in a text file. The package uses the stable ABI of Python 3.11, in
//! which foreign buffers cannot be read, so other objects than `bytes` are copied.

mod buffer;
mod bytes_writer;
mod codec;
mod direct;
mod input_encoding;
mod long_bytes;
mod ranges;
mod records;

use std::io::{self, Write};

use bytes_writer::{BytesWriter, new_bytes};
use charpipe::check::{CheckOptions, check_reader};
use charpipe::{Error, ErrorAction, ErrorCounts, TranscodeOptions, rfc2047};
use direct::{DirectDecoder, decode_short};
use long_bytes::LongBytes;
use pyo3::exceptions::{PyLookupError, PyMemoryError, PyOSError, PyUnicodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyMemoryView};
use pyo3::{create_exception, intern};

create_exception!(charpipe, ConversionError, PyUnicodeError, "Input that cannot be converted.");

/// The maximum length of input that is converted without releasing the GIL, in bytes.
const SHORT_INPUT: usize = 16 * 1024;

/// The number of values that are converted at a time.
const BATCH_LEN: usize = 512;

/// The buffer size of a transcoder for long values.
const BUFFER_SIZE: usize = 128 * 1024;

/// Returns the exception for an error.
fn exception(py: Python<'_>, error: &Error) -> PyErr {
    match error {
        Error::Conversion(conversion) => {
            let exception = ConversionError::new_err(error.to_string());
            if let Some(position) = conversion.position() {
                let value = exception.value(py);
                for (name, number) in [
                    (intern!(py, "offset"), position.offset),
                    (intern!(py, "line"), position.line),
                    (intern!(py, "column"), position.column),
                ] {
                    if let Err(error) = value.setattr(name, number) {
                        return error;
                    }
                }
            }
            exception
        }
        Error::Io(error) | Error::Read(error) if error.kind() == io::ErrorKind::OutOfMemory => {
            PyMemoryError::new_err(())
        }
        Error::Io(error) | Error::Read(error) => PyOSError::new_err(error.to_string()),
        Error::UnknownEncoding { .. }
        | Error::AmbiguousLabel { .. }
        | Error::UnsupportedEncoding { .. }
        | Error::UnknownTransform { .. }
        | Error::UnknownStep { .. } => PyLookupError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Returns the bytes of an object: `bytes`, or a copy of another object with a buffer.
fn bytes_of<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = data.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let copy = PyMemoryView::from(data)?.call_method0(intern!(data.py(), "tobytes"))?;
    Ok(copy.cast_into::<PyBytes>()?)
}

/// Returns the error action with one of Python's names or of charpipe's.
fn error_action(name: &str) -> PyResult<ErrorAction> {
    let name = match name {
        "strict" => "stop",
        "ignore" => "skip",
        "xmlcharrefreplace" => "xml",
        name => name,
    };
    name.parse().map_err(|_| PyLookupError::new_err(format!("unknown error handler name {name:?}")))
}

/// Returns the options of a conversion.
fn transcode_options(
    py: Python<'_>,
    from: &str,
    to: &str,
    errors: &str,
) -> PyResult<TranscodeOptions> {
    let action = error_action(errors)?;
    let options = TranscodeOptions::from_labels(from, to).map_err(|error| exception(py, &error))?;
    // Bytes cannot be written unchanged for a character.
    let unmappable = match action {
        ErrorAction::PassThrough | ErrorAction::PassThroughText => ErrorAction::Stop,
        ref action => action.clone(),
    };
    Ok(options.on_malformed(action).on_unmappable(unmappable))
}

/// Converts bytes.
#[pyfunction]
#[pyo3(signature = (data, from_, to = "utf-8", errors = "strict"))]
fn convert<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    from_: &str,
    to: &str,
    errors: &str,
) -> PyResult<Bound<'py, PyBytes>> {
    let data = bytes_of(data)?;
    let input = data.as_bytes();
    if input.len() <= SHORT_INPUT {
        // Releasing the GIL takes longer than most of such conversions.
        let output = |output: &[u8]| new_bytes(py, output);
        if let Some(result) = decode_short(input, from_, to, errors, output) {
            return result.map_err(|error| exception(py, &error))?;
        }
        let options = transcode_options(py, from_, to, errors)?;
        let options = options.buffer_size(input.len().max(256));
        let output = options.transcode(input).map_err(|error| exception(py, &error))?;
        return new_bytes(py, &output);
    }
    if let Some(mut decoder) = DirectDecoder::for_labels(from_, to, errors) {
        let capacity = py.detach(|| decoder.estimate_len(input));
        Ok(LongBytes::write(py, capacity, |output| decoder.decode_to(input, output))?.0)
    } else {
        let options = transcode_options(py, from_, to, errors)?;
        let capacity = 2 * input.len() + 64;
        Ok(LongBytes::write(py, capacity, |output| transcode_to(&options, input, output))?.0)
    }
}

/// Converts a whole input.
fn transcode_to(
    options: &TranscodeOptions,
    mut input: &[u8],
    output: &mut impl Write,
) -> Result<(), Error> {
    let (mut transcoder, mut counts) = (options.build()?, ErrorCounts::default());
    transcoder.process_reader(&mut input, output, &mut counts)?;
    transcoder.finish_input(output, &mut counts)?;
    transcoder.finish(output, &mut counts)
}

/// Converts each of the values. `None` remains `None`.
#[pyfunction]
#[pyo3(signature = (values, from_, to = "utf-8", errors = "strict"))]
fn convert_all<'py>(
    py: Python<'py>,
    values: &Bound<'py, PyAny>,
    from_: &str,
    to: &str,
    errors: &str,
) -> PyResult<Bound<'py, PyList>> {
    let mut decoder = DirectDecoder::for_labels(from_, to, errors);
    let mut options = transcode_options(py, from_, to, errors)?;
    let inputs = values.try_iter()?.map(|value| {
        let value = value?;
        if value.is_none() { Ok(None) } else { bytes_of(&value).map(Some) }
    });
    let inputs: Vec<_> = inputs.collect::<PyResult<_>>()?;
    let list = PyList::empty(py);
    let (mut joined, mut ends) = (BytesWriter::default(), Vec::new());
    // In batches, whose results remain in the cache.
    for batch in inputs.chunks(BATCH_LEN) {
        let views: Vec<Option<&[u8]>> =
            batch.iter().map(|value| value.as_ref().map(|bytes| bytes.as_bytes())).collect();
        joined.clear();
        ends.clear();
        let result = py.detach(|| {
            for input in &views {
                let Some(input) = input else {
                    ends.push(None);
                    continue;
                };
                if let Some(decoder) = &mut decoder {
                    decoder.decode(input, joined.as_mut_vec())?;
                } else {
                    options = options.clone().buffer_size(input.len().clamp(256, BUFFER_SIZE));
                    transcode_to(&options, input, &mut joined)?;
                }
                ends.push(Some(joined.as_bytes().len()));
            }
            Ok(())
        });
        result.map_err(|error: Error| exception(py, &error))?;
        let mut start = 0;
        for end in &ends {
            match end {
                None => list.append(py.None())?,
                Some(end) => {
                    list.append(new_bytes(py, &joined.as_bytes()[start..*end])?)?;
                    start = *end;
                }
            }
        }
    }
    Ok(list)
}

/// Converts bytes that arrive in parts.
#[pyclass(module = "charpipe")]
struct Converter {
    transcoder: Option<charpipe::Transcoder>,
}

#[pymethods]
impl Converter {
    #[new]
    #[pyo3(signature = (from_, to = "utf-8", errors = "strict"))]
    fn new(py: Python<'_>, from_: &str, to: &str, errors: &str) -> PyResult<Converter> {
        let options = transcode_options(py, from_, to, errors)?;
        let transcoder = options.build().map_err(|error| exception(py, &error))?;
        Ok(Converter { transcoder: Some(transcoder) })
    }

    /// Returns a converter for an input in an encoding that is determined from its first bytes, as by the
    /// command's `--from`.
    #[staticmethod]
    fn for_input(
        py: Python<'_>,
        first_bytes: &Bound<'_, PyBytes>,
        is_whole: bool,
        from_: &str,
        to: &str,
        errors: &str,
    ) -> PyResult<Converter> {
        let options = transcode_options(py, "utf-8", to, errors)?;
        let input = first_bytes.as_bytes();
        let options = py.detach(|| input_encoding::options_for(options, from_, input, is_whole))?;
        let transcoder = options.build().map_err(|error| exception(py, &error))?;
        Ok(Converter { transcoder: Some(transcoder) })
    }

    /// Returns the output that `data` allows. `final` means that nothing follows. After that and after an
    /// error the converter cannot be used again.
    #[pyo3(signature = (data, r#final = false))]
    fn convert<'py>(
        &mut self,
        py: Python<'py>,
        data: &Bound<'py, PyAny>,
        r#final: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let data = bytes_of(data)?;
        let mut input = data.as_bytes();
        let mut transcoder = self
            .transcoder
            .take()
            .ok_or_else(|| PyValueError::new_err("the conversion has ended"))?;
        let result = py.detach(|| {
            let (mut output, mut counts) = (BytesWriter::default(), ErrorCounts::default());
            transcoder.process_reader(&mut input, &mut output, &mut counts)?;
            if r#final {
                transcoder.finish_input(&mut output, &mut counts)?;
                transcoder.finish(&mut output, &mut counts)?;
            }
            Ok((transcoder, output))
        });
        let (transcoder, output) = result.map_err(|error: Error| exception(py, &error))?;
        if !r#final {
            self.transcoder = Some(transcoder);
        }
        output.finish(py)
    }
}

/// A violation that `check` found.
#[pyclass(module = "charpipe", frozen, get_all)]
struct Finding {
    /// The byte offset, from 0.
    offset: u64,
    /// The number of bytes.
    length: u64,
    /// The line, from 1.
    line: u64,
    /// The column in characters, from 1.
    column: u64,
    /// The name of the rule.
    rule: &'static str,
    /// What was found.
    message: String,
}

#[pymethods]
impl Finding {
    fn __repr__(&self) -> String {
        let Finding { line, column, message, .. } = self;
        format!("<Finding {line}:{column}: {message}>")
    }
}

/// Returns the violations of an encoding.
#[pyfunction]
#[pyo3(signature = (data, encoding = "utf-8"))]
fn check<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    encoding: &str,
) -> PyResult<Bound<'py, PyList>> {
    let data = bytes_of(data)?;
    let spec: charpipe::EncodingSpec =
        encoding.parse().map_err(|error: Error| exception(py, &error))?;
    let name = spec.to_string();
    let options = CheckOptions::new(spec);
    let mut input = data.as_bytes();
    let findings = py.detach(|| {
        let mut findings = Vec::new();
        check_reader(&mut input, &options, &mut |finding| {
            findings.try_reserve(1)?;
            findings.push(*finding);
            Ok(())
        })?;
        Ok(findings)
    });
    let findings: Vec<_> = findings.map_err(|error: Error| exception(py, &error))?;
    let list = PyList::empty(py);
    for finding in findings {
        list.append(Finding {
            offset: finding.position.offset,
            length: finding.len,
            line: finding.position.line,
            column: finding.position.column,
            rule: finding.rule().name(),
            message: finding.display(&name).to_string(),
        })?;
    }
    Ok(list)
}

/// A possible encoding that `detect` found.
#[pyclass(module = "charpipe", frozen, get_all)]
struct Detection {
    /// The name of the encoding.
    encoding: &'static str,
    /// `certain`, `likely`, `guess` or `uncertain`.
    confidence: String,
    /// The probability that the text in this encoding is the text that was written.
    probability: f32,
    /// The language of the text, if that was needed to find the encoding.
    language: Option<String>,
}

#[pymethods]
impl Detection {
    fn __repr__(&self) -> String {
        format!("<Detection {} ({})>", self.encoding, self.confidence)
    }
}

/// Returns the possible encodings of bytes, the most probable first. Empty for binary data.
#[pyfunction]
fn detect(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Vec<Detection>> {
    let data = bytes_of(data)?;
    let input = data.as_bytes();
    let detection = py.detach(|| charpipe::detect::detect(input));
    let candidates = detection.candidates.iter().map(|candidate| Detection {
        encoding: candidate.encoding.name(),
        confidence: candidate.confidence.to_string(),
        probability: candidate.probability,
        language: candidate.language.map(|language| language.to_string()),
    });
    Ok(candidates.collect())
}

/// Decodes header fields of mail.
#[pyfunction]
fn decode_header(header: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = header.extract::<String>() {
        return Ok(rfc2047::decode(text.as_bytes()).into_owned());
    }
    Ok(rfc2047::decode(bytes_of(header)?.as_bytes()).into_owned())
}

/// Returns the name of the encoding with a label.
#[pyfunction]
fn lookup(py: Python<'_>, label: &str) -> PyResult<String> {
    let spec: Result<charpipe::EncodingSpec, Error> = label.parse();
    spec.map(|spec| spec.to_string()).map_err(|error| exception(py, &error))
}

#[pymodule]
fn _charpipe(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("ConversionError", module.py().get_type::<ConversionError>())?;
    module.add_class::<Converter>()?;
    module.add_class::<Detection>()?;
    module.add_class::<Finding>()?;
    module.add_class::<codec::DecoderState>()?;
    module.add_class::<codec::EncoderState>()?;
    module.add_class::<codec::TextCodec>()?;
    module.add_function(wrap_pyfunction!(convert, module)?)?;
    module.add_function(wrap_pyfunction!(convert_all, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(detect, module)?)?;
    module.add_function(wrap_pyfunction!(input_encoding::is_determined_from_input, module)?)?;
    module.add_class::<ranges::ConvertedRange>()?;
    module.add_function(wrap_pyfunction!(ranges::ranges, module)?)?;
    module.add_function(wrap_pyfunction!(ranges::convert_range, module)?)?;
    module.add_class::<records::BoundaryScanner>()?;
    module.add_class::<records::RecordReader>()?;
    module.add_class::<records::Records>()?;
    module.add_function(wrap_pyfunction!(records::csv_fields, module)?)?;
    module.add_function(wrap_pyfunction!(records::line_boundary, module)?)?;
    module.add_function(wrap_pyfunction!(decode_header, module)?)?;
    module.add_function(wrap_pyfunction!(lookup, module)?)?;
    Ok(())
}
