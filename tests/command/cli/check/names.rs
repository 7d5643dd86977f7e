//! Lists of the names of files with and without findings.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::{check, lines};
use crate::cli::command::{create_directory, messages_of, shell_subcommand};

fn tree() -> tempfile::TempDir {
    create_directory(&[
        ("clean", b"text\n"),
        ("empty", b""),
        ("invalid", b"\xFF\xFF\n\xFF"),
        ("late", &[&[b'a'; 300_000][..], b"\xFF"].concat()),
        ("wrong\nline", b"a\r\n"),
    ])
}

#[test]
fn names_of_files_with_or_without_findings_are_listed() {
    let directory = tree();
    for (words, code, expected) in [
        (&["-l", "."][..], 1, &["./invalid", "./late"][..]),
        (&["-L", "."], 1, &["./clean", "./empty", "./wrong\\x0Aline"]),
        (
            &["--files-with-findings", "--newline=lf", "."],
            1,
            &["./invalid", "./late", "./wrong\\x0Aline"],
        ),
        (&["--files-without-findings", "clean", "invalid"], 1, &["clean"]),
        (&["-L", "clean", "empty"], 0, &["clean", "empty"]),
        (&["-l", "clean", "empty"], 0, &[]),
        (&["-l", "-e", "utf-8", "-e", "latin1", "."], 0, &[]),
    ] {
        let reported = lines(check().current_dir(&directory).args(words), code);
        assert_eq!(reported, expected, "{words:?}");
    }
    let mut command = check();
    let run = command.args(["-l", "-"]).write_stdin(&b"\xFF"[..]).assert().code(1);
    run.stdout("<stdin>\n").stderr("");
}

#[test]
fn names_with_null_are_exact() {
    let directory = tree();
    let name = OsStr::from_bytes(b"\xE9\x1B[31m##x");
    fs::write(directory.path().join(name), b"\xFF").unwrap();
    let run = check().current_dir(&directory).args(["-l0", "."]).assert().code(1);
    let expected = b"./invalid\0./late\0./\xE9\x1B[31m##x\0";
    assert_eq!(run.get_output().stdout, expected);
    // Without it they are safe to print.
    let run = check().current_dir(&directory).args(["-l", "."]).assert().code(1);
    assert_eq!(run.get_output().stdout, b"./invalid\n./late\n./\\xE9\\x1B[31m#\\x23x\n");
    // The list is read and written with NUL.
    let mut command = check();
    let command = command.current_dir(&directory).args(["-0", "-L", "--files-from", "-"]);
    let run = command.write_stdin("wrong\nline\0invalid\0").assert().code(1);
    assert_eq!(run.get_output().stdout, b"wrong\nline\0");
}

#[test]
fn unreadable_files_are_in_neither_list() {
    let directory = tree();
    for option in ["-l", "-L"] {
        let mut command = check();
        let run = command.current_dir(&directory).args([option, "nope", "late"]).assert().code(2);
        assert_eq!(messages_of(&run).len(), 1);
        let expected = if option == "-l" { "late\n" } else { "" };
        run.stdout(expected);
    }
}

#[test]
fn file_is_not_read_after_its_first_finding() {
    // The writer is terminated by SIGPIPE; a complete read would take all of its output.
    let script = "{ printf '\\377'; head -c 1000000000 /dev/zero | tr '\\0' a; } | \"$@\" -l -";
    let run = shell_subcommand("check", script).assert().code(1);
    run.stdout("<stdin>\n");
}

#[test]
fn options_without_effect_on_a_list_of_names_are_rejected() {
    for (words, message) in [
        (&["-l", "-L"][..], "--files-with-findings cannot be used with --files-without-findings"),
        (&["-l", "--format=json"], "--files-with-findings cannot be used with --format"),
        (
            &["-L", "--max-findings=1"],
            "--files-without-findings cannot be used with --max-findings",
        ),
        (&["-l", "--stats"], "--files-with-findings cannot be used with --stats"),
        (&["-l", "-q"], "--files-with-findings cannot be used with --quiet"),
        (
            &["-0"],
            "--null requires --files-from, --files-with-findings, or --files-without-findings",
        ),
    ] {
        let run = check().args(words).write_stdin("").assert().code(2);
        assert_eq!(messages_of(&run), [format!("charpipe: {message}")], "{words:?}");
    }
}
