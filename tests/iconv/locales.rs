//! Every locale that has transliterations of its own, and every encoding of a locale, from the sources
//! of glibc's locales.
//!
//! One locale in [`SAMPLE_STRIDE`] is tried by default, and all with `CHARPIPE_TEST_EXHAUSTIVE=1`.
//! Only the category `LC_CTYPE` is generated, which takes a fraction of the time.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;
use std::{fs, thread};

use tempfile::TempDir;

use crate::program::{Outcome, Program, fixtures};
use charpipe_test_support::{missing, sample_stride, watch};

const SOURCES: &str = "/usr/share/i18n/locales";
const SUPPORTED: &str = "/usr/share/i18n/SUPPORTED";

/// One of this number of locales is tried by default.
const SAMPLE_STRIDE: usize = 23;

/// The transliterations of most locales, which one of them shows.
const COMMON: &str = "\"translit_combining\"";

/// Returns the sources that have transliterations of their own, and one that has not.
fn sources() -> Vec<String> {
    let files = fs::read_dir(SOURCES).into_iter().flatten().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = files.filter_map(|path| source_name(&path)).collect();
    names.push("es_ES".to_owned());
    names.sort();
    names
}

fn source_name(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let source = fs::read(path).unwrap();
    let source = String::from_utf8_lossy(&source);
    let (_, ctype) = source.split_once("\nLC_CTYPE\n")?;
    let (_, rules) = ctype.split_once("END LC_CTYPE")?.0.split_once("translit_start")?;
    let mut rules = rules.split_once("translit_end")?.0.lines().map(str::trim);
    let is_own = |rule: &str| !rule.is_empty() && !rule.starts_with('%') && !rule.contains(COMMON);
    // Generating ko_KR, with each Hangul syllable, crashes the localedef of glibc 2.36.
    let is_locale = !name.starts_with("translit_") && !["C", "ko_KR"].contains(&name);
    (is_locale && rules.any(is_own)).then(|| name.to_owned())
}

/// Returns the encodings of all locales.
fn encodings() -> BTreeSet<String> {
    let list = fs::read_to_string(SUPPORTED).unwrap_or_default();
    let words = list.lines().filter_map(|line| line.split_once(' '));
    let encodings = words.map(|(_, encoding)| encoding.trim().to_owned());
    // This takes six seconds to generate.
    encodings.filter(|encoding| encoding != "GB18030").collect()
}

/// Generates the category `LC_CTYPE` of a locale from that of another one. Returns whether it exists.
fn generate(directory: &Path, name: &str, source: &str, encoding: &str) -> bool {
    let text = format!("LC_CTYPE\ncopy \"{source}\"\nEND LC_CTYPE\n");
    let source = directory.join(format!("source-of-{name}"));
    fs::write(&source, text).unwrap();
    let mut command = watch::command("localedef");
    command.args(["--no-archive", "-c", "-f", encoding, "-i"]).arg(source);
    let path = directory.join(name);
    command.arg(&path).output().is_ok() && path.join("LC_CTYPE").is_file()
}

/// Runs a function for every item, in several threads.
fn for_each<T: Sync>(items: &[T], check: impl Fn(&T) + Sync) {
    let next = Mutex::new(items.iter());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let item = next.lock().unwrap().next();
                    let Some(item) = item else { break };
                    check(item);
                }
            });
        }
    });
}

/// Runs both programs in a locale below a directory. The exit status of a run that skips is that of
/// glibc 2.41.
fn both(
    glibc: &Program,
    locales: &TempDir,
    ctype: &str,
    arguments: &[&str],
    input: &[u8],
) -> (Outcome, Outcome) {
    let environment = vec![
        ("LOCPATH".to_owned(), locales.path().to_str().unwrap().to_owned()),
        ("LC_CTYPE".to_owned(), ctype.to_owned()),
    ];
    let directory = fixtures();
    let run = |program: &Program| program.run(directory.path(), &environment, arguments, input);
    let (mut expected, found) = (run(glibc), run(&Program::charpipe()));
    if arguments[0] == "-c" && expected.status == 0 {
        expected.status = found.status;
    }
    (expected, found)
}

/// The characters up to U+1FFFF, each in a line, but few of the ideographs and Hangul syllables, and
/// few of the planes that have no transliterations.
fn characters() -> String {
    let is_used = |code: &u32| match code {
        0x3400..=0xF8FF | 0x1_0000..=0x1_CFFF => code % 61 == 0,
        _ => true,
    };
    let codes = (0x80..0x2_0000).filter(is_used);
    codes.filter_map(char::from_u32).flat_map(|character| [character, '\n']).collect()
}

#[test]
fn transliterations_of_every_locale_are_those_of_glibc() {
    let Some(glibc) = Program::system().filter(|_| Program::glibc().is_some()) else { return };
    let (locales, sources) = (tempfile::tempdir().unwrap(), sources());
    if !generate(locales.path(), "es_ES.utf8", "es_ES", "UTF-8") {
        return missing("localedef and the sources of locales");
    }
    assert!(sources.len() > 20, "{sources:?}");
    let sources: Vec<_> = sources.into_iter().step_by(sample_stride(SAMPLE_STRIDE)).collect();
    let characters = characters();
    for_each(&sources, |source| {
        let (language, modifier) = source.split_once('@').unwrap_or((source, ""));
        let at = if modifier.is_empty() { "" } else { "@" };
        let name = format!("{language}.utf8{at}{modifier}");
        assert!(generate(locales.path(), &name, source, "UTF-8"), "{source}");
        let ctype = format!("{language}.UTF-8{at}{modifier}");
        let both = |arguments: &[&str], input| both(&glibc, &locales, &ctype, arguments, input);
        for target in ["ASCII//TRANSLIT", "ISO-8859-1//TRANSLIT"] {
            let arguments = ["-c", "-f", "UTF-8", "-t", target];
            let (expected, found) = both(&arguments, characters.as_bytes());
            assert_eq!(found.status, expected.status, "{source} {target}");
            assert_eq!(found.stderr, expected.stderr, "{source} {target}");
            let is_end = |byte: &u8| *byte == b'\n';
            let (expected, found) = (expected.stdout.split(is_end), found.stdout.split(is_end));
            assert_eq!(found.clone().count(), expected.clone().count(), "{source} {target}");
            let mut lines = characters.lines().zip(expected.zip(found));
            let different = lines.find(|(_, (expected, found))| expected != found);
            assert_eq!(different, None, "{source} {target}");
        }
        // Some locales have no replacement for other characters, which then stop the conversion.
        for input in ["\u{e4}\u{f6}\u{2116}\n\u{41f}\u{444} \u{11e} x", "ab\u{1200}\u{abcd}"] {
            for target in ["ASCII//TRANSLIT", "//TRANSLIT"] {
                let arguments = ["-f", "UTF-8", "-t", target];
                let (expected, found) = both(&arguments, input.as_bytes());
                assert_eq!(found, expected, "{source} {target} {input}");
            }
        }
    });
}

/// The languages of `--translit-lang`, with the locales that their transliterations are from.
const LANGUAGES: [(&str, &str); 13] = [
    ("da", "da_DK"),
    ("de", "de_DE"),
    ("hr", "hr_HR"),
    ("hu", "hu_HU"),
    ("lb", "lb_LU"),
    ("mn", "mn_MN"),
    ("nb", "nb_NO"),
    ("ro", "ro_RO"),
    ("sr", "sr_RS"),
    ("sv", "sv_SE"),
    ("tk", "tk_TM"),
    ("uk", "uk_UA"),
    ("uz", "uz_UZ"),
];

#[test]
fn transliterations_of_languages_are_those_of_their_locales() {
    let Some(glibc) = Program::system().filter(|_| Program::glibc().is_some()) else { return };
    let (locales, text) = (tempfile::tempdir().unwrap(), characters());
    let languages: Vec<_> = LANGUAGES.into_iter().step_by(sample_stride(6)).collect();
    for_each(&languages, |(language, source)| {
        if !generate(locales.path(), &format!("{source}.utf8"), source, "UTF-8") {
            return missing("localedef and the sources of locales");
        }
        let ctype = format!("{source}.UTF-8");
        let arguments = ["-c", "-f", "UTF-8", "-t", "ASCII//TRANSLIT"];
        let (expected, _) = both(&glibc, &locales, &ctype, &arguments, text.as_bytes());
        let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        command.args(["-q", "-t", "ascii//TRANSLIT", "--translit-lang", language]);
        let mut command = assert_cmd::Command::from_std(command);
        let found = command.write_stdin(text.clone()).assert().get_output().stdout.clone();
        let lines = |output: Vec<u8>| String::from_utf8(output).unwrap();
        let (expected, found) = (lines(expected.stdout), lines(found));
        assert_eq!(found.lines().count(), expected.lines().count(), "{language}");
        let mut compared = 0;
        for (character, (expected, found)) in text.lines().zip(expected.lines().zip(found.lines()))
        {
            // The locale of Ukrainian has no transliterations beside its own, for which glibc takes those of C.
            let is_of_c = *language == "uk" && matches!(character, "\u{1E9B}" | "\u{2126}");
            if !matches!(expected, "" | "?") && !is_of_c {
                assert_eq!(found, expected, "{language} {character:?}");
                compared += 1;
            }
        }
        assert!(compared > 1000, "{language}: {compared}");
    });
}

#[test]
fn encodings_of_all_locales_are_those_of_glibc() {
    let Some(glibc) = Program::system().filter(|_| Program::glibc().is_some()) else { return };
    let locales = tempfile::tempdir().unwrap();
    let encodings: Vec<String> = encodings().into_iter().collect();
    if encodings.is_empty() || !generate(locales.path(), "aa_AA", "POSIX", "ISO-8859-1") {
        return missing("localedef and the sources of locales");
    }
    assert!(encodings.len() >= 30, "{encodings:?}");
    for_each(&encodings, |encoding| {
        let kept = encoding.chars().filter(char::is_ascii_alphanumeric);
        let normalized: String = kept.map(|letter| letter.to_ascii_lowercase()).collect();
        let name = format!("en_US.{normalized}");
        assert!(generate(locales.path(), &name, "POSIX", encoding), "{encoding}");
        for ctype in [format!("en_US.{encoding}"), name] {
            let text = "ok \u{e4}\u{df}\u{416}\u{627}\u{3042}\u{4e2d}\u{10e6}".as_bytes();
            let (expected, found) = both(&glibc, &locales, &ctype, &["-c", "-f", "UTF-8"], text);
            assert_eq!(found, expected, "{ctype}");
            let text = &expected.stdout;
            let (expected, found) = both(&glibc, &locales, &ctype, &["-t", "UTF-8"], text);
            assert_eq!(found, expected, "{ctype}");
        }
    });
}
