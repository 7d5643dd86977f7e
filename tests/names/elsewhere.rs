//! Names that other programs know: which of them are known here, and why not the others.

use std::collections::{BTreeMap, BTreeSet};

use charpipe::charset::{ALL, NotFound, find, name, resolve};

/// What `iconv -l` of glibc 2.36 prints.
const GLIBC: &str = include_str!("../data/names/glibc-2.36.txt");

/// Every name by which glibc 2.36, libiconv 1.19, ICU 72, CPython 3.13, the Encoding Standard, the
/// IANA registry, recode 3.6 or Perl's Encode 3.17 know a charset, but for its case.
const INVENTORY: &str = include_str!("../data/names/inventory.txt");

/// Those of them that find nothing, and why.
const UNRESOLVED: &str = include_str!("../data/names/unresolved.tsv");

/// The charset of a label by the table of names, whether or not charpipe has it.
fn owner(label: &str) -> Option<&'static str> {
    let bare = label.trim_end_matches('/');
    let exact = name::all().find(|known| known.name.eq_ignore_ascii_case(bare));
    let like = || {
        let mut like = name::all().filter(|known| name::same(known.name, label));
        let first = like.next()?;
        like.all(|known| known.charset == first.charset).then_some(first)
    };
    exact.or_else(like).map(|known| known.charset)
}

fn is_there(charset: &str) -> bool {
    ALL.iter().any(|known| known.name == charset)
}

#[test]
fn every_name_of_glibc_is_known() {
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = 0;
    for label in GLIBC.lines() {
        let charset = owner(label).unwrap_or_else(|| panic!("{label:?} belongs to no charset"));
        count += 1;
        if is_there(charset) {
            let name = label.strip_suffix("//").unwrap_or(label);
            for spelling in [label, name, &name.to_lowercase()] {
                assert_eq!(find(spelling).map(|it| it.name), Some(charset), "{spelling:?}");
            }
        } else {
            *missing.entry(charset).or_default() += 1;
        }
    }
    assert_eq!(count, 1180);
    let names: usize = missing.values().sum();
    println!("{names} names of {} charsets that are not there: {missing:?}", missing.len());
}

#[test]
fn the_names_that_find_nothing_are_those_of_the_list() {
    let mut nowhere = BTreeSet::new();
    let mut missing = 0;
    for label in INVENTORY.lines() {
        match (owner(label), resolve(label)) {
            (Some(charset), Ok(found)) => assert_eq!(found.name, charset, "{label:?}"),
            (Some(charset), Err(why)) => {
                assert!(!is_there(charset), "{label:?}: {why:?}");
                missing += 1;
            }
            (None, Ok(found)) => panic!("{label:?} finds {}", found.name),
            (None, Err(_)) => {
                nowhere.insert(label);
            }
        }
    }
    println!("{missing} names belong to charsets that are not there");
    let listed: BTreeSet<_> =
        UNRESOLVED.lines().filter_map(|line| line.split('\t').next()).collect();
    assert_eq!(nowhere, listed);
    assert!(
        UNRESOLVED.lines().all(|line| line.split('\t').nth(1).is_some_and(|why| !why.is_empty()))
    );
}

#[test]
fn a_name_that_fits_two_charsets_is_refused_with_both() {
    for (label, charsets) in [
        ("ks c 5601", &["KSC_5601", "libiconv:CP949", "EUC-KR"][..]),
        ("isoir91", &["NATS-DANO", "JIS_C6229-1984-a"]),
        ("mac-roman", &["libiconv:MacRoman", "whatwg:macintosh"]),
    ] {
        assert_eq!(owner(label), None, "{label}");
        let there = charsets.iter().filter(|charset| is_there(charset)).count();
        match resolve(label) {
            Ok(found) => panic!("{label:?} finds {}", found.name),
            Err(NotFound::Refused(reason)) => panic!("{label:?} is refused: {reason}"),
            Err(NotFound::Unknown) => assert_eq!(there, 0, "{label}"),
            Err(NotFound::Ambiguous(candidates)) => {
                let meant: BTreeSet<_> =
                    candidates.iter().filter_map(|name| find(name)).map(|it| it.name).collect();
                assert_eq!(meant.len(), there, "{label}: {candidates:?}");
            }
        }
    }
}
