//! The queue of errors that are reported after those that later stages may still find before them.

use std::collections::VecDeque;

use super::ErrorReporter;
use charpipe_encoding::conversion_error::ErrorEvent;

/// The maximum number of queued errors. An encoder's lookahead contains fewer characters, so only
/// malformed bytes that are skipped can exceed it; then the first of them are reported early.
const MAX_PENDING: usize = 32 * 1024;

/// A queue of errors, with positions, that are reported after the errors that later stages may still find
/// before them. They are in the order of their offsets, at the same offset in that of the stages, and so
/// is what is reported: it does not depend on how much input a call of a stage has.
#[derive(Debug, Default)]
pub(super) struct PendingErrors(VecDeque<PendingError>);

#[derive(Debug)]
struct PendingError {
    offset: u64,
    /// The stage that has found it.
    stage: usize,
    event: ErrorEvent,
}

impl PendingErrors {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the errors, to change their lines and columns.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut ErrorEvent> {
        self.0.iter_mut().map(|error| &mut error.event)
    }

    /// Adds an error of stage `at`. Few errors are found after those that follow them.
    pub fn insert(&mut self, offset: u64, at: usize, event: ErrorEvent) {
        let error = PendingError { offset, stage: at, event };
        let key = |error: &PendingError| (error.offset, error.stage);
        let after = self.0.iter().rposition(|earlier| key(earlier) <= key(&error));
        self.0.insert(after.map_or(0, |index| index + 1), error);
    }

    /// Reports the leading errors whose offsets satisfy `is_next`.
    pub fn report_while(
        &mut self,
        is_next: impl Fn(u64) -> bool,
        reporter: &mut dyn ErrorReporter,
    ) {
        let count = self.0.iter().take_while(|error| is_next(error.offset)).count();
        self.0.drain(..count).for_each(|error| reporter.error(&error.event));
    }

    /// Reports the first error if the queue is full.
    pub fn limit(&mut self, reporter: &mut dyn ErrorReporter) {
        if self.0.len() > MAX_PENDING {
            self.0.drain(..1).for_each(|first| reporter.error(&first.event));
        }
    }

    /// Reports the errors before an error of stage `at`, and drops the others.
    pub fn report_before(&mut self, offset: u64, at: usize, reporter: &mut dyn ErrorReporter) {
        let is_before = |error: &PendingError| (error.offset, error.stage) <= (offset, at);
        for error in self.0.drain(..).filter(is_before) {
            reporter.error(&error.event);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::conversion_error::{
        ActionTaken, ErrorKind, Excerpt, MalformedReason, StageLabel,
    };

    /// Collects the lengths of malformed sequences, by which the tests distinguish errors.
    #[derive(Default)]
    struct Lengths(Vec<usize>);

    impl ErrorReporter for Lengths {
        fn wants_position(&self) -> bool {
            true
        }

        fn error(&mut self, error: &ErrorEvent) {
            let ErrorKind::Malformed { len, .. } = error.kind else { unreachable!() };
            self.0.push(len);
        }
    }

    fn event(len: usize) -> ErrorEvent {
        let kind = ErrorKind::Malformed { len, reason: MalformedReason::Truncated };
        ErrorEvent::new(kind, ActionTaken::Skipped, None, Excerpt::default(), StageLabel::Main)
    }

    /// Errors with these offsets and stages, which are found in this order.
    fn queue(errors: &[(u64, usize)]) -> PendingErrors {
        let mut pending = PendingErrors::default();
        for (index, (offset, stage)) in errors.iter().enumerate() {
            pending.insert(*offset, *stage, event(index));
        }
        pending
    }

    #[test]
    fn errors_are_in_the_order_of_their_offsets_and_stages() {
        let mut pending = queue(&[(5, 1), (9, 0), (5, 0), (7, 2), (5, 1), (0, 3)]);
        let mut reporter = Lengths::default();
        pending.report_while(|offset| offset < 7, &mut reporter);
        assert_eq!(reporter.0, [5, 2, 0, 4]);
        assert!(!pending.is_empty());
        pending.report_while(|_| true, &mut reporter);
        assert_eq!(reporter.0, [5, 2, 0, 4, 3, 1]);
        assert!(pending.is_empty());
    }

    #[test]
    fn an_error_that_stops_drops_the_errors_after_it() {
        let mut pending = queue(&[(3, 1), (5, 0), (5, 1), (5, 2), (6, 0)]);
        let mut reporter = Lengths::default();
        pending.report_before(5, 1, &mut reporter);
        assert_eq!(reporter.0, [0, 1, 2]);
        assert!(pending.is_empty());
    }

    #[test]
    fn a_full_queue_reports_its_first_error() {
        let (mut pending, mut reporter) = (PendingErrors::default(), Lengths::default());
        for index in 0..MAX_PENDING + 2 {
            pending.insert(index as u64, 0, event(index));
            pending.limit(&mut reporter);
        }
        assert_eq!(reporter.0, [0, 1]);
    }
}
