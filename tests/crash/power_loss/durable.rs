//! Files and folders as they are, as they were synced, and what may be found of them.

use std::collections::{BTreeMap, BTreeSet};

use super::disk::{Image, Marks, Number};

/// A file as it is and as it was synced.
#[derive(Clone, Debug, Default)]
pub struct File {
    pub now: Image,
    pub kept: Image,
    /// Whether `kept` has come to disk as a file that has a name.
    pub rooted: bool,
    pub named: bool,
    /// Whether somebody has it open.
    pub held: bool,
    /// Whether data has changed since it was synced.
    pub written: bool,
    /// Marks that have changed since then.
    pub marked: Vec<(String, Option<String>)>,
}

/// What one step does to the names of a folder.
pub type Renaming = Vec<(String, Option<Number>)>;

#[derive(Clone, Debug, Default)]
pub struct Folder {
    pub now: BTreeMap<String, Number>,
    pub kept: BTreeMap<String, Number>,
    /// Steps since it was synced.
    pub steps: Vec<Renaming>,
}

impl File {
    pub fn mark(&mut self, name: String, value: Option<String>) {
        put(&mut self.now.marks, &name, value.as_ref());
        self.marked.push((name, value));
    }

    pub fn sync(&mut self) {
        self.sync_data();
        self.kept.marks = self.now.marks.clone();
        self.marked.clear();
        self.rooted = self.named;
    }

    pub fn sync_data(&mut self) {
        self.kept.bytes = self.now.bytes.clone();
        self.written = false;
    }

    /// All that it may be when the power comes back; None if it is not known as a file.
    pub fn found(&self) -> BTreeSet<Option<Image>> {
        let mut all_marks = BTreeSet::new();
        for taken in subsets(&self.marked) {
            let mut marks = self.kept.marks.clone();
            taken.into_iter().for_each(|(name, value)| put(&mut marks, name, value.as_ref()));
            all_marks.insert(marks);
        }
        let all_bytes = self.found_bytes();
        let with = |marks: &Marks| {
            let marks = marks.clone();
            all_bytes.iter().map(move |bytes| Image { bytes: bytes.clone(), marks: marks.clone() })
        };
        let images = all_marks.iter().flat_map(with).map(Some);
        images.chain((!self.rooted).then_some(None)).collect()
    }

    fn found_bytes(&self) -> BTreeSet<Vec<u8>> {
        let (old, new) = (&self.kept.bytes, &self.now.bytes);
        let mut found = BTreeSet::from([old.clone()]);
        if self.written {
            for length in 0..=new.len() {
                let front = &new[..length];
                found.insert(front.to_vec());
                found.insert([front, &vec![0; new.len() - length]].concat());
                found.insert([front, old.get(length..).unwrap_or_default()].concat());
            }
        }
        found
    }
}

impl Folder {
    pub fn sync(&mut self) {
        self.kept = self.now.clone();
        self.steps.clear();
    }

    /// The names that may be there when the power comes back.
    pub fn found(&self) -> BTreeSet<BTreeMap<String, Number>> {
        let after = |taken: Vec<&Renaming>| {
            let mut names = self.kept.clone();
            taken.into_iter().for_each(|renaming| apply(&mut names, renaming));
            names
        };
        subsets(&self.steps).map(after).collect()
    }
}

fn put(marks: &mut Marks, name: &str, value: Option<&String>) {
    match value {
        Some(value) => marks.insert(name.to_owned(), value.clone()),
        None => marks.remove(name),
    };
}

pub fn apply(names: &mut BTreeMap<String, Number>, renaming: &Renaming) {
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
