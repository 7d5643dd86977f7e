//! Words from outside are read or refused, never more, and what is read prints as what reads the
//! same.
//!
//! Input: the word, as text.

use std::fmt::Display;
use std::str::FromStr;

use charpipe::charset;
use charpipe::check::{Mark, Newline};
use charpipe::plan::{Bom, Encoding, Plan};
use charpipe::policy::Action;
use charpipe::quote::Quoted;

use super::bytes::Bytes;

pub fn holds(input: &[u8]) {
    let word = Bytes::new(input).text();
    encoding(&word);
    same::<Action>(&word);
    same::<Bom>(&word);
    read::<Mark>(&word);
    read::<Newline>(&word);
    finds(&word);
    quoted(&word);
}

/// A label prints as one that means the same, and makes a plan or is refused.
fn encoding(label: &str) {
    let Some(encoding) = read::<Encoding>(label) else { return };
    let printed = encoding.to_string();
    let again: Encoding = printed.parse().expect("what is printed can be read");
    assert_eq!(again.charset, encoding.charset, "{label:?} {printed}");
    assert_eq!(again.settings, encoding.settings, "{label:?} {printed}");
    for (from, to) in [(&again, &encoding), (&encoding, &again)] {
        let plan = Plan::new(from.clone(), to.clone());
        assert!(plan.pump().is_ok(), "{label:?}: a plan without a policy can be carried out");
    }
}

/// A word that is read prints as it was.
fn same<T: FromStr<Err: Display> + Display>(word: &str) {
    if let Some(value) = read::<T>(word) {
        assert_eq!(value.to_string(), word);
    }
}

/// Reads a word; a refusal can be shown.
fn read<T: FromStr<Err: Display>>(word: &str) -> Option<T> {
    let read = word.parse::<T>();
    if let Err(refusal) = &read {
        assert!(!refusal.to_string().is_empty());
    }
    read.ok()
}

/// What a name finds is found by its own name too, and what is like a name is one.
fn finds(name: &str) {
    for found in charset::find(name).iter().chain(&charset::mail(name)) {
        assert_eq!(charset::find(found.name), Some(*found), "{name:?}");
    }
    for near in charset::nearest(name) {
        assert!(charset::find(near).is_some(), "{name:?} {near}");
    }
}

/// What is shown drives no terminal.
fn quoted(word: &str) {
    for limit in [0, 1, 10, 200] {
        let shown = Quoted::new(word).within(limit).to_string();
        let tame = |c: char| !c.is_control() && !('\u{2028}'..='\u{202E}').contains(&c);
        assert!(shown.chars().all(tame), "{word:?} {shown:?}");
    }
}
