//! The normalization forms: Unicode's own test, whole strings as the model, Python and uconv.

use std::time::{Duration, Instant};

use charpipe::internals::conversion_error::MalformedReason;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_public_assigned;

use crate::transform::driver::{Direction, TransformCase};
use crate::transform::tools;
use charpipe_test_support::{Requirement, XorShift, is_exhaustive, missing, require};

const FORMS: [&str; 4] = ["nfc", "nfd", "nfkc", "nfkd"];

fn case(form: &str) -> TransformCase {
    TransformCase::new(form, Direction::Encode)
}

fn convert(case: &TransformCase, text: &str) -> String {
    String::from_utf8(case.convert(text.as_bytes()).out).unwrap()
}

/// Returns the lines of Unicode's test as source, NFC, NFD, NFKC and NFKD.
fn test_lines() -> Vec<[String; 5]> {
    let text = include_str!("../data/normalization.tsv");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns = |line: &str| {
        let mut columns: [String; 5] = Default::default();
        for (index, column) in line.split('\t').enumerate() {
            columns[index] = column
                .split_whitespace()
                .map(|code| char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap())
                .collect();
        }
        for (index, same_as) in [(1, 0), (2, 1), (3, 1), (4, 2)] {
            if columns[index].is_empty() {
                columns[index] = columns[same_as].clone();
            }
        }
        columns
    };
    let lines: Vec<_> = lines.map(columns).collect();
    assert_eq!(lines.len(), 19_074);
    lines
}

#[test]
fn unicode_test_passes() {
    let cases = FORMS.map(case);
    for (number, columns) in test_lines().into_iter().enumerate() {
        let [_, nfc, nfd, nfkc, nfkd] = &columns;
        for (index, source) in columns.iter().enumerate() {
            let is_compatible = index > 2;
            let expected = [
                if is_compatible { nfkc } else { nfc },
                if is_compatible { nfkd } else { nfd },
                nfkc,
                nfkd,
            ];
            for (case, expected) in cases.iter().zip(expected) {
                assert_eq!(&convert(case, source), expected, "{case} of {source:?}");
                if number % 97 == 0 && index == 0 {
                    let split = case.convert_every_split(source.as_bytes());
                    assert_eq!(split.out, expected.as_bytes(), "{case} of {source:?}");
                }
            }
        }
    }
}

#[test]
fn characters_of_unicode_16_compose() {
    let (nfc, nfd) = (case("nfc"), case("nfd"));
    for (composed, decomposed) in [
        ("\u{105C9}", "\u{105D2}\u{307}"),
        ("\u{113C5}", "\u{113C2}\u{113C2}"),
        ("\u{16126}", "\u{1611E}\u{1611E}\u{1611F}"),
        ("\u{16128}", "\u{1611E}\u{1611E}\u{16120}"),
        ("\u{16D68}", "\u{16D67}\u{16D67}"),
        ("\u{16D6A}", "\u{16D63}\u{16D67}\u{16D67}"),
        ("\u{16121}\u{16121}", "\u{1611E}\u{1611E}\u{1611E}\u{1611E}"),
    ] {
        assert_eq!(convert(&nfd, composed), decomposed);
        assert_eq!(convert(&nfc, decomposed), composed);
        nfc.convert_every_split(decomposed.as_bytes());
    }
}

/// Returns characters that interact: starters, marks, jamo, composites, compatibility characters.
fn interesting_characters() -> Vec<char> {
    let is_interesting = |character: &char| {
        let text = [*character];
        let nfkd: Vec<char> = text.into_iter().nfkd().collect();
        !matches!(character, '\u{AC00}'..='\u{D7A3}' | '\u{2F800}'..='\u{2FA1D}' | '\u{F900}'..='\u{FAD9}')
            && (nfkd != text
                || unicode_normalization::char::is_combining_mark(*character)
                || unicode_normalization::is_nfc_quick(text.into_iter())
                    != unicode_normalization::IsNormalized::Yes)
    };
    let all = ('\0'..='\u{20000}').filter(|character| is_public_assigned(*character));
    let mut found: Vec<char> = all.filter(is_interesting).collect();
    found.extend("aeiouAEIOU=<> \n1中\u{AC00}\u{AC01}\u{D7A3}\u{F900}\u{2F800}\u{10FFFF}".chars());
    found.extend('\u{1100}'..='\u{1112}');
    found
}

fn random_text(random: &mut XorShift, characters: &[char]) -> String {
    let len = random.below(14);
    let mut text: Vec<char> = (0..len).map(|_| random.one(characters)).collect();
    for _ in 0..random.below(3) {
        let at = random.below(text.len() + 1);
        let mark = ['\u{300}', '\u{316}', '\u{323}', '\u{338}', '\u{3099}', '\u{1161}', '\u{11A8}'];
        text.insert(at, random.one(&mark));
    }
    // Marks follow each other seldom by chance.
    if random.below(4) == 0 {
        let decomposed: Vec<char> = text.iter().copied().nfd().collect();
        text = decomposed;
    }
    text.into_iter().collect()
}

fn model(form: &str, text: &str) -> String {
    match form {
        "nfc" => text.nfc().collect(),
        "nfd" => text.nfd().collect(),
        "nfkc" => text.nfkc().collect(),
        _ => text.nfkd().collect(),
    }
}

#[test]
fn random_text_is_converted_as_whole_strings_are() {
    let characters = interesting_characters();
    let mut random = XorShift::new(0x9E37_79B9_7F4A_7C15);
    for form in FORMS {
        let case = case(form);
        for _ in 0..20_000 {
            let text = random_text(&mut random, &characters);
            assert_eq!(convert(&case, &text), model(form, &text), "{form} of {text:?}");
        }
        for _ in 0..100 {
            let text = random_text(&mut random, &characters);
            case.convert_every_split(text.as_bytes());
        }
    }
}

#[test]
fn checker_stops_at_the_first_character_that_ends_the_form() {
    let characters = interesting_characters();
    let mut random = XorShift::new(0xD1B5_4A32_D192_ED03);
    for form in FORMS {
        let checker = TransformCase::new(form, Direction::Decode);
        for round in 0..20_000 {
            let mut text = random_text(&mut random, &characters);
            if round % 3 == 0 {
                text = model(form, &text) + &random_text(&mut random, &characters);
            }
            // Forms are closed under prefixes, so the first prefix that is not in the form counts.
            let ends = text.char_indices().map(|(at, character)| at + character.len_utf8());
            let expected = ends
                .filter(|end| model(form, &text[..*end]) != text[..*end])
                .map(|end| (text[..end].chars().next_back().unwrap().len_utf8(), end))
                .map(|(len, end)| (end - len, len))
                .next();
            let transcript = checker.convert(text.as_bytes());
            let found = transcript.errors.first().map(|error| (error.input_offset, error.len));
            assert_eq!(found, expected, "{form} of {text:?}");
            let kept = String::from_utf8(transcript.out).unwrap();
            assert_eq!(model(form, &kept), kept, "{form} of {text:?} without errors");
            if round % 200 == 0 {
                checker.convert_every_split(text.as_bytes());
            }
        }
    }
}

#[test]
fn error_is_the_character_that_is_not_normalized() {
    for (form, text, position, len) in [
        ("nfc", "cafe\u{301}", 4, 2),
        ("nfc", "5 \u{212B}", 2, 3),
        ("nfc", "a\u{301}\u{323}", 1, 2),
        ("nfc", "\u{1EA5}\u{323}", 3, 2),
        ("nfd", "caf\u{E9}", 3, 2),
        ("nfkc", "\u{FB01}x", 0, 3),
        ("nfkd", "x\u{BD}", 1, 2),
    ] {
        let transcript = TransformCase::new(form, Direction::Decode).convert(text.as_bytes());
        let error = transcript.errors[0];
        assert_eq!((error.input_offset, error.len), (position, len), "{form} {text:?}");
        assert!(matches!(
            error.reason,
            crate::codec_driver::ErrorReason::Malformed(MalformedReason::NotNormalized)
        ));
    }
}

#[test]
fn hostile_runs_take_linear_time_and_bounded_space() {
    let runs = [
        "\u{300}",
        "\u{316}\u{300}",
        "\u{300}\u{316}",
        "\u{1161}",
        "\u{11A8}",
        "\u{1100}",
        "\u{1100}\u{1161}",
        "\u{1611E}",
        "\u{FF9E}",
        "\u{344}",
        "\u{FDFA}",
        "\u{34F}",
    ];
    // The limits are hundreds of times what linear time takes.
    let (length, limit) = if is_exhaustive() { (1_000_000, 60) } else { (200_000, 10) };
    let limit = Duration::from_secs(limit);
    for form in FORMS.into_iter().chain(["utf8-mac"]) {
        for run in runs {
            let text = format!("e{}\n", run.repeat(length / run.chars().count()));
            let start = Instant::now();
            let out = convert(&case(form), &text);
            let time = start.elapsed();
            assert!(time < limit, "{form} of {run:?}: {time:?}");
            let mut marks = 0;
            for character in out.chars() {
                marks = match unicode_normalization::char::canonical_combining_class(character) {
                    0 => 0,
                    _ => marks + 1,
                };
                assert!(marks <= 30, "{form} of {run:?}");
            }
        }
    }
}

#[test]
fn utf8_mac_restores_composed_text() {
    let (to, from) = (case("utf8-mac"), TransformCase::new("utf8-mac", Direction::Decode));
    let text = "Ærø, Müller, Việt, がぎ, 한국어, \u{2260}\u{212B}\u{F900}";
    let decomposed = convert(&to, text);
    assert!(decomposed.contains("u\u{308}") && decomposed.contains("か\u{3099}"), "{decomposed}");
    assert!(decomposed.contains("\u{2260}\u{212B}\u{F900}"), "{decomposed}");
    assert_eq!(convert(&from, &decomposed), text);
}

/// Returns lines of random text of characters that other programs know.
fn lines_for_tools(count: usize) -> String {
    let is_old = |character: &char| {
        // Up to Unicode 14, which Python 3.11 has: the blocks of later composites are left out.
        !matches!(character, '\u{870}'..='\u{89F}' | '\n' | '\u{10F00}'..)
            && !matches!(character, '\u{10570}'..='\u{105FF}' | '\u{A7CB}'..='\u{A7FF}')
            && !matches!(character, '\u{558}' | '\u{AC0}'..='\u{ACF}' | '\u{1C80}'..='\u{1C8F}')
    };
    let mut characters = interesting_characters();
    characters.retain(is_old);
    let mut random = XorShift::new(0xA076_1D64_78BD_642F);
    (0..count).map(|_| random_text(&mut random, &characters) + "\n").collect()
}

#[test]
fn python_gives_the_same() {
    const SCRIPT: &str = "import sys, unicodedata as u\n\
        text = sys.stdin.buffer.read().decode()\n\
        known = lambda line: all(u.category(c) != 'Cn' for c in line)\n\
        lines = [line if known(line) else '' for line in text.split('\\n')]\n\
        out = '\\n'.join(lines) + '\\0' + u.normalize(sys.argv[1], '\\n'.join(lines))\n\
        sys.stdout.buffer.write(out.encode())";
    let text = lines_for_tools(20_000);
    for form in FORMS {
        let name = form.to_uppercase();
        let Some(out) = tools::run("python3", &["-c", SCRIPT, &name], text.as_bytes()) else {
            return missing("python3");
        };
        let out = String::from_utf8(out).unwrap();
        let (known, expected) = out.split_once('\0').unwrap();
        assert!(known.len() > text.len() / 2);
        let found = convert(&case(form), known);
        for ((found, expected), source) in
            found.split('\n').zip(expected.split('\n')).zip(known.split('\n'))
        {
            assert_eq!(found, expected, "{form} of {source:?}");
        }
    }
}

#[test]
fn uconv_gives_the_same() {
    if !require(Requirement::Program("uconv")) {
        return;
    }
    let text = lines_for_tools(5_000);
    for form in FORMS {
        let transform = format!("any-{form}");
        // It divides segments at the ends of its blocks, so one block has to hold everything.
        let args = ["-f", "utf-8", "-t", "utf-8", "-b", "10000000", "-x", &transform];
        let expected = tools::run("uconv", &args, text.as_bytes()).unwrap();
        let expected = String::from_utf8(expected).unwrap();
        let found = convert(&case(form), &text);
        let mut differing = 0;
        for ((found, expected), source) in
            found.split('\n').zip(expected.split('\n')).zip(text.split('\n'))
        {
            // ICU 72 does not compose over all marks, and characters that are newer remain as they are.
            // Normalized again, its results are ours.
            differing += usize::from(found != expected);
            assert_eq!(found, model(form, expected), "{form} of {source:?}");
        }
        assert!(differing < 250, "{form}: {differing} of 5000 lines");
    }
}
