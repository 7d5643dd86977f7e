//! Messages on standard error: one line per conversion error, and a total per file.
//!
//! Each line is one `write`, so that the lines of several processes do not mix. If a line cannot be
//! written, only the exit code reports that.

use std::fmt::Write;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::cli::fs::file_converter::FileReporter;
use crate::cli::quote::Quoted;
use crate::cli::sys::stdio;
use charpipe_detect::{Confidence, Declaration};
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorEvent, ErrorKind, Position, StageLabel,
};
use charpipe_encoding::encoding::MixedCounts;
use charpipe_transcode::ErrorCounts;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};
use charpipe_transcode::transcoder::ErrorReporter;

use super::advice::{Advisor, Sample};
use super::closed_stdio::closed_at_start;
use super::color::{self, Role};
use super::config::Verbosity;
use super::ordered_messages::MessageSink;
use super::{progress, terminal};

const BOM: char = '\u{FEFF}';

/// The maximum length of a line in bytes, without its end. The middle of longer lines is omitted.
const MAX_LINE_LEN: usize = 380;
/// The number of errors per file that are shown unless `--verbose` is given.
pub const MAX_ERRORS_SHOWN: u64 = 10;

/// A one-line message, and the roles of its parts.
#[derive(Debug, Clone, Default)]
pub struct Message {
    text: String,
    /// The parts that are colored, in order.
    spans: Vec<(Range<usize>, Role)>,
}

impl Message {
    /// Returns a message about a file. Its name must be quoted for a terminal.
    pub fn about(file: &str) -> Message {
        Message::default().part(file, Role::Path)
    }

    /// Returns a message about an error that concerns no file.
    pub fn error(text: &str) -> Message {
        Message::default().reason(text)
    }

    /// Appends a position.
    fn at(self, position: Position) -> Message {
        let Position { offset, line, column } = position;
        self.text(":")
            .part(&format!("{line}:{column}"), Role::Position)
            .text(&format!(": byte {offset}"))
    }

    /// Appends a colon and the reason of an error.
    pub fn with_error(self, text: &str) -> Message {
        self.text(": ").reason(text)
    }

    /// Appends a colon and text that is not colored.
    pub fn with_text(self, text: &str) -> Message {
        self.text(": ").text(text)
    }

    fn reason(self, text: &str) -> Message {
        let (reason, explanation) = text.split_at(color::reason_len(text));
        self.part(reason, Role::Error).text(explanation)
    }

    fn text(mut self, text: &str) -> Message {
        self.text.push_str(text);
        self
    }

    fn part(mut self, text: &str, role: Role) -> Message {
        let start = self.text.len();
        self.text.push_str(text);
        self.spans.push((start..self.text.len(), role));
        self
    }

    /// Appends the parts of another message.
    fn append(mut self, other: &Message) -> Message {
        let start = self.text.len();
        let spans = other.spans.iter();
        self.spans
            .extend(spans.map(|(range, role)| (start + range.start..start + range.end, *role)));
        self.text(&other.text)
    }

    /// Returns the line that is shown: quoted once more, so that no message can contain a terminal
    /// escape sequence, and shortened. The only escape sequences in it are those of colors, at the
    /// ends of parts.
    fn render(&self, colored: bool) -> String {
        let shown = Quoted::new(&self.text).with_max_len(MAX_LINE_LEN).to_string();
        if !colored {
            return shown;
        }
        // Beyond the first character that is quoted or omitted, parts are somewhere else.
        let pairs = shown.bytes().zip(self.text.bytes());
        let unchanged = pairs.take_while(|(one, other)| one == other).count();
        let mut line = String::with_capacity(shown.len() + 64);
        let mut end = 0;
        for (range, role) in self.spans.iter().filter(|(range, _)| range.end <= unchanged) {
            line.push_str(&shown[end..range.start]);
            line.push_str(&role.paint(&shown[range.clone()]));
            end = range.end;
        }
        line.push_str(&shown[end..]);
        line
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        Message::default().text(text)
    }
}

impl From<&String> for Message {
    fn from(text: &String) -> Message {
        text.as_str().into()
    }
}

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
            tally: ErrorCounts::default(),
            shown: 0,
            suppressed: 0,
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
        self.tally = ErrorCounts::default();
        (self.shown, self.suppressed) = (0, 0);
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
    pub fn sample(&mut self, sample: Sample<'_>) {
        for line in self.advisor.advice(sample) {
            self.sink.send(Message::about(&self.file).with_text(&line));
        }
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
        let mut text = parts.join("; ");
        if self.suppressed > 0 {
            let _ = write!(text, " ({} not shown)", self.suppressed);
        }
        self.sink.send(Message::about(&self.file).with_text(&text));
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

    fn sample(&mut self, sample: Sample<'_>) {
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

/// Prints a one-line message after the name of the program.
pub fn print_message(message: impl Into<Message>) {
    let start = Message::default().part("charpipe:", Role::Program).text(" ");
    write_line(&start.append(&message.into()));
}

/// Prints the parser's message about a command line.
pub fn print_usage_error(text: &str) {
    let text = text.strip_prefix("error: ").unwrap_or(text).trim_end();
    let mut lines = text.lines();
    print_message(Message::error(lines.next().unwrap_or_default()));
    lines.for_each(|line| write_line(&usage_line(line)));
}

/// Returns a further line of the parser's message.
fn usage_line(line: &str) -> Message {
    for (start, role) in [("Usage:", Role::Heading), ("  tip:", Role::Tip)] {
        if let Some(rest) = line.strip_prefix(start) {
            return Message::default().part(start, role).text(rest);
        }
    }
    line.into()
}

fn write_line(message: &Message) {
    let shown = message.render(color::stderr_is_colored());
    let closed = closed_at_start().stderr;
    let write = || {
        let end = if terminal::take_unfinished_line() { "\n" } else { "" };
        stdio::write_all(stdio::stderr(), format!("{end}{shown}\n").as_bytes())
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the escape sequences and control characters of a line, in order.
    fn escapes(line: &str) -> Vec<&str> {
        line.split('\x1b').skip(1).map(|part| &part[..=part.find('m').unwrap()]).collect()
    }

    #[test]
    fn parts_are_colored() {
        let position = Position { offset: 4, line: 2, column: 3 };
        let message = Message::about("a.txt").at(position).with_error("invalid FF (why)");
        assert_eq!(message.render(false), "a.txt:2:3: byte 4: invalid FF (why)");
        assert_eq!(
            message.render(true),
            "\x1b[35ma.txt\x1b[0m:\x1b[32m2:3\x1b[0m: byte 4: \x1b[1m\x1b[31minvalid FF\x1b[0m (why)"
        );
    }

    #[test]
    fn untrusted_text_adds_no_escape_sequence() {
        for name in ["a\x1b[31mb", "\x1b]0;x\x07", "\u{9b}1m", "\r\n", "é\x1b"] {
            let line = Message::about(name).with_error("wrong\x1b[1m (why)").render(true);
            assert!(!line.contains(['\r', '\n', '\x07', '\u{9b}']), "{line:?}");
            assert!(escapes(&line).is_empty(), "{line:?}");
        }
        let line = Message::about("good").with_error("wrong\x1b[1m").render(true);
        assert_eq!(escapes(&line), ["[35m", "[0m"]);
        assert!(line.ends_with("wrong\\x1B[1m"), "{line:?}");
    }

    #[test]
    fn a_shortened_line_is_colored_at_its_start() {
        let line = Message::about("é.txt").with_error(&"é".repeat(500)).render(true);
        assert_eq!(escapes(&line), ["[35m", "[0m"]);
        assert!(line.starts_with("\x1b[35mé.txt\x1b[0m: éé") && line.contains('…'), "{line}");
        let line = Message::about(&"é".repeat(500)).with_error("wrong").render(true);
        assert!(escapes(&line).is_empty() && line.ends_with("é: wrong"), "{line}");
    }
}
