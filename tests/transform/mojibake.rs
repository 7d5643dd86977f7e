//! Tests of the repair of mojibake: the cases of ftfy, and clean text in many languages.

use std::collections::BTreeMap;

macro_rules! check { ($c:expr, $($t:tt)*) => { if !$c { println!($($t)*) } } }
use charpipe::Encoding;
use charpipe::internals::conversion_error::MalformedReason;

use crate::driver::{Direction, convert, converted, decoded_with_errors};

/// Cases of ftfy: what charpipe does, the text, and what ftfy makes of it.
const FTFY: &str = include_str!("data/mojibake/ftfy.tsv");

/// Text without errors; each part begins with `# LANGUAGE`.
const CLEAN: &str = include_str!("data/mojibake/clean.txt");

/// Replaces each `\u{...}`.
fn unescape(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut out = parts.next().unwrap().to_owned();
    for part in parts {
        let (code_point, rest) = part.split_once('}').unwrap();
        out.push(char::from_u32(u32::from_str_radix(code_point, 16).unwrap()).unwrap());
        out.push_str(rest);
    }
    out
}

fn repair(text: &str) -> String {
    let transcript = convert("mojibake", Direction::Encode, text.as_bytes());
    assert_eq!(transcript.errors, [], "{text}");
    String::from_utf8(transcript.out).unwrap()
}

/// Returns what a reader of another encoding makes of UTF-8. A byte without a character is read as
/// ISO-8859-1, as in programs for Windows.
fn garble(text: &str, encoding: &'static Encoding) -> String {
    let character = |byte: u8| {
        let bytes = [byte];
        let (text, has_error) = encoding.decode(&bytes);
        text.chars().next().filter(|_| !has_error).unwrap_or(char::from(byte))
    };
    text.bytes().map(character).collect()
}

#[test]
fn cases_of_ftfy_are_repaired() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in FTFY.lines().filter(|line| !line.starts_with('#')) {
        let [what, text, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let (text, expected) = (unescape(text), unescape(expected));
        let what = what.split(':').next().unwrap();
        *counts.entry(what).or_default() += 1;
        match what {
            "repaired" | "unchanged" => assert_eq!(repair(&text), expected, "{text}"),
            _ => assert_ne!(repair(&text), expected, "{text}: no difference from ftfy any more"),
        }
    }
    assert_eq!((counts["repaired"], counts["unchanged"]), (73, 47), "{counts:?}");
}

#[test]
fn clean_text_is_unchanged() {
    assert!(repair(CLEAN) == CLEAN, "text without errors is changed");
    let (out, errors) = decoded_with_errors("mojibake", &CLEAN.as_bytes()[..2000]);
    assert_eq!((out.len(), errors), (2000, vec![]));
}

/// Garbles each text as often as `times` says, and returns the percentage of those that are repaired.
fn percent_repaired(texts: &[&str], encoding: &'static Encoding, times: usize) -> usize {
    let garbled: String = texts
        .iter()
        .map(|text| (0..times).fold(text.to_string(), |text, _| garble(&text, encoding)) + "\n")
        .collect();
    let repaired = repair(&garbled);
    assert_eq!(repaired.lines().count(), texts.len());
    let count = repaired.lines().zip(texts).filter(|(repaired, text)| repaired == *text).count();
    count * 100 / texts.len()
}

/// Encodings, and the percentage of lines and of single words that must be repaired in all languages
/// together, and of lines in each language. Where they are low, two encodings garble different letters
/// as the same characters.
static RATES: &[(&Encoding, [usize; 3])] = &[
    (charpipe::ISO_8859_1, [100, 99, 100]),
    (charpipe::WINDOWS_1252, [100, 99, 100]),
    (charpipe::WINDOWS_1250, [97, 93, 60]),
    (charpipe::WINDOWS_1251, [98, 93, 60]),
    (charpipe::WINDOWS_1253, [100, 95, 100]),
    (charpipe::WINDOWS_1254, [100, 99, 100]),
    (charpipe::WINDOWS_1257, [97, 93, 60]),
    (charpipe::ISO_8859_2, [92, 82, 0]),
    (charpipe::WHATWG_MACINTOSH, [100, 90, 80]),
    (charpipe::IBM437, [100, 92, 100]),
    (charpipe::IBM850, [97, 92, 60]),
    (charpipe::IBM866, [100, 92, 100]),
];

#[test]
fn garbled_text_is_repaired_in_every_language() {
    let languages: Vec<(&str, Vec<&str>, Vec<&str>)> = CLEAN
        .split("\n# ")
        .filter_map(|part| part.split_once('\n'))
        .map(|(language, text)| {
            let lines = text.lines().filter(|line| !line.is_ascii());
            let words = lines.clone().flat_map(|line| line.split(' ')).filter(|word| !word.is_ascii());
            (language, lines.clone().take(4).collect(), words.take(20).collect())
        })
        .filter(|(_, lines, _): &(_, Vec<_>, _)| !lines.is_empty())
        .collect();
    let all = |texts: fn(&(&str, Vec<&'static str>, Vec<&'static str>)) -> Vec<&'static str>| {
        languages.iter().flat_map(texts).collect::<Vec<_>>()
    };
    let (lines, words) = (all(|language| language.1.clone()), all(|language| language.2.clone()));
    for &(encoding, [percent_of_lines, percent_of_words, percent_per_language]) in RATES {
        let name = encoding.name();
        for times in [1, 2] {
            let percent = percent_repaired(&lines, encoding, times);
            println!("{name} {times}: {percent} of lines");
            check!(percent >= percent_of_lines, "{name}: {percent}% of the lines");
        }
        let percent = percent_repaired(&words, encoding, 1);
            println!("{name}: {percent} of words");
        check!(percent >= percent_of_words, "{name}: {percent}% of the words");
        for (language, lines, _) in &languages {
            let percent = percent_repaired(lines, encoding, 1);
            if percent < 100 {
            println!("{name} {language}: {percent}"); }
            check!(percent >= percent_per_language, "{name}, {language}: {percent}% of the lines");
        }
    }
}

#[test]
fn text_garbled_several_times_is_repaired() {
    let mut text = "Él está aquí: ¿dónde? “Füße” – naïve".to_owned();
    let original = text.clone();
    for _ in 0..4 {
        text = garble(&text, charpipe::ISO_8859_1);
        assert_eq!(repair(&text), original, "{text}");
    }
}

#[test]
fn every_split_gives_the_same() {
    let text = "cafÃ© “Ã©tÃ©” doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t ’é’ Å É»\nÐ¿Ñ€Ð¸Ð²ÐµÑ‚";
    assert_eq!(
        converted("mojibake", Direction::Encode, text.as_bytes()),
        "café “été” doesn’t ’é’ Å É»\nпривет".as_bytes()
    );
    let (out, errors) = decoded_with_errors("mojibake", "a cafÃ© é".as_bytes());
    assert_eq!(out, "a caf é".as_bytes());
    assert_eq!(errors, [(5, 4, MalformedReason::Mojibake)]);
}

#[test]
fn long_runs_are_repaired_in_pieces() {
    let text = "привет".repeat(2000);
    let garbled = garble(&text, charpipe::ISO_8859_1);
    assert!(repair(&garbled) == text, "a long run is not repaired");
}
