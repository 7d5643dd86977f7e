//! Files after a signal.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGPIPE, SIGTERM};

use crate::cli::command::{create_directory, names, plain, shell};
use charpipe_test_support::watch;
use charpipe_test_support::{closed_pipe, missing};

/// Sends a signal with the system's own tool.
fn send(child: &Child, signal: &str) {
    let pid = child.id().to_string();
    let sent = watch::command("kill").args(["-s", signal, &pid]).status().unwrap();
    assert!(sent.success());
}

fn wait_until(what: impl Fn() -> bool) {
    let begin = Instant::now();
    while !what() {
        assert!(begin.elapsed() < Duration::from_secs(60), "waited in vain");
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn signal_during_file_output_leaves_only_the_old_file() {
    for (name, signal) in [("TERM", SIGTERM), ("INT", SIGINT), ("HUP", SIGHUP)] {
        let directory = create_directory(&[("out", b"old")]);
        let mut command = plain();
        let command = command
            .current_dir(&directory)
            .args(["--no-o-tmpfile", "-o", "out"])
            .stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // Held open: waiting for the child would close it, and an input that has ended may be
        // converted before the signal is served.
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"half of it").unwrap();
        let temporary = |name: &String| name.starts_with(".out.charpipe-");
        wait_until(|| names(directory.path()).iter().any(temporary));
        send(&child, name);
        let status = child.wait().unwrap();
        drop(input);
        assert_eq!(status.signal(), Some(signal), "{status}");
        assert_eq!(names(directory.path()), ["out"]);
        assert_eq!(std::fs::read(directory.path().join("out")).unwrap(), b"old");
    }
}

#[test]
fn kill_leaves_no_file_with_unnamed_temporary_files() {
    let directory = create_directory(&[("out", b"old")]);
    let mut command = plain();
    let command = command.current_dir(&directory).args(["-o", "out"]).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"half of it").unwrap();
    let open = format!("/proc/{}/fd", child.id());
    let nameless = |link: &Path| {
        link.starts_with(directory.path()) && link.to_string_lossy().ends_with(" (deleted)")
    };
    let links = || {
        let entries = std::fs::read_dir(&open).into_iter().flatten().flatten();
        entries.filter_map(|entry| std::fs::read_link(entry.path()).ok()).collect::<Vec<_>>()
    };
    let begin = Instant::now();
    let works = || links().iter().any(|link| nameless(link));
    while !works() && begin.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(5));
    }
    if works() {
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(names(directory.path()), ["out"]);
    } else {
        missing("files without a name");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(std::fs::read(directory.path().join("out")).unwrap(), b"old");
}

#[test]
fn a_signal_that_the_parent_ignores_stays_ignored() {
    for signal in ["HUP", "INT", "TERM"] {
        let directory = create_directory(&[]);
        let script = format!(
            "trap '' {signal}; mkfifo p; \"$@\" --no-o-tmpfile -o out < p & exec 3> p; \
             while ! ls -A | grep -q charpipe-; do sleep 0.01; done; \
             kill -s {signal} $!; sleep 0.2; printf text >&3; exec 3>&-; wait $!"
        );
        shell(&script).current_dir(&directory).assert().success();
        assert_eq!(names(directory.path()), ["out", "p"], "{signal}");
        assert_eq!(std::fs::read(directory.path().join("out")).unwrap(), b"text");
    }
}

#[test]
fn tests_of_signals_pass_where_signals_are_ignored() {
    let mut shell = watch::command("sh");
    shell.args(["-c", "trap '' HUP INT QUIT TERM CHLD; exec \"$@\"", "sh"]);
    shell.arg(std::env::current_exe().unwrap()).args(["--exact", "--test-threads=1"]);
    let names = [
        "cli::signals::signal_during_file_output_leaves_only_the_old_file",
        "cli::signals::a_signal_that_the_parent_ignores_stays_ignored",
        "cli::in_place::concurrency::signal_leaves_files_intact_and_no_leftovers",
    ];
    let output = shell.args(names).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("3 passed"), "{text}");
}

#[test]
fn overdue_process_is_killed_with_its_descendants() {
    let mut shell = watch::command("sh");
    let child = shell.args(["-c", "sleep 1000 | cat; exit 3"]).stdout(Stdio::piped()).spawn();
    let child = child.unwrap();
    let id = Pid::from_child(&child);
    std::thread::spawn(move || watch::processes::kill_overdue(id, Duration::from_secs(1)));
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(3));
}

#[test]
fn tests_start_their_processes_with_a_watchdog() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut directories = vec![tests];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let unwatched = concat!("Command::", "new(");
                let count = std::fs::read_to_string(&path).unwrap().matches(unwatched).count();
                let expected = usize::from(path.ends_with("support/src/watch.rs"));
                assert_eq!(count, expected, "{}: use watch::command", path.display());
            }
        }
    }
}

#[test]
fn a_reader_that_goes_away_ends_it_as_sigpipe_would() {
    for words in [&["-"][..], &["--help"], &["--list"], &["--man"], &["--completions", "bash"]] {
        let mut command = plain();
        command.args(words).stdin(Stdio::piped()).stdout(closed_pipe()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(command);
        let _ = child.stdin.take().unwrap().write_all(b"text");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.signal(), Some(SIGPIPE), "{words:?}: {}", output.status);
        assert!(output.stderr.is_empty(), "{words:?}");
    }
}
