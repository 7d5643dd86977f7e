//! Inputs, outputs, and how charpipe is called.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};

use crate::program::{Program, fixtures, locale};
use charpipe_test_support::closed_pipe;
use charpipe_test_support::watch;

#[test]
fn output_may_be_an_input() {
    let directory = fixtures();
    let path = directory.path();
    let text = "\u{e9}".repeat(100_000);
    fs::write(path.join("large"), &text).unwrap();
    let arguments = ["-f", "utf8", "-t", "utf16le", "-o", "large", "large", "large"];
    let outcome = Program::charpipe().run(path, &locale("C"), &arguments, b"");
    assert_eq!((outcome.status, outcome.stderr.len()), (0, 0));
    assert_eq!(fs::read(path.join("large")).unwrap(), b"\xE9\0".repeat(200_000));
}

#[test]
fn hard_links_of_the_output_are_kept() {
    let directory = fixtures();
    let path = directory.path();
    fs::hard_link(path.join("text"), path.join("link")).unwrap();
    let arguments = ["-f", "utf8", "-t", "utf16le", "-o", "link", "latin"];
    let outcome = Program::charpipe().run(path, &locale("C"), &arguments, b"");
    assert_eq!(outcome.status, 0);
    assert_eq!(fs::read(path.join("text")).unwrap(), b"c\0a\0f\0\xE9\0\n\0");
    assert_eq!(fs::metadata(path.join("text")).unwrap().nlink(), 2);
    // After a stop nothing has changed.
    let arguments = ["-f", "utf8", "-t", "utf16le", "-o", "link", "invalid"];
    let outcome = Program::charpipe().run(path, &locale("C"), &arguments, b"");
    assert_eq!((outcome.status, outcome.files.len()), (1, 0));
}

/// The text of an output with several hard links is not kept in memory.
#[cfg(target_os = "linux")]
#[test]
fn large_output_may_have_hard_links_and_be_an_input() {
    let directory = fixtures();
    let path = directory.path();
    let text = vec![b'x'; 80 << 20];
    fs::write(path.join("large"), &text).unwrap();
    fs::hard_link(path.join("large"), path.join("link")).unwrap();
    let run = |input: &str| {
        let mut command = watch::command("sh");
        // Less memory than the text has.
        let script = "ulimit -v 60000; exec \"$0\" iconv -f utf8 -t utf16le -o link \"$@\"";
        command.args(["-c", script, env!("CARGO_BIN_EXE_charpipe"), input, "ok"]);
        command.current_dir(path).output().unwrap()
    };
    let output = run("invalid");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(fs::metadata(path.join("large")).unwrap().len(), 80 << 20);
    let output = run("large");
    assert!(output.status.success(), "{output:?}");
    let content = fs::read(path.join("large")).unwrap();
    assert_eq!(content.len(), (160 << 20) + 6);
    assert!(content.starts_with(b"x\0x\0") && content.ends_with(b"x\0o\0k\0\n\0"));
    assert_eq!(fs::metadata(path.join("link")).unwrap().nlink(), 2);
    assert_eq!(fs::read_dir(path).unwrap().count(), crate::program::FIXTURES.len() + 3);
}

#[test]
fn output_of_a_directory_that_is_not_writable_is_rewritten() {
    use std::os::unix::fs::PermissionsExt;

    let directory = fixtures();
    let path = directory.path();
    fs::create_dir(path.join("closed")).unwrap();
    fs::write(path.join("closed/file"), "long text").unwrap();
    fs::set_permissions(path.join("closed"), fs::Permissions::from_mode(0o555)).unwrap();
    let arguments = ["-f", "utf8", "-t", "latin1", "-o", "closed/file", "latin"];
    let outcome = Program::charpipe().run(path, &locale("C"), &arguments, b"");
    fs::set_permissions(path.join("closed"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!((outcome.status, outcome.stderr), (0, Vec::new()));
    assert_eq!(fs::read(path.join("closed/file")).unwrap(), b"caf\xE9\n");
}

#[test]
fn output_keeps_its_mode_and_is_unchanged_after_a_stop() {
    use std::os::unix::fs::PermissionsExt;

    let directory = fixtures();
    let path = directory.path();
    fs::set_permissions(path.join("ok"), fs::Permissions::from_mode(0o640)).unwrap();
    for (input, status, content) in
        [("invalid", 1, &b"ok\n"[..]), ("empty", 0, b""), ("latin", 0, b"caf\xE9\n")]
    {
        let arguments = ["-f", "utf8", "-t", "latin1", "-o", "ok", input];
        let outcome = Program::charpipe().run(path, &locale("C"), &arguments, b"");
        assert_eq!(outcome.status, status, "{input}");
        assert_eq!(fs::read(path.join("ok")).unwrap(), content, "{input}");
        assert_eq!(fs::metadata(path.join("ok")).unwrap().mode() & 0o777, 0o640);
    }
}

#[test]
fn standard_output_may_append_to_the_input() {
    let directory = fixtures();
    let path = directory.path().join("ok");
    let output = fs::OpenOptions::new().append(true).open(&path).unwrap();
    let mut command = Program::charpipe().command(&[]);
    let status = command.args(["-f", "utf8", "-t", "utf8"]).arg(&path).stdout(output).status();
    assert!(status.unwrap().success());
    assert_eq!(fs::read(&path).unwrap(), b"ok\nok\n");
}

#[test]
fn write_error_has_status_1_and_a_closed_pipe_ends_by_signal() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let directory = fixtures();
    let mut command = Program::charpipe().command(&[]);
    let output = command.arg("ok").current_dir(directory.path()).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "iconv: conversion stopped due to problem in writing the output: No space left on device\n"
    );
    let mut command = Program::charpipe().command(&[]);
    command.stdin(Stdio::piped()).stdout(closed_pipe()).stderr(Stdio::piped());
    let mut child = command.args(["-f", "utf8", "-t", "utf8"]).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"text").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.signal(), output.stderr.len()), (Some(13), 0));
}

#[test]
fn messages_start_with_the_name_of_the_call() {
    let directory = fixtures();
    let run = |program: &str, arguments: &[&str]| {
        let mut command: Command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
        command.arg0(program).args(arguments).current_dir(directory.path()).stdin(Stdio::null());
        String::from_utf8(command.output().unwrap().stderr).unwrap()
    };
    let message = "conversion from `x' is not supported";
    let hint = "Try `iconv --help' or `iconv --usage' for more information.";
    for (program, arguments, name) in [
        ("/usr/bin/iconv", &["-f", "x"][..], "/usr/bin/iconv"),
        ("charpipe", &["iconv", "-f", "x"], "iconv"),
    ] {
        assert_eq!(run(program, arguments), format!("{name}: {message}\n{hint}\n"));
    }
    assert!(run("iconv.exe", &["-f", "x"]).starts_with("iconv.exe: conversion from"));
    assert!(!run("charpipe", &["-f", "x", "iconv"]).contains("supported\n"));
}

#[test]
fn names_in_messages_are_quoted_and_bounded() {
    let directory = fixtures();
    let name = "a\x1B[31m\n::error::\u{202E}##[x]z";
    let quoted = "a\\x1B[31m\\x0A::error::\\u{202E}#\\x23[x]z";
    let long = "x".repeat(100_000);
    for flavor in ["glibc", "libiconv"] {
        let run = |arguments: &[&str]| {
            let mut command: Command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
            command.arg("iconv").args(arguments).env("CHARPIPE_ICONV", flavor);
            command.current_dir(directory.path()).stdin(Stdio::null());
            String::from_utf8(command.output().unwrap().stderr).unwrap()
        };
        for arguments in [&["-f", name][..], &["-t", name], &["-f", "utf-8", name]] {
            let stderr = run(arguments);
            assert!(stderr.contains(quoted), "{flavor} {arguments:?}: {stderr:?}");
        }
        for arguments in [&["-f", &long][..], &["-f", &long, "-t", &long], &["-f", "utf-8", &long]]
        {
            let stderr = run(arguments);
            let longest = stderr.lines().map(str::len).max();
            assert!(longest < Some(400) && stderr.contains("xxx…xxx"), "{flavor}: {stderr:.500}");
        }
    }
    let mut command: Command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
    command.args(["iconv", "--verbose", "-f", "utf-8", "-t", "utf-8", "::error::"]);
    let output = command.current_dir(directory.path()).stdin(Stdio::null()).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("./::error:::\n"));
}
