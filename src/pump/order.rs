//! Errors in the order of their positions in the input.
//!
//! A decoder works ahead of an encoder with lookahead, so it meets a malformed sequence before the
//! encoder meets an unmappable character that precedes it. Errors of bytes therefore wait until all
//! text before them has been encoded. Errors that are only counted have no order.

use std::collections::VecDeque;

use super::{Flow, Pump};
use crate::fault::Fault;

/// The most errors that wait. An encoder's lookahead holds fewer characters, so only malformed bytes
/// that leave no text at all can be more; then the first of them are reported early.
const MOST: usize = 32 * 1024;

/// Errors of bytes, all with positions, that wait for the text before them.
#[derive(Debug, Default)]
pub(super) struct Waiting(VecDeque<Fault>);

impl Waiting {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reports the errors for which this holds of their offset, up to the first of which it does not.
    fn report_while(&mut self, is_next: impl Fn(u64) -> bool, flow: &mut Flow<'_>) {
        let offset = |error: &Fault| error.place.map_or(0, |place| place.offset);
        while let Some(error) = self.0.pop_front_if(|error| is_next(offset(error))) {
            flow.report.fault(&error);
        }
    }
}

impl Pump {
    /// Reports an error of link `at`, now or when it is its turn.
    pub(super) fn report(&mut self, at: usize, error: Fault, flow: &mut Flow<'_>) {
        let Some(place) = error.place else { return flow.report.fault(&error) };
        if at > self.chain.text {
            // Of two at one offset that of the decoder comes first: it has no character to encode.
            self.waiting.report_while(|offset| offset <= place.offset, flow);
            return flow.report.fault(&error);
        }
        self.report_encoded(flow);
        if self.first_unread(at + 1).is_none() {
            return flow.report.fault(&error);
        }
        if self.waiting.0.len() == MOST
            && let Some(first) = self.waiting.0.pop_front()
        {
            flow.report.fault(&first);
        }
        self.waiting.0.push_back(error);
    }

    /// Reports the errors before which all text has been encoded.
    pub(super) fn report_encoded(&mut self, flow: &mut Flow<'_>) {
        if self.waiting.is_empty() {
            return;
        }
        let limit = self.first_unread(self.chain.text + 1).unwrap_or(u64::MAX);
        self.waiting.report_while(|offset| offset < limit, flow);
    }

    /// Reports all errors that wait, because nothing before them is left to be encoded.
    pub(super) fn report_waiting(&mut self, flow: &mut Flow<'_>) {
        self.waiting.report_while(|_| true, flow);
    }

    /// The offset of the first text that a link from `at` on has not read yet.
    fn first_unread(&self, at: usize) -> Option<u64> {
        let links = self.chain.links.iter().skip(at);
        links.filter_map(|link| link.carried.first()).map(|carried| carried.place.offset).min()
    }
}
