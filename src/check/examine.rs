//! Text of a file, piece by piece, held to the rules.

use memchr::memrchr;

use super::finding::{Finding, LineEnd, Problem};
use super::line_ends::LineEnds;
use super::rules::Mark;
use super::source::Source;
use super::{Findings, Rules};
use crate::charset;
use crate::error::Error;
use crate::fault::{Excerpt, Malformed, Place};
use crate::header;
use crate::pump::lines::Lines;
use crate::pump::raw_lines::RawLines;

/// U+FEFF in UTF-8.
const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// A piece of decoded text, and where in the file it comes from.
pub(super) struct Piece<'a> {
    pub text: &'a [u8],
    pub source: &'a mut dyn Source,
}

/// Where one stands in a file.
#[derive(Debug, Clone, Copy)]
struct Spot {
    lines: Lines,
    /// Offset of the byte that begins the line.
    line_start: u64,
}

impl Spot {
    const START: Spot = Spot { lines: Lines::START, line_start: 0 };
}

/// Finds what is wrong with text, and knows where it stands.
pub(super) struct Examiner {
    mark: Mark,
    /// Whether the decoder drops a mark, so that none is seen in the text.
    drops_mark: bool,
    byte_columns: bool,
    line_ends: LineEnds,
    spot: Spot,
    /// The lines of the file, where those of the text are others.
    pub raw: Option<RawLines>,
    /// Whether the beginning of the file has been looked at.
    opened: bool,
    /// A CR at the end of the last piece: where, and where it ends. LF may follow.
    open_cr: Option<(Spot, u64, u64)>,
    /// Nothing is told from this offset on.
    limit: u64,
}

impl Examiner {
    pub fn new(rules: &Rules) -> Examiner {
        Examiner {
            mark: rules.mark,
            drops_mark: rules.encoding.charset.mark != charset::Mark::Character,
            byte_columns: rules.byte_columns,
            line_ends: LineEnds::new(rules.newline),
            spot: Spot::START,
            raw: header::is_header(rules.encoding.charset).then(RawLines::default),
            opened: false,
            open_cr: None,
            limit: u64::MAX,
        }
    }

    /// Begins another file.
    pub fn reset(&mut self) {
        self.line_ends.reset();
        (self.spot, self.opened, self.open_cr) = (Spot::START, false, None);
        self.limit = u64::MAX;
        self.raw = self.raw.take().map(|_| RawLines::default());
    }

    /// Tells nothing that begins at this offset or behind it.
    pub fn stop_at(&mut self, offset: u64) {
        self.limit = offset;
    }

    /// Examines the text that comes next.
    pub fn text(&mut self, mut piece: Piece<'_>, out: Findings<'_>) -> Result<(), Error> {
        if piece.text.is_empty() {
            return Ok(());
        }
        if !self.opened {
            self.open(Some(&mut piece), 0, out)?;
        }
        let mut seen = 0;
        if self.line_ends.are_checked() {
            seen = self.line_ends(&mut piece, out)?;
        }
        let all = piece.text.len();
        self.advance(&mut piece, seen, all);
        Ok(())
    }

    /// Tells of bytes at this offset that are no character.
    pub fn fault(
        &mut self,
        offset: u64,
        bad: Malformed,
        excerpt: Excerpt,
        out: Findings<'_>,
    ) -> Result<(), Error> {
        self.open(None, offset, out)?;
        self.close_line(out)?;
        let problem = Problem::Malformed { why: bad.why, excerpt };
        self.tell(self.spot, offset, bad.len as u64, problem, out)?;
        self.spot.lines = self.spot.lines.after_fault();
        Ok(())
    }

    /// Tells what can only be known at the end, which is at this offset.
    pub fn end(&mut self, offset: u64, out: Findings<'_>) -> Result<(), Error> {
        if offset > 0 {
            self.open(None, offset, out)?;
        }
        self.close_line(out)
    }

    /// Tells of a NUL at this offset, behind which one stands now.
    pub fn binary(&mut self, offset: u64, out: Findings<'_>) -> Result<(), Error> {
        let mut spot = self.spot;
        spot.lines.column = spot.lines.column.saturating_sub(1).max(1);
        self.limit = u64::MAX;
        self.tell(spot, offset, 1, Problem::Binary, out)
    }

    /// Looks at the beginning of the file: the first piece of text, or else what comes first is
    /// a fault or the end, at this offset.
    fn open(
        &mut self,
        piece: Option<&mut Piece<'_>>,
        offset: u64,
        out: Findings<'_>,
    ) -> Result<(), Error> {
        if self.opened {
            return Ok(());
        }
        self.opened = true;
        if self.mark == Mark::Any {
            return Ok(());
        }
        // What was read without a trace was the mark.
        let marked = match piece {
            Some(piece) if self.drops_mark => Some(piece.source.start(0)).filter(|at| *at > 0),
            Some(piece) if piece.text.starts_with(MARK) => Some(piece.source.end(0, MARK.len())),
            None if self.drops_mark => Some(offset).filter(|at| *at > 0),
            _ => None,
        };
        match (self.mark, marked) {
            (Mark::Forbid, Some(len)) => self.tell(Spot::START, 0, len, Problem::Marked, out),
            (Mark::Require, None) => self.tell(Spot::START, 0, 0, Problem::Unmarked, out),
            _ => Ok(()),
        }
    }

    /// Tells of line ends in a piece; says up to which index it has counted.
    fn line_ends(&mut self, piece: &mut Piece<'_>, out: Findings<'_>) -> Result<usize, Error> {
        let (mut seen, mut from) = (0, 0);
        if piece.text[0] == b'\n'
            && let Some((spot, start, _)) = self.open_cr.take()
        {
            from = 1;
            let end = piece.source.end(0, 1);
            self.line_end(spot, start, end, LineEnd::CrLf, out)?;
        }
        self.close_line(out)?;
        while let Some((at, found)) = self.line_ends.next(piece.text, from) {
            from = at + if found == LineEnd::CrLf { 2 } else { 1 };
            let open = found == LineEnd::Cr && from == piece.text.len();
            if !open && self.line_ends.judge(found).is_none() {
                continue;
            }
            self.advance(piece, seen, at);
            seen = at;
            let (start, end) = (piece.source.start(at), piece.source.end(from - 1, 1));
            if open {
                self.open_cr = Some((self.spot, start, end));
            } else {
                self.line_end(self.spot, start, end, found, out)?;
            }
        }
        Ok(seen)
    }

    /// No LF has followed a CR at the end of a piece.
    fn close_line(&mut self, out: Findings<'_>) -> Result<(), Error> {
        match self.open_cr.take() {
            Some((spot, start, end)) => self.line_end(spot, start, end, LineEnd::Cr, out),
            None => Ok(()),
        }
    }

    fn line_end(
        &mut self,
        spot: Spot,
        start: u64,
        end: u64,
        found: LineEnd,
        out: Findings<'_>,
    ) -> Result<(), Error> {
        match self.line_ends.judge(found) {
            Some(expected) => {
                let problem = Problem::LineEnd { found, expected };
                self.tell(spot, start, end.saturating_sub(start), problem, out)
            }
            None => Ok(()),
        }
    }

    /// Moves from one index of a piece to a later one.
    fn advance(&mut self, piece: &mut Piece<'_>, from: usize, to: usize) {
        let text = &piece.text[from..to];
        self.spot.lines = self.spot.lines.after(text);
        if self.byte_columns
            && let Some(last) = memrchr(b'\n', text)
        {
            self.spot.line_start = piece.source.end(from + last, 1);
        }
    }

    fn tell(
        &self,
        spot: Spot,
        offset: u64,
        len: u64,
        problem: Problem,
        out: Findings<'_>,
    ) -> Result<(), Error> {
        if offset >= self.limit {
            return Ok(());
        }
        let raw = self.raw.as_ref().map(|raw| raw.at(offset));
        let (Lines { line, column }, line_start) = raw.unwrap_or((spot.lines, spot.line_start));
        let byte_column = self.byte_columns.then(|| offset.saturating_sub(line_start) + 1);
        let place = Place { offset, line, column };
        out(&Finding { place, byte_column, len, problem }).map_err(Error::Write)
    }
}
