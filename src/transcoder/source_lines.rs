//! Lines of the file itself, for an encoding whose decoder takes line ends away.
//!
//! Between two header words a line end is not text (RFC 2047, section 6.2), so lines of the text are
//! not those that an editor shows. All that counts in such a file is ASCII, where a column is a byte.

use std::collections::VecDeque;

use memchr::memchr_iter;

use super::line_column::LineColumn;

/// Where lines end, as far as it may still be requested: within a block.
#[derive(Debug, Default)]
pub struct SourceLines {
    /// Offsets of line feeds.
    newlines: VecDeque<u64>,
    /// Line feeds before these.
    discarded_lines: u64,
    /// Offset after the last of them.
    line_start: u64,
}

impl SourceLines {
    /// Bytes that come next, of which the first has this offset.
    pub fn add(&mut self, offset: u64, bytes: &[u8]) {
        self.newlines.extend(memchr_iter(b'\n', bytes).map(|at| offset + at as u64));
    }

    /// Nothing before this offset will be requested.
    pub fn discard_before(&mut self, offset: u64) {
        while let Some(end) = self.newlines.pop_front_if(|end| *end < offset) {
            (self.discarded_lines, self.line_start) = (self.discarded_lines + 1, end + 1);
        }
    }

    /// The line and column of the byte at this offset, and the offset of its line.
    pub fn line_at(&self, offset: u64) -> (LineColumn, u64) {
        let count = self.newlines.partition_point(|end| *end < offset);
        let start = match count.checked_sub(1).and_then(|last| self.newlines.get(last)) {
            Some(end) => end + 1,
            None => self.line_start,
        };
        let line = self.discarded_lines + count as u64 + 1;
        (LineColumn { line, column: offset.saturating_sub(start) + 1 }, start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_correct_after_discarding() {
        let text = b"a\n\nbc\n\nd";
        let expected = [(1, 1), (1, 2), (2, 1), (3, 1), (3, 2), (3, 3), (4, 1), (5, 1)];
        for cut in 0..text.len() {
            let mut lines = SourceLines::default();
            lines.add(0, &text[..cut]);
            lines.add(cut as u64, &text[cut..]);
            for (offset, (line, column)) in (0..).zip(expected) {
                if offset >= cut as u64 {
                    lines.discard_before(cut as u64);
                }
                assert_eq!(lines.line_at(offset).0, LineColumn { line, column }, "{cut} {offset}");
            }
        }
    }
}
