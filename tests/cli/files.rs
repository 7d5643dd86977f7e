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

#[test]
fn ten_thousand_operands_take_no_more_descriptors_than_one() {
    let folder = folder(&[("in", b"x")]);
    let operands = "set -- \"$@\" $(yes in | head -n 10000); ulimit -n 16; \"$@\" | wc -c";
    let run = crate::command::shell(operands).current_dir(&folder).assert().success();
    let count = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    assert_eq!((count.trim(), told(&run).len()), ("10000", 0), "{:?}", told(&run));
}

#[test]
fn where_no_descriptor_is_left_that_is_an_error_of_the_file() {
    let folder = folder(&[("in", b"x")]);
    for limit in 4..10 {
        for words in ["in", "-o out in", "-i -f latin1 -t utf-16le --force in"] {
            let script = format!("ulimit -n {limit}; \"$@\" {words}");
            let run = crate::command::shell(&script).current_dir(&folder).assert();
            let code = run.get_output().status.code();
            let lines = told(&run);
            assert!(matches!(code, Some(0 | 2)), "{limit} {words}: {code:?} {lines:?}");
            assert!(code == Some(0) || !lines.is_empty(), "{limit} {words}");
            let content = std::fs::read(folder.path().join("in")).unwrap();
            assert!(matches!(&content[..], b"x" | b"x\0"), "{content:?}");
            std::fs::write(folder.path().join("in"), b"x").unwrap();
        }
    }
}
