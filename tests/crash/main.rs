//! Killed at any moment, every file is the old one or the new one, whole.
//!
//! Twice: at moments, and in `calls.rs` at every system call. In `power_loss.rs` it is the power that
//! goes.
//!
//! Some hundred runs over many files are killed with SIGKILL, which nothing can catch, at moments
//! spread over the time that a run takes. CHARPIPE_TEST_ROUNDS sets how many.

mod calls;
mod power_loss;
#[path = "../injection/strace.rs"]
mod strace;
#[path = "../watch/mod.rs"]
mod watch;

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_charpipe");
const FILES: usize = 30;
const ROUNDS: u32 = 300;
/// No more rounds are begun after this.
const TIME: Duration = Duration::from_secs(15);

/// The content of each file before and after.
struct Contents {
    old: Vec<Vec<u8>>,
    new: Vec<Vec<u8>>,
}

impl Contents {
    fn new() -> Contents {
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
        Contents { old, new }
    }
}

/// A folder in memory if there is one: what is killed is the process and not the disk, and this is
/// faster.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

fn fill(folder: &Path, contents: &Contents) {
    for (number, old) in contents.old.iter().enumerate() {
        fs::write(folder.join(number.to_string()), old).unwrap();
    }
}

fn command(folder: &Path, options: &[&str]) -> Command {
    let mut command = watch::command(PROGRAM);
    command.current_dir(folder).args(["-i", "-f", "latin1", "-r", "."]).args(options);
    command.stderr(Stdio::null());
    command
}

/// How a kill has left a folder: how many files are new, how many are left over.
fn inspect(folder: &Path, contents: &Contents, backups: bool) -> (usize, usize) {
    let mut converted = 0;
    for number in 0..FILES {
        let content = fs::read(folder.join(number.to_string())).expect("the file is there");
        let is_new = content == contents.new[number];
        assert!(is_new || content == contents.old[number], "{number} is neither");
        converted += usize::from(is_new);
        if backups {
            let backup = fs::read(folder.join(format!("{number}~"))).ok();
            assert!(backup.is_some() || !is_new, "{number} has no backup");
            assert!(
                backup.is_none_or(|backup| backup == contents.old[number]),
                "{number}~ is not whole"
            );
        }
    }
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let hidden = entries.filter(|name| name.as_encoded_bytes().starts_with(b".")).count();
    (converted, hidden)
}

#[test]
fn a_kill_at_any_moment_leaves_each_file_old_or_new_and_at_most_one_left_over() {
    let rounds = std::env::var("CHARPIPE_TEST_ROUNDS").map_or(ROUNDS, |n| n.parse().unwrap());
    let modes: [(&[&str], usize); 4] =
        [(&["-j1"], 1), (&["-j4"], 1), (&["-j1", "--always-named"], 1), (&["-j1", "--backup"], 1)];
    let contents = Contents::new();
    let begin = Instant::now();
    let (mut killed, mut halfway, mut longest) = (0, 0, [Duration::from_millis(50); 4]);
    for round in 0..rounds {
        let mode = round as usize % modes.len();
        let (options, most) = modes[mode];
        let folder = folder();
        fill(folder.path(), &contents);
        let start = Instant::now();
        let mut child = command(folder.path(), options).spawn().unwrap();
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
        let (converted, left) = inspect(folder.path(), &contents, options.contains(&"--backup"));
        assert!(left <= most, "{left} left over with {options:?}");
        halfway += usize::from((1..FILES).contains(&converted));
        longest[mode] = if status.signal().is_some() && converted == 0 && part > 0.5 {
            longest[mode].mul_f64(1.5)
        } else {
            longest[mode]
        };
        if round % 20 == 0 {
            after_a_crash_the_next_run_does_the_rest(folder.path(), &contents, options);
        }
        if begin.elapsed() > TIME {
            println!("{round} rounds for want of time");
            break;
        }
    }
    println!("{killed} killed, {halfway} of them halfway");
    assert!(killed >= 10 && halfway >= 5, "{killed} killed, {halfway} of them halfway");
}

/// What is converted already is refused; the rest is converted.
fn after_a_crash_the_next_run_does_the_rest(folder: &Path, contents: &Contents, options: &[&str]) {
    command(folder, options).status().unwrap();
    assert_eq!(inspect(folder, contents, false).0, FILES);
}
