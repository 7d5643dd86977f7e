//! Replays the inputs that the fuzzer has found against the properties in `fuzz/src/`. See `fuzz/README.md`.

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use charpipe_test_support::sample_stride;

use crate::promises;
use crate::promises::cases::case_bytes;
use crate::promises::transform::{transform_case_bytes, transform_labels};

/// Bytes that all kept inputs may take together.
const MAX_CORPUS_SIZE: u64 = 2 << 20;

/// One of this number of inputs is a sample. `CHARPIPE_TEST_EXHAUSTIVE=1` replays all.
const SAMPLE_STRIDE: usize = 5;

/// Failures of which more is shown than their number.
const MAX_FAILURES_SHOWN: usize = 5;

fn corpus_directory(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

fn packed_inputs(name: &str) -> PathBuf {
    corpus_directory("corpus").join(format!("{name}.inputs"))
}

/// The inputs of a packed file: for each a line with its length in bytes, then it, then LF.
fn unpack(mut packed: &[u8]) -> Vec<&[u8]> {
    let mut inputs = Vec::new();
    while !packed.is_empty() {
        let end = packed.iter().position(|byte| *byte == b'\n').expect("a line with the length");
        let length = std::str::from_utf8(&packed[..end]).expect("a number");
        let (input, rest) = packed[end + 1..].split_at(length.parse().expect("a number"));
        inputs.push(input);
        packed = rest.strip_prefix(b"\n").expect("a line end after each input");
    }
    inputs
}

/// Holds all that was kept for a promise to it.
fn replay(name: &str) {
    let packed = fs::read(packed_inputs(name)).expect("kept inputs");
    let mut inputs = unpack(&packed);
    assert!(!inputs.is_empty(), "{name}: no inputs");
    inputs = inputs.into_iter().step_by(sample_stride(SAMPLE_STRIDE)).collect();
    let breaks = |input: &&&[u8]| {
        catch_unwind(AssertUnwindSafe(|| promises::check_property(name, input))).is_err()
    };
    let broken: Vec<_> = inputs.iter().filter(breaks).collect();
    for input in broken.iter().take(MAX_FAILURES_SHOWN) {
        println!("{name} is broken by b\"{}\"", input.escape_ascii());
    }
    assert!(broken.is_empty(), "{name}: {} of {} inputs", broken.len(), inputs.len());
}

#[test]
fn decoder_result_is_independent_of_chunks_and_output_space() {
    replay("decode");
}

#[test]
fn encoder_result_is_independent_of_chunks_and_round_trips() {
    replay("encode");
}

#[test]
fn transform_is_independent_of_chunks_and_round_trips() {
    replay("transform");
}

#[test]
fn conversion_is_independent_of_buffer_size_and_fast_paths() {
    replay("convert");
}

#[test]
fn error_policies_differ_only_in_their_output() {
    replay("error_policies");
}

#[test]
fn encoded_words_add_no_lines_or_control_characters() {
    replay("header_decode");
}

#[test]
fn encoded_header_lines_are_short_and_round_trip() {
    replay("header_encode");
}

#[test]
fn check_finds_the_errors_of_a_conversion() {
    replay("check");
}

#[test]
fn detection_is_independent_of_chunks() {
    replay("detect");
}

#[test]
fn labels_and_options_are_parsed_or_rejected() {
    replay("labels");
}

#[test]
fn utf8_validity_matches_the_standard_library() {
    replay("utf8");
}

#[test]
fn encoding_standard_is_decoded_as_by_encoding_rs() {
    replay("encoding_standard");
}

#[test]
fn chains_of_up_to_32_steps_are_independent_of_buffer_size() {
    replay("chain");
}

#[test]
fn ranges_joined_are_the_whole_conversion() {
    replay("ranges");
}

#[test]
fn iconv_conversion_is_independent_of_pieces_and_equals_the_library() {
    replay("iconv");
}

#[test]
fn repair_can_be_undone_and_is_independent_of_chunks() {
    replay("repair");
}

#[test]
fn readers_and_writers_convert_as_in_memory() {
    replay("streams");
}

#[test]
fn threads_convert_as_a_single_one() {
    replay("threads");
}

#[test]
fn mapping_files_are_rejected_or_define_an_encoding() {
    replay("user_defined");
}

#[test]
fn every_property_has_a_target_and_a_small_corpus() {
    let stems = |name: &str, extension: &str| -> BTreeSet<String> {
        let files = fs::read_dir(corpus_directory(name))
            .expect("a directory")
            .map(|entry| entry.unwrap().path());
        let wanted = files.filter(|path| path.extension().is_some_and(|it| it == extension));
        wanted.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let promises = promises::PROPERTIES.iter().map(|promise| promise.0.to_owned()).collect();
    assert_eq!(stems("targets", "rs"), promises);
    assert_eq!(stems("corpus", "inputs"), promises);
    let sizes = promises.iter().map(|name| fs::metadata(packed_inputs(name)).unwrap().len());
    assert!(sizes.sum::<u64>() <= MAX_CORPUS_SIZE);
}

#[test]
fn encoding_is_chosen_by_the_bytes_of_its_label() {
    for label in ["UTF-8", "UTF-7:close=always", "EUC-JP", "RFC2047:strict"] {
        assert!(case_bytes(label).is_some(), "{label}");
    }
    assert!(case_bytes("no such encoding").is_none());
}

#[test]
fn transform_is_chosen_by_the_bytes_of_its_label() {
    let chosen: BTreeSet<_> = transform_labels().map(transform_case_bytes).collect();
    assert_eq!(chosen.len(), transform_labels().count());
    assert!(transform_case_bytes("base64:line=0").is_some());
    assert!(transform_case_bytes("no such transform").is_none());
}
