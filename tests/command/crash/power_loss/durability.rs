//! Files and directories as they are, as they were synced, and what may be found of them.

use std::collections::{BTreeMap, BTreeSet};

use super::disk_model::{FileImage, FileMetadata, FileNumber};

/// The number of prefixes of new content, about, that may be all that has reached the disk.
const MAX_PREFIXES: usize = 16;

/// A file as it is and as it was synced.
#[derive(Clone, Debug, Default)]
pub struct DurableFile {
    pub current: FileImage,
    pub durable: FileImage,
    /// Whether `kept` has come to disk as a file that has a name.
    pub ever_linked: bool,
    pub named: bool,
    /// Whether somebody has it open.
    pub is_open: bool,
    /// Whether data has changed since it was synced.
    pub written: bool,
    /// Marks that have changed since then.
    pub metadata_changes: Vec<(String, Option<String>)>,
}

/// The effect of one step on the names of a directory.
pub type EntryChanges = Vec<(String, Option<FileNumber>)>;

#[derive(Clone, Debug, Default)]
pub struct DurableDirectory {
    pub current: BTreeMap<String, FileNumber>,
    pub durable: BTreeMap<String, FileNumber>,
    /// Steps since it was synced.
    pub pending: Vec<EntryChanges>,
}

impl DurableFile {
    pub fn set_metadata(&mut self, name: String, value: Option<String>) {
        set_metadata(&mut self.current.metadata, &name, value.as_ref());
        self.metadata_changes.push((name, value));
    }

    pub fn sync(&mut self) {
        self.sync_data();
        self.durable.metadata = self.current.metadata.clone();
        self.metadata_changes.clear();
        self.ever_linked = self.named;
    }

    pub fn sync_data(&mut self) {
        self.durable.bytes = self.current.bytes.clone();
        self.written = false;
    }

    /// All that it may be when the power comes back; None if it is not known as a file.
    pub fn possible_images(&self) -> BTreeSet<Option<FileImage>> {
        let mut all_marks = BTreeSet::new();
        for taken in subsets(&self.metadata_changes) {
            let mut marks = self.durable.metadata.clone();
            taken
                .into_iter()
                .for_each(|(name, value)| set_metadata(&mut marks, name, value.as_ref()));
            all_marks.insert(marks);
        }
        let all_bytes = self.possible_bytes();
        let with = |marks: &FileMetadata| {
            let marks = marks.clone();
            all_bytes
                .iter()
                .map(move |bytes| FileImage { bytes: bytes.clone(), metadata: marks.clone() })
        };
        let images = all_marks.iter().flat_map(with).map(Some);
        images.chain((!self.ever_linked).then_some(None)).collect()
    }

    fn possible_bytes(&self) -> BTreeSet<Vec<u8>> {
        let (old, new) = (&self.durable.bytes, &self.current.bytes);
        let mut found = BTreeSet::from([old.clone()]);
        if self.written {
            // Every byte of a short file, and some of a long one.
            let step = (new.len() / MAX_PREFIXES).max(1);
            for length in (0..new.len()).step_by(step).chain([new.len()]) {
                let front = &new[..length];
                found.insert(front.to_vec());
                found.insert([front, &vec![0; new.len() - length]].concat());
                found.insert([front, old.get(length..).unwrap_or_default()].concat());
            }
        }
        found
    }
}

impl DurableDirectory {
    pub fn sync(&mut self) {
        self.durable = self.current.clone();
        self.pending.clear();
    }

    /// The names that may be there when the power comes back.
    pub fn possible_entries(&self) -> BTreeSet<BTreeMap<String, FileNumber>> {
        let after = |taken: Vec<&EntryChanges>| {
            let mut names = self.durable.clone();
            taken.into_iter().for_each(|renaming| apply(&mut names, renaming));
            names
        };
        subsets(&self.pending).map(after).collect()
    }
}

fn set_metadata(marks: &mut FileMetadata, name: &str, value: Option<&String>) {
    match value {
        Some(value) => marks.insert(name.to_owned(), value.clone()),
        None => marks.remove(name),
    };
}

pub fn apply(names: &mut BTreeMap<String, FileNumber>, renaming: &EntryChanges) {
    for (name, number) in renaming {
        match number {
            Some(number) => names.insert(name.clone(), *number),
            None => names.remove(name),
        };
    }
}

/// All choices of some of the steps, in their order. Another order would only leave the last step at
/// a name that here is left out.
fn subsets<T>(steps: &[T]) -> impl Iterator<Item = Vec<&T>> {
    assert!(steps.len() < 16, "{} steps were not synced", steps.len());
    (0..1_u32 << steps.len()).map(|choice| {
        let chosen = |(number, step)| (choice >> number & 1 == 1).then_some(step);
        steps.iter().enumerate().filter_map(chosen).collect()
    })
}
