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

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::conversion_error::{
        ActionTaken, ErrorKind, Excerpt, MalformedReason, StageLabel,
    };

    /// The errors that are passed on, each with its count.
    #[derive(Default)]
    struct Collected(Vec<(ErrorEvent, Option<u64>)>);

    impl ErrorReporter for Collected {
        fn wants_position(&self) -> bool {
            true
        }

        fn error(&mut self, error: &ErrorEvent) {
            self.0.push((*error, None));
        }

        fn repeated_error(&mut self, error: &ErrorEvent, count: u64) {
            self.0.push((*error, Some(count)));
        }
    }

    fn event(len: usize, position: Option<Position>) -> ErrorEvent {
        let kind = ErrorKind::Malformed { len, reason: MalformedReason::Truncated };
        let excerpt = Excerpt::default();
        ErrorEvent::new(kind, ActionTaken::Replaced, position, excerpt, StageLabel::Main)
    }

    fn replayed(log: EventLog, start: LineColumn) -> Vec<(ErrorEvent, Option<u64>)> {
        let mut collected = Collected::default();
        log.replay(start, &mut collected);
        collected.0
    }

    #[test]
    fn positions_continue_those_before_the_block() {
        let mut log = EventLog::new(Wanted::default());
        for (offset, line, column) in [(100, 1, 1), (107, 1, 8), (120, 2, 1), (300, 5, 9)] {
            log.error(&event(1, Some(Position { offset, line, column })));
        }
        // The block begins at the tenth character of the third line.
        let errors = replayed(log, LineColumn { line: 3, column: 10 });
        let positions: Vec<_> = errors.iter().map(|(error, _)| error.position.unwrap()).collect();
        let expected = [(100, 3, 10), (107, 3, 17), (120, 4, 1), (300, 7, 9)];
        assert_eq!(
            positions,
            expected.map(|(offset, line, column)| Position { offset, line, column })
        );
    }

    #[test]
    fn counts_of_the_same_error_are_added() {
        let mut log = EventLog::new(Wanted::default());
        log.repeated_error(&event(1, None), 3);
        log.repeated_error(&event(1, None), 4);
        log.repeated_error(&event(2, None), 5);
        log.error(&event(2, None));
        log.repeated_error(&event(2, None), 6);
        let expected = vec![
            (event(1, None), Some(7)),
            (event(2, None), Some(5)),
            (event(2, None), None),
            (event(2, None), Some(6)),
        ];
        assert_eq!(replayed(log, LineColumn::START), expected);
    }

    #[test]
    fn further_errors_are_kept_until_twice_the_number_that_fills_it() {
        let mut log = EventLog::new(Wanted::default());
        for count in 1..=MAX_ENTRIES {
            log.error(&event(1, None));
            assert_eq!(log.is_full(), count >= 1024, "{count}");
            assert!(!log.has_overflowed(), "{count}");
        }
        log.error(&event(1, None));
        assert!(log.has_overflowed());
        assert_eq!(replayed(log, LineColumn::START).len(), 2048);
    }

    #[test]
    fn it_wants_what_the_reporter_wants() {
        struct Wanting(bool, bool, bool);
        impl ErrorReporter for Wanting {
            fn wants_position(&self) -> bool {
                self.0
            }
            fn counts_only(&self) -> bool {
                self.1
            }
            fn counts_conversions_only(&self) -> bool {
                self.2
            }
            fn error(&mut self, _: &ErrorEvent) {}
        }
        for wanting in
            [Wanting(true, false, false), Wanting(false, true, false), Wanting(false, false, true)]
        {
            let log = EventLog::new(Wanted::by(&wanting));
            assert_eq!(log.wants_position(), wanting.0);
            assert_eq!(log.counts_only(), wanting.1);
            assert_eq!(log.counts_conversions_only(), wanting.2);
        }
    }
}
