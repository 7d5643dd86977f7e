//! Names that other programs know: which of them are known here, and why not the others.

use std::collections::{BTreeMap, BTreeSet};

use charpipe::internals::encoding::{ALL, LookupError, alias, for_label, lookup_label};

/// The output of `iconv -l` of glibc 2.36.
const GLIBC: &str = include_str!("../../data/names/glibc-2.36.txt");

/// Every name by which glibc 2.36, libiconv 1.19, ICU 72, CPython 3.13, the Encoding Standard, the
/// IANA registry, recode 3.6 or Perl's Encode 3.17 know an encoding, but for its case.
const INVENTORY: &str = include_str!("../../data/names/inventory.txt");

/// Those of them that find nothing, and why.
pub const UNRESOLVED: &str = include_str!("../../data/names/unresolved.tsv");

/// The encoding of a label by the table of names, whether or not charpipe has it.
fn encoding_of(label: &str) -> Option<&'static str> {
    let bare = label.trim_end_matches('/');
    let exact = alias::all().find(|known| known.name().eq_ignore_ascii_case(bare));
    let like = || {
        let mut like = alias::all().filter(|known| alias::labels_match(known.name(), label));
        let first = like.next()?;
        like.all(|known| known.encoding == first.encoding).then_some(first)
    };
    exact.or_else(like).map(|known| known.encoding)
}

fn is_supported(encoding: &str) -> bool {
    ALL.iter().any(|known| known.name() == encoding)
}

#[test]
fn glibc_names_are_supported() {
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = 0;
    for label in GLIBC.lines() {
        let encoding =
            encoding_of(label).unwrap_or_else(|| panic!("{label:?} belongs to no encoding"));
        count += 1;
        if is_supported(encoding) {
            let name = label.strip_suffix("//").unwrap_or(label);
            for spelling in [label, name, &name.to_lowercase()] {
                assert_eq!(for_label(spelling).map(|it| it.name()), Some(encoding), "{spelling:?}");
            }
        } else {
            *missing.entry(encoding).or_default() += 1;
        }
    }
    assert_eq!(count, 1180);
    let names: usize = missing.values().sum();
    println!("{names} names of {} encodings that are not there: {missing:?}", missing.len());
}

#[test]
fn unresolved_names_match_the_list() {
    let mut nowhere = BTreeSet::new();
    let mut missing = 0;
    for label in INVENTORY.lines() {
        match (encoding_of(label), lookup_label(label)) {
            (Some(encoding), Ok(found)) => assert_eq!(found.name(), encoding, "{label:?}"),
            (Some(encoding), Err(why)) => {
                assert!(!is_supported(encoding), "{label:?}: {why:?}");
                missing += 1;
            }
            (None, Ok(found)) => panic!("{label:?} finds {}", found.name()),
            (None, Err(_)) => {
                nowhere.insert(label);
            }
        }
    }
    println!("{missing} names belong to encodings that are not there");
    let listed: BTreeSet<_> =
        UNRESOLVED.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(nowhere, listed);
    assert!(
        UNRESOLVED.lines().all(|line| line.split('\t').nth(1).is_some_and(|why| !why.is_empty()))
    );
}

#[test]
fn ambiguous_name_is_rejected_with_all_candidates() {
    for (label, encodings) in [
        ("ks c 5601", &["KSC_5601", "libiconv:CP949", "EUC-KR"][..]),
        ("isoir91", &["NATS-DANO", "JIS_C6229-1984-a"]),
        ("mac-roman", &["libiconv:MacRoman", "whatwg:macintosh"]),
    ] {
        assert_eq!(encoding_of(label), None, "{label}");
        let there = encodings.iter().filter(|encoding| is_supported(encoding)).count();
        match lookup_label(label) {
            Ok(found) => panic!("{label:?} finds {}", found.name()),
            Err(LookupError::Unsupported(reason)) => panic!("{label:?} is refused: {reason}"),
            Err(LookupError::Unknown) => assert_eq!(there, 0, "{label}"),
            Err(LookupError::Ambiguous(candidates)) => {
                let meant: BTreeSet<_> = candidates
                    .iter()
                    .filter_map(|name| for_label(name))
                    .map(|it| it.name())
                    .collect();
                assert_eq!(meant.len(), there, "{label}: {candidates:?}");
            }
        }
    }
}
