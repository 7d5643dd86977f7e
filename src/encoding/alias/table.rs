//! Tables of names: lines of text, sorted by what counts of their first field.
//!
//! A table is searched as it stands in the program. Nothing is built from it at the start, and a
//! search neither allocates nor looks at more than a few lines.

use std::cmp::Ordering;

use memchr::{memchr, memrchr};

use super::{normalize, normalized};

/// Lines of fields between tabs, sorted by the [`significant`] characters of the first field.
#[derive(Debug, Clone, Copy)]
pub(in crate::encoding) struct LabelTable(pub &'static str);

/// The fields of a line: a name, what it names, and what more there is to say.
pub(in crate::encoding) type LabelRow = (&'static str, &'static str, &'static str);

impl LabelTable {
    /// All lines, in order.
    pub(in crate::encoding) fn lines(self) -> impl Iterator<Item = LabelRow> {
        self.0.lines().map(split_fields)
    }

    /// The lines whose name is the same as this one but for what does not count.
    pub(in crate::encoding) fn matching(self, label: &str) -> impl Iterator<Item = LabelRow> {
        let key = NormalizedLabel::new(label);
        let lines = self.lower_bound(&key).lines();
        lines.map(split_fields).take_while(move |line| key.compare(line.0.as_bytes()).is_eq())
    }

    /// What begins with the first line that is not before the key.
    fn lower_bound(self, key: &NormalizedLabel) -> &'static str {
        let text = self.0.as_bytes();
        let (mut low, mut high) = (0, text.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let start = memrchr(b'\n', &text[low..middle]).map_or(low, |at| low + at + 1);
            let line = &text[start..];
            let name = memchr(b'\t', line).map_or(line, |length| &line[..length]);
            if key.compare(name).is_lt() {
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

fn split_fields(line: &'static str) -> LabelRow {
    let (name, rest) = line.split_once('\t').unwrap_or((line, ""));
    let (value, more) = rest.split_once('\t').unwrap_or((rest, ""));
    (name, value, more)
}

/// What counts of a label, folded once.
struct NormalizedLabel {
    bytes: [u8; super::MAX_LABEL_LEN],
    len: usize,
}

impl NormalizedLabel {
    /// The key of a label of at most [`LONGEST`](super::LONGEST) bytes.
    fn new(label: &str) -> NormalizedLabel {
        let mut key = NormalizedLabel { bytes: [0; super::MAX_LABEL_LEN], len: 0 };
        for (byte, position) in normalized(label).zip(&mut key.bytes) {
            *position = byte;
            key.len += 1;
        }
        key
    }

    /// How a name stands to the key.
    fn compare(&self, name: &[u8]) -> Ordering {
        normalize(name).cmp(self.bytes[..self.len].iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: LabelTable = LabelTable("a-1\tone\tx\nA1\ttwo\tx y\nb\tthree\t\ncp-037\tfour\n");

    #[test]
    fn search_finds_exactly_the_matching_rows() {
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
            let found: Vec<_> = SMALL.matching(label).map(|(_, value, _)| value).collect();
            assert_eq!(found, values, "{label:?}");
        }
    }

    #[test]
    fn search_matches_linear_scan() {
        let table = LabelTable(include_str!("aliases.tsv"));
        for (name, _, _) in table.lines() {
            let slow = table.lines().filter(|line| super::super::labels_match(line.0, name));
            assert!(table.matching(name).eq(slow), "{name}");
        }
    }
}
