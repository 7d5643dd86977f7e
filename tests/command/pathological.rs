//! Pathological inputs take little memory and few messages.
//!
//! Each input repeats a few bytes far beyond what the command may hold in memory. How fast that goes
//! is measured by `benches/pathological`; here nothing is timed.

mod inputs;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use charpipe_test_support::{sample_stride, watch};
use tempfile::TempDir;

use inputs::{CHECKED, CONVERTED, PathologicalInput};

/// The command with no more address space than this, in KiB: what is in use cannot be more. Half
/// of it is the program itself and its libraries.
const LIMIT_MEMORY: &str = "ulimit -v 32768; exec \"$@\"";

/// Returns whether `CHARPIPE_TEST_LARGE=1` requests inputs of a gigabyte and a million files, which take tens of minutes.
fn is_large() -> bool {
    std::env::var_os("CHARPIPE_TEST_LARGE").is_some_and(|value| value == "1")
}

/// Bytes of input, more than fits beside the program.
fn input_size() -> usize {
    if is_large() { 1 << 30 } else { 17 << 20 }
}

/// One of this number of inputs is a sample. `CHARPIPE_TEST_EXHAUSTIVE=1` sends all.
const SAMPLE_STRIDE: usize = 4;

/// Bytes in a line of the standard error.
const MAX_LINE_LEN: usize = 400;

/// Lines about an input: ten errors, the one that ends the run, and the total.
const MAX_LINES: usize = 12;

impl PathologicalInput {
    fn command(&self) -> Command {
        let mut command = watch::command("sh");
        command.args(["-c", LIMIT_MEMORY, "sh", env!("CARGO_BIN_EXE_charpipe")]).args(self.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it, and gives each piece of the output to `look`.
    fn run(&self, mut look: impl FnMut(&[u8])) -> (i32, String) {
        let mut child = self.command().spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        let mut errors = child.stderr.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        let messages = thread::scope(|scope| {
            scope.spawn(move || {
                let block = self.unit.repeat((1 << 20) / self.unit.len());
                let mut sent = input.write_all(self.prefix).map(|()| self.prefix.len());
                // A program that has enough may stop reading.
                while let Ok(bytes) = sent
                    && bytes < input_size()
                {
                    sent = input.write_all(&block).map(|()| bytes + block.len());
                }
            });
            let messages = scope.spawn(move || {
                let mut messages = String::new();
                errors.read_to_string(&mut messages).unwrap();
                messages
            });
            let mut block = vec![0; 1 << 16];
            loop {
                match output.read(&mut block).unwrap() {
                    0 => break,
                    count => look(&block[..count]),
                }
            }
            messages.join().unwrap()
        });
        (child.wait().unwrap().code().unwrap_or(-1), messages)
    }

    fn expect(&self, code: i32, messages: &str) {
        let name = self.name;
        assert_eq!(code, self.exit_code, "{name}: {messages}");
        assert!(messages.lines().count() <= MAX_LINES, "{name}: {messages}");
        assert!(messages.lines().all(|line| line.len() < MAX_LINE_LEN), "{name}: {messages}");
    }
}

/// Whether what comes in pieces is UTF-8.
#[derive(Default)]
struct Utf8Checker {
    /// The beginning of a character.
    incomplete: Vec<u8>,
    bytes: usize,
}

impl Utf8Checker {
    fn push(&mut self, bytes: &[u8], name: &str) {
        self.bytes += bytes.len();
        let text = [&std::mem::take(&mut self.incomplete)[..], bytes].concat();
        if let Err(error) = std::str::from_utf8(&text) {
            assert!(error.error_len().is_none(), "{name}: {error}");
            self.incomplete = text[error.valid_up_to()..].to_vec();
        }
    }
}

fn halves<T>(all: &[T]) -> [&[T]; 2] {
    let (one, other) = all.split_at(all.len() / 2);
    [one, other]
}

fn convert(cases: &[PathologicalInput]) {
    for case in cases.iter().step_by(sample_stride(SAMPLE_STRIDE)) {
        let mut utf8 = Utf8Checker::default();
        let (code, messages) = case.run(|bytes| utf8.push(bytes, case.name));
        case.expect(code, &messages);
        assert!(utf8.incomplete.is_empty(), "{}: ends inside a character", case.name);
        assert_eq!(utf8.bytes > 0, case.writes_output, "{}: {} bytes", case.name, utf8.bytes);
    }
}

#[test]
fn pathological_input_is_converted_in_bounded_memory() {
    convert(halves(CONVERTED)[0]);
}

#[test]
fn more_pathological_input_is_converted_in_bounded_memory() {
    convert(halves(CONVERTED)[1]);
}

#[test]
fn pathological_input_is_inspected_in_bounded_memory() {
    for case in CHECKED.iter().step_by(sample_stride(SAMPLE_STRIDE)) {
        let (code, messages) = case.run(|_| {});
        case.expect(code, &messages);
    }
}

#[test]
fn stop_reads_no_further_than_the_first_error() {
    let case = PathologicalInput { args: &["-f", "utf-8"], ..CONVERTED[0] };
    let mut written = 0;
    let (code, messages) = case.run(|bytes| written += bytes.len());
    assert_eq!((code, written, messages.lines().count()), (1, 0, 1), "{messages}");
}

/// Runs the command with a tree in this much memory. Returns its exit code and messages.
fn run_in_tree(tree: &Path, words: &[&str]) -> (i32, String) {
    let mut command = watch::command("sh");
    command.args(["-c", LIMIT_MEMORY, "sh", env!("CARGO_BIN_EXE_charpipe")]).args(words);
    let output = command.current_dir(tree).stdin(Stdio::null()).output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap_or(-1), messages)
}

const WALK_ARGS: [&[&str]; 2] =
    [&["check", "-r", "."], &["-i", "-n", "-j1", "-f", "utf-8", "-r", "."]];

/// A tree in memory if there is space for one: this is not about disks.
fn create_tree() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

#[test]
fn gitignore_of_120_000_patterns_is_read_in_bounded_memory() {
    let tree = create_tree();
    let rules: String = (1..=120_000).map(|number| format!("*{number}*\n")).collect();
    fs::write(tree.path().join(".gitignore"), rules).unwrap();
    for name in ["a", "b", "12"] {
        fs::write(tree.path().join(name), "x\n").unwrap();
    }
    for words in WALK_ARGS {
        let (code, messages) = run_in_tree(tree.path(), words);
        assert_eq!(code, 0, "{words:?}: {messages}");
        assert!(
            messages.is_empty() || messages.ends_with(" 2 unchanged, 0 skipped, 0 failed\n"),
            "{messages}"
        );
    }
}

/// Each file with rules is as long as it may be, and each directory has one.
#[test]
fn files_with_rules_are_read_in_bounded_memory() {
    let attributes = "abcdefgh eol=lf\n".repeat(65_000);
    let macros = "[attr]a a\n".repeat(100_000);
    let sections = "[a]\ncharset=utf-8\n".repeat(3600);
    let forks = format!("[{}]\ncharset=utf-8\n", "{a,b}".repeat(200)).repeat(64);
    for (name, text) in [
        (".gitattributes", &attributes),
        (".gitattributes", &macros),
        (".editorconfig", &sections),
        (".editorconfig", &forks),
    ] {
        let tree = create_tree();
        let mut directory = tree.path().to_owned();
        for _ in 0..40 {
            // Each is the root of a repository, too.
            fs::create_dir(directory.join(".git")).unwrap();
            fs::write(directory.join(name), text).unwrap();
            fs::write(directory.join("a"), "x\n").unwrap();
            directory.push("d");
            fs::create_dir(&directory).unwrap();
        }
        let (code, messages) = run_in_tree(tree.path(), &["check", "--editorconfig", "."]);
        assert_eq!(code, 2, "{name}: {messages}");
        let expected = "the rules of a directory and its parents exceed 4 MiB";
        let is_expected = |line: &str| line.ends_with(expected) || line.ends_with("too long");
        assert!(messages.contains(expected), "{name}: {messages}");
        assert!(messages.lines().all(is_expected), "{name}: {messages}");
    }
}

#[test]
fn directory_of_any_size_is_walked_in_bounded_memory() {
    let tree = create_tree();
    let count = if is_large() { 1_000_000 } else { 60_000 };
    // 15 MB of names.
    for number in 0..count {
        fs::File::create(tree.path().join(format!("{}{number}", "x".repeat(240)))).unwrap();
    }
    for words in WALK_ARGS {
        let (code, messages) = run_in_tree(tree.path(), words);
        assert_eq!(code, 0, "{words:?}: {messages}");
        let whole = messages.is_empty() || messages.contains(&format!(" {count} unchanged,"));
        assert!(whole, "{words:?}: {messages}");
    }
}

/// The limit of memory in use by several threads, in KiB. Their stacks take more address space.
#[cfg(target_os = "linux")]
const MAX_PEAK_MEMORY: u64 = 32 * 1024;

/// Converts a file and returns the maximum of the memory that was in use, in KiB.
#[cfg(target_os = "linux")]
fn peak_memory(words: &[&str], path: &Path) -> u64 {
    let mut command = watch::command(env!("CARGO_BIN_EXE_charpipe"));
    command.args(words).arg(path).stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut output = child.stdout.take().unwrap();
    let (mut block, mut peak, mut read) = (vec![0; 1 << 16], 0, 0);
    while let count @ 1.. = output.read(&mut block).unwrap() {
        read += count;
        // The process may end after its last output.
        let status = fs::read_to_string(&status).unwrap_or_default();
        let field = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak = peak
            .max(field.map_or(0, |size| size.split_whitespace().next().unwrap().parse().unwrap()));
    }
    assert!(read > 1 << 20, "{words:?}: {read} bytes");
    child.wait().unwrap();
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_depend_on_the_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let invalid = directory.path().join("invalid");
    fs::write(&invalid, b"\xFF\xFE\xFD\n".repeat(1 << 20)).unwrap();
    let findings = directory.path().join("findings");
    fs::write(&findings, b"abcdefg\xFF\n".repeat(1 << 19)).unwrap();
    let text = directory.path().join("text");
    fs::write(&text, "Grüße €\n".repeat(3 << 17)).unwrap();
    let action = format!("replace={}", "x".repeat(200));
    for (words, path) in [
        (&["-q", "--on-error", &action][..], &invalid),
        (&["check", "--max-findings=all"], &findings),
        (&["-t", "utf-32le"], &text),
        (&["-t", "ascii", "--on-error", "xml"], &text),
        (&["--via", "nfc,html,latin1/base64", "-c"], &text),
    ] {
        let peak = peak_memory(&[words, &["-j32"]].concat(), path);
        assert!((1..=MAX_PEAK_MEMORY).contains(&peak), "{words:?}: {peak} KiB");
    }
}

#[test]
fn chain_of_40_000_steps_is_rejected_in_bounded_memory() {
    let label = format!("utf-8{}", "/lf".repeat(40_000));
    let (code, messages) = run_in_tree(Path::new("."), &["-t", &label]);
    assert_eq!(code, 2, "{messages}");
    assert!(messages.contains("at most 32 steps"), "{messages}");
}
