//! The locator: offsets, lines and columns of the bytes in the buffers of a chain.
//!
//! Positions in the file are found by [replay](super::replay). Running a stage again from the saved
//! state, up to the byte in question, finds the corresponding byte of its own input, and so on back to
//! the file. Two kinds of bytes come from no call and have recorded positions: those that an earlier
//! call left unread, and replacements.

use std::ops::Range;

use super::chain::{CarriedByte, Chain, InputOrigin};
use super::position::{LineColumn, SourceLines};
use super::replay::{SCRATCH_LEN, replay_to};
use charpipe_encoding::conversion_error::Position;

/// Knows where in the file the bytes of a chain's buffers come from.
pub(super) struct Locator {
    /// The file offset of index 0 of the first stage's input buffer; wraps below zero.
    base_offset: u64,
    /// The position at which the last step of the text stage began.
    pub line_column: LineColumn,
    /// The number of bytes of the text stage's last output whose lines have been counted, and the
    /// position after them.
    counted_up_to: (usize, LineColumn),
    /// The byte of that output at which the last unmappable character was, and its position.
    last_unmappable: Option<(usize, LineColumn)>,
    /// The lines of the file, if they differ from those of the text.
    source_lines: Option<SourceLines>,
    /// Whether lines are counted even where only the number of errors matters.
    pub always_counts_lines: bool,
    /// The output of replays, empty until the first.
    scratch: Box<[u8]>,
}

impl Locator {
    pub fn new(chain: &Chain, has_source_lines: bool) -> Locator {
        Locator {
            base_offset: (chain.stages[0].input.position() as u64).wrapping_neg(),
            line_column: LineColumn::START,
            counted_up_to: (0, LineColumn::START),
            last_unmappable: None,
            source_lines: has_source_lines.then(SourceLines::default),
            always_counts_lines: false,
            scratch: Box::default(),
        }
    }

    /// Counts lines in the file instead of in the decoded text, and columns in bytes.
    pub fn count_source_lines(&mut self) {
        self.source_lines.get_or_insert_default();
    }

    /// Returns whether lines are those of the file.
    pub fn counts_source_lines(&self) -> bool {
        self.source_lines.is_some()
    }

    /// Begins at the start of a file.
    pub fn start_file(&mut self, chain: &Chain) {
        self.base_offset = (chain.stages[0].input.position() as u64).wrapping_neg();
        self.line_column = LineColumn::START;
        self.source_lines = self.source_lines.take().map(|_| SourceLines::default());
    }

    /// Begins at `offset` of the input, whose line and column is `at`.
    pub fn resume(&mut self, chain: &Chain, offset: u64, at: LineColumn) {
        let start = chain.stages[0].input.position();
        self.base_offset = offset.wrapping_sub(start as u64);
        self.line_column = at;
        self.start_output();
    }

    /// Moves the lines and columns of a conversion that began at the first line, to `start`.
    pub fn rebase_lines(&mut self, start: LineColumn) {
        self.line_column = self.line_column.after_start(start);
        self.start_output();
    }

    /// Notes the lines of the next `len` bytes of the file, which are in the space after the first stage's
    /// input.
    pub fn add_input(&mut self, chain: &mut Chain, len: usize) {
        let offset = self.next_offset(chain);
        if let Some(source_lines) = &mut self.source_lines {
            source_lines.add(offset, &chain.stages[0].input.spare_mut()[..len]);
        }
    }

    /// Returns the offset in the file of the next byte that is read.
    pub fn next_offset(&self, chain: &Chain) -> u64 {
        let input = &chain.stages[0].input;
        let index = input.position() + input.unread_bytes().len();
        self.base_offset.wrapping_add(index as u64)
    }

    /// Begins an output of the text stage.
    pub fn start_output(&mut self) {
        self.counted_up_to = (0, self.line_column);
        self.last_unmappable = None;
    }

    /// Moves past a malformed sequence of the input.
    pub fn skip_malformed(&mut self) {
        self.line_column = self.line_column.after_malformed();
    }

    /// Moves the count of lines past the unmappable character at `index` of the input of stage `at`,
    /// before its replacement overwrites it.
    pub fn pass_unmappable(&mut self, chain: &Chain, at: usize, index: usize, character: char) {
        let new_input_start = chain.stages[at].new_input_start;
        if at == chain.text_stage + 1 && index >= new_input_start {
            let written = index - new_input_start;
            let lines = self.line_column_at(chain, written);
            self.last_unmappable = Some((written, lines));
            self.counted_up_to = (written + character.len_utf8(), lines.after_character(character));
        }
    }

    /// Returns the position of the byte at `index` of the input buffer of stage `at`.
    pub fn position_of(&mut self, chain: &mut Chain, at: usize, index: usize) -> Position {
        if at == 0 {
            return self.position_at(self.base_offset.wrapping_add(index as u64), self.line_column);
        }
        let link = &chain.stages[at];
        let end_of_previous = chain.stages[at - 1].input.position();
        if index == link.input.position() && link.input.unread_bytes().is_empty() {
            // Something is missing at the end, which is the end of the previous stage's input as well.
            return self.position_of(chain, at - 1, end_of_previous);
        }
        // A replacement has the position of what it replaces.
        let index = if index < link.replacement_end { link.replaced_index } else { index };
        if let Some(carried) = link.carried_at(index) {
            return carried.position;
        }
        match link.origin {
            InputOrigin::Stage => {}
            InputOrigin::Replacement(position) => return position,
            InputOrigin::Recovered => return self.position_of(chain, at - 1, end_of_previous),
        }
        let written = index.saturating_sub(link.new_input_start);
        if self.scratch.is_empty() {
            let lookaheads = chain.stages.iter().map(|link| link.max_lookahead);
            self.scratch = vec![0; lookaheads.fold(SCRATCH_LEN, usize::max)].into_boxed_slice();
        }
        let source = replay_to(&mut chain.stages[at - 1], &mut self.scratch, written);
        let before = self.position_of(chain, at - 1, source);
        if at - 1 != chain.text_stage || self.source_lines.is_some() {
            return before;
        }
        let lines = self.line_column_at(chain, written);
        self.position_at(before.offset, lines)
    }

    /// Returns the line and column of byte `written` of the text stage's last output.
    ///
    /// Replacements overwrite text that has been read, so this must be called before inserting one. The
    /// cursor only moves forward, so the total time is linear.
    fn line_column_at(&mut self, chain: &Chain, written: usize) -> LineColumn {
        let Some(next) = chain.stages.get(chain.text_stage + 1) else {
            return self.line_column;
        };
        if let Some((_, lines)) = self.last_unmappable.filter(|(at, _)| *at == written) {
            return lines;
        }
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

    /// Moves the unread input of stage `at` to the start of its buffer, and records its positions.
    pub fn carry_over(&mut self, chain: &mut Chain, at: usize) {
        let link = &chain.stages[at];
        let (first, count) = (link.input.position(), link.input.unread_bytes().len());
        if at > 0 && (count > 0 || !link.carried_bytes.is_empty()) {
            self.record_positions(chain, at, first..first + count);
        }
        let link = &mut chain.stages[at];
        let shift = link.input.compact();
        link.new_input_start = link.input.position() + count;
        link.replacement_end = 0;
        if at == 0 {
            self.base_offset = self.base_offset.wrapping_add_signed(shift as i64);
            let start = self.base_offset.wrapping_add(link.input.position() as u64);
            if let Some(source_lines) = &mut self.source_lines {
                source_lines.discard_before(start);
            }
        }
    }

    /// Records the positions of unread bytes, which replay cannot determine later, and whether they
    /// belong to a replacement. Recorded positions are kept, because errors may be frequent and each
    /// ends a call.
    fn record_positions(&mut self, chain: &mut Chain, at: usize, unread: Range<usize>) {
        let has_replacement = unread.start < chain.stages[at].replacement_end;
        let replaced = has_replacement.then(|| self.position_of(chain, at, unread.start));
        let link = &mut chain.stages[at];
        let new_input_start = link.new_input_start;
        let mut carried = std::mem::take(&mut link.carried_bytes);
        let carried_start = new_input_start - carried.len();
        carried.drain(..carried.len().min(unread.start.saturating_sub(carried_start)));
        let is_replacement = matches!(link.origin, InputOrigin::Replacement(_));
        carried.extend((new_input_start.max(unread.start)..unread.end).map(|index| CarriedByte {
            position: self.position_of(chain, at, index),
            is_replacement,
        }));
        let start = unread.end - carried.len();
        let link = &mut chain.stages[at];
        let inserted = link.replacement_end.saturating_sub(start).min(carried.len());
        for carried in &mut carried[..inserted] {
            let position = replaced.unwrap_or(carried.position);
            *carried = CarriedByte { position, is_replacement: true };
        }
        link.carried_bytes = carried;
    }
}
