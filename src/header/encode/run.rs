//! The characters of a run: what stands in consecutive tokens that have to be encoded, and the
//! white space between them, without folds, quotation marks and backslashes.

use super::place::{Kind, Place};
use super::sight::{Here, Sight};
use crate::header::field::Field;

/// Entries that are looked at for a word: more than any word carries.
pub const MOST: usize = 72;

/// Bytes of an entry: a character, or a backslash that stays and ASCII behind it.
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
    /// Whether the run ends behind the last entry.
    pub ended: bool,
    /// Where, and in which place: what stands directly behind it.
    pub behind: (usize, Place),
}

/// One character of a run, or a pair that is not cut. Small, because many are made.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// Where it ends in the source, with what is silent behind it.
    source: u32,
    /// Where it ends in the text.
    text: u16,
    /// Whether a quoted-string is open behind it.
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
            behind: (0, Place::new(Field::Text)),
        }
    }

    fn begin(&mut self, at: usize, place: Place) {
        (self.count, self.lead, self.passed) = (0, at, 0);
        (self.ended, self.behind) = (false, (at, place));
    }

    /// Gathers a run from a place in the text on, up to so many bytes of it.
    pub fn gather(
        &mut self,
        sight: &Sight<'_>,
        at: usize,
        place: Place,
        from: From,
        most: usize,
    ) -> Option<()> {
        self.begin(at, place);
        let (mut at, mut place, mut inside) = (at, place, from == From::Token);
        while !self.is_full(most) {
            if !inside {
                let Some(gap) = place.gap_in_run(sight, at)? else {
                    (self.ended, self.behind) = (true, (at, place));
                    break;
                };
                self.blanks(sight, at, gap.end, place)?;
                (at, inside) = (gap.end, true);
                continue;
            }
            let unit = place.unit(sight, at)?;
            place = place.behind(unit);
            at += unit.length;
            match unit.kind {
                Kind::Content(hidden) => {
                    let shown = &sight.bytes()[at - unit.length + hidden..at];
                    self.push(shown, at, place);
                }
                Kind::Quote | Kind::Fold => self.stretch(at, place),
                Kind::End if sight.here(at)? == Here::Other => {
                    // A special character, which is in no run.
                    (self.ended, self.behind) = (true, (at, place));
                    break;
                }
                Kind::End => inside = false,
            }
        }
        Some(())
    }

    /// Gathers nothing but the white space at the front, up to `end`.
    pub fn of_blanks(&mut self, sight: &Sight<'_>, place: Place, end: usize) -> Option<()> {
        self.begin(0, place);
        self.blanks(sight, 0, end, place)
    }

    fn blanks(&mut self, sight: &Sight<'_>, from: usize, end: usize, place: Place) -> Option<()> {
        let mut at = from;
        while at < end {
            match sight.here(at)? {
                Here::Fold(length) => {
                    at += length;
                    self.stretch(at, place);
                }
                _ => {
                    at += 1;
                    self.push(&sight.bytes()[at - 1..at], at, place);
                }
            }
        }
        Some(())
    }

    /// Whether there is no room for more. What does not fit is simply not seen.
    fn is_full(&self, most: usize) -> bool {
        self.count == MOST || self.offset(self.count) >= most
    }

    fn push(&mut self, content: &[u8], source: usize, place: Place) {
        let from = self.offset(self.count);
        if self.count < MOST && content.len() <= LONGEST {
            let text = from + content.len();
            // So short that a loop is faster than a call.
            for (to, byte) in self.text[from..text].iter_mut().zip(content) {
                *to = *byte;
            }
            let entry = Entry { source: source as u32, text: text as u16, quoted: place.quoted };
            self.entries[self.count] = entry;
            self.count += 1;
        }
    }

    /// Silent bytes belong to the entry before them.
    fn stretch(&mut self, source: usize, place: Place) {
        match self.count {
            0 => self.lead = source,
            MOST => {}
            count => {
                self.entries[count - 1].source = source as u32;
                self.entries[count - 1].quoted = place.quoted;
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

    /// Bytes of source of the first entries, and the place behind them.
    pub fn source(&self, count: usize) -> (usize, Place) {
        match count.checked_sub(1) {
            None => (self.lead - self.passed, self.behind.1),
            Some(last) => {
                let Entry { source, quoted, .. } = self.entries[last];
                (source as usize - self.passed, Place { quoted, after_at: false, ..self.behind.1 })
            }
        }
    }
}
