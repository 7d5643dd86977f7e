//! The invariants of a file after a power loss.

use std::collections::BTreeSet;
use std::fmt;

use super::disk_model::{FileImage, FileTree};

/// The invariants of one file.
#[derive(Clone, Debug)]
pub struct FileInvariant {
    pub path: String,
    /// None if it is not there before.
    pub old: Option<FileImage>,
    /// The content after a successful run. The same as `old` for a file that must not change.
    pub new: Option<FileImage>,
    pub backup: Option<BackupInvariant>,
}

/// Where the old content is kept.
#[derive(Clone, Debug)]
pub struct BackupInvariant {
    pub path: String,
    /// An older one, which may be replaced.
    pub previous: Option<FileImage>,
}

/// A promise that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Nothing has the name any more.
    Missing(String),
    /// It is neither the old file nor the new one.
    Neither(String, FileImage),
    /// The run has ended well, and it is not the new file.
    NotNew(String),
    /// The old content is nowhere.
    NotBackedUp(String),
    /// The file with the name of the backup is not a backup.
    InvalidBackup(String, FileImage),
    /// Unexpected files.
    Leftover(Vec<String>),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Missing(path) => write!(f, "{path} is gone"),
            Violation::Neither(path, image) => {
                write!(f, "{path} is neither old nor new: {image:?}")
            }
            Violation::NotNew(path) => {
                write!(f, "{path} is not the new file, and the run has ended")
            }
            Violation::NotBackedUp(path) => write!(f, "the old content of {path} is nowhere"),
            Violation::InvalidBackup(path, image) => write!(f, "{path} is not a backup: {image:?}"),
            Violation::Leftover(paths) => write!(f, "left over: {paths:?}"),
        }
    }
}

/// When the power goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CrashMoment {
    Running,
    /// The run has ended, and not with 0.
    Failed,
    /// It has ended with 0.
    Done,
}

/// Holds what is found against what is promised.
pub fn check_invariants(
    promises: &[FileInvariant],
    found: &BTreeSet<FileTree>,
    when: CrashMoment,
) -> Result<(), Violation> {
    for tree in found {
        promises
            .iter()
            .try_for_each(|promise| promise.check(tree, when != CrashMoment::Running))?;
        let known = |path: &String| {
            let mut all = promises.iter();
            all.any(|one| {
                one.path == *path || one.backup.as_ref().is_some_and(|of| of.path == *path)
            })
        };
        let others: Vec<_> = tree.keys().filter(|path| !known(path)).cloned().collect();
        let targets: BTreeSet<_> =
            others.iter().map(|path| Some(path.split_once(".charpipe-")?.0)).collect();
        // One of each file: its unlinking is not synced.
        let many = targets.len() < others.len() || targets.contains(&None);
        if many || when == CrashMoment::Done && !others.is_empty() {
            return Err(Violation::Leftover(others));
        }
    }
    Ok(())
}

impl FileInvariant {
    fn check(&self, tree: &FileTree, ended: bool) -> Result<(), Violation> {
        let found = tree.get(&self.path);
        let is_new = found == self.new.as_ref();
        match found {
            None if self.old.is_some() => return Err(Violation::Missing(self.path.clone())),
            Some(image) if !is_new && found != self.old.as_ref() => {
                return Err(Violation::Neither(self.path.clone(), image.clone()));
            }
            _ if ended && !is_new => return Err(Violation::NotNew(self.path.clone())),
            _ => {}
        }
        let Some(BackupInvariant { path, previous: older }) = &self.backup else { return Ok(()) };
        match tree.get(path) {
            kept if kept.is_some() && kept == self.old.as_ref() => Ok(()),
            Some(other) if Some(other) != older.as_ref() => {
                Err(Violation::InvalidBackup(path.clone(), other.clone()))
            }
            _ if found == self.old.as_ref() => Ok(()),
            _ => Err(Violation::NotBackedUp(self.path.clone())),
        }
    }
}
