//! `-f auto` in the filter.

use std::io::Write;
use std::process::Stdio;

use crate::cli::command::{charpipe, create_directory, messages_of, plain};

#[test]
fn encoding_of_each_input_is_taken_from_its_content() {
    let directory = create_directory(&[
        ("marked", b"\xFF\xFEa\0\xE9\0"),
        ("utf8", "bé".as_bytes()),
        ("old", b"c\xE9"),
    ]);
    let mut command = charpipe();
    command.current_dir(&directory).args(["-f", "auto", "--default-encoding", "latin1"]);
    let run = command.args(["marked", "utf8", "old", "utf8"]).assert();
    run.success().stdout("aébécébé").stderr("");
}

#[test]
fn undetectable_input_is_rejected_and_the_next_is_converted() {
    let directory = create_directory(&[("old", b"c\xE9"), ("binary", b"a\0"), ("new", b"text")]);
    let mut command = charpipe();
    let run = command.current_dir(&directory).args(["-f", "auto", "old", "binary", "new"]).assert();
    let why = "cannot determine encoding: no BOM and not valid UTF-8 (use --default-encoding)";
    let lines = messages_of(&run);
    let why_nul = "cannot determine encoding: no BOM, but NUL, as in UTF-16, UTF-32 and binary files \
                   (use --from detect)";
    assert_eq!(lines, [format!("charpipe: old: {why}"), format!("charpipe: binary: {why_nul}")]);
    run.code(1).stdout("text");
}

#[test]
fn output_is_not_written_if_an_input_was_rejected() {
    let directory = create_directory(&[("old", b"c\xE9"), ("out", b"kept")]);
    let mut command = charpipe();
    command.current_dir(&directory).args(["-f", "auto", "-o", "out", "old"]).assert().code(1);
    assert_eq!(std::fs::read(directory.path().join("out")).unwrap(), b"kept");
}

#[test]
fn target_with_a_bom_accepts_only_one_input_encoding() {
    let directory = create_directory(&[("a", b"a"), ("b", b"\xFF\xFEb\0"), ("c", b"c")]);
    let mut command = charpipe();
    let words = ["-f", "auto", "-t", "utf-16", "a", "b", "c"];
    let run = command.current_dir(&directory).args(words).assert().code(1);
    let why = "encoding UTF-16 differs from the previous input (UTF-8); the output would need a second BOM. Convert the files separately";
    assert_eq!(messages_of(&run), [format!("charpipe: b: {why}")]);
    run.stdout(&b"\xFF\xFEa\0c\0"[..]);
}

#[test]
fn bom_is_added_only_once() {
    let directory =
        create_directory(&[("a", b"a"), ("b", b"\xFF\xFEb\0"), ("c", b"\xEF\xBB\xBFc")]);
    let mut command = charpipe();
    let words = ["-f", "auto", "--bom", "add", "a", "b", "c"];
    let run = command.current_dir(&directory).args(words).assert();
    run.success().stdout("\u{FEFF}abc");
}

#[test]
fn empty_input_does_not_affect_the_next() {
    let directory = create_directory(&[
        ("empty", b""),
        ("mark", b"\xFE\xFF"),
        ("old", b"c\xE9"),
        ("bom", b"\xEF\xBB\xBFd"),
        ("wide", b"\xFF\xFEe\0"),
    ]);
    for (words, output) in [
        (&["--bom", "add", "empty", "wide"][..], "\u{FEFF}e".as_bytes()),
        (&["--bom", "add", "mark", "old", "empty", "bom"], "\u{FEFF}c\u{E9}d".as_bytes()),
        (&["-t", "utf-16", "empty", "old", "empty", "old"], b"\xFF\xFEc\0\xE9\0c\0\xE9\0"),
        (&["-t", "utf-16", "mark", "old"], b"\xFF\xFEc\0\xE9\0"),
        (&["-t", "utf-16", "empty", "empty"], b""),
    ] {
        let mut command = charpipe();
        command.current_dir(&directory).args(["-f", "auto", "--default-encoding", "latin1"]);
        command.args(words).assert().success().stdout(output.to_vec()).stderr("");
    }
}

#[test]
fn only_the_prefix_is_examined_for_files_and_pipes() {
    let late = ["x".repeat(64 * 1024).as_bytes(), b"\xE9 "].concat();
    let early = ["x".repeat(64 * 1024 - 2).as_bytes(), b"\xE9 "].concat();
    let directory = create_directory(&[("late", &late), ("early", &early)]);
    for (name, content, code) in [("late", late, 1), ("early", early, 0)] {
        let words = ["-f", "auto", "--default-encoding", "latin1"];
        let file = charpipe().current_dir(&directory).args(words).arg(name).assert().code(code);
        let pipe = charpipe().args(words).write_stdin(content).assert().code(code);
        assert!(file.get_output().stdout == pipe.get_output().stdout, "{name}");
        assert_eq!(messages_of(&file).len(), usize::from(code == 1));
    }
}

#[test]
fn encoding_of_input_in_small_pieces_is_detected() {
    let mut command = plain();
    command.args(["-f", "auto"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for byte in b"\xFF\xFEa\0" {
        input.write_all(&[*byte]).unwrap();
        input.flush().unwrap();
    }
    drop(input);
    assert_eq!(child.wait_with_output().unwrap().stdout, b"a");
}

#[test]
fn bom_that_determined_the_encoding_is_consumed() {
    let marked = b"\xEF\xBB\xBFa\xC3\xA9";
    for from in ["auto", "detect"] {
        for (words, output) in [
            (&[][..], "aé".as_bytes()),
            (&["--bom", "strip"], "aé".as_bytes()),
            (&["--bom", "keep"], marked),
            (&["--bom", "add"], marked),
            (&["-t", "latin1"], b"a\xE9"),
            (&["-t", "utf-16"], b"\xFF\xFEa\0\xE9\0"),
            (&["-t", "utf-16le"], b"a\0\xE9\0"),
            (&["-t", "utf-16", "--bom", "keep"], b"\xFF\xFE\xFF\xFEa\0\xE9\0"),
            (&["-t", "utf-16", "--bom", "add"], b"\xFF\xFEa\0\xE9\0"),
        ] {
            let run = charpipe().args(["-f", from]).args(words).write_stdin(&marked[..]).assert();
            run.success().stdout(output.to_vec());
        }
        let words = ["-f", from, "-t", "latin1", "--bom", "keep"];
        let run = charpipe().args(words).write_stdin(&marked[..]).assert().code(1);
        assert_eq!(
            messages_of(&run),
            [
                "charpipe: <stdin>:1:1: byte 0: U+FEFF cannot be encoded in ISO-8859-1, it is a byte order mark; use --bom strip"
            ]
        );
    }
    // Without --from auto the mark is kept.
    charpipe().write_stdin(&marked[..]).assert().success().stdout(&marked[..]);
    let words = ["-f", "auto", "--default-encoding", "latin1"];
    let run = charpipe().args(words).write_stdin("\u{FEFF}a\u{FEFF}").assert();
    run.success().stdout("a\u{FEFF}");
}

#[test]
fn boms_of_all_inputs_are_consumed() {
    let directory = create_directory(&[
        ("plain", b"a"),
        ("marked", b"\xEF\xBB\xBFb"),
        ("wide", b"\xFF\xFEc\0"),
        ("empty", b""),
        ("header", b"\xEF\xBB\xBFSubject: \xC3\xA9\n"),
    ]);
    let run = |words: &[&str]| {
        let mut command = charpipe();
        let run = command.current_dir(&directory).args(["-f", "auto"]).args(words).assert();
        run.success().get_output().stdout.clone()
    };
    let files = ["empty", "marked", "plain", "marked", "wide", "marked", "wide", "wide", "plain"];
    assert_eq!(run(&files), b"babcbcca");
    assert_eq!(run(&[&["--bom", "add"][..], &files].concat()), "\u{FEFF}babcbcca".as_bytes());
    assert_eq!(run(&["-t", "utf-16", "plain", "marked"]), b"\xFF\xFEa\0b\0");
    assert_eq!(run(&["-t", "rfc2047", "header"]), b"Subject: =?UTF-8?B?w6k=?=\n");
}
