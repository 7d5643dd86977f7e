//! The report of a range in JSON, for joining the outputs.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use crate::cli::fs::output::OutputStream;
use anyhow::Result;
use charpipe_encoding::conversion_error::ErrorEvent;
use charpipe_encoding::encoding::MixedCounts;
use charpipe_transcode::ErrorCounts;
use charpipe_transcode::options::TranscodeOptions;
use charpipe_transcode::split::{RangeResult, RangeTranscoder};
use charpipe_transcode::transcoder::ErrorReporter;
use serde::Serialize;

use crate::cli::error_printer::{ErrorPrinter, MAX_ERRORS_SHOWN};
use crate::cli::json::{to_json, to_json_members};
use crate::cli::messages::Verbosity;

use super::config::{ConvertConfig, RangeConfig};

/// A report that is being written. Errors are written as they are found; the file appears at the end.
pub struct RangeReport {
    output: BufWriter<OutputStream>,
    /// The number of errors that were written.
    listed: u64,
    /// The number of errors that were not.
    not_listed: u64,
    /// The first error of a write.
    result: io::Result<()>,
}

/// One error in a report.
#[derive(Serialize)]
struct ErrorMembers {
    offset: u64,
    line: u64,
    column: u64,
    message: String,
}

/// The members of a report after its errors.
#[derive(Serialize)]
struct ReportMembers {
    /// The number of errors that are not in `errors`.
    errors_not_listed: u64,
    file: String,
    /// The size of the file in bytes.
    size: u64,
    from: String,
    to: String,
    /// The offset of the first byte of the range.
    start: u64,
    /// The offset after the last byte that was converted.
    end: u64,
    output_bytes: u64,
    /// The number of line feeds in the decoded text.
    lines: u64,
    line_base: u64,
    malformed: u64,
    unmappable: u64,
    skipped: u64,
    replaced: u64,
    passed_through: u64,
    transliterated: u64,
    escaped: u64,
    /// Whether an error stopped the conversion.
    stopped: bool,
    /// The value of `--start-state`.
    start_state: Option<String>,
    end_state: String,
    /// Whether the next range begins in this state unless it is given another one.
    ends_as_assumed: bool,
    /// Whether that must be compared at all.
    needs_verification: bool,
}

impl RangeReport {
    pub fn new(output: OutputStream) -> RangeReport {
        let mut output = BufWriter::new(output);
        let result = output.write_all(b"{\"errors\":[");
        RangeReport { output, listed: 0, not_listed: 0, result }
    }

    fn list(&mut self, error: &ErrorEvent, from: &str, to: &str) {
        let Some(position) = error.position else {
            self.not_listed += 1;
            return;
        };
        let separator = if self.listed == 0 { "" } else { "," };
        self.listed += 1;
        let message = error.display(from, to).to_string();
        let (offset, line, column) = (position.offset, position.line, position.column);
        let error = to_json(&ErrorMembers { offset, line, column, message });
        if self.result.is_ok() {
            self.result = write!(self.output, "{separator}{error}");
        }
    }

    /// Completes the report and makes the file appear.
    ///
    /// # Errors
    ///
    /// Returns the first error of a write.
    pub fn finish(
        mut self,
        path: &Path,
        size: u64,
        config: &ConvertConfig,
        range: &RangeConfig,
        transcoder: &RangeTranscoder,
        result: &RangeResult,
    ) -> Result<()> {
        self.result?;
        let ErrorCounts { skipped, replaced, passed_through, transliterated, escaped } =
            result.error_counts;
        let members = to_json_members(&ReportMembers {
            errors_not_listed: self.not_listed,
            file: path.to_string_lossy().into_owned(),
            size,
            from: config.options.from.to_string(),
            to: config.options.to.to_string(),
            start: result.bytes.start,
            end: result.bytes.end,
            output_bytes: result.output_bytes,
            lines: result.lines,
            line_base: range.line_base,
            malformed: result.malformed,
            unmappable: result.unmappable,
            skipped,
            replaced,
            passed_through,
            transliterated,
            escaped,
            stopped: result.stopped.is_some(),
            start_state: range.start_state.as_ref().map(ToString::to_string),
            end_state: result.end_state.to_string(),
            ends_as_assumed: result.ends_as_assumed,
            needs_verification: transcoder.needs_verification(),
        });
        writeln!(self.output, "],{members}}}")?;
        self.output.into_inner().map_err(io::IntoInnerError::into_error)?.commit()?;
        Ok(())
    }
}

/// Prints errors, and lists them in a report: the first ones, or all with `--verbose`.
pub struct ReportingPrinter {
    printer: ErrorPrinter<'static>,
    report: Option<RangeReport>,
    from: &'static str,
    to: &'static str,
    is_verbose: bool,
}

impl ReportingPrinter {
    pub fn new(
        printer: ErrorPrinter<'static>,
        report: Option<RangeReport>,
        options: &TranscodeOptions,
        verbosity: Verbosity,
    ) -> ReportingPrinter {
        ReportingPrinter {
            printer,
            report,
            from: options.from.encoding.name(),
            to: options.to.encoding.name(),
            is_verbose: verbosity == Verbosity::Verbose,
        }
    }

    pub fn into_parts(self) -> (ErrorPrinter<'static>, Option<RangeReport>) {
        (self.printer, self.report)
    }

    /// Returns whether the report lists the next error.
    fn lists_errors(&self) -> bool {
        let is_listed = |report: &RangeReport| self.is_verbose || report.listed < MAX_ERRORS_SHOWN;
        self.report.as_ref().is_some_and(is_listed)
    }
}

impl ErrorReporter for ReportingPrinter {
    fn wants_position(&self) -> bool {
        self.printer.wants_position() || self.lists_errors()
    }

    fn counts_only(&self) -> bool {
        self.printer.counts_only() && !self.lists_errors()
    }

    fn counts_conversions_only(&self) -> bool {
        self.printer.counts_conversions_only()
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.printer.error(error);
        let lists_errors = self.lists_errors();
        let Some(report) = &mut self.report else { return };
        if !error.action_taken.is_error() {
            return;
        }
        match lists_errors {
            true => report.list(error, self.from, self.to),
            false => report.not_listed += 1,
        }
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        self.printer.repeated_error(error, count);
        if let Some(report) = self.report.as_mut().filter(|_| error.action_taken.is_error()) {
            report.not_listed += count;
        }
    }

    fn decoded_mixed(&mut self, counts: &MixedCounts) {
        self.printer.decoded_mixed(counts);
    }
}
