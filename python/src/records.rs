//! Records of a range of a file, in columns of Arrow, for data sources.

mod boundary;
mod csv;
mod decoder;

use charpipe::{EncodingSpec, Error};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bytes_writer::new_bytes;
use crate::ranges::Source;
use crate::{bytes_of, exception};
pub use boundary::{BoundaryScanner, line_boundary};
use boundary::{decoder_at, le_bytes};
use csv::{Column, ParsedRecords, Parser, RecordError, Syntax};
use decoder::{MalformedSequence, RangeDecoder};

/// What a record is.
enum Format {
    Csv(Parser),
    /// A line, with one column. Whether lines of white space are skipped, as in JSON.
    Lines {
        skips_blank: bool,
    },
    /// The whole text.
    Whole,
}

/// Reads the records of a range of a file that arrives in blocks.
#[pyclass(module = "charpipe")]
pub struct RecordReader {
    name: String,
    decoder: RangeDecoder,
    format: Format,
    /// Text of which no record was returned.
    text: Vec<u8>,
    errors: Vec<MalformedSequence>,
    /// The number of bytes of text to drop.
    skip: u64,
    /// The number of bytes of text after the range that belong to it, when its end was read.
    rest: Option<u64>,
    /// The number of records to drop: the header.
    skip_records: usize,
    /// The number of line feeds before `text` in the range.
    lines: u64,
    /// The number of bytes of text before `text`.
    text_start: u64,
    /// The offset in the file of the first byte of `text`.
    record_offset: u64,
    max_errors: usize,
}

/// Records in columns.
#[pyclass(module = "charpipe", frozen)]
pub struct Records {
    /// The number of records.
    #[pyo3(get)]
    count: usize,
    columns: Vec<Column>,
    text: Vec<u8>,
    spans: Vec<(u32, u32)>,
    /// The number of malformed sequences.
    #[pyo3(get)]
    malformed: usize,
    /// The first errors: the offset in the file; the number of lines in the range before it; the message.
    #[pyo3(get)]
    errors: Vec<(u64, u64, String)>,
    /// The indexes of the records with errors.
    #[pyo3(get)]
    damaged: Vec<u32>,
    /// The number of malformed records.
    #[pyo3(get)]
    malformed_records: usize,
    /// The number of lines in the range up to the end of the records.
    #[pyo3(get)]
    lines: u64,
    first_line: u64,
    text_start: u64,
    first_offset: u64,
}

#[pymethods]
impl Records {
    /// Returns the buffers of a column: the bits that are not null, or `None` if all are; the ends of the
    /// values; the values.
    #[allow(clippy::type_complexity, reason = "a tuple of Python")]
    fn column<'py>(
        &self,
        py: Python<'py>,
        index: usize,
    ) -> PyResult<(Option<Bound<'py, PyBytes>>, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let column = self.columns.get(index);
        let column = column.ok_or_else(|| PyValueError::new_err("the column does not exist"))?;
        let bits = (!column.nulls.is_empty()).then(|| {
            let mut bits = vec![0xFF; self.count.div_ceil(8)];
            for index in &column.nulls {
                bits[*index as usize / 8] &= !(1 << (index % 8));
            }
            PyBytes::new(py, &bits)
        });
        Ok((bits, le_bytes(py, &column.ends)?, new_bytes(py, &column.values)?))
    }

    /// Returns the text of a record.
    fn text<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let span = self.spans.get(index);
        let (start, end) =
            span.ok_or_else(|| PyValueError::new_err("the record does not exist"))?;
        new_bytes(py, &self.text[*start as usize..*end as usize])
    }
}

/// Returns the fields of a record of CSV. `None` is null.
#[pyfunction]
#[pyo3(signature = (record, *, separator = b',', quote = None, escape = None, multi_line = false, null_value = ""))]
pub fn csv_fields(
    record: &[u8],
    separator: u8,
    quote: Option<u8>,
    escape: Option<u8>,
    multi_line: bool,
    null_value: &str,
) -> PyResult<Vec<Option<String>>> {
    let mut parser = Parser {
        syntax: Syntax { separator, quote, escape },
        is_multi_line: multi_line,
        comment: None,
        null_value: null_value.as_bytes().to_vec(),
        empty_value: Vec::new(),
        column_count: 1,
    };
    let mut parse = |column_count| {
        parser.column_count = column_count;
        parser.parse(record, true).map(|(records, _)| records)
    };
    let counted = parse(1).and_then(|records| match records.errors.first() {
        Some((_, RecordError::FieldCount(count))) => parse(*count as usize),
        _ => Some(records),
    });
    let columns = counted.map(|records| records.columns).unwrap_or_default();
    let values = columns.into_iter().map(|column| {
        let is_null = column.ends.is_empty() || column.nulls.contains(&0);
        (!is_null)
            .then(|| String::from_utf8(column.values).map_err(PyValueError::new_err))
            .transpose()
    });
    values.collect()
}

#[pymethods]
impl RecordReader {
    /// Returns a reader of the range that begins at the first split point at or after `start`, without the
    /// first `skip` bytes of its text. `column_count` is set for CSV.
    #[new]
    #[pyo3(signature = (
        file, start, encoding, *, skip = 0, skip_records = 0, max_errors = 0, maps_next_line = false, format = "csv",
        column_count = 0, separator = b',', quote = None, escape = None, multi_line = false, comment = None,
        null_value = "", empty_value = ""
    ))]
    #[allow(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        file: &Bound<'_, PyAny>,
        start: u64,
        encoding: &str,
        skip: u64,
        skip_records: usize,
        max_errors: usize,
        maps_next_line: bool,
        format: &str,
        column_count: usize,
        separator: u8,
        quote: Option<u8>,
        escape: Option<u8>,
        multi_line: bool,
        comment: Option<u8>,
        null_value: &str,
        empty_value: &str,
    ) -> PyResult<RecordReader> {
        let spec: EncodingSpec = encoding.parse().map_err(|error: Error| exception(py, &error))?;
        if !spec.transforms.is_empty() {
            return Err(PyValueError::new_err(format!("{encoding}: has transforms")));
        }
        let source = Source::new(file)?;
        let mut input = source.open()?;
        let found = py.detach(|| decoder_at(&mut input, start, &spec, maps_next_line));
        let (start, decoder, _) = found.map_err(|error| exception(py, &error))?;
        let format = match format {
            "csv" => Format::Csv(Parser {
                syntax: Syntax { separator, quote, escape },
                is_multi_line: multi_line,
                comment,
                null_value: null_value.as_bytes().to_vec(),
                empty_value: empty_value.as_bytes().to_vec(),
                column_count,
            }),
            "lines" => Format::Lines { skips_blank: false },
            "jsonl" => Format::Lines { skips_blank: true },
            "text" => Format::Whole,
            _ => return Err(PyValueError::new_err(format!("{format}: not a format of records"))),
        };
        Ok(RecordReader {
            name: spec.to_string(),
            decoder,
            format,
            text: Vec::new(),
            errors: Vec::new(),
            skip,
            rest: None,
            skip_records,
            lines: 0,
            text_start: 0,
            record_offset: start,
            max_errors,
        })
    }

    /// Decodes a block and returns the records that end in it.
    ///
    /// After the last block of the range, `rest` is the number of bytes of the following text that belong to
    /// it, which the following blocks contain.
    #[pyo3(signature = (data, is_file_end, rest = None))]
    fn read(
        &mut self,
        py: Python<'_>,
        data: &Bound<'_, PyAny>,
        is_file_end: bool,
        rest: Option<u64>,
    ) -> PyResult<Records> {
        let data = bytes_of(data)?;
        let block = data.as_bytes();
        py.detach(|| {
            self.decode(block, is_file_end, rest)?;
            let is_final = is_file_end || self.rest == Some(0);
            let (parsed, len) = self.parse(is_final)?;
            Ok(self.take(parsed, len, is_final))
        })
    }

    /// Returns the offset of one of the records that were read last, and the number of lines in the range
    /// before it.
    fn position(&mut self, records: &Records, index: usize) -> PyResult<(u64, u64)> {
        let span = records.spans.get(index);
        let start = span.ok_or_else(|| PyValueError::new_err("the record does not exist"))?.0;
        let offset = self.decoder.input_offset(records.text_start + u64::from(start));
        let lines = memchr::memchr_iter(b'\n', &records.text[..start as usize]).count();
        Ok((offset.unwrap_or(records.first_offset), records.first_line + lines as u64))
    }

    /// Returns whether the range was read.
    #[getter]
    fn is_finished(&self) -> bool {
        self.rest == Some(0)
    }
}

impl RecordReader {
    /// Decodes a block to the end of the text.
    fn decode(&mut self, block: &[u8], is_file_end: bool, rest: Option<u64>) -> PyResult<()> {
        let start = self.text.len();
        self.decoder.decode(block, is_file_end, &mut self.text, &mut self.errors)?;
        if let Some(rest) = &mut self.rest {
            let added = (self.text.len() - start) as u64;
            let kept = added.min(*rest);
            *rest -= kept;
            self.text.truncate(start + kept as usize);
            let len = self.text.len();
            self.errors.retain(|error| error.text_offset < len);
        }
        if rest.is_some() {
            self.rest = rest;
        }
        if self.skip > 0 {
            let dropped = self.skip.min(self.text.len() as u64);
            self.skip -= dropped;
            self.drop_text(dropped as usize);
            // These lines belong to the preceding range.
            self.lines = 0;
        }
        if is_file_end && self.rest.is_some() {
            self.rest = Some(0);
        }
        Ok(())
    }

    /// Removes text from the start, with its errors.
    fn drop_text(&mut self, len: usize) -> (Vec<u8>, Vec<MalformedSequence>) {
        let rest = self.text.split_off(len);
        let text = std::mem::replace(&mut self.text, rest);
        let count = self.errors.partition_point(|error| error.text_offset < len);
        let rest = self.errors.split_off(count);
        let errors = std::mem::replace(&mut self.errors, rest);
        for error in &mut self.errors {
            error.text_offset -= len;
        }
        self.lines += memchr::memchr_iter(b'\n', &text).count() as u64;
        self.text_start += len as u64;
        if let Some(offset) = self.decoder.input_offset(self.text_start).filter(|_| len > 0) {
            self.record_offset = offset;
        }
        (text, errors)
    }

    /// Parses the records in the text. Returns the number of bytes that they have.
    fn parse(&self, is_final: bool) -> PyResult<(ParsedRecords, usize)> {
        let parsed = match &self.format {
            Format::Csv(parser) => parser.parse(&self.text, is_final),
            Format::Lines { skips_blank } => parse_lines(&self.text, is_final, *skips_blank),
            Format::Whole => parse_whole(&self.text, is_final),
        };
        parsed.ok_or_else(|| PyOverflowError::new_err("a record has more than 2 GiB"))
    }

    /// Removes parsed records from the text.
    fn take(&mut self, parsed: ParsedRecords, len: usize, is_final: bool) -> Records {
        let (first_line, text_start, first_offset) =
            (self.lines, self.text_start, self.record_offset);
        let ParsedRecords { mut columns, mut spans, errors: mut record_errors } = parsed;
        let (text, sequences) = self.drop_text(len);
        let skipped = self.skip_records.min(spans.len());
        if skipped > 0 {
            self.skip_records -= skipped;
            spans.drain(..skipped);
            record_errors.retain(|(index, _)| *index as usize >= skipped);
            record_errors.iter_mut().for_each(|(index, _)| *index -= skipped as u32);
            columns.iter_mut().for_each(|column| column.drop_first(skipped));
        }
        debug_assert!(!is_final || self.text.is_empty());
        let record_at = |at: usize| spans.partition_point(|(_, end)| (*end as usize) < at);
        let mut damaged: Vec<u32> = record_errors.iter().map(|(index, _)| *index).collect();
        let mut found = Vec::new();
        for sequence in &sequences {
            let index = record_at(sequence.text_offset);
            if spans.get(index).is_some_and(|(start, _)| *start as usize <= sequence.text_offset) {
                damaged.push(index as u32);
            }
            if found.len() < self.max_errors {
                found.push((sequence.text_offset, sequence.offset, sequence.message(&self.name)));
            }
        }
        damaged.sort_unstable();
        damaged.dedup();
        let expected = columns.len();
        let malformed_records = record_errors.len();
        let mut reported = Vec::new();
        for (index, error) in record_errors.into_iter().take(self.max_errors) {
            let start = spans[index as usize].0 as usize;
            let message = match error {
                RecordError::FieldCount(count) => format!("{count} fields, not {expected}"),
                RecordError::UnclosedQuote => "a quoted field is not closed".to_owned(),
            };
            let offset =
                self.decoder.input_offset(text_start + start as u64).unwrap_or(first_offset);
            reported.push((start, offset, message));
        }
        found.append(&mut reported);
        found.sort_by_key(|(at, ..)| *at);
        let (mut line, mut counted) = (first_line, 0);
        let errors = found.into_iter().map(|(at, offset, message)| {
            line += memchr::memchr_iter(b'\n', &text[counted..at]).count() as u64;
            counted = at;
            (offset, line, message)
        });
        let errors = errors.collect();
        Records {
            count: spans.len(),
            columns,
            text,
            spans,
            malformed: sequences.len(),
            errors,
            damaged,
            malformed_records,
            lines: self.lines,
            first_line,
            text_start,
            first_offset,
        }
    }
}

/// Returns a column with the values of the given spans.
fn column_of(text: &[u8], spans: Vec<(u32, u32)>) -> Option<ParsedRecords> {
    let mut column = Column::default();
    for (start, end) in &spans {
        column.values.extend_from_slice(&text[*start as usize..*end as usize]);
        column.ends.push(i32::try_from(column.values.len()).ok()?);
    }
    Some(ParsedRecords { columns: vec![column], spans, errors: Vec::new() })
}

fn parse_lines(text: &[u8], is_final: bool, skips_blank: bool) -> Option<(ParsedRecords, usize)> {
    let (mut spans, mut start) = (Vec::new(), 0);
    while start < text.len() {
        let Some((end, next)) = csv::line_end(text, start, is_final) else { break };
        if !skips_blank || text[start..end].iter().any(|byte| *byte > b' ') {
            spans.push((u32::try_from(start).ok()?, u32::try_from(end).ok()?));
        }
        start = next;
    }
    Some((column_of(text, spans)?, start))
}

fn parse_whole(text: &[u8], is_final: bool) -> Option<(ParsedRecords, usize)> {
    match is_final {
        true => Some((column_of(text, vec![(0, u32::try_from(text.len()).ok()?)])?, text.len())),
        false => Some((column_of(text, Vec::new())?, 0)),
    }
}
