//! `//TRANSLIT` beside iconv of the GNU C library in the locale `C.UTF-8`: its table of candidates,
//! and what is written for every character toward many targets.
//!
//! `CHARPIPE_LC_CTYPE` names another file than that of the installed locale. With `CHARPIPE_BLESS=1`
//! and `CHARPIPE_GLIBC=VERSION` the table in the tree is written from it:
//!
//!     CHARPIPE_LC_CTYPE=usr/lib/locale/C.utf8/LC_CTYPE CHARPIPE_GLIBC=2.41 CHARPIPE_BLESS=1 \
//!         cargo test --test differential translit

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::{env, fs, thread};

use charpipe::internals::error_policy::{ErrorAction, ErrorPolicy};
use charpipe::{TranscodeOptions, TranscodeWriter};

use crate::lc_ctype::{Candidates, transliterations};
use charpipe_test_support::{missing, watch};

const TABLE: &str = include_str!("../../crates/transcode/src/error_policy/translit.tsv");

/// Tag characters, which glibc's encoders drop under any option.
const TAGS: std::ops::RangeInclusive<char> = '\u{E0000}'..='\u{E007F}';

const TARGETS: [&str; 20] = [
    "US-ASCII",
    "ISO-8859-1",
    "ISO-8859-2",
    "ISO-8859-5",
    "ISO-8859-7",
    "ISO-8859-15",
    "ISO-8859-16",
    "CP437",
    "CP850",
    "CP1250",
    "CP1251",
    "CP1252",
    "KOI8-R",
    "MACINTOSH",
    "EUC-JP",
    "SJIS",
    "GB2312",
    "GBK",
    "BIG5",
    "EUC-KR",
];

/// The candidates of the installed locale, or of the one that is named.
fn locale() -> Option<Candidates> {
    let named = env::var_os("CHARPIPE_LC_CTYPE");
    let path = named.unwrap_or("/usr/lib/locale/C.utf8/LC_CTYPE".into());
    let candidates = fs::read(&path).ok().and_then(|file| transliterations(&file));
    if candidates.is_none() {
        missing(&format!("the locale {} of the GNU C library", path.display()));
    }
    candidates
}

fn in_tree() -> Candidates {
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let (code, candidates) = row.split_once('\t').unwrap();
        let character = char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap();
        (character, candidates.split('\t').map(str::to_owned).collect())
    })
    .collect()
}

/// The table as a file.
fn write_with_translit(rows: &Candidates, version: &str) -> String {
    let mut page = format!(
        "# Equivalents that iconv //TRANSLIT writes for a character that is unmappable: code point\n\
         # (hex) and candidates, separated by tabs, in the order in which they are tried. Facts of\n\
         # the GNU C library {version}, locale C.UTF-8, and the tag characters, which its encoders\n\
         # drop. Written by tests/differential/translit.rs.\n"
    );
    for (character, candidates) in rows {
        writeln!(page, "{:04X}\t{}", u32::from(*character), candidates.join("\t")).unwrap();
    }
    page
}

#[test]
fn translit_table_matches_glibc() {
    let Some(mut rows) = locale() else { return };
    rows.extend(TAGS.map(|tag| (tag, vec![String::new()])));
    if let (Some(_), Ok(version)) = (env::var_os("CHARPIPE_BLESS"), env::var("CHARPIPE_GLIBC")) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("crates/transcode/src/error_policy/translit.tsv");
        fs::write(path, write_with_translit(&rows, &version)).unwrap();
        return;
    }
    // A newer version may have more rows.
    let ours = in_tree();
    for (character, candidates) in rows {
        assert_eq!(ours.get(&character), Some(&candidates), "U+{:04X}", u32::from(character));
    }
}

/// Converts by iconv. None if there is none of the GNU C library.
fn transliterate_with_iconv(target: &str, input: &str) -> Option<Vec<u8>> {
    let version = watch::command("iconv").arg("--version").output().ok()?.stdout;
    let version = String::from_utf8_lossy(&version).into_owned();
    if !(version.contains("GNU libc") || version.contains("GLIBC")) {
        return None;
    }
    let mut command = watch::command("iconv");
    command.args(["-f", "UTF-8", "-t", &format!("{target}//TRANSLIT")]).env("LC_ALL", "C.UTF-8");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(input.as_bytes()).unwrap());
        Some(child.wait_with_output().unwrap().stdout)
    })
}

fn transliterate_with_charpipe(target: &str, input: &str) -> Vec<u8> {
    let mut options = TranscodeOptions::from_labels("UTF-8", target).unwrap();
    options.error_policy =
        ErrorPolicy { malformed: ErrorAction::Stop, unmappable: ErrorAction::Transliterate };
    let mut writer = TranscodeWriter::new(Vec::new(), &options).unwrap();
    writer.write_all(input.as_bytes()).unwrap();
    writer.finish().unwrap()
}

#[test]
fn characters_are_transliterated_as_in_glibc() {
    let Some(known) = locale() else { return };
    let ours = in_tree();
    // Rows that the installed version does not have.
    let newer = |character: &char| ours.contains_key(character) && !known.contains_key(character);
    let characters: Vec<_> =
        ('\u{80}'..='\u{2FFFF}').filter(|character| !newer(character)).collect();
    let input: String = characters.iter().map(|character| format!("{character}\n")).collect();
    let mut surprises = Vec::new();
    for target in TARGETS {
        let Some(theirs) = transliterate_with_iconv(target, &input) else {
            return missing("iconv");
        };
        let ours = transliterate_with_charpipe(target, &input);
        let lines =
            |output: &[u8]| output.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let (theirs, ours): (Vec<_>, Vec<_>) = (lines(&theirs), lines(&ours));
        assert_eq!((theirs.len(), ours.len()), (characters.len() + 1, characters.len() + 1));
        for (character, (theirs, ours)) in characters.iter().zip(theirs.iter().zip(&ours)) {
            if theirs != ours {
                let code = u32::from(*character);
                let [theirs, ours] = [theirs, ours].map(|text| text.escape_ascii().to_string());
                surprises
                    .push(format!("{target} U+{code:04X}: glibc {theirs:?}, charpipe {ours:?}"));
            }
        }
    }
    let first = surprises[..surprises.len().min(40)].join("\n");
    assert!(surprises.is_empty(), "{} differ:\n{first}", surprises.len());
}
