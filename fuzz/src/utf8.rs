//! UTF-8 is what the standard library and simdutf8 take for it, and errors are the maximal
//! subparts that Unicode recommends to replace (chapter 3, "Constraints on Conversion Processes").
//!
//! Input: one byte for the size of the block, two for the length of the input, then the input.

use charpipe::ErrorKind;
use charpipe::TranscodeOptions;

use super::conversion::{FuzzOutcome, run_options};
use super::params::FuzzInput;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let block = 1 + usize::from(bytes.byte());
    let content = bytes.with_ascii_prefix();
    let valid = std::str::from_utf8(&content);
    assert_eq!(simdutf8::basic::from_utf8(&content).is_ok(), valid.is_ok());
    for (fast, block) in [(true, block), (false, block), (true, 1 << 16)] {
        let with = |word: &str| outcome(&content, word, fast, block);
        let (stop, replace) = (with("stop"), with("replace"));
        assert_eq!(stop.stopped, valid.is_err(), "fast {fast}, block {block}");
        let good = valid.map_or_else(|invalid| invalid.valid_up_to(), str::len);
        assert_eq!(stop.out, content[..good], "fast {fast}, block {block}");
        assert_eq!(replace.out, String::from_utf8_lossy(&content).as_bytes(), "fast {fast}");
        assert_eq!(error_spans(&replace), maximal_subparts(&content), "fast {fast}, block {block}");
    }
}

fn outcome(content: &[u8], word: &str, fast: bool, block: usize) -> FuzzOutcome {
    let utf_8 = || charpipe::UTF_8;
    let mut options = TranscodeOptions::new(utf_8(), utf_8());
    options.error_policy.malformed = word.parse().expect("a word of the vocabulary");
    (options.fast_paths, options.buffer_size) = (fast, block);
    run_options(&options, content).expect("UTF-8 can express all that a policy writes")
}

/// Offset and length of each error.
fn error_spans(outcome: &FuzzOutcome) -> Vec<(u64, usize)> {
    let of = |what| match what {
        ErrorKind::Malformed { len, .. } => len,
        other => panic!("{other:?}"),
    };
    outcome.errors.iter().map(|(what, position, _)| (position.offset, of(*what))).collect()
}

/// Offset and length of each ill-formed piece, as the standard library cuts them.
fn maximal_subparts(content: &[u8]) -> Vec<(u64, usize)> {
    let mut at = 0;
    let mut found = Vec::new();
    for chunk in content.utf8_chunks() {
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            found.push((at as u64, chunk.invalid().len()));
        }
        at += chunk.invalid().len();
    }
    found
}
