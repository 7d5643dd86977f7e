//! Files that are not converted.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{in_place, lines, read, summary};
use crate::cli::command::{as_unprivileged_user, charpipe, create_directory, names, shell};

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
    let messages = String::from_utf8(output.stderr).unwrap();
    let expected = "charpipe: a: cannot be written: cannot create a file in directory .: permission denied\n\
                    charpipe: 0 converted, 1 unchanged, 0 skipped, 1 failed\n";
    assert_eq!(messages, expected);
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
    let messages = String::from_utf8(output.stderr).unwrap();
    assert!(
        messages.starts_with("charpipe: a: cannot be written: Permission denied\n"),
        "{messages}"
    );
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
    for (words, messages) in [
        (&["-i"][..], "--in-place requires at least one FILE"),
        (&["-i", "-"], "standard input cannot be converted in place"),
        (&["-i", "-o", "b", "a"], "--in-place cannot be used with --output"),
        (&["-i", "--backup=", "a"], "--backup: the suffix is empty (expected one such as .new)"),
        (
            &["-i", "--backup=/x", "a"],
            "--backup: the suffix contains a slash (it is added to the file name)",
        ),
        (&["-i", "--hidden", "a"], "--hidden requires --recursive"),
        (&["-i", "--default-encoding", "latin1", "a"], "--default-encoding requires --from auto"),
        (&["--backup", "a"], "--backup requires --in-place"),
        (&["-n", "a"], "--dry-run requires --in-place, --output-dir, or --suffix"),
        (&["-r", "a"], "--recursive requires --in-place, --output-dir, --suffix, or --field"),
        (&["-i", "-f", "latn1", "a"], "unknown encoding \"latn1\" (did you mean latin1?)"),
    ] {
        let run = charpipe().current_dir(&directory).args(words).assert().code(2);
        run.stdout("").stderr(format!("charpipe: {messages}\n"));
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
    run.stderr("charpipe: standard input is closed\n");
}
