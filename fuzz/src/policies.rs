//! What policies do with the same faults: they differ in nothing else.
//!
//! Input: four bytes for the charset to read, one for the size of the block, one for how often
//! it is repeated, then the input.

use charpipe::plan::{Encoding, Plan};
use charpipe::policy::Action;

use super::bytes::Bytes;
use super::run::{ACTIONS, Outcome, run};
use super::subject::subject;

const MARK: char = char::REPLACEMENT_CHARACTER;

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let from = &subject(&mut bytes).encoding;
    let block = 1 + usize::from(bytes.byte());
    let content = bytes.repeated();
    let with = |word: &str| {
        let action: Action = word.parse().expect("a word of the vocabulary");
        outcome(from, action, block, &content)
    };
    let (stop, skip, replace) = (with("stop"), with("skip"), with("replace"));
    assert_eq!(stop.stopped, !skip.told.is_empty(), "{from}: stop ends at a fault");
    assert!(skip.out.starts_with(&stop.out), "{from}: stop is the beginning of skip");
    assert_eq!(stop.told.first(), skip.told.first(), "{from}: stop tells the first fault");
    assert!(stop.told.len() <= 1, "{from}: stop tells one fault");

    let (skipped, replaced) = (text(&skip), text(&replace));
    let unmarked = |text: &str| text.replace(MARK, "");
    assert_eq!(unmarked(&replaced), unmarked(&skipped), "{from}: replace adds U+FFFD alone");
    let count = |text: &str| text.matches(MARK).count();
    let added = count(&replaced) - count(&skipped);
    assert_eq!(added, replace.told.len(), "{from}: one U+FFFD for each fault");

    for word in ACTIONS.iter().filter(|word| **word != "stop") {
        let other = with(word);
        assert_eq!(other.told, skip.told, "{from}: {word} tells the same faults");
        let is_text = std::str::from_utf8(&other.out).is_ok();
        assert!(is_text || *word == "keep", "{from}: {word} writes UTF-8");
        let same = skip.told.is_empty() && other.out != skip.out;
        assert!(!same, "{from}: {word} changes nothing where there is no fault");
    }
}

fn outcome(from: &Encoding, action: Action, block: usize, content: &[u8]) -> Outcome {
    let mut plan = Plan::new(from.clone(), "utf-8".parse().expect("a label"));
    plan.policy.invalid = action.clone();
    plan.policy.unmappable = if action.is_for_bytes() { Action::Skip } else { action };
    plan.block = block;
    run(&plan, content).expect("UTF-8 can express all that a policy writes")
}

fn text(outcome: &Outcome) -> String {
    String::from_utf8(outcome.out.clone()).expect("UTF-8 comes out")
}
