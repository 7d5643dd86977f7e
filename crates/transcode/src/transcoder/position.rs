//! Positions of errors in the input, found by replay.
//!
//! Conversion saves only one state per call of a stage. A stage's output is drained before the stage
//! runs again, so while a later stage runs, the bytes that its input was made from are still
//! available. Running the stage again from the saved state, up to the byte in question, finds the
//! corresponding byte of its own input, and so on back to the file.

use std::collections::VecDeque;

use memchr::{memchr_iter, memrchr};

use super::Transcoder;
use super::chain::{ChainLink, InputOrigin, ReplayCursor};
use charpipe_encoding::conversion_error::Position;
use charpipe_kernel::count;

/// The size of the output buffer for replay.
pub const SCRATCH_LEN: usize = 4096;

impl Transcoder {
    /// Returns the position of the byte at `index` of the input buffer of stage `at`.
    pub(super) fn position_of(&mut self, at: usize, index: usize) -> Position {
        if at == 0 {
            return self.position_at(self.base_offset.wrapping_add(index as u64), self.line_column);
        }
        let link = &self.chain.stages[at];
        if index == link.input.position() && link.input.unread_bytes().is_empty() {
            // Something is missing at the end, which is the end of the previous stage's input as well.
            return self.position_of(at - 1, self.chain.stages[at - 1].input.position());
        }
        if let Some(carried) = link.carried_at(index) {
            return carried.position;
        }
        match link.origin {
            InputOrigin::Stage => {}
            InputOrigin::Replacement(position) => return position,
            InputOrigin::Recovered => {
                return self.position_of(at - 1, self.chain.stages[at - 1].input.position());
            }
        }
        let written = index.saturating_sub(link.new_input_start);
        let source = replay_to(&mut self.chain.stages[at - 1], &mut self.scratch, written);
        let before = self.position_of(at - 1, source);
        if at - 1 != self.chain.text_stage || self.source_lines.is_some() {
            return before;
        }
        let lines = self.line_column_at(written);
        self.position_at(before.offset, lines)
    }

    /// Returns the line and column of byte `written` of the text stage's last output.
    ///
    /// Replacements overwrite text that has been read, so this must be called before inserting one. The
    /// cursor only moves forward, so the total time is linear.
    pub(super) fn line_column_at(&mut self, written: usize) -> LineColumn {
        let Some(next) = self.chain.stages.get(self.chain.text_stage + 1) else {
            return self.line_column;
        };
        let (counted, lines) = self.counted_up_to;
        if written < counted {
            return lines;
        }
        let text = next.input.since(next.new_input_start + counted);
        let lines = lines.after(&text[..(written - counted).min(text.len())]);
        self.counted_up_to = (written, lines);
        lines
    }

    /// Returns the position of the byte at `offset` of the input, which has not been read before the current
    /// call: source lines before it are discarded.
    fn position_at(&self, offset: u64, lines: LineColumn) -> Position {
        let source_lines = self.source_lines.as_ref().map(|lines| lines.line_at(offset).0);
        let LineColumn { line, column } = source_lines.unwrap_or(lines);
        Position { offset, line, column }
    }
}

/// Returns the index into the input of `link` of the first byte that encodes byte `target` of the
/// output of its last call.
pub fn replay_to(link: &mut ChainLink, scratch: &mut [u8], target: usize) -> usize {
    let current = link.stage.save_state();
    let mut cursor = link.replay_cursor;
    if cursor.written > target {
        cursor =
            ReplayCursor { read: link.last_call.start, written: 0, state: link.last_call.state };
    }
    link.stage.restore_state(cursor.state);
    run_up_to(link, scratch, target, &mut cursor);
    while smallest_step(link, scratch, target, &mut cursor) {}
    link.replay_cursor = cursor;
    link.stage.restore_state(current);
    cursor.read
}

/// Returns the index into the input of `link` after the last byte that encodes the character of `len`
/// bytes at byte `target` of the output of its last call. A byte that also contains bits of the next
/// character belongs to the next.
pub fn replay_past(link: &mut ChainLink, scratch: &mut [u8], target: usize, len: usize) -> usize {
    replay_to(link, scratch, target);
    let current = link.stage.save_state();
    let mut cursor = link.replay_cursor;
    link.stage.restore_state(cursor.state);
    while cursor.written < target + len && smallest_step(link, scratch, target + len, &mut cursor) {
    }
    link.replay_cursor = cursor;
    link.stage.restore_state(current);
    cursor.read
}

/// Replays with an output buffer that ends at the target.
fn run_up_to(link: &mut ChainLink, scratch: &mut [u8], target: usize, cursor: &mut ReplayCursor) {
    while cursor.written < target {
        let output = (target - cursor.written).min(scratch.len());
        let src = link.input.since(cursor.read);
        // Text is validated before it is replayed: the whole buffer, at every error, is too much.
        let input = &src[..src.len().min(output + link.max_lookahead)];
        let end = link.last_call.end && input.len() == src.len();
        let (read, written) = link.stage.replay(input, &mut scratch[..output], end);
        cursor.read += read;
        cursor.written += written;
        cursor.state = link.stage.save_state();
        if read == 0 && written == 0 {
            return;
        }
    }
}

/// Replays the smallest number of bytes that makes progress. Returns whether to continue. Input without
/// output, such as an escape sequence or a BOM, precedes the target; input that would write past it
/// contains it. If `max_lookahead + 1` bytes make no progress, more cannot (third clause of the
/// contract).
fn smallest_step(
    link: &mut ChainLink,
    scratch: &mut [u8],
    target: usize,
    cursor: &mut ReplayCursor,
) -> bool {
    let all = link.input.since(cursor.read);
    let (max, whole) = (all.len().min(link.max_lookahead + 1), all.len());
    let scratch_len = scratch.len();
    let mut feed = |count: usize, space: usize| {
        link.stage.restore_state(cursor.state);
        let src = &link.input.since(cursor.read)[..count];
        link.stage.replay(src, &mut scratch[..space], link.last_call.end && count == whole)
    };
    let Some(count) = min_progress_len(max, &mut |count| feed(count, scratch_len) != (0, 0)) else {
        link.stage.restore_state(cursor.state);
        return false;
    };
    let (mut read, mut written) = feed(count, scratch_len);
    if cursor.written + written > target {
        // Input that is read only together with the target precedes it too, as in `run_up_to`.
        (read, written) = feed(count, target.saturating_sub(cursor.written));
        if (read, written) == (0, 0) {
            link.stage.restore_state(cursor.state);
            return false;
        }
    }
    cursor.read += read;
    cursor.written += written;
    cursor.state = link.stage.save_state();
    true
}

/// Returns the smallest length from 1 to `max` that makes progress. Longer input never makes less
/// progress, and `max` may be many thousands: the length is doubled, then found by bisection.
fn min_progress_len(max: usize, makes_progress: &mut dyn FnMut(usize) -> bool) -> Option<usize> {
    if max == 0 {
        return None;
    }
    let (mut low, mut high) = (0, 1);
    while !makes_progress(high) {
        if high == max {
            return None;
        }
        (low, high) = (high, (2 * high).min(max));
    }
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if makes_progress(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// A line and a column of the decoded text, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineColumn {
    pub line: u64,
    pub column: u64,
}

impl LineColumn {
    pub const START: LineColumn = LineColumn { line: 1, column: 1 };

    /// Returns the position after `text`, in UTF-8 or the longer form of RFC 2044.
    ///
    /// Line feeds are counted in one pass: 0.014 nanoseconds per byte, where memchr, which finds
    /// positions, takes twice as long. Columns are counted only after the last line feed.
    pub fn after(self, text: &[u8]) -> LineColumn {
        let Some(last) = memrchr(b'\n', text) else {
            return LineColumn { column: self.column + count::count_chars(text), ..self };
        };
        let line = self.line + count::count_newlines(text);
        LineColumn { line, column: 1 + count::count_chars(&text[last + 1..]) }
    }

    /// Returns the position after `character`.
    pub fn after_character(self, character: char) -> LineColumn {
        match character {
            '\n' => LineColumn { line: self.line + 1, column: 1 },
            _ => LineColumn { column: self.column + 1, ..self },
        }
    }

    /// Returns the position in a text of a position in a part of it that begins at `start`.
    pub fn after_start(self, start: LineColumn) -> LineColumn {
        let column = if self.line == 1 { self.column + start.column - 1 } else { self.column };
        LineColumn { line: self.line + start.line - 1, column }
    }

    /// Returns the position after a malformed sequence.
    pub fn after_malformed(self) -> LineColumn {
        LineColumn { column: self.column + 1, ..self }
    }
}

/// The lines of the file, for RFC 2047, whose decoder removes line endings.
///
/// A line ending between two encoded-words is not text (RFC 2047, section 6.2), so the lines of the
/// text are not those of the file. The relevant bytes are ASCII, so columns count bytes. Only the
/// current buffer is kept.
#[derive(Debug, Default)]
pub struct SourceLines {
    /// The offsets of line feeds.
    newlines: VecDeque<u64>,
    /// The number of line feeds before them.
    discarded_lines: u64,
    /// The offset after the last discarded line feed.
    line_start: u64,
}

impl SourceLines {
    /// Adds the line feeds of `bytes`, which start at `offset`.
    pub fn add(&mut self, offset: u64, bytes: &[u8]) {
        self.newlines.extend(memchr_iter(b'\n', bytes).map(|at| offset + at as u64));
    }

    /// Discards line feeds before `offset`.
    pub fn discard_before(&mut self, offset: u64) {
        let count = self.newlines.partition_point(|end| *end < offset);
        if let Some(end) = self.newlines.drain(..count).next_back() {
            self.line_start = end + 1;
        }
        self.discarded_lines += count as u64;
    }

    /// Returns the line and column of the byte at `offset`, and the offset of its line.
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
    fn smallest_length_that_makes_progress_is_found() {
        for max in 0..70 {
            for smallest in 1..80 {
                let mut asked = 0;
                let found = min_progress_len(max, &mut |count| {
                    asked += 1;
                    assert!(count <= max);
                    count >= smallest
                });
                assert_eq!(found, (smallest <= max).then_some(smallest), "{max} {smallest}");
                assert!(asked < 16, "{max} {smallest}");
            }
        }
    }

    #[test]
    fn columns_count_characters_and_begin_again_after_a_line_feed() {
        for (text, line, column) in
            [("", 1, 1), ("aé", 1, 3), ("a\n", 2, 1), ("a\r\nbc€", 2, 4), ("\n\n😀", 3, 2)]
        {
            assert_eq!(
                LineColumn::START.after(text.as_bytes()),
                LineColumn { line, column },
                "{text:?}"
            );
            let one_by_one = text.chars().fold(LineColumn::START, LineColumn::after_character);
            assert_eq!(one_by_one, LineColumn { line, column }, "{text:?}");
        }
    }

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
