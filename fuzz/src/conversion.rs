//! Runs a whole options over an input, and notes all that can be seen of it.

use std::io::Cursor;
use std::ops::Range;

use charpipe::Error;
use charpipe::ErrorAction;
use charpipe::ErrorReporter;
use charpipe::TranscodeOptions;
use charpipe::Transcoder;
use charpipe::internals::conversion_error::{
    ActionTaken, ErrorClass, ErrorEvent, ErrorKind, Excerpt, Position,
};
use charpipe::internals::parallel::{self, BlockSource, PoolOptions};
use charpipe::split::{InputRange, RangeTranscoder};

use super::params::FuzzInput;

/// An error as it was reported, but for what was done about it.
pub type ReportedError = (ErrorKind, Position, Excerpt);

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FuzzOutcome {
    pub out: Vec<u8>,
    pub errors: Vec<ReportedError>,
    /// The number of errors of each kind.
    pub counts: ErrorCounts,
    /// Whether an error ended it.
    pub stopped: bool,
}

/// The number of errors of each kind with the same action.
#[derive(Debug, Clone, Default)]
pub struct ErrorCounts(Vec<(ErrorClass, ActionTaken, u64)>);

impl ErrorCounts {
    fn add(&mut self, error: &ErrorEvent, count: u64) {
        let (kind, done) = (error.class(), error.action_taken);
        match self.0.iter_mut().find(|sum| (sum.0, sum.1) == (kind, done)) {
            Some(sum) => sum.2 += count,
            None => self.0.push((kind, done, count)),
        }
    }
}

/// The order in which the sorts were met does not count.
impl PartialEq for ErrorCounts {
    fn eq(&self, other: &ErrorCounts) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|sum| other.0.contains(sum))
    }
}

impl Eq for ErrorCounts {}

/// Collects up to the given number of errors and counts the others.
struct ErrorRecorder {
    max_recorded: usize,
    errors: Vec<ReportedError>,
    counts: ErrorCounts,
}

impl ErrorRecorder {
    fn new(max_recorded: usize) -> ErrorRecorder {
        ErrorRecorder { max_recorded, errors: Vec::new(), counts: ErrorCounts::default() }
    }
}

impl ErrorReporter for ErrorRecorder {
    fn wants_position(&self) -> bool {
        self.errors.len() < self.max_recorded
    }

    fn error(&mut self, error: &ErrorEvent) {
        if self.wants_position() {
            let position = error.position.expect("a reporter that needs a position gets one");
            self.errors.push((error.kind, position, error.excerpt));
        }
        self.counts.add(error, 1);
    }

    fn counts_only(&self) -> bool {
        !self.wants_position()
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        assert!(self.counts_only() && count > 0, "rows are reported to who counts");
        self.counts.add(error, count);
    }
}

/// Returns the outcome of a conversion with these options, or `None` if they are invalid.
pub fn run_options(options: &TranscodeOptions, input: &[u8]) -> Option<FuzzOutcome> {
    run_files(options, &[input], usize::MAX)
}

/// The outcome over some files, when `most` errors are reported one by one and the others are counted.
pub fn run_files(options: &TranscodeOptions, files: &[&[u8]], most: usize) -> Option<FuzzOutcome> {
    run_with(options, most, |transcoder, out, notes| {
        for file in files {
            let mut rest = *file;
            while !rest.is_empty() {
                let space = transcoder.input_buffer();
                let count = space.len().min(rest.len());
                space[..count].copy_from_slice(&rest[..count]);
                transcoder.process(count, out, notes)?;
                rest = &rest[count..];
            }
            transcoder.finish_input(out, notes)?;
        }
        transcoder.finish(out, notes)
    })
}

/// Returns the outcome of a conversion on several threads in blocks of this size, or `None` if the options are invalid or not
/// supported.
pub fn run_threads(
    options: &TranscodeOptions,
    input: &[u8],
    threads: usize,
    block_size: usize,
) -> Option<FuzzOutcome> {
    if !parallel::is_supported(options, &options.build().ok()?) {
        return None;
    }
    run_with(options, usize::MAX, |transcoder, out, notes| {
        let source = BlockSource::Reader(Box::new(input));
        let pool = PoolOptions { threads, block_size, another_thread: None };
        parallel::process(transcoder, source, out, notes, options, pool)?;
        transcoder.finish_input(out, notes)?;
        transcoder.finish(out, notes)
    })
}

/// Returns the ranges of an input and the outcome of converting one after the other, or `None` if the options are invalid or
/// not supported.
pub fn run_ranges(
    options: &TranscodeOptions,
    content: &[u8],
    count: usize,
) -> Option<(Vec<Range<u64>>, FuzzOutcome)> {
    let mut transcoder = RangeTranscoder::new(options).ok()?;
    let mut input = Cursor::new(content);
    let ranges = transcoder.ranges(&mut input, count as u64).expect("memory can be read");
    let ranges: Vec<_> = ranges.collect::<Result<_, _>>().expect("memory can be read");
    let mut outcome = FuzzOutcome::default();
    let mut recorder = ErrorRecorder::new(usize::MAX);
    let (mut first_line, mut first_column) = (1, 1);
    for bytes in &ranges {
        let range = InputRange::new(bytes.clone()).first_line(first_line);
        let range = range.first_column(first_column);
        let result = transcoder.convert(&mut input, &range, &mut outcome.out, &mut recorder);
        let result = result.unwrap_or_else(|error| panic!("{bytes:?}: {error}"));
        first_line += result.lines;
        first_column = result.next_column;
        if result.stopped.is_some() {
            outcome.stopped = true;
            break;
        }
    }
    (outcome.errors, outcome.counts) = (recorder.errors, recorder.counts);
    Some((ranges, outcome))
}

fn run_with(
    options: &TranscodeOptions,
    max_recorded: usize,
    convert: impl FnOnce(&mut Transcoder, &mut Vec<u8>, &mut ErrorRecorder) -> Result<(), Error>,
) -> Option<FuzzOutcome> {
    let mut transcoder = options.build().ok()?;
    let mut out = Vec::new();
    let mut notes = ErrorRecorder::new(max_recorded);
    let stopped = match convert(&mut transcoder, &mut out, &mut notes) {
        Ok(()) => false,
        Err(Error::Conversion(_)) => true,
        Err(other) => panic!("{other}"),
    };
    Some(FuzzOutcome { out, errors: notes.errors, counts: notes.counts, stopped })
}

/// Error actions: each one, and replacements that most targets and that few targets can encode.
pub const ACTIONS: &[&str] = &[
    "stop",
    "skip",
    "replace",
    "replace=?!",
    "replace=\u{20AC}",
    "translit",
    "keep",
    "backslash",
    "c",
    "java",
    "xml",
    "xml-hex",
    "unicode",
    "percent",
];

/// Sets what becomes of both kinds of error as the next bytes choose. What cannot be kept is kept
/// as text, or replaced.
pub fn choose_error_policy(options: &mut TranscodeOptions, bytes: &mut FuzzInput<'_>) {
    for action in [&mut options.error_policy.malformed, &mut options.error_policy.unmappable] {
        *action = bytes.choose(ACTIONS).parse().expect("a word of the vocabulary");
    }
    if options.error_policy.unmappable == ErrorAction::PassThrough {
        options.error_policy.unmappable = ErrorAction::Replace(None);
    }
    if options.error_policy.malformed == ErrorAction::PassThrough
        && matches!(options.build(), Err(Error::UnsupportedPassThrough { .. }))
    {
        options.error_policy.malformed = ErrorAction::PassThroughText;
    }
}
