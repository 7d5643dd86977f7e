//! Conversion of ranges of a file, as by the command's `--range`.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;

use charpipe::split::{InputRange, RangeTranscoder};
use charpipe::{Error, ErrorCounts, TranscodeOptions};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::long_bytes::LongBytes;
use crate::{bytes_of, exception, transcode_options};

/// The maximum capacity of a result before it is known how much is written, in bytes.
const MAX_CAPACITY: u64 = 256 * 1024 * 1024;

/// An open file, or bytes.
pub trait Input: Read + Seek + Send {}

impl<T: Read + Seek + Send> Input for T {}

/// A file, a binary file object, or bytes.
pub enum Source<'py> {
    File(PathBuf),
    Object(Py<PyAny>),
    Bytes(Bound<'py, PyBytes>),
}

impl<'py> Source<'py> {
    /// Paths are text or implement `os.PathLike`.
    pub fn new(file: &Bound<'py, PyAny>) -> PyResult<Source<'py>> {
        if file.is_instance_of::<PyString>() || file.hasattr("__fspath__")? {
            return Ok(Source::File(file.extract()?));
        }
        if file.hasattr("seek")? && file.hasattr("read")? {
            return Ok(Source::Object(file.clone().unbind()));
        }
        bytes_of(file).map(Source::Bytes)
    }

    pub fn open(&self) -> PyResult<Box<dyn Input + '_>> {
        Ok(match self {
            Source::File(path) => Box::new(File::open(path)?),
            Source::Object(object) => Box::new(FileObject(object)),
            Source::Bytes(bytes) => Box::new(Cursor::new(bytes.as_bytes())),
        })
    }
}

/// A binary file object of Python, such as one of fsspec or pyarrow.
struct FileObject<'a>(&'a Py<PyAny>);

impl Read for FileObject<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let data = self.0.call_method1(py, intern!(py, "read"), (buffer.len(),))?;
            let data = bytes_of(data.bind(py))?;
            let target =
                buffer.get_mut(..data.as_bytes().len()).ok_or(io::ErrorKind::InvalidData)?;
            target.copy_from_slice(data.as_bytes());
            Ok(target.len())
        })
    }
}

impl Seek for FileObject<'_> {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        let (offset, whence) = match position {
            SeekFrom::Start(offset) => (i64::try_from(offset).map_err(io::Error::other)?, 0),
            SeekFrom::Current(offset) => (offset, 1),
            SeekFrom::End(offset) => (offset, 2),
        };
        Python::attach(|py| {
            Ok(self.0.call_method1(py, intern!(py, "seek"), (offset, whence))?.extract(py)?)
        })
    }
}

fn range_transcoder(
    options: &TranscodeOptions,
    assume_line_start: bool,
) -> Result<RangeTranscoder, Error> {
    match assume_line_start {
        true => RangeTranscoder::assuming_line_starts(options),
        false => RangeTranscoder::new(options),
    }
}

/// Returns the ranges into which a file, or bytes, can be split.
#[pyfunction]
#[pyo3(signature = (file, from_, to, size, count, assume_line_start))]
pub fn ranges(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    from_: &str,
    to: &str,
    size: Option<u64>,
    count: Option<u64>,
    assume_line_start: bool,
) -> PyResult<Vec<(u64, u64)>> {
    let options = transcode_options(py, from_, to, "strict")?;
    let source = Source::new(file)?;
    let mut input = source.open()?;
    let ranges: Result<_, Error> = py.detach(|| {
        let transcoder = range_transcoder(&options, assume_line_start)?;
        let len = input.seek(std::io::SeekFrom::End(0)).map_err(Error::Read)?;
        let count = count.or_else(|| Some(len.div_ceil(size?))).unwrap_or(1).max(1);
        transcoder
            .ranges(&mut input, count)?
            .map(|range| range.map(|it| (it.start, it.end)))
            .collect()
    });
    ranges.map_err(|error| exception(py, &error))
}

/// The conversion of a range of a file.
#[pyclass(module = "charpipe", frozen, get_all)]
pub struct ConvertedRange {
    /// The output.
    output: Py<PyBytes>,
    /// The offset of the first byte that was converted.
    start: u64,
    /// The offset after the last one.
    end: u64,
    /// The number of line feeds in the decoded text.
    lines: u64,
    /// The number of malformed sequences.
    malformed: u64,
    /// The number of characters that the output encoding does not have.
    unmappable: u64,
    /// The state at the end.
    end_state: String,
    /// Whether the next range begins in this state unless it is given another one.
    ends_as_assumed: bool,
}

#[pymethods]
impl ConvertedRange {
    fn __repr__(&self) -> String {
        let ConvertedRange { start, end, lines, .. } = self;
        format!("<ConvertedRange {start}-{end}, {lines} lines>")
    }
}

/// Converts a range of a file, or of bytes.
#[pyfunction]
#[pyo3(signature = (
    file, start, end, from_, to = "utf-8", errors = "strict", *,
    first_line = 1, start_state = None, assume_line_start = false
))]
#[allow(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn convert_range(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    start: u64,
    end: u64,
    from_: &str,
    to: &str,
    errors: &str,
    first_line: u64,
    start_state: Option<&str>,
    assume_line_start: bool,
) -> PyResult<ConvertedRange> {
    let options = transcode_options(py, from_, to, errors)?;
    if end < start {
        return Err(PyValueError::new_err("the range ends before it begins"));
    }
    let state = start_state.map(str::parse).transpose().map_err(PyValueError::new_err)?;
    let source = Source::new(file)?;
    let mut input = source.open()?;
    let capacity = usize::try_from((end - start).min(MAX_CAPACITY))?;
    let (output, result) = LongBytes::write(py, capacity + capacity / 2 + 64, |output| {
        let assume_line_start = assume_line_start || state.is_some();
        let mut transcoder = range_transcoder(&options, assume_line_start)?;
        let bytes = transcoder.safe_range(&mut input, start..end)?;
        let mut range = InputRange::new(bytes).first_line(first_line);
        if let Some(state) = state {
            range = range.start_state(state);
        }
        let mut counts = ErrorCounts::default();
        let result = transcoder.convert(&mut input, &range, output, &mut counts)?;
        match result.stopped {
            Some(error) => Err(Error::Conversion(error)),
            None => Ok(result),
        }
    })?;
    Ok(ConvertedRange {
        output: output.unbind(),
        start: result.bytes.start,
        end: result.bytes.end,
        lines: result.lines,
        malformed: result.malformed,
        unmappable: result.unmappable,
        end_state: result.end_state.to_string(),
        ends_as_assumed: result.ends_as_assumed,
    })
}
