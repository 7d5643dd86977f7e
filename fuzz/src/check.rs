//! A check finds the errors that a conversion reports, in the same positions, whatever the block. What
//! it finds by its other rules depends on no block either.
//!
//! Input: four bytes for the encoding, one for the size of the block, two for the rules and for what
//! is first, two for the length of the input, then the input.

use charpipe::internals::check::{
    BINARY_SNIFF_LEN, BinaryFiles, BomRule, CheckOptions, Checker, DeclarationRule, Finding,
    FindingKind, NewlineRule,
};
use charpipe::internals::conversion_error::{ErrorKind, Excerpt, MalformedReason, Position};
use charpipe::{EncodingSpec, TranscodeOptions};

use super::cases::choose_case;
use super::conversion::run_options;
use super::params::FuzzInput;

type ReportedError = (Position, usize, MalformedReason, Excerpt);

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let encoding = &choose_case(&mut bytes).encoding;
    let block = 1 + usize::from(bytes.byte());
    let choice: [u8; 2] = bytes.array();
    let mut content = bytes.with_ascii_prefix();
    if choice[1] & 1 == 1 {
        // The first bytes are gathered whatever the block, so only after them it is the one requested.
        content.splice(..0, [b'a'; BINARY_SNIFF_LEN - 2]);
    }
    check_findings(encoding, block, &content);
    if choice[1] & 2 == 2 {
        content.splice(..0, *b"# coding: koi8-r\n");
    }
    let rules = choose_rules(encoding, choice[0]);
    let Some(whole) = checked(&rules, &content) else { return };
    let mut in_blocks = rules.clone();
    in_blocks.buffer_size = block;
    let small = checked(&in_blocks, &content);
    let small = small.expect("a block makes no rules worse");
    let apart = whole.iter().zip(&small).find(|(one, other)| one != other);
    assert!(apart.is_none(), "{rules:?}: block {block}: {apart:?}");
    assert_eq!(whole.len(), small.len(), "{rules:?}: block {block}");
}

fn check_findings(encoding: &EncodingSpec, block: usize, content: &[u8]) {
    let mut rules = CheckOptions::new(encoding.clone());
    rules.binary_files = BinaryFiles::Text;
    rules.buffer_size = block;
    let found = checked(&rules, content).expect("rules that ask for nothing");
    let met = found.into_iter().map(|finding| match finding.kind {
        FindingKind::Malformed { reason: why, excerpt, .. } => {
            (finding.position, finding.len as usize, why, excerpt)
        }
        _ => panic!("{finding:?}"),
    });
    let found: Vec<ReportedError> = met.collect();
    let reported = converted(encoding, content);
    let apart = found.iter().zip(&reported).find(|(one, other)| one != other);
    assert!(apart.is_none(), "{encoding}: block {block}: {apart:?}");
    assert_eq!(found.len(), reported.len(), "{encoding}: block {block}");
}

/// The errors of a conversion to an encoding that can encode every character.
fn converted(encoding: &EncodingSpec, content: &[u8]) -> Vec<ReportedError> {
    let wide = encoding.encoding.ucs4.as_ref();
    let wide = wide.is_some_and(|wide| (wide.is_enabled)(&encoding.options));
    let target = if wide { "fss-utf" } else { "utf-8" };
    let mut options =
        TranscodeOptions::new(encoding.clone(), target.parse::<EncodingSpec>().expect("a label"));
    options.error_policy.malformed = "skip".parse().expect("a word of the vocabulary");
    options.error_policy.unmappable = options.error_policy.malformed.clone();
    let reported = run_options(&options, content).expect("no replacement is written").errors;
    let met = reported.into_iter().map(|(what, position, excerpt)| match what {
        ErrorKind::Malformed { len, reason: why } => (position, len, why, excerpt),
        other => panic!("{other:?}"),
    });
    met.collect()
}

/// The rules that a byte chooses: of each kind any.
fn choose_rules(encoding: &EncodingSpec, choice: u8) -> CheckOptions {
    let mut rest = usize::from(choice);
    let mut below = |bound: usize| {
        let digit = rest % bound;
        rest /= bound;
        digit
    };
    let mut rules = CheckOptions::new(encoding.clone());
    rules.newline = NewlineRule::NAMES[below(NewlineRule::NAMES.len())].1;
    rules.bom = BomRule::NAMES[below(BomRule::NAMES.len())].1;
    rules.binary_files = BinaryFiles::NAMES[below(BinaryFiles::NAMES.len())].1;
    rules.byte_columns = below(2) == 1;
    rules.declaration = DeclarationRule::Match;
    rules.headers_only = below(2) == 1;
    rules
}

/// Returns the findings, or nothing for options that are invalid with the encoding.
fn checked(rules: &CheckOptions, content: &[u8]) -> Option<Vec<Finding>> {
    let mut checker = Checker::new(rules).ok()?;
    let mut found = Vec::new();
    let mut note = |finding: &Finding| {
        found.push(*finding);
        Ok(())
    };
    let mut rest = content;
    while !rest.is_empty() {
        let space = checker.input_buffer();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        checker.process(count, &mut note).expect("nothing that could fail");
        rest = &rest[count..];
    }
    checker.finish_input(&mut note).expect("nothing that could fail");
    Some(found)
}
