//! Byte order marks, forbidden and required.

use charpipe::internals::check::{BomRule, Checker, FindingKind};

use crate::check::driver::{check_file, rules};

/// Findings at the start of a file, by rule.
fn bom_findings(encoding: &str, file: &[u8]) -> (Option<u64>, bool) {
    let by = |mark| {
        let mut rules = rules(encoding);
        rules.bom = mark;
        let mut found = check_file(rules, file);
        found.retain(|finding| {
            matches!(finding.kind, FindingKind::UnexpectedBom | FindingKind::MissingBom)
        });
        assert!(found.iter().all(|finding| finding.position.offset == 0 && found.len() == 1));
        found.pop()
    };
    assert_eq!(by(BomRule::Any), None);
    let forbidden = by(BomRule::Forbid).map(|finding| {
        assert_eq!(finding.kind, FindingKind::UnexpectedBom);
        finding.len
    });
    let missing = by(BomRule::Require).map(|finding| finding.kind) == Some(FindingKind::MissingBom);
    (forbidden, missing)
}

#[test]
fn bom_is_found_whether_the_decoder_keeps_it_or_not() {
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
            rules.bom = BomRule::Require;
            assert!(Checker::new(&rules).is_err(), "ASCII has no mark to require");
            continue;
        }
        assert_eq!(bom_findings(encoding, file), expected, "{encoding} {file:02X?}");
    }
}

#[test]
fn empty_file_needs_no_bom() {
    for encoding in ["utf-8", "utf-16", "utf-7"] {
        assert_eq!(bom_findings(encoding, b""), (None, false), "{encoding}");
    }
}

#[test]
fn bom_in_base64_is_found() {
    let (forbidden, missing) = bom_findings("utf-7", b"+/v8-a");
    assert!(forbidden.is_some() && !missing);
    assert_eq!(bom_findings("utf-7", b"+AGE-+/v8-"), (None, true));
}
