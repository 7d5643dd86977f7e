//! Zero-copy paths change nothing: neither output nor errors nor positions, in blocks of
//! any size.

use crate::conversion::driver::{conversion_options, run_conversion};
use crate::conversion::inputs;
use charpipe_test_support::sample_stride;

/// With state and without, with and without look-ahead.
const ENCODINGS: [&str; 7] =
    ["UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16LE", "UTF-7", "TCVN5712-1", "ISO-2022-JP"];
/// One of this number of encodings is tried with each input by default, and all with `CHARPIPE_TEST_EXHAUSTIVE=1`.
const SAMPLE_STRIDE: usize = 3;
const BUFFER_SIZES: [usize; 4] = [64 * 1024, 64, 7, 1];

fn assert_in_place_reads_match(policy: &str) {
    let stride = sample_stride(SAMPLE_STRIDE);
    for (number, input) in inputs::inputs("UTF-8").into_iter().enumerate() {
        for to in ENCODINGS.into_iter().skip(number % stride).step_by(stride) {
            check_conversion("UTF-8", to, policy, &input);
        }
    }
}

fn check_conversion(from: &str, to: &str, policy: &str, input: &[u8]) {
    let mut options = conversion_options(from, to, policy, policy);
    options.fast_paths = false;
    let expected = run_conversion(&options, &[input]);
    for fast in [true, false] {
        for block in BUFFER_SIZES {
            (options.fast_paths, options.buffer_size) = (fast, block);
            let same = run_conversion(&options, &[input]) == expected;
            let start = input[..input.len().min(80)].escape_ascii();
            let len = input.len();
            assert!(same, "{from} to {to}, block {block}, fast {fast}: {len} bytes, {start}");
        }
    }
}

#[test]
fn borrowed_text_does_not_change_results_with_stop() {
    assert_in_place_reads_match("stop");
}

#[test]
fn borrowed_text_does_not_change_results_with_skip() {
    assert_in_place_reads_match("skip");
}

#[test]
fn borrowed_text_does_not_change_results_with_replace() {
    assert_in_place_reads_match("replace");
}

#[test]
fn borrowed_text_does_not_change_results_with_escapes() {
    assert_in_place_reads_match("backslash");
}
