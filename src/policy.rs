//! What becomes of a fault.
//!
//! A policy stands outside the codecs and answers with *text*, which goes through the same encoder
//! as everything else: shift states and line lengths stay right. What it answers must therefore be
//! expressible in the target; a [`Plan`](crate::plan::Plan) refuses one that is not.

use std::fmt;
use std::str::FromStr;

use crate::codec::{Encoder, State, Stop};
use crate::fault::{Done, Kind, Unmappable, Why};

mod escape;
mod translit;

pub use escape::Escape;
pub(crate) use translit::Transliterator;

/// What to do about each family of faults.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// About bytes that are no character: ill-formed and truncated.
    pub invalid: Action,
    /// About characters that the target cannot express.
    pub unmappable: Action,
}

impl Policy {
    /// What to do about bytes that are no character for this reason.
    pub(crate) fn on_malformed(&self, why: Why) -> &Action {
        match why.kind() {
            Kind::Unencodable => &self.unmappable,
            Kind::IllFormed | Kind::Truncated => &self.invalid,
        }
    }
}

/// What to do about a fault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Action {
    /// End the run there.
    #[default]
    Stop,
    /// Write nothing in its place.
    Skip,
    /// Write this text in its place. Without one: U+FFFD, or `?` where the target lacks that.
    Replace(Option<String>),
    /// Write its bytes or its code point in ASCII.
    Escape(Escape),
    /// Write an equivalent that the target has, as iconv's `//TRANSLIT`; replace a character
    /// without one, and bytes.
    Translit,
    /// Write its bytes unchanged, past the encoder. For malformed bytes only, and only toward a
    /// target that is a stateless superset of ASCII.
    Keep,
    /// Write its bytes as text, as far as they are UTF-8; replace the others, and characters.
    KeepText,
}

/// A word that is no action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAction(pub String);

/// An offender, as policies see it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Offender<'a> {
    /// A malformed sequence.
    Bytes(&'a [u8]),
    /// A malformed sequence that encodes a number which is not a character: a surrogate, or
    /// one above U+10FFFF.
    Value(u32),
    /// An unmappable character.
    Character(char),
}

impl<'a> Offender<'a> {
    /// A character; if an escape of its number would bring it back, U+FFFD, which is a loss.
    pub(crate) fn unmappable(bad: Unmappable) -> Self {
        if bad.hidden { Offender::Value(bad.value()) } else { Offender::Character(bad.character) }
    }

    pub(crate) fn malformed(bytes: &'a [u8], why: Why) -> Self {
        match why {
            Why::Beyond(value) | Why::SurrogateValue(value) => Offender::Value(value),
            _ => Offender::Bytes(bytes),
        }
    }
}

impl Action {
    /// Every word of the vocabulary and what it does, for help texts.
    pub const VOCABULARY: &'static [(&'static str, &'static str)] = &[
        ("stop", "end the run there"),
        ("skip", "write nothing in its place"),
        ("replace", "write U+FFFD, or ? where the target lacks that"),
        ("replace=TEXT", "write TEXT"),
        ("translit", "write an equivalent that the target has (as //TRANSLIT), else replace"),
        ("keep", "write malformed bytes unchanged; not for characters"),
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
    pub(crate) fn answer(
        &self,
        offender: Offender<'_>,
        substitutes: &mut Substitutes,
        text: &mut String,
    ) -> Done {
        let is_character = matches!(offender, Offender::Character(_));
        match self {
            Action::Stop => return Done::Stopped,
            Action::Skip => {}
            Action::Replace(Some(own)) => text.push_str(own),
            Action::Replace(None) => text.push_str(substitutes.fallback),
            Action::Escape(escape) => {
                escape.write(offender, text);
                if is_character {
                    return Done::Escaped;
                }
            }
            Action::Translit => {
                if let Some(equivalent) = substitutes.equivalent(offender) {
                    // That of a combining mark is nothing, as that of `é` is `e`.
                    text.push_str(equivalent);
                    return Done::Transliterated;
                }
                text.push_str(substitutes.fallback);
            }
            // Its bytes go past the encoder, if there are any.
            Action::Keep if matches!(offender, Offender::Bytes([])) => {}
            Action::Keep => return Done::Kept,
            Action::KeepText => {
                if let Offender::Bytes(bytes) = offender {
                    return keep_text(bytes, substitutes.fallback, text);
                }
                text.push_str(substitutes.fallback);
            }
        }
        if text.is_empty() { Done::Skipped } else { Done::Replaced }
    }

    /// Whether it is for malformed bytes only.
    pub fn is_for_bytes(&self) -> bool {
        matches!(self, Action::Keep | Action::KeepText)
    }

    /// All that this action may ever write, for the check that the target can express it.
    pub(crate) fn repertoire(&self) -> &str {
        match self {
            Action::Replace(Some(text)) => text,
            Action::Escape(escape) => escape.repertoire(),
            // The fallback and each equivalent are checked apart.
            Action::Stop | Action::Skip | Action::Replace(None) => "",
            Action::Translit | Action::Keep | Action::KeepText => "",
        }
    }

    /// Bytes of UTF-8 that an answer to one character takes at the most.
    pub(crate) fn longest(&self) -> usize {
        match self {
            Action::Replace(Some(text)) => text.len(),
            Action::Translit => Transliterator::LONGEST,
            _ => 16,
        }
    }
}

/// What policies write toward one target.
pub(crate) struct Substitutes {
    /// The replacement that a policy writes which names no text.
    pub fallback: &'static str,
    /// Finds equivalents, if a policy asks for them.
    pub transliterator: Option<Transliterator>,
}

impl Substitutes {
    fn equivalent(&mut self, offender: Offender<'_>) -> Option<&'static str> {
        match offender {
            Offender::Character(character) => self.transliterator.as_mut()?.equivalent(character),
            Offender::Value(_) | Offender::Bytes(_) => None,
        }
    }
}

/// Writes bytes as text, as far as they are UTF-8.
fn keep_text(bytes: &[u8], fallback: &str, text: &mut String) -> Done {
    let mut done = if bytes.is_empty() { Done::Skipped } else { Done::Kept };
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push_str(fallback);
            done = Done::Replaced;
        }
    }
    done
}

/// The first character of `text` that this encoder cannot express.
pub(crate) fn inexpressible(encoder: &mut dyn Encoder, mut text: &str) -> Option<char> {
    encoder.resume(State::START);
    let mut room = [0; 256];
    loop {
        let progress = encoder.encode(text, &mut room, false);
        text = &text[progress.read..];
        match progress.stop {
            Stop::Fault(fault) => return Some(fault.character),
            Stop::Input => return None,
            Stop::Output => {}
        }
    }
}

impl FromStr for Action {
    type Err = UnknownAction;

    fn from_str(word: &str) -> Result<Action, UnknownAction> {
        if let Some(text) = word.strip_prefix("replace=") {
            return Ok(Action::Replace(Some(text.to_owned())));
        }
        Ok(match word {
            "stop" => Action::Stop,
            "skip" => Action::Skip,
            "replace" => Action::Replace(None),
            "translit" => Action::Translit,
            "keep" => Action::Keep,
            "keep-text" => Action::KeepText,
            _ => Action::Escape(Escape::named(word).ok_or(UnknownAction(word.to_owned()))?),
        })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Stop => f.write_str("stop"),
            Action::Skip => f.write_str("skip"),
            Action::Replace(None) => f.write_str("replace"),
            Action::Replace(Some(text)) => write!(f, "replace={text}"),
            Action::Escape(escape) => f.write_str(escape.name()),
            Action::Translit => f.write_str("translit"),
            Action::Keep => f.write_str("keep"),
            Action::KeepText => f.write_str("keep-text"),
        }
    }
}

impl fmt::Display for UnknownAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = Action::VOCABULARY.iter().map(|(word, _)| *word).collect();
        write!(f, "unknown action {:?}; there are {}", self.0, words.join(", "))
    }
}

impl std::error::Error for UnknownAction {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_the_vocabulary_is_an_action_and_prints_back() {
        for (word, _) in Action::VOCABULARY {
            assert_eq!(word.parse::<Action>().unwrap().to_string(), *word);
        }
        assert!("ignore".parse::<Action>().is_err());
    }

    fn answer(action: &Action, offender: Offender<'_>) -> (Done, String) {
        let mut substitutes = Substitutes { fallback: "\u{FFFD}", transliterator: None };
        let mut text = String::new();
        (action.answer(offender, &mut substitutes, &mut text), text)
    }

    #[test]
    fn keep_text_keeps_utf_8_and_replaces_the_rest() {
        for (bytes, done, kept) in [
            (&b"=?u?B?!?="[..], Done::Kept, "=?u?B?!?="),
            (b"a\xFF\xC3\xA9", Done::Replaced, "a\u{FFFD}é"),
            (b"\xC3", Done::Replaced, "\u{FFFD}"),
            (b"", Done::Skipped, ""),
        ] {
            let answer = answer(&Action::KeepText, Offender::Bytes(bytes));
            assert_eq!(answer, (done, kept.to_owned()));
        }
    }

    #[test]
    fn only_a_character_is_converted_by_an_escape() {
        for (offender, done, text) in [
            (Offender::Character('é'), Done::Escaped, r"\u00E9"),
            (Offender::Bytes(b"\xE9"), Done::Replaced, r"\xE9"),
            (Offender::Value(0xD800), Done::Replaced, r"\uD800"),
        ] {
            assert_eq!(answer(&Action::Escape(Escape::C), offender), (done, text.to_owned()));
        }
    }
}
