//! Output and messages on a terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use crate::cli::command::{create_directory, plain, plain_subcommand};

/// Opens a pseudoterminal: the side of the user, and that of the program.
pub fn terminal() -> (File, OwnedFd) {
    let user = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&user).unwrap();
    unlockpt(&user).unwrap();
    let name = ptsname(&user, Vec::new()).unwrap();
    let program = open(&name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    (File::from(user), program)
}

/// Returns everything that a terminal shows until `child` has exited. The terminal stays open on both
/// sides until then: what a program writes just before its last descriptor is closed is not lost.
fn shown(user: &mut File, child: &mut Child) -> String {
    let mut text = Vec::new();
    while !read_until_exit(user, child, &mut text) {}
    String::from_utf8_lossy(&text).replace("\r\n", "\n")
}

/// Reads what a terminal shows next, and returns whether `child` has exited and everything was read.
pub fn read_until_exit(user: &mut File, child: &mut Child, text: &mut Vec<u8>) -> bool {
    let has_exited = child.try_wait().unwrap().is_some();
    let mut buffer = [0; 4096];
    let timeout = Timespec { tv_sec: 0, tv_nsec: if has_exited { 0 } else { 5_000_000 } };
    let is_readable =
        rustix::io::retry_on_intr(|| poll(&mut [PollFd::new(user, PollFlags::IN)], Some(&timeout)));
    if is_readable.unwrap() == 0 {
        return has_exited;
    }
    let count = user.read(&mut buffer).unwrap();
    text.extend_from_slice(&buffer[..count]);
    false
}

/// Returns the output of a run whose standard input, output and error are one terminal, and on
/// which these keys are pressed.
pub fn run(command: &mut Command, keys: &[u8]) -> String {
    let (mut user, program) = terminal();
    user.write_all(keys).unwrap();
    command.stdin(program.try_clone().unwrap()).stdout(program.try_clone().unwrap());
    let mut child = command.stderr(program.try_clone().unwrap()).spawn().unwrap();
    shown(&mut user, &mut child)
}

#[test]
fn a_message_ends_the_line_of_the_text_before_it() {
    let directory = create_directory(&[
        ("invalid.txt", b"x\xFFy\xFF"),
        ("good.txt", b"no end"),
        ("lf.txt", b"lf\n"),
    ]);
    for (words, expected) in [
        (
            &["-f", "utf-8", "invalid.txt"][..],
            "x\ncharpipe: invalid.txt:1:2: byte 1: invalid UTF-8 sequence FF (no character starts with this byte)\n",
        ),
        (&["good.txt", "nope"], "no end\ncharpipe: nope: No such file or directory\n"),
        (&["lf.txt", "nope"], "lf\ncharpipe: nope: No such file or directory\n"),
        (
            &["good.txt", "nope", "lf.txt", "nope", "-o", "/dev/fd/2"],
            "no end\ncharpipe: nope: No such file or directory\n\
             lf\ncharpipe: nope: No such file or directory\n",
        ),
        (
            &["good.txt", "nope", "nope"],
            "no end\ncharpipe: nope: No such file or directory\n\
             charpipe: nope: No such file or directory\n",
        ),
    ] {
        assert_eq!(run(plain().current_dir(&directory).args(words), b""), expected, "{words:?}");
    }
}

#[test]
fn a_message_ends_the_line_of_an_unfinished_report() {
    let directory = create_directory(&[("invalid", b"\xFF")]);
    let mut command = plain_subcommand("check");
    let command = command.current_dir(&directory).args(["--format=json", "invalid", "nope"]);
    let text = run(command, b"");
    assert!(text.contains("\ncharpipe: nope: No such file or directory\n"), "{text}");
}

#[test]
fn a_message_elsewhere_than_the_text_ends_no_line() {
    let directory = create_directory(&[("good.txt", b"no end")]);
    let message = "charpipe: nope: No such file or directory\n";
    let (mut user, program) = terminal();
    let mut command = plain();
    command.current_dir(&directory).args(["good.txt", "nope"]).stdin(Stdio::null());
    let command = command.stdout(program.try_clone().unwrap()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    assert_eq!(shown(&mut user, &mut child), "no end");
    assert_eq!(std::io::read_to_string(child.stderr.take().unwrap()).unwrap(), message);
    // Two terminals.
    let ((mut user, program), (mut other_user, other)) = (terminal(), terminal());
    let mut command = plain();
    command.current_dir(&directory).args(["good.txt", "nope"]).stdin(Stdio::null());
    let command = command.stdout(program.try_clone().unwrap()).stderr(other.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    assert_eq!(shown(&mut user, &mut child), "no end");
    assert_eq!(shown(&mut other_user, &mut child), message);
}

/// Ctrl-D on an empty line.
const END: &[u8] = b"\x04";
const READING: &str = "charpipe: reading standard input (press Ctrl-D to end";

#[test]
fn reading_standard_input_from_a_terminal_is_announced() {
    let text = run(&mut plain(), END);
    assert!(text.contains(&format!("{READING})\n")), "{text:?}");
    assert_eq!(text.matches(READING).count(), 1);
}

#[test]
fn current_directory_is_examined_if_standard_input_is_a_terminal() {
    let directory = create_directory(&[("a", b"\xFF\n"), (".hidden", b"\xFF")]);
    for (subcommand, expected) in [("check", "./a:1:1: byte 0: invalid"), ("detect", "./a: ")] {
        for words in [&[][..], &["-r"]] {
            let mut command = plain_subcommand(subcommand);
            let text = run(command.current_dir(&directory).args(words), END);
            assert!(text.starts_with(expected), "{subcommand} {words:?}: {text:?}");
            assert_eq!(text.lines().count(), 1, "{text:?}");
        }
        // A hyphen is the standard input, and so is anything but a terminal.
        let mut command = plain_subcommand(subcommand);
        let text = run(command.current_dir(&directory).arg("-"), b"x\n\x04");
        assert!(!text.contains("./a"), "{subcommand}: {text:?}");
        let mut command = plain_subcommand(subcommand);
        let output = command.current_dir(&directory).stdin(Stdio::null()).output().unwrap();
        assert!(!output.stdout.starts_with(b"./a"), "{subcommand}");
        // A list is read instead.
        let mut command = plain_subcommand(subcommand);
        let text = run(command.current_dir(&directory).args(["--files-from", "/dev/null"]), END);
        assert_eq!(text, "", "{subcommand}");
    }
}

#[test]
fn stdin_is_not_announced_with_operands_or_quiet() {
    let directory = create_directory(&[("a", b"text\n"), ("list", b"a\n")]);
    for words in ["-", "a", "-s", "-i a", "--list=iconv", "-V"] {
        let mut command = plain();
        let command = command.current_dir(&directory).args(words.split(' '));
        assert!(!run(command, END).contains("reading"), "{words}");
    }
    for subcommand in ["check", "detect"] {
        for words in ["", "-", "a", "-r", "--files-from list", "-h"] {
            let mut command = plain_subcommand(subcommand);
            let command = command.current_dir(&directory).args(words.split_whitespace());
            assert!(!run(command, END).contains("reading"), "{subcommand} {words}");
        }
    }
    let mut command = plain_subcommand("check");
    assert_eq!(run(command.current_dir(&directory).arg("-s"), END), "");
    // The message would be written to a file.
    let (mut user, program) = terminal();
    user.write_all(END).unwrap();
    let mut command = plain();
    let output = command.stdin(program).stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty());
}
