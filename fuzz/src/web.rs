//! The charsets of the Encoding Standard are decoded as encoding_rs decodes them, with U+FFFD for
//! what is no character.
//!
//! Input: one byte for the encoding, two for the length of the input, then the input.

use charpipe::plan::Plan;

use super::bytes::Bytes;
use super::encodings::ENCODINGS;
use super::run::run;

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let encoding = bytes.one(ENCODINGS);
    let content = bytes.stretched();
    let label = format!("whatwg:{}", encoding.name());
    let from = label.parse().expect("an encoding of the standard");
    let mut plan = Plan::new(from, "utf-8".parse().expect("a label"));
    plan.policy.invalid = "replace".parse().expect("a word of the vocabulary");
    let ours = run(&plan, &content).expect("UTF-8 can express U+FFFD");
    let (theirs, _) = encoding.decode_without_bom_handling(&content);
    assert_eq!(String::from_utf8_lossy(&ours.out), theirs, "{label}");
}
