//! What is told on the standard error: one line an error, a total a file.
//!
//! Each line is one `write`, so that the lines of several processes do not mix. That a line could not
//! be written can be told by the exit code alone.

use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use charpipe::ErrorCounts;
use charpipe::conversion_error::{ActionTaken, ErrorEvent};
use charpipe::detect::Confidence;
use charpipe::in_place::InPlaceReporter;
use charpipe::options::{EncodingSpec, TranscodeOptions};
use charpipe::quote::Quoted;
use charpipe::transcoder::ErrorReporter;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::closed_stdio::closed_at_start;
use super::config::Verbosity;
use super::ordered_messages::MessageSink;
use super::{progress, terminal};

/// Bytes of a line, its end not counted, beyond which its middle is left out.
const MAX_LINE_LEN: usize = 380;
/// Errors of a file that are told one by one.
const MAX_ERRORS_SHOWN: u64 = 10;

/// Tells the errors of one file after the other.
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
            sink: sink,
            verbosity: verbosity,
            from,
            to,
            file,
            tally: ErrorCounts::default(),
            shown: 0,
            suppressed: 0,
            has_errors: false,
        }
    }

    /// The errors from here on are in this file, whose name is safe to show.
    pub fn begin_file(&mut self, file: &str) {
        file.clone_into(&mut self.file);
        self.tally = ErrorCounts::default();
        (self.shown, self.suppressed) = (0, 0);
    }

    /// The errors from here on are met by carrying out this options.
    pub fn set_encodings(&mut self, options: &TranscodeOptions) {
        (self.from, self.to) = (options.from.encoding.name, options.to.encoding.name);
    }

    /// Tells the total of a file, if there is one to tell.
    pub fn end_file(&mut self) {
        let ErrorCounts {
            skipped,
            replaced,
            passed_through: kept,
            mut transliterated,
            mut escaped,
        } = self.tally;
        if self.verbosity != Verbosity::Verbose {
            (transliterated, escaped) = (0, 0);
        }
        let parts = [
            (skipped, "skipped"),
            (replaced, "replaced"),
            (kept, "kept"),
            (transliterated, "transliterated"),
            (escaped, "escaped"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<_> = parts.map(|(count, done)| format!("{count} {done}")).collect();
        if self.verbosity == Verbosity::Silent || parts.is_empty() {
            return;
        }
        let mut line = format!("{}: {}", self.file, parts.join(", "));
        if self.suppressed > 0 {
            let s = if self.suppressed == 1 { "" } else { "s" };
            let _ = write!(line, " ({} more fault{s} not shown)", self.suppressed);
        }
        self.sink.send(&line);
    }

    /// Whether any file had an error.
    pub fn any(&self) -> bool {
        self.has_errors
    }

    fn record(&mut self, error: &ErrorEvent, count: u64) {
        self.has_errors |= error.action_taken.is_error();
        self.tally.repeated_error(error, count);
    }

    fn should_show(&self) -> bool {
        match self.verbosity {
            Verbosity::Silent => false,
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
        // Errors may come by the million: nothing is put into words that is not shown. The one
        // that ends the run is shown even if it is the eleventh.
        let stopped =
            error.action_taken == ActionTaken::Stopped && self.verbosity != Verbosity::Silent;
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

    /// A guess is told whatever else is not.
    fn encoding_detected(&mut self, encoding: &EncodingSpec, confidence: Confidence) {
        if confidence == Confidence::Guess || self.verbosity == Verbosity::Verbose {
            self.sink.send(&format!("{}: detected {encoding} ({confidence})", self.file));
        }
    }
}

/// Tells one line.
pub fn print_message(line: &str) {
    let line = format!("charpipe: {line}");
    write_line(&line);
}

/// Tells what is wrong with a command line: the parser's text, line by line.
pub fn print_usage_error(text: &str) {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let mut lines = text.lines();
    print_message(lines.next().unwrap_or_default());
    lines.for_each(write_line);
}

fn write_line(line: &str) {
    // The last guard: whatever has come this far, nothing that drives a terminal goes out.
    let end = if terminal::take_unfinished_line() { "\n" } else { "" };
    let line = format!("{end}{}\n", Quoted::new(line).with_max_len(MAX_LINE_LEN));
    let closed = closed_at_start().stderr;
    if closed || progress::suspend(|| write_all(line.as_bytes())).is_err() {
        STDERR_FAILED.store(true, Relaxed);
    }
}

/// Whether a line could not be written.
static STDERR_FAILED: AtomicBool = AtomicBool::new(false);

/// Whether something that was to be told was not.
pub fn stderr_failed() -> bool {
    STDERR_FAILED.load(Relaxed)
}

fn write_all(mut bytes: &[u8]) -> Result<(), Errno> {
    let stderr = rustix::stdio::stderr();
    while !bytes.is_empty() {
        match rustix::io::write(stderr, bytes) {
            Ok(0) => return Err(Errno::IO),
            Ok(written) => bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => {
                let interest = PollFd::from_borrowed_fd(stderr, PollFlags::OUT);
                match poll(&mut [interest], None) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(error) => return Err(error),
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
