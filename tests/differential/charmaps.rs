//! The charmaps of the GNU C library, loaded as user-defined encodings, beside the built-in encodings with their names.

use std::collections::BTreeMap;
use std::path::Path;

use charpipe::Encoding;
use charpipe_test_support::{missing, sample_stride, watch};

const DIRECTORY: &str = "/usr/share/i18n/charmaps";

/// The charmaps that no encoding can be loaded from, and why.
const INVALID: [(&str, &str); 12] = [
    ("EBCDIC-PT", "code and a character"),
    ("ISO_10646", "name of a character"),
    ("ISO_8859-1,GL", "name of a character"),
    ("JIS_C6220-1969-JP", "name of a character"),
    ("JIS_C6229-1984-A", "name of a character"),
    ("JIS_C6229-1984-B-ADD", "name of a character"),
    ("JIS_C6229-1984-HAND", "name of a character"),
    ("JIS_C6229-1984-HAND-ADD", "name of a character"),
    ("JIS_C6229-1984-KANA", "name of a character"),
    ("MAC-CENTRALEUROPE", "no mappings"),
    ("NATS-DANO-ADD", "name of a character"),
    ("NATS-SEFI-ADD", "name of a character"),
];

/// The charmaps that differ from the tables of iconv in the same library, after which the built-in encodings are made, and how.
const DIFFERENT: [(&str, &str); 24] = [
    ("ANSI_X3.110-1983", "accents by themselves are private characters"),
    ("BIG5-HKSCS", "no codes of two characters"),
    ("CP1255", "composed letters are not encoded"),
    ("CP1258", "composed letters are not encoded"),
    ("EUC-JISX0213", "no codes of two characters"),
    ("EUC-JP", "no characters that are only encoded"),
    ("EUC-JP-MS", "no characters that are only encoded"),
    ("EUC-KR", "no characters that are only encoded"),
    ("GB18030", "another edition of the standard"),
    ("IBM1163", "no characters that are only encoded"),
    ("IBM1164", "no characters that are only encoded"),
    ("IBM856", "no characters that are only encoded"),
    ("IBM922", "no characters that are only encoded"),
    ("ISO-IR-90", "accents by themselves are private characters"),
    ("ISO_646.BASIC", "more control characters"),
    ("ISO_6937", "accents by themselves are private characters"),
    ("ISO_8859-SUPP", "another dash"),
    ("JIS_X0201", "control characters from 80 on"),
    ("MAC-CYRILLIC", "the edition without U+0490"),
    ("SHIFT_JIS", "no characters that are only encoded"),
    ("SHIFT_JISX0213", "no codes of two characters"),
    ("T.61-8BIT", "accents by themselves are private characters"),
    ("UTF-8", "only assigned code points"),
    ("WINDOWS-31J", "no characters that are only encoded"),
];

/// Returns the names and contents of all charmaps that are installed.
fn charmaps() -> BTreeMap<String, Vec<u8>> {
    let Ok(entries) = std::fs::read_dir(DIRECTORY) else {
        missing("the charmaps of the package locales");
        return BTreeMap::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> =
        names.filter_map(|name| Some(name.strip_suffix(".gz")?.to_owned())).collect();
    names.sort();
    let read = |name: String| {
        let path = Path::new(DIRECTORY).join(format!("{name}.gz"));
        let output = watch::command("gzip").arg("-dc").arg(path).output().unwrap();
        assert!(output.status.success(), "{name}");
        (name, output.stdout)
    };
    names.into_iter().step_by(sample_stride(16)).map(read).collect()
}

/// Returns the codes of one and two bytes at which two encodings differ, and the characters that they encode differently.
fn differences(one: &'static Encoding, other: &'static Encoding) -> Vec<String> {
    let decode = |encoding: &'static Encoding, code: &[u8]| {
        encoding.decode_strict(code).ok().map(|text| text.into_owned())
    };
    let encode = |encoding: &'static Encoding, text: &str| {
        encoding.encode_strict(text).ok().map(|code| code.into_owned())
    };
    let mut found = Vec::new();
    let mut compare_code = |code: &[u8]| {
        let (one, other) = (decode(one, code), decode(other, code));
        if one != other {
            found.push(format!("{code:02X?} {one:?} {other:?}"));
        }
        other.is_some()
    };
    for lead in 0..=u8::MAX {
        if !compare_code(&[lead]) {
            (0..=u8::MAX).for_each(|trail| {
                compare_code(&[lead, trail]);
            });
        }
    }
    for character in ('\0'..='\u{FFFF}').chain('\u{20000}'..='\u{2FFFF}') {
        let mut utf8 = [0; 4];
        let text = &*character.encode_utf8(&mut utf8);
        let (one, other) = (encode(one, text), encode(other, text));
        if one != other {
            found.push(format!("{character:?} {one:02X?} {other:02X?}"));
        }
    }
    found
}

#[test]
fn charmaps_of_glibc_are_equal_to_built_in_encodings() {
    let (mut equal, mut surprises) = (0, Vec::new());
    let charmaps = charmaps();
    for (name, content) in &charmaps {
        let loaded = match (
            Encoding::from_mapping(name, content),
            INVALID.iter().find(|(invalid, _)| invalid == name),
        ) {
            (Ok(encoding), None) => encoding,
            (Err(error), Some((_, reason))) => {
                assert!(error.to_string().contains(reason), "{error}");
                continue;
            }
            (result, expected) => panic!("{name}: {result:?}, expected {expected:?}"),
        };
        let Some(built_in) = Encoding::for_label(name.as_bytes()) else { continue };
        let differences = differences(loaded, built_in);
        let is_known = DIFFERENT.iter().any(|(different, _)| different == name);
        if differences.is_empty() == is_known {
            surprises.push(format!("{name}: {} {:?}", differences.len(), differences.first()));
        }
        equal += usize::from(differences.is_empty());
    }
    assert!(surprises.is_empty(), "{surprises:#?}");
    // 190 of the 233 charmaps of version 2.36; eight at least are a sample.
    let min_equal = if charmaps.len() > 200 { 150 } else { 8 };
    assert!(charmaps.is_empty() || equal >= min_equal, "{equal} of {}", charmaps.len());
}
