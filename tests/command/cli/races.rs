//! Another process replaces a file that a walk has found by a symbolic link before it is opened.
//!
//! No test depends on time: the command blocks on its full output pipe after it has listed the
//! directory and before it opens the file that is replaced.

use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
#[cfg(target_os = "linux")]
use std::time::Duration;

use tempfile::TempDir;

use crate::cli::command::{plain, plain_subcommand};

const SECRET: &[u8] = b"secret \xE9\n";

/// Errors whose messages fill a pipe, twice as many as needed.
fn noise() -> Vec<u8> {
    b"\xFF\n".repeat(10_000)
}

/// A tree `t` with a file `a` that is worked on first, and a directory `o` outside of it.
fn stage() -> TempDir {
    let stage = TempDir::new().unwrap();
    fs::create_dir_all(stage.path().join("t/s")).unwrap();
    fs::create_dir(stage.path().join("o")).unwrap();
    for (name, content) in [("t/s/a", &noise()[..]), ("t/s/b", b"caf\xE9\n"), ("o/b", SECRET)] {
        fs::write(stage.path().join(name), content).unwrap();
    }
    stage
}

/// Runs a command on the tree and swaps when it has begun to write. Returns the exit code and all it
/// has written.
fn run(stage: &Path, mut command: Command, swap: impl FnOnce(&Path)) -> (i32, String) {
    command.current_dir(stage).args(["-r", "t"]).stdin(Stdio::null());
    let (mut output, writer) = std::io::pipe().unwrap();
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let mut child = command.spawn().unwrap();
    drop(command);
    let mut text = vec![0];
    output.read_exact(&mut text).unwrap();
    wait_until_full(&output, &mut child);
    swap(stage);
    output.read_to_end(&mut text).unwrap();
    let code = child.wait().unwrap().code().unwrap_or(-1);
    (code, String::from_utf8(text).unwrap())
}

/// Waits until a pipe is full, or the process that writes to it has ended.
#[cfg(target_os = "linux")]
fn wait_until_full(pipe: &std::io::PipeReader, child: &mut Child) {
    // A write that does not fit into a page may leave a part of one.
    let full = rustix::pipe::fcntl_getpipe_size(pipe).unwrap() as u64 - (8 << 10);
    while rustix::io::ioctl_fionread(pipe).unwrap() < full && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_until_full(_: &std::io::PipeReader, _: &mut Child) {}

fn in_place() -> Command {
    let mut command = plain();
    command.args(["-i", "-j1", "-v", "-t", "utf-16le", "--on-error", "replace", "--backup"]);
    command
}

fn swap_file(stage: &Path) {
    symlink("../../o/b", stage.join("t/x")).unwrap();
    fs::rename(stage.join("t/x"), stage.join("t/s/b")).unwrap();
}

fn swap_directory(stage: &Path) {
    fs::rename(stage.join("t/s"), stage.join("t/real")).unwrap();
    symlink("../o", stage.join("t/s")).unwrap();
}

/// The outside, unchanged.
fn assert_outside(stage: &Path) {
    assert_eq!(fs::read(stage.join("o/b")).unwrap(), SECRET);
    assert_eq!(fs::read_dir(stage.join("o")).unwrap().count(), 1);
}

#[test]
fn file_swapped_for_a_link_is_not_converted() {
    let stage = stage();
    let (code, output) = run(stage.path(), in_place(), swap_file);
    assert_outside(stage.path());
    let reason = "charpipe: t/s/b: cannot be read: has been replaced by a symbolic link";
    assert!(output.lines().any(|line| line == reason), "{}", output.lines().last().unwrap());
    assert_eq!(code, 2);
}

#[test]
fn directory_swapped_for_a_link_is_not_entered_again() {
    let stage = stage();
    let (code, _) = run(stage.path(), in_place(), swap_directory);
    assert_outside(stage.path());
    // The file that was found is converted, and so is the one that was in progress.
    let real = stage.path().join("t/real");
    assert_eq!(fs::read(real.join("b")).unwrap(), b"c\0a\0f\0\xFD\xFF\n\0");
    assert_eq!(fs::read(real.join("b~")).unwrap(), b"caf\xE9\n");
    assert_eq!(fs::read(real.join("a~")).unwrap(), noise());
    assert_eq!(code, 1);
}

#[test]
fn directory_swapped_for_a_link_is_not_written_to() {
    let stage = stage();
    let mut command = plain();
    command.args(["-j1", "-v", "-t", "utf-16le", "--on-error", "replace", "--output-dir", "out"]);
    let (code, output) = run(stage.path(), command, |stage| {
        // It exists unless the first error was reported before the first difference.
        fs::create_dir_all(stage.join("out/s")).unwrap();
        fs::rename(stage.join("out/s"), stage.join("out/real")).unwrap();
        symlink("../o", stage.join("out/s")).unwrap();
    });
    assert_outside(stage.path());
    if code == 1 {
        // The directory was opened before it was swapped, and stays open: the file is where the directory is.
        let written = fs::read(stage.path().join("out/real/b")).unwrap();
        assert_eq!(written, b"c\0a\0f\0\xFD\xFF\n\0");
        return;
    }
    let reason = "charpipe: t/s/b: cannot write out/s/b: out/s is a symbolic link";
    let last: Vec<_> = output.lines().rev().take(4).collect();
    assert!(output.lines().any(|line| line == reason), "{last:#?}");
    assert_eq!(code, 2);
}

#[test]
fn check_reads_nothing_outside_of_a_tree() {
    for (swap, expected) in [
        (swap_file as fn(&Path), "charpipe: t/s/b: has been replaced by a symbolic link"),
        (
            swap_directory,
            "t/s/b:1:4: byte 3: invalid UTF-8 sequence E9 (followed by 0A; continuation byte expected)",
        ),
    ] {
        let stage = stage();
        let mut command = plain_subcommand("check");
        command.arg("--max-findings=all");
        let (code, output) = run(stage.path(), command, swap);
        assert_eq!(output.lines().last(), Some(expected));
        assert_eq!(code, if expected.contains("link") { 2 } else { 1 });
    }
}

#[test]
fn detect_reads_nothing_outside_of_a_tree() {
    // A line for each file, so that many with long names fill the pipe.
    for (swap, expected) in [
        (swap_file as fn(&Path), "has been replaced by a symbolic link"),
        (swap_directory, "US-ASCII, certain, lf"),
    ] {
        let stage = stage();
        for number in 0..1000 {
            let name = format!("t/s/a{}{number}", "x".repeat(200));
            fs::write(stage.path().join(name), "").unwrap();
        }
        fs::write(stage.path().join("t/s/b"), "plain\n").unwrap();
        let (_, output) = run(stage.path(), plain_subcommand("detect"), swap);
        let last = output.lines().last().unwrap_or_default();
        assert!(last.ends_with(&format!("t/s/b: {expected}")), "{last}");
    }
}

#[test]
fn a_file_that_appears_at_an_output_is_not_replaced() {
    let stage = stage();
    let mut command = plain();
    command.args(["--output-dir", "n", "-j1", "-v", "--on-error", "replace"]);
    let (code, text) = run(stage.path(), command, |stage| {
        fs::create_dir_all(stage.join("n/s")).unwrap();
        fs::write(stage.join("n/s/a"), "mine").unwrap();
    });
    assert_eq!(code, 2, "{text}");
    let expected = "charpipe: t/s/a: cannot write n/s/a: was created by another process\n";
    assert!(text.contains(expected), "{text}");
    assert_eq!(fs::read(stage.path().join("n/s/a")).unwrap(), b"mine");
    let names = fs::read_dir(stage.path().join("n/s")).unwrap();
    let mut names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["a", "b"]);
}
