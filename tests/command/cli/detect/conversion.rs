//! `-f detect`, in the filter and in place.

use std::fs;

use charpipe::detect::{self, Confidence};

use super::{RUSSIAN, detect_command, objects, text_in, text_with_confidence};
use crate::cli::command::{charpipe, create_directory, messages_of};

#[test]
fn detected_encoding_is_used_for_each_input() {
    let files: [(&str, &[u8]); 4] = [
        ("old", &text_in("CP1251", &RUSSIAN.repeat(4))),
        ("wide", &text_in("UTF-16LE", RUSSIAN)),
        ("new", RUSSIAN.as_bytes()),
        ("empty", b""),
    ];
    let directory = create_directory(&files);
    let mut command = charpipe();
    let run = command.current_dir(&directory).args(["-f", "detect", "old", "wide", "new", "empty"]);
    run.assert().success().stdout(RUSSIAN.repeat(6)).stderr("");
}

#[test]
fn verbose_reports_the_detected_encoding() {
    let directory =
        create_directory(&[("old", &text_in("KOI8-R", &RUSSIAN.repeat(4))), ("new", b"x\n")]);
    let run =
        charpipe().current_dir(&directory).args(["-v", "-f", "detect", "old", "new"]).assert();
    let lines =
        ["charpipe: old: detected KOI8-R (certain)", "charpipe: new: detected UTF-8 (certain)"];
    assert_eq!(messages_of(&run), lines);
}

/// Returns a text whose encoding is a guess, and the name of that encoding.
fn guess() -> (Vec<u8>, &'static str) {
    let bytes = text_with_confidence(Confidence::Guess).expect("some text is a guess");
    let name = detect::detect(&bytes).best().unwrap().encoding.name();
    (bytes, name)
}

/// Returns the end of the message about an input that is not converted.
fn refusal(bytes: &[u8]) -> String {
    let candidates = detect::detect(bytes).candidates;
    let alternatives: Vec<_> =
        candidates.iter().skip(1).take(2).map(|other| other.encoding.name()).collect();
    let perhaps = match alternatives[..] {
        [] => String::new(),
        [one] => format!(", perhaps {one}"),
        [one, two, ..] => format!(", perhaps {one} or {two}"),
    };
    format!("{perhaps}; not converted (use --from ENCODING or --accept-guess)")
}

#[test]
fn guess_is_used_and_reported_even_with_quiet() {
    let (bytes, name) = guess();
    let directory = create_directory(&[("old", &bytes)]);
    for quiet in [&[][..], &["-q"]] {
        let mut command = charpipe();
        let run =
            command.current_dir(&directory).args(quiet).args(["-f", "detect", "old"]).assert();
        assert_eq!(messages_of(&run), [format!("charpipe: old: detected {name} (guess)")]);
        run.success().stdout(charpipe::transcode(name, "UTF-8", &bytes).unwrap());
    }
}

/// What `charpipe detect` calls unknown is converted only with `--accept-guess`.
#[test]
fn uncertain_encoding_is_rejected() {
    let bytes = text_with_confidence(Confidence::Uncertain).expect("a text");
    let directory = create_directory(&[("old", &bytes)]);
    let json = detect_command().current_dir(&directory).args(["--json", "old"]).assert().code(1);
    let found = &objects(&json.get_output().stdout)[0];
    assert!(found["encoding"].is_null() && found["candidates"][0]["confidence"] == "uncertain");
    detect_command().current_dir(&directory).args(["--name", "old"]).assert().stdout("unknown\n");
    let name = detect::detect(&bytes).candidates[0].encoding.name();
    let message = "charpipe: old: encoding is uncertain, perhaps ";
    for words in [&["-f", "detect", "old"][..], &["-f", "detect", "-i", "old"]] {
        let run = charpipe().current_dir(&directory).args(words).assert().code(1).stdout("");
        let first = &messages_of(&run)[0];
        assert!(first.starts_with(&format!("{message}{name}")), "{first}");
        assert!(first.ends_with("; not converted (use --from ENCODING or --accept-guess)"));
        assert_eq!(fs::read(directory.path().join("old")).unwrap(), bytes);
    }
    let words = ["-f", "detect", "--accept-guess", "old"];
    let run = charpipe().current_dir(&directory).args(words).assert();
    assert_eq!(messages_of(&run)[0], format!("charpipe: old: detected {name} (uncertain)"));
    run.stdout(charpipe::transcode(name, "UTF-8", &bytes).unwrap());
}

#[test]
fn the_last_of_min_confidence_and_accept_guess_decides() {
    let (bytes, _) = guess();
    let directory = create_directory(&[("old", &bytes)]);
    for (levels, code) in [
        (["--min-confidence=certain", "--accept-guess"], 0),
        (["--accept-guess", "--min-confidence=certain"], 1),
    ] {
        let mut command = charpipe();
        command.current_dir(&directory).args(["-f", "detect", "old"]).args(levels);
        command.assert().code(code);
    }
}

#[test]
fn binary_input_is_rejected_and_the_next_is_converted() {
    let directory = create_directory(&[("binary", b"\x7FELF\0\0\0"), ("new", b"text")]);
    let run = charpipe().current_dir(&directory).args(["-f", "detect", "binary", "new"]).assert();
    assert_eq!(messages_of(&run), ["charpipe: binary: binary file"]);
    run.code(1).stdout("text");
}

#[test]
fn text_resembling_utf7_is_treated_as_ascii() {
    let bytes = text_in("UTF-7", RUSSIAN);
    let run = charpipe().args(["-f", "detect"]).write_stdin(bytes.clone()).assert();
    run.success().stdout(bytes);
}

#[test]
fn in_place_examines_the_whole_file() {
    let late =
        ["x".repeat(100_000).as_bytes(), b"\n", &text_in("CP1251", &RUSSIAN.repeat(4))].concat();
    let (bytes, name) = guess();
    let directory =
        create_directory(&[("late", &late), ("binary", b"\x7FELF\0\0\0"), ("guess", &bytes)]);
    let words = ["-f", "detect", "-i", "late", "binary", "guess"];
    let run = charpipe().current_dir(&directory).args(words).assert().code(1);
    assert_eq!(
        messages_of(&run),
        [
            "charpipe: binary: skipped: binary file (ELF signature)",
            &format!("charpipe: guess: detected {name} (guess){}", refusal(&bytes)),
            "charpipe: 1 converted, 0 unchanged, 1 skipped, 1 failed",
        ]
    );
    let new = fs::read_to_string(directory.path().join("late")).unwrap();
    assert!(new.ends_with(RUSSIAN));
    assert_eq!(fs::read(directory.path().join("guess")).unwrap(), bytes);
}

#[test]
fn in_place_min_confidence_decides_what_is_converted() {
    let likely = text_with_confidence(Confidence::Likely).expect("some text is likely");
    let (guess, _) = guess();
    let files: [(&str, &[u8]); 3] =
        [("certain", "é\n".as_bytes()), ("guess", &guess), ("likely", &likely)];
    for (level, converted, code) in [
        (&[][..], &["certain", "likely"][..], 1),
        (&["--min-confidence=guess"], &["certain", "guess", "likely"], 0),
        (&["--accept-guess"], &["certain", "guess", "likely"], 0),
        (&["--min-confidence=likely"], &["certain", "likely"], 1),
        (&["--min-confidence=certain"], &["certain"], 1),
    ] {
        let directory = create_directory(&files);
        let words = [&["-f", "detect", "-t", "utf-16le", "-i", "-r"], level, &["."]].concat();
        let run = charpipe().current_dir(&directory).args(words).assert().code(code);
        for (name, old) in files {
            let kept = fs::read(directory.path().join(name)).unwrap() == old;
            assert_eq!(kept, !converted.contains(&name), "{level:?} {name}");
        }
        let refused = messages_of(&run).into_iter().filter(|line| line.contains("; not converted"));
        assert_eq!(refused.count(), files.len() - converted.len(), "{level:?}");
    }
}

#[test]
fn filter_rejects_inputs_below_min_confidence() {
    let (bytes, name) = guess();
    let directory = create_directory(&[("guess", &bytes), ("certain", b"plain\n")]);
    let words = ["-f", "detect", "--min-confidence", "likely", "guess", "certain"];
    let run = charpipe().current_dir(&directory).args(words).assert().code(1);
    let refused = format!("charpipe: guess: detected {name} (guess){}", refusal(&bytes));
    assert_eq!(messages_of(&run), [refused]);
    run.stdout("plain\n");
    for (words, message) in [
        (&["--min-confidence", "likely"][..], "--min-confidence requires --from detect"),
        (&["--accept-guess"], "--accept-guess requires --from detect"),
        (&["-f", "auto", "--accept-guess"], "--accept-guess requires --from detect"),
        (
            &["-f", "auto", "-i", "--min-confidence", "likely", "guess"],
            "--min-confidence requires --from detect",
        ),
    ] {
        let run = charpipe().current_dir(&directory).args(words).assert().code(2);
        run.stderr(format!("charpipe: {message}\n"));
    }
}

#[test]
fn default_encoding_is_rejected_with_detect() {
    let run = charpipe().args(["-f", "detect", "--default-encoding", "latin1"]).assert().code(2);
    run.stderr("charpipe: --default-encoding requires --from auto\n");
}
