//! Tables of names: lines of text, sorted by what counts of their first field.
//!
//! A table is searched as it stands in the program. Nothing is built from it at the start, and a
//! search neither allocates nor looks at more than a few lines.

use std::cmp::Ordering;

use memchr::{memchr, memrchr};

use super::{folded, significant};

/// Lines of fields between tabs, sorted by the [`significant`] characters of the first field.
#[derive(Debug, Clone, Copy)]
pub(in crate::charset) struct Table(pub &'static str);

/// The fields of a line: a name, what it names, and what more there is to say.
pub(in crate::charset) type Line = (&'static str, &'static str, &'static str);

impl Table {
    /// All lines, in order.
    pub(in crate::charset) fn lines(self) -> impl Iterator<Item = Line> {
        self.0.lines().map(fields)
    }

    /// The lines whose name is the same as this one but for what does not count.
    pub(in crate::charset) fn like(self, label: &str) -> impl Iterator<Item = Line> {
        let key = Key::new(label);
        let lines = self.first(&key).lines();
        lines.map(fields).take_while(move |line| key.order(line.0.as_bytes()).is_eq())
    }

    /// What begins with the first line that is not before the key.
    fn first(self, key: &Key) -> &'static str {
        let text = self.0.as_bytes();
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let start = memrchr(b'\n', &text[low..middle]).map_or(low, |at| low + at + 1);
            let line = &text[start..];
            let name = memchr(b'\t', line).map_or(line, |length| &line[..length]);
            if key.order(name).is_lt() {
                let end = memchr(b'\n', line).unwrap_or(line.len() - 1);
                low = start + end + 1;
            } else {
                high = start;
            }
        }
        // The text is ASCII, and this is the beginning of a line.
        &self.0[low..]
    }
}

fn fields(line: &'static str) -> Line {
    let (name, rest) = line.split_once('\t').unwrap_or((line, ""));
    let (value, more) = rest.split_once('\t').unwrap_or((rest, ""));
    (name, value, more)
}

/// What counts of a label, folded once.
struct Key {
    bytes: [u8; super::LONGEST],
    length: usize,
}

impl Key {
    /// The key of a label of at most [`LONGEST`](super::LONGEST) bytes.
    fn new(label: &str) -> Key {
        let mut key = Key { bytes: [0; super::LONGEST], length: 0 };
        for (byte, place) in significant(label).zip(&mut key.bytes) {
            *place = byte;
            key.length += 1;
        }
        key
    }

    /// How a name stands to the key.
    fn order(&self, name: &[u8]) -> Ordering {
        folded(name).cmp(self.bytes[..self.length].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Table = Table("a-1\tone\tx\nA1\ttwo\tx y\nb\tthree\t\ncp-037\tfour\n");

    #[test]
    fn a_search_finds_all_lines_of_a_name_and_no_other() {
        for (label, values) in [
            ("a1", &["one", "two"][..]),
            ("A_01", &["one", "two"]),
            ("b", &["three"]),
            ("CP37", &["four"]),
            ("a", &[]),
            ("a2", &[]),
            ("cp", &[]),
            ("cp370", &[]),
            ("", &[]),
            ("zz", &[]),
        ] {
            let found: Vec<_> = SMALL.like(label).map(|(_, value, _)| value).collect();
            assert_eq!(found, values, "{label:?}");
        }
    }

    #[test]
    fn a_search_agrees_with_looking_at_every_line() {
        let table = Table(include_str!("names.tsv"));
        for (name, _, _) in table.lines() {
            let slow = table.lines().filter(|line| super::super::same(line.0, name));
            assert!(table.like(name).eq(slow), "{name}");
        }
    }
}
