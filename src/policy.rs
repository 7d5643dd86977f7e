//! What becomes of a fault.
//!
//! A policy stands outside the codecs and answers with *text*, which goes through the same encoder
//! as everything else: shift states and line lengths stay right. What it answers must therefore be
//! expressible in the target; a [`Plan`](crate::plan::Plan) refuses one that is not.

use std::fmt;
use std::str::FromStr;

use crate::codec::{Encoder, State, Stop};
use crate::fault::{Kind, Why};

mod escape;
mod translit;

pub use escape::Escape;

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
    /// Write what looks like it, as iconv's `//TRANSLIT`; replace what nothing looks like.
    Translit,
    /// Write its bytes as they stand; replace those that are not UTF-8, and characters.
    Keep,
}

/// A word that is no action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownAction(pub String);

/// An offender, as policies see it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Offender<'a> {
    Bytes(&'a [u8]),
    /// A code point, which may be above U+10FFFF.
    Value(u32),
}

impl<'a> Offender<'a> {
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
        ("translit", "write what looks like it (as //TRANSLIT), else replace"),
        ("keep", "write its bytes as they stand, replace those that are not UTF-8"),
        ("backslash", r"write \xE9 for a byte, \u{20AC} for a character"),
        ("c", r"write \xE9, \u20AC, \U0001F600"),
        ("java", r"write \xE9, \u20AC, \uD83D\uDE00"),
        ("xml", "write &#8364;, and &#65533; for bytes"),
        ("xml-hex", "write &#x20AC;, and &#xFFFD; for bytes"),
        ("unicode", "write <E9> for a byte, <U+20AC> for a character"),
        ("percent", "write %E9, and the percent-encoded UTF-8 of a character"),
    ];

    /// Writes the answer to an offender into `text`, if there is one to write.
    #[inline]
    pub(crate) fn answer(&self, offender: Offender<'_>, fallback: &str, text: &mut String) {
        match self {
            Action::Stop | Action::Skip => {}
            Action::Replace(Some(own)) => text.push_str(own),
            Action::Replace(None) => text.push_str(fallback),
            Action::Escape(escape) => escape.write(offender, text),
            Action::Translit => {
                let look_alike = match offender {
                    Offender::Value(value) => translit::look_alike(value),
                    Offender::Bytes(_) => None,
                };
                text.push_str(look_alike.unwrap_or(fallback));
            }
            Action::Keep => match offender {
                Offender::Bytes(bytes) => keep(bytes, fallback, text),
                Offender::Value(_) => text.push_str(fallback),
            },
        }
    }

    /// All that this action may ever write, for the check that the target can express it.
    pub(crate) fn repertoire(&self) -> &str {
        match self {
            Action::Replace(Some(text)) => text,
            Action::Escape(escape) => escape.repertoire(),
            // The fallback is checked apart, and answers for look-alikes that cannot be expressed.
            Action::Stop | Action::Skip | Action::Replace(None) => "",
            Action::Translit | Action::Keep => "",
        }
    }

    /// Bytes of UTF-8 that an answer to one character takes at the most.
    pub(crate) fn longest(&self) -> usize {
        match self {
            Action::Replace(Some(text)) => text.len(),
            _ => 16,
        }
    }
}

/// Writes bytes as they stand, as far as they are text.
fn keep(bytes: &[u8], fallback: &str, text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push_str(fallback);
        }
    }
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

    #[test]
    fn bytes_are_kept_as_far_as_they_are_text() {
        for (bytes, kept) in [
            (&b"=?u?B?!?="[..], "=?u?B?!?="),
            (b"a\xFF\xC3\xA9", "a\u{FFFD}é"),
            (b"\xC3", "\u{FFFD}"),
        ] {
            let mut text = String::new();
            Action::Keep.answer(Offender::Bytes(bytes), "\u{FFFD}", &mut text);
            assert_eq!(text, kept);
        }
    }
}
