//! Text of a file, piece by piece, checked against the rules.

use memchr::memrchr;

use super::finding::{Finding, FindingKind, LineEnding};
use super::newline::NewlineChecker;
use super::offset_map::OffsetMap;
use super::rules::BomRule;
use super::{CheckOptions, FindingCallback};
use crate::conversion_error::{Excerpt, Malformed, Position};
use crate::encoding;
use crate::error::Error;
use crate::rfc2047;
use crate::transcoder::line_column::LineColumn;
use crate::transcoder::source_lines::SourceLines;

/// U+FEFF in UTF-8.
const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// A piece of decoded text, and where in the file it comes from.
pub(super) struct TextChunk<'a> {
    pub text: &'a [u8],
    pub offsets: &'a mut dyn OffsetMap,
}

/// Where one stands in a file.
#[derive(Debug, Clone, Copy)]
struct TextPosition {
    line_column: LineColumn,
    /// Offset of the byte that begins the line.
    line_start: u64,
}

impl TextPosition {
    const START: TextPosition = TextPosition { line_column: LineColumn::START, line_start: 0 };
}

/// Finds what is wrong with text, and knows where it stands.
pub(super) struct TextChecker {
    bom_rule: BomRule,
    /// Whether the decoder drops a mark, so that none is seen in the text.
    decoder_strips_bom: bool,
    byte_columns: bool,
    newlines: NewlineChecker,
    position: TextPosition,
    /// The lines of the file, where those of the text are others.
    pub source_lines: Option<SourceLines>,
    /// Whether the beginning of the file has been looked at.
    bom_checked: bool,
    /// A CR at the end of the last piece: where, and where it ends. LF may follow.
    pending_cr: Option<(TextPosition, u64, u64)>,
    /// Nothing is told from this offset on.
    report_limit: u64,
}

impl TextChecker {
    pub fn new(options: &CheckOptions) -> TextChecker {
        TextChecker {
            bom_rule: options.bom,
            decoder_strips_bom: options.encoding.encoding.bom_handling
                != encoding::BomHandling::Ignore,
            byte_columns: options.byte_columns,
            newlines: NewlineChecker::new(options.newline),
            position: TextPosition::START,
            source_lines: rfc2047::is_header(options.encoding.encoding).then(SourceLines::default),
            bom_checked: false,
            pending_cr: None,
            report_limit: u64::MAX,
        }
    }

    /// Begins another file.
    pub fn reset(&mut self) {
        self.newlines.reset();
        (self.position, self.bom_checked, self.pending_cr) = (TextPosition::START, false, None);
        self.report_limit = u64::MAX;
        self.source_lines = self.source_lines.take().map(|_| SourceLines::default());
    }

    /// Tells nothing that begins at this offset or after it.
    pub fn suppress_from(&mut self, offset: u64) {
        self.report_limit = offset;
    }

    /// Examines the text that comes next.
    pub fn check_text(
        &mut self,
        mut chunk: TextChunk<'_>,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        if chunk.text.is_empty() {
            return Ok(());
        }
        if !self.bom_checked {
            self.check_bom(Some(&mut chunk), 0, on_finding)?;
        }
        let mut counted = 0;
        if self.newlines.is_enabled() {
            counted = self.line_ends(&mut chunk, on_finding)?;
        }
        let all = chunk.text.len();
        self.advance(&mut chunk, counted, all);
        Ok(())
    }

    /// Tells of bytes at this offset that are no character.
    pub fn report_malformed(
        &mut self,
        offset: u64,
        malformed: Malformed,
        excerpt: Excerpt,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        self.check_bom(None, offset, on_finding)?;
        self.check_pending_cr(on_finding)?;
        let kind = FindingKind::Malformed { reason: malformed.reason, excerpt };
        self.report(self.position, offset, malformed.len as u64, kind, on_finding)?;
        self.position.line_column = self.position.line_column.after_malformed();
        Ok(())
    }

    /// Tells what can only be known at the end, which is at this offset.
    pub fn finish(&mut self, offset: u64, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        if offset > 0 {
            self.check_bom(None, offset, on_finding)?;
        }
        self.check_pending_cr(on_finding)
    }

    /// Tells of a NUL at this offset, after which one stands now.
    pub fn report_binary(
        &mut self,
        offset: u64,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let mut position = self.position;
        position.line_column.column = position.line_column.column.saturating_sub(1).max(1);
        self.report_limit = u64::MAX;
        self.report(position, offset, 1, FindingKind::Binary, on_finding)
    }

    /// Looks at the beginning of the file: the first piece of text, or else what comes first is
    /// an error or the end, at this offset.
    fn check_bom(
        &mut self,
        chunk: Option<&mut TextChunk<'_>>,
        offset: u64,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        if self.bom_checked {
            return Ok(());
        }
        self.bom_checked = true;
        if self.bom_rule == BomRule::Any {
            return Ok(());
        }
        // What was read without a trace was the mark.
        let bom_len = match chunk {
            Some(piece) if self.decoder_strips_bom => {
                Some(piece.offsets.char_start(0)).filter(|at| *at > 0)
            }
            Some(piece) if piece.text.starts_with(BOM) => {
                Some(piece.offsets.char_end(0, BOM.len()))
            }
            None if self.decoder_strips_bom => Some(offset).filter(|at| *at > 0),
            _ => None,
        };
        match (self.bom_rule, bom_len) {
            (BomRule::Forbid, Some(len)) => {
                self.report(TextPosition::START, 0, len, FindingKind::UnexpectedBom, on_finding)
            }
            (BomRule::Require, None) => {
                self.report(TextPosition::START, 0, 0, FindingKind::MissingBom, on_finding)
            }
            _ => Ok(()),
        }
    }

    /// Tells of line ends in a piece; says up to which index it has counted.
    fn line_ends(
        &mut self,
        piece: &mut TextChunk<'_>,
        out: FindingCallback<'_>,
    ) -> Result<usize, Error> {
        let (mut seen, mut from) = (0, 0);
        if piece.text[0] == b'\n'
            && let Some((position, start, _)) = self.pending_cr.take()
        {
            from = 1;
            let end = piece.offsets.char_end(0, 1);
            self.check_line_ending(position, start, end, LineEnding::CrLf, out)?;
        }
        self.check_pending_cr(out)?;
        while let Some((at, found)) = self.newlines.next_candidate(piece.text, from) {
            from = at + if found == LineEnding::CrLf { 2 } else { 1 };
            let open = found == LineEnding::Cr && from == piece.text.len();
            if !open && self.newlines.violation(found).is_none() {
                continue;
            }
            self.advance(piece, seen, at);
            seen = at;
            let (start, end) = (piece.offsets.char_start(at), piece.offsets.char_end(from - 1, 1));
            if open {
                self.pending_cr = Some((self.position, start, end));
            } else {
                self.check_line_ending(self.position, start, end, found, out)?;
            }
        }
        Ok(seen)
    }

    /// No LF has followed a CR at the end of a piece.
    fn check_pending_cr(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        match self.pending_cr.take() {
            Some((position, start, end)) => {
                self.check_line_ending(position, start, end, LineEnding::Cr, on_finding)
            }
            None => Ok(()),
        }
    }

    fn check_line_ending(
        &mut self,
        position: TextPosition,
        start: u64,
        end: u64,
        found: LineEnding,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        match self.newlines.violation(found) {
            Some(expected) => {
                let kind = FindingKind::WrongLineEnding { found, expected };
                self.report(position, start, end.saturating_sub(start), kind, on_finding)
            }
            None => Ok(()),
        }
    }

    /// Moves from one index of a piece to a later one.
    fn advance(&mut self, chunk: &mut TextChunk<'_>, from: usize, to: usize) {
        let text = &chunk.text[from..to];
        self.position.line_column = self.position.line_column.after(text);
        if self.byte_columns
            && let Some(last) = memrchr(b'\n', text)
        {
            self.position.line_start = chunk.offsets.char_end(from + last, 1);
        }
    }

    fn report(
        &self,
        text_position: TextPosition,
        offset: u64,
        len: u64,
        kind: FindingKind,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        if offset >= self.report_limit {
            return Ok(());
        }
        let source_line = self.source_lines.as_ref().map(|raw| raw.line_at(offset));
        let (LineColumn { line, column }, line_start) =
            source_line.unwrap_or((text_position.line_column, text_position.line_start));
        let byte_column = self.byte_columns.then(|| offset.saturating_sub(line_start) + 1);
        let position = Position { offset, line, column };
        on_finding(&Finding { position: position, byte_column, len, kind: kind }).map_err(Error::Io)
    }
}
