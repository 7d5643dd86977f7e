//! A chain of up to 32 steps has the same result for any buffer size, with and without fast paths.
//!
//! Input: one byte for the number of steps, four for each encoding and for each step, one for the kind of each step, one
//! for each half of the policy, one for the buffer size, two for the length of the input, then the input.

use charpipe::TranscodeOptions;

use super::cases::choose_case;
use super::conversion::{choose_error_policy, run_options};
use super::params::FuzzInput;
use super::transform::choose_label;

/// The maximum number of steps.
const MAX_STEPS: usize = 32;

const BUFFER_SIZES: &[usize] = &[1, 2, 7, 16, 64, 255];

/// The maximum length of the input in bytes: each step may multiply it.
const MAX_INPUT_LEN: usize = 512;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let step_count = bytes.below(MAX_STEPS + 1);
    let mut chain = choose_case(&mut bytes).encoding.to_string();
    for _ in 0..step_count {
        let is_transform = bytes.byte() & 1 == 1;
        chain += "..";
        chain += &match is_transform {
            true => choose_label(&mut bytes).to_owned(),
            false => choose_case(&mut bytes).encoding.to_string(),
        };
    }
    chain += "..";
    chain += &choose_case(&mut bytes).encoding.to_string();
    // A transform of bytes cannot follow text.
    let Ok(mut options) = TranscodeOptions::from_chain(&chain) else { return };
    choose_error_policy(&mut options, &mut bytes);
    let buffer_size = bytes.choose(BUFFER_SIZES);
    let mut content = bytes.with_ascii_prefix();
    content.truncate(MAX_INPUT_LEN);
    let Some(whole) = run_options(&options, &content) else { return };
    for fast_paths in [true, false] {
        let mut others = options.clone().buffer_size(buffer_size);
        others.fast_paths = fast_paths;
        let mut other =
            run_options(&others, &content).expect("the buffer size does not invalidate");
        // An error that a step has caused by replacing another one is near it: the buffer decides whether before or after.
        assert_eq!(
            other.errors.len(),
            whole.errors.len(),
            "{chain}: buffer of {buffer_size} bytes"
        );
        other.errors.clone_from(&whole.errors);
        assert_eq!(other, whole, "{chain}: buffer of {buffer_size} bytes, fast {fast_paths}");
    }
}
