//! `charpipe detect`.

use std::ffi::OsStr;
use std::fs;
#[cfg(unix)]
use std::os::unix::ffi::OsStrExt;

use assert_cmd::Command;
use charpipe::detect::{self, Confidence};
use charpipe::transcode;
use serde_json::Value;

use crate::cli::command::{
    create_directory, messages_of, plain_subcommand, shell_subcommand, subcommand,
};

mod conversion;
mod hints;
mod name;
#[cfg(unix)]
mod untrusted_input;

const RUSSIAN: &str = "Все люди рождаются свободными и равными в своём достоинстве и правах.\n";

fn detect_command() -> Command {
    subcommand("detect")
}

/// Returns the output for the standard input, without its name.
fn detect_output(bytes: &[u8]) -> String {
    detect_output_with(&[], bytes)
}

fn detect_output_with(words: &[&str], bytes: &[u8]) -> String {
    let output = detect_command().args(words).write_stdin(bytes).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.replace("<stdin>: ", "").trim_end().to_owned()
}

fn objects(text: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(text).unwrap().lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the beginning of a text of which the best candidate has this confidence, if there is one.
fn text_with_confidence(confidence: Confidence) -> Option<Vec<u8>> {
    let samples = [
        ("CP1252", "Déjà vu, señor? Ça va très bien à la forêt près de Málaga."),
        ("CP1250", "Zażółć gęślą jaźń. Příliš žluťoučký kůň."),
        ("ISO-8859-2", "Łódź, Kraków, Gdańsk, Wrocław, Częstochowa"),
        ("KOI8-R", "Привет, мир! Как дела?"),
        ("CP1253", "Καλημέρα κόσμε"),
        ("VISCII", "Tiếng Việt"),
    ];
    let samples = samples.map(|(encoding, text)| text_in(encoding, text));
    let prefixes = samples.iter().flat_map(|bytes| (1..=bytes.len()).map(|end| &bytes[..end]));
    let has_confidence = |bytes: &&[u8]| {
        let candidates = detect::detect(bytes).candidates;
        candidates.first().is_some_and(|best| best.confidence == confidence)
    };
    prefixes.filter(|bytes| !bytes.is_ascii()).find(has_confidence).map(<[u8]>::to_vec)
}

/// Converts a text to another encoding.
fn text_in(encoding: &str, text: &str) -> Vec<u8> {
    transcode("UTF-8", encoding, text.as_bytes()).unwrap()
}

#[test]
fn bom_takes_precedence() {
    for (bytes, what) in [
        (&b"\xEF\xBB\xBFabc\n"[..], "UTF-8, certain, lf, byte order mark"),
        (b"\xEF\xBB\xBFabc\xE9\n", "UTF-8, likely, lf, byte order mark"),
        (b"\xFF\xFEa\0\n\0", "UTF-16, certain, lf, byte order mark"),
        (b"\xFE\xFF\0a\0\r\0\n", "UTF-16, certain, crlf, byte order mark"),
        (b"\xFF\xFE\0\0a\0\0\0", "UTF-32, certain, none, byte order mark"),
        (b"\0\0\xFE\xFF\0\0\0a", "UTF-32, certain, none, byte order mark"),
        (b"\xFF\xFEa\0\0\xD8b\0", "UTF-16, likely, none, byte order mark"),
    ] {
        assert_eq!(detect_output(bytes), what, "{bytes:?}");
    }
}

#[test]
fn valid_utf8_is_utf8_and_ascii_is_ascii() {
    assert_eq!(detect_output("é\n".as_bytes()), "UTF-8, certain, lf");
    assert_eq!(detect_output(RUSSIAN.as_bytes()), "UTF-8, certain, lf");
    assert_eq!(detect_output(b"plain\n"), "US-ASCII, certain, lf");
    assert_eq!(detect_output(b"\x1B[1mbold\x1B[0m\n"), "US-ASCII, certain, lf");
}

#[test]
fn utf8_with_an_error_or_truncated_is_likely_utf8() {
    let broken = [RUSSIAN.as_bytes(), b"\xFF\n"].concat();
    assert_eq!(detect_output(&broken), "UTF-8, likely, lf");
    assert_eq!(detect_output(&RUSSIAN.as_bytes()[..14]), "UTF-8, likely, none");
}

#[test]
fn utf16_and_utf32_are_detected_without_a_bom() {
    for text in ["Plain text\r\n", RUSSIAN, "すべての人間は、\r\n", "שלום לכולם\n", "naïve 😀\n"]
    {
        let line_endings = if text.contains('\r') { "crlf" } else { "lf" };
        for encoding in ["UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"] {
            let what = detect_output(&text_in(encoding, text));
            assert_eq!(what, format!("{encoding}, likely, {line_endings}"), "{text}");
        }
    }
}

#[test]
fn utf16_ending_inside_a_code_unit_is_a_guess() {
    let bytes = text_in("UTF-16LE", RUSSIAN);
    assert_eq!(detect_output(&bytes[..bytes.len() - 1]), "UTF-16LE, guess, none");
}

#[test]
fn iso_2022_and_hz_are_found_by_their_shifts() {
    for (encoding, text) in [
        ("ISO-2022-JP", "日本語の文章\n"),
        ("ISO-2022-KR", "한국어 문장\n"),
        ("ISO-2022-CN", "中文文章\n"),
        ("HZ", "中文文章\n"),
    ] {
        let bytes = text_in(encoding, text);
        assert_eq!(detect_output(&bytes), format!("{encoding}, likely, lf"));
        let broken = [&bytes[..bytes.len() - 4], b"\x1B$\n"].concat();
        assert_eq!(detect_output(&broken), "US-ASCII, certain, lf", "{encoding}");
    }
}

#[test]
fn utf_7_is_named_and_never_put_first() {
    let bytes = text_in("UTF-7", RUSSIAN);
    assert_eq!(detect_output(&bytes), "US-ASCII, certain, lf, looks like UTF-7");
    let both = detect_output_with(&["--candidates", "2"], &bytes);
    assert_eq!(both, "US-ASCII, certain, lf\nor UTF-7, guess");
    let object = &objects(detect_output_with(&["--json"], &bytes).as_bytes())[0];
    assert_eq!(object["encoding"], "US-ASCII");
    assert_eq!(object["candidates"][1]["encoding"], "UTF-7");
    for text in ["1 + 2 = 3", "i++; j+1", "C+AB-", "a+b@example.org", "+ACY-"] {
        assert_eq!(detect_output(text.as_bytes()), "US-ASCII, certain, none", "{text}");
    }
}

#[test]
fn legacy_text_is_detected_by_its_language() {
    for (encoding, name) in [
        ("CP1251", "CP1251"),
        ("KOI8-R", "KOI8-R"),
        ("ISO-8859-5", "ISO-8859-5"),
        ("IBM866", "IBM866"),
    ] {
        assert_eq!(
            detect_output(&text_in(encoding, &RUSSIAN.repeat(5))),
            format!("{name}, certain, lf, language ru")
        );
    }
}

/// Text that another encoding decodes with malformed sequences one after another.
#[test]
fn malformed_sequences_in_a_row_are_not_text() {
    for (encoding, text, found) in [
        ("CP932", "東京から大阪まで新幹線で二時間半かかります。\n", "CP932, certain"),
        ("EUC-JP", "電話番号：０３ー１２３４ー５６７８\n", "EUC-JP, likely"),
    ] {
        let what = detect_output(&text_in(encoding, text));
        assert!(what.starts_with(found), "{text} {what}");
    }
}

#[test]
fn a_short_text_is_a_guess_and_other_candidates_are_there_on_demand() {
    let bytes = b"caf\xE9\n";
    let one = detect_output(bytes);
    assert!(one.contains(", guess, lf"), "{one}");
    let three = detect_output_with(&["--candidates", "3"], bytes);
    let lines: Vec<_> = three.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, one.as_str()));
    assert!(lines[1..].iter().all(|line| line.starts_with("or ") && line.ends_with(", uncertain")));
    detect_command().args(["--candidates", "0"]).assert().code(2).stdout("");
}

#[test]
fn every_printed_name_is_accepted_by_from() {
    for bytes in [&b"caf\xE9\n"[..], b"plain", b"a\0b\0c\0d\0", "é".as_bytes()] {
        for line in detect_output_with(&["--candidates", "9"], bytes).lines() {
            let name = line.trim_start_matches("or ").split(',').next().unwrap();
            // A text that is malformed in an encoding does not exclude it.
            let converted = transcode(name, "UTF-8", bytes);
            let is_accepted = matches!(converted, Ok(_) | Err(charpipe::Error::Conversion(_)));
            assert!(is_accepted, "{name}: {converted:?}");
        }
    }
}

#[test]
fn line_endings_are_reported() {
    for (text, ends) in [
        ("a\nb\n", "lf"),
        ("a\r\n", "crlf"),
        ("a\rb\r", "cr"),
        ("a\nb\r\n", "mixed"),
        ("a", "none"),
    ] {
        assert_eq!(detect_output(text.as_bytes()), format!("US-ASCII, certain, {ends}"));
        let wide = text_in("UTF-16BE", &format!("wide{text}"));
        assert_eq!(detect_output(&wide), format!("UTF-16BE, likely, {ends}"));
    }
}

#[cfg(unix)]
#[test]
fn json_has_one_complete_object_per_line() {
    let files: [(&str, &[u8]); 3] =
        [("a", b"caf\xC3\xA9\r\n"), ("b", b"\x7FELF\0\0\0"), ("c", b"")];
    let directory = create_directory(&files);
    let run = detect_command()
        .current_dir(&directory)
        .args(["--json", "a", "b", "c", "nope"])
        .assert()
        .code(2);
    assert_eq!(messages_of(&run), ["charpipe: nope: No such file or directory"]);
    let found = objects(&run.get_output().stdout);
    let candidate = serde_json::json!({"encoding": "UTF-8", "mime": "UTF-8", "lang": null,
        "confidence": "certain", "probability": 1.0, "reason": "valid UTF-8"});
    let whole = serde_json::json!({"file": "a", "content": "text", "encoding": "UTF-8",
        "mime": "UTF-8", "lang": null, "confidence": "certain", "probability": 1.0,
        "reason": "valid UTF-8", "bom": false, "line_endings": "crlf", "candidates": [candidate]});
    assert_eq!(found[0], whole);
    assert_eq!((&found[1]["content"], &found[1]["encoding"]), (&"binary".into(), &Value::Null));
    assert_eq!(
        (&found[2]["content"], &found[2]["line_endings"]),
        (&"empty".into(), &"none".into())
    );
    let lost = serde_json::json!({"file": "nope", "error": "No such file or directory"});
    assert_eq!(found[3], lost);
}

#[test]
fn mime_name_matches_the_encoding_standard() {
    let found = objects(detect_output_with(&["--json"], &text_in("CP1251", RUSSIAN)).as_bytes());
    assert_eq!(found[0]["encoding"], "CP1251");
    assert_eq!(found[0]["mime"], "windows-1251");
}

#[test]
fn the_exit_code_is_that_of_the_worst_file() {
    let directory = create_directory(&[
        ("text", b"x"),
        ("empty", b""),
        ("old", b"caf\xE9"),
        ("binary", b"\0\x01"),
        // A directory in a list is not entered.
        ("list", b"."),
    ]);
    for (files, code) in [
        (&["text", "empty", "old"][..], 0),
        (&["text", "binary", "old"], 1),
        (&["nope", "binary"], 2),
        (&["."], 1),
        (&["--files-from=list"], 2),
    ] {
        for json in [&[][..], &["--json"]] {
            detect_command().current_dir(&directory).args(json).args(files).assert().code(code);
        }
    }
}

#[cfg(unix)]
#[test]
fn tree_and_list_files_are_selected_as_by_check() {
    let directory = create_directory(&[
        ("b.txt", b"x"),
        (".hidden", b"x"),
        ("a.md", b"x"),
        (".gitignore", b"no"),
    ]);
    fs::write(directory.path().join("no"), "x").unwrap();
    fs::write(directory.path().join("list"), "b.txt\0").unwrap();
    let lines = |words: &[&str]| {
        let run = detect_command().current_dir(&directory).args(words).assert().success();
        let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        text.lines().map(|line| line.split(':').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(lines(&["-r", "--glob", "*.txt", "."]), ["./b.txt"]);
    assert_eq!(lines(&["--glob", "*.txt", "."]), ["./b.txt"]);
    assert_eq!(lines(&["-r", "--glob", "*.md"]), ["./a.md"]);
    assert_eq!(lines(&["-r", "--hidden", "--glob", ".h*"]), ["./.hidden"]);
    assert_eq!(lines(&["--files-from", "list", "-0"]), ["b.txt"]);
}

#[cfg(unix)]
#[test]
fn stdin_is_examined_without_operands_or_with_a_hyphen() {
    for words in [&[][..], &["-"]] {
        detect_command()
            .args(words)
            .write_stdin("x")
            .assert()
            .stdout("<stdin>: US-ASCII, certain, none\n");
    }
    let run = shell_subcommand("detect", "\"$@\" <&-").assert().code(2);
    run.stderr("charpipe: <stdin>: is closed\n");
}

#[cfg(unix)]
#[test]
fn file_names_of_any_bytes_are_escaped() {
    let directory = create_directory(&[]);
    let name = OsStr::from_bytes(b"caf\xE9\x1B[31m\n");
    fs::write(directory.path().join(name), "x").unwrap();
    for json in [&[][..], &["--json"]] {
        let mut command = plain_subcommand("detect");
        let output = command.current_dir(&directory).args(json).arg(name).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text.strip_suffix('\n').unwrap();
        assert!(line.chars().all(|character| !character.is_control()), "{line:?}");
        assert!(line.contains("US-ASCII"));
    }
    let run = detect_command().current_dir(&directory).arg("--json").arg(name).assert().success();
    assert_eq!(objects(&run.get_output().stdout)[0]["uri"], "caf%E9%1B%5B31m%0A");
}

#[cfg(unix)]
#[test]
fn unwritable_output_is_reported() {
    let script = "echo x | \"$@\" >/dev/full";
    let run = shell_subcommand("detect", script).assert().code(2);
    run.stderr("charpipe: write error: No space left on device\n");
    let run = shell_subcommand("detect", "echo x | \"$@\" >&-").assert().code(2);
    run.stderr("charpipe: standard output is closed\n");
}
