//! A check finds the faults that a conversion tells, in the same places, whatever the block.
//!
//! Input: four bytes for the charset, one for the size of the block, two for the length of the
//! input, then the input.

use charpipe::check::{Binary, Checker, Problem, Rules};
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
    let content = bytes.stretched();
    let found = checked(encoding, block, &content);
    let told = converted(encoding, &content);
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

fn checked(encoding: &Encoding, block: usize, content: &[u8]) -> Vec<Met> {
    let mut rules = Rules::new(encoding.clone());
    (rules.binary, rules.block) = (Binary::Text, block);
    let mut checker = Checker::new(&rules).expect("rules that ask for nothing");
    let mut found = Vec::new();
    let mut note = |finding: &charpipe::check::Finding| {
        let Problem::Malformed { why, excerpt } = finding.problem else { panic!("{finding:?}") };
        found.push((finding.place, finding.len as usize, why, excerpt));
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
    found
}
