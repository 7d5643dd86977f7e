//! Tests of the repair of mojibake: the cases of ftfy, and clean text in many languages.

use std::collections::BTreeMap;

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

/// Returns what a reader of another encoding makes of UTF-8, unless it does not have a byte.
fn garble(text: &str, encoding: &'static Encoding) -> Option<String> {
    let (garbled, has_errors) = encoding.decode(text.as_bytes());
    (!has_errors).then(|| garbled.into_owned())
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
    assert_eq!((counts["repaired"], counts["unchanged"]), (71, 46), "{counts:?}");
}

#[test]
fn clean_text_is_unchanged() {
    assert!(repair(CLEAN) == CLEAN, "text without errors is changed");
    let (out, errors) = decoded_with_errors("mojibake", &CLEAN.as_bytes()[..2000]);
    assert_eq!((out.len(), errors), (2000, vec![]));
}

#[test]
fn garbled_text_is_repaired_in_most_languages() {
    let lines: Vec<&str> = CLEAN.lines().filter(|line| !line.is_ascii()).collect();
    for (encoding, percent) in [
        (charpipe::ISO_8859_1, 90),
        (charpipe::MACINTOSH, 80),
        (charpipe::IBM437, 80),
        (charpipe::WINDOWS_1251, 80),
    ] {
        let (mut count, mut repaired) = (0, 0);
        for line in &lines {
            let Some(garbled) = garble(line, encoding) else { continue };
            count += 1;
            repaired += usize::from(repair(&garbled) == *line);
        }
        assert!(repaired * 100 >= count * percent, "{}: {repaired} of {count}", encoding.name());
    }
}

#[test]
fn text_garbled_several_times_is_repaired() {
    let mut text = "Él está aquí: ¿dónde? “Füße” – naïve".to_owned();
    let original = text.clone();
    for _ in 0..4 {
        text = garble(&text, charpipe::ISO_8859_1).unwrap();
        assert_eq!(repair(&text), original, "{text}");
    }
}

#[test]
fn every_split_gives_the_same() {
    let text = "cafÃ© “Ã©tÃ©” doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t ’é’ Å\nÐ¿Ñ€Ð¸Ð²ÐµÑ‚ É»";
    assert_eq!(
        converted("mojibake", Direction::Encode, text.as_bytes()),
        "café “été” doesn’t ’é’ Å\nпривет É»".as_bytes()
    );
    let (out, errors) = decoded_with_errors("mojibake", "a cafÃ© é".as_bytes());
    assert_eq!(out, "a caf é".as_bytes());
    assert_eq!(errors, [(5, 4, MalformedReason::Mojibake)]);
}

#[test]
fn long_runs_are_repaired_in_pieces() {
    let text = "привет".repeat(2000);
    let garbled = garble(&text, charpipe::ISO_8859_1).unwrap();
    assert!(repair(&garbled) == text, "a long run is not repaired");
}
