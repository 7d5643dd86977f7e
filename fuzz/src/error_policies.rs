//! Error policies differ only in the output for errors.
//!
//! Input: four bytes for the encoding to read, one for the size of the block, one for how often
//! it is repeated, then the input.

use charpipe::ErrorAction;
use charpipe::{EncodingSpec, TranscodeOptions};

use super::cases::choose_case;
use super::conversion::{ACTIONS, FuzzOutcome, run_options};
use super::params::FuzzInput;

const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let from = &choose_case(&mut bytes).encoding;
    let block = 1 + usize::from(bytes.byte());
    let content = bytes.repeated();
    let with = |word: &str| {
        let action: ErrorAction = word.parse().expect("a word of the vocabulary");
        outcome(from, action, block, &content)
    };
    let (stop, skip, replace) = (with("stop"), with("skip"), with("replace"));
    assert_eq!(stop.stopped, !skip.errors.is_empty(), "{from}: stop ends at an error");
    assert!(skip.out.starts_with(&stop.out), "{from}: stop is the beginning of skip");
    assert_eq!(stop.errors.first(), skip.errors.first(), "{from}: stop reports the first error");
    assert!(stop.errors.len() <= 1, "{from}: stop reports one error");

    let (skipped, replaced) = (text(&skip), text(&replace));
    let unmarked = |text: &str| text.replace(REPLACEMENT, "");
    assert_eq!(unmarked(&replaced), unmarked(&skipped), "{from}: replace adds U+FFFD alone");
    let count = |text: &str| text.matches(REPLACEMENT).count();
    let added = count(&replaced) - count(&skipped);
    assert_eq!(added, replace.errors.len(), "{from}: one U+FFFD for each error");

    for word in ACTIONS.iter().filter(|word| **word != "stop") {
        let other = with(word);
        assert_eq!(other.errors, skip.errors, "{from}: {word} reports the same errors");
        let is_text = std::str::from_utf8(&other.out).is_ok();
        assert!(is_text || *word == "keep", "{from}: {word} writes UTF-8");
        let same = skip.errors.is_empty() && other.out != skip.out;
        assert!(!same, "{from}: {word} changes nothing without an error");
    }
}

fn outcome(from: &EncodingSpec, action: ErrorAction, block: usize, content: &[u8]) -> FuzzOutcome {
    let mut options = TranscodeOptions::new(from.clone(), charpipe::UTF_8);
    options.error_policy.malformed = action.clone();
    options.error_policy.unmappable =
        if action.is_for_bytes_only() { ErrorAction::Skip } else { action };
    options.buffer_size = block;
    run_options(&options, content).expect("UTF-8 can express all that a policy writes")
}

fn text(outcome: &FuzzOutcome) -> String {
    String::from_utf8(outcome.out.clone()).expect("UTF-8 comes out")
}
