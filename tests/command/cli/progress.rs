//! Progress on a terminal.
//!
//! No test assumes that something happens within some time: each waits for what the terminal shows, and
//! holds the input of the command until then.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use rustix::termios::{Winsize, tcsetwinsize};
use signal_hook::consts::{SIGINT, SIGPIPE, SIGTERM};

use crate::cli::command::{at_once, create_directory, has_small_buffers, plain, plain_subcommand};
use crate::cli::terminal::{read_until_exit, terminal};
use charpipe_test_support::watch;

/// What a terminal shows: lines, and the position of the cursor. Columns are characters.
#[derive(Default)]
struct Screen {
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
}

impl Screen {
    fn new(bytes: &[u8]) -> Screen {
        let mut screen = Screen::default();
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut rest = text.as_str();
        while let Some(character) = rest.chars().next() {
            screen.lines.resize(screen.lines.len().max(screen.row + 1), Vec::new());
            if let Some(after) = rest.strip_prefix("\x1b[J") {
                screen.lines.truncate(screen.row + 1);
                screen.lines[screen.row].truncate(screen.column);
                rest = after;
                continue;
            }
            rest = &rest[character.len_utf8()..];
            match character {
                '\r' => screen.column = 0,
                '\n' => screen.row += 1,
                '\x1b' => panic!("unexpected escape sequence: {rest:?}"),
                _ => {
                    let line = &mut screen.lines[screen.row];
                    line.resize(line.len().max(screen.column + 1), ' ');
                    line[screen.column] = character;
                    screen.column += 1;
                }
            }
        }
        screen
    }

    fn text(&self) -> String {
        let lines: Vec<String> = self.lines.iter().map(|line| line.iter().collect()).collect();
        lines.join("\n").trim_end_matches('\n').to_owned()
    }
}

/// A command that runs on a terminal.
struct Run {
    child: Child,
    stdin: Option<ChildStdin>,
    user: File,
    /// Kept open, so that nothing is lost that is written just before the end.
    _program: OwnedFd,
    output: Vec<u8>,
    started: Instant,
}

impl Run {
    /// Starts a command whose standard error is a terminal of this width.
    fn start(command: &mut Command, columns: u16) -> Run {
        let (user, program) = terminal();
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&user, size).unwrap();
        let command = command.env("TERM", "xterm").env("NO_COLOR", "1");
        command.stderr(program.try_clone().unwrap());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        Run { child, stdin, user, _program: program, output: Vec::new(), started }
    }

    fn screen(&self) -> String {
        Screen::new(&self.output).text()
    }

    /// Waits until the screen is as described.
    fn wait_for(&mut self, is_reached: impl Fn(&str) -> bool) {
        let begin = Instant::now();
        while !is_reached(&self.screen()) {
            let exited = read_until_exit(&mut self.user, &mut self.child, &mut self.output);
            assert!(!exited || is_reached(&self.screen()), "exited: {:?}", self.screen());
            assert!(begin.elapsed() < Duration::from_secs(60), "in vain: {:?}", self.screen());
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Ends the input and returns what is on the screen at the end, and the status.
    fn finish(mut self) -> (String, ExitStatus) {
        drop(self.stdin.take());
        while !read_until_exit(&mut self.user, &mut self.child, &mut self.output) {}
        (self.screen(), self.child.wait().unwrap())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        // After a failed assertion.
        let _ = self.child.kill();
    }
}

fn piped(mut command: Command) -> Command {
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    command
}

fn make_fifo(path: &Path) {
    assert!(watch::command("mkfifo").arg(path).status().unwrap().success());
}

/// Waits for a reader of a FIFO, and opens it for writing.
fn open_fifo(path: &Path) -> File {
    OpenOptions::new().write(true).open(path).unwrap()
}

/// Creates a file that takes several seconds to read, but not days.
fn create_long_file(path: &Path) {
    File::create(path)
        .unwrap()
        .set_len(if has_small_buffers() { 1 << 30 } else { 64 << 30 })
        .unwrap();
}

/// Scenarios that run at the same time, because each waits a second for the progress to appear.
const CASES: [fn(); 13] = [
    progress_of_a_pipe_has_bytes_and_rate_and_is_erased,
    progress_of_a_file_has_the_total_and_the_time_left,
    bytes_of_several_inputs_are_added,
    progress_of_files_counts_them,
    progress_in_place_ends_with_the_summary,
    nothing_is_shown_where_it_is_not_wanted,
    signals_erase_the_progress,
    a_stopped_process_leaves_nothing_and_continues,
    a_reader_that_exits_leaves_no_progress,
    errors_follow_the_erased_progress,
    the_line_follows_the_width_of_the_terminal,
    a_list_of_files_that_can_be_read_only_once_is_not_read_twice,
    typed_input_is_not_disturbed,
];

#[test]
fn progress_is_shown_on_terminals_and_erased() {
    at_once(CASES, |case| case());
}

fn progress_of_a_pipe_has_bytes_and_rate_and_is_erased() {
    at_once([&[][..], &["-j3"]], |words| {
        let mut command = plain();
        command.args(words);
        let mut run = Run::start(&mut piped(command), 80);
        run.write(&[b'a'; 20 * 1024]);
        run.wait_for(|screen| screen.starts_with("20 KiB, "));
        assert!(run.started.elapsed() >= Duration::from_secs(1));
        assert!(run.screen().contains("/s, "), "{:?}", run.screen());
        run.write(&[b'a'; 20 * 1024]);
        run.wait_for(|screen| screen.starts_with("40 KiB, "));
        let (screen, status) = run.finish();
        assert_eq!((screen.as_str(), status.code()), ("", Some(0)));
    });
}

fn progress_of_a_file_has_the_total_and_the_time_left() {
    let directory = create_directory(&[]);
    create_long_file(&directory.path().join("big"));
    let utf_16: &[&str] = &["-f", "utf-16le", "-j2", "big"];
    let runs = [(80, true, &["big"][..]), (40, false, &["big"]), (80, true, utf_16)];
    at_once(runs, |(columns, has_bar, words)| {
        let mut command = plain();
        command.current_dir(&directory).args(words).stdout(Stdio::null());
        let mut run = Run::start(&mut command, columns);
        run.wait_for(|screen| screen.contains(" of ") && screen.ends_with(" left"));
        assert_eq!(run.screen().starts_with('['), has_bar, "{:?}", run.screen());
        assert!(run.screen().len() < usize::from(columns));
        run.send(Signal::INT);
        let (screen, status) = run.finish();
        assert_eq!((screen.as_str(), status.signal()), ("", Some(SIGINT)));
    });
}

fn bytes_of_several_inputs_are_added() {
    let directory = create_directory(&[("a", &[b'a'; 10 * 1024]), ("b", &[b'b'; 10 * 1024])]);
    create_long_file(&directory.path().join("big"));
    let mut command = plain();
    command.current_dir(&directory).args(["a", "b", "big", "-o", "/dev/null"]);
    let mut run = Run::start(&mut command, 80);
    run.wait_for(|screen| screen.contains(" of ") && screen.ends_with(" left"));
    run.send(Signal::TERM);
    let (screen, status) = run.finish();
    assert_eq!((screen.as_str(), status.signal()), ("", Some(SIGTERM)));
}

fn progress_of_files_counts_them() {
    let cases = [
        (
            "check",
            "charpipe: nope: No such file or directory\n\
             wrong:1:1: byte 0: invalid UTF-8 sequence FF (no character starts with this byte)",
        ),
        // A byte alone proves nothing.
        (
            "detect",
            "a: US-ASCII, certain, lf\n\
             charpipe: nope: No such file or directory\n\
             wrong: unknown\n\
             slow: US-ASCII, certain, lf",
        ),
    ];
    at_once(cases, |(subcommand, lines)| {
        let directory = create_directory(&[("a", b"text\n"), ("wrong", b"\xFF\n")]);
        make_fifo(&directory.path().join("slow"));
        let mut command = plain_subcommand(subcommand);
        command.current_dir(&directory).args(["a", "nope", "wrong", "slow"]);
        let (user, program) = terminal();
        command.stdout(program.try_clone().unwrap()).stderr(program.try_clone().unwrap());
        let command = command.env("TERM", "xterm").env("NO_COLOR", "1");
        let (child, output, started) = (command.spawn().unwrap(), Vec::new(), Instant::now());
        let mut run = Run { child, stdin: None, user, _program: program, output, started };
        run.wait_for(|screen| screen.contains("\n3 of 4 files, 7 B, "));
        open_fifo(&directory.path().join("slow")).write_all(b"text\n").unwrap();
        let (screen, _) = run.finish();
        assert_eq!(screen, lines);
    });
}

fn progress_in_place_ends_with_the_summary() {
    let directory = create_directory(&[("a", b"\xE9\n"), ("b", b"text\n")]);
    let mut command = plain();
    command.current_dir(&directory).args(["-f", "latin1", "-iv", "--files-from", "-"]);
    let mut run = Run::start(&mut piped(command), 80);
    run.write(b"a\n");
    let message = "charpipe: a: converted from ISO-8859-1 to UTF-8\n";
    run.wait_for(|screen| screen.starts_with(&format!("{message}1 file, 2 B, ")));
    run.write(b"b\n");
    let others = "charpipe: b: unchanged\n";
    run.wait_for(|screen| screen.starts_with(&format!("{message}{others}2 files, 7 B, ")));
    let (screen, status) = run.finish();
    let summary = "charpipe: 1 converted, 1 unchanged, 0 skipped, 0 failed";
    assert_eq!((screen, status.code()), (format!("{message}{others}{summary}"), Some(0)));
}

fn nothing_is_shown_where_it_is_not_wanted() {
    let directory = create_directory(&[]);
    let runs = ["quiet", "dumb", "silent check", "text on the terminal", "no terminal"];
    let mut started = Vec::new();
    for name in runs {
        let mut command = match name {
            "silent check" => plain_subcommand("check"),
            _ => plain(),
        };
        let (user, program) = terminal();
        command.current_dir(&directory).env("TERM", "xterm");
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(program.try_clone().unwrap());
        match name {
            "quiet" => command.arg("-q"),
            "silent check" => command.arg("-q"),
            "dumb" => command.env("TERM", "dumb"),
            "text on the terminal" => command.stdout(program.try_clone().unwrap()),
            _ => command.stderr(File::create(directory.path().join("log")).unwrap()),
        };
        let mut child = command.spawn().unwrap();
        let stdin = child.stdin.take();
        started.push((name, child, stdin, user, program));
    }
    // Longer than it takes for progress to appear, if it did.
    std::thread::sleep(Duration::from_millis(1500));
    for (name, mut child, stdin, mut user, _program) in started {
        drop(stdin);
        let mut output = Vec::new();
        while !read_until_exit(&mut user, &mut child, &mut output) {}
        assert_eq!(String::from_utf8_lossy(&output), "", "{name}");
    }
    assert!(fs::read(directory.path().join("log")).unwrap().is_empty());
}

fn signals_erase_the_progress() {
    at_once([(Signal::INT, SIGINT), (Signal::TERM, SIGTERM)], |(signal, number)| {
        at_once([plain(), plain_subcommand("check"), plain_subcommand("detect")], |mut command| {
            command.stdin(Stdio::piped()).stdout(Stdio::null());
            let mut run = Run::start(&mut command, 80);
            run.write(b"text");
            run.wait_for(|screen| screen.contains("4 B, "));
            run.send(signal);
            run.wait_for(str::is_empty);
            let (screen, status) = run.finish();
            assert_eq!((screen.as_str(), status.signal()), ("", Some(number)));
        });
    });
}

fn a_stopped_process_leaves_nothing_and_continues() {
    let mut run = Run::start(&mut piped(plain()), 80);
    run.write(b"text");
    run.wait_for(|screen| screen.starts_with("4 B, "));
    let before = run.output.len();
    run.send(Signal::TSTP);
    let stopped = waitpid(Some(Pid::from_child(&run.child)), WaitOptions::UNTRACED).unwrap();
    assert!(stopped.is_some_and(|(_, status)| status.stopped()));
    run.wait_for(str::is_empty);
    assert!(run.output.len() > before);
    run.send(Signal::CONT);
    run.wait_for(|screen| screen.starts_with("4 B, "));
    let (screen, status) = run.finish();
    assert_eq!((screen.as_str(), status.code()), ("", Some(0)));
}

fn a_reader_that_exits_leaves_no_progress() {
    let mut command = plain();
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut run = Run::start(&mut command, 80);
    run.write(b"text");
    run.wait_for(|screen| screen.starts_with("4 B, "));
    drop(run.child.stdout.take());
    run.write(b"more");
    let (screen, status) = run.finish();
    assert_eq!((screen.as_str(), status.signal()), ("", Some(SIGPIPE)));
}

fn errors_follow_the_erased_progress() {
    let mut run = Run::start(piped(plain()).args(["-f", "utf-8"]), 80);
    run.write(b"text");
    run.wait_for(|screen| screen.starts_with("4 B, "));
    run.write(b"\xFF");
    let (screen, status) = run.finish();
    let message = "charpipe: <stdin>:1:5: byte 4: invalid UTF-8 sequence FF \
                   (no character starts with this byte)";
    assert_eq!((screen.as_str(), status.code()), (message, Some(1)));
}

fn the_line_follows_the_width_of_the_terminal() {
    let mut run = Run::start(&mut piped(plain()), 80);
    run.write(b"text");
    run.wait_for(|screen| screen.starts_with("4 B, ") && screen.contains("/s"));
    let set_width = |run: &Run, columns| {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&run.user, size).unwrap();
    };
    set_width(&run, 5);
    run.wait_for(|screen| screen == "4 B");
    // Nothing fits.
    set_width(&run, 3);
    run.wait_for(str::is_empty);
    set_width(&run, 40);
    run.wait_for(|screen| screen.starts_with("4 B, ") && screen.contains("/s"));
    // Each line begins with the erasure of everything below its start, and ends there.
    let output = String::from_utf8(run.output.clone()).unwrap();
    assert!(output.ends_with('\r') && !output.contains('\n'), "{output:?}");
    let (screen, _) = run.finish();
    assert_eq!(screen, "");
}

fn a_list_of_files_that_can_be_read_only_once_is_not_read_twice() {
    let directory = create_directory(&[("a", b"text\n"), ("b", b"text\n")]);
    let [list, slow] = ["list", "slow"].map(|name| directory.path().join(name));
    make_fifo(&list);
    make_fifo(&slow);
    let mut command = plain_subcommand("detect");
    command.current_dir(&directory).args(["--files-from", "list"]).stdout(Stdio::piped());
    let mut run = Run::start(&mut command, 80);
    let mut names = open_fifo(&list);
    names.write_all(b"slow\n").unwrap();
    let mut input = open_fifo(&slow);
    run.wait_for(|screen| screen.starts_with("0 files, "));
    names.write_all(b"a\nb\n").unwrap();
    drop(names);
    input.write_all(b"text\n").unwrap();
    drop(input);
    let stdout = run.child.stdout.take().unwrap();
    let (screen, _) = run.finish();
    assert_eq!(screen, "");
    let lines = ["slow", "a", "b"].map(|name| format!("{name}: US-ASCII, certain, lf\n")).concat();
    assert_eq!(std::io::read_to_string(stdout).unwrap(), lines);
}

fn typed_input_is_not_disturbed() {
    let (mut user, program) = terminal();
    let mut command = plain();
    command.env("TERM", "xterm").arg("-").stdout(Stdio::null()).stdin(program.try_clone().unwrap());
    let mut child = command.stderr(program.try_clone().unwrap()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    user.write_all(b"\x04").unwrap();
    let mut output = Vec::new();
    while !read_until_exit(&mut user, &mut child, &mut output) {}
    assert!(!String::from_utf8_lossy(&output).contains("B/s"), "{output:?}");
}
