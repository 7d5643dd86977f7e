//! What is promised of a file, whatever is found of it when the power comes back.

use std::collections::BTreeSet;
use std::fmt;

use super::disk::{Image, Tree};

/// What is promised of one file.
#[derive(Clone, Debug)]
pub struct Promise {
    pub path: String,
    /// None if it is not there before.
    pub old: Option<Image>,
    /// What a run that ends well leaves. The same as `old` for a file that is to be left alone.
    pub new: Option<Image>,
    pub backup: Option<Backup>,
}

/// Where the old content is kept.
#[derive(Clone, Debug)]
pub struct Backup {
    pub path: String,
    /// An older one, which may be replaced.
    pub older: Option<Image>,
}

/// A promise that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Broken {
    /// Nothing has the name any more.
    Gone(String),
    /// It is neither the old file nor the new one.
    Neither(String, Image),
    /// The run has ended well, and it is not the new file.
    NotNew(String),
    /// The old content is nowhere.
    NotBackedUp(String),
    /// What has the name of the backup is none.
    BadBackup(String, Image),
    /// Files that nobody asked for.
    LeftOver(Vec<String>),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Gone(path) => write!(f, "{path} is gone"),
            Broken::Neither(path, image) => write!(f, "{path} is neither old nor new: {image:?}"),
            Broken::NotNew(path) => write!(f, "{path} is not the new file, and the run has ended"),
            Broken::NotBackedUp(path) => write!(f, "the old content of {path} is nowhere"),
            Broken::BadBackup(path, image) => write!(f, "{path} is no backup: {image:?}"),
            Broken::LeftOver(paths) => write!(f, "left over: {paths:?}"),
        }
    }
}

/// When the power goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    Running,
    /// The run has ended, and not with 0.
    Failed,
    /// It has ended with 0.
    Done,
}

/// Holds what is found against what is promised.
pub fn judge(promises: &[Promise], found: &BTreeSet<Tree>, when: Moment) -> Result<(), Broken> {
    for tree in found {
        promises.iter().try_for_each(|promise| promise.hold(tree, when != Moment::Running))?;
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
        if many || when == Moment::Done && !others.is_empty() {
            return Err(Broken::LeftOver(others));
        }
    }
    Ok(())
}

impl Promise {
    fn hold(&self, tree: &Tree, ended: bool) -> Result<(), Broken> {
        let found = tree.get(&self.path);
        let is_new = found == self.new.as_ref();
        match found {
            None if self.old.is_some() => return Err(Broken::Gone(self.path.clone())),
            Some(image) if !is_new && found != self.old.as_ref() => {
                return Err(Broken::Neither(self.path.clone(), image.clone()));
            }
            _ if ended && !is_new => return Err(Broken::NotNew(self.path.clone())),
            _ => {}
        }
        let Some(Backup { path, older }) = &self.backup else { return Ok(()) };
        match tree.get(path) {
            kept if kept.is_some() && kept == self.old.as_ref() => Ok(()),
            Some(other) if Some(other) != older.as_ref() => {
                Err(Broken::BadBackup(path.clone(), other.clone()))
            }
            _ if found == self.old.as_ref() => Ok(()),
            _ => Err(Broken::NotBackedUp(self.path.clone())),
        }
    }
}
