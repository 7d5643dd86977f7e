//! A check finds the faults that a conversion tells, in the same places, whatever the block. What
//! it finds by its other rules depends on no block either.
//!
//! Input: four bytes for the charset, one for the size of the block, two for the rules and for what
//! stands in front, two for the length of the input, then the input.

use charpipe::check::{Binary, Checker, Finding, HEAD, Mark, Newline, Problem, Rules};
use charpipe::fault::{Excerpt, Place, What, Why};
use charpipe::plan::{Encoding, Plan};

use super::bytes::Bytes;
use super::run::run;
use super::subject::subject;

type Met = (Place, usize, Why, Excerpt);

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let encoding = &subject(&mut bytes).encoding;
    let block = 1 + usize::from(bytes.byte());
    let choice: [u8; 2] = bytes.array();
    let mut content = bytes.stretched();
    if choice[1] & 1 == 1 {
        // The first bytes are gathered whatever the block, so only behind them it is the one asked for.
        content.splice(..0, [b'a'; HEAD - 2]);
    }
    finds_faults(encoding, block, &content);
    let rules = chosen(encoding, choice[0]);
    let Some(whole) = checked(&rules, &content) else { return };
    let small = checked(&Rules { block, ..rules.clone() }, &content);
    let small = small.expect("a block makes no rules worse");
    let apart = whole.iter().zip(&small).find(|(one, other)| one != other);
    assert!(apart.is_none(), "{rules:?}: block {block}: {apart:?}");
    assert_eq!(whole.len(), small.len(), "{rules:?}: block {block}");
}

fn finds_faults(encoding: &Encoding, block: usize, content: &[u8]) {
    let rules = Rules { binary: Binary::Text, block, ..Rules::new(encoding.clone()) };
    let found = checked(&rules, content).expect("rules that ask for nothing");
    let met = found.into_iter().map(|finding| match finding.problem {
        Problem::Malformed { why, excerpt } => (finding.place, finding.len as usize, why, excerpt),
        _ => panic!("{finding:?}"),
    });
    let found: Vec<Met> = met.collect();
    let told = converted(encoding, content);
    let apart = found.iter().zip(&told).find(|(one, other)| one != other);
    assert!(apart.is_none(), "{encoding}: block {block}: {apart:?}");
    assert_eq!(found.len(), told.len(), "{encoding}: block {block}");
}

/// The faults of a conversion to an encoding that lacks nothing.
fn converted(encoding: &Encoding, content: &[u8]) -> Vec<Met> {
    let wide = encoding.charset.wide.as_ref();
    let wide = wide.is_some_and(|wide| (wide.holds)(&encoding.settings));
    let target = if wide { "fss-utf" } else { "utf-8" };
    let mut plan = Plan::new(encoding.clone(), target.parse().expect("a label"));
    plan.policy.invalid = "skip".parse().expect("a word of the vocabulary");
    plan.policy.unmappable = plan.policy.invalid.clone();
    let told = run(&plan, content).expect("nothing is written for a fault").told;
    let met = told.into_iter().map(|(what, place, excerpt)| match what {
        What::Malformed { len, why } => (place, len, why, excerpt),
        other => panic!("{other:?}"),
    });
    met.collect()
}

/// The rules that a byte chooses: of each kind any.
fn chosen(encoding: &Encoding, choice: u8) -> Rules {
    let mut rest = usize::from(choice);
    let mut below = |bound: usize| {
        let digit = rest % bound;
        rest /= bound;
        digit
    };
    Rules {
        newline: Newline::WORDS[below(Newline::WORDS.len())].1,
        mark: Mark::WORDS[below(Mark::WORDS.len())].1,
        binary: Binary::WORDS[below(Binary::WORDS.len())].1,
        byte_columns: below(2) == 1,
        message: below(2) == 1,
        ..Rules::new(encoding.clone())
    }
}

/// What is found; nothing for rules that the encoding cannot keep.
fn checked(rules: &Rules, content: &[u8]) -> Option<Vec<Finding>> {
    let mut checker = Checker::new(rules).ok()?;
    let mut found = Vec::new();
    let mut note = |finding: &Finding| {
        found.push(*finding);
        Ok(())
    };
    let mut rest = content;
    while !rest.is_empty() {
        let space = checker.space();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        checker.filled(count, &mut note).expect("nothing that could fail");
        rest = &rest[count..];
    }
    checker.end_of_file(&mut note).expect("nothing that could fail");
    Some(found)
}
