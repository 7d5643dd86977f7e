//! Whenever the power goes, every file is the old one or the new one, and after a run that says so the
//! new one.
//!
//! The calls of a run are played on a model of a disk that loses what was not synced, which `disk.rs`
//! describes. After each of them everything that may be found is held against what is promised.
//! `mistakes.rs` shows that the model finds what can go wrong.

mod descriptors;
mod disk;
mod durable;
mod mistakes;
mod promise;
mod stage;
mod trace;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use descriptors::Descriptors;
use disk::{Image, Tree};
use promise::{Backup, Moment, Promise, judge};
use stage::SUBJECTS;

use crate::watch;
use crate::{folder, strace};

/// A run.
struct Plan {
    words: &'static [&'static str],
    /// Files that are converted.
    new: &'static [&'static str],
    /// What does not work here, as `strace` is told.
    failing: Option<&'static str>,
    code: i32,
}

const fn plan(words: &'static [&'static str], new: &'static [&'static str]) -> Plan {
    Plan { words, new, failing: None, code: 0 }
}

/// A file system without hard links.
const NO_LINKS: Option<&str> = Some("linkat:error=EPERM");
/// A folder that cannot be synced.
const NO_SYNC: Option<&str> = Some("fsync:error=EINVAL:when=2");

const PLANS: &[Plan] = &[
    plan(&["-i", "one"], &["one"]),
    plan(&["-i", "--block-size", "1", "one"], &["one"]),
    plan(&["-i", "--always-named", "one"], &["one"]),
    plan(&["-i", "--keep-mtime", "one"], &["one"]),
    plan(&["-i", "--backup", "one"], &["one"]),
    plan(&["-i", "--backup", "--always-named", "one"], &["one"]),
    // An older backup is in the way, and gives way.
    plan(&["-i", "--backup", "--force", "two"], &["two"]),
    plan(&["-i", "link"], &["below/three"]),
    plan(&["-i", "--backup", "link"], &["below/three"]),
    plan(&["-i", "--break-hard-links", "left"], &["left"]),
    plan(&["-i", "-j1", "one", "two"], &["one", "two"]),
    Plan {
        code: 2,
        ..plan(&["-i", "-j1", "one", "link", "left", "plain"], &["one", "below/three"])
    },
    plan(&["-i", "plain"], &[]),
    Plan { code: 1, ..plan(&["-i", "faulty"], &[]) },
    Plan { code: 1, ..plan(&["-i", "--always-named", "-j1", "faulty", "one"], &["one"]) },
    Plan { code: 2, ..plan(&["-i", "--backup", "two"], &[]) },
    plan(&["-o", "fresh", "one"], &["fresh"]),
    plan(&["-o", "below/fresh", "--always-named", "one"], &["below/fresh"]),
    plan(&["-o", "two", "one"], &["two"]),
    plan(&["-o", "two", "--always-named", "one"], &["two"]),
    plan(&["-o", "link", "one"], &["below/three"]),
    Plan { code: 1, ..plan(&["-o", "two", "one", "faulty"], &[]) },
    Plan {
        failing: NO_LINKS,
        ..plan(&["-i", "--keep-mtime", "--always-named", "--backup", "one"], &["one"])
    },
    Plan { failing: NO_SYNC, ..plan(&["-i", "--always-named", "one"], &["one"]) },
    Plan { failing: NO_SYNC, ..plan(&["-o", "fresh", "--always-named", "one"], &["fresh"]) },
];

#[test]
fn whenever_the_power_goes_each_file_is_whole_and_after_the_end_it_is_the_new_one() {
    if !strace::is_permitted() {
        return;
    }
    let wrong: Vec<_> = PLANS.iter().filter_map(|plan| plan.play().err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl Plan {
    fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    fn play(&self) -> Result<(), String> {
        let folder = folder();
        let stage = folder.path().canonicalize().unwrap();
        stage::fill(&stage);
        let before = stage::read(&stage, self.has("--keep-mtime"));
        let mut disk = stage::disk(&before);
        let promises = self.promises(&before);
        let log = self.run(&stage);
        let blame = |call: &str, what| format!("{:?}, after {call}: {what}", self.words);
        let mut descriptors = Descriptors::new(&stage);
        let (mut states, mut alike) = (vec![disk.found()], vec![]);
        for call in trace::calls(&log) {
            let Some(change) = descriptors.change(&call, &disk) else { continue };
            disk.make(&change);
            let found = disk.found();
            judge(&promises, &found, Moment::Running)
                .map_err(|broken| blame(&call.line, broken.to_string()))?;
            if states.last() == Some(&found) {
                alike.push(format!("{} #{}", call.name, states.len()));
            }
            states.push(found);
        }
        let last = states.last().expect("there is a first");
        let end = if self.code == 0 { Moment::Done } else { Moment::Failed };
        judge(&promises, last, end).map_err(|broken| blame("the end", broken.to_string()))?;
        // Else the model has not seen everything.
        assert_eq!(disk.seen(), stage::read(&stage, self.has("--keep-mtime")), "{:?}", self.words);
        let all: BTreeSet<&Tree> = states.iter().flatten().collect();
        println!(
            "{:?}: {} steps, {} states; as before: {alike:?}",
            self.words,
            states.len() - 1,
            all.len()
        );
        Ok(())
    }

    /// What `strace` says about the run.
    fn run(&self, stage: &Path) -> String {
        let wings = folder();
        let log = wings.path().join("log");
        let mut command = watch::command("strace");
        command.current_dir(stage).arg("-o").arg(&log).args(trace::OPTIONS);
        if let Some(failing) = self.failing {
            command.args(["-e", &format!("inject={failing}")]);
        }
        command.args([strace::PROGRAM, "-f", "cp1252"]).args(self.words);
        let told = wings.path().join("told");
        let null = File::options().write(true).open("/dev/null").unwrap();
        let status = strace::finish(command, Stdio::null(), null, File::create(&told).unwrap());
        let told = fs::read_to_string(told).unwrap();
        assert_eq!(
            status.and_then(|status| status.code()),
            Some(self.code),
            "{:?}: {told}",
            self.words
        );
        fs::read_to_string(log).unwrap()
    }

    /// What is promised of every file on the stage, also of those that are not named.
    fn promises(&self, before: &Tree) -> Vec<Promise> {
        let fresh = self.new.iter().map(|path| (*path).to_owned());
        let paths: BTreeSet<String> = before.keys().cloned().chain(fresh).collect();
        let promises: Vec<_> = paths.into_iter().map(|path| self.promise(path, before)).collect();
        let backups = promises.iter().filter_map(|promise| promise.backup.as_ref());
        let backups: BTreeSet<String> = backups.map(|backup| backup.path.clone()).collect();
        promises.into_iter().filter(|promise| !backups.contains(&promise.path)).collect()
    }

    fn promise(&self, path: String, before: &Tree) -> Promise {
        let old = before.get(&path).cloned();
        if !self.new.contains(&path.as_str()) {
            return Promise { path, new: old.clone(), old, backup: None };
        }
        let from = if self.has("-o") { "one" } else { &path };
        let subject = SUBJECTS.iter().find(|subject| subject.path == from);
        let bytes = subject.expect("it is on the stage").new.as_bytes().to_owned();
        let marks = old.as_ref().map_or_else(stage::fresh, |old| old.marks.clone());
        let kept = format!("{path}~");
        let older = before.get(&kept).cloned();
        let backup = self.has("--backup").then_some(Backup { path: kept, older });
        Promise { path, old, new: Some(Image { bytes, marks }), backup }
    }
}
