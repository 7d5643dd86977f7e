//! Where words and plain tokens go: on the line that is, or on a new one.

use super::ahead::Ahead;
use super::chunk::{chunk, suffix};
use super::line::{Content, Line};
use super::position::{Kind, Position, Zone};
use super::run::{From, Run};
use super::sight::Sight;
use super::state::{Last, Mode, Now};
use super::step::{Lead, Out, Step};
use super::token::Token;
use super::word::{Cut, WORD};
use super::{HeaderEncoder, RUN};
use crate::conversion_error::Unmappable;

/// Characters of text that a word must have space for, if it does not end its run: shorter ones are
/// not worth their frame. Less is enough after the name of a field, which should not stand alone.
const WORTH: usize = 24;
const WORTH_AFTER_NAME: usize = 12;

/// White space of which the record ends, or that goes on for too long, goes into words in so many
/// bytes at a time.
const BLANKS: usize = 256;

impl HeaderEncoder {
    /// The first word of a run, the token of which stands after `width` bytes of white space.
    pub(super) fn first_word(
        &mut self,
        sight: &Sight<'_>,
        space: &mut [u8],
        now: Now,
        width: usize,
    ) -> Option<Step> {
        let added = width == 0 && now.last == Last::Plain && now.position.zone() == Zone::Phrase;
        let blanks = if added { b" " } else { &sight.bytes()[..width] };
        let inline = Lead { fold: false, blanks };
        let line = now.line.with_blanks(blanks.len());
        let known = self.ahead.take().filter(|ahead| ahead.is_for(now.position, line, width));
        let Ahead { utf8, suffix, cut, .. } = match known {
            Some(ahead) => {
                self.run.reached();
                ahead
            }
            None => self.look(sight, now, width, line)?,
        };
        let now = Now { utf8, ..now };
        if self.run.len() == 0 {
            return Some(silent(now, &self.run));
        }
        if cut.lacks && cut.count == 0 {
            return lacking(sight, space, now, width);
        }
        if self.is_worth(now, &cut, line) {
            return Some(self.put(space, now, inline, &cut));
        }
        if let Some(step) = self.on_a_new_line(space, now, blanks, suffix) {
            return Some(step);
        }
        if width > 1 {
            return self.wide_blanks(sight, space, now);
        }
        // There is no position for a line end.
        let cut = if cut.count > 0 { cut } else { self.charsets.of(now).cut(&self.run, WORD, 0) };
        Some(self.put(space, now, inline, &cut))
    }

    /// The first word of a run after a line end, if there is a position for one, and space after it.
    fn on_a_new_line(
        &mut self,
        space: &mut [u8],
        now: Now,
        blanks: &[u8],
        suffix: usize,
    ) -> Option<Step> {
        let blanks = match blanks {
            b"" if now.position.zone() == Zone::Comment => b" ",
            blanks => blanks,
        };
        if !may_fold(now) || blanks.is_empty() {
            return None;
        }
        let line = Line::NEW.with_blanks(blanks.len());
        let cut = self.charsets.of(now).cut(&self.run, line.space(), suffix);
        let lead = Lead { fold: true, blanks };
        self.is_worth(now, &cut, line).then(|| self.put(space, now, lead, &cut))
    }

    /// White space before a run that leaves no space for a word: its first character stays
    /// outside, and the rest goes into the word.
    fn wide_blanks(&mut self, sight: &Sight<'_>, space: &mut [u8], now: Now) -> Option<Step> {
        let fold = may_fold(now);
        let near = self.charsets.of(now).near();
        self.run.gather(sight, 1, now.position, From::Gap, near)?;
        let lead = Lead { fold, blanks: &sight.bytes()[..1] };
        let line = if fold { Line::NEW } else { now.line }.with_blanks(1);
        let cut = self.charsets.of(now).cut(&self.run, line.space(), 0);
        let is_worth = self.is_worth(now, &cut, line);
        let cut = if is_worth { cut } else { self.charsets.of(now).cut(&self.run, WORD, 0) };
        match (cut.count, self.strict || now.utf8) {
            (0, false) => self.wide_blanks(sight, space, Now { utf8: true, ..now }),
            (0, true) => lacking(sight, space, now, 0),
            _ => Some(self.put(space, now, lead, &cut)),
        }
    }

    /// The next word of a run.
    pub(super) fn next_word(
        &mut self,
        sight: &Sight<'_>,
        space: &mut [u8],
        now: Now,
        from: From,
    ) -> Option<Step> {
        let near = self.charsets.of(now).near();
        self.run.gather(sight, 0, now.position, from, near)?;
        if self.run.len() == 0 {
            return Some(silent(now, &self.run));
        }
        let suffix = suffix(sight, &self.run)?;
        let line = now.line.with_blanks(1);
        let mut cut = self.charsets.of(now).cut(&self.run, line.space(), suffix);
        let fold = !self.is_worth(now, &cut, line);
        if fold {
            cut = self.charsets.of(now).cut(&self.run, WORD, suffix);
        }
        if cut.lacks && cut.count == 0 {
            if self.strict {
                return lacking(sight, space, now, 0);
            }
            return self.next_word(sight, space, Now { utf8: true, ..now }, from);
        }
        Some(self.put(space, now, Lead { fold, blanks: b" " }, &cut))
    }

    /// A word of nothing but white space, for which there is no space outside.
    pub(super) fn blank_word(
        &mut self,
        sight: &Sight<'_>,
        space: &mut [u8],
        now: Now,
        end: usize,
    ) -> Option<Step> {
        self.run.of_blanks(sight, now.position, end.min(BLANKS))?;
        let cut = self.charsets.of(now).cut(&self.run, WORD, 0);
        if cut.count == 0 && !now.utf8 {
            return self.blank_word(sight, space, Now { utf8: true, ..now }, end);
        }
        Some(self.put(space, now, Lead { fold: true, blanks: b" " }, &cut))
    }

    /// Goes on to a token that stays, after white space that ends at `width`.
    pub(super) fn plain(
        &mut self,
        sight: &Sight<'_>,
        space: &mut [u8],
        now: Now,
        width: usize,
        token: Token,
    ) -> Option<Step> {
        let zone = now.position.zone();
        let may_fold = match width {
            0 => now.last == Last::Word,
            _ => now.line.may_end() && (now.line.has_word || zone != Zone::Text),
        };
        let tight = may_fold && self.is_tight(sight, now, width)?;
        if tight && width > 0 {
            let lead = Lead { fold: true, blanks: &sight.bytes()[..1] };
            return Some(blank(space, now, lead, 1));
        }
        // A word in a phrase stands by itself (RFC 2047, section 5, rule 3).
        if width == 0 && now.last == Last::Word && (tight || zone == Zone::Phrase) {
            return Some(blank(space, now, Lead { fold: tight, blanks: b" " }, 0));
        }
        if width > 0 {
            return Some(super::copy::blanks(sight, width, space, now));
        }
        self.token(sight, space, now, token)
    }

    /// Whether a plain token, with all that touches it, is too long for this line.
    fn is_tight(&mut self, sight: &Sight<'_>, now: Now, width: usize) -> Option<bool> {
        let chunk = chunk(sight, width, now.position)?;
        let added = width == 0 && now.last == Last::Word && now.position.zone() == Zone::Phrase;
        let line = now.line.with_blanks(width + usize::from(added));
        if now.line.has_word && !line.fits(chunk.columns) {
            return Some(true);
        }
        let Some((at, position)) = chunk.glued else { return Some(false) };
        let line = line.with(chunk.columns, Content::Text);
        let now = Now { position, ..now };
        let ahead = self.look(sight, now, at, line)?;
        let is_tight = !self.is_worth(Now { utf8: ahead.utf8, ..now }, &ahead.cut, line);
        self.ahead = (!is_tight).then_some(ahead);
        Some(is_tight)
    }

    /// Gathers a run from its first token on, and cuts the word that would begin it on a line.
    fn look(&mut self, sight: &Sight<'_>, now: Now, at: usize, line: Line) -> Option<Ahead> {
        let now = Now { utf8: !self.expresses(sight, at, now.position)?, ..now };
        let near = self.charsets.of(now).near();
        self.run.gather(sight, at, now.position, From::Token, near)?;
        let suffix = suffix(sight, &self.run)?;
        let cut = self.charsets.of(now).cut(&self.run, line.space(), suffix);
        Some(Ahead {
            left: at,
            position: now.position,
            space: line.space(),
            utf8: now.utf8,
            suffix,
            cut,
        })
    }

    /// Whether a word is worth writing on a line where it begins.
    fn is_worth(&mut self, now: Now, cut: &Cut, line: Line) -> bool {
        let worth = if line.content <= Content::Name { WORTH_AFTER_NAME } else { WORTH };
        let text = line.space().saturating_sub(self.charsets.of(now).frame());
        cut.lacks || cut.count > 0 && (cut.whole || text >= worth)
    }

    /// Whether a run can be expressed in the charset, as far as it is looked at. Under `strict`
    /// it has to be, so nothing is looked at.
    fn expresses(&mut self, sight: &Sight<'_>, at: usize, position: Position) -> Option<bool> {
        let (mut next, mut position) = (at, position);
        while !self.strict && !self.charsets.asked.is_utf8() && next - at < RUN {
            self.run.gather(sight, next, position, From::Token, usize::MAX)?;
            if !self.charsets.asked.has(&self.run, next == at) {
                return Some(false);
            }
            if self.run.ended {
                break;
            }
            (next, position) = self.run.source(self.run.len());
        }
        Some(true)
    }

    /// Writes a word.
    fn put(&mut self, space: &mut [u8], now: Now, lead: Lead<'_>, cut: &Cut) -> Step {
        let Some(mut out) = Out::begin(space, lead, now.line_end, cut.columns) else {
            return Step::Full;
        };
        self.ahead = None;
        self.charsets.of(now).write(&self.run, cut, |bytes| out.put(bytes));
        let line = if lead.fold { Line::NEW } else { now.line };
        let line = line.with_blanks(lead.blanks.len()).with_word(cut.columns);
        let (read, position) = self.run.source(cut.count);
        let now = Now { mode: Mode::Run, last: Last::Word, line, position, ..now };
        Step::Went { read, written: out.written(), now }
    }
}

/// Whether a line end may be put before a word that begins a run.
fn may_fold(now: Now) -> bool {
    now.line.may_end() && now.last != Last::Word
}

/// Writes white space, of which `read` bytes were there.
fn blank(space: &mut [u8], now: Now, lead: Lead<'_>, read: usize) -> Step {
    let Some(out) = Out::begin(space, lead, now.line_end, 0) else { return Step::Full };
    let line = if lead.fold { Line::NEW } else { now.line }.with_blanks(lead.blanks.len());
    let now = Now { mode: Mode::Between, last: Last::Blank, line, ..now };
    Step::Went { read, written: out.written(), now }
}

/// Goes over the mark that closes a quoted-string of which nothing is left.
fn silent(now: Now, run: &Run) -> Step {
    let (read, position) = run.source(0);
    Step::Went { read, written: 0, now: Now { mode: Mode::Run, position, ..now } }
}

/// What to do before a character that the charset lacks: first comes the white space before it,
/// then what is silent, a quotation mark or a backslash, then the error.
fn lacking(sight: &Sight<'_>, space: &mut [u8], now: Now, width: usize) -> Option<Step> {
    if width > 0 {
        return Some(super::copy::blanks(sight, width, space, now));
    }
    let unit = now.position.unit(sight, 0)?;
    let silent = match unit.kind {
        Kind::Content(hidden) => hidden,
        _ => unit.length,
    };
    if silent == 0 {
        return Some(Step::Error(Unmappable::new(sight.character(0)?)));
    }
    let position = if unit.kind == Kind::Quote { now.position.after(unit) } else { now.position };
    Some(Step::Went { read: silent, written: 0, now: Now { mode: Mode::Run, position, ..now } })
}
