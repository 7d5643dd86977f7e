//! What POSIX.1-2024 (Issue 8) says of the utility `iconv`; `docs/notes/posix-iconv.md` names the test
//! of each sentence.

use crate::program::{Program, charpipe, charpipe_with_input, fixtures, locale};

#[test]
fn converts_files_and_writes_standard_output() {
    let outcome = charpipe(&["-f", "UTF-8", "-t", "ISO-8859-1", "latin", "ok"]);
    assert_eq!((outcome.status, &outcome.stdout[..]), (0, &b"caf\xE9\nok\n"[..]));
    assert!(outcome.stderr.is_empty() && outcome.files.is_empty());
}

#[test]
fn standard_input_is_read_without_operands_and_for_a_hyphen() {
    for arguments in [&["-f", "utf8", "-t", "latin1"][..], &["-f", "utf8", "-t", "latin1", "-"]] {
        assert_eq!(charpipe_with_input(arguments, "\u{e9}".as_bytes()).stdout, b"\xE9");
    }
    let outcome = charpipe_with_input(&["-f", "utf8", "-t", "latin1", "ok", "-", "ok"], b"in\n");
    assert_eq!(outcome.stdout, b"ok\nin\nok\n");
    assert_eq!(charpipe_with_input(&["-f", "utf8", "-t", "latin1", "ok"], b"in\n").stdout, b"ok\n");
}

#[test]
fn options_follow_the_syntax_guidelines() {
    for arguments in [
        &["-csf", "utf8", "-t", "latin1", "latin"][..],
        &["-cs", "-futf8", "-tlatin1", "--", "latin"],
        &["-t", "latin1", "-s", "-c", "-f", "utf8", "latin"],
    ] {
        assert_eq!(charpipe(arguments).stdout, b"caf\xE9\n", "{arguments:?}");
    }
    assert_eq!(charpipe(&["-f", "utf8", "-t", "latin1", "--", "-x"]).stdout, b"x\n");
}

#[test]
fn c_omits_invalid_and_unmappable_characters() {
    let outcome = charpipe(&["-c", "-f", "utf8", "-t", "us-ascii", "worse"]);
    assert_eq!((&outcome.stdout[..], outcome.stderr.len()), (&b"ab"[..], 0));
}

#[test]
fn c_and_s_do_not_change_the_exit_status() {
    for (input, status) in [("worse", 1), ("invalid", 1), ("truncated", 1), ("ok", 0)] {
        for options in [&[][..], &["-c"], &["-s"], &["-cs"]] {
            let arguments = [options, &["-f", "utf8", "-t", "us-ascii", input]].concat();
            assert_eq!(charpipe(&arguments).status, status, "{arguments:?}");
        }
    }
}

#[test]
fn malformed_bytes_make_the_exit_status_1_also_beside_transliterations() {
    for (input, status) in [(&b"\xC3\xA9"[..], 0), (b"\xFF\xC3\xA9", 1), (b"\xC3\xA9\xFF", 1)] {
        for name in ["us-ascii//TRANSLIT//IGNORE", "us-ascii//IGNORE//TRANSLIT"] {
            for options in [&[][..], &["-c"]] {
                let arguments = [options, &["-f", "utf8", "-t", name]].concat();
                let outcome = charpipe_with_input(&arguments, input);
                assert_eq!(
                    (outcome.status, &outcome.stdout[..]),
                    (status, &b"e"[..]),
                    "{input:X?}"
                );
            }
        }
    }
}

#[test]
fn missing_codesets_are_those_of_the_locale() {
    let directory = fixtures();
    let run = |ctype: &str, arguments: &[&str]| {
        Program::charpipe().run(directory.path(), &locale(ctype), arguments, b"")
    };
    assert_eq!(run("C", &["-f", "utf8", "ok"]).stdout, b"ok\n");
    assert_eq!(run("C", &["-f", "utf8", "latin"]).status, 1);
    assert_eq!(run("C", &["-t", "utf16le", "latin"]).status, 1);
    assert_eq!(run("nonsense.UTF-8", &["-f", "latin1", "-t", "", "ok"]).stdout, b"ok\n");
}

#[test]
fn list_is_written_to_standard_output() {
    let outcome = charpipe(&["-l"]);
    let text = String::from_utf8(outcome.stdout).unwrap();
    assert!(text.lines().any(|line| line == "UTF-8//") && outcome.stderr.is_empty());
    assert_eq!(outcome.status, 0);
}

#[test]
fn errors_have_a_diagnostic_and_a_status_above_zero() {
    for arguments in [
        &["-f", "utf8", "-t", "latin1", "text"][..],
        &["-f", "utf8", "-t", "latin1", "missing"],
        &["-f", "utf8", "-t", "latin1", "directory"],
        &["-f", "nonsense", "-t", "latin1", "ok"],
        &["-x"],
    ] {
        let outcome = charpipe(arguments);
        assert!(outcome.status > 0 && !outcome.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn names_with_a_slash_are_not_charmap_files() {
    let outcome = charpipe(&["-f", "./ok", "-t", "utf8", "ok"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.starts_with(b"iconv: conversion from `./ok' is not supported\n"));
}
