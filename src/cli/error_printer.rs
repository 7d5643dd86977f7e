//! Messages about the data: one line per conversion error, and a total per file.

use std::fmt::Write;

use crate::cli::fs::file_converter::FileReporter;
use crate::cli::quote::Quoted;
use charpipe_detect::{Confidence, Declaration};
use charpipe_encoding::conversion_error::{ActionTaken, ErrorEvent, ErrorKind, StageLabel};
use charpipe_encoding::encoding::MixedCounts;
use charpipe_transcode::ErrorCounts;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};
use charpipe_transcode::transcoder::ErrorReporter;

use super::advice::{Advisor, InputSample};
use super::messages::{Message, Verbosity};
use super::ordered_messages::MessageSink;

const BOM: char = '\u{FEFF}';

/// The number of errors per file that are shown unless `--verbose` is given.
pub const MAX_ERRORS_SHOWN: u64 = 10;

/// The errors of a file.
#[derive(Default)]
struct FileTally {
    counts: ErrorCounts,
    shown: u64,
    suppressed: u64,
}

/// Prints the conversion errors of one file after the other.
pub struct ErrorPrinter<'a> {
    sink: MessageSink<'a>,
    verbosity: Verbosity,
    from: &'static str,
    to: &'static str,
    file: String,
    tally: FileTally,
    has_errors: bool,
    advisor: Advisor,
    /// Whether to report if a file is in several encodings.
    pub reports_mixed: bool,
}

impl<'a> ErrorPrinter<'a> {
    pub fn new(
        options: &TranscodeOptions,
        verbosity: Verbosity,
        sink: MessageSink<'a>,
    ) -> ErrorPrinter<'a> {
        let (from, to) = (options.from.encoding.name(), options.to.encoding.name());
        let file = String::new();
        ErrorPrinter {
            sink,
            verbosity,
            from,
            to,
            file,
            tally: FileTally::default(),
            has_errors: false,
            advisor: Advisor::new(options),
            reports_mixed: verbosity == Verbosity::Verbose,
        }
    }

    /// Notes whether the input encoding is UTF-8 because none was given.
    pub fn assuming_utf8(mut self, assumes_utf8: bool) -> ErrorPrinter<'a> {
        self.advisor.assumes_utf8 = assumes_utf8;
        self
    }

    /// Starts a file. Its name must be quoted for a terminal.
    pub fn begin_file(&mut self, file: &str) {
        file.clone_into(&mut self.file);
        self.advisor.begin_file();
        self.tally = FileTally::default();
    }

    /// Sets the encodings that messages name.
    pub fn set_encodings(&mut self, options: &TranscodeOptions) {
        (self.from, self.to) = (options.from.encoding.name(), options.to.encoding.name());
        self.advisor.set_encodings(options);
    }

    /// Returns the offset of the sample of the file from which advice is derived, if one is needed.
    pub fn wanted_sample(&self) -> Option<u64> {
        let is_quiet = self.verbosity == Verbosity::Quiet;
        self.advisor.wanted_sample().filter(|_| !is_quiet)
    }

    /// Prints the advice that is derived from a sample.
    pub fn sample(&mut self, sample: InputSample<'_>) {
        for line in self.advisor.advice(sample) {
            self.sink.send(Message::about(&self.file).with_text(&line));
        }
    }

    /// Prints the total of a file, if there were errors and the run continued.
    pub fn end_file(&mut self) {
        let ErrorCounts { skipped, replaced, passed_through, transliterated, escaped } =
            self.tally.counts;
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
        let mut text = parts.join("; ");
        if self.tally.suppressed > 0 {
            let _ = write!(text, " ({} not shown)", self.tally.suppressed);
        }
        self.sink.send(Message::about(&self.file).with_text(&text));
    }

    /// Returns whether any file had an error.
    pub fn any(&self) -> bool {
        self.has_errors
    }

    fn record(&mut self, error: &ErrorEvent, count: u64) {
        self.has_errors |= error.action_taken.is_error();
        self.tally.counts.repeated_error(error, count);
    }

    fn should_show(&self) -> bool {
        match self.verbosity {
            Verbosity::Quiet => false,
            Verbosity::Normal => self.tally.shown < MAX_ERRORS_SHOWN,
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
            self.tally.suppressed += count;
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
            self.tally.suppressed += 1;
            return;
        }
        self.tally.shown += 1;
        self.advisor.error(error);
        let mut message = Message::about(&self.file);
        if let Some(position) = error.position {
            message = message.at(position);
        }
        let reason = error.display(self.from, self.to).to_string();
        let hint = hint(error, self.from);
        self.sink.send(message.with_error(&reason).text(hint));
    }

    /// Reports what a file was decoded as, with `--verbose`. In a dry run this matters only if another
    /// encoding than the first one was used.
    fn decoded_mixed(&mut self, counts: &MixedCounts) {
        let is_verbose = self.verbosity == Verbosity::Verbose;
        if self.reports_mixed && (is_verbose || counts.is_mixed()) {
            self.sink.send(&format!("{}: {counts}", self.file));
        }
    }
}

/// Returns what to append to the message of an error in the input.
fn hint(error: &ErrorEvent, from: &str) -> &'static str {
    let is_first = error.position.is_some_and(|position| position.offset == 0);
    if is_first && error.kind == ErrorKind::Unmappable(BOM) && error.stage == StageLabel::Main {
        return ", it is a byte order mark; use --bom strip";
    }
    if let StageLabel::Transform(transform) = error.stage {
        return match (transform.name(), error.kind) {
            ("percent" | "xml", ErrorKind::Malformed { .. }) => {
                "; the option lenient takes what is not an escape as text"
            }
            _ => "",
        };
    }
    match (from, error.excerpt.bytes()) {
        ("UTF-8", [0xFE | 0xFF, ..]) if is_first => "; UTF-16 files start with FF FE or FE FF",
        ("UTF-7-IMAP" | "UTF-5", [b'\r' | b'\n', ..]) => {
            "; the option eol=keep accepts line endings"
        }
        _ => "",
    }
}

impl FileReporter for ErrorPrinter<'_> {
    fn wanted_sample(&self) -> Option<u64> {
        self.wanted_sample()
    }

    fn sample(&mut self, sample: InputSample<'_>) {
        self.sample(sample);
    }

    fn begin_file(&mut self, options: &TranscodeOptions) {
        self.set_encodings(options);
    }

    /// Reports a guess, or less than that, unconditionally, and any detection with `--verbose`.
    fn encoding_detected(&mut self, encoding: &EncodingSpec, confidence: Confidence) {
        if confidence <= Confidence::Guess || self.verbosity == Verbosity::Verbose {
            let text = format!("detected {encoding} ({confidence})");
            self.sink.send(Message::about(&self.file).with_text(&text));
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
