//! The names of charsets: each finds what it names, and nothing else.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use charpipe::charset::{ALL, NotFound, find, name, resolve};
use proptest::prelude::*;

/// The name without all that is neither letter nor digit, and a blank where two digits would grow
/// together into another number.
fn bare(label: &str) -> String {
    let mut bare = String::new();
    let mut parted = false;
    for character in label.chars() {
        if character.is_ascii_alphanumeric() {
            let digits = character.is_ascii_digit() && bare.ends_with(|c: char| c.is_ascii_digit());
            if parted && digits {
                bare.push(' ');
            }
            bare.push(character);
        }
        parted = !character.is_ascii_alphanumeric();
    }
    bare
}

/// The names of charsets that charpipe has, and those of charsets that it lacks.
fn halves() -> (Vec<name::Name>, Vec<name::Name>) {
    let own: HashSet<&str> = ALL.iter().map(|charset| charset.name).collect();
    name::all().partition(|known| own.contains(known.charset))
}

#[test]
fn every_name_finds_its_charset_in_any_case() {
    let (present, _) = halves();
    assert!(present.len() > 150);
    for known in present {
        let label = known.name;
        for spelling in [label.to_owned(), label.to_uppercase(), label.to_lowercase()] {
            let found = find(&spelling).map(|found| found.name);
            assert_eq!(found, Some(known.charset), "{spelling:?} for {label:?}");
        }
    }
}

#[test]
fn every_name_finds_its_charset_without_punctuation_unless_it_may_mean_another() {
    let mut wholes: HashMap<Vec<u8>, HashSet<&str>> = HashMap::new();
    for known in name::all() {
        let key = name::significant(known.name).collect();
        wholes.entry(key).or_default().insert(known.charset);
    }
    for known in halves().0 {
        let key: Vec<u8> = name::significant(known.name).collect();
        let spelling = format!(" {}_", bare(known.name));
        match resolve(&spelling) {
            Ok(found) => assert_eq!(found.name, known.charset, "{spelling:?}"),
            Err(NotFound::Ambiguous(candidates)) => {
                assert!(candidates.contains(&known.name), "{spelling:?}: {candidates:?}");
                assert!(wholes[&key].len() > 1, "{spelling:?}: {candidates:?}");
            }
            Err(why) => panic!("{spelling:?}: {why:?}"),
        }
    }
}

#[test]
fn the_name_of_a_charset_that_charpipe_lacks_finds_nothing() {
    for known in halves().1 {
        assert_eq!(
            resolve(known.name).map(|found| found.name),
            Err(NotFound::Unknown),
            "{known:?}"
        );
    }
}

#[test]
fn every_charset_has_its_own_name_first_and_is_described() {
    for charset in ALL {
        assert_eq!(charset.names().next(), Some(charset.name));
        assert_eq!(find(charset.name).map(|found| found.name), Some(charset.name));
        assert!(!charset.about.is_empty(), "{} has no description", charset.name);
        let names: Vec<_> = charset.names().map(str::to_ascii_lowercase).collect();
        let different: HashSet<_> = names.iter().collect();
        assert_eq!(names.len(), different.len(), "{names:?}");
    }
}

#[test]
fn every_name_says_who_uses_it() {
    for known in name::all() {
        assert!(name::labels(known.sources).next().is_some(), "{known:?} comes from nowhere");
        assert!(known.name.is_ascii() && known.name.len() < 64, "{known:?}");
    }
}

#[test]
fn a_charset_has_at_most_one_name_for_mime() {
    let mut seen = HashSet::new();
    for known in name::all().filter(|known| known.sources & name::MIME != 0) {
        assert!(seen.insert(known.charset), "{known:?}");
        assert_ne!(known.sources & name::IANA, 0, "{known:?}");
    }
    for (charset, mime) in [
        ("UTF-8", "UTF-8"),
        ("ISO-8859-1", "ISO-8859-1"),
        ("US-ASCII", "US-ASCII"),
        ("SJIS", "Shift_JIS"),
        ("EUC-CN", "GB2312"),
        ("EUC-KR", "EUC-KR"),
        ("CP1252", "windows-1252"),
        ("CP932", "Windows-31J"),
        ("KOI8-R", "KOI8-R"),
        ("IBM437", "IBM437"),
    ] {
        let found = name::all()
            .find(|known| known.charset == charset && known.sources & name::MIME != 0)
            .map(|known| known.name);
        assert_eq!(found, Some(mime), "{charset}");
    }
}

#[test]
fn the_names_that_mean_different_charsets_to_the_two_libraries_mean_this() {
    for (label, charset) in [
        ("CP936", "CP936"),
        ("MS936", "GBK"),
        ("WINDOWS-936", "GBK"),
        ("CP950", "CP950"),
        ("IBM-932", "IBM932"),
        ("IBM-921", "IBM921"),
        ("MACCYRILLIC", "MAC-UK"),
        ("CSUNICODE", "UNICODE"),
        ("UCS-2LE", "UCS-2LE"),
        ("UCS-4BE", "UCS-4BE"),
        ("UNICODELITTLE", "UCS-2LE"),
    ] {
        let meant = name::all().find(|known| known.name.eq_ignore_ascii_case(label));
        assert_eq!(meant.map(|known| known.charset), Some(charset), "{label}");
        let there = ALL.iter().find(|known| known.name == charset).map(|known| known.name);
        assert_eq!(find(label).map(|found| found.name), there, "{label}");
    }
}

#[test]
fn look_alikes_of_letters_are_other_names() {
    // Unicode case folding would take KELVIN SIGN for k and LONG S for s.
    for known in name::all() {
        {
            let label = known.name;
            for (letter, like) in [('k', '\u{212A}'), ('s', '\u{17F}'), ('i', '\u{131}')] {
                let folded = label.to_lowercase();
                if folded.contains(letter) {
                    let label = folded.replacen(letter, &like.to_string(), 1);
                    assert!(find(&label).is_none(), "{label:?}");
                }
            }
        }
    }
}

#[test]
fn a_label_out_of_the_ordinary_costs_no_more_than_another() {
    let long = "utf-8".repeat(20_000);
    let labels = [
        &long,
        "\0",
        "utf-8\0",
        "\u{202E}8-ftu",
        "utf\u{2010}8",
        "UTF-8\u{200B}",
        "////////",
        "cp00000000000000000000000000000000000000000000000000000000000000000000000000000000000850",
        &"a".repeat(100),
        &"0".repeat(100),
        &"-".repeat(100),
    ];
    let begun = Instant::now();
    for label in labels.iter().cycle().take(110_000) {
        std::hint::black_box(resolve(label).is_ok());
    }
    // A tenth of a second where nothing else runs.
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

proptest! {
    #[test]
    fn a_found_charset_has_the_label_among_its_names(label in ".{0,40}") {
        if let Some(charset) = find(&label) {
            prop_assert!(charset.names().any(|known| name::same(known, &label)), "{label:?}");
        }
    }

    #[test]
    fn no_label_made_of_parts_of_names_is_found_by_mistake(
        parts in prop::collection::vec("(utf|iso|cp|ibm|-|_|:|/|0|1|8|16|8859|1252|le|be|\u{0}|\u{202E}|\u{212A})", 0..7)
    ) {
        let label = parts.concat();
        match resolve(&label) {
            Ok(found) => {
                prop_assert!(found.names().any(|known| name::same(known, &label)), "{label:?}");
            }
            Err(_) => {
                let mut names = name::all().filter(|n| n.name.eq_ignore_ascii_case(&label));
                let exact = names.any(|n| ALL.iter().any(|it| it.name == n.charset));
                prop_assert!(!exact, "{label:?}");
            }
        }
    }
}
