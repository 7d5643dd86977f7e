//! Everyday texts of several kinds in 40 languages, and what may happen to a text without changing its encoding.
//!
//! The texts of `everyday.txt` were written for this test. `everyday.tsv` records the results by kind:
//! `CHARPIPE_BLESS=1 cargo test --test detection everyday` writes it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use charpipe::detect::{Confidence, detect};
use charpipe::transcode;

use crate::detectors::is_correct;

const TEXTS: &str = include_str!("everyday.txt");
const RESULTS: &str = "tests/detection/everyday.tsv";

/// Characters that writers replace in encodings without them.
const SUBSTITUTES: [(char, &str); 12] = [
    ('–', "-"),
    ('−', "-"),
    ('“', "\""),
    ('”', "\""),
    ('„', "\""),
    ('’', "'"),
    ('…', "..."),
    ('ș', "ş"),
    ('ț', "ţ"),
    ('Ș', "Ş"),
    ('Ț', "Ţ"),
    ('№', "N"),
];

struct Text {
    language: &'static str,
    encoding: &'static str,
    kind: &'static str,
    text: String,
}

/// Returns the texts in each of their encodings.
fn texts() -> Vec<Text> {
    let (mut language, mut encodings) = ("", Vec::new());
    let mut texts = Vec::new();
    for line in TEXTS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(header) = line.strip_prefix("@ ") {
            let mut words = header.split(' ');
            language = words.next().unwrap();
            encodings = words.collect();
            continue;
        }
        let (kind, text) = line.split_once('\t').unwrap();
        let text = text.replace("\\n", "\n");
        texts.extend(encodings.iter().map(|encoding| Text {
            language,
            encoding,
            kind,
            text: text.clone(),
        }));
    }
    texts
}

/// Encodes a text, with substitutes if need be. Returns nothing if the encoding does not have it.
fn encode(text: &str, encoding: &str) -> Option<Vec<u8>> {
    let substituted =
        || SUBSTITUTES.iter().fold(text.to_owned(), |text, (from, to)| text.replace(*from, to));
    let encode = |text: &str| transcode("UTF-8", encoding, text.as_bytes()).ok();
    encode(text).or_else(|| encode(&substituted()))
}

/// The numbers of results, of correct ones, and of both for each confidence.
#[derive(Default)]
struct Count {
    all: usize,
    correct: usize,
    confidences: BTreeMap<Confidence, (usize, usize)>,
}

fn counts() -> BTreeMap<&'static str, Count> {
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    for Text { encoding, kind, text, .. } in texts() {
        let Some(bytes) = encode(&text, encoding).filter(|bytes| !bytes.is_ascii()) else {
            continue;
        };
        let count = counts.entry(kind).or_default();
        count.all += 1;
        let detection = detect(&bytes);
        let Some(first) = detection.candidates.first() else { continue };
        let correct = usize::from(is_correct(&bytes, encoding, first.encoding.name()));
        count.correct += correct;
        let (all, all_correct) = count.confidences.entry(first.confidence).or_default();
        (*all, *all_correct) = (*all + 1, *all_correct + correct);
    }
    counts
}

#[test]
fn everyday_texts_are_detected() {
    let counts = counts();
    let mut rows = String::from("kind\ttexts\tcorrect\tcertain\tlikely\tguess\tuncertain\n");
    for (kind, count) in &counts {
        write!(rows, "{kind}\t{}\t{}", count.all, count.correct).unwrap();
        for confidence in
            [Confidence::Certain, Confidence::Likely, Confidence::Guess, Confidence::Uncertain]
        {
            let (all, correct) = count.confidences.get(&confidence).copied().unwrap_or_default();
            write!(rows, "\t{correct}/{all}").unwrap();
        }
        rows.push('\n');
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(RESULTS);
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        std::fs::write(&path, &rows).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), rows, "out of date");
    let sum = |of: fn(&Count) -> usize| counts.values().map(of).sum::<usize>();
    assert!(sum(|count| count.correct) * 100 >= sum(|count| count.all) * 98, "{rows}");
    let certain = |count: &Count| count.confidences.get(&Confidence::Certain).copied();
    assert!(counts.values().filter_map(certain).all(|(all, correct)| all == correct), "{rows}");
}

/// Signs that only Chinese, Japanese and Korean encodings have.
const SIGNS: &str = "※ ★ ☆ ◎ ○ ●\n";

/// A way to change a text that keeps its encoding.
type Change = fn(&str) -> String;

const CHANGES: [(&str, Change); 7] = [
    ("append", |text| format!("{text}{text}{text}")),
    ("prepend ASCII", |text| format!("Subject: Re: test\nDate: 2009-03-04\n\n{text}")),
    ("wrap", |text| text.replace(", ", ",\n")),
    ("signs", |text| format!("{SIGNS}{text}{SIGNS}")),
    ("a name", |text| format!("{text}François, Zoë\n")),
    ("ASCII text", |text| format!("{text}{}", "Nothing but ASCII in this line.\n".repeat(20))),
    ("markup", |text| text.lines().map(|line| format!("<p class=\"a\">{line}</p>\n")).collect()),
];

/// Returns all texts of a language that an encoding has as one, for encodings in use.
fn whole_texts() -> BTreeMap<(&'static str, &'static str), String> {
    let mut wholes: BTreeMap<_, String> = BTreeMap::new();
    let is_used = |encoding: &str| !encoding.starts_with("IBM") && !encoding.starts_with("MAC");
    for Text { language, encoding, text, .. } in
        texts().into_iter().filter(|text| is_used(text.encoding))
    {
        if encode(&text, encoding).is_none() {
            continue;
        }
        let whole = wholes.entry((language, encoding)).or_default();
        whole.push_str(&text);
        whole.push('\n');
    }
    wholes
}

#[test]
fn changed_text_stays_right() {
    for ((language, encoding), whole) in whole_texts() {
        let Some(bytes) = encode(&whole, encoding) else { continue };
        let detected = |bytes: &[u8]| {
            let best = detect(bytes).best()?;
            (best.confidence >= Confidence::Likely).then_some(best.encoding.name())
        };
        let Some(name) = detected(&bytes).filter(|name| is_correct(&bytes, encoding, name)) else {
            continue;
        };
        for (change, apply) in CHANGES {
            let Some(changed) = encode(&apply(&whole), encoding) else { continue };
            let found = detect(&changed).candidates.first().map(|first| first.encoding.name());
            let is_right = found.is_some_and(|found| is_correct(&changed, encoding, found));
            assert!(is_right, "{language} in {encoding}, {name}, with {change}: {found:?}");
        }
        let middle = bytes.iter().position(|byte| *byte == b' ').unwrap_or(bytes.len() / 2);
        let damaged = [&bytes[..middle], b" \xFF ", &bytes[middle..]].concat();
        let found = detect(&damaged).candidates.first().map(|first| first.encoding.name());
        let is_right = |found| found == name || is_correct(&damaged, encoding, found);
        assert!(found.is_some_and(is_right), "{language} in {encoding} with FF: {found:?}");
    }
}

/// Text of which one line is unlike the others, and names and signs in ASCII text: all were something else before.
#[test]
fn one_odd_line_does_not_mislead() {
    let korean = "오늘은 날씨가 정말 좋습니다. 그래서 친구들과 함께 공원에 갔습니다.\n".repeat(90);
    let finnish = "Tänään on kaunis ilma. Menimme ystävien kanssa puistoon, söimme lounasta.\n";
    let dutch = "Vandaag is het mooi weer. We gingen met vrienden naar het park en aten daar.\n";
    let cases = [
        ("UHC", format!("{korean}{SIGNS}")),
        ("CP1252", format!("{}crème brûlée, pièce, Molière\n", finnish.repeat(200))),
        ("CP1252", format!("{dutch}Daar was François ook.\n{dutch}")),
        ("CP1252", "Beim Beenden schließen São Paulo\n".to_owned()),
        ("CP932", "電話：０６－１２３４－５６７８　八時以降にお願いします\n".to_owned()),
        ("EUC-JP", "ﾄｳｷﾖｳﾄ ﾁﾖﾀﾞｸ ｶｽﾐｶﾞｾｷ\n".to_owned()),
        ("CP1252", "The wire is 25 µm thick, the coating only 4 µm.\n".to_owned()),
    ];
    for (encoding, text) in cases {
        let Some(bytes) = encode(&text, encoding) else { panic!("{encoding}: {text}") };
        let detection = detect(&bytes);
        let best = detection.best().unwrap_or_else(|| panic!("{text}: {detection:?}"));
        assert!(is_correct(&bytes, encoding, best.encoding.name()), "{text}: {best:?}");
    }
    let header = b"\x1B$)CSubject: hello\n";
    assert_eq!(detect(header).candidates[0].encoding.name(), "ISO-2022-KR");
}
