//! Messages about conversion errors.

use std::fs;

use crate::cli::command::{charpipe, create_directory, messages_of};

#[test]
fn error_message_has_file_line_column_offset_bytes_and_reason() {
    let directory = create_directory(&[("mail.txt", "one\ntwo é".as_bytes())]);
    let path = directory.path().join("mail.txt");
    let content = [fs::read(&path).unwrap(), b"\xE9 ".to_vec()].concat();
    fs::write(&path, content).unwrap();
    let run = charpipe().current_dir(&directory).args(["-f", "utf-8", "mail.txt"]).assert().code(1);
    run.stdout("one\ntwo é").stderr(
        "charpipe: mail.txt:2:6: byte 10: invalid UTF-8 sequence E9 (followed by 20; continuation byte expected)\n",
    );
}

#[test]
fn unmappable_character_is_reported_by_code_point() {
    let run = charpipe().args(["-t", "us-ascii"]).write_stdin("a\n€").assert().code(1);
    run.stderr("charpipe: <stdin>:2:1: byte 2: U+20AC cannot be encoded in US-ASCII\n");
}

#[test]
fn offsets_and_lines_restart_in_each_file() {
    let directory = create_directory(&[("a", b"x\n\xFF"), ("b", b"y\n\n\xFE")]);
    let run =
        charpipe().current_dir(&directory).args(["-f", "utf-8", "-c", "a", "b"]).assert().code(1);
    let messages = messages_of(&run);
    assert!(
        messages[0].starts_with("charpipe: a:2:1: byte 2: invalid UTF-8 sequence FF "),
        "{messages:?}"
    );
    assert_eq!(messages[1], "charpipe: a: 1 error: 1 skipped");
    assert!(
        messages[2].starts_with("charpipe: b:3:1: byte 3: invalid UTF-8 sequence FE "),
        "{messages:?}"
    );
    assert_eq!(messages[3], "charpipe: b: 1 error: 1 skipped");
}

#[test]
fn ten_errors_of_a_file_are_shown_and_the_rest_counted() {
    let directory = create_directory(&[("a", &[0xFF; 15]), ("b", &[0xFF; 11]), ("c", &[0xFF; 10])]);
    let run = charpipe()
        .current_dir(&directory)
        .args(["-f", "utf-8", "-c", "a", "b", "c"])
        .assert()
        .code(1);
    let messages = messages_of(&run);
    assert_eq!(messages.len(), 33, "{messages:?}");
    assert_eq!(messages[10], "charpipe: a: 15 errors: 15 skipped (5 not shown)");
    assert_eq!(messages[21], "charpipe: b: 11 errors: 11 skipped (1 not shown)");
    assert_eq!(messages[32], "charpipe: c: 10 errors: 10 skipped");
}

#[test]
fn verbose_shows_every_error() {
    let run =
        charpipe().args(["-f", "utf-8", "-c", "-v"]).write_stdin([0xFF; 100]).assert().code(1);
    let messages = messages_of(&run);
    assert_eq!(messages.len(), 101);
    assert!(
        messages[99].starts_with("charpipe: <stdin>:1:100: byte 99: invalid UTF-8 sequence FF "),
        "{}",
        messages[99]
    );
    assert_eq!(messages[100], "charpipe: <stdin>: 100 errors: 100 skipped");
}

#[test]
fn total_separates_skipped_and_replaced() {
    let words = ["--on-invalid", "skip", "--on-unmappable", "replace", "-t", "us-ascii"];
    let run = charpipe().args(words).write_stdin(b"\xFF\xC3\xA9\xFF").assert().code(1);
    let messages = messages_of(&run);
    assert_eq!(messages.last().unwrap(), "charpipe: <stdin>: 3 errors: 2 skipped, 1 replaced");
}

#[test]
fn stopping_error_after_others_is_shown_with_their_total() {
    let words = ["-f", "utf-8", "--on-invalid", "skip", "-t", "us-ascii"];
    let input = [&[0xFF; 12][..], "é".as_bytes()].concat();
    let run = charpipe().args(words).write_stdin(input).assert().code(1);
    let messages = messages_of(&run);
    assert_eq!(messages.len(), 12, "{messages:?}");
    assert!(messages[10].ends_with("U+00E9 cannot be encoded in US-ASCII"), "{messages:?}");
    assert_eq!(messages[11], "charpipe: <stdin>: 12 errors: 12 skipped (2 not shown)");
}

#[test]
fn quiet_shows_no_errors_but_keeps_the_exit_code() {
    for option in ["-q", "--quiet", "-s", "--silent"] {
        charpipe().args([option]).write_stdin(b"\xFF").assert().code(1).stderr("");
        charpipe().args([option, "-c"]).write_stdin(b"\xFF").assert().code(1).stderr("");
    }
}

#[cfg(unix)]
#[test]
fn quiet_still_reports_unreadable_files() {
    let run = charpipe().args(["-s", "/nope"]).assert().code(2);
    run.stderr("charpipe: /nope: No such file or directory\n");
}

#[test]
fn truncated_input_has_its_own_message() {
    let run = charpipe().write_stdin(b"ab\xE2\x82").assert().code(1).stdout("ab");
    let messages = messages_of(&run);
    assert!(
        messages[0].starts_with("charpipe: <stdin>:1:3: byte 2: incomplete UTF-8 sequence E2 82 "),
        "{messages:?}"
    );
    assert!(messages[0].ends_with(" at end of input"), "{messages:?}");
}

#[test]
fn messages_are_shorter_than_400_bytes() {
    let name = "\u{202E}".repeat(80);
    let directory = create_directory(&[(&name, b"\xFF")]);
    let long = "x".repeat(4000);
    let action = format!("replace={}", "€".repeat(3000));
    for words in [
        &[&name[..]][..],
        &["-c", &name],
        &["-f", &long],
        &["--on-error", &long],
        &[&long],
        &["-t", "us-ascii", "--on-error", &action],
        &["--bom", &long],
        &["--buffer-size", &long],
        &["--completions", &long],
    ] {
        let run = charpipe().current_dir(&directory).args(words).assert().failure();
        for line in messages_of(&run) {
            assert!(line.len() < 400, "{} bytes: {line}", line.len());
        }
    }
}
