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
