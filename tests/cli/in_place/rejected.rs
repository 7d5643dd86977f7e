//! What is not converted, and what is not even tried.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{in_place, lines, read, summary};
use crate::command::{as_unprivileged_user, charpipe, create_directory, names, shell};

#[test]
fn only_regular_files_are_converted_without_blocking() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let fifo = directory.path().join("fifo");
    mknodat(CWD, &fifo, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let _socket = UnixListener::bind(directory.path().join("socket")).unwrap();
    fs::create_dir(directory.path().join("sub")).unwrap();
    let words = ["-f", "latin1", "fifo", "socket", "sub", "/dev/null", "/dev/full", "a/", "", "a"];
    let run = in_place(directory.path(), &words).code(2);
    assert_eq!(
        lines(&run),
        [
            "fifo: is not a regular file",
            "socket: is not a regular file",
            "sub: is a directory (use -r)",
            "/dev/null: is not a regular file",
            "/dev/full: is not a regular file",
            "a/: cannot be read: Not a directory",
            "'': cannot be read: No such file or directory",
        ]
    );
    assert_eq!(summary(&run), "charpipe: 1 converted, 0 unchanged, 0 skipped, 7 failed");
}

#[test]
fn read_only_directory_is_a_clear_error() {
    let directory = create_directory(&[("a", b"\xE9"), ("plain", b"plain")]);
    let Some(mut command) = as_unprivileged_user() else { return };
    let path = directory.path().join("a");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let words = ["-i", "-f", "latin1", "a", "plain"];
    let output = command.current_dir(&directory).args(words).output().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    let expected = "charpipe: cannot be written: the directory . refuses a new file: permission denied\n\
                    charpipe: 0 converted, 1 unchanged, 0 skipped, 1 failed\n";
    assert_eq!(told, expected);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(read(directory.path(), "a"), b"\xE9");
}

#[test]
fn read_only_file_is_rejected() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let Some(mut command) = as_unprivileged_user() else { return };
    let path = directory.path().join("a");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let output =
        command.current_dir(&directory).args(["-i", "-f", "latin1", "a"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("charpipe: cannot be written: Permission denied\n"), "{told}");
    assert_eq!(read(directory.path(), "a"), b"\xE9");
}

#[test]
fn file_locked_by_another_process_is_rejected() {
    let directory = create_directory(&[("a", b"\xE9")]);
    let holder = fs::File::open(directory.path().join("a")).unwrap();
    holder.lock().unwrap();
    let run = in_place(directory.path(), &["-f", "latin1", "a"]).code(2);
    assert_eq!(lines(&run), ["a: is locked by another process"]);
    drop(holder);
    in_place(directory.path(), &["-f", "latin1", "a"]).success();
}

#[test]
fn options_without_effect_are_rejected_before_any_change() {
    let directory = create_directory(&[("a", b"\xE9")]);
    for (words, told) in [
        (&["-i"][..], "--in-place needs the name of a file"),
        (&["-i", "-"], "the standard input cannot be converted in place"),
        (
            &["-i", "-o", "b", "a"],
            "--in-place writes into the files themselves, and --output into another",
        ),
        (&["-i", "--backup=", "a"], "--backup: the suffix is empty"),
        (
            &["-i", "--backup=/x", "a"],
            "--backup: the suffix has a slash in it, and would name another directory",
        ),
        (&["-i", "--hidden", "a"], "--hidden says nothing without --recursive"),
        (&["-i", "--fallback", "latin1", "a"], "--fallback says nothing without --from auto"),
        (&["--backup", "a"], "--backup says nothing without --in-place"),
        (&["-n", "a"], "--dry-run says nothing without --in-place"),
        (&["-r", "a"], "--recursive says nothing without --in-place"),
        (&["-j", "2", "a"], "--jobs says nothing without --in-place"),
        (&["-i", "-f", "latn1", "a"], "unknown encoding \"latn1\" (did you mean latin1?)"),
    ] {
        let run = charpipe().current_dir(&directory).args(words).assert().code(2);
        run.stdout("").stderr(format!("charpipe: {told}\n"));
    }
    assert_eq!(names(directory.path()), ["a"]);
}

#[test]
fn impossible_conversion_is_rejected_before_any_change() {
    let directory = create_directory(&[("a", b"plain")]);
    let words = ["-i", "-t", "ascii", "--on-error", "replace=é", "a"];
    let run = charpipe().current_dir(&directory).args(words).assert().code(2);
    run.stderr("charpipe: replacement \"é\" cannot be encoded in US-ASCII\n");
}

#[test]
fn list_on_closed_stdin_is_rejected() {
    let run = shell("\"$@\" -i --files-from - <&-").assert().code(2);
    run.stderr("charpipe: stdin is closed\n");
}
