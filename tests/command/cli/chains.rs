//! Chains in every mode of the command: filter, output file, in place, check.

use std::fs;

use crate::cli::command::{charpipe, create_directory, messages_of, subcommand};

/// Returns the exit code, the output and the messages of a conversion.
fn convert(words: &[&str], input: &[u8]) -> (i32, Vec<u8>, Vec<String>) {
    let mut command = charpipe();
    let run = command.args(words).write_stdin(input).assert();
    let output = run.get_output();
    (output.status.code().unwrap(), output.stdout.clone(), messages_of(&run))
}

#[test]
fn transforms_run_from_the_inside_out() {
    for (words, input, expected) in [
        (&["-f", "latin1/crlf/base64"][..], &b"R3L832UNCg=="[..], "Grüße\n".as_bytes()),
        (&["-t", "latin1/crlf/base64"], "Grüße\n".as_bytes(), b"R3L832UNCg==\n"),
        (&["--chain", "base64..latin1..utf-16be/hex"], b"6Q==", b"00E9\n"),
        (&["--chain", "bytes..hex"], b"\0\xFF", b"00FF\n"),
        (&["--chain", "hex..base64"], b"00ff", b"AP8=\n"),
        (&["--chain", "hex"], b"00ff", b"\0\xFF"),
        (&["--chain", "utf-8..latin1..bytes..utf-8"], "Ã©\n".as_bytes(), "é\n".as_bytes()),
        (&["--chain", "utf-8..koi8-r..bytes..cp1251..iso-8859-5"], "ФЕ".as_bytes(), b"\xD6\xD5"),
        (&["--via", "cp1252..bytes..utf-8,nfd"], "Ã©".as_bytes(), "e\u{301}".as_bytes()),
        (&["--chain", "base64..bytes..latin1"], b"6Q==", "é".as_bytes()),
        (&["-f", "iso-2022-jp/base64"], b"GyRCRnxLXBsoQg==", "日本".as_bytes()),
        (&["-f", "utf-16", "--newline=crlf"], b"\xFE\xFF\0a\0\n", b"a\r\n"),
        (
            &["--normalize=nfc", "--newline", "cr", "-t", "latin1"],
            "e\u{301}\n".as_bytes(),
            b"\xE9\r",
        ),
        (&["--via", "html:decode,nfd"], b"&eacute;", "e\u{301}".as_bytes()),
        (&["--via", "html:decode", "--via", "java:ascii"], b"&eacute;", b"\\u00e9"),
        (&["-f", "auto", "-t", "utf-8/base64"], b"\xFF\xFEa\0", b"YQ==\n"),
    ] {
        let (code, output, messages) = convert(words, input);
        assert_eq!((code, output), (0, expected.to_vec()), "{words:?} {messages:?}");
    }
}

#[test]
fn errors_name_the_step_and_the_position_in_the_file() {
    for (words, input, message) in [
        (
            &["-f", "utf-8/qp"][..],
            &b"one\ntwo=\nthr=G1ee\n"[..],
            "<stdin>:3:4: byte 12: invalid quoted-printable escape \"=G1\" (in /qp)",
        ),
        (
            &["-f", "utf-8/base64"],
            b"QUJD\nQU*D\n",
            "<stdin>:2:3: byte 7: invalid base64 character \"*\" (in /base64)",
        ),
        (
            &["-f", "shift_jis/base64"],
            b"QYI=",
            "<stdin>:1:3: byte 2: incomplete SJIS sequence 82 at end of input",
        ),
        (
            &["--via", "latin1", "-t", "utf-16"],
            "a\n€".as_bytes(),
            "<stdin>:2:1: byte 2: U+20AC cannot be encoded in ISO-8859-1",
        ),
        (
            &["--via", "html:decode", "-t", "latin1"],
            b"a\nb &euro;",
            "<stdin>:2:3: byte 4: U+20AC cannot be encoded in ISO-8859-1",
        ),
        // What is removed does not belong to the character after it.
        (
            &["--via", "java:decode", "-t", "ascii"],
            "a\\\r\u{e9}".as_bytes(),
            "<stdin>:1:4: byte 3: U+00E9 cannot be encoded in US-ASCII",
        ),
        (
            &["--via", "remove-zero-width", "-t", "ascii"],
            "a\u{200B}\u{e9}".as_bytes(),
            "<stdin>:1:3: byte 4: U+00E9 cannot be encoded in US-ASCII",
        ),
    ] {
        let (code, _, messages) = convert(words, input);
        assert_eq!((code, messages), (1, vec![format!("charpipe: {message}")]), "{words:?}");
    }
}

#[test]
fn error_actions_apply_to_every_step() {
    for (words, input, expected) in [
        (&["-f", "utf-8/qp", "-c"][..], &b"a=G1b"[..], &b"ab"[..]),
        (&["--via", "latin1", "--on-unmappable", "replace=?"], "a€b".as_bytes(), b"a?b"),
        (&["--via", "latin1", "--on-unmappable", "replace"], "a€b".as_bytes(), b"a?b"),
        (&["-f", "utf-8/base64", "--on-invalid", "replace"], b"QUL/Qg==", "AB\u{FFFD}B".as_bytes()),
    ] {
        let (code, output, messages) = convert(words, input);
        assert_eq!((code, output), (1, expected.to_vec()), "{words:?} {messages:?}");
    }
}

#[test]
fn impossible_chains_are_rejected_with_a_remedy() {
    for (words, message) in [
        (
            &["--via", "base64"][..],
            "--via: base64: this transform needs bytes: write it after an encoding, as in utf-8/base64",
        ),
        (
            &["--chain", "nfc..utf-8"],
            "--chain: nfc: an encoding must come before this step, as in utf-8..nfc",
        ),
        (
            &["--chain", "base64..nfc"],
            "--chain: nfc: an encoding must come before this step, as in utf-8..nfc",
        ),
        (
            &["-t", "utf-8/nosuch"],
            "unknown transform \"nosuch\" (see 'charpipe list --transforms')",
        ),
        (
            &["-t", "utf-8/base64", "--on-invalid", "keep"],
            "keep: bytes cannot be written unchanged through other encodings or transforms of bytes; \
             use keep-text, replace or skip",
        ),
        (&["--chain", "utf-8", "-f", "latin1"], "--chain cannot be used with --from"),
    ] {
        let (code, output, messages) = convert(words, b"");
        assert_eq!((code, output), (2, Vec::new()), "{words:?}");
        assert_eq!(messages, [format!("charpipe: {message}")], "{words:?}");
    }
}

#[test]
fn files_are_converted_in_place_and_only_if_they_change() {
    let directory =
        create_directory(&[("a", b"x\r\ny\r\n"), ("b", b"x\n"), ("c", b"Gr\xC3\xBC\r\n")]);
    let mut command = charpipe();
    command
        .current_dir(&directory)
        .args(["-ij2", "--newline=lf", "a", "b", "c"])
        .assert()
        .success();
    let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
    assert_eq!(
        (read("a"), read("b"), read("c")),
        (b"x\ny\n".to_vec(), b"x\n".to_vec(), "Grü\n".into())
    );
    let mut command = charpipe();
    command.current_dir(&directory).args(["-i", "-t", "utf-8/base64", "c"]).assert().success();
    assert_eq!(read("c"), b"R3LDvAo=\n");
    let mut command = charpipe();
    command
        .current_dir(&directory)
        .args(["-ir", "-f", "utf-8/base64", "--glob", "c", "."])
        .assert()
        .success();
    assert_eq!(read("c"), "Grü\n".as_bytes());
}

#[test]
fn a_converted_file_is_not_converted_again_with_a_transform_of_text() {
    let directory = create_directory(&[("a", "Grüße\r\n".as_bytes())]);
    let words = ["-i", "-f", "latin1", "-t", "utf-8", "--newline=lf", "a"];
    let run = charpipe().current_dir(&directory).args(words).assert().success();
    assert!(
        messages_of(&run).iter().any(|line| line.contains("already")),
        "{:?}",
        messages_of(&run)
    );
    assert_eq!(fs::read(directory.path().join("a")).unwrap(), "Grüße\r\n".as_bytes());
}

#[test]
fn output_file_is_written_only_if_every_step_succeeds() {
    let directory = create_directory(&[("a", b"Q!"), ("out", b"old")]);
    let mut command = charpipe();
    command.current_dir(&directory).args(["-f", "utf-8/base64", "-o", "out", "a"]).assert().code(1);
    assert_eq!(fs::read(directory.path().join("out")).unwrap(), b"old");
}

#[test]
fn check_reports_what_is_malformed_at_any_step() {
    for (encoding, input, expected) in [
        ("utf-8/base64", &b"QUJD"[..], &[][..]),
        (
            "utf-8/base64",
            b"QUJD*QUJD\n6Q==",
            &[
                "<stdin>:1:5: byte 4: invalid base64 character \"*\" (in /base64)",
                "<stdin>:2:2: byte 11: incomplete UTF-8 sequence E9 at end of input",
            ],
        ),
        (
            "utf-8/nfc",
            "é e\u{301}\n".as_bytes(),
            &[
                "<stdin>:1:4: byte 4: invalid NFC sequence \"\\xcc\\x81\" (not normalized) (in /nfc)",
            ],
        ),
    ] {
        let run = subcommand("check").args(["-e", encoding]).write_stdin(input).assert();
        let output = String::from_utf8(run.get_output().stdout.clone()).unwrap();
        assert_eq!(output.lines().collect::<Vec<_>>(), expected, "{encoding}");
        assert_eq!(run.get_output().status.code(), Some(i32::from(!expected.is_empty())));
    }
    let run = subcommand("check").args(["-e", "utf-8/base64", "--newline", "lf"]).assert().code(2);
    let message = "charpipe: UTF-8/base64: with transforms of bytes only the chain can be checked; to check \
                   line endings write /lf or /crlf after the encoding";
    assert_eq!(messages_of(&run), [message]);
    // A transform of text combines with rules about the text.
    let mut command = subcommand("check");
    let command = command.args(["-e", "utf-8/nfc", "--newline", "lf"]);
    let run = command.write_stdin("a\r\ne\u{301}").assert().code(1);
    let expected = "<stdin>:1:2: byte 1: line ends with CRLF (expected LF)\n<stdin>:2:2: byte 4: invalid NFC \
                    sequence \"\\xcc\\x81\" (not normalized) (in /nfc)\n";
    run.stdout(expected);
}

#[test]
fn chains_of_more_than_32_steps_are_rejected() {
    let slashes = |count: usize| format!("utf-8{}", "/lf".repeat(count));
    let steps = |count: usize| ["nfc"].repeat(count).join(",");
    // An argument has at most 128 KiB.
    for (too_many, given) in [(false, 31), (true, 32), (true, 30_000)] {
        let (label, list) = (slashes(given), steps(given));
        let chain = format!("utf-8{}..utf-8/lf", "..nfc".repeat(given.min(20_000)));
        for words in [
            &["-t", &label, "--newline=lf"][..],
            &["-f", &label, "--via", "nfc"],
            &["--via", &list, "--normalize", "nfc"],
            &["--chain", &chain],
        ] {
            let (code, output, messages) = convert(words, b"a\n");
            assert_eq!(code, if too_many { 2 } else { 0 }, "{given}: {messages:?}");
            assert_eq!(output, if too_many { &b""[..] } else { b"a\n" }, "{given}");
            let expected = "a chain has at most 32 steps";
            assert!(!too_many || messages[0].contains(expected), "{messages:?}");
        }
        let label = slashes(given + 1);
        let mut check = subcommand("check");
        let check = check.args(["-e", &label]).write_stdin("a\n").assert();
        check.code(if too_many { 2 } else { 0 });
    }
}
