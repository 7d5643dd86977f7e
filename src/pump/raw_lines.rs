//! Lines of the file itself, for an encoding whose decoder takes line ends away.
//!
//! Between two header words a line end is not text (RFC 2047, section 6.2), so lines of the text are
//! not those that an editor shows. All that counts in such a file is ASCII, where a column is a byte.

use std::collections::VecDeque;

use memchr::memchr_iter;

use super::lines::Lines;

/// Where lines end, as far as it may still be asked for: within a block.
#[derive(Debug, Default)]
pub struct RawLines {
    /// Offsets of line feeds.
    ends: VecDeque<u64>,
    /// Line feeds before these.
    before: u64,
    /// Offset behind the last of them.
    start: u64,
}

impl RawLines {
    /// Bytes that come next, of which the first has this offset.
    pub fn note(&mut self, offset: u64, bytes: &[u8]) {
        self.ends.extend(memchr_iter(b'\n', bytes).map(|at| offset + at as u64));
    }

    /// Nothing before this offset will be asked for.
    pub fn forget(&mut self, offset: u64) {
        while let Some(end) = self.ends.pop_front_if(|end| *end < offset) {
            (self.before, self.start) = (self.before + 1, end + 1);
        }
    }

    /// The line and column of the byte at this offset, and the offset of its line.
    pub fn at(&self, offset: u64) -> (Lines, u64) {
        let count = self.ends.partition_point(|end| *end < offset);
        let start = match count.checked_sub(1).and_then(|last| self.ends.get(last)) {
            Some(end) => end + 1,
            None => self.start,
        };
        let line = self.before + count as u64 + 1;
        (Lines { line, column: offset.saturating_sub(start) + 1 }, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_line_and_column_whatever_was_forgotten() {
        let text = b"a\n\nbc\n\nd";
        let expected = [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (3, 3), (4, 1), (5, 1)];
        for cut in 0..text.len() {
            let mut lines = RawLines::default();
            lines.note(0, &text[..cut]);
            lines.note(cut as u64, &text[cut..]);
            for (offset, (line, column)) in (0..).zip(expected) {
                if offset >= cut as u64 {
                    lines.forget(cut as u64);
                }
                assert_eq!(lines.at(offset).0, Lines { line, column }, "{cut} {offset}");
            }
        }
    }
}
