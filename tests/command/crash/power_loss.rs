//! Whenever the power goes, every file is the old one or the new one, and after a run that says so the
//! new one.
//!
//! The calls of a run are played on a model of a disk that loses what was not synced, which `disk.rs`
//! describes. After each of them everything that may be found is held against what is promised.
//! `mistakes.rs` shows that the model finds what can go wrong.

mod disk_model;
mod durability;
pub mod fixtures;
mod invariants;
mod self_test;
mod strace_log;
mod syscall_effects;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use disk_model::{FileImage, FileTree};
use fixtures::{FILE_CASES, FileCase};
use invariants::{BackupInvariant, CrashMoment, FileInvariant, check_invariants};
use syscall_effects::DescriptorTable;

use crate::crash::create_directory;
use crate::fault_injection::strace;
use charpipe_test_support::watch;

/// A run.
struct PowerLossCase {
    args: &'static [&'static str],
    /// Files that are converted.
    converted: &'static [&'static str],
    /// System calls that fail, as `strace` arguments.
    failing_calls: Option<&'static str>,
    exit_code: i32,
}

const fn case(words: &'static [&'static str], new: &'static [&'static str]) -> PowerLossCase {
    PowerLossCase { args: words, converted: new, failing_calls: None, exit_code: 0 }
}

/// A file system without hard links.
const NO_LINKS: Option<&str> = Some("linkat:error=EPERM");
/// A directory that cannot be synced.
const NO_SYNC: Option<&str> = Some("fsync:error=EINVAL:when=2");

const CASES: &[PowerLossCase] = &[
    case(&["-i", "one"], &["one"]),
    case(&["-i", "--buffer-size", "1", "one"], &["one"]),
    case(&["-i", "long"], &["long"]),
    case(&["-i", "--no-o-tmpfile", "long"], &["long"]),
    case(&["-i", "--keep-mtime", "one"], &["one"]),
    case(&["-i", "--keep-mtime", "long"], &["long"]),
    case(&["-i", "--backup", "one"], &["one"]),
    case(&["-i", "--backup", "long"], &["long"]),
    case(&["-i", "--backup", "--no-o-tmpfile", "long"], &["long"]),
    // An older backup is in the way, and gives way.
    case(&["-i", "--backup", "--force", "two"], &["two"]),
    case(&["-i", "link"], &["below/three"]),
    case(&["-i", "--backup", "link"], &["below/three"]),
    case(&["-i", "--break-hard-links", "left"], &["left"]),
    case(&["-i", "-j1", "one", "two"], &["one", "two"]),
    PowerLossCase {
        exit_code: 2,
        ..case(&["-i", "-j1", "one", "link", "left", "plain"], &["one", "below/three"])
    },
    case(&["-i", "plain"], &[]),
    PowerLossCase { exit_code: 1, ..case(&["-i", "invalid"], &[]) },
    PowerLossCase {
        exit_code: 1,
        ..case(&["-i", "--no-o-tmpfile", "-j1", "invalid", "long"], &["long"])
    },
    PowerLossCase { exit_code: 2, ..case(&["-i", "--backup", "two"], &[]) },
    case(&["--output-dir", "fresh", "one"], &["fresh/one"]),
    case(&["--output-dir", "fresh/deep", "--no-o-tmpfile", "long"], &["fresh/deep/long"]),
    case(&["--output-dir", "fresh", "long"], &["fresh/long"]),
    case(&["--output-dir", "fresh", "-j1", "-r", "below"], &["fresh/three"]),
    case(
        &["--output-dir", "fresh", "-j1", "-r", "--glob", "three", "--glob", "plain", "."],
        &["fresh/below/three", "fresh/plain"],
    ),
    case(&["--output-dir", "below", "two"], &["below/two"]),
    case(&["--suffix", ".new", "one"], &["one.new"]),
    // An older output is replaced.
    case(&["--suffix", "~", "two"], &["two~"]),
    PowerLossCase {
        exit_code: 1,
        ..case(&["--output-dir", "fresh", "-j1", "invalid", "one"], &["fresh/one"])
    },
    case(&["--output-dir", "fresh", "plain"], &["fresh/plain"]),
    case(&["-o", "fresh", "one"], &["fresh"]),
    case(&["-o", "below/fresh", "--no-o-tmpfile", "one"], &["below/fresh"]),
    case(&["-o", "two", "one"], &["two"]),
    case(&["-o", "two", "--no-o-tmpfile", "one"], &["two"]),
    case(&["-o", "link", "one"], &["below/three"]),
    PowerLossCase { exit_code: 1, ..case(&["-o", "two", "one", "invalid"], &[]) },
    PowerLossCase {
        failing_calls: NO_LINKS,
        ..case(&["-i", "--keep-mtime", "--no-o-tmpfile", "--backup", "long"], &["long"])
    },
    PowerLossCase {
        failing_calls: NO_LINKS,
        ..case(&["-i", "--keep-mtime", "--backup", "one"], &["one"])
    },
    PowerLossCase { failing_calls: NO_SYNC, ..case(&["-i", "one"], &["one"]) },
    PowerLossCase { failing_calls: NO_SYNC, ..case(&["-i", "--no-o-tmpfile", "long"], &["long"]) },
    PowerLossCase {
        failing_calls: NO_SYNC,
        ..case(&["-o", "fresh", "--no-o-tmpfile", "one"], &["fresh"])
    },
];

#[test]
fn files_are_intact_after_power_loss_at_any_step() {
    if !strace::is_permitted() {
        return;
    }
    let wrong: Vec<_> = CASES.iter().filter_map(|options| options.run_and_check().err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl PowerLossCase {
    fn has(&self, word: &str) -> bool {
        self.args.contains(&word)
    }

    fn run_and_check(&self) -> Result<(), String> {
        let directory = create_directory();
        let stage = directory.path().canonicalize().unwrap();
        fixtures::create_files(&stage);
        let before = fixtures::read_tree(&stage, self.has("--keep-mtime"));
        let mut disk = fixtures::synced_disk(&before);
        let promises = self.invariants(&before);
        let log = self.trace_run(&stage);
        let blame = |call: &str, what| format!("{:?}, after {call}: {what}", self.args);
        let mut descriptors = DescriptorTable::new(&stage);
        let (mut states, mut alike) = (vec![disk.possible_trees()], vec![]);
        for call in strace_log::parse_calls(&log) {
            let Some(change) = descriptors.effect_of(&call, &disk) else { continue };
            disk.apply(&change);
            let found = disk.possible_trees();
            check_invariants(&promises, &found, CrashMoment::Running)
                .map_err(|broken| blame(&call.line, broken.to_string()))?;
            if states.last() == Some(&found) {
                alike.push(format!("{} #{}", call.name, states.len()));
            }
            states.push(found);
        }
        let last = states.last().expect("there is a first");
        let end = if self.exit_code == 0 { CrashMoment::Done } else { CrashMoment::Failed };
        check_invariants(&promises, last, end)
            .map_err(|broken| blame("the end", broken.to_string()))?;
        // Else the model has not seen everything.
        assert_eq!(
            disk.visible_files(),
            fixtures::read_tree(&stage, self.has("--keep-mtime")),
            "{:?}",
            self.args
        );
        let all: BTreeSet<&FileTree> = states.iter().flatten().collect();
        println!(
            "{:?}: {} steps, {} states; as before: {alike:?}",
            self.args,
            states.len() - 1,
            all.len()
        );
        Ok(())
    }

    /// Returns the `strace` log of the run.
    fn trace_run(&self, stage: &Path) -> String {
        let wings = create_directory();
        let log = wings.path().join("log");
        let mut command = watch::command("strace");
        command.current_dir(stage).arg("-o").arg(&log).args(strace_log::OPTIONS);
        if let Some(failing) = self.failing_calls {
            command.args(["-e", &format!("inject={failing}")]);
        }
        command.args([strace::PROGRAM, "-f", "cp1252"]).args(self.args);
        let messages = wings.path().join("messages");
        let null = File::options().write(true).open("/dev/null").unwrap();
        let status = strace::finish(command, Stdio::null(), null, File::create(&messages).unwrap());
        let messages = fs::read_to_string(messages).unwrap();
        assert_eq!(
            status.and_then(|status| status.code()),
            Some(self.exit_code),
            "{:?}: {messages}",
            self.args
        );
        fs::read_to_string(log).unwrap()
    }

    /// The invariants of every file, also of those that are not operands.
    fn invariants(&self, before: &FileTree) -> Vec<FileInvariant> {
        let fresh = self.converted.iter().map(|path| (*path).to_owned());
        let paths: BTreeSet<String> = before.keys().cloned().chain(fresh).collect();
        let promises: Vec<_> = paths.into_iter().map(|path| self.invariant(path, before)).collect();
        let backups = promises.iter().filter_map(|promise| promise.backup.as_ref());
        let backups: BTreeSet<String> = backups.map(|backup| backup.path.clone()).collect();
        promises.into_iter().filter(|promise| !backups.contains(&promise.path)).collect()
    }

    fn invariant(&self, path: String, before: &FileTree) -> FileInvariant {
        let old = before.get(&path).cloned();
        if !self.converted.contains(&path.as_str()) {
            return FileInvariant { path, new: old.clone(), old, backup: None };
        }
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_source = |subject: &&FileCase| match () {
            () if self.has("-o") => subject.path == "one",
            () if self.has("--output-dir") => subject.path.ends_with(name),
            () if self.has("--suffix") => path.strip_prefix(subject.path) == Some(self.args[1]),
            () => subject.path == path,
        };
        let subject = FILE_CASES.iter().find(is_source).expect("it is on the stage");
        let bytes = subject.new.as_bytes().to_owned();
        let marks = match &old {
            Some(old) => old.metadata.clone(),
            None if self.has("-o") => fixtures::new_file_metadata(),
            None => fixtures::metadata_with_mode(subject.mode),
        };
        let kept = format!("{path}~");
        let older = before.get(&kept).cloned();
        let backup =
            self.has("--backup").then_some(BackupInvariant { path: kept, previous: older });
        FileInvariant { path, old, new: Some(FileImage { bytes, metadata: marks }), backup }
    }
}
