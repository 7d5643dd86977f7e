//! Errors that come in crowds, of which only the number is wanted.
//!
//! The first errors of a file are told one by one, each with its position. Of a million more a reader
//! only wants to know that there were a million. From there on the stages mend them by themselves,
//! no lines are counted, and the report is told of whole rows of errors that are alike.

use super::{ErrorReporter, RunContext, Transcoder};
use crate::bom::AT_LATER_FILE;
use crate::codec::State;
use crate::conversion_error::{
    ActionTaken, ErrorEvent, ErrorKind, Excerpt, MalformedReason, Unmappable,
};
use crate::encoding;
use crate::error_handler::ErrorHandler;
use crate::error_policy::{ErrorAction, ErrorPolicy, ReplacementTexts, Unconvertible};
use crate::options::TranscodeOptions;
use crate::rfc2047;

/// Which stages may mend what they find under a options.
#[derive(Debug, Clone, Copy)]
pub(super) struct BulkSupport {
    source: bool,
    target: bool,
}

impl BulkSupport {
    /// An error that ends the run has to be placed, which it cannot be after a source that mends.
    pub fn from_options(options: &TranscodeOptions) -> BulkSupport {
        let ErrorPolicy { malformed: invalid, unmappable } = &options.error_policy;
        let target = options.fast_paths && *unmappable != ErrorAction::Stop;
        // What replaces bytes must not be unmappable itself: it would be counted once more.
        let source = options.fast_paths
            && *invalid != ErrorAction::Stop
            && (target || target_is_total(options))
            && (!rfc2047::is_header(options.to.encoding) || invalid.repertoire().is_ascii());
        BulkSupport { source, target }
    }
}

/// Whether every character of the source has a code in the target.
fn target_is_total(options: &TranscodeOptions) -> bool {
    let ucs4 = options.from.encoding.ucs4.as_ref();
    encoding::is_utf8(options.to.encoding)
        && !ucs4.is_some_and(|wide| (wide.is_enabled)(&options.from.options))
}

/// What a stage may answer by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BulkMode {
    /// Nothing: each error is reported by itself.
    Disabled,
    /// Characters that are written as a transliteration or an escape, which are not errors.
    ConversionsOnly,
    /// All that the policy has an answer to.
    AllErrors,
}

impl Transcoder {
    /// What of link `at` is only counted from here on, up to the end of the file.
    pub(super) fn bulk_mode(&self, at: usize, context: &RunContext<'_>) -> BulkMode {
        let BulkSupport { source, target } = self.bulk_support;
        let is_source = at <= self.chain.text_stage;
        let allowed = if is_source { source } else { target };
        if !allowed || self.awaits_bom() {
            BulkMode::Disabled
        } else if context.reporter.counts_only() {
            BulkMode::AllErrors
        } else if !is_source && context.reporter.counts_conversions_only() {
            BulkMode::ConversionsOnly
        } else {
            BulkMode::Disabled
        }
    }

    /// Whether a filter would drop a mark if it came next. A malformed sequence may come first
    /// instead, which only the ordinary path reports to the filter.
    fn awaits_bom(&self) -> bool {
        let state = |at: usize| self.chain.stages[at].stage.save_state();
        self.chain.strip_stage.is_some_and(|strip| state(strip) == State::INITIAL)
            || self.chain.bom_insertion.is_some_and(|add| state(add.stage) == AT_LATER_FILE)
    }
}

/// Answers errors by a policy, and counts those that are alike.
pub(super) struct BulkErrorHandler<'a> {
    error_policy: &'a ErrorPolicy,
    replacements: &'a mut ReplacementTexts,
    replacement: &'a mut String,
    reporter: &'a mut dyn ErrorReporter,
    mode: BulkMode,
    /// The error that was asked about last.
    last_error: Option<ErrorEvent>,
    /// Whether its answer is that to all of its kind.
    is_constant: bool,
}

impl<'a> BulkErrorHandler<'a> {
    /// What a stage may answer by itself, if there is anything.
    pub fn new(
        bulk: BulkMode,
        policy: &'a ErrorPolicy,
        replacements: &'a mut ReplacementTexts,
        replacement: &'a mut String,
        reporter: &'a mut dyn ErrorReporter,
    ) -> Option<BulkErrorHandler<'a>> {
        let handler = BulkErrorHandler {
            error_policy: policy,
            replacements,
            replacement,
            reporter,
            mode: bulk,
            last_error: None,
            is_constant: false,
        };
        (bulk != BulkMode::Disabled).then_some(handler)
    }

    /// Finds the replacement; says whether it may be written without a report.
    fn resolve(
        &mut self,
        kind: ErrorKind,
        action: &ErrorAction,
        unconvertible: Unconvertible<'_>,
    ) -> bool {
        self.replacement.clear();
        let action_taken =
            action.write_replacement(unconvertible, self.replacements, self.replacement);
        if action_taken.is_error() && self.mode == BulkMode::ConversionsOnly
            || action_taken == ActionTaken::Stopped
        {
            return false;
        }
        self.last_error = Some(ErrorEvent {
            kind: kind,
            action_taken: action_taken,
            position: None,
            excerpt: Excerpt::default(),
        });
        true
    }
}

/// What a stage is given to mend with.
pub(super) fn as_handler<'a>(
    handler: &'a mut Option<BulkErrorHandler<'_>>,
) -> Option<&'a mut dyn ErrorHandler> {
    handler.as_mut().map(|crowd| crowd as &mut dyn ErrorHandler)
}

impl ErrorHandler for BulkErrorHandler<'_> {
    fn on_malformed(&mut self, bytes: &[u8], reason: MalformedReason) -> bool {
        let action = self.error_policy.action_for_malformed(reason);
        if action.is_for_bytes_only() || *action == ErrorAction::Stop {
            // What is kept goes past the encoder, or may be lacking in the target.
            return false;
        }
        // What looks like a character does not look like bytes.
        self.is_constant = !matches!(action, ErrorAction::Escape(_));
        let kind = ErrorKind::Malformed { len: bytes.len(), reason };
        self.resolve(kind, action, Unconvertible::from_malformed(bytes, reason))
    }

    fn on_unmappable(&mut self, error: Unmappable) -> bool {
        let action = &self.error_policy.unmappable;
        self.is_constant = !matches!(action, ErrorAction::Escape(_) | ErrorAction::Transliterate);
        self.resolve(
            ErrorKind::from_unmappable(error),
            action,
            Unconvertible::from_unmappable(error),
        )
    }

    fn replacement(&self) -> &str {
        self.replacement
    }

    fn default_replacement(&self) -> &str {
        self.replacements.default_replacement
    }

    fn is_constant(&self) -> bool {
        self.is_constant
    }

    fn add_count(&mut self, count: usize) {
        if let Some(error) = &self.last_error {
            self.reporter.repeated_error(error, count as u64);
        }
    }
}
