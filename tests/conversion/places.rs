//! Faults in their places, files that begin anew, and answers that go through the encoder.

use charpipe::Error;
use charpipe::fault::{Done, Place, What, Why};
use charpipe::plan::{Bom, Plan};

use crate::run::{Outcome, plan, run};

/// Runs in blocks of many sizes, with and without pairs: all must agree.
fn run_in_all_blocks(mut plan: Plan, files: &[&[u8]]) -> Outcome {
    let whole = run(&plan, files);
    for fast in [true, false] {
        for block in [1, 2, 3, 4, 5, 7, 16, 64, 1000] {
            (plan.block, plan.fast) = (block, fast);
            assert_eq!(run(&plan, files), whole, "block {block} fast {fast}");
        }
    }
    whole
}

fn places(outcome: &Outcome) -> Vec<(u64, u64, u64)> {
    let tuple = |place: Place| (place.offset, place.line, place.column);
    outcome.faults.iter().map(|fault| tuple(fault.place.unwrap())).collect()
}

#[test]
fn faults_of_bytes_are_placed_to_the_byte_line_and_column() {
    let input = b"ab\xFF\ncd\xC3\xA9\xE9 \xE2\x82\n\n\x80";
    let outcome = run_in_all_blocks(plan("utf-8", "utf-8", "replace", "stop"), &[input]);
    assert_eq!(outcome.output, "ab\u{FFFD}\ncdé\u{FFFD} \u{FFFD}\n\n\u{FFFD}".as_bytes());
    assert_eq!(places(&outcome), [(2, 1, 3), (8, 2, 4), (10, 2, 6), (14, 4, 1)]);
}

#[test]
fn faults_of_characters_are_placed_in_the_source_not_in_the_text() {
    let input = b"\xE9\xE9x\n\xE9\xE9y\xE9";
    let outcome = run_in_all_blocks(plan("latin1", "ascii", "stop", "replace=?"), &[input]);
    assert_eq!(outcome.output, b"??x\n??y?");
    assert_eq!(places(&outcome), [(0, 1, 1), (1, 1, 2), (4, 2, 1), (5, 2, 2), (7, 2, 4)]);
}

#[test]
fn a_character_of_a_header_word_is_placed_behind_what_opens_the_word() {
    for (input, offset) in [
        (&b"=?utf-8?q?=C3=A9?="[..], 10),
        (b"abc =?utf-8?q?=C3=A9?= abc", 14),
        (b"abc =?utf-8?q?a=C3=A9b?= abc", 15),
        // Behind the shift, too.
        (b"abc =?utf-7?q?+AOk?= abc", 15),
    ] {
        let outcome = run_in_all_blocks(plan("rfc2047", "ascii", "stop", "skip"), &[input]);
        let shown = input.escape_ascii();
        assert_eq!(places(&outcome), [(offset, 1, offset + 1)], "{shown}");
    }
}

#[test]
fn a_character_behind_a_header_word_is_placed_behind_what_closes_the_word() {
    for (input, expected) in [
        (&b"=?utf-8?q?b?=\nx"[..], [(10, 1, 11), (13, 1, 14), (14, 2, 1)]),
        (b"=?utf-8?q?b?= x", [(10, 1, 11), (13, 1, 14), (14, 1, 15)]),
        (b"=?utf-8?q?b?= =?latin1?q?xy?=", [(10, 1, 11), (25, 1, 26), (26, 1, 27)]),
        (b"=?utf-8?q?b?= =?utf-8?q?xy?=", [(10, 1, 11), (24, 1, 25), (25, 1, 26)]),
    ] {
        let outcome = run_in_all_blocks(plan("rfc2047", "nats-sefi-add", "stop", "skip"), &[input]);
        assert_eq!(places(&outcome), expected, "{}", input.escape_ascii());
    }
}

#[test]
fn both_kinds_of_faults_stand_in_order() {
    let input = "a€\u{1F600}".as_bytes().iter().chain(b"\xFF\xE2\x82").copied().collect::<Vec<_>>();
    let outcome = run_in_all_blocks(plan("utf-8", "ascii", "backslash", "backslash"), &[&input]);
    assert_eq!(outcome.output, br"a\u{20AC}\u{1F600}\xFF\xE2\x82");
    assert_eq!(places(&outcome), [(1, 1, 2), (4, 1, 3), (8, 1, 4), (9, 1, 5)]);
    let what: Vec<_> = outcome.faults.iter().map(|fault| fault.what).collect();
    assert_eq!(what[0], What::Unmappable('€'));
    assert_eq!(what[2], What::Malformed { len: 1, why: Why::Stray });
    assert_eq!(what[3], What::Malformed { len: 2, why: Why::Truncated });
}

#[test]
fn stop_writes_all_before_the_fault_and_nothing_behind_it() {
    for (from, to, input, expected, place) in [
        ("utf-8", "utf-8", &b"one\ntw\xFFo"[..], &b"one\ntw"[..], (6, 2, 3)),
        ("utf-8", "latin1", "é\n€x".as_bytes(), b"\xE9\n", (3, 2, 1)),
    ] {
        let outcome = run_in_all_blocks(plan(from, to, "stop", "stop"), &[input]);
        assert!(outcome.stopped);
        assert_eq!(outcome.output, expected);
        assert_eq!(outcome.faults[0].done, Done::Stopped);
        assert_eq!(places(&outcome), [place]);
    }
}

#[test]
fn skip_never_swallows_a_well_formed_byte() {
    let outcome = run_in_all_blocks(
        plan("utf-8", "ascii", "skip", "skip"),
        &[b"a\xE2A\xF0\x9F\x98B\xC3\xA9!"],
    );
    assert_eq!(outcome.output, b"aAB!");
    assert!(outcome.faults.iter().all(|fault| fault.done == Done::Skipped));
}

#[test]
fn a_character_cut_by_the_end_of_a_file_does_not_join_the_next_file() {
    let outcome =
        run_in_all_blocks(plan("utf-8", "utf-8", "replace", "stop"), &[b"a\n\xC3", b"\xA9b\xFF"]);
    assert_eq!(outcome.output, "a\n\u{FFFD}\u{FFFD}b\u{FFFD}".as_bytes());
    assert_eq!(places(&outcome), [(2, 2, 1), (0, 1, 1), (2, 1, 3)]);
}

#[test]
fn translit_writes_look_alikes_and_the_fallback_where_there_is_none() {
    for (to, text, expected) in [
        ("ascii", "“é” — я", &b"\"e\" -- ?"[..]),
        // The target has U+FFFD.
        ("ucs-2be", "a\u{20BB7}", b"\0a\xFF\xFD"),
    ] {
        let outcome = run_in_all_blocks(plan("utf-8", to, "stop", "translit"), &[text.as_bytes()]);
        assert_eq!(outcome.output, expected, "{to}");
    }
}

#[test]
fn candidate_that_the_target_lacks_too_is_replaced_once() {
    // The equivalent of U+2225 is two bars, and DIN 66003 has none.
    let text = "\u{2225}a\u{2225}\u{2225}\n".as_bytes();
    let outcome = run_in_all_blocks(plan("utf-8", "din_66003", "stop", "translit"), &[text]);
    assert_eq!(outcome.output, b"?a??\n");
    assert_eq!(places(&outcome), [(0, 1, 1), (4, 1, 3), (7, 1, 4)]);
}

#[test]
fn an_answer_stands_behind_what_an_encoder_that_looks_ahead_still_holds() {
    // U+304B has another code where U+309A follows it, so it waits for what comes next.
    for (from, input, place) in [
        ("utf-8", &b"\xE3\x81\x8B\xFFx"[..], (3, 1, 2)),
        ("utf-16le", b"\x4B\x30\x00\xDCx\0", (2, 1, 2)),
    ] {
        let plan = plan(from, "euc-jisx0213", "replace=?", "stop");
        let outcome = run_in_all_blocks(plan, &[input]);
        assert_eq!(outcome.output, b"\xA4\xAB?x", "{from}");
        assert_eq!(places(&outcome), [place], "{from}");
    }
}

#[test]
fn what_the_target_cannot_express_is_refused_before_anything_is_read() {
    let refused = plan("utf-8", "latin1", "stop", "replace=€").pump();
    assert!(matches!(refused, Err(Error::Inexpressible { character: '€', .. })));
    assert!(plan("utf-8", "latin1", "stop", "replace=é").pump().is_ok());
}

#[test]
fn a_mark_is_kept_stripped_or_added_at_the_start_only() {
    for (bom, expected) in [
        (Bom::Keep, "\u{FEFF}a\u{FEFF}\u{FEFF}b"),
        (Bom::Strip, "a\u{FEFF}b"),
        (Bom::Add, "\u{FEFF}a\u{FEFF}b"),
    ] {
        let mut plan = plan("utf-8", "utf-8", "stop", "stop");
        plan.bom = bom;
        let files = ["\u{FEFF}a\u{FEFF}".as_bytes(), "\u{FEFF}b".as_bytes()];
        assert_eq!(run_in_all_blocks(plan, &files).output, expected.as_bytes(), "{bom}");
    }
}

#[test]
fn a_mark_that_the_encoder_writes_is_the_one_that_is_added() {
    let both = b"\xFF\xFEa\0b\0";
    for (first, expected) in [("a", &both[..]), ("\u{FEFF}a", both), ("", b"\xFF\xFEb\0")] {
        let mut plan = plan("utf-8", "utf-16", "stop", "stop");
        plan.bom = Bom::Add;
        let files = [first.as_bytes(), "\u{FEFF}b".as_bytes()];
        assert_eq!(run_in_all_blocks(plan, &files).output, expected, "{first:?}");
    }
}

#[test]
fn a_mark_that_the_decoder_drops_is_the_one_that_is_stripped() {
    let utf16 = [b"\xFF\xFE\xFF\xFEA\0".as_slice(), b"\xFE\xFF\0B"];
    for (from, files, expected) in [
        ("utf-16", utf16, "\u{FEFF}AB"),
        ("ucs-2", utf16, "\u{FEFF}AB"),
        ("utf-32", [b"\xFF\xFE\0\0\xFF\xFE\0\0", b"A\0\0\0"], "\u{FEFF}A"),
        ("utf-16le", [b"\xFF\xFE\xFF\xFEA\0", b"B\0"], "\u{FEFF}AB"),
    ] {
        let mut plan = plan(from, "utf-8", "stop", "stop");
        plan.bom = Bom::Strip;
        assert_eq!(run_in_all_blocks(plan, &files).output, expected.as_bytes(), "{from}");
    }
}

#[test]
fn a_mark_behind_what_is_no_character_is_not_at_the_start() {
    for (invalid, expected) in [("skip", "\u{FEFF}A"), ("replace", "\u{FFFD}\u{FEFF}A")] {
        let mut plan = plan("utf-8", "utf-8", invalid, "stop");
        plan.bom = Bom::Strip;
        let outcome = run_in_all_blocks(plan, &[b"\x80\xEF\xBB\xBFA", b"\xEF\xBB\xBF"]);
        assert_eq!(outcome.output, expected.as_bytes(), "{invalid}");
    }
}

#[test]
fn long_input_with_many_faults_agrees_in_all_blocks() {
    let mut input = Vec::new();
    for index in 0u32..3000 {
        input.extend_from_slice(["plain ", "é", "€", "\n", "😀"][index as usize % 5].as_bytes());
        if index % 7 == 0 {
            input.push(0x80 + (index % 128) as u8);
        }
    }
    let outcome = run_in_all_blocks(plan("utf-8", "latin1", "unicode", "xml"), &[&input]);
    for fault in &outcome.faults {
        let place = fault.place.unwrap();
        let before = &input[..place.offset as usize];
        assert_eq!(place.line, 1 + before.iter().filter(|byte| **byte == b'\n').count() as u64);
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count() as u64;
        assert_eq!(place.column, column, "{fault:?}");
    }
}

#[test]
fn a_line_feed_that_the_target_lacks_ends_a_line_all_the_same() {
    let outcome =
        run_in_all_blocks(plan("utf-8", "nats-sefi-add", "stop", "skip"), &[b"a\naa\n\na"]);
    assert_eq!(outcome.output, b"");
    let expected = [(0, 1, 1), (1, 1, 2), (2, 2, 1), (3, 2, 2), (4, 2, 3), (5, 3, 1), (6, 4, 1)];
    assert_eq!(places(&outcome), expected);
}
