//! Tests of the repair of mojibake: the cases of ftfy, and clean text in many languages.

use std::collections::BTreeMap;

use charpipe::Encoding;
use charpipe::internals::codec::State;
use charpipe::internals::conversion_error::MalformedReason;

use crate::counted_driver::{Chunking, OutputSpace, drive};
use crate::transform::driver::{Direction, TransformCase, convert, converted, decoded_with_errors};

/// Cases of ftfy: what charpipe does, the text, and what ftfy makes of it.
const FTFY: &str = include_str!("data/mojibake/ftfy.tsv");

/// Text without errors; each part begins with `# LANGUAGE`.
const CLEAN: &str = include_str!("data/mojibake/clean.txt");

/// Everyday lines in 40 languages, with which nothing was trained.
const EVERYDAY: &str = include_str!("../../detection/everyday.txt");

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
    assert_eq!((counts["repaired"], counts["unchanged"]), (77, 47), "{counts:?}");
}

#[test]
fn clean_text_is_unchanged() {
    assert!(repair(CLEAN) == CLEAN, "text without errors is changed");
    let (out, errors) = decoded_with_errors("mojibake", &CLEAN.as_bytes()[..2000]);
    assert_eq!((out.len(), errors), (2000, vec![]));
}

/// A language, and a line or a word in it.
type Text = (&'static str, &'static str);

/// Garbles each text as often as `times` says, and returns which of them are repaired.
fn repaired<'a>(texts: &'a [Text], encoding: &'static Encoding, times: usize) -> Vec<&'a Text> {
    let garbled: Vec<String> = texts
        .iter()
        .map(|(_, text)| (0..times).fold(text.to_string(), |text, _| garble(&text, encoding)))
        .collect();
    let repaired = repair(&garbled.join("\n"));
    let repaired: Vec<&str> = repaired.split('\n').collect();
    assert_eq!(repaired.len(), texts.len());
    texts
        .iter()
        .zip(repaired)
        .filter(|((_, text), repaired)| text == repaired)
        .map(|(text, _)| text)
        .collect()
}

/// Encodings, the percentage of lines and of single words that must be repaired, and the languages of
/// which not every line is. Where there are such, two encodings garble different letters as the same
/// characters, or garbled letters look like a word ("ГЁ").
static RATES: &[(&Encoding, [usize; 2], &[&str])] = &[
    (charpipe::ISO_8859_1, [100, 99], &[]),
    (charpipe::WINDOWS_1252, [99, 97], &["lit"]),
    (charpipe::WINDOWS_1250, [98, 94], &["ewe", "lit"]),
    (charpipe::WINDOWS_1251, [99, 95], &["ita"]),
    (charpipe::WINDOWS_1253, [100, 97], &[]),
    (charpipe::WINDOWS_1254, [99, 97], &["lit"]),
    (charpipe::WINDOWS_1257, [98, 95], &["isl", "lit"]),
    (charpipe::ISO_8859_2, [100, 94], &[]),
    (charpipe::WHATWG_MACINTOSH, [99, 94], &["ewe"]),
    (charpipe::IBM437, [100, 95], &[]),
    (charpipe::IBM850, [100, 96], &[]),
    (charpipe::IBM866, [100, 95], &[]),
];

/// Lines and words with characters outside ASCII in each language.
fn samples() -> (Vec<Text>, Vec<Text>) {
    let (mut lines, mut words) = (Vec::new(), Vec::new());
    for part in CLEAN.split("\n# ").skip(1) {
        let Some((language, text)) = part.split_once('\n') else { continue };
        let foreign = text.lines().filter(|line| !line.is_ascii());
        let foreign_words =
            foreign.clone().flat_map(|line| line.split(' ')).filter(|word| !word.is_ascii());
        words.extend(foreign_words.take(12).map(|word| (language, word)));
        lines.extend(foreign.take(3).map(|line| (language, line)));
    }
    (lines, words)
}

#[test]
fn garbled_text_is_repaired_in_every_language() {
    let (lines, words) = samples();
    for &(encoding, expected, incomplete) in RATES {
        let good_lines = repaired(&lines, encoding, 1);
        let good_words = repaired(&words, encoding, 1);
        let percent = [good_lines.len() * 100 / lines.len(), good_words.len() * 100 / words.len()];
        let name = encoding.name();
        assert!(
            percent[0] >= expected[0] && percent[1] >= expected[1],
            "{name}: {percent:?} instead of {expected:?}"
        );
        for line in lines.iter().filter(|line| !incomplete.contains(&line.0)) {
            assert!(good_lines.contains(&line), "{name}: {line:?}");
        }
    }
}

#[test]
fn lines_garbled_twice_are_repaired_as_often_as_once() {
    let (lines, _) = samples();
    for encoding in [charpipe::WINDOWS_1252, charpipe::WHATWG_MACINTOSH, charpipe::IBM437] {
        let [once, twice] = [1, 2].map(|times| repaired(&lines, encoding, times).len());
        assert!(twice >= once, "{}: {twice} instead of {once}", encoding.name());
    }
}

#[test]
fn long_lines_are_repaired_in_any_blocks() {
    let case = TransformCase::new("mojibake", Direction::Encode);
    for text in
        ["привет, мир ".repeat(500), "世界人权宣言".repeat(500), "žluťoučký kůň ".repeat(300)]
    {
        for (encoding, times) in [(charpipe::ISO_8859_1, 1), (charpipe::WINDOWS_1252, 2)] {
            let garbled =
                (0..times).fold(text.clone(), |text, _| garble(&text, encoding)) + "\né\n";
            let mut codec = case.create().unwrap();
            for block_len in [1021, 4096, 6000, usize::MAX] {
                let cuts = (block_len..garbled.len())
                    .step_by(block_len)
                    .filter(|at| garbled.is_char_boundary(*at))
                    .collect();
                let chunking = Chunking { cuts, output_space: OutputSpace::Fixed(4096) };
                codec.restore_state(State::INITIAL);
                let transcript =
                    drive(&mut codec, garbled.as_bytes(), &chunking, &mut |_, _| Ok(()));
                let out = String::from_utf8(transcript.unwrap().out).unwrap();
                assert!(out == text.clone() + "\né\n", "{text:.20} in blocks of {block_len} bytes");
            }
        }
    }
}

#[test]
fn later_lines_decide_in_any_blocks() {
    let garbled = "BĂś\n".repeat(30) + "a\n\nursprĂźnglich zurĂźckkehren\n😀 é\nBĂś";
    let text = "Bö\n".repeat(30) + "a\n\nursprünglich zurückkehren\n😀 é\nBö";
    let case = TransformCase::new("mojibake", Direction::Encode);
    let mut codec = case.create().unwrap();
    for block_len in [1, 7, 31, 100, 4096] {
        let cuts = (block_len..garbled.len())
            .step_by(block_len)
            .filter(|at| garbled.is_char_boundary(*at))
            .collect();
        let chunking = Chunking { cuts, output_space: OutputSpace::Fixed(4096) };
        codec.restore_state(State::INITIAL);
        let transcript = drive(&mut codec, garbled.as_bytes(), &chunking, &mut |_, _| Ok(()));
        let out = String::from_utf8(transcript.unwrap().out).unwrap();
        assert_eq!(out, text, "in blocks of {block_len} bytes");
    }
}

#[test]
fn each_run_of_a_line_is_reported() {
    let (out, errors) =
        decoded_with_errors("mojibake", "a Ã©tÃ© Ã\u{a0} Â«b\u{c2}\u{bb}\nÉ» Ã©té".as_bytes());
    let error = |at, len| (at, len, MalformedReason::Mojibake);
    assert_eq!(out, "a t  b\nÉ» té".as_bytes());
    assert_eq!(
        errors,
        [error(2, 4), error(7, 4), error(12, 4), error(17, 4), error(22, 4), error(32, 4)]
    );
}

#[test]
fn letters_decide_between_encodings_that_garble_alike() {
    for (garbled, text) in [
        (
            "ursprĂźnglichem Arbeitsverzeichnis zurĂźckkehren",
            "ursprünglichem Arbeitsverzeichnis zurückkehren",
        ),
        ("die StraĂźe ist gesperrt", "die Straße ist gesperrt"),
        ("keyfi olarak mĂźlkĂźnden mahrum edilemez", "keyfi olarak mülkünden mahrum edilemez"),
        ("Enigu Ä¯ustaforman entjeron.", "Enigu ĝustaforman entjeron."),
        ("GerĆ° innihalds hlutar er ekki til", "Gerð innihalds hlutar er ekki til"),
        ("ar bajenn-maĂą a zo cheĂąchet", "ar bajenn-mañ a zo cheñchet"),
    ] {
        assert_eq!(repair(garbled), text);
    }
}

#[test]
fn other_lines_decide_between_encodings_that_garble_alike() {
    // Each of these lines alone could be either.
    for alone in ["BĂś", "GĂśl", "HĂźgel"] {
        assert_eq!(repair(alone), alone);
    }
    for (garbled, text) in [
        ("die StraĂźe ist gesperrt\nBĂś\nGĂśl\n", "die Straße ist gesperrt\nBÜ\nGÜl\n"),
        ("BĂś\nGĂśl\ndie StraĂźe ist gesperrt", "BÜ\nGÜl\ndie Straße ist gesperrt"),
        ("BĂś\nursprĂźnglich zurĂźckkehren\nBĂś\n", "Bö\nursprünglich zurückkehren\nBö\n"),
        ("BĂś\r\n\r\nHĂźgel\r\nzurĂźckkehren mĂźssen", "Bö\r\n\r\nHügel\r\nzurückkehren müssen"),
    ] {
        assert_eq!(repair(garbled), text);
    }
}

#[test]
fn other_lines_that_decide_nothing_change_nothing() {
    // Two lines that could be either, of which the first is repaired, and no other line up to the end of what is examined.
    let rest = "FĂĄbio AraĂşjo\n".to_owned() + &"plain text\n".repeat(500);
    for (garbled, text) in [("SmĂĽ grodorna", "Små grodorna"), ("CĂŠsar BrandĂŁo", "César Brandão")]
    {
        assert!(repair(&format!("{garbled}\n{rest}")) == format!("{text}\n{rest}"), "{garbled}");
    }
}

#[test]
fn clean_lines_among_garbled_ones_are_unchanged() {
    let (_, words) = samples();
    for (encoding, ..) in RATES {
        let lines = words.iter().map(|(_, word)| format!("{word}\n{}\n", garble(word, encoding)));
        let repaired = repair(&lines.collect::<String>());
        for ((_, word), line) in words.iter().zip(repaired.lines().step_by(2)) {
            assert_eq!(line, *word, "{}", encoding.name());
        }
    }
}

#[test]
fn no_repair_is_a_lone_ideograph_or_a_control() {
    for text in ["cost 5Â¢â?", "ItÃ?Â¢â?¬â?¢s"] {
        assert_eq!(repair(text), text);
    }
}

/// Returns how many garbled lines become something else than the text, which is worse than no repair.
fn wrong_repairs(texts: &[Text], encoding: &'static Encoding) -> usize {
    let is_wrong = |(_, text): &&Text| {
        let garbled = garble(text, encoding);
        let repaired = repair(&garbled);
        repaired != *text && repaired != garbled
    };
    texts.iter().filter(is_wrong).count()
}

#[test]
fn hardly_any_repair_is_wrong() {
    let (lines, _) = samples();
    for (encoding, ..) in RATES {
        let wrong = wrong_repairs(&lines, encoding);
        assert!(wrong * 100 <= lines.len(), "{}: {wrong} of {}", encoding.name(), lines.len());
    }
}

#[test]
fn everyday_lines_are_repaired_alone_and_in_a_file() {
    let lines = EVERYDAY.lines().filter(|line| !line.starts_with(['@', '#']));
    let texts =
        lines.filter_map(|line| Some(line.split_once('\t')?.1)).flat_map(|text| text.split("\\n"));
    let texts: Vec<Text> = texts.filter(|text| !text.is_ascii()).map(|text| ("", text)).collect();
    assert!(texts.len() > 3000);
    let percent = |count: usize| count as f64 * 100.0 / texts.len() as f64;
    for (encoding, ..) in RATES {
        let name = encoding.name();
        let in_file = percent(repaired(&texts, encoding, 1).len());
        assert!(in_file >= 99.5, "{name}: {in_file} % in a file");
        let wrong = percent(wrong_repairs(&texts, encoding));
        assert!(wrong <= 0.2, "{name}: {wrong} % wrong");
    }
}

#[test]
fn clean_text_that_could_be_garbled_is_unchanged() {
    for text in [
        "\\fIтпи\\fP",
        "юга эко яма",
        "\\nНі",
        "\\nЗі",
        "Дії",
        "ТІС…",
        "There are a lot of Ã’s",
        "“AMANHû",
        "MANHÖTARDE",
        "–—‘“”„†•…‰™œŠŸž€ ΑΒΓΔΩαβγδω",
        "DĀ‘IL",
    ] {
        assert_eq!(repair(text), text);
    }
}

#[test]
fn lost_no_break_space_is_restored_in_a_garbled_line() {
    for (garbled, original) in [
        ("Moules Ã la crÃ¨me", "Moules à la crème"),
        ("Il est Ã Paris, dÃ©jÃ .", "Il est à Paris, déjà."),
        ("Il faut Ã Ã©viter", "Il faut à éviter"),
        ("La cittÃ e l'universitÃ  di perchÃ©", "La città e l'università di perché"),
        ("Ã s vezes nÃ£o vou Ã quele lugar", "às vezes não vou àquele lugar"),
        ("voilÃ le travail", "voilà le travail"),
        // Nothing else in the line is garbled, or it is a word in capitals.
        ("The letter Ã is used in Portuguese", "The letter Ã is used in Portuguese"),
        ("MANHÃ DE AMANHÃ", "MANHÃ DE AMANHÃ"),
        ("IRMÃ DO JOÃO cafÃ©", "IRMÃ DO JOÃO café"),
    ] {
        assert_eq!(repair(garbled), original);
        let lines = format!("{garbled}\nplain\n");
        assert_eq!(repair(&lines), format!("{original}\nplain\n"));
    }
}

#[test]
fn short_text_is_repaired() {
    for (garbled, text) in [
        ("Ã–nsÃ¶z", "Önsöz"),
        ("Ã–ll", "Öll"),
        ("NÃšMERO", "NÚMERO"),
        ("DÃ\u{ad}az", "Díaz"),
        ("Â«%sÂ»", "«%s»"),
        ("ƒçlen", "člen"),
        ("‚Äù%s‚Äù", "”%s”"),
        ("sá»‘", "số"),
        ("TÉ”rÉ”", "Tɔrɔ"),
        ("10\"Ã—14", "10\"×14"),
        ("URLì\u{9d}„", "URL을"),
    ] {
        assert_eq!(repair(garbled), text);
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
    let text =
        "cafÃ© “Ã©tÃ©” doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t ’é’ Å É»\nÃ la crÃ¨me, Ã \nÃ la\nÐ¿Ñ€Ð¸Ð²ÐµÑ‚";
    assert_eq!(
        converted("mojibake", Direction::Encode, text.as_bytes()),
        "café “été” doesn’t ’é’ Å É»\nà la crème, à\nÃ la\nпривет".as_bytes()
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
