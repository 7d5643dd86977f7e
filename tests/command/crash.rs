//! After a crash every file is either the old one or the new one, complete.
//!
//! The process is killed at random times, and in `calls.rs` at every system call. `power_loss.rs` simulates
//! the loss of power.
//!
//! Some hundred runs over many files are killed with SIGKILL, which nothing can catch, at moments
//! spread over the time that a run takes. CHARPIPE_TEST_ROUNDS sets how many, whatever time they take, and
//! CHARPIPE_TEST_DIRECTORY the directory, to test another file system.

mod calls;
mod power_loss;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use charpipe_test_support::watch;
use rustix::fs::OFlags;
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_charpipe");
const FILES: usize = 30;
const ROUNDS: u32 = 300;
/// No more rounds are begun after this, if there have been enough.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// The content of each file before and after.
struct FileContents {
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
}

impl FileContents {
    fn new() -> FileContents {
        let old = |number| {
            let line = [format!("{number} ").as_bytes(), b"\xE9\xE8\n"].concat();
            line.repeat(200 * (number + 1))
        };
        let old: Vec<Vec<u8>> = (0..FILES).map(old).collect();
        let new = |old: &Vec<u8>| {
            let text: String = old.iter().map(|byte| char::from(*byte)).collect();
            text.into_bytes()
        };
        let new = old.iter().map(new).collect();
        FileContents { old, new }
    }
}

/// A directory in memory if there is one: what is killed is the process and not the disk, and this is
/// faster.
fn create_directory() -> TempDir {
    match std::env::var_os("CHARPIPE_TEST_DIRECTORY") {
        Some(directory) => tempfile::tempdir_in(directory).unwrap(),
        None => tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap(),
    }
}

fn write_files(directory: &Path, contents: &FileContents) {
    for (number, old) in contents.old.iter().enumerate() {
        fs::write(directory.join(number.to_string()), old).unwrap();
    }
}

fn command(directory: &Path, options: &[&str]) -> Command {
    let mut command = watch::command(PROGRAM);
    command.current_dir(directory).args(["-i", "-f", "latin1", "-r", "."]).args(options);
    command.stderr(Stdio::null());
    command
}

/// Returns whether the file system supports files without a name.
fn has_unnamed_files(directory: &Path) -> bool {
    let mode = rustix::fs::Mode::RUSR;
    rustix::fs::open(directory, OFlags::TMPFILE | OFlags::WRONLY, mode).is_ok()
}

/// How a kill has left a directory: how many files are new, how many are left over.
fn check_directory(directory: &Path, contents: &FileContents, backups: bool) -> (usize, usize) {
    let mut converted = 0;
    for number in 0..FILES {
        let content = fs::read(directory.join(number.to_string())).expect("the file is there");
        let is_new = content == contents.new[number];
        assert!(is_new || content == contents.old[number], "{number} is neither");
        converted += usize::from(is_new);
        if backups {
            let backup = fs::read(directory.join(format!("{number}~"))).ok();
            assert!(backup.is_some() || !is_new, "{number} has no backup");
            assert!(
                backup.is_none_or(|backup| backup == contents.old[number]),
                "{number}~ is not whole"
            );
        }
    }
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let hidden = entries.filter(|name| name.as_encoded_bytes().starts_with(b".")).count();
    (converted, hidden)
}

#[test]
fn kill_at_any_moment_leaves_files_old_or_new() {
    let requested = std::env::var("CHARPIPE_TEST_ROUNDS").ok().map(|n| n.parse().unwrap());
    let rounds = requested.unwrap_or(ROUNDS);
    let modes: [(&[&str], usize); 4] =
        [(&["-j1"], 1), (&["-j4"], 4), (&["-j1", "--no-o-tmpfile"], 1), (&["-j1", "--backup"], 1)];
    let has_unnamed_files = has_unnamed_files(create_directory().path());
    let contents = FileContents::new();
    let begin = Instant::now();
    let (mut killed, mut halfway, mut longest) = (0, 0, [Duration::from_millis(50); 4]);
    for round in 0..rounds {
        let mode = round as usize % modes.len();
        let (options, jobs) = modes[mode];
        let directory = create_directory();
        write_files(directory.path(), &contents);
        let start = Instant::now();
        let mut child = command(directory.path(), options).spawn().unwrap();
        // The golden ratio spreads the moments evenly, however many there are.
        let part = (f64::from(round / 4) * 0.618_033_988_75).fract();
        sleep(longest[mode].mul_f64(part));
        child.kill().unwrap();
        let status = child.wait().unwrap();
        match status.signal() {
            Some(_) => killed += 1,
            // It was faster than it has been.
            None => longest[mode] = start.elapsed().min(longest[mode]),
        }
        let has_backups = options.contains(&"--backup");
        let (converted, left) = check_directory(directory.path(), &contents, has_backups);
        let most = if has_unnamed_files { 1 } else { jobs + usize::from(has_backups) };
        assert!(left <= most, "{left} left over with {options:?}");
        halfway += usize::from((1..FILES).contains(&converted));
        longest[mode] = if status.signal().is_some() && converted == 0 && part > 0.5 {
            longest[mode].mul_f64(1.5)
        } else {
            longest[mode]
        };
        if round % 20 == 0 {
            next_run_completes_after_a_crash(directory.path(), &contents, options);
        }
        let is_enough = killed >= 10 && halfway >= 5;
        if is_enough && requested.is_none() && begin.elapsed() > TIME_LIMIT {
            println!("{round} rounds (out of time)");
            break;
        }
    }
    println!("{killed} killed, {halfway} of them halfway");
    assert!(killed >= 10 && halfway >= 5, "{killed} killed, {halfway} of them halfway");
}

/// Converted files are rejected; the rest is converted.
fn next_run_completes_after_a_crash(directory: &Path, contents: &FileContents, options: &[&str]) {
    command(directory, options).status().unwrap();
    assert_eq!(check_directory(directory, contents, false).0, FILES);
}
