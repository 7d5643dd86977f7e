//! `-f detect`, in the filter and in place.

use std::fs;

use super::{RUSSIAN, text_in};
use crate::command::{charpipe, folder, told};

#[test]
fn the_word_of_the_detector_is_taken_for_each_input() {
    let files: [(&str, &[u8]); 4] = [
        ("old", &text_in("CP1251", &RUSSIAN.repeat(4))),
        ("wide", &text_in("UTF-16LE", RUSSIAN)),
        ("new", RUSSIAN.as_bytes()),
        ("empty", b""),
    ];
    let folder = folder(&files);
    let mut command = charpipe();
    let run = command.current_dir(&folder).args(["-f", "detect", "old", "wide", "new", "empty"]);
    run.assert().success().stdout(RUSSIAN.repeat(6)).stderr("");
}

#[test]
fn what_was_taken_is_told_with_verbose() {
    let folder = folder(&[("old", &text_in("KOI8-R", &RUSSIAN.repeat(4))), ("new", b"x\n")]);
    let run = charpipe().current_dir(&folder).args(["-v", "-f", "detect", "old", "new"]).assert();
    let lines = [
        "charpipe: old: detected whatwg:KOI8-U (likely)",
        "charpipe: new: detected UTF-8 (certain)",
    ];
    assert_eq!(told(&run), lines);
}

#[test]
fn a_guess_is_taken_and_told_even_if_silence_is_asked_for() {
    let folder = folder(&[("old", b"caf\xE9\n")]);
    for silent in [&[][..], &["-s"]] {
        let mut command = charpipe();
        let run = command.current_dir(&folder).args(silent).args(["-f", "detect", "old"]).assert();
        assert_eq!(told(&run), ["charpipe: old: detected whatwg:windows-1252 (guess)"]);
        run.success().stdout("café\n");
    }
}

#[test]
fn what_is_no_text_is_refused_and_the_next_is_converted() {
    let folder = folder(&[("binary", b"\x7FELF\0\0\0"), ("new", b"text")]);
    let run = charpipe().current_dir(&folder).args(["-f", "detect", "binary", "new"]).assert();
    assert_eq!(told(&run), ["charpipe: binary: binary file"]);
    run.code(1).stdout("text");
}

#[test]
fn what_looks_like_utf_7_is_left_as_ascii() {
    let bytes = text_in("UTF-7", RUSSIAN);
    let run = charpipe().args(["-f", "detect"]).write_stdin(bytes.clone()).assert();
    run.success().stdout(bytes);
}

#[test]
fn in_place_the_whole_file_is_looked_at() {
    let late =
        ["x".repeat(100_000).as_bytes(), b"\n", &text_in("CP1251", &RUSSIAN.repeat(4))].concat();
    let folder = folder(&[("late", &late), ("binary", b"\x7FELF\0\0\0"), ("guess", b"caf\xE9\n")]);
    let words = ["-f", "detect", "-i", "late", "binary", "guess"];
    let run = charpipe().current_dir(&folder).args(words).assert().code(1);
    assert_eq!(
        told(&run),
        [
            "charpipe: binary: skipped: binary file (ELF signature)",
            "charpipe: guess: detected whatwg:windows-1252 (guess); not converted \
             (use --min-confidence guess)",
            "charpipe: 1 converted, 0 unchanged, 1 skipped, 1 failed",
        ]
    );
    let new = fs::read_to_string(folder.path().join("late")).unwrap();
    assert!(new.ends_with(RUSSIAN));
    assert_eq!(fs::read(folder.path().join("guess")).unwrap(), b"caf\xE9\n");
}

#[test]
fn in_place_min_confidence_decides_what_is_converted() {
    let likely = text_in("CP1251", &RUSSIAN.repeat(4));
    let files: [(&str, &[u8]); 3] =
        [("certain", "é\n".as_bytes()), ("guess", b"caf\xE9\n"), ("likely", &likely)];
    for (level, converted, code) in [
        (&[][..], &["certain", "likely"][..], 1),
        (&["--min-confidence=guess"], &["certain", "guess", "likely"], 0),
        (&["--min-confidence=likely"], &["certain", "likely"], 1),
        (&["--min-confidence=certain"], &["certain"], 1),
    ] {
        let folder = folder(&files);
        let words = [&["-f", "detect", "-t", "utf-16le", "-i", "-r"], level, &["."]].concat();
        let run = charpipe().current_dir(&folder).args(words).assert().code(code);
        for (name, old) in files {
            let kept = fs::read(folder.path().join(name)).unwrap() == old;
            assert_eq!(kept, !converted.contains(&name), "{level:?} {name}");
        }
        let refused = told(&run).into_iter().filter(|line| line.contains("; not converted"));
        assert_eq!(refused.count(), files.len() - converted.len(), "{level:?}");
    }
}

#[test]
fn the_filter_refuses_inputs_below_min_confidence() {
    let folder = folder(&[("guess", b"caf\xE9\n"), ("certain", b"plain\n")]);
    let words = ["-f", "detect", "--min-confidence", "likely", "guess", "certain"];
    let run = charpipe().current_dir(&folder).args(words).assert().code(1);
    let refused = "charpipe: guess: detected whatwg:windows-1252 (guess); not converted \
                   (use --min-confidence guess)";
    assert_eq!(told(&run), [refused]);
    run.stdout("plain\n");
    for (words, message) in [
        (&["--min-confidence", "likely"][..], "--min-confidence requires --from detect"),
        (
            &["-f", "auto", "-i", "--min-confidence", "likely", "guess"],
            "--min-confidence requires --from detect",
        ),
    ] {
        let run = charpipe().current_dir(&folder).args(words).assert().code(2);
        run.stderr(format!("charpipe: {message}\n"));
    }
}

#[test]
fn a_fallback_says_nothing_with_it() {
    let run = charpipe().args(["-f", "detect", "--fallback", "latin1"]).assert().code(2);
    run.stderr("charpipe: --fallback says nothing without --from auto\n");
}
