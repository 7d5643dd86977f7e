//! Bulk error handling: errors of which only the number matters.
//!
//! The first errors of a file are reported one by one, each with its position. Of a million more only
//! the number matters. The stages then write the replacements themselves, no lines are counted, and
//! the reporter receives the number of errors of the same class with the same action.

use super::ErrorReporter;
use crate::chain_spec::ChainStep;
use crate::error_policy::{ErrorAction, ErrorPolicy, EscapeStyle, Replacer};
use crate::header;
use crate::options::{EncodingSpec, TranscodeOptions};
use crate::transform_spec::TransformSpec;
use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorClass, ErrorEvent, ErrorKind, Excerpt, MalformedReason, StageLabel,
    Unmappable,
};
use charpipe_encoding::encoding;
use charpipe_encoding::error_handler::{ErrorHandler, ReplacementCache};
use charpipe_transform::{Direction, TransformCodecs};

/// The minimum length of the output of a stage that handles errors in bulk, if there is that much space. With
/// less of it a decoder cannot replace a block of errors.
pub(super) const MIN_OUTPUT: usize = 256;

/// The stages that may handle errors in bulk.
#[derive(Debug, Clone, Copy)]
pub(super) struct BulkSupport {
    source: bool,
    target: bool,
}

impl BulkSupport {
    /// Returns the stages that may handle errors in bulk with these options. An error that stops the
    /// conversion needs a position, which cannot be found after a decoder that handles errors in bulk.
    pub fn from_options(options: &TranscodeOptions) -> BulkSupport {
        let ErrorPolicy { malformed, unmappable } = &options.error_policy;
        let is_simple = options.is_simple();
        let allowed = options.fast_paths && (is_simple || is_plain_chain(options));
        let target = allowed && *unmappable != ErrorAction::Stop;
        // Whether the target encoding has every character of the source encoding.
        let target_is_total =
            encoding::is_utf8(options.to.encoding) && options.from.ucs4_codecs().is_none();
        // A replacement of bytes must not be unmappable itself: it would be counted again.
        let source = allowed
            && *malformed != ErrorAction::Stop
            && (target || target_is_total)
            && (*malformed == ErrorAction::Skip || !has_fallible_transform(options))
            && (!header::is_header(options.to.encoding) || malformed.repertoire().is_ascii());
        BulkSupport { source, target }
    }

    /// Returns whether the decoder or the encoder may handle errors in bulk.
    pub fn allows(self, is_source: bool) -> bool {
        if is_source { self.source } else { self.target }
    }

    /// Makes the decoder return each error.
    pub fn disable_for_source(&mut self) {
        self.source = false;
    }
}

/// Forms of lines, whose encoders report a line that has none. No other encoder reports errors.
const LINE_FORMS: [&str; 2] = ["idna", "punycode"];

/// Returns whether a transform of text may report errors: a replacement could be one of them, which would be
/// counted again.
fn has_fallible_transform(options: &TranscodeOptions) -> bool {
    let is_fallible = |spec: &TransformSpec, direction| match spec.transform.codecs {
        TransformCodecs::Bytes { .. } => false,
        TransformCodecs::Text { decoder, .. } => match direction {
            Direction::Decode => decoder.is_some(),
            Direction::Encode => LINE_FORMS.contains(&spec.transform.name),
        },
    };
    let has_fallible = |spec: &EncodingSpec, direction| {
        spec.transforms.iter().any(|transform| is_fallible(transform, direction))
    };
    has_fallible(&options.from, Direction::Decode)
        || has_fallible(&options.to, Direction::Encode)
        || options.via.iter().any(|step| {
            matches!(step, ChainStep::Transform(spec, direction) if is_fallible(spec, *direction))
        })
}

/// Returns whether the only encoder and decoder are those of the conversion, so that the other stages are
/// transforms. A replacement that another encoder does not have would be counted again.
fn is_plain_chain(options: &TranscodeOptions) -> bool {
    let TranscodeOptions { from, to, via, .. } = options;
    let is_plain = |spec: &EncodingSpec| {
        let after_bytes = spec.transforms.iter().skip_while(|spec| !spec.is_for_bytes());
        // A transform of text after one of bytes has codecs around it.
        !header::is_header(spec.encoding)
            && after_bytes.into_iter().all(TransformSpec::is_for_bytes)
    };
    via.iter().all(|step| matches!(step, ChainStep::Transform(..)))
        && is_plain(from)
        && is_plain(to)
}

/// The errors that a stage handles itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BulkMode {
    /// None: each error is reported separately.
    Disabled,
    /// Characters that are transliterated or escaped, which do not count as errors.
    ConversionsOnly,
    /// All errors that the error policy replaces or skips.
    AllErrors,
}

/// Handles errors according to the error policy, and counts those of the same class with the same action.
pub(super) struct BulkErrorHandler<'a> {
    replacer: &'a mut Replacer,
    reporter: &'a mut dyn ErrorReporter,
    mode: BulkMode,
    /// Whether the last replacement is the same for all errors of its class.
    is_constant: bool,
    /// The last kind of malformed sequences that count as unmappable.
    unmappable_sequence: Option<ErrorKind>,
}

impl<'a> BulkErrorHandler<'a> {
    /// Returns a handler, or `None` if the stage must return each error.
    pub fn new(
        mode: BulkMode,
        replacer: &'a mut Replacer,
        reporter: &'a mut dyn ErrorReporter,
    ) -> Option<BulkErrorHandler<'a>> {
        let handler = BulkErrorHandler {
            replacer,
            reporter,
            mode,
            is_constant: false,
            unmappable_sequence: None,
        };
        (mode != BulkMode::Disabled).then_some(handler)
    }

    /// Records an error. Returns the action if the replacement may be written without reporting it.
    fn record(&mut self, kind: ErrorKind, action_taken: ActionTaken) -> Option<ActionTaken> {
        if action_taken.is_error() && self.mode == BulkMode::ConversionsOnly
            || action_taken == ActionTaken::Stopped
        {
            return None;
        }
        match (kind, kind.class()) {
            (ErrorKind::Malformed { .. }, ErrorClass::Unmappable) => {
                self.unmappable_sequence = Some(kind);
            }
            (_, class) => self.replacer.last_kinds[class as usize] = Some(kind),
        }
        Some(action_taken)
    }
}

/// Returns the handler as the argument of a codec's call.
pub(super) fn as_handler<'a>(
    handler: &'a mut Option<BulkErrorHandler<'_>>,
) -> Option<&'a mut dyn ErrorHandler> {
    handler.as_mut().map(|handler| handler as &mut dyn ErrorHandler)
}

impl ErrorHandler for BulkErrorHandler<'_> {
    fn on_malformed(&mut self, bytes: &[u8], reason: MalformedReason) -> Option<ActionTaken> {
        let action = self.replacer.policy.action_for_malformed(reason);
        if action.is_for_bytes_only() {
            // Bytes that are passed through bypass the encoder, or may be unmappable as text.
            return None;
        }
        self.is_constant = match action {
            // Bytes become U+FFFD, code points do not.
            ErrorAction::Escape(EscapeStyle::Xml | EscapeStyle::XmlHex) => {
                reason.class() != ErrorClass::Unmappable
            }
            ErrorAction::Escape(_) | ErrorAction::Format(_) => false,
            _ => true,
        };
        let kind = ErrorKind::Malformed { len: bytes.len(), reason };
        let action_taken = self.replacer.replace_malformed(bytes, reason);
        self.record(kind, action_taken)
    }

    fn on_unmappable(&mut self, error: Unmappable) -> Option<ActionTaken> {
        let action = &self.replacer.policy.unmappable;
        self.is_constant = !matches!(
            action,
            ErrorAction::Escape(_) | ErrorAction::Format(_) | ErrorAction::Transliterate
        );
        let action_taken = self.replacer.replace_unmappable(error);
        self.record(ErrorKind::from_unmappable(error), action_taken)
    }

    fn replacement(&self) -> &str {
        &self.replacer.replacement
    }

    fn default_replacement(&self) -> &str {
        self.replacer.texts.default_replacement
    }

    fn is_constant(&self) -> bool {
        self.is_constant
    }

    fn add_count(&mut self, class: ErrorClass, action_taken: ActionTaken, count: usize) {
        let sequence = self.unmappable_sequence.filter(|kind| kind.class() == class);
        if let Some(kind) = sequence.or(self.replacer.last_kinds[class as usize]) {
            let excerpt = Excerpt::default();
            let error = ErrorEvent::new(kind, action_taken, None, excerpt, StageLabel::Main);
            self.reporter.repeated_error(&error, count as u64);
        }
    }

    fn cache(&mut self) -> &mut Option<Box<ReplacementCache>> {
        &mut self.replacer.cache
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_policy::ReplacementTexts;
    use crate::io::ErrorCounts;

    /// Returns what a handler in this mode does with U+00E9 and the byte FF, and the last replacement.
    fn handle(mode: BulkMode, action: &ErrorAction) -> ([Option<ActionTaken>; 2], String) {
        let policy = ErrorPolicy { malformed: action.clone(), unmappable: action.clone() };
        let texts = ReplacementTexts {
            default_replacement: "?",
            transliterator: None,
            untransliterable: None,
        };
        let (mut replacer, mut counts) = (Replacer::new(policy, texts), ErrorCounts::default());
        let mut handler = BulkErrorHandler::new(mode, &mut replacer, &mut counts).unwrap();
        let malformed = handler.on_malformed(b"\xFF", MalformedReason::InvalidLeadByte);
        let unmappable = handler.on_unmappable(Unmappable::new('\u{E9}'));
        ([unmappable, malformed], handler.replacement().to_owned())
    }

    #[test]
    fn errors_are_handled_as_their_mode_allows() {
        let replaced = Some(ActionTaken::Replaced);
        let cases = [
            (ErrorAction::Replace(None), [replaced; 2], "?", [None; 2]),
            (ErrorAction::Skip, [Some(ActionTaken::Skipped); 2], "", [None; 2]),
            (ErrorAction::Stop, [None; 2], "", [None; 2]),
            (
                ErrorAction::Escape(EscapeStyle::Xml),
                [Some(ActionTaken::Escaped), replaced],
                "&#233;",
                [Some(ActionTaken::Escaped), None],
            ),
        ];
        for (action, all, replacement, conversions) in cases {
            let handled = handle(BulkMode::AllErrors, &action);
            assert_eq!(handled, (all, replacement.to_owned()), "{action:?}");
            assert_eq!(handle(BulkMode::ConversionsOnly, &action).0, conversions, "{action:?}");
        }
    }
}
