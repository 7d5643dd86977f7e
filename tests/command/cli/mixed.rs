//! Input in mixed encodings, in every mode of the command.

use std::fs;

use crate::cli::command::{charpipe, create_directory, messages_of, subcommand};

/// A log in UTF-8 with two lines in windows-1252, the second of which has UTF-8 too.
const LOG: &[u8] = b"caf\xC3\xA9\nna\xEFve \x93\nplain\n\xC3\xA9 \xE9\n";

/// Returns the exit code, the output and the messages of a conversion.
fn convert(words: &[&str], input: &[u8]) -> (i32, Vec<u8>, Vec<String>) {
    let mut command = charpipe();
    let run = command.args(words).write_stdin(input).assert();
    let output = run.get_output();
    (output.status.code().unwrap(), output.stdout.clone(), messages_of(&run))
}

#[test]
fn each_run_or_line_is_decoded_with_the_first_valid_encoding() {
    for (words, expected) in [
        (&["-f", "utf-8,windows-1252"][..], "café\nnaïve “\nplain\né é\n".as_bytes()),
        (&["-f", "utf-8,windows-1252:per=line"], "café\nnaïve “\nplain\nÃ© é\n".as_bytes()),
        (
            &["-f", "utf-8,windows-1252", "-t", "latin1", "-c"],
            b"caf\xE9\nna\xEFve \nplain\n\xE9 \xE9\n",
        ),
        (&["--chain", "utf-8,windows-1252..nfd..nfc"], "café\nnaïve “\nplain\né é\n".as_bytes()),
        (
            &["-f", "auto", "--default-encoding", "utf-8,windows-1252"],
            "café\nnaïve “\nplain\né é\n".as_bytes(),
        ),
    ] {
        let (_, output, messages) = convert(words, LOG);
        assert_eq!(output, expected, "{words:?} {messages:?}");
    }
    let (code, output, _) = convert(&["-f", "utf-8,windows-1252/qp"], b"caf=C3=A9 =E9=\n\n");
    assert_eq!((code, output), (0, "café é\n".as_bytes().to_vec()));
    let (code, output, _) = convert(&["-f", "utf-8,latin1", "--bom=strip"], b"\xEF\xBB\xBF\xE9");
    assert_eq!((code, output), (0, "é".as_bytes().to_vec()));
}

#[test]
fn verbose_reports_what_was_decoded_as_what() {
    for (from, expected) in [
        (
            "utf-8,windows-1252",
            "<stdin>: 3 runs in 2 lines as CP1252 (first: line 2), the rest as UTF-8",
        ),
        ("utf-8,windows-1252:per=line", "<stdin>: 2 lines as UTF-8, 2 as CP1252 (first: line 2)"),
    ] {
        let (code, _, messages) = convert(&["-v", "-f", from], LOG);
        assert_eq!((code, messages), (0, vec![format!("charpipe: {expected}")]), "{from}");
        assert_eq!(convert(&["-f", from], LOG).2, [""; 0]);
    }
}

#[test]
fn errors_name_the_list() {
    for (from, input, expected) in [
        (
            "utf-8,windows-1252",
            &b"a\n\x81"[..],
            "<stdin>:2:1: byte 2: invalid UTF-8,CP1252 sequence 81 (no character starts with this byte)",
        ),
        (
            "utf-8,cp932",
            b"a\x93\xFA\x96\x7B.txt b\xE9 c\n",
            "<stdin>:1:10: byte 11: invalid UTF-8,CP932 sequence E9 (followed by 20; continuation byte expected)",
        ),
        (
            "utf-8,cp932",
            b"\x87\x9A\n",
            "<stdin>:1:1: byte 0: invalid UTF-8,CP932 sequence 87 (would be encoded as other bytes; \
             allowed with the option lossy)",
        ),
    ] {
        let (code, _, messages) = convert(&["-f", from], input);
        assert_eq!((code, messages), (1, vec![format!("charpipe: {expected}")]), "{from}");
    }
    let (code, output, _) = convert(&["-f", "utf-8,cp1252", "--on-error=replace"], b"\xE9 \x81.");
    assert_eq!((code, output), (1, "é \u{FFFD}.".as_bytes().to_vec()));
}

#[test]
fn list_as_the_target_is_a_usage_error() {
    let remedy = "only the input can be in several encodings; name one of them here";
    for words in [
        &["-t", "utf-8,latin1"][..],
        &["-t", "utf-8,latin1:per=line/qp"],
        &["--chain", "utf-8..utf-8,latin1..nfc"],
    ] {
        let (code, output, messages) = convert(words, b"");
        assert_eq!((code, output.len()), (2, 0), "{words:?}");
        assert!(messages[0].ends_with(remedy), "{words:?} {messages:?}");
    }
    for (words, message) in [
        (&["-f", "latin1,utf-8"][..], "ISO-8859-1: every byte is valid in this encoding"),
        (&["-f", "utf-8,utf-16"], "UTF-16: cannot be in a list of encodings"),
        (&["-f", "utf-8,windows-125"], "unknown encoding \"windows-125\""),
    ] {
        let (code, _, messages) = convert(words, b"");
        assert_eq!(code, 2, "{words:?}");
        assert!(messages[0].starts_with(&format!("charpipe: {message}")), "{messages:?}");
    }
}

#[test]
fn files_are_converted_in_place() {
    let invalid = b"\xE9\n\x81\n";
    let directory =
        create_directory(&[("log", LOG), ("utf8", "é\n".as_bytes()), ("invalid", invalid)]);
    let run = |words: &[&str]| {
        let mut command = charpipe();
        let run = command.current_dir(&directory).args(["-f", "utf-8,windows-1252", "-i"]);
        let run = run.args(words).assert();
        (run.get_output().status.code().unwrap(), messages_of(&run))
    };
    let (code, messages) = run(&["--dry-run", "log", "utf8"]);
    assert_eq!(code, 0);
    assert_eq!(
        messages,
        [
            "charpipe: log: 3 runs in 2 lines as CP1252 (first: line 2), the rest as UTF-8",
            "charpipe: log: would be converted from UTF-8,CP1252 to UTF-8",
            "charpipe: 1 would be converted, 1 unchanged, 0 skipped, 0 failed",
        ]
    );
    assert_eq!(fs::read(directory.path().join("log")).unwrap(), LOG);
    let (code, messages) = run(&["-r", "-j2", "-s", "."]);
    assert_eq!((code, messages.len()), (1, 0), "{messages:?}");
    let read = |name: &str| fs::read(directory.path().join(name)).unwrap();
    assert_eq!(read("log"), "café\nnaïve “\nplain\né é\n".as_bytes());
    assert_eq!(read("utf8"), "é\n".as_bytes());
    assert_eq!(read("invalid"), invalid);
    // A second conversion changes nothing.
    let (code, messages) = run(&["log"]);
    assert_eq!(
        (code, &messages[0][..]),
        (0, "charpipe: 0 converted, 1 unchanged, 0 skipped, 0 failed")
    );
}

#[test]
fn check_reports_what_is_valid_in_no_encoding() {
    let mut command = subcommand("check");
    let run = command.args(["-e", "utf-8,windows-1252:per=line"]).write_stdin(LOG).assert();
    assert_eq!(run.get_output().status.code(), Some(0));
    let mut command = subcommand("check");
    let run = command.args(["-e", "utf-8,windows-1252"]).write_stdin(&b"\xE9\n\x81 \xE9\n"[..]);
    let run = run.assert();
    assert_eq!(run.get_output().status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&run.get_output().stdout),
        "<stdin>:2:1: byte 2: invalid UTF-8,CP1252 sequence 81 (no character starts with this byte)\n"
    );
}
