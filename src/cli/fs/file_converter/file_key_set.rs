//! The set of files claimed in a run.
//!
//! A tree may contain millions of files, so a file should take one bit instead of an entry of a hash
//! table: most file systems assign inode numbers in order. Where they are scattered, a file takes about
//! 70 bytes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;

use crate::cli::sys::file_id::FileId;

/// The binary logarithm of the number of inode numbers in a range.
const RANGE_BITS: u32 = 12;

const BITMAP_WORDS: usize = 1 << (RANGE_BITS - 6);

/// The length above which a list takes more memory than a bitmap.
const MAX_LIST_LEN: usize = BITMAP_WORDS * 4;

/// The identity of a file: its inode or, if its hard links are to be broken, its name in the directory of
/// this inode.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct FileKey(pub(super) FileId, pub(super) Option<OsString>);

impl FileKey {
    /// Returns the key of a file whose name does not matter.
    pub(super) fn from_id(id: FileId) -> FileKey {
        FileKey(id, None)
    }
}

/// A set of file keys.
#[derive(Debug, Default)]
pub(super) struct FileKeySet {
    /// By device and by range of inode numbers.
    inode_ranges: HashMap<u64, BTreeMap<u64, InodeRange>>,
    /// Names of files whose hard links are to be broken.
    names_by_directory: HashSet<(FileId, OsString)>,
}

/// The lowest bits of inode numbers in a range.
#[derive(Debug)]
enum InodeRange {
    /// In ascending order.
    List(Vec<u16>),
    Bitmap(Box<[u64; BITMAP_WORDS]>),
}

impl FileKeySet {
    /// Adds a key. Returns whether it was not in the set.
    pub(super) fn insert(&mut self, key: &FileKey) -> bool {
        match &key.1 {
            Some(name) => self.names_by_directory.insert((key.0, name.clone())),
            None => {
                let (range, low) = split_inode(key.0.inode());
                let ranges = self.inode_ranges.entry(key.0.device()).or_default();
                ranges.entry(range).or_insert(InodeRange::List(Vec::new())).insert(low)
            }
        }
    }

    pub(super) fn remove(&mut self, key: &FileKey) {
        if let Some(name) = &key.1 {
            self.names_by_directory.remove(&(key.0, name.clone()));
            return;
        }
        let (range, low) = split_inode(key.0.inode());
        let Some(ranges) = self.inode_ranges.get_mut(&key.0.device()) else { return };
        if ranges.get_mut(&range).is_some_and(|range| range.remove(low)) {
            ranges.remove(&range);
        }
    }

    pub(super) fn contains(&self, key: &FileKey) -> bool {
        if let Some(name) = &key.1 {
            return self.names_by_directory.contains(&(key.0, name.clone()));
        }
        let (range, low) = split_inode(key.0.inode());
        let range = self.inode_ranges.get(&key.0.device()).and_then(|ranges| ranges.get(&range));
        range.is_some_and(|range| range.contains(low))
    }
}

fn split_inode(inode: u64) -> (u64, u16) {
    (inode >> RANGE_BITS, (inode & ((1 << RANGE_BITS) - 1)) as u16)
}

fn bit_position(low: u16) -> (usize, u64) {
    (usize::from(low >> 6), 1 << (low & 63))
}

impl InodeRange {
    fn insert(&mut self, low: u16) -> bool {
        let list = match self {
            InodeRange::Bitmap(bitmap) => {
                let (word, bit) = bit_position(low);
                let missing = bitmap[word] & bit == 0;
                bitmap[word] |= bit;
                return missing;
            }
            InodeRange::List(list) => list,
        };
        let Err(at) = list.binary_search(&low) else { return false };
        if list.len() < MAX_LIST_LEN {
            list.reserve_exact(if list.is_empty() { 1 } else { list.len().min(8) });
            list.insert(at, low);
        } else {
            let mut words = Box::new([0; BITMAP_WORDS]);
            for (word, bit) in list.iter().copied().chain([low]).map(bit_position) {
                words[word] |= bit;
            }
            *self = InodeRange::Bitmap(words);
        }
        true
    }

    /// Removes a number. Returns whether the range is now empty.
    fn remove(&mut self, low: u16) -> bool {
        match self {
            InodeRange::Bitmap(bitmap) => {
                let (word, bit) = bit_position(low);
                bitmap[word] &= !bit;
                bitmap.iter().all(|word| *word == 0)
            }
            InodeRange::List(list) => {
                if let Ok(at) = list.binary_search(&low) {
                    list.remove(at);
                }
                list.is_empty()
            }
        }
    }

    fn contains(&self, low: u16) -> bool {
        match self {
            InodeRange::Bitmap(bitmap) => {
                let (word, bit) = bit_position(low);
                bitmap[word] & bit != 0
            }
            InodeRange::List(list) => list.binary_search(&low).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_a_hash_set() {
        let (mut set, mut model) = (FileKeySet::default(), HashSet::new());
        let mut random = 1_u64;
        for step in 0..200_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step | 1);
            // Dense numbers at first, so that lists become bitmaps, and scattered ones.
            let inode = if step % 3 == 0 { random >> 20 } else { (random >> 33) % 20_000 };
            let name = (step % 7 == 0).then(|| OsString::from((inode % 100).to_string()));
            let key = FileKey(FileId::new(random >> 60 & 1, inode), name);
            assert_eq!(set.contains(&key), model.contains(&key));
            if random >> 40 & 3 == 0 {
                set.remove(&key);
                model.remove(&key);
            } else {
                assert_eq!(set.insert(&key), model.insert(key));
            }
        }
        for key in &model {
            assert!(set.contains(key));
            set.remove(key);
        }
        assert!(
            set.names_by_directory.is_empty() && set.inode_ranges.values().all(BTreeMap::is_empty)
        );
    }

    #[test]
    fn consecutive_inodes_take_one_bit_each() {
        let mut set = FileKeySet::default();
        for inode in 0..1 << 20 {
            assert!(set.insert(&FileKey::from_id(FileId::new(1, inode))));
        }
        let ranges = &set.inode_ranges[&1];
        assert_eq!(ranges.len(), 1 << (20 - RANGE_BITS));
        assert!(ranges.values().all(|range| matches!(range, InodeRange::Bitmap(_))));
    }
}
