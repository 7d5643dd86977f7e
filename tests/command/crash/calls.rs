//! Killed at any system call, every file is the old one or the new one, and the next run goes on.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use crate::crash::create_directory;
use crate::crash::power_loss::fixtures::{LONG_FILE, LONG_TEXT};
use crate::fault_injection::strace;
use charpipe_test_support::{sample_stride, watch};

const MODE_ARGS: &[&[&str]] = &[
    &["-i", "-j1", "one"],
    &["-i", "-j1", "one", "long"],
    &["-i", "-j1", "--no-o-tmpfile", "one", "long"],
    &["-i", "-j1", "--backup", "one", "two"],
    &["-i", "-j1", "--keep-mtime", "-r", "."],
    &["-i", "-j2", "-r", "."],
    &["--output-dir", "out", "-j1", "-r", "."],
    &["--output-dir", "out", "-j1", "--no-o-tmpfile", "one", "long"],
];

/// Files, each before and after.
const FILES: [(&str, &[u8], &str); 4] = [
    ("one", b"caf\xE9\n", "café\n"),
    ("two", b"\xE9\n", "é\n"),
    ("below/three", b"\xC5\n", "Å\n"),
    ("long", LONG_FILE, LONG_TEXT),
];

/// Beginnings of the names of calls that change what is in a directory or on a disk. Between two of them the files are the
/// same.
const CHANGES: [&str; 14] = [
    "openat",
    "rename",
    "link",
    "unlink",
    "mkdir",
    "write",
    "pwrite",
    "copy_file",
    "sendfile",
    "ftruncate",
    "fsync",
    "fdatasync",
    "fch",
    "utimens",
];

/// One of this number of the other calls of each name is tried by default, and all with `CHARPIPE_TEST_EXHAUSTIVE=1`.
const SAMPLE_STRIDE: usize = 37;

/// The end of a process at one call.
struct KillCase {
    mode: usize,
    call: String,
    number: usize,
}

#[test]
fn kill_at_any_system_call_leaves_files_intact() {
    if !strace::is_permitted() {
        return;
    }
    let cases: Vec<KillCase> = (0..MODE_ARGS.len()).flat_map(kill_cases).collect();
    let (next, killed, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(vec![]));
    let workers = std::thread::available_parallelism().map_or(2, Into::into);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                    match case.kill_and_check() {
                        Ok(was_killed) => killed.fetch_add(usize::from(was_killed), Relaxed),
                        Err(what) => {
                            let KillCase { mode, call, number } = case;
                            let mode = MODE_ARGS[*mode];
                            wrong
                                .lock()
                                .unwrap()
                                .push(format!("{mode:?}: {call} #{number}: {what}"));
                            continue;
                        }
                    };
                }
            });
        }
    });
    let (killed, wrong) = (killed.into_inner(), wrong.into_inner().unwrap());
    println!("{} runs, {killed} of them killed", cases.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert!(killed * 10 >= cases.len() * 9, "{killed} of {} were killed", cases.len());
}

/// The calls that an undisturbed run makes: all that change files, and a sample of the others.
fn kill_cases(mode: usize) -> Vec<KillCase> {
    let (stage, wings) = (create_stage(), create_directory());
    let log = wings.path().join("log");
    let (code, _) = run(strace::counting(&log), stage.path(), MODE_ARGS[mode]);
    assert_eq!(code, Some(0), "{:?}", MODE_ARGS[mode]);
    let calls = strace::calls(&log);
    let numbers = |(call, (first, last)): (String, (usize, usize))| {
        let changes = CHANGES.iter().any(|name| call.starts_with(name));
        let stride = if changes { 1 } else { sample_stride(SAMPLE_STRIDE) };
        let skip = mode % stride.min(last + 1 - first);
        let numbers = (first..=last).skip(skip).step_by(stride);
        numbers.map(move |number| KillCase { mode, call: call.clone(), number })
    };
    calls.into_iter().flat_map(numbers).collect()
}

fn create_stage() -> tempfile::TempDir {
    let stage = create_directory();
    fs::create_dir(stage.path().join("below")).unwrap();
    for (name, old, _) in FILES {
        fs::write(stage.path().join(name), old).unwrap();
    }
    stage
}

/// The exit code, and whether it was killed.
fn run(mut command: Command, stage: &Path, words: &[&str]) -> (Option<i32>, bool) {
    command.current_dir(stage).args(["-f", "latin1"]).args(words);
    let null = || File::options().write(true).open("/dev/null").unwrap();
    let status = strace::finish(command, Stdio::null(), null(), null()).expect("it ends");
    (status.code(), status.signal() == Some(9))
}

impl KillCase {
    /// Whether the process was killed, or what is wrong with what it has left.
    fn kill_and_check(&self) -> Result<bool, String> {
        let (stage, wings) = (create_stage(), create_directory());
        let words = MODE_ARGS[self.mode];
        let inject = format!("{}:signal=KILL:when={}", self.call, self.number);
        let command = strace::with_injection(&wings.path().join("log"), &inject);
        let (_, killed) = run(command, stage.path(), words);
        check_files(stage.path(), words, false)?;
        let (code, _) = run(watch::command(strace::PROGRAM), stage.path(), words);
        // Converted files are rejected.
        if !matches!(code, Some(0 | 1)) {
            return Err(format!("the next run ends with {code:?}"));
        }
        check_files(stage.path(), words, true)?;
        Ok(killed)
    }
}

fn check_files(stage: &Path, words: &[&str], all: bool) -> Result<(), String> {
    let mut left = file_contents(stage);
    for (name, old, new) in FILES {
        let content = left.remove(name).ok_or_else(|| format!("{name} is gone"))?;
        if words.contains(&"--output-dir") {
            let output = left.remove(&format!("out/{name}"));
            let is_new = output.as_deref().is_some_and(|output| output == new.as_bytes());
            let is_meant = words.contains(&name) || words.contains(&"-r");
            if content != old || !is_new && (output.is_some() || all && is_meant) {
                return Err(format!("{name} or its output is neither old nor new"));
            }
            continue;
        }
        let is_new = content == new.as_bytes();
        let is_meant = words.contains(&name) || words.contains(&"-r");
        if !is_new && (content != old || all && is_meant) {
            return Err(format!("{name} is neither old nor new"));
        }
        let backup = left.remove(&format!("{name}~"));
        let is_whole = backup.as_ref().is_none_or(|backup| backup == old);
        if !is_whole || words.contains(&"--backup") && is_new && backup.is_none() {
            return Err(format!("the backup of {name} is {backup:?}"));
        }
    }
    let ours = left.keys().all(|name| name.contains(".charpipe-"));
    // Of the two threads each may be at its rename, but the names are given one at a time.
    if left.len() > 1 || !ours {
        return Err(format!("left over: {:?}", left.keys()));
    }
    Ok(())
}

/// The content of every file by its path.
fn file_contents(stage: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for prefix in ["", "below/", "out/", "out/below/"] {
        let Ok(entries) = fs::read_dir(stage.join(prefix)) else { continue };
        for entry in entries {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            if entry.path().is_file() {
                found.insert(name, fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}
