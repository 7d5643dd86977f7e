//! The files of a run that have been claimed.
//!
//! A tree may hold millions of files, so that a file should cost a bit and not an entry of a hash
//! table: most file systems give out inode numbers in order. Where they are scattered, a file costs
//! some 70 bytes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;

use super::source::Key;
use crate::identity::Identity;

/// Inode numbers in a range, as a power of two.
const RANGE: u32 = 12;
const WORDS: usize = 1 << (RANGE - 6);
/// Numbers in a range beyond which a bit for each takes less memory than a list.
const FEW: usize = WORDS * 4;

/// A set of keys.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// By device, and by range of inode numbers.
    inodes: HashMap<u64, BTreeMap<u64, Range>>,
    /// Names of files that are to be parted from their other hard links.
    names: HashSet<(Identity, OsString)>,
}

/// Inode numbers that differ in the lowest bits alone.
#[derive(Debug)]
enum Range {
    /// In order.
    Few(Vec<u16>),
    Many(Box<[u64; WORDS]>),
}

impl Known {
    /// Adds a key. Returns whether it was missing.
    pub(super) fn insert(&mut self, key: &Key) -> bool {
        match &key.1 {
            Some(name) => self.names.insert((key.0, name.clone())),
            None => {
                let (range, low) = split(key.0.inode());
                let ranges = self.inodes.entry(key.0.device()).or_default();
                ranges.entry(range).or_insert(Range::Few(Vec::new())).insert(low)
            }
        }
    }

    pub(super) fn remove(&mut self, key: &Key) {
        if let Some(name) = &key.1 {
            self.names.remove(&(key.0, name.clone()));
            return;
        }
        let (range, low) = split(key.0.inode());
        let Some(ranges) = self.inodes.get_mut(&key.0.device()) else { return };
        if ranges.get_mut(&range).is_some_and(|range| range.remove(low)) {
            ranges.remove(&range);
        }
    }

    pub(super) fn contains(&self, key: &Key) -> bool {
        if let Some(name) = &key.1 {
            return self.names.contains(&(key.0, name.clone()));
        }
        let (range, low) = split(key.0.inode());
        let range = self.inodes.get(&key.0.device()).and_then(|ranges| ranges.get(&range));
        range.is_some_and(|range| range.contains(low))
    }
}

fn split(inode: u64) -> (u64, u16) {
    (inode >> RANGE, (inode & ((1 << RANGE) - 1)) as u16)
}

fn bit(low: u16) -> (usize, u64) {
    (usize::from(low >> 6), 1 << (low & 63))
}

impl Range {
    fn insert(&mut self, low: u16) -> bool {
        let few = match self {
            Range::Many(words) => {
                let (word, bit) = bit(low);
                let missing = words[word] & bit == 0;
                words[word] |= bit;
                return missing;
            }
            Range::Few(few) => few,
        };
        let Err(at) = few.binary_search(&low) else { return false };
        if few.len() < FEW {
            few.reserve_exact(if few.is_empty() { 1 } else { few.len().min(8) });
            few.insert(at, low);
        } else {
            let mut words = Box::new([0; WORDS]);
            for (word, bit) in few.iter().copied().chain([low]).map(bit) {
                words[word] |= bit;
            }
            *self = Range::Many(words);
        }
        true
    }

    /// Removes a number. Returns whether none is left.
    fn remove(&mut self, low: u16) -> bool {
        match self {
            Range::Many(words) => {
                let (word, bit) = bit(low);
                words[word] &= !bit;
                words.iter().all(|word| *word == 0)
            }
            Range::Few(few) => {
                if let Ok(at) = few.binary_search(&low) {
                    few.remove(at);
                }
                few.is_empty()
            }
        }
    }

    fn contains(&self, low: u16) -> bool {
        match self {
            Range::Many(words) => {
                let (word, bit) = bit(low);
                words[word] & bit != 0
            }
            Range::Few(few) => few.binary_search(&low).is_ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_a_hash_set() {
        let (mut known, mut model) = (Known::default(), HashSet::new());
        let mut random = 1_u64;
        for step in 0..200_000_u64 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step | 1);
            // Dense numbers at first, so that lists become bitmaps, and scattered ones.
            let inode = if step % 3 == 0 { random >> 20 } else { (random >> 33) % 20_000 };
            let name = (step % 7 == 0).then(|| OsString::from((inode % 100).to_string()));
            let key = Key(Identity::new(random >> 60 & 1, inode), name);
            assert_eq!(known.contains(&key), model.contains(&key));
            if random >> 40 & 3 == 0 {
                known.remove(&key);
                model.remove(&key);
            } else {
                assert_eq!(known.insert(&key), model.insert(key));
            }
        }
        for key in &model {
            assert!(known.contains(key));
            known.remove(key);
        }
        assert!(known.names.is_empty() && known.inodes.values().all(BTreeMap::is_empty));
    }

    #[test]
    fn successive_inodes_cost_a_bit_each() {
        let mut known = Known::default();
        for inode in 0..1 << 20 {
            assert!(known.insert(&Key::of(Identity::new(1, inode))));
        }
        let ranges = &known.inodes[&1];
        assert_eq!(ranges.len(), 1 << (20 - RANGE));
        assert!(ranges.values().all(|range| matches!(range, Range::Many(_))));
    }
}
