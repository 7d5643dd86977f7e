//! The sorted names in a directory, in bounded memory.
//!
//! A directory may contain millions of files. If their names exceed a limit, the listing contains the
//! first of them in sorted order, and the directory is read again for the rest.

use std::io;
use std::ops::Range;

use crate::cli::fs::directory::Directory;
use crate::cli::sys::FileKind;

/// The type of a directory entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Directory,
    File,
    /// The file system does not report the type.
    Unknown,
}

const ENTRY_KINDS: [EntryKind; 3] = [EntryKind::Directory, EntryKind::File, EntryKind::Unknown];

/// An iterator over sorted names.
#[derive(Debug)]
pub(super) struct DirectoryListing {
    /// The kind of each name, its length in two bytes, and the name itself.
    names: Vec<u8>,
    /// The offsets of the names in sorted order.
    offsets: Vec<u32>,
    next: usize,
    is_complete: bool,
}

impl DirectoryListing {
    /// Lists the names after `after` for which `matches` returns true, in at most `limit` bytes of
    /// memory, but at least one name.
    ///
    /// # Errors
    ///
    /// Returns the error of reading the directory.
    pub(super) fn read(
        directory: &Directory,
        after: &[u8],
        limit: usize,
        matches: impl Fn(&[u8]) -> bool,
    ) -> io::Result<DirectoryListing> {
        let mut listing =
            DirectoryListing { names: vec![], offsets: vec![], next: 0, is_complete: true };
        // This name and later ones are left to the next listing.
        let mut end: Option<Vec<u8>> = None;
        directory.handle().for_each_entry(|kind, name| {
            let kind = match kind {
                Some(FileKind::Directory) => EntryKind::Directory,
                Some(FileKind::File) => EntryKind::File,
                None => EntryKind::Unknown,
                Some(_) => return Ok(()),
            };
            if name <= after || !matches(name) {
                return Ok(());
            }
            if end.as_ref().is_some_and(|end| name >= &**end) {
                listing.is_complete = false;
                return Ok(());
            }
            listing.push(kind, name)?;
            if listing.size() > limit && listing.offsets.len() > 1 {
                end = Some(listing.drop_upper_half());
                listing.is_complete = false;
            }
            Ok(())
        })?;
        listing.sort();
        Ok(listing)
    }

    fn push(&mut self, kind: EntryKind, name: &[u8]) -> io::Result<()> {
        let too_long = |_| io::Error::other("a file name in it is too long");
        let len = u16::try_from(name.len()).map_err(too_long)?;
        let begin = u32::try_from(self.names.len()).map_err(too_long)?;
        self.offsets.push(begin);
        self.names.push(kind as u8);
        self.names.extend_from_slice(&len.to_ne_bytes());
        self.names.extend_from_slice(name);
        Ok(())
    }

    /// Returns the range of the name whose entry begins at `begin`.
    fn name_range(&self, begin: u32) -> Range<usize> {
        let begin = begin as usize;
        let len = u16::from_ne_bytes([self.names[begin + 1], self.names[begin + 2]]);
        begin + 3..begin + 3 + usize::from(len)
    }

    fn sort(&mut self) {
        let mut order = std::mem::take(&mut self.offsets);
        order.sort_unstable_by_key(|begin| &self.names[self.name_range(*begin)]);
        self.offsets = order;
    }

    /// Removes the second half of the names and returns the first name in it.
    fn drop_upper_half(&mut self) -> Vec<u8> {
        self.sort();
        let half = self.offsets.len() / 2;
        let end = self.names[self.name_range(self.offsets[half])].to_vec();
        let mut text = Vec::with_capacity(self.names.capacity());
        for begin in &mut self.offsets[..half] {
            let from = *begin as usize;
            let len = u16::from_ne_bytes([self.names[from + 1], self.names[from + 2]]);
            *begin = text.len() as u32;
            text.extend_from_slice(&self.names[from..from + 3 + usize::from(len)]);
        }
        self.offsets.truncate(half);
        self.names = text;
        end
    }

    /// Returns the next name and its kind.
    pub(super) fn next(&mut self) -> Option<(EntryKind, &[u8])> {
        let begin = *self.offsets.get(self.next)?;
        self.next += 1;
        Some((
            ENTRY_KINDS[usize::from(self.names[begin as usize])],
            &self.names[self.name_range(begin)],
        ))
    }

    /// Returns true if no name is left.
    pub(super) fn is_empty(&self) -> bool {
        self.next == self.offsets.len()
    }

    /// Returns true if the directory has no names after those in the listing.
    pub(super) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the memory size in bytes.
    pub(super) fn size(&self) -> usize {
        size_of::<DirectoryListing>() + self.names.len() + 4 * self.offsets.len()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::path::Path;

    use super::*;

    /// Returns all names in a directory, and the number of times that it was read.
    fn read_all(path: &Path, limit: usize) -> (Vec<String>, usize) {
        let directory = Directory::open(path).unwrap();
        let (mut names, mut readings) = (Vec::<String>::new(), 0);
        loop {
            let after = names.last().cloned().unwrap_or_default();
            let matches = |name: &[u8]| !name.starts_with(b"no");
            let mut listing =
                DirectoryListing::read(&directory, after.as_bytes(), limit, matches).unwrap();
            readings += 1;
            assert!(listing.size() <= limit || listing.offsets.len() == 1, "{}", listing.size());
            while let Some((kind, name)) = listing.next() {
                assert_eq!(kind, EntryKind::File);
                names.push(String::from_utf8(name.to_vec()).unwrap());
            }
            if listing.is_complete() {
                return (names, readings);
            }
        }
    }

    #[test]
    fn names_are_complete_and_in_order_within_any_limit() {
        let directory = tempfile::tempdir().unwrap();
        let mut expected: Vec<_> = (0..500).map(|number| format!("{}", number * 7919)).collect();
        for name in expected.iter().map(String::as_str).chain(["no", "not"]) {
            File::create(directory.path().join(name)).unwrap();
        }
        expected.sort_unstable();
        for (limit, min, max) in [(1, 500, 500), (200, 50, 500), (2000, 5, 100), (20_000, 1, 1)] {
            let (names, readings) = read_all(directory.path(), limit);
            assert_eq!(names, expected, "{limit}");
            assert!((min..=max).contains(&readings), "{limit}: {readings}");
        }
    }
}
