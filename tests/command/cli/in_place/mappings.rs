//! Another process that stores into the file through a shared mapping.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use super::concurrency::{delayed, strace};
use super::read;
use crate::cli::command::{at_once, names};
use charpipe_test_support::{missing, watch};

/// Maps the file that is named, and stores into it once, so that the page can be written from then
/// on without the file system noticing; and again for each line of the standard input, the byte Z.
const MAPPER: &str = "
import mmap, sys
with open(sys.argv[1], 'r+b') as file:
    view = mmap.mmap(file.fileno(), 0)
view[0] = view[0]
print('mapped', flush=True)
for line in sys.stdin:
    view[0] = ord('Z')
    print('stored', flush=True)
";

/// A process that has mapped a file.
struct Mapper {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
}

impl Mapper {
    /// `None` if Python is not installed.
    fn start(path: &Path) -> Option<Mapper> {
        let mut command = watch::command("python3");
        command.args(["-c", MAPPER]).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            missing("python3");
            return None;
        };
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut mapper = Mapper { child, output };
        mapper.expect("mapped\n");
        Some(mapper)
    }

    fn store(&mut self) {
        self.child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        self.expect("stored\n");
    }

    fn expect(&mut self, expected: &str) {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert_eq!(line, expected);
    }
}

impl Drop for Mapper {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Directories on the file systems of this machine: in memory, where stores never change times,
/// and on the disk.
fn directories() -> Vec<TempDir> {
    let in_memory = tempfile::tempdir_in("/dev/shm").ok();
    in_memory.into_iter().chain([TempDir::new().unwrap()]).collect()
}

fn assert_refused(run: Child, directory: &Path, old: &[u8]) {
    let output = run.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stderr).unwrap();
    let expected = "charpipe: a: cannot be written: changed by another process\n";
    assert!(printed.starts_with(expected), "{printed}");
    assert_eq!(output.status.code(), Some(2));
    let now = read(directory, "a");
    assert!(now[0] == b'Z' && now[1..] == old[1..]);
    assert_eq!(names(directory), ["a"]);
}

pub fn a_store_through_a_mapping_during_the_conversion_is_kept() {
    // A small file, and one that is read in several blocks.
    at_once([10, 200_000], |size| {
        at_once(directories(), |directory| {
            let old = vec![0xE9; size];
            let path = directory.path().join("a");
            fs::write(&path, &old).unwrap();
            let Some(mut mapper) = Mapper::start(&path) else { return };
            // The second sync of a large file is that of its new content.
            let call = if size > 65_536 { 2 } else { 1 };
            let words = ["-i", "-f", "latin1", "a"];
            let Some(run) = delayed(directory.path(), &words, call) else { return };
            mapper.store();
            assert_refused(run, directory.path(), &old);
        });
    });
}

pub fn a_store_just_before_the_rename_is_kept_where_mappings_are_synced() {
    // Not in memory: nothing there is ever synced.
    let directory = TempDir::new().unwrap();
    let (path, old) = (directory.path().join("a"), vec![0xE9; 200_000]);
    let words = ["-i", "-f", "latin1", "-j1", "--backup", "a"];
    fs::write(&path, &old).unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let options = ["-o", log.path().to_str().unwrap(), "-e", "trace=pread64"];
    let Some(mut command) = strace(directory.path(), &options, &words) else { return };
    assert!(command.output().unwrap().status.success());
    let log = fs::read_to_string(log.path()).unwrap();
    let reads = log.lines().filter(|line| line.contains("pread64(")).count();
    fs::remove_file(directory.path().join("a~")).unwrap();
    // The last read is the end of the file, when its content is read again before the rename.
    fs::write(&path, &old).unwrap();
    let Some(mut mapper) = Mapper::start(&path) else { return };
    let inject = format!("inject=pread64:delay_exit=3000000:when={reads}");
    let options = ["-e", "trace=pread64", "-e", &inject];
    let run = strace(directory.path(), &options, &words).unwrap().spawn().unwrap();
    let begin = Instant::now();
    while !directory.path().join("a~").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the backup is never made");
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(500));
    mapper.store();
    assert_refused(run, directory.path(), &old);
}
