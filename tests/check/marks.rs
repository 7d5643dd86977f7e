//! Byte order marks, forbidden and required.

use charpipe::check::{Checker, Mark, Problem};

use crate::run::{found, rules};

/// What is found at the beginning of a file by each rule.
fn told(encoding: &str, file: &[u8]) -> (Option<u64>, bool) {
    let by = |mark| {
        let mut rules = rules(encoding);
        rules.mark = mark;
        let mut found = found(rules, file);
        found.retain(|finding| matches!(finding.problem, Problem::Marked | Problem::Unmarked));
        assert!(found.iter().all(|finding| finding.place.offset == 0 && found.len() == 1));
        found.pop()
    };
    assert_eq!(by(Mark::Any), None);
    let forbidden = by(Mark::Forbid).map(|finding| {
        assert_eq!(finding.problem, Problem::Marked);
        finding.len
    });
    let missing = by(Mark::Require).map(|finding| finding.problem) == Some(Problem::Unmarked);
    (forbidden, missing)
}

#[test]
fn a_mark_is_seen_whether_the_decoder_keeps_or_drops_it() {
    for (encoding, file, expected) in [
        ("utf-8", &b"\xEF\xBB\xBFa"[..], (Some(3), false)),
        ("utf-8", b"\xEF\xBB\xBF", (Some(3), false)),
        ("utf-8", b"a\xEF\xBB\xBF", (None, true)),
        ("utf-8", b"\xEF\xBB", (None, true)),
        ("utf-8", b"\xFF\xEF\xBB\xBF", (None, true)),
        ("utf-16", b"\xFF\xFEa\0", (Some(2), false)),
        ("utf-16", b"\xFE\xFF\0a", (Some(2), false)),
        ("utf-16", b"\xFF\xFE", (Some(2), false)),
        ("utf-16", b"\xFF\xFE\0\xDC", (Some(2), false)),
        ("utf-16", b"a\0\xFF\xFE", (None, true)),
        ("utf-16", b"\0\xDC\xFF\xFE", (None, true)),
        ("utf-16le", b"\xFF\xFEa\0", (Some(2), false)),
        ("utf-16be", b"\xFF\xFEa\0", (None, true)),
        ("utf-32", b"\0\0\xFE\xFF\0\0\0a", (Some(4), false)),
        ("ucs-2", b"\xFE\xFF\0a", (Some(2), false)),
        ("ucs-4", b"\0\0\xFE\xFF", (Some(4), false)),
        ("bocu-1", b"\xFB\xEE\x28a", (Some(3), false)),
        ("us-ascii", b"\xEF\xBB\xBF", (None, false)),
    ] {
        if encoding == "us-ascii" {
            let mut rules = rules(encoding);
            rules.mark = Mark::Require;
            assert!(Checker::new(&rules).is_err(), "ASCII has no mark to require");
            continue;
        }
        assert_eq!(told(encoding, file), expected, "{encoding} {file:02X?}");
    }
}

#[test]
fn an_empty_file_needs_no_mark() {
    for encoding in ["utf-8", "utf-16", "utf-7"] {
        assert_eq!(told(encoding, b""), (None, false), "{encoding}");
    }
}

#[test]
fn a_mark_in_base64_is_one() {
    let (forbidden, missing) = told("utf-7", b"+/v8-a");
    assert!(forbidden.is_some() && !missing);
    assert_eq!(told("utf-7", b"+AGE-+/v8-"), (None, true));
}
