//! The errors of a block, kept until its turn.

use crate::transcoder::ErrorReporter;
use crate::transcoder::position::LineColumn;
use charpipe_encoding::conversion_error::{ErrorEvent, Position};

/// The number of errors of a block after which the rest of it waits for its turn.
const FULL_ENTRIES: usize = 1024;

/// The maximum number of errors of a block that are kept. A block with more is converted again in its turn.
const MAX_ENTRIES: usize = 2 * FULL_ENTRIES;

/// What a reporter wants. It only becomes less during a file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wanted {
    wants_position: bool,
    counts_only: bool,
    counts_conversions_only: bool,
}

impl Wanted {
    pub(super) fn by(reporter: &dyn ErrorReporter) -> Wanted {
        Wanted {
            wants_position: reporter.wants_position(),
            counts_only: reporter.counts_only(),
            counts_conversions_only: reporter.counts_conversions_only(),
        }
    }
}

/// Keeps errors, with positions relative to the start of the block.
#[derive(Debug, Default)]
pub(super) struct EventLog {
    wanted: Wanted,
    entries: Vec<LogEntry>,
    has_overflowed: bool,
}

#[derive(Debug)]
struct LogEntry {
    event: ErrorEvent,
    /// The number of errors that were counted in bulk, or `None` for one error.
    count: Option<u64>,
}

impl EventLog {
    pub(super) fn new(wanted: Wanted) -> EventLog {
        EventLog { wanted, ..EventLog::default() }
    }

    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= FULL_ENTRIES
    }

    /// Returns whether there were more errors than are kept.
    pub(super) fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }

    fn push(&mut self, event: ErrorEvent, count: Option<u64>) {
        self.has_overflowed |= self.entries.len() >= MAX_ENTRIES;
        if !self.has_overflowed {
            self.entries.push(LogEntry { event, count });
        }
    }

    /// Passes all errors to `reporter`. `start` is the position of the block.
    pub(super) fn replay(self, start: LineColumn, reporter: &mut dyn ErrorReporter) {
        for LogEntry { mut event, count } in self.entries {
            event.position = event.position.map(|position| rebased(position, start));
            match count {
                Some(count) => reporter.repeated_error(&event, count),
                None => reporter.error(&event),
            }
        }
    }
}

/// Returns the position in the input of a position in a block that begins at `start`.
fn rebased(position: Position, start: LineColumn) -> Position {
    let LineColumn { line, column } =
        LineColumn { line: position.line, column: position.column }.after_start(start);
    Position { line, column, ..position }
}

impl ErrorReporter for EventLog {
    fn wants_position(&self) -> bool {
        self.wanted.wants_position
    }

    fn counts_only(&self) -> bool {
        self.wanted.counts_only
    }

    fn counts_conversions_only(&self) -> bool {
        self.wanted.counts_conversions_only
    }

    fn error(&mut self, error: &ErrorEvent) {
        self.push(*error, None);
    }

    fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
        match self.entries.last_mut() {
            Some(LogEntry { event, count: Some(all) }) if event == error => *all += count,
            _ => self.push(*error, Some(count)),
        }
    }
}
