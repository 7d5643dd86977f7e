//! The characters of a run: what stands in consecutive tokens that have to be encoded, and the
//! white space between them, without folds, quotation marks and backslashes.

use super::position::{Kind, Position};
use super::sight::{Here, Sight};
use crate::header::field::Field;

/// Entries that are looked at for a word: more than any word carries.
pub const MOST: usize = 72;

/// Bytes of an entry: a character, or a backslash that stays and ASCII after it.
const LONGEST: usize = 4;

/// The front of a run, as far as a word may need it.
#[derive(Debug)]
pub struct Run {
    text: [u8; MOST * LONGEST],
    entries: [Entry; MOST],
    count: usize,
    /// Bytes of source before the first entry.
    lead: usize,
    /// Bytes that have been read since it was gathered.
    passed: usize,
    /// Whether the run ends after the last entry.
    pub ended: bool,
    /// Where, and in which position: what stands directly after it.
    pub after: (usize, Position),
}

/// One character of a run, or a pair that is not cut. Small, because many are made.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// Where it ends in the source, with what is silent after it.
    source: u32,
    /// Where it ends in the text.
    text: u16,
    /// Whether a quoted-string is open after it.
    quoted: bool,
}

/// Where gathering begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// Within a token of the run, or at its end.
    Token,
    /// At white space before one, or where one begins.
    Gap,
}

impl Run {
    /// None yet.
    pub fn new() -> Run {
        Run {
            text: [0; MOST * LONGEST],
            entries: [Entry::default(); MOST],
            count: 0,
            lead: 0,
            passed: 0,
            ended: false,
            after: (0, Position::new(Field::Text)),
        }
    }

    fn begin(&mut self, at: usize, position: Position) {
        (self.count, self.lead, self.passed) = (0, at, 0);
        (self.ended, self.after) = (false, (at, position));
    }

    /// Gathers a run from a position in the text on, up to so many bytes of it.
    pub fn gather(
        &mut self,
        sight: &Sight<'_>,
        at: usize,
        position: Position,
        from: From,
        most: usize,
    ) -> Option<()> {
        self.begin(at, position);
        let (mut at, mut position, mut inside) = (at, position, from == From::Token);
        while !self.is_full(most) {
            if !inside {
                let Some(gap) = position.gap_in_run(sight, at)? else {
                    (self.ended, self.after) = (true, (at, position));
                    break;
                };
                self.blanks(sight, at, gap.end, position)?;
                (at, inside) = (gap.end, true);
                continue;
            }
            let unit = position.unit(sight, at)?;
            position = position.after(unit);
            at += unit.length;
            match unit.kind {
                Kind::Content(hidden) => {
                    let shown = &sight.bytes()[at - unit.length + hidden..at];
                    self.push(shown, at, position);
                }
                Kind::Quote | Kind::Fold => self.stretch(at, position),
                Kind::End if sight.here(at)? == Here::Other => {
                    // A special character, which is in no run.
                    (self.ended, self.after) = (true, (at, position));
                    break;
                }
                Kind::End => inside = false,
            }
        }
        Some(())
    }

    /// Gathers nothing but the white space at the start, up to `end`.
    pub fn of_blanks(&mut self, sight: &Sight<'_>, position: Position, end: usize) -> Option<()> {
        self.begin(0, position);
        self.blanks(sight, 0, end, position)
    }

    fn blanks(
        &mut self,
        sight: &Sight<'_>,
        from: usize,
        end: usize,
        position: Position,
    ) -> Option<()> {
        let mut at = from;
        while at < end {
            match sight.here(at)? {
                Here::Fold(length) => {
                    at += length;
                    self.stretch(at, position);
                }
                _ => {
                    at += 1;
                    self.push(&sight.bytes()[at - 1..at], at, position);
                }
            }
        }
        Some(())
    }

    /// Whether there is no space for more. What does not fit is simply not seen.
    fn is_full(&self, most: usize) -> bool {
        self.count == MOST || self.offset(self.count) >= most
    }

    fn push(&mut self, content: &[u8], source: usize, position: Position) {
        let from = self.offset(self.count);
        if self.count < MOST && content.len() <= LONGEST {
            let text = from + content.len();
            // So short that a loop is faster than a call.
            for (to, byte) in self.text[from..text].iter_mut().zip(content) {
                *to = *byte;
            }
            let entry = Entry { source: source as u32, text: text as u16, quoted: position.quoted };
            self.entries[self.count] = entry;
            self.count += 1;
        }
    }

    /// Silent bytes belong to the entry before them.
    fn stretch(&mut self, source: usize, position: Position) {
        match self.count {
            0 => self.lead = source,
            MOST => {}
            count => {
                self.entries[count - 1].source = source as u32;
                self.entries[count - 1].quoted = position.quoted;
            }
        }
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.count
    }

    /// All text that was gathered.
    pub fn text(&self) -> &str {
        self.text_to(self.count)
    }

    /// The text of the first entries.
    pub fn text_to(&self, count: usize) -> &str {
        std::str::from_utf8(&self.text[..self.offset(count)]).unwrap_or("")
    }

    /// The bytes of one entry.
    pub fn entry(&self, index: usize) -> &[u8] {
        &self.text[self.offset(index)..self.offset(index + 1)]
    }

    /// Where in the text so many entries end.
    pub fn offset(&self, count: usize) -> usize {
        count.checked_sub(1).map_or(0, |last| self.entries[last].text.into())
    }

    /// Goes on to the front of a run that was gathered from further on.
    pub fn reached(&mut self) {
        self.passed = self.lead;
    }

    /// Bytes of source of the first entries, and the position after them.
    pub fn source(&self, count: usize) -> (usize, Position) {
        match count.checked_sub(1) {
            None => (self.lead - self.passed, self.after.1),
            Some(last) => {
                let Entry { source, quoted, .. } = self.entries[last];
                (
                    source as usize - self.passed,
                    Position { quoted, after_at: false, ..self.after.1 },
                )
            }
        }
    }
}
