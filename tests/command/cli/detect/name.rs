//! `--name`: one name per file, which iconv accepts too; and `--brief`.

use std::fs;

use super::{RUSSIAN, detect_command, detect_output_with, text_in};
use crate::cli::command::{create_directory, messages_of, subcommand};
use charpipe_test_support::{Requirement, require, watch};

const FRENCH: &str = "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont \
doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.\n";

const JAPANESE: &str = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。\
人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。\n";

fn name_of(bytes: &[u8]) -> String {
    detect_output_with(&["--name"], bytes)
}

#[test]
fn names_are_those_of_iconv() {
    for (bytes, name) in [
        (text_in("CP1251", &RUSSIAN.repeat(3)), "WINDOWS-1251"),
        (text_in("CP1252", &format!("{FRENCH}« 3 € » – œuvre…\n")), "WINDOWS-1252"),
        (text_in("CP932", JAPANESE), "WINDOWS-31J"),
        (RUSSIAN.as_bytes().to_vec(), "UTF-8"),
        (text_in("UTF-16LE", FRENCH), "UTF-16LE"),
        (text_in("UTF-16BE", FRENCH), "UTF-16BE"),
        (text_in("UTF-16", FRENCH), "UTF-16"),
        (text_in("ISO-2022-JP", JAPANESE), "ISO-2022-JP"),
        (b"plain\n".to_vec(), "US-ASCII"),
        (b"\0\x01".to_vec(), "binary"),
        // As with file --mime-encoding.
        (Vec::new(), "binary"),
    ] {
        assert_eq!(name_of(&bytes), name);
    }
}

#[test]
fn iconv_converts_from_the_name() {
    if !require(Requirement::Program("iconv")) {
        return;
    }
    let directory = create_directory(&[]);
    let path = directory.path().join("text");
    for (encoding, text) in [
        ("CP1251", RUSSIAN.repeat(3)),
        ("KOI8-R", RUSSIAN.repeat(3)),
        ("CP1252", FRENCH.repeat(2)),
        ("CP932", JAPANESE.repeat(2)),
        ("EUC-JP", JAPANESE.repeat(2)),
        ("UTF-32BE", JAPANESE.to_owned()),
    ] {
        fs::write(&path, text_in(encoding, &text)).unwrap();
        let name = detect_command().arg("--name").arg(&path).output().unwrap().stdout;
        let name = String::from_utf8(name).unwrap();
        let name = name.strip_suffix('\n').unwrap();
        let run = watch::command("iconv").args(["-f", name, "-t", "UTF-8"]).arg(&path).output();
        assert_eq!(String::from_utf8(run.unwrap().stdout).unwrap(), text, "{encoding}: {name}");
    }
}

#[test]
fn file_names_are_printed_unless_there_is_one_input() {
    let directory = create_directory(&[("a", b"x"), ("b", "é".as_bytes()), ("list", b"a")]);
    fs::create_dir(directory.path().join("tree")).unwrap();
    fs::write(directory.path().join("tree/c"), "x").unwrap();
    for (words, expected) in [
        (&["--name", "a"][..], "US-ASCII\n"),
        (&["--name", "-"], "UTF-8\n"),
        (&["--name", "a", "b"], "a: US-ASCII\nb: UTF-8\n"),
        (&["--name", "a", "-"], "a: US-ASCII\n<stdin>: UTF-8\n"),
        (&["--name", "tree"], "tree/c: US-ASCII\n"),
        (&["--name", "--files-from=list"], "a: US-ASCII\n"),
        (&["--name", "--brief", "a", "b"], "US-ASCII\nUTF-8\n"),
        (&["-b", "--name", "tree"], "US-ASCII\n"),
        (&["-b", "a", "b"], "US-ASCII, certain, none\nUTF-8, certain, none\n"),
        (&["a"], "a: US-ASCII, certain, none\n"),
    ] {
        let mut command = detect_command();
        let run = command.current_dir(&directory).args(words).write_stdin("é").assert();
        run.success().stdout(expected);
    }
}

#[test]
fn exit_code_and_messages_are_those_of_the_other_formats() {
    let directory = create_directory(&[("a", b"x"), ("binary", b"\0\x01"), ("empty", b"")]);
    let run = |words: &[&str]| {
        detect_command().current_dir(&directory).arg("--name").args(words).assert()
    };
    run(&["empty"]).success().stdout("binary\n");
    run(&["binary"]).code(1).stdout("binary\n");
    let lost = run(&["nope", "a"]).code(2).stdout("a: US-ASCII\n");
    assert_eq!(messages_of(&lost).len(), 1);
    run(&["nope"]).code(2).stdout("");
}

#[cfg(unix)]
#[test]
fn file_names_are_escaped() {
    let directory = create_directory(&[("a\x1B[31m", b"x"), ("b", b"x")]);
    let run = detect_command().current_dir(&directory).args(["--name", "a\x1B[31m", "b"]).assert();
    let text = String::from_utf8(run.success().get_output().stdout.clone()).unwrap();
    assert!(!text.contains('\x1B') && text.contains(": US-ASCII\nb: US-ASCII\n"), "{text:?}");
}

#[test]
fn other_formats_conflict_with_name() {
    for words in [["--name", "--json"], ["--name", "--candidates=2"], ["--brief", "--json"]] {
        detect_command().args(words).assert().code(2).stdout("");
    }
    for (words, tip) in [
        (&["--mime-encoding"][..], "use --name"),
        (&["-i", "a"], "use --name"),
        (&["-L", "ru"], "use --lang"),
        (&["--language=ru"], "use --lang"),
    ] {
        let run = subcommand("detect").args(words).assert().code(2);
        let text = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(text.contains(&format!("tip: {tip}\n")), "{text}");
    }
}
