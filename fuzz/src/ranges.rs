//! The outputs and errors of ranges, joined, are those of the whole input.
//!
//! Input: four bytes for each of the two encodings, one for each half of the policy, one for the number of ranges, two for
//! the length of the input, then the input.

use charpipe::TranscodeOptions;

use super::cases::choose_case;
use super::conversion::{choose_error_policy, run_options, run_ranges};
use super::params::FuzzInput;

/// The maximum number of ranges.
const MAX_RANGES: usize = 24;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let (from, to) = (&choose_case(&mut bytes).encoding, &choose_case(&mut bytes).encoding);
    let mut options = TranscodeOptions::new(from.clone(), to.clone());
    choose_error_policy(&mut options, &mut bytes);
    let count = 1 + bytes.below(MAX_RANGES);
    let content = bytes.with_ascii_prefix();
    let Some((ranges, outcome)) = run_ranges(&options, &content, count) else { return };
    assert_eq!(ranges.first().map(|range| range.start), Some(0), "{ranges:?}");
    assert_eq!(ranges.last().map(|range| range.end), Some(content.len() as u64), "{ranges:?}");
    let whole = run_options(&options, &content).expect("a range transcoder has been built");
    assert_eq!(outcome, whole, "{from} {to}: {ranges:?}");
}
