//! Files that are no text, and messages of which only a part is checked.

use charpipe::internals::check::{BINARY_SNIFF_LEN, BinaryFiles, NewlineRule};

use crate::check::driver::{finding_rows, rules};

const PNG_START: &[u8] = b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\x01\xFF\xFF";

#[test]
fn a_file_with_nul_near_its_start_is_one_finding() {
    let mut strict = rules("utf-8");
    strict.newline = NewlineRule::Lf;
    assert_eq!(finding_rows(strict.clone(), PNG_START), [("binary", 8, 1, 3, 1, 1)]);
    let late = [&vec![0xFF; BINARY_SNIFF_LEN - 1][..], b"\0\0\xFF"].concat();
    let offset = BINARY_SNIFF_LEN as u64 - 1;
    assert_eq!(finding_rows(strict, &late), [("binary", offset, 1, 1, offset + 1, offset + 1)]);
}

#[test]
fn a_file_with_nul_later_on_is_checked_as_far_as_that() {
    let file = [b"\xFF\n", &vec![b'a'; BINARY_SNIFF_LEN][..], b"\xE2\x82\0\xFF\0"].concat();
    let end = BINARY_SNIFF_LEN as u64;
    let expected = [
        ("ill-formed", 0, 1, 1, 1, 1),
        ("ill-formed", end + 2, 2, 2, end + 1, end + 1),
        ("binary", end + 4, 1, 2, end + 2, end + 3),
    ];
    assert_eq!(finding_rows(rules("utf-8"), &file), expected);
    let mut skip = rules("utf-8");
    skip.binary_files = BinaryFiles::Skip;
    assert_eq!(finding_rows(skip, &file), expected[..2]);
}

#[test]
fn nul_may_be_skipped_or_accepted_as_text() {
    for (rule, count) in [(BinaryFiles::Report, 1), (BinaryFiles::Skip, 0), (BinaryFiles::Text, 3)]
    {
        let mut rules = rules("utf-8");
        rules.binary_files = rule;
        assert_eq!(finding_rows(rules, PNG_START).len(), count, "{rule:?}");
    }
}

#[test]
fn nul_is_allowed_in_encodings_that_use_it() {
    for encoding in ["utf-16be", "utf-32be", "ucs-2be", "ucs-4be"] {
        assert_eq!(finding_rows(rules(encoding), b"\0\0\0\n\0\0\0a"), [], "{encoding}");
    }
}

#[test]
fn malformed_nul_is_reported_as_binary() {
    assert_eq!(finding_rows(rules("mutf-8"), b"ab\0"), [("binary", 2, 1, 1, 3, 3)]);
    assert_eq!(finding_rows(rules("mutf-8"), b"ab\xC0\x80"), []);
    assert_eq!(finding_rows(rules("us-ascii"), b"\r\n\0\xFF"), [("binary", 2, 1, 2, 1, 1)]);
}

#[test]
fn only_the_header_of_a_message_is_checked() {
    let mut rules = rules("utf-8");
    rules.headers_only = true;
    let mail = b"A: \xE9\r\n b\xFF\r\n\r\nbody \xFF\0";
    let expected = [("ill-formed", 3, 1, 1, 4, 4), ("ill-formed", 8, 1, 2, 3, 3)];
    assert_eq!(finding_rows(rules, mail), expected);
}
