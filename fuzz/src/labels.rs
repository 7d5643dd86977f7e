//! Words from outside are read or refused, never more, and what is read prints as what reads the
//! same.
//!
//! Input: the word, as text.

use std::fmt::Display;
use std::str::FromStr;

use charpipe::ErrorAction;
use charpipe::check::{BomRule, NewlineRule};
use charpipe::internals::encoding;
use charpipe::{BomPolicy, EncodingSpec, TranscodeOptions};

use super::params::FuzzInput;
use super::quote::Quoted;

pub fn check(input: &[u8]) {
    let word = FuzzInput::new(input).text();
    check_encoding_label(&word);
    check_display_parse::<ErrorAction>(&word);
    check_display_parse::<BomPolicy>(&word);
    parse_value::<BomRule>(&word);
    parse_value::<NewlineRule>(&word);
    check_lookup(&word);
    check_quoting(&word);
}

/// A label prints as one that means the same, and builds options or is rejected.
fn check_encoding_label(label: &str) {
    let Some(encoding) = parse_value::<EncodingSpec>(label) else { return };
    let printed = encoding.to_string();
    let again: EncodingSpec = printed.parse().expect("what is printed can be read");
    assert_eq!(again.encoding, encoding.encoding, "{label:?} {printed}");
    assert_eq!(again.options, encoding.options, "{label:?} {printed}");
    for (from, to) in [(&again, &encoding), (&encoding, &again)] {
        let options = TranscodeOptions::new(from.clone(), to.clone());
        assert!(options.build().is_ok(), "{label:?}: options without an error policy are valid");
    }
}

/// A word that is read prints as it was.
fn check_display_parse<T: FromStr<Err: Display> + Display>(word: &str) {
    if let Some(value) = parse_value::<T>(word) {
        assert_eq!(value.to_string(), word);
    }
}

/// Reads a word; a refusal can be shown.
fn parse_value<T: FromStr<Err: Display>>(word: &str) -> Option<T> {
    let read = word.parse::<T>();
    if let Err(refusal) = &read {
        assert!(!refusal.to_string().is_empty());
    }
    read.ok()
}

/// An encoding that a label resolves to is found by its own name, and suggestions are labels.
fn check_lookup(name: &str) {
    for found in encoding::for_label(name).iter().chain(&encoding::for_mime_label(name)) {
        assert_eq!(encoding::for_label(found.name()), Some(*found), "{name:?}");
    }
    for near in encoding::suggest(name) {
        assert!(encoding::for_label(near).is_some(), "{name:?} {near}");
    }
}

/// Messages contain no control characters.
fn check_quoting(word: &str) {
    for limit in [0, 1, 10, 200] {
        let shown = Quoted::new(word).with_max_len(limit).to_string();
        let tame = |c: char| !c.is_control() && !('\u{2028}'..='\u{202E}').contains(&c);
        assert!(shown.chars().all(tame), "{word:?} {shown:?}");
    }
}
