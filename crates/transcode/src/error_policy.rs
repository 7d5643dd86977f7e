//! The error policy: what to do on conversion errors.
//!
//! An error action replaces an error with *text*, which is encoded by the same encoder as all other
//! text. Shift states and line lengths therefore stay correct. The text must be encodable in the
//! target encoding: [`TranscodeOptions::build`](crate::options::TranscodeOptions::build) rejects
//! actions whose replacements are not.

use std::fmt;
use std::str::FromStr;

use charpipe_encoding::conversion_error::{
    ActionTaken, ErrorClass, ErrorKind, MalformedReason, Unmappable,
};
use charpipe_encoding::error_handler::ReplacementCache;

mod format_string;
mod translit;

pub use format_string::FormatString;
pub use translit::TransliterationTable;
pub use translit::{TargetTransliterator, TranslitRules};

/// The actions for the two classes of errors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErrorPolicy {
    /// The action for malformed and truncated sequences.
    pub malformed: ErrorAction,
    /// The action for unmappable characters.
    pub unmappable: ErrorAction,
}

impl ErrorPolicy {
    /// Returns the action for a malformed sequence with this reason.
    pub(crate) fn action_for_malformed(&self, reason: MalformedReason) -> &ErrorAction {
        match reason.class() {
            ErrorClass::Unmappable => &self.unmappable,
            ErrorClass::Malformed | ErrorClass::Truncated => &self.malformed,
        }
    }

    /// Returns whether an action may write text.
    pub(crate) fn writes_text(&self) -> bool {
        self.malformed.writes_text() || self.unmappable.writes_text()
    }
}

/// What to do on an error.
///
/// ```
/// use charpipe::{ErrorAction, TranscodeOptions};
///
/// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII);
/// for (name, text) in [("translit", "cafe"), ("skip", "caf"), ("xml", "caf&#233;")] {
///     let action: ErrorAction = name.parse()?;
///     let bytes = options.clone().on_unmappable(action).transcode("café".as_bytes())?;
///     assert_eq!(bytes, text.as_bytes());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ErrorAction {
    /// Stop the conversion.
    #[default]
    Stop,
    /// Write nothing.
    Skip,
    /// Write this text. Without one, write U+FFFD, or `?` if the target encoding does not have it.
    Replace(Option<String>),
    /// Write the bytes or the code point as an ASCII escape.
    #[doc(hidden)]
    Escape(EscapeStyle),
    /// Write a transliteration that can be encoded, as iconv's `//TRANSLIT` does. Replace characters
    /// that have none, and malformed bytes.
    Transliterate,
    /// Write the bytes unchanged, bypassing the encoder. Only for malformed bytes, and only if the
    /// target encoding is a stateless superset of ASCII.
    PassThrough,
    /// Write the valid UTF-8 among the bytes as text. Replace the other bytes, and characters.
    PassThroughText,
    /// Write each byte, or the code point, by this format.
    #[doc(hidden)]
    Format(FormatString),
}

/// Input that cannot be converted, as error actions receive it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unconvertible<'a> {
    /// A malformed sequence.
    Bytes(&'a [u8]),
    /// A malformed sequence that encodes a number which is not a character: a surrogate, or
    /// one above U+10FFFF.
    CodePoint(u32),
    /// An unmappable character.
    Character(char),
}

impl<'a> Unconvertible<'a> {
    /// Returns the character, or U+FFFD if an escape must not reproduce it.
    pub(crate) fn from_unmappable(error: Unmappable) -> Self {
        if error.is_escape_forbidden {
            Unconvertible::CodePoint(error.code_point())
        } else {
            Unconvertible::Character(error.character)
        }
    }

    pub(crate) fn from_malformed(bytes: &'a [u8], reason: MalformedReason) -> Self {
        match reason {
            MalformedReason::AboveUnicode(value) | MalformedReason::SurrogateCodePoint(value) => {
                Unconvertible::CodePoint(value)
            }
            _ => Unconvertible::Bytes(bytes),
        }
    }
}

impl ErrorAction {
    /// Write `\xE9` and `\u{20AC}`, as in Rust and Swift.
    pub const ESCAPE_BACKSLASH: ErrorAction = ErrorAction::Escape(EscapeStyle::Backslash);
    /// Write `\xE9`, `\u20AC` and `\U0001F600`, as in C99 and Python.
    pub const ESCAPE_C: ErrorAction = ErrorAction::Escape(EscapeStyle::C);
    /// Write `\xE9`, `\u20AC` and, in UTF-16 code units, `\uD83D\uDE00`, as in Java and JSON.
    pub const ESCAPE_JAVA: ErrorAction = ErrorAction::Escape(EscapeStyle::Java);
    /// Write `&#8364;`. Bytes cannot be represented and become `&#65533;`.
    pub const ESCAPE_XML: ErrorAction = ErrorAction::Escape(EscapeStyle::Xml);
    /// Write `&#x20AC;`. Bytes cannot be represented and become `&#xFFFD;`.
    pub const ESCAPE_XML_HEX: ErrorAction = ErrorAction::Escape(EscapeStyle::XmlHex);
    /// Write `<E9>` and `<U+20AC>`, as in POSIX charmaps.
    pub const ESCAPE_UNICODE: ErrorAction = ErrorAction::Escape(EscapeStyle::Unicode);
    /// Write `%E9`, and the percent-encoded UTF-8 of a character.
    pub const ESCAPE_PERCENT: ErrorAction = ErrorAction::Escape(EscapeStyle::Percent);

    /// The names of all actions with their descriptions, for help texts.
    pub const NAMES: &'static [(&'static str, &'static str)] = &[
        ("stop", "stop the conversion"),
        ("skip", "write nothing"),
        ("replace", "write U+FFFD, or ? if the output encoding does not have it"),
        ("replace=TEXT", "write TEXT"),
        ("translit", "write a transliteration if there is one (as //TRANSLIT), else replace"),
        ("keep", "write malformed bytes unchanged (not for characters)"),
        ("keep-text", "write malformed bytes that are UTF-8 as text, else replace"),
        ("backslash", r"write \xE9 for a byte, \u{20AC} for a character"),
        ("c", r"write \xE9, \u20AC, \U0001F600"),
        ("java", r"write \xE9, \u20AC, \uD83D\uDE00"),
        ("xml", "write &#8364;, and &#65533; for bytes"),
        ("xml-hex", "write &#x20AC;, and &#xFFFD; for bytes"),
        ("unicode", "write <E9> for a byte, <U+20AC> for a character"),
        ("percent", "write %E9, and the percent-encoded UTF-8 of a character"),
    ];

    /// Writes the replacement for unconvertible input into `text`, if there is one. Returns the
    /// action taken.
    #[inline]
    pub(crate) fn write_replacement(
        &self,
        unconvertible: Unconvertible<'_>,
        replacements: &mut ReplacementTexts,
        text: &mut String,
    ) -> ActionTaken {
        let is_character = matches!(unconvertible, Unconvertible::Character(_));
        match self {
            ErrorAction::Stop => return ActionTaken::Stopped,
            ErrorAction::Skip => {}
            ErrorAction::Replace(Some(custom)) => text.push_str(custom),
            ErrorAction::Replace(None) => text.push_str(replacements.default_replacement),
            ErrorAction::Escape(escape) => {
                escape.write(unconvertible, text);
                if is_character {
                    return ActionTaken::Escaped;
                }
            }
            ErrorAction::Transliterate => {
                if let Some(equivalent) = replacements.transliterate(unconvertible) {
                    // That of a combining mark is empty, as that of `é` is `e`.
                    text.push_str(equivalent);
                    return ActionTaken::Transliterated;
                }
                if let Some(action) = replacements.untransliterable.take() {
                    let action_taken = action.write_replacement(unconvertible, replacements, text);
                    replacements.untransliterable = Some(action);
                    return action_taken;
                }
                text.push_str(replacements.default_replacement);
            }
            ErrorAction::Format(format) => match unconvertible {
                // An empty text is a replacement too.
                Unconvertible::Bytes(bytes) => {
                    bytes.iter().for_each(|byte| format.write((*byte).into(), text));
                    return ActionTaken::Replaced;
                }
                Unconvertible::CodePoint(value) => {
                    format.write(value, text);
                    return ActionTaken::Replaced;
                }
                Unconvertible::Character(character) => {
                    format.write(character.into(), text);
                    return ActionTaken::Escaped;
                }
            },
            // The bytes, if any, bypass the encoder.
            ErrorAction::PassThrough if matches!(unconvertible, Unconvertible::Bytes([])) => {}
            ErrorAction::PassThrough => return ActionTaken::PassedThrough,
            ErrorAction::PassThroughText => {
                if let Unconvertible::Bytes(bytes) = unconvertible {
                    return push_valid_utf8(bytes, replacements.default_replacement, text);
                }
                text.push_str(replacements.default_replacement);
            }
        }
        if text.is_empty() { ActionTaken::Skipped } else { ActionTaken::Replaced }
    }

    /// Returns whether the action applies only to malformed bytes.
    pub fn is_for_bytes_only(&self) -> bool {
        matches!(self, ErrorAction::PassThrough | ErrorAction::PassThroughText)
    }

    /// Returns whether the action may write text.
    fn writes_text(&self) -> bool {
        !matches!(self, ErrorAction::Stop | ErrorAction::Skip)
    }

    /// Returns all characters that this action may write, to check that they can be encoded.
    pub(crate) fn repertoire(&self) -> &str {
        match self {
            ErrorAction::Replace(Some(text)) => text,
            ErrorAction::Escape(escape) => escape.repertoire(),
            ErrorAction::Format(format) => format.repertoire(),
            // The default replacement and transliterations are checked separately.
            ErrorAction::Stop | ErrorAction::Skip | ErrorAction::Replace(None) => "",
            ErrorAction::Transliterate
            | ErrorAction::PassThrough
            | ErrorAction::PassThroughText => "",
        }
    }

    /// Returns the maximum length of the replacement for one character, in bytes of UTF-8.
    pub(crate) fn max_replacement_len(&self) -> usize {
        match self {
            ErrorAction::Replace(Some(text)) => text.len(),
            // One without a transliteration may be formatted.
            ErrorAction::Transliterate => TargetTransliterator::MAX_LEN.max(FormatString::MAX_LEN),
            ErrorAction::Format(format) => format.max_len(),
            _ => 16,
        }
    }
}

/// The initial length of a replacement, so that most need no allocation while a conversion runs.
const REPLACEMENT_CAPACITY: usize = 256;

/// Determines replacements according to an error policy.
#[allow(missing_debug_implementations, reason = "it contains an encoder")]
pub struct Replacer {
    /// The actions.
    pub policy: ErrorPolicy,
    pub(crate) texts: ReplacementTexts,
    /// The last replacement.
    pub replacement: String,
    /// Recent replacements, for codecs that handle errors in bulk.
    pub(crate) cache: Option<Box<ReplacementCache>>,
    /// The last kind of errors of each class that were handled in bulk.
    pub(crate) last_kinds: [Option<ErrorKind>; 3],
}

impl Replacer {
    pub(crate) fn new(policy: ErrorPolicy, texts: ReplacementTexts) -> Replacer {
        // Without memory until it is needed, since a conversion is often opened for each string.
        let capacity = if policy.writes_text() { REPLACEMENT_CAPACITY } else { 0 };
        let replacement = String::with_capacity(capacity);
        Replacer { policy, texts, replacement, cache: None, last_kinds: [None; 3] }
    }

    /// Determines the replacement for a malformed sequence. Returns the action taken.
    pub fn replace_malformed(&mut self, bytes: &[u8], reason: MalformedReason) -> ActionTaken {
        self.replacement.clear();
        let action = self.policy.action_for_malformed(reason);
        let unconvertible = match (action, reason.class()) {
            // A format for bytes, not for code points.
            (ErrorAction::Format(_), ErrorClass::Malformed) => Unconvertible::Bytes(bytes),
            _ => Unconvertible::from_malformed(bytes, reason),
        };
        action.write_replacement(unconvertible, &mut self.texts, &mut self.replacement)
    }

    /// Determines the replacement for an unmappable character. Returns the action taken.
    pub fn replace_unmappable(&mut self, error: Unmappable) -> ActionTaken {
        self.replacement.clear();
        let unconvertible = Unconvertible::from_unmappable(error);
        self.policy.unmappable.write_replacement(
            unconvertible,
            &mut self.texts,
            &mut self.replacement,
        )
    }
}

/// Replacement texts for one target encoding.
pub(crate) struct ReplacementTexts {
    /// The replacement of actions that do not specify one.
    pub default_replacement: &'static str,
    /// Finds transliterations, if an action requires them.
    pub transliterator: Option<TargetTransliterator>,
    /// The action for characters without a transliteration, instead of the default replacement.
    pub untransliterable: Option<ErrorAction>,
}

impl ReplacementTexts {
    fn transliterate(&mut self, unconvertible: Unconvertible<'_>) -> Option<&'static str> {
        match unconvertible {
            Unconvertible::Character(character) => {
                self.transliterator.as_mut()?.transliterate(character)
            }
            Unconvertible::CodePoint(_) | Unconvertible::Bytes(_) => None,
        }
    }
}

/// Appends the valid UTF-8 in `bytes` to `text`, and `default_replacement` for each other sequence.
fn push_valid_utf8(bytes: &[u8], default_replacement: &str, text: &mut String) -> ActionTaken {
    let mut action_taken =
        if bytes.is_empty() { ActionTaken::Skipped } else { ActionTaken::PassedThrough };
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push_str(default_replacement);
            action_taken = ActionTaken::Replaced;
        }
    }
    action_taken
}

/// The names of all actions except `replace=TEXT`.
const ACTIONS: [(&str, ErrorAction); 13] = [
    ("stop", ErrorAction::Stop),
    ("skip", ErrorAction::Skip),
    ("replace", ErrorAction::Replace(None)),
    ("translit", ErrorAction::Transliterate),
    ("keep", ErrorAction::PassThrough),
    ("keep-text", ErrorAction::PassThroughText),
    ("backslash", ErrorAction::Escape(EscapeStyle::Backslash)),
    ("c", ErrorAction::Escape(EscapeStyle::C)),
    ("java", ErrorAction::Escape(EscapeStyle::Java)),
    ("xml", ErrorAction::Escape(EscapeStyle::Xml)),
    ("xml-hex", ErrorAction::Escape(EscapeStyle::XmlHex)),
    ("unicode", ErrorAction::Escape(EscapeStyle::Unicode)),
    ("percent", ErrorAction::Escape(EscapeStyle::Percent)),
];

impl FromStr for ErrorAction {
    type Err = String;

    /// Returns the action with this [name](ErrorAction::NAMES). The error lists the names.
    fn from_str(name: &str) -> Result<ErrorAction, String> {
        if let Some(text) = name.strip_prefix("replace=") {
            return Ok(ErrorAction::Replace(Some(text.to_owned())));
        }
        let known = ACTIONS.into_iter().find(|(known, _)| *known == name);
        known.map(|(_, action)| action).ok_or_else(|| {
            let names: Vec<_> = ErrorAction::NAMES.iter().map(|(name, _)| *name).collect();
            format!("unknown error action {name:?} (expected one of: {})", names.join(", "))
        })
    }
}

impl fmt::Display for ErrorAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, ACTIONS.iter().find(|(_, action)| action == self)) {
            (ErrorAction::Replace(Some(text)), _) => write!(f, "replace={text}"),
            (ErrorAction::Format(format), _) => write!(f, "format={format}"),
            (_, name) => f.write_str(name.map_or("", |(name, _)| name)),
        }
    }
}

/// A syntax for bytes and code points in ASCII.
///
/// ```
/// use charpipe_transcode::{ErrorAction, EscapeStyle, TranscodeOptions};
///
/// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII)
///     .on_unmappable(ErrorAction::Escape(EscapeStyle::Java));
/// assert_eq!(options.transcode("😀".as_bytes())?, br"\uD83D\uDE00");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EscapeStyle {
    /// `\xE9` and `\u{20AC}`, as in Rust and Swift.
    Backslash,
    /// `\xE9`, `\u20AC` and `\U0001F600`, as in C99 and Python.
    C,
    /// `\xE9`, `\u20AC` and, in UTF-16 code units, `\uD83D\uDE00`, as in Java and JSON.
    Java,
    /// `&#8364;`. Bytes cannot be represented and become `&#65533;`.
    Xml,
    /// `&#x20AC;`. Bytes cannot be represented and become `&#xFFFD;`.
    XmlHex,
    /// `<E9>` and `<U+20AC>`, as in POSIX charmaps.
    Unicode,
    /// `%E9` and the percent-encoded UTF-8 of a character, as in URIs.
    Percent,
}

impl EscapeStyle {
    fn repertoire(self) -> &'static str {
        match self {
            EscapeStyle::Backslash => r"\xu{}0123456789ABCDEF",
            EscapeStyle::C => r"\xuU0123456789ABCDEF",
            EscapeStyle::Java => r"\xu0123456789ABCDEF",
            EscapeStyle::Xml => "&#;0123456789",
            EscapeStyle::XmlHex => "&#x;0123456789ABCDEF",
            EscapeStyle::Unicode => "<U+>0123456789ABCDEF",
            EscapeStyle::Percent => "%0123456789ABCDEF",
        }
    }

    fn write(self, unconvertible: Unconvertible<'_>, text: &mut String) {
        match unconvertible {
            Unconvertible::Bytes(bytes) => self.write_bytes(bytes, text),
            Unconvertible::CodePoint(value) => self.write_code_point(value, text),
            Unconvertible::Character(character) => self.write_code_point(character.into(), text),
        }
    }

    fn write_bytes(self, bytes: &[u8], text: &mut String) {
        let digit = |value: u8| char::from(b"0123456789ABCDEF"[usize::from(value & 0xF)]);
        match self {
            EscapeStyle::Xml => return text.push_str("&#65533;"),
            EscapeStyle::XmlHex => return text.push_str("&#xFFFD;"),
            _ => {}
        }
        for byte in bytes {
            let (high, low) = (digit(byte >> 4), digit(*byte));
            match self {
                EscapeStyle::Unicode => text.extend(['<', high, low, '>']),
                EscapeStyle::Percent => text.extend(['%', high, low]),
                _ => text.extend(['\\', 'x', high, low]),
            }
        }
    }

    fn write_code_point(self, value: u32, text: &mut String) {
        let mut around = |before: &str, min, after: &str| {
            text.push_str(before);
            push_digits::<16>(value, min, text);
            text.push_str(after);
        };
        match (self, char::from_u32(value)) {
            (EscapeStyle::Backslash, _) => around("\\u{", 1, "}"),
            (EscapeStyle::C, _) if value <= 0xFFFF => around("\\u", 4, ""),
            (EscapeStyle::Java, Some(character)) => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    text.push_str("\\u");
                    push_digits::<16>(u32::from(*unit), 4, text);
                }
            }
            (EscapeStyle::C | EscapeStyle::Java, _) => around("\\U", 8, ""),
            (EscapeStyle::Xml, _) => {
                text.push_str("&#");
                push_digits::<10>(value, 1, text);
                text.push(';');
            }
            (EscapeStyle::XmlHex, _) => around("&#x", 1, ";"),
            (EscapeStyle::Percent, Some(character)) => {
                self.write_bytes(character.encode_utf8(&mut [0; 4]).as_bytes(), text);
            }
            (EscapeStyle::Unicode | EscapeStyle::Percent, _) => around("<U+", 4, ">"),
        }
    }
}

/// Appends `value` in at least `min_digits` digits. `write!` is slow if every byte is an error: 20 MB of FF to
/// ISO-8859-1 with `xml` took 1.4 seconds with it and takes 0.9 without.
fn push_digits<const RADIX: u32>(mut value: u32, min_digits: usize, text: &mut String) {
    // Those of the highest value in octal.
    let mut digits = [b'0'; 11];
    let mut start = digits.len();
    while value > 0 || digits.len() - start < min_digits {
        start -= 1;
        digits[start] = b"0123456789ABCDEF"[(value % RADIX) as usize];
        value /= RADIX;
    }
    text.extend(digits[start..].iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_name_round_trips() {
        for (name, _) in ErrorAction::NAMES {
            assert_eq!(name.parse::<ErrorAction>().unwrap().to_string(), *name);
        }
        assert!("ignore".parse::<ErrorAction>().is_err());
    }

    #[test]
    fn policies_that_write_no_text_allocate_no_replacement() {
        let texts = || ReplacementTexts {
            default_replacement: "?",
            transliterator: None,
            untransliterable: None,
        };
        for (malformed, unmappable, allocates) in [
            (ErrorAction::Stop, ErrorAction::Skip, false),
            (ErrorAction::Skip, ErrorAction::Stop, false),
            (ErrorAction::Replace(None), ErrorAction::Stop, true),
            (ErrorAction::Skip, ErrorAction::Transliterate, true),
        ] {
            let replacer = Replacer::new(ErrorPolicy { malformed, unmappable }, texts());
            assert_eq!(replacer.replacement.capacity() > 0, allocates, "{:?}", replacer.policy);
        }
    }

    fn replacement(
        action: &ErrorAction,
        unconvertible: Unconvertible<'_>,
    ) -> (ActionTaken, String) {
        let mut replacements = ReplacementTexts {
            default_replacement: "\u{FFFD}",
            transliterator: None,
            untransliterable: None,
        };
        let mut text = String::new();
        (action.write_replacement(unconvertible, &mut replacements, &mut text), text)
    }

    #[test]
    fn keep_text_passes_valid_utf8_and_replaces_the_rest() {
        for (bytes, action_taken, kept) in [
            (&b"=?u?B?!?="[..], ActionTaken::PassedThrough, "=?u?B?!?="),
            (b"a\xFF\xC3\xA9", ActionTaken::Replaced, "a\u{FFFD}é"),
            (b"\xC3", ActionTaken::Replaced, "\u{FFFD}"),
            (b"", ActionTaken::Skipped, ""),
        ] {
            let replacement =
                replacement(&ErrorAction::PassThroughText, Unconvertible::Bytes(bytes));
            assert_eq!(replacement, (action_taken, kept.to_owned()));
        }
    }

    #[test]
    fn only_escaped_characters_count_as_converted() {
        for (unconvertible, action_taken, text) in [
            (Unconvertible::Character('é'), ActionTaken::Escaped, r"\u00E9"),
            (Unconvertible::Bytes(b"\xE9"), ActionTaken::Replaced, r"\xE9"),
            (Unconvertible::CodePoint(0xD800), ActionTaken::Replaced, r"\uD800"),
        ] {
            assert_eq!(
                replacement(&ErrorAction::Escape(EscapeStyle::C), unconvertible),
                (action_taken, text.to_owned())
            );
        }
    }

    #[test]
    fn each_style_escapes_bytes_and_code_points() {
        for (escape, bytes, euro, grin, ucs4_value) in [
            (EscapeStyle::Backslash, r"\xE9\x20", r"\u{20AC}", r"\u{1F600}", r"\u{7FFFFFFF}"),
            (EscapeStyle::C, r"\xE9\x20", r"\u20AC", r"\U0001F600", r"\U7FFFFFFF"),
            (EscapeStyle::Java, r"\xE9\x20", r"\u20AC", r"\uD83D\uDE00", r"\U7FFFFFFF"),
            (EscapeStyle::Xml, "&#65533;", "&#8364;", "&#128512;", "&#2147483647;"),
            (EscapeStyle::XmlHex, "&#xFFFD;", "&#x20AC;", "&#x1F600;", "&#x7FFFFFFF;"),
            (EscapeStyle::Unicode, "<E9><20>", "<U+20AC>", "<U+1F600>", "<U+7FFFFFFF>"),
            (EscapeStyle::Percent, "%E9%20", "%E2%82%AC", "%F0%9F%98%80", "<U+7FFFFFFF>"),
        ] {
            for (unconvertible, expected) in [
                (Unconvertible::Bytes(b"\xE9 "), bytes),
                (Unconvertible::CodePoint(0x20AC), euro),
                (Unconvertible::CodePoint(0x1F600), grin),
                (Unconvertible::CodePoint(0x7FFF_FFFF), ucs4_value),
            ] {
                let mut text = String::new();
                escape.write(unconvertible, &mut text);
                assert_eq!(text, expected, "{escape:?} {unconvertible:?}");
            }
        }
    }
}
