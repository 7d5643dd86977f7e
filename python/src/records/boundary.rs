//! Where records begin.
//!
//! A range of a file begins at a split point of the encoding. Its first record begins after some bytes of
//! the decoded text, which belong to the preceding range. If records are lines, that is after the
//! first line feed. If fields may contain line feeds, it depends on whether the range begins in a quoted field,
//! which only the preceding text decides: a scan determines the result for every possible state, so that
//! ranges can be scanned at the same time, and the true state is known when all are joined.

use std::io::{Read, Seek, SeekFrom};

use charpipe::internals::transcode::split::{self, SplitPoints};
use charpipe::split::RangeTranscoder;
use charpipe::{EncodingSpec, Error, TranscodeOptions};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::csv::{State, Syntax};
use super::decoder::RangeDecoder;
use crate::ranges::Source;
use crate::{bytes_of, exception};

/// The number of bytes that are read to find the end of a line.
const LINE_BLOCK: usize = 4096;

/// Returns where a file in an encoding can be split. With `maps_next_line` lines do not end in line feeds.
fn points(spec: &EncodingSpec, maps_next_line: bool) -> Result<SplitPoints, Error> {
    let mut options = TranscodeOptions::from_labels("utf-8", "utf-8")?;
    options.from = spec.clone();
    let transcoder = RangeTranscoder::new(&options)?;
    match maps_next_line {
        true => Ok(spec.split_rule().source),
        false => Ok(*transcoder.points()),
    }
}

/// Returns the first split point at or after `offset`, a decoder for the bytes after it, and whether a line begins there.
pub fn decoder_at(
    input: &mut (impl Read + Seek),
    offset: u64,
    spec: &EncodingSpec,
    maps_next_line: bool,
) -> Result<(u64, RangeDecoder, bool), Error> {
    if offset == 0 {
        return Ok((0, RangeDecoder::new(spec, &[], 0, maps_next_line), true));
    }
    let points = points(spec, maps_next_line)?;
    let start = split::safe_offset(input, &points, offset).map_err(Error::Read)?;
    let context = split::context(input, &points, start).map_err(Error::Read)?;
    let (mut text, mut errors) = (Vec::new(), Vec::new());
    RangeDecoder::new(spec, &[], 1, maps_next_line)
        .decode(&context, false, &mut text, &mut errors)
        .map_err(Error::Io)?;
    let begins_line = text.last() == Some(&b'\n');
    Ok((start, RangeDecoder::new(spec, &context, start, maps_next_line), begins_line))
}

/// Returns the first split point of a file at or after `offset`, and the number of bytes of the text from there on
/// that precede the next line.
#[pyfunction]
pub fn line_boundary(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    offset: u64,
    encoding: &str,
    maps_next_line: bool,
) -> PyResult<(u64, u64)> {
    let spec: EncodingSpec = encoding.parse().map_err(|error: Error| exception(py, &error))?;
    let source = Source::new(file)?;
    let mut input = source.open()?;
    let found: Result<_, Error> = py.detach(|| {
        let (start, mut decoder, begins_line) =
            decoder_at(&mut input, offset, &spec, maps_next_line)?;
        if begins_line {
            return Ok((start, 0));
        }
        input.seek(SeekFrom::Start(start)).map_err(Error::Read)?;
        let (mut block, mut text, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let mut skipped = 0;
        loop {
            block.clear();
            (&mut input).take(LINE_BLOCK as u64).read_to_end(&mut block).map_err(Error::Read)?;
            decoder.decode(&block, block.is_empty(), &mut text, &mut errors).map_err(Error::Io)?;
            if let Some(at) = memchr::memchr(b'\n', &text) {
                return Ok((start, skipped + at as u64 + 1));
            }
            skipped += text.len() as u64;
            text.clear();
            if block.is_empty() {
                return Ok((start, skipped));
            }
        }
    });
    found.map_err(|error| exception(py, &error))
}

/// What the text of a range does to a state.
struct Run {
    start: State,
    state: State,
    /// The number of bytes of text before the first record.
    first_record: Option<u64>,
}

/// Scans the text of a range for the start of its first record.
#[pyclass(module = "charpipe")]
pub struct BoundaryScanner {
    decoder: RangeDecoder,
    syntax: Syntax,
    runs: Vec<Run>,
    text: Vec<u8>,
    text_len: u64,
    /// The offset of the first byte of the range, a split point.
    #[pyo3(get)]
    start: u64,
}

#[pymethods]
impl BoundaryScanner {
    #[new]
    #[pyo3(signature = (file, offset, encoding, separator, quote, escape, maps_next_line))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        offset: u64,
        encoding: &str,
        separator: u8,
        quote: Option<u8>,
        escape: Option<u8>,
        maps_next_line: bool,
    ) -> PyResult<BoundaryScanner> {
        let spec: EncodingSpec = encoding.parse().map_err(|error: Error| exception(py, &error))?;
        let source = Source::new(file)?;
        let mut input = source.open()?;
        let found = py.detach(|| decoder_at(&mut input, offset, &spec, maps_next_line));
        let (start, decoder, begins_line) = found.map_err(|error| exception(py, &error))?;
        let states: &[State] = match begins_line {
            true if start == 0 => &[State::FieldStart],
            true => &[State::FieldStart, State::InQuoted],
            false => &State::ALL,
        };
        let runs = states.iter().map(|state| {
            let is_record = begins_line && *state == State::FieldStart;
            Run { start: *state, state: *state, first_record: is_record.then_some(0) }
        });
        let syntax = Syntax { separator, quote, escape };
        let runs = runs.collect();
        Ok(BoundaryScanner { decoder, syntax, runs, text: Vec::new(), text_len: 0, start })
    }

    /// Scans the next block of the range.
    fn scan(&mut self, py: Python<'_>, data: &Bound<'_, PyAny>, is_file_end: bool) -> PyResult<()> {
        let data = bytes_of(data)?;
        let block = data.as_bytes();
        py.detach(|| {
            self.text.clear();
            self.decoder.decode(block, is_file_end, &mut self.text, &mut Vec::new())?;
            for run in &mut self.runs {
                let (state, record) = self.syntax.scan(run.state, &self.text);
                run.state = state;
                let record = record.map(|at| self.text_len + at as u64);
                run.first_record = run.first_record.or(record);
            }
            self.text_len += self.text.len() as u64;
            Ok(())
        })
    }

    /// Returns, for each state in which the range may begin, that state, the one at its end, and the number of
    /// bytes of text before the first record, or `None` if no record begins in the range. States are numbers, 0 is
    /// that before a record.
    fn result(&self) -> Vec<(u8, u8, Option<u64>)> {
        let number =
            |state: State| State::ALL.iter().position(|it| *it == state).unwrap_or(0) as u8;
        let runs =
            self.runs.iter().map(|run| (number(run.start), number(run.state), run.first_record));
        runs.collect()
    }
}

/// Returns the bytes of an object for a column of Arrow.
pub fn le_bytes<'py>(py: Python<'py>, numbers: &[i32]) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, 4 * (numbers.len() + 1), |bytes| {
        for (target, number) in bytes[4..].chunks_exact_mut(4).zip(numbers) {
            target.copy_from_slice(&number.to_le_bytes());
        }
        Ok(())
    })
}
