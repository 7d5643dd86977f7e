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

use crate::cli::error_printer::{ErrorPrinter, MAX_ERRORS_SHOWN};
use crate::cli::json::{JsonObject, to_json};
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
        let object = JsonObject::default()
            .with("offset", position.offset)
            .with("line", position.line)
            .with("column", position.column)
            .with("message", message);
        let error = to_json(&object);
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
        let members = JsonObject::default()
            // The number of errors that are not in `errors`.
            .with("errors_not_listed", self.not_listed)
            .with("file", path.to_string_lossy().as_ref())
            // The size of the file in bytes.
            .with("size", size)
            .with("from", config.options.from.to_string())
            .with("to", config.options.to.to_string())
            // The offset of the first byte of the range, and the one after the last byte that was converted.
            .with("start", result.bytes.start)
            .with("end", result.bytes.end)
            .with("output_bytes", result.output_bytes)
            // The number of line feeds in the decoded text.
            .with("lines", result.lines)
            .with("line_base", range.line_base)
            .with("malformed", result.malformed)
            .with("unmappable", result.unmappable)
            .with("skipped", skipped)
            .with("replaced", replaced)
            .with("passed_through", passed_through)
            .with("transliterated", transliterated)
            .with("escaped", escaped)
            // Whether an error stopped the conversion.
            .with("stopped", result.stopped.is_some())
            // The value of `--start-state`.
            .with("start_state", range.start_state.as_ref().map(ToString::to_string))
            .with("end_state", result.end_state.to_string())
            // Whether the next range begins in this state unless it is given another one, and whether that must
            // be compared at all.
            .with("ends_as_assumed", result.ends_as_assumed)
            .with("needs_verification", transcoder.needs_verification());
        writeln!(self.output, "],{}}}", members.members())?;
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
