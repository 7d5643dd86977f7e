//! A conversion on several threads has the same output, errors and positions as one on a single thread.
//!
//! Input: four bytes for each of the two encodings, one for each half of the policy, one for the number of threads, one for
//! the size of blocks, two for the length of the input, then the input.

use charpipe::TranscodeOptions;

use super::cases::choose_case;
use super::conversion::{choose_error_policy, run_options, run_threads};
use super::params::FuzzInput;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let (from, to) = (&choose_case(&mut bytes).encoding, &choose_case(&mut bytes).encoding);
    let mut options = TranscodeOptions::new(from.clone(), to.clone());
    choose_error_policy(&mut options, &mut bytes);
    let threads = 2 + bytes.below(3);
    let block_size = 1 + usize::from(bytes.byte());
    let content = bytes.with_ascii_prefix();
    let Some(other) = run_threads(&options, &content, threads, block_size) else { return };
    let whole = run_options(&options, &content).expect("the options are valid");
    let context = || format!("{from} {to}: {threads} threads, blocks of {block_size} bytes");
    let reported = whole.errors.iter().zip(&other.errors).find(|(one, other)| one != other);
    assert!(reported.is_none(), "{}: {reported:?}", context());
    assert_eq!(other, whole, "{}", context());
}
