//! Files that are no text, and messages of which only a part is checked.

use charpipe::check::{Binary, HEAD, Newline};

use crate::run::{rows, rules};

const PICTURE: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\xFF\xFF";

#[test]
fn a_file_with_nul_near_its_start_is_one_finding() {
    let mut strict = rules("utf-8");
    strict.newline = Newline::Lf;
    assert_eq!(rows(strict.clone(), PICTURE), [("binary", 8, 1, 3, 1, 1)]);
    let late = [&vec![0xFF; HEAD - 1][..], b"\0\0\xFF"].concat();
    let offset = HEAD as u64 - 1;
    assert_eq!(rows(strict, &late), [("binary", offset, 1, 1, offset + 1, offset + 1)]);
}

#[test]
fn a_file_with_nul_later_on_is_checked_as_far_as_that() {
    let file = [b"\xFF\n", &vec![b'a'; HEAD][..], b"\xE2\x82\0\xFF\0"].concat();
    let end = HEAD as u64;
    let expected = [
        ("ill-formed", 0, 1, 1, 1, 1),
        ("ill-formed", end + 2, 2, 2, end + 1, end + 1),
        ("binary", end + 4, 1, 2, end + 2, end + 3),
    ];
    assert_eq!(rows(rules("utf-8"), &file), expected);
    let mut skip = rules("utf-8");
    skip.binary = Binary::Skip;
    assert_eq!(rows(skip, &file), expected[..2]);
}

#[test]
fn nul_may_be_passed_over_or_taken_for_text() {
    for (rule, count) in [(Binary::Report, 1), (Binary::Skip, 0), (Binary::Text, 3)] {
        let mut rules = rules("utf-8");
        rules.binary = rule;
        assert_eq!(rows(rules, PICTURE).len(), count, "{rule:?}");
    }
}

#[test]
fn nul_is_nothing_special_to_encodings_that_are_full_of_it() {
    for encoding in ["utf-16be", "utf-32be", "ucs-2be", "ucs-4be"] {
        assert_eq!(rows(rules(encoding), b"\0\0\0\n\0\0\0a"), [], "{encoding}");
    }
}

#[test]
fn nul_that_is_a_fault_of_its_encoding_is_told_as_binary_all_the_same() {
    assert_eq!(rows(rules("mutf-8"), b"ab\0"), [("binary", 2, 1, 1, 3, 3)]);
    assert_eq!(rows(rules("mutf-8"), b"ab\xC0\x80"), []);
    assert_eq!(rows(rules("us-ascii"), b"\r\n\0\xFF"), [("binary", 2, 1, 2, 1, 1)]);
}

#[test]
fn of_a_message_only_the_header_block_is_checked() {
    let mut rules = rules("utf-8");
    rules.message = true;
    let mail = b"A: \xE9\r\n b\xFF\r\n\r\nbody \xFF\0";
    let expected = [("ill-formed", 3, 1, 1, 4, 4), ("ill-formed", 8, 1, 2, 3, 3)];
    assert_eq!(rows(rules, mail), expected);
}
