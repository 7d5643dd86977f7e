//! Files that may be in any of several encodings.

use charpipe::internals::check::{BinaryFiles, CheckOptions, Finding, NewlineRule};
use charpipe_test_support::sample_count;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use crate::check::driver::{BUFFER_SIZES, check_file, check_files, rules};

fn alternatives(encodings: &[&str]) -> CheckOptions {
    let mut options = rules(encodings[0]);
    options.alternatives = encodings[1..].iter().map(|name| name.parse().unwrap()).collect();
    options
}

/// The index of the encoding, the rule and the offset of each finding.
fn rows(findings: &[Finding]) -> Vec<(usize, &'static str, u64)> {
    let row = |finding: &Finding| {
        (finding.encoding_index, finding.rule().name(), finding.position.offset)
    };
    findings.iter().map(row).collect()
}

#[test]
fn findings_are_those_of_the_first_valid_encoding_or_the_one_that_gets_furthest() {
    let utf16: Vec<u8> = "a\r\né".encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (encodings, file, expected) in [
        (&["utf-8", "windows-1252"][..], &b""[..], vec![]),
        (&["utf-8", "windows-1252"], b"caf\xC3\xA9\r\n", vec![(0, "newline", 5)]),
        (&["utf-8", "windows-1252"], b"caf\xE9\r\n", vec![(1, "newline", 4)]),
        (&["windows-1252", "utf-8"], b"caf\xC3\xA9\r\n", vec![(0, "newline", 5)]),
        (
            &["utf-8", "windows-1252"],
            b"\xE9 \x81\r\n",
            vec![(1, "ill-formed", 2), (1, "newline", 3)],
        ),
        // Invalid at the same offset.
        (
            &["utf-8", "windows-1252"],
            b"a\x81\xE9\n",
            vec![(0, "ill-formed", 1), (0, "ill-formed", 2)],
        ),
        (&["us-ascii", "utf-8", "latin1"], b"a\xC3\xA9", vec![]),
        (&["us-ascii", "utf-8"], b"a\xC3\xA9\xFF", vec![(1, "ill-formed", 3)]),
        (&["utf-8", "us-ascii"], b"\xC3", vec![(0, "truncated", 0)]),
        (&["utf-8", "utf-16le"], &utf16, vec![(1, "newline", 2)]),
        (&["utf-8", "utf-8/nfc"], b"\xFF", vec![(0, "ill-formed", 0)]),
    ] {
        let mut options = alternatives(encodings);
        if !encodings.contains(&"utf-8/nfc") {
            options.newline = NewlineRule::Lf;
        }
        assert_eq!(rows(&check_file(options, file)), expected, "{encodings:?} {file:02X?}");
    }
}

#[test]
fn binary_file_is_skipped_if_it_is_binary_in_the_selected_encoding() {
    let file = b"\x89PNG\r\n\x1A\n\0\0\xFF\0";
    for (rule, expected) in
        [(BinaryFiles::Report, vec![(0, "binary", 8)]), (BinaryFiles::Skip, vec![])]
    {
        let mut options = alternatives(&["windows-1252", "utf-8"]);
        options.binary_files = rule;
        assert_eq!(rows(&check_file(options, file)), expected);
    }
}

#[test]
fn encoding_is_selected_for_each_file() {
    let options = alternatives(&["utf-8", "windows-1252"]);
    let files: [&[u8]; 4] = [b"\xE9", b"\xC3\xA9", b"\xE9\x81", b"\xC3\xA9 \xFF \xC3\xA9 \x81"];
    let found: Vec<_> = check_files(&options, &files).iter().map(|found| rows(found)).collect();
    assert_eq!(found[..2], [vec![], vec![]]);
    assert_eq!(found[2], [(1, "ill-formed", 1)]);
    assert_eq!(found[3], [(1, "ill-formed", 8)]);
}

#[test]
fn encoding_without_required_bom_is_rejected() {
    let mut options = alternatives(&["utf-8", "latin1"]);
    options.bom = charpipe::check::BomRule::Require;
    assert!(charpipe::check::Checker::new(&options).is_err());
}

/// The findings of the encoding that has to be selected, each of which is checked alone.
fn expected_rows(options: &CheckOptions, file: &[u8]) -> Vec<(usize, &'static str, u64)> {
    let encodings = std::iter::once(&options.encoding).chain(&options.alternatives);
    let alone: Vec<_> = encodings
        .enumerate()
        .map(|(index, encoding)| {
            let mut options = options.clone();
            (options.encoding, options.alternatives) = (encoding.clone(), Vec::new());
            let found = rows(&check_files(&options, &[file]).remove(0));
            found.into_iter().map(|(_, rule, offset)| (index, rule, offset)).collect::<Vec<_>>()
        })
        .collect();
    let first_error = |found: &[(usize, &'static str, u64)]| {
        let error = |(_, rule, offset): &(usize, &str, u64)| {
            ["ill-formed", "truncated", "binary"].contains(rule).then_some(*offset)
        };
        found.iter().find_map(error).unwrap_or(u64::MAX)
    };
    let furthest = alone.iter().map(|found| first_error(found)).max().unwrap();
    alone.into_iter().find(|found| first_error(found) == furthest).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(sample_count(300, 3) as u32))]

    #[test]
    fn selection_does_not_depend_on_the_buffer(
        parts in vec(
            prop_oneof![
                20 => select(vec![&b"a"[..], b"\r\n", b"\n", b"\xC3\xA9", b"\xE9", b"\x81", b"\0",
                    b"\x1B$B0!\x1B(B", b"\x1B", b"\xE2\x82"]).prop_map(<[u8]>::to_vec),
                1 => (1_usize..9000).prop_map(|count| vec![b'x'; count]),
            ],
            0..40,
        ),
        buffer_size in select(BUFFER_SIZES.to_vec()),
    ) {
        let file = parts.concat();
        let mut options = alternatives(&["utf-8", "iso-2022-jp", "windows-1252", "us-ascii"]);
        (options.newline, options.buffer_size) = (NewlineRule::Lf, buffer_size);
        prop_assert_eq!(rows(&check_files(&options, &[&file]).remove(0)), expected_rows(&options, &file));
    }
}
