//! Mapping files of other projects, loaded as user-defined encodings, beside the built-in encodings with their names: the
//! charmaps of the GNU C library, and tables of ICU in its own format, made from its converters because no package has the
//! `.ucm` files.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use charpipe::Encoding;
use charpipe_test_support::{missing, sample_stride, watch};

use crate::converters::{
    ConverterProcess, ConverterQuery, ConverterResult, OtherConverter, QueryMode,
};
use crate::label_tables;

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

/// Returns what ICU converts each of these inputs to. `Err` says whether more input is needed.
fn icu_results(
    converters: &mut ConverterProcess,
    from: &str,
    to: &str,
    inputs: &[Vec<u8>],
) -> Vec<Result<Vec<u8>, bool>> {
    let mut input = Vec::new();
    for one in inputs {
        input.push(one.len() as u8);
        input.extend(one);
    }
    let mode = QueryMode::Units;
    let query = ConverterQuery { converter: OtherConverter::Icu, mode, from, to, input: &input };
    let Some(ConverterResult::Output(results)) = converters.query(&[query]).pop() else {
        panic!("{from} to {to}")
    };
    let mut rest = &results[..];
    let mut next = || {
        let (len, after) = rest.split_first().expect("a result for each input");
        let len = usize::from(*len);
        rest = after;
        if len >= 0xFE {
            return Err(len == 0xFE);
        }
        let (result, after) = rest.split_at(len);
        rest = after;
        Ok(result.to_vec())
    };
    inputs.iter().map(|_| next()).collect()
}

/// Returns a table of ICU with codes of one and two bytes as a UCM file.
fn icu_ucm(converters: &mut ConverterProcess, name: &str) -> String {
    let mut decoded = BTreeMap::new();
    let mut codes: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    while !codes.is_empty() {
        let results = icu_results(converters, name, "UTF-8", &codes);
        let mut leads = Vec::new();
        for (code, result) in codes.into_iter().zip(results) {
            match result {
                Ok(text) => drop(decoded.insert(code, String::from_utf8(text).unwrap())),
                Err(true) if code.len() == 1 => leads.push(code),
                Err(_) => {}
            }
        }
        let trails = |lead: Vec<u8>| (0..=u8::MAX).map(move |trail| [&lead[..], &[trail]].concat());
        codes = leads.into_iter().flat_map(trails).collect();
    }
    let characters: Vec<Vec<u8>> = ('\0'..='\u{FFFF}')
        .chain('\u{20000}'..='\u{2FFFF}')
        .map(|character| character.to_string().into_bytes())
        .collect();
    let encoded = icu_results(converters, "UTF-8", name, &characters);
    let mut lines = BTreeSet::new();
    let mut both = BTreeSet::new();
    for (character, code) in characters.into_iter().zip(encoded) {
        // ICU drops what is not displayed, such as U+200B, if it has no code.
        let Some(code) = code.ok().filter(|code| !code.is_empty()) else { continue };
        let text = String::from_utf8(character).unwrap();
        let is_both = decoded.get(&code) == Some(&text);
        if is_both {
            both.insert(code.clone());
        }
        lines.insert((text, code, if is_both { 0 } else { 1 }));
    }
    lines.extend(
        decoded
            .into_iter()
            .filter(|(code, _)| !both.contains(code))
            .map(|(code, text)| (text, code, 3)),
    );
    let mut file = format!("<code_set_name> \"{name}\"\nCHARMAP\n");
    for (text, code, flag) in lines {
        text.chars().for_each(|character| write!(file, "<U{:04X}>", u32::from(character)).unwrap());
        file.push(' ');
        code.iter().for_each(|byte| write!(file, "\\x{byte:02X}").unwrap());
        writeln!(file, " |{flag}").unwrap();
    }
    file + "END CHARMAP\n"
}

/// Returns whether an encoding is a table of codes without states.
fn is_table(encoding: &Encoding) -> bool {
    let engine = encoding.factory.engine().unwrap_or_default();
    engine.starts_with("single-byte") || engine.starts_with("multi-byte")
}

#[test]
fn tables_of_icu_are_equal_to_built_in_encodings() {
    let Some(mut converters) = ConverterProcess::start() else { return };
    if !converters.is_as_measured(OtherConverter::Icu) {
        return missing(&OtherConverter::Icu.to_string());
    }
    let is_equal = |(pair, line): &(label_tables::LabelPair, label_tables::LabelDifference)| {
        pair.converter == OtherConverter::Icu && !line.differs_from_counts()
    };
    let pairs = label_tables::table().into_iter().filter(is_equal);
    let built_in = |label: &str| Encoding::for_label(label.as_bytes()).unwrap();
    let pairs: Vec<_> = pairs.filter(|(pair, _)| is_table(built_in(&pair.ours))).collect();
    // 92 with ICU 72.1.
    assert!(pairs.len() > 80, "{}", pairs.len());
    for (pair, _) in pairs.iter().step_by(sample_stride(16)) {
        let file = icu_ucm(&mut converters, &pair.theirs);
        let loaded = Encoding::from_mapping("icu.ucm", file.as_bytes()).unwrap();
        assert_eq!(loaded.name(), pair.theirs);
        let differences = differences(loaded, built_in(&pair.ours));
        let first = differences.first();
        assert!(differences.is_empty(), "{}: {} {first:?}", pair.theirs, differences.len());
    }
}
