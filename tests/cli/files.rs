//! Which files are read, and what becomes of those that cannot be.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::command::{charpipe, folder, permissions_do_not_bind, told};

#[test]
fn several_files_are_written_one_after_the_other() {
    let folder = folder(&[("a", b"one\n"), ("b", b""), ("c", b"three\n")]);
    let run = charpipe().current_dir(&folder).args(["a", "b", "c", "a"]).assert();
    run.success().stdout("one\nthree\none\n").stderr("");
}

#[test]
fn a_hyphen_is_the_standard_input() {
    let folder = folder(&[("a", b"one\n"), ("b", b"three\n")]);
    let mut command = charpipe();
    let run = command.current_dir(&folder).args(["a", "-", "b"]).write_stdin("two\n").assert();
    run.success().stdout("one\ntwo\nthree\n");
}

#[test]
fn a_file_called_hyphen_can_be_read_by_its_path() {
    let folder = folder(&[("-", b"text")]);
    charpipe().current_dir(&folder).args(["./-"]).assert().success().stdout("text");
}

#[test]
fn a_missing_file_is_told_and_the_next_is_read() {
    let folder = folder(&[("a", b"one\n")]);
    let run = charpipe().current_dir(&folder).args(["nope", "a"]).assert().code(2);
    run.stdout("one\n").stderr("charpipe: nope: No such file or directory\n");
}

#[test]
fn a_folder_is_told_and_the_next_is_read() {
    let folder = folder(&[("a", b"one\n")]);
    let run = charpipe().current_dir(&folder).args([".", "a"]).assert().code(2);
    run.stdout("one\n").stderr("charpipe: .: Is a directory\n");
}

#[test]
fn an_unreadable_file_is_told_and_the_next_is_read() {
    if permissions_do_not_bind() {
        return;
    }
    let folder = folder(&[("secret", b"x"), ("a", b"one\n")]);
    let secret = folder.path().join("secret");
    fs::set_permissions(secret, fs::Permissions::from_mode(0o000)).unwrap();
    let run = charpipe().current_dir(&folder).args(["secret", "a"]).assert().code(2);
    run.stdout("one\n").stderr("charpipe: secret: Permission denied\n");
}

#[test]
fn the_worst_of_several_files_is_the_exit_code() {
    let folder = folder(&[("clean", b"x"), ("broken", b"\xFF")]);
    for (files, code) in [
        (&["clean", "clean"][..], 0),
        (&["broken", "clean"], 1),
        (&["nope", "broken", "clean"], 2),
        (&["broken", "nope"], 2),
    ] {
        charpipe().current_dir(&folder).arg("-c").args(files).assert().code(code);
    }
}

#[test]
fn a_fault_that_stops_the_run_leaves_a_missing_file_before_it_the_worst() {
    let folder = folder(&[("broken", b"\xFF")]);
    charpipe().current_dir(&folder).args(["nope", "broken"]).assert().code(2);
}

#[test]
fn a_fault_that_stops_the_run_stops_it_before_the_next_file() {
    let folder = folder(&[("broken", b"ab\xFFcd"), ("clean", b"x")]);
    let run = charpipe().current_dir(&folder).args(["broken", "clean"]).assert();
    run.code(1).stdout("ab");
}

#[test]
fn a_character_cut_at_the_end_of_a_file_does_not_join_the_next() {
    let folder = folder(&[("a", b"x\xE2\x82"), ("b", b"\xACy")]);
    let mut command = charpipe();
    let run = command.current_dir(&folder).args(["--on-error", "c", "a", "b"]).assert().code(1);
    let told = told(&run);
    run.stdout("x\\xE2\\x82\\xACy");
    assert!(told[0].starts_with("charpipe: a:1:2: byte 1: E2 82 "), "{told:?}");
    assert!(told.iter().any(|line| line.starts_with("charpipe: b:1:1: byte 0: AC ")), "{told:?}");
}

#[test]
fn an_empty_input_is_clean() {
    charpipe().write_stdin("").assert().success().stdout("").stderr("");
    charpipe().arg("/dev/null").assert().success().stdout("").stderr("");
}
