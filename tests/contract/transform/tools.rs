//! Runs other programs that have the same transforms.

use std::io::Write;
use std::process::Stdio;
use std::thread;

use charpipe_test_support::watch;

/// Returns what a program writes for an input, or `None` if it is not installed or fails.
pub fn run(program: &str, args: &[&str], input: &[u8]) -> Option<Vec<u8>> {
    let mut child = watch::command(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut stdin = child.stdin.take().expect("piped");
    let output = thread::scope(|scope| {
        // A program that fails may not read everything.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("the program can be waited for")
    });
    output.status.success().then_some(output.stdout)
}
