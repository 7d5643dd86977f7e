//! A model of a disk that forgets what was not synced, as a file system without a journal may.
//!
//! It knows two states of everything: what a program sees, and what has been synced. When the power
//! goes, any part of the difference may have reached the disk:
//!
//! - Data of a file that was not synced may be the old, the new, the new up to any byte with nothing,
//!   zeros or the old after it.
//! - Mode, owner, times and attributes may each be the old or the new.
//! - Of what was done in a directory each step may have happened or not. A rename within a directory is one
//!   step.
//! - A directory that was created may be missing, with everything in it, until its parent is synced.
//! - A file that was not synced since it got its first name may not be known as a file in use: then the
//!   next check of the file system takes the names away that lead to it.
//! - A file without names that no process has open is gone, and its space may be another's, also if a name
//!   on the disk still leads there.

use std::collections::{BTreeMap, BTreeSet};

use super::durability::{DurableDirectory, DurableFile, EntryChanges, apply};

/// The number of a file.
pub type FileNumber = usize;

/// A directory and a name in it.
pub type DirectoryEntry = (String, String);

/// Mode, owner, times and attributes by their names.
pub type FileMetadata = BTreeMap<String, String>;

/// The visible state of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileImage {
    pub bytes: Vec<u8>,
    pub metadata: FileMetadata,
}

/// All files by their paths.
pub type FileTree = BTreeMap<String, FileImage>;

/// One step that changes a disk, or makes it keep changes.
#[derive(Clone, Debug)]
pub enum DiskChange {
    /// A new file, which is the next number; without an entry it has no name yet.
    Create(Option<DirectoryEntry>, FileMetadata),
    CreateDirectory(DirectoryEntry),
    /// Bytes at a position.
    Write(FileNumber, usize, Vec<u8>),
    Truncate(FileNumber, usize),
    /// A mark is set, or goes.
    SetMetadata(FileNumber, String, Option<String>),
    /// One more name, that was free.
    Link(FileNumber, DirectoryEntry),
    Rename(DirectoryEntry, DirectoryEntry),
    Unlink(DirectoryEntry),
    /// Somebody has a file open from here on, as who has created it has anyway.
    Open(FileNumber),
    /// No process has it open any more.
    Close(FileNumber),
    Sync(FileNumber),
    /// Data and length alone.
    SyncData(FileNumber),
    SyncDirectory(String),
    SyncAll,
}

/// The disk.
#[derive(Clone, Debug, Default)]
pub struct DiskModel {
    files: Vec<DurableFile>,
    directories: BTreeMap<String, DurableDirectory>,
    /// The paths of directories whose parents have not been synced since they were created.
    new_directories: BTreeSet<String>,
}

impl DiskModel {
    /// Puts a synced file there that has all these names.
    pub fn add_file(&mut self, image: FileImage, names: &[DirectoryEntry]) {
        for (directory, name) in names {
            let directory = self.directories.entry(directory.clone()).or_default();
            directory.current.insert(name.clone(), self.files.len());
            directory.durable = directory.current.clone();
        }
        let (now, kept) = (image.clone(), image);
        self.files.push(DurableFile {
            current: now,
            durable: kept,
            ever_linked: true,
            named: true,
            ..DurableFile::default()
        });
    }

    /// The file that has a name.
    pub fn find(&self, (directory, name): &DirectoryEntry) -> Option<FileNumber> {
        self.directories.get(directory)?.current.get(name).copied()
    }

    /// A file as a program sees it.
    pub fn image(&self, number: FileNumber) -> &FileImage {
        &self.files[number].current
    }

    /// The number of the file that is created next.
    pub fn next(&self) -> FileNumber {
        self.files.len()
    }

    /// The disk as a program sees it.
    pub fn visible_files(&self) -> FileTree {
        let names =
            self.directories.iter().flat_map(|(directory, of)| paths(directory, &of.current));
        names.map(|(path, number)| (path, self.files[number].current.clone())).collect()
    }

    /// Makes a change.
    pub fn apply(&mut self, change: &DiskChange) {
        match change.clone() {
            DiskChange::Create(entry, marks) => {
                let now = FileImage { metadata: marks, ..FileImage::default() };
                let kept = now.clone();
                self.files.push(DurableFile {
                    current: now,
                    durable: kept,
                    is_open: true,
                    ..DurableFile::default()
                });
                if let Some(entry) = entry {
                    self.link(self.files.len() - 1, entry);
                }
            }
            DiskChange::CreateDirectory((parent, name)) => {
                self.new_directories.insert(join_path(&parent, &name));
            }
            DiskChange::Write(number, at, bytes) => {
                let file = &mut self.files[number];
                let end = at + bytes.len();
                let length = file.current.bytes.len().max(end);
                file.current.bytes.resize(length, 0);
                file.current.bytes[at..end].copy_from_slice(&bytes);
                file.written = true;
            }
            DiskChange::Truncate(number, length) => {
                self.files[number].current.bytes.resize(length, 0);
                self.files[number].written = true;
            }
            DiskChange::SetMetadata(number, name, value) => {
                self.files[number].set_metadata(name, value)
            }
            DiskChange::Link(number, entry) => self.link(number, entry),
            DiskChange::Rename(from, to) => {
                assert_eq!(from.0, to.0, "a rename between directories is two steps, or one");
                let number = self.find(&from).expect("what is renamed is there");
                self.step(&from.0, vec![(from.1, None), (to.1, Some(number))]);
            }
            DiskChange::Unlink((directory, name)) => self.step(&directory, vec![(name, None)]),
            DiskChange::Open(number) => self.files[number].is_open = true,
            DiskChange::Close(number) => self.files[number].is_open = false,
            DiskChange::Sync(number) => self.files[number].sync(),
            DiskChange::SyncData(number) => self.files[number].sync_data(),
            DiskChange::SyncDirectory(directory) => {
                self.new_directories.retain(|new| parent_of(new) != directory);
                self.directories.entry(directory).or_default().sync()
            }
            DiskChange::SyncAll => {
                self.files.iter_mut().for_each(DurableFile::sync);
                self.directories.values_mut().for_each(DurableDirectory::sync);
                self.new_directories.clear();
            }
        }
    }

    fn link(&mut self, number: FileNumber, (directory, name): DirectoryEntry) {
        self.files[number].named = true;
        self.step(&directory, vec![(name, Some(number))]);
    }

    fn step(&mut self, directory: &str, renaming: EntryChanges) {
        let directory = self.directories.entry(directory.to_owned()).or_default();
        apply(&mut directory.current, &renaming);
        directory.pending.push(renaming);
    }

    /// Everything that may be found when the power comes back.
    pub fn possible_trees(&self) -> BTreeSet<FileTree> {
        let mut names = vec![BTreeMap::new()];
        for (directory, of) in &self.directories {
            let mut found = of.possible_entries();
            if self.may_be_missing(directory) {
                found.insert(BTreeMap::new());
            }
            let both = |names: &BTreeMap<String, FileNumber>| {
                let (names, join) = (names.clone(), |of| paths(directory, of));
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

    /// Returns whether a directory or one that contains it may not be on the disk.
    fn may_be_missing(&self, directory: &str) -> bool {
        let is_in = |new: &String| {
            let rest = directory.strip_prefix(new.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.new_directories.iter().any(is_in)
    }

    fn is_deleted(&self, number: FileNumber) -> bool {
        let mut names = self.directories.values().flat_map(|directory| directory.current.values());
        !self.files[number].is_open && !names.any(|other| *other == number)
    }

    /// Returns the files that these names may refer to. Names of one file refer to the same file.
    fn trees(&self, names: &BTreeMap<String, FileNumber>) -> Vec<FileTree> {
        let mut trees = vec![FileTree::new()];
        for number in names.values().collect::<BTreeSet<_>>() {
            let paths: Vec<_> = names.iter().filter(|(_, other)| *other == number).collect();
            let mut images = self.files[*number].possible_images();
            if self.is_deleted(*number) {
                images.insert(None);
            }
            let both = |tree: &FileTree| {
                let (tree, paths) = (tree.clone(), &paths);
                images.iter().map(move |image| {
                    let mut tree = tree.clone();
                    let of = |image: &FileImage| {
                        paths
                            .iter()
                            .map(|(path, _)| ((*path).clone(), image.clone()))
                            .collect::<FileTree>()
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

fn join_path(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

fn parent_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn paths(directory: &str, names: &BTreeMap<String, FileNumber>) -> BTreeMap<String, FileNumber> {
    names.iter().map(|(name, number)| (join_path(directory, name), *number)).collect()
}
