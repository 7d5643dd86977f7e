//! A model of a disk that forgets what was not synced, as a file system without a journal may.
//!
//! It knows two states of everything: what a program sees, and what has been synced. When the power
//! goes, any part of the difference may have reached the disk:
//!
//! - Data of a file that was not synced may be the old, the new, the new up to any byte with nothing,
//!   zeros or the old behind it.
//! - Mode, owner, times and attributes may each be the old or the new.
//! - Of what was done in a folder each step may have happened or not. A rename within a folder is one
//!   step.
//! - A file that was not synced since it got its first name may not be known as a file in use: then the
//!   next check of the file system takes the names away that lead to it.
//! - A file without names that nobody has open is gone, and its space may be another's, also if a name
//!   on the disk still leads there.

use std::collections::{BTreeMap, BTreeSet};

use super::durable::{File, Folder, Renaming, apply};

/// The number of a file.
pub type Number = usize;

/// A folder and a name in it.
pub type Entry = (String, String);

/// Mode, owner, times and attributes by their names.
pub type Marks = BTreeMap<String, String>;

/// What is to be seen of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Image {
    pub bytes: Vec<u8>,
    pub marks: Marks,
}

/// All files by their paths.
pub type Tree = BTreeMap<String, Image>;

/// One step that changes a disk, or makes it keep changes.
#[derive(Clone, Debug)]
pub enum Change {
    /// A new file, which is the next number; without an entry it has no name yet.
    Create(Option<Entry>, Marks),
    /// Bytes at a place.
    Write(Number, usize, Vec<u8>),
    Truncate(Number, usize),
    /// A mark is set, or goes.
    Mark(Number, String, Option<String>),
    /// One more name, that was free.
    Link(Number, Entry),
    Rename(Entry, Entry),
    Unlink(Entry),
    /// Somebody has a file open from here on, as who has created it has anyway.
    Hold(Number),
    /// Nobody has it open any more.
    Release(Number),
    Sync(Number),
    /// Data and length alone.
    SyncData(Number),
    SyncFolder(String),
    SyncAll,
}

/// The disk.
#[derive(Clone, Debug, Default)]
pub struct Disk {
    files: Vec<File>,
    folders: BTreeMap<String, Folder>,
}

impl Disk {
    /// Puts a synced file there that has all these names.
    pub fn put(&mut self, image: Image, names: &[Entry]) {
        for (folder, name) in names {
            let folder = self.folders.entry(folder.clone()).or_default();
            folder.now.insert(name.clone(), self.files.len());
            folder.kept = folder.now.clone();
        }
        let (now, kept) = (image.clone(), image);
        self.files.push(File { now, kept, rooted: true, named: true, ..File::default() });
    }

    /// The file that has a name.
    pub fn find(&self, (folder, name): &Entry) -> Option<Number> {
        self.folders.get(folder)?.now.get(name).copied()
    }

    /// What a program sees of a file.
    pub fn image(&self, number: Number) -> &Image {
        &self.files[number].now
    }

    /// The number of the file that is created next.
    pub fn next(&self) -> Number {
        self.files.len()
    }

    /// What a program sees.
    pub fn seen(&self) -> Tree {
        let names = self.folders.iter().flat_map(|(folder, of)| paths(folder, &of.now));
        names.map(|(path, number)| (path, self.files[number].now.clone())).collect()
    }

    /// Makes a change.
    pub fn make(&mut self, change: &Change) {
        match change.clone() {
            Change::Create(entry, marks) => {
                let now = Image { marks, ..Image::default() };
                let kept = now.clone();
                self.files.push(File { now, kept, held: true, ..File::default() });
                if let Some(entry) = entry {
                    self.link(self.files.len() - 1, entry);
                }
            }
            Change::Write(number, at, bytes) => {
                let file = &mut self.files[number];
                let end = at + bytes.len();
                let length = file.now.bytes.len().max(end);
                file.now.bytes.resize(length, 0);
                file.now.bytes[at..end].copy_from_slice(&bytes);
                file.written = true;
            }
            Change::Truncate(number, length) => {
                self.files[number].now.bytes.resize(length, 0);
                self.files[number].written = true;
            }
            Change::Mark(number, name, value) => self.files[number].mark(name, value),
            Change::Link(number, entry) => self.link(number, entry),
            Change::Rename(from, to) => {
                assert_eq!(from.0, to.0, "a rename between folders is two steps, or one");
                let number = self.find(&from).expect("what is renamed is there");
                self.step(&from.0, vec![(from.1, None), (to.1, Some(number))]);
            }
            Change::Unlink((folder, name)) => self.step(&folder, vec![(name, None)]),
            Change::Hold(number) => self.files[number].held = true,
            Change::Release(number) => self.files[number].held = false,
            Change::Sync(number) => self.files[number].sync(),
            Change::SyncData(number) => self.files[number].sync_data(),
            Change::SyncFolder(folder) => self.folders.entry(folder).or_default().sync(),
            Change::SyncAll => {
                self.files.iter_mut().for_each(File::sync);
                self.folders.values_mut().for_each(Folder::sync);
            }
        }
    }

    fn link(&mut self, number: Number, (folder, name): Entry) {
        self.files[number].named = true;
        self.step(&folder, vec![(name, Some(number))]);
    }

    fn step(&mut self, folder: &str, renaming: Renaming) {
        let folder = self.folders.entry(folder.to_owned()).or_default();
        apply(&mut folder.now, &renaming);
        folder.steps.push(renaming);
    }

    /// Everything that may be found when the power comes back.
    pub fn found(&self) -> BTreeSet<Tree> {
        let mut names = vec![BTreeMap::new()];
        for (folder, of) in &self.folders {
            let found = of.found();
            let both = |names: &BTreeMap<String, Number>| {
                let (names, join) = (names.clone(), |of| paths(folder, of));
                found.iter().map(join).map(move |more| {
                    let mut names = names.clone();
                    names.extend(more);
                    names
                })
            };
            names = names.iter().flat_map(both).collect::<Vec<_>>();
        }
        names.iter().flat_map(|names| self.trees(names)).collect()
    }

    fn is_gone(&self, number: Number) -> bool {
        let mut names = self.folders.values().flat_map(|folder| folder.now.values());
        !self.files[number].held && !names.any(|other| *other == number)
    }

    /// What these names may lead to. Names of one file lead to the same.
    fn trees(&self, names: &BTreeMap<String, Number>) -> Vec<Tree> {
        let mut trees = vec![Tree::new()];
        for number in names.values().collect::<BTreeSet<_>>() {
            let paths: Vec<_> = names.iter().filter(|(_, other)| *other == number).collect();
            let mut images = self.files[*number].found();
            if self.is_gone(*number) {
                images.insert(None);
            }
            let both = |tree: &Tree| {
                let (tree, paths) = (tree.clone(), &paths);
                images.iter().map(move |image| {
                    let mut tree = tree.clone();
                    let of = |image: &Image| {
                        paths
                            .iter()
                            .map(|(path, _)| ((*path).clone(), image.clone()))
                            .collect::<Tree>()
                    };
                    tree.extend(image.as_ref().map(of).unwrap_or_default());
                    tree
                })
            };
            trees = trees.iter().flat_map(both).collect::<Vec<_>>();
        }
        trees
    }
}

fn paths(folder: &str, names: &BTreeMap<String, Number>) -> BTreeMap<String, Number> {
    let path = |(name, number): (&String, &Number)| match folder {
        "" => (name.clone(), *number),
        _ => (format!("{folder}/{name}"), *number),
    };
    names.iter().map(path).collect()
}
