//! The encodings of the Encoding Standard are decoded as encoding_rs decodes them, with U+FFFD for
//! what is not a character.
//!
//! Input: one byte for the encoding, two for the length of the input, then the input.

use charpipe::TranscodeOptions;

use super::conversion::run_options;
use super::encodings::ENCODINGS;
use super::params::FuzzInput;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let encoding = bytes.choose(ENCODINGS);
    let content = bytes.with_ascii_prefix();
    let label = format!("whatwg:{}", encoding.name());
    let from = label.parse::<charpipe::EncodingSpec>().expect("an encoding of the standard");
    let mut options = TranscodeOptions::new(from, charpipe::UTF_8);
    options.error_policy.malformed = "replace".parse().expect("a word of the vocabulary");
    let ours = run_options(&options, &content).expect("UTF-8 can express U+FFFD");
    let (theirs, _) = encoding.decode_without_bom_handling(&content);
    assert_eq!(String::from_utf8_lossy(&ours.out), theirs, "{label}");
}
