//! Checks a file in an encoding: decodes it in chunks and reports findings.

use std::fmt;

use memchr::{memchr, memrchr};

use super::characters::{
    CharacterCandidate, CharacterChecker, CharacterContext, Confusion, Neighbor, Verdict,
    decode_first,
};
use super::checker::unsplittable;
use super::declaration_checker::DeclarationChecker;
use super::finding::{Finding, FindingKind};
use super::{
    BINARY_SNIFF_LEN, BinaryFiles, BomRule, CheckOptions, FindingCallback, LineEnding, NewlineRule,
};
use charpipe_encoding::bom::BOM;
use charpipe_encoding::codec::{State, Status};
use charpipe_encoding::conversion_error::{Excerpt, Malformed, Position, StageLabel};
use charpipe_encoding::encoder;
use charpipe_encoding::encoding::{self, Encoding};
use charpipe_encoding::error::Error;
use charpipe_encoding::line_ending::line_endings;
use charpipe_kernel as kernel;
use charpipe_mail::header_block::HeaderBlock;
use charpipe_transcode::header;
use charpipe_transcode::options::{EncodingSpec, TranscodeOptions};
use charpipe_transcode::transcoder::chain::{ChainLink, Stage, StageError};
use charpipe_transcode::transcoder::position::{LineColumn, SourceLines};
use charpipe_transcode::transcoder::replay::{SCRATCH_LEN, replay_past, replay_to};

/// What later findings depend on, between two calls.
#[derive(Debug, Clone)]
pub(super) struct CheckState {
    decoder: State,
    first_line_ending: Option<LineEnding>,
    characters: CharacterContext,
    position: TextPosition,
}

impl CheckState {
    pub(super) fn is_at_line_start(&self) -> bool {
        self.position.line_column.column == 1
    }

    /// Returns whether a check in this state finds the same as one in the other state, in other lines.
    pub(super) fn continues_as(&self, other: &CheckState) -> bool {
        self.is_at_line_start()
            && other.is_at_line_start()
            && self.decoder == other.decoder
            && self.first_line_ending == other.first_line_ending
            && self.characters == other.characters
    }
}

/// The [`Checker`](super::Checker) for encodings without transforms.
pub(super) struct EncodingChecker {
    link: ChainLink,
    text: Box<[u8]>,
    scratch: Box<[u8]>,
    text_checker: TextChecker,
    binary_files: BinaryFiles,
    /// Whether NUL makes a file binary.
    nul_means_binary: bool,
    /// Whether valid input is checked without decoding it.
    is_utf8: bool,
    header_block: Option<HeaderBlock>,
    declaration_checker: Option<DeclarationChecker>,
    buffer_size: usize,
    /// The number of bytes in the input buffer that have not been passed to the link.
    pending_len: usize,
    phase: CheckPhase,
    checked_len: u64,
    /// File offset of index 0 of the link's buffer; wraps below zero.
    base_offset: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckPhase {
    /// The first bytes are being collected to search them for NUL.
    Sniffing,
    Checking,
    /// The rest of the file cannot cause any findings.
    Done,
}

impl EncodingChecker {
    pub fn new(options: &CheckOptions) -> Result<EncodingChecker, Error> {
        let (encoding, encoding_options) = (options.encoding.encoding, &options.encoding.options);
        if options.bom == BomRule::Require {
            let mut encoder = encoding.encoder(encoding_options);
            if let Some(character) = encoder::first_unmappable(&mut *encoder, BOM) {
                let action = "requiring a byte order mark".to_owned();
                let encoding = encoding.name();
                return Err(Error::UnmappableReplacement { character, action, encoding });
            }
        }
        if options.headers_only && !options.encoding.is_ascii_compatible() {
            return Err(Error::UnsupportedHeaderMode {
                from: encoding.name(),
                to: encoding.name(),
            });
        }
        let buffer_size = options.buffer_size.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE);
        let link =
            ChainLink::new(decoder_stage(&options.encoding), buffer_size + BINARY_SNIFF_LEN, 0);
        let lookahead = link.max_lookahead;
        let mut checker = EncodingChecker {
            text: vec![0; buffer_size.max(BINARY_SNIFF_LEN).max(lookahead)].into_boxed_slice(),
            scratch: vec![0; SCRATCH_LEN.max(lookahead)].into_boxed_slice(),
            text_checker: TextChecker::new(options),
            binary_files: options.binary_files,
            nul_means_binary: options.binary_files != BinaryFiles::Text
                && !options.encoding.can_contain_nul(),
            is_utf8: encoding::is_utf8(encoding),
            header_block: options.headers_only.then(HeaderBlock::default),
            declaration_checker: DeclarationChecker::new(options),
            buffer_size,
            pending_len: 0,
            phase: CheckPhase::Sniffing,
            checked_len: 0,
            base_offset: 0,
            link,
        };
        checker.begin_file();
        Ok(checker)
    }

    pub fn input_buffer(&mut self) -> &mut [u8] {
        let buffer = &mut self.link.input.spare_mut()[self.pending_len..];
        let len = self.buffer_size.min(buffer.len());
        &mut buffer[..len]
    }

    pub fn is_done(&self) -> bool {
        self.phase == CheckPhase::Done
    }

    pub fn skip_rest(&mut self) {
        self.phase = CheckPhase::Done;
    }

    pub fn process(&mut self, len: usize, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        if self.phase == CheckPhase::Done {
            return Ok(());
        }
        self.pending_len += len;
        if self.phase == CheckPhase::Sniffing && self.pending_len < BINARY_SNIFF_LEN {
            return Ok(());
        }
        self.process_pending(on_finding)
    }

    pub fn finish_input(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        if self.phase == CheckPhase::Sniffing {
            self.process_pending(on_finding)?;
        }
        if self.phase != CheckPhase::Done {
            self.finish_file(on_finding)?;
        }
        self.begin_file();
        Ok(())
    }

    fn begin_file(&mut self) {
        let unread = self.link.input.unread_bytes().len();
        self.link.input.consume(unread);
        self.link.input.compact();
        self.link.stage.restore_state(State::INITIAL);
        self.base_offset = (self.link.input.position() as u64).wrapping_neg();
        self.text_checker.reset();
        if let Some(checker) = &mut self.declaration_checker {
            checker.reset();
        }
        self.header_block = self.header_block.map(|_| HeaderBlock::default());
        self.pending_len = 0;
        self.phase =
            if self.nul_means_binary { CheckPhase::Sniffing } else { CheckPhase::Checking };
    }

    /// Returns whether only the [state](EncodingChecker::state) and the rest of the file decide what is found
    /// in it.
    pub(super) fn can_skip_blocks(&self) -> bool {
        self.phase == CheckPhase::Checking
            && self.header_block.is_none()
            && self.text_checker.source_lines.is_none()
            && self.declaration_checker.as_ref().is_none_or(DeclarationChecker::is_decided)
    }

    /// Returns the state, or `None` if something is not decided yet.
    pub(super) fn state(&self) -> Option<CheckState> {
        let text = &self.text_checker;
        let is_decided = self.can_skip_blocks()
            && self.pending_len == 0
            && self.link.input.unread_bytes().is_empty()
            && text.bom_checked
            && text.pending_cr.is_none()
            && text.pending_character.is_none();
        is_decided.then(|| CheckState {
            decoder: self.link.stage.save_state(),
            first_line_ending: text.newlines.first,
            characters: text.characters.context(),
            position: text.position,
        })
    }

    /// Continues in this state at `offset` of the file.
    pub(super) fn resume(&mut self, state: &CheckState, offset: u64) {
        let unread = self.link.input.unread_bytes().len();
        self.link.input.consume(unread);
        self.link.input.compact();
        self.link.stage.restore_state(state.decoder);
        self.base_offset = offset.wrapping_sub(self.link.input.position() as u64);
        self.text_checker.resume(state);
        (self.pending_len, self.phase) = (0, CheckPhase::Checking);
    }

    /// Checks another part of a file, whose first line is 1, from `offset` on.
    pub(super) fn begin_ahead(&mut self, state: &CheckState, offset: u64) {
        self.resume(state, offset);
        let line_column = LineColumn::START;
        self.text_checker.position = TextPosition { line_column, line_start: offset };
        self.declaration_checker = None;
    }

    /// Returns the number of lines before the current one.
    pub(super) fn lines_before(&self) -> u64 {
        self.text_checker.position.line_column.line - 1
    }

    /// Adds lines before the current one.
    pub(super) fn add_lines(&mut self, lines: u64) {
        self.text_checker.position.line_column.line += lines;
    }

    /// Returns the offset in the file of the next byte that is read.
    pub(super) fn next_offset(&self) -> u64 {
        self.input_end_offset() + self.pending_len as u64
    }

    /// Returns the number of bytes that have been checked of the last file that was checked to its end, or to
    /// where the check ended.
    pub(super) fn checked_len(&self) -> u64 {
        self.checked_len
    }

    /// Begins a range of a file, as in [`Checker::begin_range`](super::Checker::begin_range).
    pub fn begin_range(&mut self, offset: u64, line: u64, context: &[u8]) -> Result<(), Error> {
        if self.header_block.is_some() {
            return unsplittable("message headers", "they end where the body begins");
        }
        if self.text_checker.newlines.rule == NewlineRule::Consistent {
            return unsplittable("consistent line endings", "the first line decides which");
        }
        if self.text_checker.characters.is_confusing_enabled() {
            return unsplittable("confusing characters", "they depend on the preceding text");
        }
        self.begin_file();
        if offset == 0 {
            return Ok(());
        }
        // The byte order mark of the file decides the byte order of the range.
        let space = self.link.input.spare_mut();
        space[..context.len()].copy_from_slice(context);
        self.link.input.advance(context.len());
        self.link.call_stage(&mut self.text, false, None);
        if !self.link.input.unread_bytes().is_empty() || self.link.status != Status::InputEmpty {
            return Err(Error::Internal("the decoder has state at a split point".into()));
        }
        self.link.input.compact();
        self.base_offset = offset.wrapping_sub(self.link.input.position() as u64);
        self.text_checker.begin_line(offset, line);
        // Only the start of a file declares its encoding, and only there NUL hides other findings.
        self.declaration_checker = None;
        self.phase = CheckPhase::Checking;
        Ok(())
    }

    /// Passes the pending bytes to the link, up to the first NUL or the end of the header block.
    fn process_pending(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let pending_len = std::mem::take(&mut self.pending_len);
        let input_end = self.input_end_offset();
        let new_input = &self.link.input.spare_mut()[..pending_len];
        let len = match &mut self.header_block {
            Some(block) => block.header_len(new_input),
            None => pending_len,
        };
        let nul = self.nul_means_binary.then(|| memchr(0, &new_input[..len])).flatten();
        let sniffing = self.phase == CheckPhase::Sniffing;
        self.phase = CheckPhase::Checking;
        if let Some(lines) = &mut self.text_checker.source_lines {
            lines.add(input_end, &new_input[..len]);
        }
        if let Some(checker) = &mut self.declaration_checker {
            checker.feed(&new_input[..nul.unwrap_or(len)]);
        }
        if let Some(nul) = nul {
            let bom = Encoding::for_bom(new_input).filter(|_| sniffing);
            return self.stop_at_nul(nul, sniffing && nul < BINARY_SNIFF_LEN, bom, on_finding);
        }
        self.link.input.advance(len);
        if len < pending_len {
            return self.finish_file(on_finding);
        }
        self.decode_available(false, on_finding)
    }

    /// Ends the file at the NUL at `index` of the pending bytes. With `sniffed`, it is among the first
    /// bytes of the file and is the only finding. `bom` is the byte order mark at the start of the file.
    fn stop_at_nul(
        &mut self,
        index: usize,
        sniffed: bool,
        bom: Option<(&'static Encoding, usize)>,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let offset = self.input_end_offset() + index as u64;
        self.text_checker.report_limit = if sniffed { 0 } else { offset };
        self.link.input.advance(index + 1);
        self.finish_file(on_finding)?;
        match self.binary_files {
            BinaryFiles::Skip => Ok(()),
            BinaryFiles::Report | BinaryFiles::Text => {
                let bom = bom.filter(|(encoding, _)| !encoding::is_utf8(encoding) && sniffed);
                match bom {
                    Some(bom) => self.text_checker.report_other_bom(bom, on_finding),
                    None => self.text_checker.report_binary(offset, on_finding),
                }
            }
        }
    }

    fn finish_file(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        self.decode_available(true, on_finding)?;
        self.checked_len = self.read_offset();
        self.phase = CheckPhase::Done;
        self.text_checker.finish(self.read_offset(), on_finding)?;
        if let Some(checker) = &mut self.declaration_checker {
            let limit = self.text_checker.report_limit;
            let mut findings = checker.finish().filter(|finding| finding.position.offset < limit);
            findings.try_for_each(|finding| on_finding(&finding)).map_err(Error::Io)?;
        }
        Ok(())
    }

    /// Decodes and checks as much of the link's input as possible.
    fn decode_available(
        &mut self,
        end: bool,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        loop {
            if self.is_utf8 {
                self.check_without_decoding(on_finding)?;
            }
            // UTF-8 that is left is the start of a sequence.
            let (read, written) = self.link.call_stage(&mut self.text, end, None);
            self.check_decoded(written, on_finding)?;
            match self.link.status {
                Status::InputEmpty => break,
                Status::OutputFull if (read, written) == (0, 0) => {
                    return Err(Error::Internal("the decoder made no progress".into()));
                }
                Status::OutputFull => {}
                Status::Error(StageError::Malformed(malformed)) => {
                    self.report_malformed(malformed, on_finding)?
                }
                Status::Error(StageError::Unmappable(_)) => {
                    return Err(Error::Internal("the decoder has encoded".into()));
                }
            }
        }
        let read_offset = self.read_offset();
        if let Some(lines) = &mut self.text_checker.source_lines {
            lines.discard_before(read_offset);
        }
        let moved = self.link.input.compact();
        self.base_offset = self.base_offset.wrapping_add_signed(moved as i64);
        Ok(())
    }

    /// Returns the file offset of the first unread byte.
    fn read_offset(&self) -> u64 {
        self.base_offset.wrapping_add(self.link.input.position() as u64)
    }

    /// Returns the file offset of the end of the link's input.
    fn input_end_offset(&self) -> u64 {
        self.read_offset() + self.link.input.unread_bytes().len() as u64
    }

    /// Checks UTF-8 input in place, up to a sequence that is incomplete.
    fn check_without_decoding(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        loop {
            let start = self.read_offset();
            let unread = self.link.input.unread_bytes();
            let (valid, end) = kernel::utf8::validate(unread);
            let error = end.flatten().map(|len| (len, encoding::not_utf8(&unread[valid..])));
            if valid > 0 {
                let chunk =
                    TextChunk { text: &unread[..valid], offsets: &mut DirectOffsets(start) };
                self.text_checker.check_text(chunk, on_finding)?;
                self.link.input.consume(valid);
            }
            let Some((len, reason)) = error else { return Ok(()) };
            self.report_malformed(Malformed::new(len, reason, State::INITIAL), on_finding)?;
        }
    }

    /// Checks the text written by the last call of the decoder.
    fn check_decoded(
        &mut self,
        written: usize,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let (base_offset, link, scratch) = (self.base_offset, &mut self.link, &mut self.scratch);
        let mut offsets = ReplayedOffsets { base_offset, link, scratch };
        let chunk = TextChunk { text: &self.text[..written], offsets: &mut offsets };
        self.text_checker.check_text(chunk, on_finding)
    }

    /// Reports a malformed sequence at the start of the unread input, and those that repeat it, and skips
    /// them.
    fn report_malformed(
        &mut self,
        malformed: Malformed,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let offset = self.read_offset();
        let unread = self.link.input.unread_bytes();
        let is_header = self.text_checker.source_lines.is_some();
        let excerpt = Excerpt::of_malformed(unread, malformed.len, malformed.reason, is_header);
        let count = repeat_count(&self.link.stage, unread, malformed);
        self.text_checker.report_malformed(offset, malformed, excerpt, count, on_finding)?;
        self.link.input.consume(count * malformed.resume_len);
        self.link.stage.restore_state(malformed.resume_state);
        Ok(())
    }
}

/// Returns how many times the malformed sequence at the start of `unread` is repeated, with the same
/// message.
#[inline]
fn repeat_count(stage: &Stage, unread: &[u8], malformed: Malformed) -> usize {
    let len = malformed.len;
    // Comparing one byte avoids the call for most errors.
    if malformed.resume_len != len || unread.get(len) != unread.first() {
        return 1;
    }
    match stage {
        Stage::Decoder(decoder) if malformed.reason.context_len(&unread[..len]) == 0 => {
            decoder.repeat_count(unread, malformed)
        }
        _ => 1,
    }
}

/// Returns the decoder stage of an encoding, which passes through values above U+10FFFF if the encoding
/// has them.
pub(super) fn decoder_stage(spec: &EncodingSpec) -> Stage {
    match spec.ucs4_codecs() {
        Some(codecs) => Stage::ByteTransform((codecs.decoder)(&spec.options)),
        None => Stage::Decoder(spec.encoding.decoder(&spec.options)),
    }
}

impl fmt::Debug for EncodingChecker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EncodingChecker").field("phase", &self.phase).finish_non_exhaustive()
    }
}

/// Maps indexes of a text chunk to file offsets. Indexes must be passed in ascending order.
trait OffsetMap {
    /// Returns the offset of the first byte of the character at `index`.
    fn char_start(&mut self, index: usize) -> u64;

    /// Returns the offset after the character of `len` bytes of text at `index`.
    fn char_end(&mut self, index: usize, len: usize) -> u64;
}

/// The offsets of text that is part of the file, from this offset on.
struct DirectOffsets(u64);

impl OffsetMap for DirectOffsets {
    fn char_start(&mut self, index: usize) -> u64 {
        self.0 + index as u64
    }

    fn char_end(&mut self, index: usize, len: usize) -> u64 {
        self.0 + (index + len) as u64
    }
}

/// The offsets of text from the last decoder call, found by replaying the call.
struct ReplayedOffsets<'a> {
    /// File offset of index 0 of the link's buffer.
    base_offset: u64,
    link: &'a mut ChainLink,
    scratch: &'a mut [u8],
}

impl OffsetMap for ReplayedOffsets<'_> {
    fn char_start(&mut self, index: usize) -> u64 {
        self.base_offset.wrapping_add(replay_to(self.link, self.scratch, index) as u64)
    }

    fn char_end(&mut self, index: usize, len: usize) -> u64 {
        self.base_offset.wrapping_add(replay_past(self.link, self.scratch, index, len) as u64)
    }
}

/// A chunk of decoded text with its file offsets.
struct TextChunk<'a> {
    text: &'a [u8],
    offsets: &'a mut dyn OffsetMap,
}

/// The position of a character in the text.
#[derive(Debug, Clone, Copy)]
struct TextPosition {
    line_column: LineColumn,
    /// Offset of the first byte of the line.
    line_start: u64,
}

impl TextPosition {
    const START: TextPosition = TextPosition { line_column: LineColumn::START, line_start: 0 };
}

/// A line ending with its position and its range of file offsets.
#[derive(Debug, Clone, Copy)]
struct LineEndingSpan {
    position: TextPosition,
    start: u64,
    end: u64,
}

/// A character with its position and its range of file offsets.
#[derive(Debug, Clone, Copy)]
struct CharacterSpan {
    position: TextPosition,
    start: u64,
    len: u64,
}

/// A character at the end of a chunk that is confusing unless the next one is its neighbor.
#[derive(Debug, Clone, Copy)]
struct PendingCharacter {
    span: CharacterSpan,
    neighbor: Neighbor,
    kind: FindingKind,
}

/// The length of text, in bytes, below which no kernel is worth its call. Between frequent errors text is
/// short.
const MAX_SHORT_TEXT: usize = 8;

/// Checks decoded text against the rules and keeps track of the position.
struct TextChecker {
    bom_rule: BomRule,
    /// Whether the decoder removes the byte order mark from the text.
    decoder_strips_bom: bool,
    byte_columns: bool,
    newlines: NewlineChecker,
    characters: CharacterChecker,
    position: TextPosition,
    /// The lines of the file, for encodings whose decoder changes line endings.
    source_lines: Option<SourceLines>,
    /// Whether the start of the file has been checked.
    bom_checked: bool,
    /// A CR at the end of the last chunk, which an LF may follow.
    pending_cr: Option<LineEndingSpan>,
    /// A character at the end of the last chunk, which is confusing or not.
    pending_character: Option<PendingCharacter>,
    /// Findings at this offset or after it are not reported.
    report_limit: u64,
}

impl TextChecker {
    fn new(options: &CheckOptions) -> TextChecker {
        TextChecker {
            bom_rule: options.bom,
            decoder_strips_bom: options.encoding.encoding.bom_handling
                != encoding::BomHandling::Ignore,
            byte_columns: options.byte_columns,
            newlines: NewlineChecker { rule: options.newline, first: None },
            characters: CharacterChecker::new(options.ascii_only, options.confusing),
            position: TextPosition::START,
            source_lines: header::is_header(options.encoding.encoding).then(SourceLines::default),
            bom_checked: false,
            pending_cr: None,
            pending_character: None,
            report_limit: u64::MAX,
        }
    }

    /// Prepares for the next file.
    fn reset(&mut self) {
        self.newlines.first = None;
        self.characters.reset();
        (self.position, self.bom_checked) = (TextPosition::START, false);
        (self.pending_cr, self.pending_character) = (None, None);
        self.report_limit = u64::MAX;
        self.source_lines = self.source_lines.take().map(|_| SourceLines::default());
    }

    /// Continues in this state.
    fn resume(&mut self, state: &CheckState) {
        self.newlines.first = state.first_line_ending;
        self.characters.resume(state.characters);
        (self.position, self.bom_checked) = (state.position, true);
        (self.pending_cr, self.pending_character) = (None, None);
        self.report_limit = u64::MAX;
    }

    /// Begins at the start of a line that is not the first one.
    fn begin_line(&mut self, offset: u64, line: u64) {
        self.characters.begin_line();
        self.bom_checked = true;
        let line_column = LineColumn { line, column: 1 };
        self.position = TextPosition { line_column, line_start: offset };
    }

    /// Checks the next chunk of text.
    fn check_text(
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
        let mut counted_len = 0;
        if self.newlines.rule != NewlineRule::Any || self.characters.is_enabled() {
            counted_len = self.check_rules(&mut chunk, on_finding)?;
        }
        let len = chunk.text.len();
        self.advance(&mut chunk, counted_len, len);
        Ok(())
    }

    /// Reports a malformed sequence at this offset that occurs `count` times in succession.
    fn report_malformed(
        &mut self,
        mut offset: u64,
        malformed: Malformed,
        excerpt: Excerpt,
        count: usize,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        if !self.bom_checked {
            self.check_bom(None, offset, on_finding)?;
        }
        self.check_pending(on_finding)?;
        self.characters.skip_malformed();
        let stage = StageLabel::Main;
        let kind = FindingKind::Malformed { reason: malformed.reason, excerpt, stage };
        let len = malformed.len as u64;
        let (position, byte_column) = self.locate(self.position, offset);
        let mut finding = Finding { position, byte_column, len, kind, encoding_index: 0 };
        for _ in 0..count {
            (finding.position, finding.byte_column) = self.locate(self.position, offset);
            if offset < self.report_limit {
                on_finding(&finding).map_err(Error::Io)?;
            }
            self.position.line_column = self.position.line_column.after_malformed();
            offset += len;
        }
        Ok(())
    }

    /// Reports what only the end of the file, at this offset, decides.
    fn finish(&mut self, offset: u64, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        if offset > 0 {
            self.check_bom(None, offset, on_finding)?;
        }
        self.check_pending(on_finding)
    }

    /// Reports the NUL at this offset, which is the last character checked.
    fn report_binary(&mut self, offset: u64, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        let mut position = self.position;
        position.line_column.column = position.line_column.column.saturating_sub(1).max(1);
        self.report_limit = u64::MAX;
        self.report(position, offset, 1, FindingKind::Binary, on_finding)
    }

    /// Reports the byte order mark of another encoding at the start of the file.
    fn report_other_bom(
        &mut self,
        (bom, len): (&'static Encoding, usize),
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        self.report_limit = u64::MAX;
        let kind = FindingKind::OtherBom { bom };
        self.report(TextPosition::START, 0, len as u64, kind, on_finding)
    }

    /// Checks the start of the file: the first chunk of text, or `None` if the file begins with a
    /// malformed sequence or ends, in both cases at `offset`.
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
        // Bytes that the decoder has read without writing text are a byte order mark.
        let bom_len = match chunk {
            Some(chunk) if self.decoder_strips_bom => {
                Some(chunk.offsets.char_start(0)).filter(|offset| *offset > 0)
            }
            Some(chunk) if chunk.text.starts_with(BOM.as_bytes()) => {
                Some(chunk.offsets.char_end(0, BOM.len()))
            }
            None if self.decoder_strips_bom => Some(offset).filter(|offset| *offset > 0),
            _ => None,
        };
        let (len, kind) = match (self.bom_rule, bom_len) {
            (BomRule::Forbid, Some(len)) => (len, FindingKind::UnexpectedBom),
            (BomRule::Require, None) => (0, FindingKind::MissingBom),
            _ => return Ok(()),
        };
        self.report(TextPosition::START, 0, len, kind, on_finding)
    }

    /// Reports line endings and characters of a chunk that violate the rules. Returns the index up to
    /// which the position has been advanced.
    fn check_rules(
        &mut self,
        chunk: &mut TextChunk<'_>,
        on_finding: FindingCallback<'_>,
    ) -> Result<usize, Error> {
        let (mut counted_len, mut next) = (0, 0);
        self.check_pending_character(decode_first(chunk.text).map(|(next, _)| next), on_finding)?;
        let follows_cr = chunk.text[0] == b'\n';
        if let Some(cr) = self.pending_cr.take_if(|_| follows_cr) {
            next = 1;
            let span = LineEndingSpan { end: chunk.offsets.char_end(0, 1), ..cr };
            self.check_line_ending(LineEnding::CrLf, span, on_finding)?;
        }
        self.check_pending_cr(on_finding)?;
        let mut line_ending = self.newlines.next_candidate(chunk.text, next);
        let mut character = self.characters.next_candidate(chunk.text, 0);
        loop {
            let line_ending_index = line_ending.map_or(usize::MAX, |(index, _)| index);
            match character {
                Some(found) if found.index < line_ending_index => {
                    self.advance(chunk, counted_len, found.index);
                    counted_len = found.index;
                    self.check_character(chunk, found, on_finding)?;
                    let next = found.index + found.len;
                    character = self.characters.next_candidate(chunk.text, next);
                    continue;
                }
                _ => {}
            }
            let Some((index, found)) = line_ending else { break };
            next = index + found.byte_len();
            let is_pending = found == LineEnding::Cr && next == chunk.text.len();
            if is_pending || self.newlines.violation(found).is_some() {
                self.advance(chunk, counted_len, index);
                counted_len = index;
                let (start, end) =
                    (chunk.offsets.char_start(index), chunk.offsets.char_end(next - 1, 1));
                let span = LineEndingSpan { position: self.position, start, end };
                if is_pending {
                    self.pending_cr = Some(span);
                } else {
                    self.check_line_ending(found, span, on_finding)?;
                }
            }
            line_ending = self.newlines.next_candidate(chunk.text, next);
        }
        Ok(counted_len)
    }

    /// Reports a character at the current position that violates a rule.
    fn check_character(
        &mut self,
        chunk: &mut TextChunk<'_>,
        found: CharacterCandidate,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        let CharacterCandidate { index, len, code_point, .. } = found;
        let start = chunk.offsets.char_start(index);
        let end = chunk.offsets.char_end(index, len);
        let span = CharacterSpan { position: self.position, start, len: end.saturating_sub(start) };
        if found.is_not_ascii {
            self.report_character(span, FindingKind::NotAscii { code_point }, on_finding)?;
        }
        let kind = |confusion: Confusion| FindingKind::Confusing { code_point, confusion };
        match found.verdict {
            Verdict::Harmless => Ok(()),
            Verdict::Confusing(confusion) => {
                self.report_character(span, kind(confusion), on_finding)
            }
            Verdict::UnlessBefore(neighbor, confusion) => {
                let kind = kind(confusion);
                self.pending_character = Some(PendingCharacter { span, neighbor, kind });
                Ok(())
            }
        }
    }

    fn report_character(
        &self,
        CharacterSpan { position, start, len }: CharacterSpan,
        kind: FindingKind,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        self.report(position, start, len, kind, on_finding)
    }

    /// Checks what the end of the last chunk left undecided, if no text follows it.
    #[inline]
    fn check_pending(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        if self.pending_character.is_none() && self.pending_cr.is_none() {
            return Ok(());
        }
        self.check_pending_character(None, on_finding)?;
        self.check_pending_cr(on_finding)
    }

    /// Checks a character at the end of the last chunk, before the character `next`.
    fn check_pending_character(
        &mut self,
        next: Option<u32>,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        match self.pending_character.take() {
            Some(pending) if !next.is_some_and(|next| pending.neighbor.matches(next)) => {
                self.report_character(pending.span, pending.kind, on_finding)
            }
            _ => Ok(()),
        }
    }

    /// Checks a CR at the end of the last chunk that no LF follows.
    fn check_pending_cr(&mut self, on_finding: FindingCallback<'_>) -> Result<(), Error> {
        match self.pending_cr.take() {
            Some(span) => self.check_line_ending(LineEnding::Cr, span, on_finding),
            None => Ok(()),
        }
    }

    fn check_line_ending(
        &mut self,
        found: LineEnding,
        LineEndingSpan { position, start, end }: LineEndingSpan,
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

    /// Moves the position from one index of a chunk to a later one.
    fn advance(&mut self, chunk: &mut TextChunk<'_>, from: usize, to: usize) {
        let text = &chunk.text[from..to];
        if text.len() < MAX_SHORT_TEXT && !text.contains(&b'\n') {
            let is_start = |byte: &&u8| **byte & 0xC0 != 0x80;
            self.position.line_column.column += text.iter().filter(is_start).count() as u64;
            return;
        }
        self.position.line_column = self.position.line_column.after(text);
        let last_newline = self.byte_columns.then(|| memrchr(b'\n', text)).flatten();
        if let Some(last) = last_newline {
            self.position.line_start = chunk.offsets.char_end(from + last, 1);
        }
    }

    fn report(
        &self,
        position: TextPosition,
        offset: u64,
        len: u64,
        kind: FindingKind,
        on_finding: FindingCallback<'_>,
    ) -> Result<(), Error> {
        if offset >= self.report_limit {
            return Ok(());
        }
        let (position, byte_column) = self.locate(position, offset);
        on_finding(&Finding { position, byte_column, len, kind, encoding_index: 0 })
            .map_err(Error::Io)
    }

    /// Returns the position of a finding and its column in bytes, given its position in the text.
    #[inline]
    fn locate(&self, position: TextPosition, offset: u64) -> (Position, Option<u64>) {
        let source_line = self.source_lines.as_ref().map(|lines| lines.line_at(offset));
        let (LineColumn { line, column }, line_start) =
            source_line.unwrap_or((position.line_column, position.line_start));
        let byte_column = self.byte_columns.then(|| offset.saturating_sub(line_start) + 1);
        (Position { offset, line, column }, byte_column)
    }
}

/// Checks the line endings of a file against the rule.
#[derive(Debug, Clone, Copy)]
struct NewlineChecker {
    rule: NewlineRule,
    /// The ending of the first line, under [`NewlineRule::Consistent`].
    first: Option<LineEnding>,
}

impl NewlineChecker {
    /// Returns the expected line ending if `found` violates the rule.
    fn violation(&mut self, found: LineEnding) -> Option<LineEnding> {
        let expected = self.expected()?.unwrap_or_else(|| *self.first.insert(found));
        (found != expected).then_some(expected)
    }

    /// Returns the index and kind of the first line ending at `start` or after it that may violate the
    /// rule. A CR at the end of `text` may be the first half of a CRLF: the caller has to check that.
    fn next_candidate(&self, text: &[u8], start: usize) -> Option<(usize, LineEnding)> {
        let rest = text.get(start..)?;
        let (index, found) = match self.expected()? {
            // Every other line ending contains a CR, which is faster to find.
            Some(LineEnding::Lf) => {
                memchr(b'\r', rest).map(|index| (index, LineEnding::at(rest, index)))
            }
            Some(LineEnding::CrLf) => {
                line_endings(rest).find(|(_, found)| *found != LineEnding::CrLf)
            }
            Some(LineEnding::Cr) | None => line_endings(rest).next(),
        }?;
        Some((start + index, found))
    }

    /// Returns the expected line ending, `Some(None)` if the first line decides it, or `None` if all are
    /// allowed.
    fn expected(&self) -> Option<Option<LineEnding>> {
        match self.rule {
            NewlineRule::Any => None,
            NewlineRule::Lf => Some(Some(LineEnding::Lf)),
            NewlineRule::CrLf => Some(Some(LineEnding::CrLf)),
            NewlineRule::Cr => Some(Some(LineEnding::Cr)),
            NewlineRule::Consistent => Some(self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find_violations(rule: NewlineRule, text: &str) -> Vec<(usize, LineEnding)> {
        let mut checker = NewlineChecker { rule, first: None };
        let (mut start, mut violations) = (0, Vec::new());
        while let Some((index, found)) = checker.next_candidate(text.as_bytes(), start) {
            if checker.violation(found).is_some() {
                violations.push((index, found));
            }
            start = index + found.byte_len();
        }
        violations
    }

    #[test]
    fn each_wrong_line_ending_is_found_once() {
        use LineEnding::{Cr, CrLf, Lf};
        let text = "a\nb\r\nc\rd\r\r\n\n";
        for (rule, expected) in [
            (NewlineRule::Any, vec![]),
            (NewlineRule::Lf, vec![(3, CrLf), (6, Cr), (8, Cr), (9, CrLf)]),
            (NewlineRule::CrLf, vec![(1, Lf), (6, Cr), (8, Cr), (11, Lf)]),
            (NewlineRule::Cr, vec![(1, Lf), (3, CrLf), (9, CrLf), (11, Lf)]),
            (NewlineRule::Consistent, vec![(3, CrLf), (6, Cr), (8, Cr), (9, CrLf)]),
        ] {
            assert_eq!(find_violations(rule, text), expected, "{rule:?}");
        }
        assert_eq!(find_violations(NewlineRule::Consistent, "a\r\nb\r\nc\n\r"), [(7, Lf), (8, Cr)]);
        assert_eq!(find_violations(NewlineRule::Consistent, "a\rb\rc\n"), [(5, Lf)]);
    }

    #[test]
    fn byte_order_mark_before_a_range_decides_its_byte_order() {
        let utf_16 = encoding::for_label("utf-16").unwrap();
        // U+00D8 in UTF-16LE; in UTF-16BE this is a surrogate by itself.
        let text = [0xD8, 0];
        for (context, expected) in [(&[0xFF, 0xFE][..], 0), (&[0xFE, 0xFF][..], 1)] {
            let mut checker = crate::Checker::new(&crate::CheckOptions::new(utf_16)).unwrap();
            checker.begin_range(8, 2, context).unwrap();
            checker.input_buffer()[..2].copy_from_slice(&text);
            let mut count = 0;
            let mut on_finding = |_: &Finding| {
                count += 1;
                Ok(())
            };
            checker.process(2, &mut on_finding).unwrap();
            checker.finish_input(&mut on_finding).unwrap();
            assert_eq!(count, expected, "{context:X?}");
        }
    }
}
