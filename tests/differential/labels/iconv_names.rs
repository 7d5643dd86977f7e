//! The names of encodings in the iconv of glibc, as `charpipe detect --name` prints them.

use std::collections::{BTreeMap, BTreeSet};

use charpipe::Encoding;
use charpipe::internals::encoding::{ALL, alias, for_label};

use charpipe_test_support::{Requirement, require, watch};

/// The output of `iconv -l` of glibc 2.36.
const GLIBC: &str = include_str!("../../data/names/glibc-2.36.txt");

fn names_of(listing: &str) -> BTreeSet<&str> {
    listing.lines().map(|line| line.trim_end_matches('/')).collect()
}

/// Returns the character that each byte, and each pair that begins with no character, is decoded to.
fn characters(encoding: &'static Encoding) -> BTreeMap<Vec<u8>, String> {
    let decode = |bytes: &[u8]| encoding.decode_strict(bytes).ok().map(|text| text.into_owned());
    let mut characters = BTreeMap::new();
    for lead in 0..=0xFF {
        if let Some(text) = decode(&[lead]) {
            characters.insert(vec![lead], text);
            continue;
        }
        let pairs = (0x30..=0xFE).map(|trail| vec![lead, trail]);
        characters.extend(pairs.filter_map(|pair| decode(&pair).map(|text| (pair, text))));
    }
    characters
}

#[test]
fn names_are_those_of_glibc_and_mean_the_same_here() {
    let known = names_of(GLIBC);
    let mut count = 0;
    for encoding in ALL {
        let Some(name) = encoding.iconv_name() else { continue };
        assert!(known.contains(name.as_str()), "{}: {name}", encoding.name());
        let found = for_label(&name).unwrap_or_else(|| panic!("{name} is unknown"));
        if !encoding.name().starts_with("whatwg:") {
            assert_eq!(found.name(), encoding.name(), "{name}");
        }
        count += 1;
    }
    assert!(count > 250, "{count}");
}

#[test]
fn encodings_without_a_name_are_not_those_of_glibc() {
    for encoding in ALL.iter().filter(|encoding| encoding.iconv_name().is_none()) {
        for alias in alias::all().filter(|alias| alias.encoding == encoding.name()) {
            let means = for_label(&format!("glibc:{}", alias.name()));
            assert_ne!(means.map(Encoding::name), Some(encoding.name()), "{}", alias.name());
        }
    }
}

/// The numbers of characters that differ are those of the tables of the Encoding Standard and glibc.
#[test]
fn variants_of_browsers_decode_as_the_encoding_of_glibc() {
    for (variant, name, differing) in [
        ("whatwg:Big5", "BIG5-HKSCS", 11),
        ("whatwg:EUC-JP", "EUC-JP", 6),
        ("whatwg:EUC-KR", "UHC", 0),
        ("whatwg:GBK", "GB18030", 1),
        ("whatwg:ISO-2022-JP", "ISO-2022-JP", 0),
        ("whatwg:KOI8-U", "KOI8-U", 2),
        ("whatwg:Shift_JIS", "WINDOWS-31J", 0),
        ("whatwg:gb18030", "GB18030", 1),
        ("whatwg:macintosh", "MACINTOSH", 2),
        ("whatwg:windows-1250", "WINDOWS-1250", 0),
        ("whatwg:windows-1251", "WINDOWS-1251", 0),
        ("whatwg:windows-1252", "WINDOWS-1252", 0),
        ("whatwg:windows-1253", "WINDOWS-1253", 0),
        ("whatwg:windows-1254", "WINDOWS-1254", 0),
        ("whatwg:windows-1255", "WINDOWS-1255", 0),
        ("whatwg:windows-1257", "WINDOWS-1257", 0),
        ("whatwg:windows-1258", "WINDOWS-1258", 0),
        ("whatwg:windows-874", "WINDOWS-874", 0),
        ("whatwg:x-mac-cyrillic", "MAC-UK", 1),
    ] {
        let encoding = for_label(variant).unwrap();
        assert_eq!(encoding.name(), variant);
        assert_eq!(encoding.iconv_name().as_deref(), Some(name));
        let (here, there) = (characters(encoding), characters(for_label(name).unwrap()));
        let pairs = here.iter().filter_map(|(bytes, text)| Some((bytes, text, there.get(bytes)?)));
        let found: Vec<_> = pairs.filter(|(_, text, other)| text != other).take(20).collect();
        assert!(found.len() <= differing, "{variant}: {found:?}");
    }
    let mut variants = ALL.iter().filter(|encoding| encoding.name().starts_with("whatwg:"));
    let without = variants.find(|encoding| encoding.iconv_name().is_none());
    assert_eq!(without.map(|encoding| encoding.name()), Some("whatwg:replacement"));
}

#[test]
fn the_installed_iconv_accepts_the_names() {
    if !require(Requirement::Program("iconv")) {
        return;
    }
    let listing = watch::command("iconv").arg("-l").output().unwrap().stdout;
    let listing = String::from_utf8(listing).unwrap();
    let known = names_of(&listing);
    for encoding in ALL {
        let name = encoding.iconv_name();
        assert!(name.iter().all(|name| known.contains(name.as_str())), "{name:?}");
    }
}
