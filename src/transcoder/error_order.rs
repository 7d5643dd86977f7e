//! Errors in the order of their positions in the input.
//!
//! A decoder works ahead of an encoder with lookahead, so it meets a malformed sequence before the
//! encoder meets an unmappable character that precedes it. Errors of bytes therefore wait until all
//! text before them has been encoded. Errors that are only counted have no order.

use std::collections::VecDeque;

use super::{RunContext, Transcoder};
use crate::conversion_error::ErrorEvent;

/// The most errors that wait. An encoder's lookahead holds fewer characters, so only malformed bytes
/// that leave no text at all can be more; then the first of them are reported early.
const MAX_PENDING: usize = 32 * 1024;

/// Errors of bytes, all with positions, that wait for the text before them.
#[derive(Debug, Default)]
pub(super) struct PendingErrors(VecDeque<ErrorEvent>);

impl PendingErrors {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports the errors for which this holds of their offset, up to the first of which it does not.
    fn report_while(&mut self, is_next: impl Fn(u64) -> bool, context: &mut RunContext<'_>) {
        let offset = |error: &ErrorEvent| error.position.map_or(0, |position| position.offset);
        while let Some(error) = self.0.pop_front_if(|error| is_next(offset(error))) {
            context.reporter.error(&error);
        }
    }
}

impl Transcoder {
    /// Reports an error of link `at`, now or when it is its turn.
    pub(super) fn report_in_order(
        &mut self,
        at: usize,
        error: ErrorEvent,
        context: &mut RunContext<'_>,
    ) {
        let Some(position) = error.position else { return context.reporter.error(&error) };
        if at > self.chain.text_stage {
            // Of two at one offset that of the decoder comes first: it has no character to encode.
            self.pending_errors.report_while(|offset| offset <= position.offset, context);
            return context.reporter.error(&error);
        }
        self.report_encoded(context);
        if self.first_unread_offset(at + 1).is_none() {
            return context.reporter.error(&error);
        }
        if self.pending_errors.0.len() == MAX_PENDING
            && let Some(first) = self.pending_errors.0.pop_front()
        {
            context.reporter.error(&first);
        }
        self.pending_errors.0.push_back(error);
    }

    /// Reports the errors before which all text has been encoded.
    pub(super) fn report_encoded(&mut self, context: &mut RunContext<'_>) {
        if self.pending_errors.is_empty() {
            return;
        }
        let limit = self.first_unread_offset(self.chain.text_stage + 1).unwrap_or(u64::MAX);
        self.pending_errors.report_while(|offset| offset < limit, context);
    }

    /// Reports all errors that wait, because nothing before them is left to be encoded.
    pub(super) fn report_pending(&mut self, context: &mut RunContext<'_>) {
        self.pending_errors.report_while(|_| true, context);
    }

    /// The offset of the first text that a link from `at` on has not read yet.
    fn first_unread_offset(&self, at: usize) -> Option<u64> {
        let links = self.chain.stages.iter().skip(at);
        links
            .filter_map(|link| link.carried_bytes.first())
            .map(|carried| carried.position.offset)
            .min()
    }
}
