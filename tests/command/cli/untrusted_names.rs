//! Names and arguments with terminal escape sequences or invalid UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::cli::command::{charpipe, create_directory, messages_of};
use charpipe_test_support::{missing, watch};

/// Controls, C1 controls, bidi controls, a line separator.
const UNTRUSTED_NAME: &str = "a\x1B[31m\r\u{7F}\u{9B}\u{202E}\u{2066}\u{2028}z";
const SANITIZED_NAME: &str = "a\\x1B[31m\\x0D\\x7F\\u{9B}\\u{202E}\\u{2066}\\u{2028}z";

#[test]
fn non_utf8_file_name_is_read_and_escaped_in_messages() {
    let directory = create_directory(&[]);
    let name = OsStr::from_bytes(b"caf\xE9");
    if fs::write(directory.path().join(name), b"\xFF").is_err() {
        return missing("a file system with names of any bytes");
    }
    let run = charpipe().current_dir(&directory).arg(name).assert().code(1);
    assert!(
        messages_of(&run)[0]
            .starts_with("charpipe: caf\\xE9:1:1: byte 0: invalid UTF-8 sequence FF "),
        "{:?}",
        messages_of(&run)
    );
    let run = charpipe().current_dir(&directory).arg(name).args(["-c", "-o"]).arg(name).assert();
    run.code(1).stderr(predicates::str::contains("charpipe: caf\\xE9"));
}

#[test]
fn file_name_with_control_characters_is_escaped() {
    let directory = create_directory(&[(UNTRUSTED_NAME, b"\xFF")]);
    let run = charpipe().current_dir(&directory).args(["-c", UNTRUSTED_NAME]).assert().code(1);
    assert!(
        messages_of(&run)
            .iter()
            .all(|line| line.starts_with(&format!("charpipe: {SANITIZED_NAME}:")))
    );
    let run = charpipe().current_dir(&directory).arg(format!("{UNTRUSTED_NAME}2")).assert().code(2);
    run.stderr(format!("charpipe: {SANITIZED_NAME}2: No such file or directory\n"));
}

#[test]
fn a_file_name_with_a_line_feed_stays_on_its_line() {
    let run = charpipe().arg("no\ncharpipe: such").assert().code(2);
    run.stderr("charpipe: no\\x0Acharpipe: such: No such file or directory\n");
}

#[test]
fn arguments_are_escaped_on_the_terminal() {
    let hidden = |character: &char| {
        let bidi = matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        character.is_control() || bidi || *character == '\u{2028}'
    };
    for option in [
        "-f",
        "-t",
        "-o",
        "--on-error",
        "--on-invalid",
        "--bom",
        "--completions",
        "--buffer-size",
        "-x",
        "--",
    ] {
        let value = if option == "-o" {
            format!("/nope/{UNTRUSTED_NAME}")
        } else {
            UNTRUSTED_NAME.to_owned()
        };
        for words in [vec![option.to_owned(), value.clone()], vec![format!("{option}{value}")]] {
            let run = charpipe().args(&words).write_stdin("").assert();
            for line in messages_of(&run) {
                assert!(!line.chars().any(|character| hidden(&character)), "{words:?}: {line:?}");
            }
        }
    }
}

#[test]
fn line_feed_in_an_option_cannot_forge_a_message() {
    for words in [&["--x\ncharpipe: a"][..], &["--bom=x\ncharpipe: a"], &["--bom", "x\n\x1B[31m"]] {
        let run = charpipe().args(words).assert().code(2);
        let messages = messages_of(&run);
        assert!(messages[0].contains("x\\x0A"), "{messages:?}");
        assert!(!messages.iter().skip(1).any(|line| line.starts_with("charpipe:")), "{messages:?}");
    }
}

#[test]
fn non_utf8_arguments_are_rejected_with_a_message() {
    let bytes = OsStr::from_bytes(b"\xFFx");
    for option in ["-f", "-t", "--on-error", "--on-unmappable", "--bom", "--buffer-size"] {
        let run = charpipe().arg(option).arg(bytes).assert().code(2);
        assert!(messages_of(&run)[0].starts_with("charpipe: "), "{:?}", messages_of(&run));
    }
    charpipe().arg(OsStr::from_bytes(b"--fr\xFF")).assert().code(2);
}

#[test]
fn unknown_encoding_is_escaped_in_messages() {
    let run = charpipe().args([OsStr::new("-f"), OsStr::from_bytes(b"utf\xFF")]).assert().code(2);
    run.stderr("charpipe: unknown encoding \"utf\\xFF\"; 'charpipe list' shows all names\n");
}

#[test]
fn confusable_letter_is_a_different_label() {
    let alike = [
        "\u{17F}o-8859-1",
        "i\u{17F}o-8859-1",
        "\u{212A}OI8-R",
        "\u{FF35}TF-8",
        "utf-\u{FF18}",
        "ut\u{17F}-8",
        "\u{131}so-8859-1",
        "\u{130}SO-8859-1",
        "utf\u{2010}8",
        "utf-8\u{200B}",
        "utf-\u{668}",
    ];
    for name in alike {
        for subcommand in [&["-f"][..], &["-t"], &["check", "-e"]] {
            let program = env!("CARGO_BIN_EXE_charpipe");
            let mut command = assert_cmd::Command::from_std(watch::command(program));
            let run = command.args(subcommand).arg(name).write_stdin("").assert().code(2);
            assert!(
                messages_of(&run)[0].contains("unknown encoding"),
                "{name}: {:?}",
                messages_of(&run)
            );
        }
    }
}
