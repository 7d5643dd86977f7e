//! A scenario: a command line, its files, and the result.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::fault_injection::strace;

/// A command line with its surroundings.
pub struct Scenario {
    pub name: &'static str,
    pub args: &'static [&'static str],
    /// Whether the standard streams are pipes; else they are files.
    pub reads_stdin: bool,
    /// The exit code of an undisturbed run.
    pub exit_code: i32,
}

const fn scenario(name: &'static str, words: &'static [&'static str], code: i32) -> Scenario {
    Scenario { name, args: words, reads_stdin: false, exit_code: code }
}

/// The scenarios, all with the same files.
pub const SCENARIOS: &[Scenario] = &[
    scenario("file to stdout", &["-f", "latin1", "text"], 0),
    Scenario { name: "pipe to pipe", args: &["-f", "latin1"], reads_stdin: true, exit_code: 0 },
    scenario("errors", &["-t", "us-ascii", "--on-error", "replace", "tree/invalid", "text"], 1),
    scenario("new file", &["-f", "latin1", "-o", "fresh", "text"], 0),
    scenario("old file", &["-f", "latin1", "-o", "old", "text"], 0),
    scenario(
        "old file with a named temporary file",
        &["--no-o-tmpfile", "-f", "latin1", "-o", "old", "text"],
        0,
    ),
    scenario("check", &["check", "-r", "tree", "text"], 1),
    scenario("check in sarif", &["check", "--format", "sarif", "tree/invalid"], 1),
    scenario("detect", &["detect", "text", "tree/a"], 0),
    scenario("in place", &["-i", "-f", "latin1", "text"], 0),
    scenario("in place, a long file", &["-i", "-f", "latin1", "long"], 0),
    scenario(
        "in place, a long file in a named temporary file",
        &["--no-o-tmpfile", "-i", "-f", "latin1", "long"],
        0,
    ),
    scenario("in place, a tree", &["-i", "-f", "latin1", "-j1", "-r", "tree"], 0),
    scenario("in place, with threads", &["-i", "-f", "latin1", "-j2", "-r", "tree"], 0),
    scenario("in place, backups", &["-i", "-f", "latin1", "-j1", "--backup", "text", "tree/a"], 0),
    scenario(
        "output directory",
        &["--output-dir", "out/new", "-f", "latin1", "-j1", "-r", "tree"],
        0,
    ),
    scenario("suffix", &["--suffix", "~", "-k", "-f", "latin1", "-j1", "text", "tree/ascii"], 0),
    scenario("list", &["list", "--json"], 0),
    scenario("help", &["--help"], 0),
];

/// More than a block of a small file, so that there is more than one read and write.
const LINES: usize = 300;

/// The result of a run.
pub struct RunResult {
    /// None if it did not end.
    pub exit_code: Option<i32>,
    pub output: Vec<u8>,
    pub messages: String,
    pub files: FileContents,
    /// Whether the disturbance has happened.
    pub disturbed: bool,
}

/// Files by their path within the directory.
pub type FileContents = BTreeMap<PathBuf, Vec<u8>>;

/// The files before the run.
pub fn initial_files() -> FileContents {
    let text = b"caf\xE9 a\xF1o\n".repeat(LINES);
    // Its new content is not kept in memory.
    let long = [0xE9; 33_000];
    let files: [(&str, &[u8]); 11] = [
        ("text", &text),
        ("long", &long),
        ("old", b"as it was\n"),
        ("tree/a", b"\xE9t\xE9\n"),
        ("tree/invalid", b"caf\xE9 \xFF\n"),
        ("tree/below/b", b"\xC5ngstr\xF6m\n"),
        ("tree/ascii", b"plain\n"),
        // Would be converted if a rule could not be read unnoticed.
        ("tree/.gitignore", b"ignored\n"),
        ("tree/ignored", b"\xE9t\xE9\n"),
        ("tree/below/.git/info/exclude", b"excluded\n"),
        ("tree/below/excluded", b"\xE9t\xE9\n"),
    ];
    files.into_iter().map(|(name, content)| (name.into(), content.to_vec())).collect()
}

/// A directory in memory if there is one: this is about calls and not about disks.
pub fn create_directory() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

pub fn write_files(directory: &Path, files: &FileContents) {
    for (name, content) in files {
        let path = directory.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
}

/// All files in a directory and below it.
pub fn files(directory: &Path) -> FileContents {
    let mut found = FileContents::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let name = path.strip_prefix(directory).unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// An exit code, or the number of a signal with a minus before it.
fn number(status: ExitStatus) -> i32 {
    status.code().unwrap_or_else(|| -status.signal().unwrap_or(0))
}

impl Scenario {
    /// An undisturbed run, and its calls.
    pub fn run_undisturbed(&self) -> (RunResult, strace::Calls) {
        let mut calls = strace::Calls::new();
        let ending = self.run(strace::counting, |log| calls = strace::calls(log));
        (ending, calls)
    }

    /// A run in which this happens.
    pub fn run_disturbed(&self, inject: &str) -> RunResult {
        self.run(|log| strace::with_injection(log, inject), |_| {})
    }

    fn run(&self, command: impl FnOnce(&Path) -> Command, look: impl FnOnce(&Path)) -> RunResult {
        let (stage, wings) = (create_directory(), create_directory());
        let before = initial_files();
        write_files(stage.path(), &before);
        let [log, output, messages] =
            ["log", "output", "messages"].map(|name| wings.path().join(name));
        let mut command = command(&log);
        command.current_dir(&stage).args(self.args);
        let messages_file = File::create(&messages).unwrap();
        let (code, output) = if self.reads_stdin {
            let (input, mut feed) = std::io::pipe().unwrap();
            let (mut drain, to) = std::io::pipe().unwrap();
            // Both fit into a pipe, so no process waits for us.
            feed.write_all(&before[Path::new("text")]).unwrap();
            drop(feed);
            let to = File::from(std::os::fd::OwnedFd::from(to));
            let code = strace::finish(command, Stdio::from(input), to, messages_file);
            let mut output = Vec::new();
            drain.read_to_end(&mut output).unwrap();
            (code, output)
        } else {
            let to = File::create(&output).unwrap();
            let code = strace::finish(command, Stdio::null(), to, messages_file);
            (code, fs::read(&output).unwrap())
        };
        look(&log);
        let log = fs::read_to_string(&log).unwrap();
        let messages = String::from_utf8_lossy(&fs::read(&messages).unwrap()).into_owned();
        // As part of `.ci/run coverage` the process also reports that it cannot write what it has run.
        let ours = messages.split_inclusive('\n').filter(|line| !line.starts_with("LLVM Profile "));
        RunResult {
            exit_code: code.map(number),
            output,
            messages: ours.collect(),
            files: files(stage.path()),
            disturbed: log.contains("(INJECTED)"),
        }
    }
}
