//! Which files are read, and how unreadable files are reported.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::cli::command::{charpipe, create_directory, messages_of};
use charpipe_test_support::{Requirement, require};

#[test]
fn several_files_are_written_one_after_the_other() {
    let directory = create_directory(&[("a", b"one\n"), ("b", b""), ("c", b"three\n")]);
    let run = charpipe().current_dir(&directory).args(["a", "b", "c", "a"]).assert();
    run.success().stdout("one\nthree\none\n").stderr("");
}

#[test]
fn a_hyphen_is_the_standard_input() {
    let directory = create_directory(&[("a", b"one\n"), ("b", b"three\n")]);
    let mut command = charpipe();
    let run = command.current_dir(&directory).args(["a", "-", "b"]).write_stdin("two\n").assert();
    run.success().stdout("one\ntwo\nthree\n");
}

#[test]
fn a_file_called_hyphen_can_be_read_by_its_path() {
    let directory = create_directory(&[("-", b"text")]);
    charpipe().current_dir(&directory).args(["./-"]).assert().success().stdout("text");
}

#[test]
fn missing_file_is_reported_and_the_next_is_read() {
    let directory = create_directory(&[("a", b"one\n")]);
    let run = charpipe().current_dir(&directory).args(["nope", "a"]).assert().code(2);
    run.stdout("one\n").stderr("charpipe: nope: No such file or directory\n");
}

#[test]
fn directory_is_reported_and_the_next_is_read() {
    let directory = create_directory(&[("a", b"one\n")]);
    let run = charpipe().current_dir(&directory).args([".", "a"]).assert().code(2);
    run.stdout("one\n").stderr("charpipe: .: Is a directory\n");
}

#[test]
fn unreadable_file_is_reported_and_the_next_is_read() {
    if !require(Requirement::OrdinaryUser) {
        return;
    }
    let directory = create_directory(&[("secret", b"x"), ("a", b"one\n")]);
    let secret = directory.path().join("secret");
    fs::set_permissions(secret, fs::Permissions::from_mode(0o000)).unwrap();
    let run = charpipe().current_dir(&directory).args(["secret", "a"]).assert().code(2);
    run.stdout("one\n").stderr("charpipe: secret: Permission denied\n");
}

#[test]
fn the_worst_of_several_files_is_the_exit_code() {
    let directory = create_directory(&[("clean", b"x"), ("broken", b"\xFF")]);
    for (files, code) in [
        (&["clean", "clean"][..], 0),
        (&["broken", "clean"], 1),
        (&["nope", "broken", "clean"], 2),
        (&["broken", "nope"], 2),
    ] {
        charpipe().current_dir(&directory).arg("-c").args(files).assert().code(code);
    }
}

#[test]
fn stopping_error_keeps_the_status_of_an_earlier_missing_file() {
    let directory = create_directory(&[("broken", b"\xFF")]);
    charpipe().current_dir(&directory).args(["nope", "broken"]).assert().code(2);
}

#[test]
fn stopping_error_prevents_reading_the_next_file() {
    let directory = create_directory(&[("broken", b"ab\xFFcd"), ("clean", b"x")]);
    let run = charpipe().current_dir(&directory).args(["broken", "clean"]).assert();
    run.code(1).stdout("ab");
}

#[test]
fn truncated_character_does_not_join_the_next_file() {
    let directory = create_directory(&[("a", b"x\xE2\x82"), ("b", b"\xACy")]);
    let mut command = charpipe();
    let run = command.current_dir(&directory).args(["--on-error", "c", "a", "b"]).assert().code(1);
    let messages = messages_of(&run);
    run.stdout("x\\xE2\\x82\\xACy");
    assert!(
        messages[0].starts_with("charpipe: a:1:2: byte 1: incomplete UTF-8 sequence E2 82 "),
        "{messages:?}"
    );
    assert!(
        messages
            .iter()
            .any(|line| line.starts_with("charpipe: b:1:1: byte 0: invalid UTF-8 sequence AC ")),
        "{messages:?}"
    );
}

#[test]
fn an_empty_input_is_clean() {
    charpipe().write_stdin("").assert().success().stdout("").stderr("");
    charpipe().arg("/dev/null").assert().success().stdout("").stderr("");
}

/// Closes descriptors that the process which runs the tests has left open, so that limits mean the same.
const CLOSE_INHERITED: &str = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-";

#[test]
fn ten_thousand_operands_take_no_more_descriptors_than_one() {
    let directory = create_directory(&[("in", b"x")]);
    let operands = "set -- \"$@\" $(yes in | head -n 10000); ulimit -n 16; \"$@\" | wc -c";
    let run = crate::cli::command::shell(&format!("{CLOSE_INHERITED}; {operands}"))
        .current_dir(&directory)
        .assert()
        .success();
    let count = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert_eq!((count.trim(), messages_of(&run).len()), ("10000", 0), "{:?}", messages_of(&run));
}

#[test]
fn exhausted_descriptors_are_an_error_of_the_file() {
    let directory = create_directory(&[("in", b"x")]);
    for limit in 4..10 {
        for words in ["in", "-o out in", "-i -f latin1 -t utf-16le --force in"] {
            let script = format!("{CLOSE_INHERITED}; ulimit -n {limit}; \"$@\" {words}");
            let run = crate::cli::command::shell(&script).current_dir(&directory).assert();
            let code = run.get_output().status.code();
            let lines = messages_of(&run);
            assert!(matches!(code, Some(0 | 2)), "{limit} {words}: {code:?} {lines:?}");
            assert!(code == Some(0) || !lines.is_empty(), "{limit} {words}");
            let content = std::fs::read(directory.path().join("in")).unwrap();
            assert!(matches!(&content[..], b"x" | b"x\0"), "{content:?}");
            std::fs::write(directory.path().join("in"), b"x").unwrap();
        }
    }
}
