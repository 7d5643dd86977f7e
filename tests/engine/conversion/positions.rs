//! Positions of errors, restarts at files, and replacements that go through the encoder.

use charpipe::Error;
use charpipe::internals::conversion_error::{ActionTaken, ErrorKind, MalformedReason, Position};
use charpipe::{BomPolicy, TranscodeOptions};

use crate::conversion::driver::{ConversionOutcome, conversion_options, run_conversion};

/// Runs in blocks of many sizes, with and without pairs: all must agree.
fn run_with_all_buffer_sizes(mut options: TranscodeOptions, files: &[&[u8]]) -> ConversionOutcome {
    let whole = run_conversion(&options, files);
    for fast in [true, false] {
        for block in [1, 2, 3, 4, 5, 7, 16, 64, 1000] {
            (options.buffer_size, options.fast_paths) = (block, fast);
            assert_eq!(run_conversion(&options, files), whole, "block {block} fast {fast}");
        }
    }
    whole
}

fn error_positions(outcome: &ConversionOutcome) -> Vec<(u64, u64, u64)> {
    let tuple = |position: Position| (position.offset, position.line, position.column);
    outcome.errors.iter().map(|error| tuple(error.position.unwrap())).collect()
}

#[test]
fn malformed_bytes_have_offset_line_and_column() {
    let input = b"ab\xFF\ncd\xC3\xA9\xE9 \xE2\x82\n\n\x80";
    let outcome = run_with_all_buffer_sizes(
        conversion_options("utf-8", "utf-8", "replace", "stop"),
        &[input],
    );
    assert_eq!(outcome.output, "ab\u{FFFD}\ncdé\u{FFFD} \u{FFFD}\n\n\u{FFFD}".as_bytes());
    assert_eq!(error_positions(&outcome), [(2, 1, 3), (8, 2, 4), (10, 2, 6), (14, 4, 1)]);
}

#[test]
fn unmappable_characters_have_positions_in_the_input() {
    let input = b"\xE9\xE9x\n\xE9\xE9y\xE9";
    let outcome = run_with_all_buffer_sizes(
        conversion_options("latin1", "ascii", "stop", "replace=?"),
        &[input],
    );
    assert_eq!(outcome.output, b"??x\n??y?");
    assert_eq!(error_positions(&outcome), [(0, 1, 1), (1, 1, 2), (4, 2, 1), (5, 2, 2), (7, 2, 4)]);
}

#[test]
fn position_in_an_encoded_word_follows_its_prefix() {
    for (input, offset) in [
        (&b"=?utf-8?q?=C3=A9?="[..], 10),
        (b"abc =?utf-8?q?=C3=A9?= abc", 14),
        (b"abc =?utf-8?q?a=C3=A9b?= abc", 15),
        // After the shift, too.
        (b"abc =?utf-7?q?+AOk?= abc", 15),
    ] {
        let outcome = run_with_all_buffer_sizes(
            conversion_options("rfc2047", "ascii", "stop", "skip"),
            &[input],
        );
        let shown = input.escape_ascii();
        assert_eq!(error_positions(&outcome), [(offset, 1, offset + 1)], "{shown}");
    }
}

#[test]
fn position_after_an_encoded_word_follows_its_end() {
    for (input, expected) in [
        (&b"=?utf-8?q?b?=\nx"[..], [(10, 1, 11), (13, 1, 14), (14, 2, 1)]),
        (b"=?utf-8?q?b?= x", [(10, 1, 11), (13, 1, 14), (14, 1, 15)]),
        (b"=?utf-8?q?b?= =?latin1?q?xy?=", [(10, 1, 11), (25, 1, 26), (26, 1, 27)]),
        (b"=?utf-8?q?b?= =?utf-8?q?xy?=", [(10, 1, 11), (24, 1, 25), (25, 1, 26)]),
    ] {
        let outcome = run_with_all_buffer_sizes(
            conversion_options("rfc2047", "nats-sefi-add", "stop", "skip"),
            &[input],
        );
        assert_eq!(error_positions(&outcome), expected, "{}", input.escape_ascii());
    }
}

#[test]
fn malformed_and_unmappable_errors_are_reported_in_order() {
    let input = "a€\u{1F600}".as_bytes().iter().chain(b"\xFF\xE2\x82").copied().collect::<Vec<_>>();
    let outcome = run_with_all_buffer_sizes(
        conversion_options("utf-8", "ascii", "backslash", "backslash"),
        &[&input],
    );
    assert_eq!(outcome.output, br"a\u{20AC}\u{1F600}\xFF\xE2\x82");
    assert_eq!(error_positions(&outcome), [(1, 1, 2), (4, 1, 3), (8, 1, 4), (9, 1, 5)]);
    let what: Vec<_> = outcome.errors.iter().map(|error| error.kind).collect();
    assert_eq!(what[0], ErrorKind::Unmappable('€'));
    assert_eq!(what[2], ErrorKind::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte });
    assert_eq!(what[3], ErrorKind::Malformed { len: 2, reason: MalformedReason::Truncated });
}

#[test]
fn stop_writes_only_output_before_the_error() {
    for (from, to, input, expected, position) in [
        ("utf-8", "utf-8", &b"one\ntw\xFFo"[..], &b"one\ntw"[..], (6, 2, 3)),
        ("utf-8", "latin1", "é\n€x".as_bytes(), b"\xE9\n", (3, 2, 1)),
    ] {
        let outcome =
            run_with_all_buffer_sizes(conversion_options(from, to, "stop", "stop"), &[input]);
        assert!(outcome.stopped);
        assert_eq!(outcome.output, expected);
        assert_eq!(outcome.errors[0].action_taken, ActionTaken::Stopped);
        assert_eq!(error_positions(&outcome), [position]);
    }
}

#[test]
fn skip_never_removes_well_formed_bytes() {
    let outcome = run_with_all_buffer_sizes(
        conversion_options("utf-8", "ascii", "skip", "skip"),
        &[b"a\xE2A\xF0\x9F\x98B\xC3\xA9!"],
    );
    assert_eq!(outcome.output, b"aAB!");
    assert!(outcome.errors.iter().all(|error| error.action_taken == ActionTaken::Skipped));
}

#[test]
fn truncated_character_does_not_join_the_next_file() {
    let outcome = run_with_all_buffer_sizes(
        conversion_options("utf-8", "utf-8", "replace", "stop"),
        &[b"a\n\xC3", b"\xA9b\xFF"],
    );
    assert_eq!(outcome.output, "a\n\u{FFFD}\u{FFFD}b\u{FFFD}".as_bytes());
    assert_eq!(error_positions(&outcome), [(2, 2, 1), (0, 1, 1), (2, 1, 3)]);
}

#[test]
fn translit_writes_transliterations_or_the_fallback() {
    for (to, text, expected) in [
        ("ascii", "“é” — я", &b"\"e\" -- ?"[..]),
        // The target has U+FFFD.
        ("ucs-2be", "a\u{20BB7}", b"\0a\xFF\xFD"),
    ] {
        let outcome = run_with_all_buffer_sizes(
            conversion_options("utf-8", to, "stop", "translit"),
            &[text.as_bytes()],
        );
        assert_eq!(outcome.output, expected, "{to}");
    }
}

#[test]
fn unmappable_transliteration_is_replaced_once() {
    // The equivalent of U+2225 is two thresholds, and DIN 66003 has none.
    let text = "\u{2225}a\u{2225}\u{2225}\n".as_bytes();
    let outcome = run_with_all_buffer_sizes(
        conversion_options("utf-8", "din_66003", "stop", "translit"),
        &[text],
    );
    assert_eq!(outcome.output, b"?a??\n");
    assert_eq!(error_positions(&outcome), [(0, 1, 1), (4, 1, 3), (7, 1, 4)]);
}

#[test]
fn replacement_follows_pending_encoder_output() {
    // U+304B has another code where U+309A follows it, so it waits for what comes next.
    for (from, input, position) in [
        ("utf-8", &b"\xE3\x81\x8B\xFFx"[..], (3, 1, 2)),
        ("utf-16le", b"\x4B\x30\x00\xDCx\0", (2, 1, 2)),
    ] {
        let options = conversion_options(from, "euc-jisx0213", "replace=?", "stop");
        let outcome = run_with_all_buffer_sizes(options, &[input]);
        assert_eq!(outcome.output, b"\xA4\xAB?x", "{from}");
        assert_eq!(error_positions(&outcome), [position], "{from}");
    }
}

#[test]
fn unmappable_replacement_is_rejected_before_reading() {
    let refused = conversion_options("utf-8", "latin1", "stop", "replace=€").build();
    assert!(matches!(refused, Err(Error::UnmappableReplacement { character: '€', .. })));
    assert!(conversion_options("utf-8", "latin1", "stop", "replace=é").build().is_ok());
}

#[test]
fn bom_is_kept_stripped_or_added_only_at_the_start() {
    for (bom, expected) in [
        (BomPolicy::Keep, "\u{FEFF}a\u{FEFF}\u{FEFF}b"),
        (BomPolicy::Strip, "a\u{FEFF}b"),
        (BomPolicy::Add, "\u{FEFF}a\u{FEFF}b"),
    ] {
        let mut options = conversion_options("utf-8", "utf-8", "stop", "stop");
        options.bom = bom;
        let files = ["\u{FEFF}a\u{FEFF}".as_bytes(), "\u{FEFF}b".as_bytes()];
        assert_eq!(run_with_all_buffer_sizes(options, &files).output, expected.as_bytes(), "{bom}");
    }
}

#[test]
fn bom_of_the_encoder_counts_as_added() {
    let both = b"\xFF\xFEa\0b\0";
    for (first, expected) in [("a", &both[..]), ("\u{FEFF}a", both), ("", b"\xFF\xFEb\0")] {
        let mut options = conversion_options("utf-8", "utf-16", "stop", "stop");
        options.bom = BomPolicy::Add;
        let files = [first.as_bytes(), "\u{FEFF}b".as_bytes()];
        assert_eq!(run_with_all_buffer_sizes(options, &files).output, expected, "{first:?}");
    }
}

#[test]
fn bom_dropped_by_the_decoder_counts_as_stripped() {
    let utf16 = [b"\xFF\xFE\xFF\xFEA\0".as_slice(), b"\xFE\xFF\0B"];
    for (from, files, expected) in [
        ("utf-16", utf16, "\u{FEFF}AB"),
        ("ucs-2", utf16, "\u{FEFF}AB"),
        ("utf-32", [b"\xFF\xFE\0\0\xFF\xFE\0\0", b"A\0\0\0"], "\u{FEFF}A"),
        ("utf-16le", [b"\xFF\xFE\xFF\xFEA\0", b"B\0"], "\u{FEFF}AB"),
    ] {
        let mut options = conversion_options(from, "utf-8", "stop", "stop");
        options.bom = BomPolicy::Strip;
        assert_eq!(
            run_with_all_buffer_sizes(options, &files).output,
            expected.as_bytes(),
            "{from}"
        );
    }
}

#[test]
fn bom_after_malformed_bytes_is_not_at_the_start() {
    for (invalid, expected) in [("skip", "\u{FEFF}A"), ("replace", "\u{FFFD}\u{FEFF}A")] {
        let mut options = conversion_options("utf-8", "utf-8", invalid, "stop");
        options.bom = BomPolicy::Strip;
        let outcome = run_with_all_buffer_sizes(options, &[b"\x80\xEF\xBB\xBFA", b"\xEF\xBB\xBF"]);
        assert_eq!(outcome.output, expected.as_bytes(), "{invalid}");
    }
}

#[test]
fn long_input_with_errors_is_independent_of_buffer_size() {
    let mut input = Vec::new();
    for index in 0u32..3000 {
        input.extend_from_slice(["plain ", "é", "€", "\n", "😀"][index as usize % 5].as_bytes());
        if index % 7 == 0 {
            input.push(0x80 + (index % 128) as u8);
        }
    }
    let outcome = run_with_all_buffer_sizes(
        conversion_options("utf-8", "latin1", "unicode", "xml"),
        &[&input],
    );
    for error in &outcome.errors {
        let position = error.position.unwrap();
        let before = &input[..position.offset as usize];
        assert_eq!(position.line, 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64);
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count() as u64;
        assert_eq!(position.column, column, "{error:?}");
    }
}

#[test]
fn unmappable_line_feed_ends_a_line() {
    let outcome = run_with_all_buffer_sizes(
        conversion_options("utf-8", "nats-sefi-add", "stop", "skip"),
        &[b"a\naa\n\na"],
    );
    assert_eq!(outcome.output, b"");
    let expected = [(0, 1, 1), (1, 1, 2), (2, 2, 1), (3, 2, 2), (4, 2, 3), (5, 3, 1), (6, 4, 1)];
    assert_eq!(error_positions(&outcome), expected);
}
