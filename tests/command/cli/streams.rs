//! Output is written as soon as its input was read.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::cli::command::{create_directory, plain, shell};

#[test]
fn each_line_is_written_before_the_next_is_read() {
    let mut command = plain();
    command.args(["-f", "latin1"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let (mut input, mut output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    for _ in 0..3 {
        input.write_all(b"caf\xE9\n").unwrap();
        let mut line = [0; 6];
        output.read_exact(&mut line).unwrap();
        assert_eq!(line, "café\n".as_bytes());
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn stopping_error_ends_the_run_before_the_end_of_input() {
    let mut command = plain();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"ab\xFFcd").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    drop(input);
}

#[test]
fn a_character_that_comes_byte_by_byte_is_put_together() {
    let mut command = plain();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    for byte in "a€😀".bytes() {
        input.write_all(&[byte]).unwrap();
        sleep(Duration::from_millis(5));
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, "a€😀".as_bytes());
}

#[test]
fn nonblocking_stdin_is_waited_for() {
    let (reader, mut writer) = std::io::pipe().unwrap();
    set_nonblocking(&reader);
    let mut command = plain();
    command.stdin(reader).stdout(Stdio::piped());
    let child = command.spawn().unwrap();
    drop(command);
    for line in ["one\n", "two\n"] {
        sleep(Duration::from_millis(50));
        writer.write_all(line.as_bytes()).unwrap();
    }
    drop(writer);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, b"one\ntwo\n");
}

#[test]
fn nonblocking_stdout_is_waited_for() {
    let (mut reader, writer) = std::io::pipe().unwrap();
    set_nonblocking(&writer);
    let mut command = plain();
    command.stdin(Stdio::piped()).stdout(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut input = child.stdin.take().unwrap();
    // More than the capacity of the pipes and a buffer, so that the writer has to wait.
    let sent = "0123456789abcdé\n".repeat(40_000);
    let text = sent.clone();
    let sender = std::thread::spawn(move || input.write_all(text.as_bytes()).unwrap());
    sleep(Duration::from_millis(50));
    let mut received = String::new();
    reader.read_to_string(&mut received).unwrap();
    sender.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(received == sent, "{} of {} bytes", received.len(), sent.len());
}

fn set_nonblocking(descriptor: impl AsFd) {
    let flags = fcntl_getfl(&descriptor).unwrap();
    fcntl_setfl(&descriptor, flags | OFlags::NONBLOCK).unwrap();
}

/// Both pipes are non-blocking; the input arrives byte by byte, and the output is read slowly.
#[test]
fn small_reads_and_writes_preserve_the_data() {
    for (words, sent, expected) in [
        (&["-f", "latin1"][..], &b"caf\xE9 "[..], "café "),
        (&["-f", "utf-16le"], b"a\x00\xAC\x20\x3D\xD8\x00\xDE", "a€😀"),
        (&["-f", "iso-2022-jp"], b"\x1B$B$\"\x1B(Ba", "あa"),
        (&["-f", "utf-7"], b"a+IKw-b", "a€b"),
        (&["-f", "rfc2047"], b"=?utf-8?q?caf=C3?= =?utf-8?q?=A9?= a\n", "café a\n"),
    ] {
        // The output is larger than the capacity of a pipe.
        const REPETITIONS: usize = 16_000;
        let (input, mut feed) = std::io::pipe().unwrap();
        let (mut drain, output) = std::io::pipe().unwrap();
        set_nonblocking(&input);
        set_nonblocking(&output);
        let mut command = plain();
        let mut child = command.args(words).stdin(input).stdout(output).spawn().unwrap();
        drop(command);
        let bytes = sent.repeat(REPETITIONS);
        let feeder = std::thread::spawn(move || {
            bytes.iter().for_each(|byte| feed.write_all(std::slice::from_ref(byte)).unwrap());
        });
        // Let the output pipe fill first.
        sleep(Duration::from_millis(50));
        let (mut received, mut piece) = (Vec::new(), [0; 7]);
        while let count @ 1.. = drain.read(&mut piece).unwrap() {
            received.extend_from_slice(&piece[..count]);
        }
        feeder.join().unwrap();
        assert!(child.wait().unwrap().success(), "{words:?}");
        assert!(
            received == expected.repeat(REPETITIONS).as_bytes(),
            "{words:?}: {}",
            received.len()
        );
    }
}

#[test]
fn nonblocking_stderr_is_waited_for() {
    const ERRORS: usize = 5000;
    let (mut reader, writer) = std::io::pipe().unwrap();
    set_nonblocking(&writer);
    let directory = create_directory(&[("invalid", &[0xFF; ERRORS])]);
    let mut command = plain();
    command
        .current_dir(&directory)
        .args(["-c", "--verbose", "-f", "utf-8", "invalid"])
        .stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    // The pipe is full by now.
    sleep(Duration::from_millis(200));
    let mut messages = String::new();
    reader.read_to_string(&mut messages).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(messages.lines().count(), ERRORS + 1);
    assert!(messages.ends_with(&format!("invalid: {ERRORS} errors: {ERRORS} skipped\n")));
}

#[test]
fn a_reader_that_has_enough_ends_an_endless_input() {
    let script = "yes | \"$@\" | head -n 1";
    shell(script).assert().success().stdout("y\n").stderr("");
}
