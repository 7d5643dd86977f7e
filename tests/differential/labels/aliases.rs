//! The names of encodings: each finds what it names, and nothing else.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use charpipe::internals::encoding::{ALL, LookupError, alias, for_label, lookup_label};
use proptest::prelude::*;

/// The name without all that is neither letter nor digit, and a blank where two digits would grow
/// together into another number.
fn without_punctuation(label: &str) -> String {
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

/// The names of encodings that charpipe has, and those of encodings that it does not support.
fn halves() -> (Vec<alias::Alias>, Vec<alias::Alias>) {
    let own: HashSet<&str> = ALL.iter().map(|encoding| encoding.name()).collect();
    alias::all().partition(|known| own.contains(known.encoding))
}

#[test]
fn labels_are_case_insensitive() {
    let (present, _) = halves();
    assert!(present.len() > 150);
    for known in present {
        let label = known.name();
        for spelling in [label.to_owned(), label.to_uppercase(), label.to_lowercase()] {
            let found = for_label(&spelling).map(|found| found.name());
            assert_eq!(found, Some(known.encoding), "{spelling:?} for {label:?}");
        }
    }
}

#[test]
fn labels_match_without_punctuation_unless_ambiguous() {
    let mut wholes: HashMap<Vec<u8>, HashSet<&str>> = HashMap::new();
    for known in alias::all() {
        let key = alias::normalized(known.name()).collect();
        wholes.entry(key).or_default().insert(known.encoding);
    }
    for known in halves().0 {
        let key: Vec<u8> = alias::normalized(known.name()).collect();
        let spelling = format!(" {}_", without_punctuation(known.name()));
        match lookup_label(&spelling) {
            Ok(found) => assert_eq!(found.name(), known.encoding, "{spelling:?}"),
            Err(LookupError::Ambiguous(candidates)) => {
                assert!(candidates.contains(&known.name()), "{spelling:?}: {candidates:?}");
                assert!(wholes[&key].len() > 1, "{spelling:?}: {candidates:?}");
            }
            Err(why) => panic!("{spelling:?}: {why:?}"),
        }
    }
}

#[test]
fn unsupported_encoding_names_are_not_found() {
    for known in halves().1 {
        assert_eq!(
            lookup_label(known.name()).map(|found| found.name()),
            Err(LookupError::Unknown),
            "{known:?}"
        );
    }
}

#[test]
fn encodings_list_their_own_name_first_and_a_description() {
    for encoding in ALL {
        assert_eq!(encoding.names().next(), Some(encoding.name()));
        assert_eq!(for_label(encoding.name()).map(|found| found.name()), Some(encoding.name()));
        assert!(!encoding.description().is_empty(), "{} has no description", encoding.name());
        let names: Vec<_> = encoding.names().map(str::to_ascii_lowercase).collect();
        let different: HashSet<_> = names.iter().collect();
        assert_eq!(names.len(), different.len(), "{names:?}");
    }
}

#[test]
fn every_alias_has_sources() {
    for known in alias::all() {
        assert!(
            alias::source_names(known.sources).next().is_some(),
            "{known:?} comes from nowhere"
        );
        assert!(known.name().is_ascii() && known.name().len() < 64, "{known:?}");
    }
}

#[test]
fn encodings_have_at_most_one_mime_name() {
    let mut seen = HashSet::new();
    for known in alias::all().filter(|known| known.sources & alias::MIME != 0) {
        assert!(seen.insert(known.encoding), "{known:?}");
        assert_ne!(known.sources & alias::IANA, 0, "{known:?}");
    }
    for (encoding, mime) in [
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
        let found = alias::all()
            .find(|known| known.encoding == encoding && known.sources & alias::MIME != 0)
            .map(|known| known.name());
        assert_eq!(found, Some(mime), "{encoding}");
    }
}

#[test]
fn ambiguous_names_resolve_as_documented() {
    for (label, encoding) in [
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
        let meant = alias::all().find(|known| known.name().eq_ignore_ascii_case(label));
        assert_eq!(meant.map(|known| known.encoding), Some(encoding), "{label}");
        let there = ALL.iter().find(|known| known.name() == encoding).map(|known| known.name());
        assert_eq!(for_label(label).map(|found| found.name()), there, "{label}");
    }
}

/// The external names of table TCP00. Those of 8000, 8300 and 8500 are based on code pages of Windows.
#[test]
fn sap_code_pages_have_their_external_names() {
    for (number, name) in [
        (1100, "iso-8859-1"),
        (1101, "us-ascii"),
        (1103, "ibm850"),
        (1160, "windows-1252"),
        (1164, "iso-8859-15"),
        (1401, "iso-8859-2"),
        (1404, "windows-1250"),
        (1500, "iso-8859-5"),
        (1504, "windows-1251"),
        (1510, "koi8-r"),
        (1610, "iso-8859-9"),
        (1700, "iso-8859-7"),
        (1800, "iso-8859-8"),
        (1904, "windows-1257"),
        (4102, "utf-16be"),
        (4103, "utf-16le"),
        (4110, "utf-8"),
        (8000, "cp932"),
        (8100, "euc-jp"),
        (8200, "iso-2022-jp"),
        (8300, "cp950"),
        (8400, "gbk"),
        (8450, "gb2312"),
        (8500, "cp949"),
        (8600, "tis-620"),
        (8604, "windows-874"),
        (8704, "windows-1256"),
        (8805, "windows-1258"),
    ] {
        for label in [format!("sap-{number}"), format!("SAP{number}")] {
            assert_eq!(for_label(&label), for_label(name), "{label}");
        }
        assert_eq!(for_label(&number.to_string()), None, "{number}");
    }
}

#[test]
fn confusable_letters_are_different_labels() {
    // Unicode case folding would take KELVIN SIGN for k and LONG S for s.
    for known in alias::all() {
        {
            let label = known.name();
            for (letter, like) in [('k', '\u{212A}'), ('s', '\u{17F}'), ('i', '\u{131}')] {
                let folded = label.to_lowercase();
                if folded.contains(letter) {
                    let label = folded.replacen(letter, &like.to_string(), 1);
                    assert!(for_label(&label).is_none(), "{label:?}");
                }
            }
        }
    }
}

#[test]
fn unusual_labels_are_looked_up_in_bounded_time() {
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
        std::hint::black_box(lookup_label(label).is_ok());
    }
    // A tenth of a second where nothing else runs.
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

proptest! {
    #[test]
    fn a_found_encoding_has_the_label_among_its_names(label in ".{0,40}") {
        if let Some(encoding) = for_label(&label) {
            prop_assert!(encoding.names().any(|known| alias::labels_match(known, &label)), "{label:?}");
        }
    }

    #[test]
    fn no_label_made_of_parts_of_names_is_found_by_mistake(
        parts in prop::collection::vec("(utf|iso|cp|ibm|-|_|:|/|0|1|8|16|8859|1252|le|be|\u{0}|\u{202E}|\u{212A})", 0..7)
    ) {
        let label = parts.concat();
        match lookup_label(&label) {
            Ok(found) => {
                prop_assert!(found.names().any(|known| alias::labels_match(known, &label)), "{label:?}");
            }
            Err(_) => {
                let mut names = alias::all().filter(|n| n.name().eq_ignore_ascii_case(&label));
                let exact = names.any(|n| ALL.iter().any(|it| it.name() == n.encoding));
                prop_assert!(!exact, "{label:?}");
            }
        }
    }
}

/// Windows-51932 is EUC-JP with the characters of code page 932 and without those of JIS X 0212, and code page
/// 50220 is ISO-2022-JP that writes half-width katakana as full-width, as the encodings of browsers.
#[test]
fn japanese_code_pages_of_iana_are_those_of_browsers() {
    for (label, name) in [
        ("cp51932", "whatwg:EUC-JP"),
        ("windows-51932", "whatwg:EUC-JP"),
        ("csCP51932", "whatwg:EUC-JP"),
        ("cp50220", "whatwg:ISO-2022-JP"),
        ("csCP50220", "whatwg:ISO-2022-JP"),
    ] {
        assert_eq!(for_label(label).map(|found| found.name()), Some(name), "{label}");
    }
    let encode =
        |label: &str, text| for_label(label).unwrap().encode_strict(text).unwrap().into_owned();
    // NEC row 13, an extension of IBM, and full-width tilde.
    assert_eq!(encode("cp51932", "①髙～"), b"\xAD\xA1\xFC\xE2\xA1\xC1");
    assert_eq!(encode("cp50220", "ｱ"), b"\x1B$B%\"\x1B(B");
}
