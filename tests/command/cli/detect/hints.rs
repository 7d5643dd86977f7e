//! `--lang` and `--tld`.

use super::{RUSSIAN, detect_command, detect_output_with, objects, text_in};
use crate::cli::command::{charpipe, subcommand};

const HINTS: [&[&str]; 7] = [
    &["--lang=ru"],
    &["--lang=ru,uk"],
    &["--lang=pl", "--lang=ru_RU.KOI8-R"],
    &["--tld=ru"],
    &["--tld=.ru"],
    &["--tld=www.example.ru"],
    &["--lang=zh-Hant", "--tld=example.com"],
];

#[test]
fn hints_are_accepted_wherever_encodings_are_detected() {
    let bytes = text_in("CP1251", &RUSSIAN.repeat(4));
    for hints in HINTS {
        let words = [hints, &["--name"]].concat();
        assert_eq!(detect_output_with(&words, &bytes), "WINDOWS-1251", "{hints:?}");
        let mut command = charpipe();
        let run = command.args(["-f", "detect"]).args(hints).write_stdin(bytes.clone()).assert();
        run.success().stdout(RUSSIAN.repeat(4));
        let mut command = subcommand("fix");
        let run = command.args(["-f", "detect", "-"]).args(hints).write_stdin(bytes.clone());
        run.assert().stdout(RUSSIAN.repeat(4));
    }
}

#[test]
fn hints_exclude_no_encoding() {
    let words = ["--name", "--lang=ja", "--tld=kr"];
    let bytes = text_in("CP1251", &RUSSIAN.repeat(8));
    assert_eq!(detect_output_with(&words, &bytes), "WINDOWS-1251");
    assert_eq!(detect_output_with(&words, RUSSIAN.as_bytes()), "UTF-8");
}

#[test]
fn hints_require_detection() {
    for option in [["--lang", "ru"], ["--tld", "ru"]] {
        let message = format!("charpipe: {} requires --from detect\n", option[0]);
        for from in [&[][..], &["-f", "auto"], &["-f", "cp1251"]] {
            charpipe().args(from).args(option).assert().code(2).stderr(message.clone());
            let mut command = subcommand("fix");
            command.args(from).args(option).arg("x").assert().code(2).stderr(message.clone());
        }
    }
}

#[test]
fn invalid_hints_are_rejected() {
    for (option, message) in [
        (["--lang", "polish"], "--lang: unknown language \"polish\" (did you mean pl?)"),
        (
            ["--lang", "ru,chinese"],
            "--lang: unknown language \"chinese\" (did you mean zh-Hans or zh-Hant?)",
        ),
        (
            ["--tld", "http://x.jp/"],
            "--tld: \"http://x.jp/\" is not a domain name, as jp or example.co.jp",
        ),
        (["--tld", ""], "--tld: \"\" is not a domain name, as jp or example.co.jp"),
    ] {
        let expected = format!("charpipe: {message}\n");
        detect_command().args(option).assert().code(2).stdout("").stderr(expected.clone());
        charpipe().args(["-f", "detect"]).args(option).assert().code(2).stderr(expected);
    }
    for unknown in ["xx", "", "\x1B[31m"] {
        let run = detect_command().args(["--lang", unknown]).assert().code(2).stdout("");
        let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(text.contains(" (known languages: af, ar, "), "{text}");
        assert!(!text.contains('\x1B'), "{text}");
    }
}

#[test]
fn json_has_a_probability_and_the_language() {
    let bytes = text_in("CP1251", &RUSSIAN.repeat(4));
    let found = objects(detect_output_with(&["--json", "--candidates=3"], &bytes).as_bytes());
    let candidates = found[0]["candidates"].as_array().unwrap();
    let probabilities: Vec<f64> =
        candidates.iter().map(|candidate| candidate["probability"].as_f64().unwrap()).collect();
    assert!(probabilities.iter().all(|probability| (0.0..=1.0).contains(probability)));
    assert!(probabilities.windows(2).all(|pair| pair[0] >= pair[1]), "{probabilities:?}");
    assert_eq!(found[0]["probability"].as_f64(), probabilities.first().copied());
    for probability in &probabilities {
        let digits = probability.to_string();
        assert!(digits.len() <= "0.1234".len(), "{digits}");
    }
    let language = &found[0]["lang"];
    assert!(language.is_null() || language == "ru", "{language}");
    let text = detect_output_with(&[], &bytes);
    assert_eq!(text.contains(", language ru"), language == "ru", "{text}");
}
