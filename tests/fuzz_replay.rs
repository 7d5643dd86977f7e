//! Holds what the fuzzer has kept to the promises of `fuzz/src/`: `fuzz/README.md` has more.

#[path = "../fuzz/src/lib.rs"]
mod promises;

use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use promises::subject::choice;

/// Bytes that all kept inputs may take together.
const ROOM: u64 = 2 << 20;

/// Failures of which more is shown than their number.
const SHOWN: usize = 5;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(name)
}

fn packed(name: &str) -> PathBuf {
    folder("corpus").join(format!("{name}.inputs"))
}

/// The inputs of a packed file: for each a line with its length in bytes, then it, then LF.
fn unpack(mut packed: &[u8]) -> Vec<&[u8]> {
    let mut inputs = Vec::new();
    while !packed.is_empty() {
        let end = packed.iter().position(|byte| *byte == b'\n').expect("a line with the length");
        let length = std::str::from_utf8(&packed[..end]).expect("a number");
        let (input, rest) = packed[end + 1..].split_at(length.parse().expect("a number"));
        inputs.push(input);
        packed = rest.strip_prefix(b"\n").expect("a line end behind each input");
    }
    inputs
}

/// Holds all that was kept for a promise to it.
fn replay(name: &str) {
    let packed = fs::read(packed(name)).expect("kept inputs");
    let inputs = unpack(&packed);
    assert!(!inputs.is_empty(), "{name}: no inputs");
    let breaks =
        |input: &&&[u8]| catch_unwind(AssertUnwindSafe(|| promises::hold(name, input))).is_err();
    let broken: Vec<_> = inputs.iter().filter(breaks).collect();
    for input in broken.iter().take(SHOWN) {
        println!("{name} is broken by b\"{}\"", input.escape_ascii());
    }
    assert!(broken.is_empty(), "{name}: {} of {} inputs", broken.len(), inputs.len());
}

#[test]
fn a_decoder_does_the_same_in_any_pieces_and_any_room() {
    replay("decode");
}

#[test]
fn an_encoder_does_the_same_in_any_pieces_and_what_it_writes_reads_back() {
    replay("encode");
}

#[test]
fn a_conversion_depends_on_no_block_and_no_fast_way() {
    replay("convert");
}

#[test]
fn policies_differ_in_nothing_but_what_they_write() {
    replay("policies");
}

#[test]
fn header_words_bring_no_lines_and_no_controls_in() {
    replay("header_decode");
}

#[test]
fn header_lines_that_are_written_are_short_and_read_back() {
    replay("header_encode");
}

#[test]
fn a_check_finds_the_faults_of_a_conversion() {
    replay("check");
}

#[test]
fn a_verdict_depends_on_no_pieces() {
    replay("detect");
}

#[test]
fn a_word_from_outside_is_read_or_refused() {
    replay("labels");
}

#[test]
fn utf_8_is_what_the_standard_library_takes_for_it() {
    replay("utf8");
}

#[test]
fn the_web_is_decoded_as_encoding_rs_decodes_it() {
    replay("web");
}

#[test]
fn every_promise_has_a_target_and_inputs_and_they_are_not_too_large() {
    let stems = |name: &str, extension: &str| -> BTreeSet<String> {
        let files =
            fs::read_dir(folder(name)).expect("a folder").map(|entry| entry.unwrap().path());
        let wanted = files.filter(|path| path.extension().is_some_and(|it| it == extension));
        wanted.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
    };
    let promises = promises::PROMISES.iter().map(|promise| promise.0.to_owned()).collect();
    assert_eq!(stems("targets", "rs"), promises);
    assert_eq!(stems("corpus", "inputs"), promises);
    let sizes = promises.iter().map(|name| fs::metadata(packed(name)).unwrap().len());
    assert!(sizes.sum::<u64>() <= ROOM);
}

#[test]
fn a_charset_is_chosen_by_the_bytes_of_its_label() {
    for label in ["UTF-8", "UTF-7:close=always", "EUC-JP", "RFC2047:strict"] {
        assert!(choice(label).is_some(), "{label}");
    }
    assert!(choice("no such charset").is_none());
}
