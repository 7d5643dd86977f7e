//! The error flow: what replaces an error, and when it is reported.
//!
//! A stage works ahead of later stages with lookahead. So a decoder finds a malformed sequence before the
//! encoder finds an unmappable character that precedes it. Errors are therefore reported after the later
//! stages have read all bytes before them. Errors that are only counted have no order.

use super::ErrorReporter;
use super::bulk_errors::{BulkMode, BulkSupport};
use super::chain::Chain;
use super::locator::Locator;
use super::pending_errors::PendingErrors;
use super::position::{LineColumn, rebase};
use crate::error_policy::{ReplacementTexts, Replacer};
use crate::header;
use crate::options::TranscodeOptions;
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorEvent, ErrorKind, Excerpt, Malformed, StageLabel,
};
use charpipe_encoding::error::ConversionError;

/// The error policy of a conversion, the errors that have not been reported yet, and the stages that handle
/// errors in bulk.
pub(super) struct ErrorFlow {
    pub replacer: Replacer,
    /// Errors that are reported after the errors in the text before them.
    pending: PendingErrors,
    /// The stages that may handle errors in bulk.
    bulk_support: BulkSupport,
    pub encoding_names: (&'static str, &'static str),
    /// Whether the source encoding is RFC 2047.
    reads_headers: bool,
    /// Whether an error has stopped the conversion and only buffered output is being written.
    pub stopping: bool,
}

impl ErrorFlow {
    pub fn new(options: &TranscodeOptions, replacements: ReplacementTexts) -> ErrorFlow {
        ErrorFlow {
            replacer: Replacer::new(options.error_policy.clone(), replacements),
            pending: PendingErrors::default(),
            bulk_support: BulkSupport::from_options(options),
            encoding_names: (options.from.encoding.name(), options.to.encoding.name()),
            reads_headers: header::is_header(options.from.encoding),
            stopping: false,
        }
    }

    /// Forgets all errors before the position where the conversion continues.
    pub fn resume(&mut self) {
        self.pending = PendingErrors::default();
        self.replacer.cache = None;
        self.stopping = false;
    }

    /// Makes the decoder return each error if the error policy writes line feeds, which are not those of the
    /// input.
    pub fn keep_lines(&mut self) {
        if self.replacer.policy.malformed.repertoire().contains('\n') {
            self.bulk_support.disable_for_source();
        }
    }

    /// Returns which errors of stage `at` are only counted, up to the end of the file.
    pub fn bulk_mode(&self, chain: &Chain, at: usize, reporter: &dyn ErrorReporter) -> BulkMode {
        let is_source = at <= chain.text_stage;
        if !self.bulk_support.allows(is_source) || chain.awaits_bom() {
            BulkMode::Disabled
        } else if reporter.counts_only() {
            BulkMode::AllErrors
        } else if !is_source && at + 1 == chain.stages.len() && reporter.counts_conversions_only() {
            // A later stage may find an error, whose position is found by repeating this call.
            BulkMode::ConversionsOnly
        } else {
            BulkMode::Disabled
        }
    }

    /// Determines the replacement for a malformed sequence of stage `at`. Returns the action taken.
    pub fn prepare_replacement(
        &mut self,
        chain: &Chain,
        at: usize,
        error: Malformed,
    ) -> ActionTaken {
        let unread = chain.stages[at].input.unread_bytes();
        self.replacer.replace_malformed(&unread[..error.len.min(unread.len())], error.reason)
    }

    /// Returns the event of an error at the start of the input of stage `at`, with its position if the
    /// reporter or the order of errors needs that.
    pub fn event(
        &self,
        (chain, locator): (&mut Chain, &mut Locator),
        at: usize,
        (kind, action_taken): (ErrorKind, ActionTaken),
        reporter: &dyn ErrorReporter,
    ) -> ErrorEvent {
        let stage = chain.stages[at].label;
        let mut error = ErrorEvent::new(kind, action_taken, None, Excerpt::default(), stage);
        let stopped = action_taken == ActionTaken::Stopped;
        // There may be millions of errors, of which only the first are shown.
        let counted = !action_taken.is_error() && reporter.counts_conversions_only();
        let is_queued = !self.pending.is_empty() && !reporter.counts_only();
        if stopped || is_queued || !counted && reporter.wants_position() {
            let index = chain.stages[at].input.position();
            error.excerpt = self.excerpt(chain, at, kind);
            error.position = Some(locator.position_of(chain, at, index));
        }
        error
    }

    /// Returns the bytes that a message about an error of stage `at` shows.
    fn excerpt(&self, chain: &Chain, at: usize, kind: ErrorKind) -> Excerpt {
        let ErrorKind::Malformed { len, reason } = kind else { return Excerpt::default() };
        let unread = chain.stages[at].input.unread_bytes();
        let is_ascii = match chain.stages[at].label {
            StageLabel::Main => self.reads_headers,
            StageLabel::Encoding(_) => false,
            StageLabel::Transform(_) => true,
        };
        Excerpt::of_malformed(unread, len, reason, is_ascii)
    }

    /// Returns an error that stops the conversion, as the error of the call.
    pub fn conversion_error(&self, event: ErrorEvent) -> ConversionError {
        let (from, to) = self.encoding_names;
        ConversionError::new(event, from, to)
    }

    /// Reports an error of stage `at`, or queues it if later stages have not read all bytes before it.
    pub fn report_in_order(
        &mut self,
        chain: &Chain,
        at: usize,
        event: ErrorEvent,
        reporter: &mut dyn ErrorReporter,
    ) {
        let Some(offset) = event.position.map(|position| position.offset) else {
            return reporter.error(&event);
        };
        // The other stages may still find errors in the bytes that they have left unread. Earlier stages have
        // none before this error, unless it is in a replacement.
        let unread = chain.first_unread_offset(Some(at));
        if self.pending.is_empty() && unread.is_none() {
            return reporter.error(&event);
        }
        self.pending.insert(offset, at, event);
        let limit = unread.unwrap_or(u64::MAX);
        self.pending.report_while(|next| next <= offset && next < limit, reporter);
        self.pending.limit(reporter);
    }

    /// Reports an error that stops the conversion, and the queued errors before it.
    pub fn report_last(&mut self, at: usize, event: ErrorEvent, reporter: &mut dyn ErrorReporter) {
        let offset = event.position.map_or(u64::MAX, |position| position.offset);
        self.pending.report_before(offset, at, reporter);
        reporter.error(&event);
    }

    /// Reports the queued errors before which all bytes have been read, when no stage is running.
    pub fn report_encoded(&mut self, chain: &Chain, reporter: &mut dyn ErrorReporter) {
        if self.pending.is_empty() {
            return;
        }
        let limit = chain.first_unread_offset(None).unwrap_or(u64::MAX);
        self.pending.report_while(|offset| offset < limit, reporter);
    }

    /// Reports all queued errors, when all text has been encoded.
    pub fn report_pending(&mut self, reporter: &mut dyn ErrorReporter) {
        self.pending.report_while(|_| true, reporter);
    }

    /// Returns whether no error is queued.
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Moves the lines and columns of the queued errors of a conversion that began at the first line, to
    /// `start`.
    pub fn rebase_lines(&mut self, start: LineColumn) {
        let positions = self.pending.iter_mut().filter_map(|error| error.position.as_mut());
        positions.for_each(|position| rebase(position, start));
    }
}
