//! Messages on standard error: one line per conversion error, and a total per file.
//!
//! Each line is one `write`, so that the lines of several processes do not mix. If a line cannot be
//! written, only the exit code reports that.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::ErrorCounts;
use crate::cli::fs::in_place::InPlaceReporter;
use crate::cli::quote::Quoted;
use crate::cli::sys::stdio;
use crate::conversion_error::{ActionTaken, ErrorEvent};
use crate::detect::{Confidence, Declaration};
use crate::options::{EncodingSpec, TranscodeOptions};
use crate::transcoder::ErrorReporter;

use super::closed_stdio::closed_at_start;
use super::config::Verbosity;
use super::ordered_messages::MessageSink;
use super::{progress, terminal};

/// The maximum length of a line in bytes, without its end. The middle of longer lines is omitted.
const MAX_LINE_LEN: usize = 380;
/// The number of errors per file that are shown unless `--verbose` is given.
const MAX_ERRORS_SHOWN: u64 = 10;

/// Prints the conversion errors of one file after the other.
pub struct ErrorPrinter<'a> {
    sink: MessageSink<'a>,
    verbosity: Verbosity,
    from: &'static str,
    to: &'static str,
    file: String,
    tally: ErrorCounts,
    shown: u64,
    suppressed: u64,
    has_errors: bool,
}

impl<'a> ErrorPrinter<'a> {
    pub fn new(
        options: &TranscodeOptions,
        verbosity: Verbosity,
        sink: MessageSink<'a>,
    ) -> ErrorPrinter<'a> {
        let (from, to) = (options.from.encoding.name, options.to.encoding.name);
        let file = String::new();
        ErrorPrinter {
            sink,
            verbosity,
            from,
            to,
            file,
            tally: ErrorCounts::default(),
            shown: 0,
            suppressed: 0,
            has_errors: false,
        }
    }

    /// Starts a file. Its name must be quoted for a terminal.
    pub fn begin_file(&mut self, file: &str) {
        file.clone_into(&mut self.file);
        self.tally = ErrorCounts::default();
        (self.shown, self.suppressed) = (0, 0);
    }

    /// Sets the encodings that messages name.
    pub fn set_encodings(&mut self, options: &TranscodeOptions) {
        (self.from, self.to) = (options.from.encoding.name, options.to.encoding.name);
    }

    /// Prints the total of a file, if there were errors and the run continued.
    pub fn end_file(&mut self) {
        let ErrorCounts { skipped, replaced, passed_through, transliterated, escaped } = self.tally;
        let list = |counts: &[(u64, &str)]| {
            let counts = counts.iter().filter(|(count, _)| *count > 0);
            counts.map(|(count, done)| format!("{count} {done}")).collect::<Vec<_>>().join(", ")
        };
        let mut parts = Vec::new();
        let errors = skipped + replaced + passed_through;
        if errors > 0 {
            let s = if errors == 1 { "" } else { "s" };
            let actions =
                list(&[(skipped, "skipped"), (replaced, "replaced"), (passed_through, "kept")]);
            parts.push(format!("{errors} error{s}: {actions}"));
        }
        if self.verbosity == Verbosity::Verbose && transliterated + escaped > 0 {
            parts.push(list(&[(transliterated, "transliterated"), (escaped, "escaped")]));
        }
        if self.verbosity == Verbosity::Quiet || parts.is_empty() {
            return;
        }
        let mut line = format!("{}: {}", self.file, parts.join("; "));
        if self.suppressed > 0 {
            let _ = write!(line, " ({} not shown)", self.suppressed);
        }
        self.sink.send(&line);
    }

    /// Returns whether any file had an error.
    pub fn any(&self) -> bool {
        self.has_errors
    }

    fn record(&mut self, error: &ErrorEvent, count: u64) {
        self.has_errors |= error.action_taken.is_error();
        self.tally.repeated_error(error, count);
    }

    fn should_show(&self) -> bool {
        match self.verbosity {
            Verbosity::Quiet => false,
            Verbosity::Normal => self.shown < MAX_ERRORS_SHOWN,
            Verbosity::Verbose => true,
        }
    }
}

impl ErrorReporter for ErrorPrinter<'_> {
    fn wants_position(&self) -> bool {
        self.should_show()
    }

    fn counts_only(&self) -> bool {
        !self.should_show()
    }

    fn counts_conversions_only(&self) -> bool {
        self.verbosity != Verbosity::Verbose
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        self.record(error, count);
        if error.action_taken.is_error() {
            self.suppressed += count;
        }
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.record(error, 1);
        if !error.action_taken.is_error() && self.counts_conversions_only() {
            return;
        }
        // There may be millions of errors, so messages that are not shown are not formatted. An
        // error that stops the run is always shown.
        let stopped =
            error.action_taken == ActionTaken::Stopped && self.verbosity != Verbosity::Quiet;
        if !self.should_show() && !stopped {
            self.suppressed += 1;
            return;
        }
        self.shown += 1;
        let mut line = self.file.clone();
        if let Some(position) = error.position {
            let _ = write!(line, ":{position}");
        }
        let _ = write!(line, ": {}", error.display(self.from, self.to));
        self.sink.send(&line);
    }
}

impl InPlaceReporter for ErrorPrinter<'_> {
    fn begin_file(&mut self, options: &TranscodeOptions) {
        self.set_encodings(options);
    }

    /// Reports a guess unconditionally, and any detection with `--verbose`.
    fn encoding_detected(&mut self, encoding: &EncodingSpec, confidence: Confidence) {
        if confidence == Confidence::Guess || self.verbosity == Verbosity::Verbose {
            self.sink.send(&format!("{}: detected {encoding} ({confidence})", self.file));
        }
    }

    fn declaration_ignored(&mut self, declaration: &Declaration) {
        if self.verbosity != Verbosity::Quiet {
            let Declaration { kind, label, .. } = declaration;
            let label = Quoted::new(label);
            let line = format!("{}: {kind} says {label}, which the bytes contradict", self.file);
            self.sink.send(&line);
        }
    }
}

/// Prints a one-line message.
pub fn print_message(line: &str) {
    let line = format!("charpipe: {line}");
    write_line(&line);
}

/// Prints the parser's message about a command line.
pub fn print_usage_error(text: &str) {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let mut lines = text.lines();
    print_message(lines.next().unwrap_or_default());
    lines.for_each(write_line);
}

fn write_line(line: &str) {
    // Quote once more, so that no message can contain a terminal escape sequence.
    let end = if terminal::take_unfinished_line() { "\n" } else { "" };
    let line = format!("{end}{}\n", Quoted::new(line).with_max_len(MAX_LINE_LEN));
    let closed = closed_at_start().stderr;
    let write = || stdio::write_all(stdio::stderr(), line.as_bytes());
    if closed || progress::suspend(write).is_err() {
        STDERR_FAILED.store(true, Relaxed);
    }
}

/// Whether a line could not be written.
static STDERR_FAILED: AtomicBool = AtomicBool::new(false);

/// Returns whether a line could not be written.
pub fn stderr_failed() -> bool {
    STDERR_FAILED.load(Relaxed)
}
