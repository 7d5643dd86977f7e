//! Copies text up to the next encoded-word.

use memchr::{memchr, memchr2_iter, memrchr_iter};

use super::{Call, DecoderState, HeaderDecoder, LOOKAHEAD, Mode, Step, found};
use crate::rfc2047::address_lexer::Bracket;
use crate::rfc2047::field::{self, FieldKind};
use crate::rfc2047::scanner::{EncodedWord, Lookahead, Miss, Scan};
use crate::rfc2047::transfer_encoding::NextByte;
use crate::rfc2047::work_counter;
use charpipe_encoding::codec::{Progress, State, Status};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_kernel as kernel;

/// The number of bytes that are searched first: pathological input has millions of errors, and a
/// call begins after each.
const INITIAL_CHUNK: usize = 64;

/// The number of bytes that are searched at a time.
const MAX_CHUNK: usize = 16 * 1024;

/// Why a run of text ends.
#[derive(PartialEq, Eq)]
enum RunEnd {
    /// More text follows.
    Text,
    /// A line ends. The line feed belongs to the run.
    Line,
    /// A `=?` follows that may begin an encoded-word.
    Word,
}

fn is_whitespace(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl HeaderDecoder {
    /// Copies text up to the next encoded-word.
    pub(super) fn text(&mut self, call: &mut Call<'_>) -> Step {
        let mut limit = INITIAL_CHUNK;
        loop {
            let Some(first) = call.rest().first() else { return Err(Status::InputEmpty) };
            match self.now.mode {
                Mode::FieldStart if copy_plain_fields(call) => {}
                Mode::FieldStart => self.begin_field(call)?,
                Mode::LineStart if is_whitespace(*first) => self.now.mode = Mode::Text,
                Mode::LineStart => self.now = DecoderState::default(),
                Mode::Text => {
                    if self.now.after_word {
                        self.skip_whitespace(call)?;
                    }
                    let from = call.read;
                    self.copy_or_begin_word(call, limit)?;
                    if call.read - from == limit {
                        limit = (2 * limit).min(MAX_CHUNK);
                    }
                }
                Mode::Word => return Ok(()),
            }
        }
    }

    /// Begins a header field. In strict mode its first encoded-word follows the field name.
    fn begin_field(&mut self, call: &mut Call<'_>) -> Step {
        let classified = field::classify(call.rest(), call.end).ok_or(Status::InputEmpty)?;
        let (kind, name) = match self.options.ignore_fields {
            true => (FieldKind::Value, 0),
            false => classified,
        };
        let has_parameters = self.options.parameters
            && kind == FieldKind::NoEncodedWords
            && field::starts_parameters(call.rest(), true) == Some(true);
        let kind = if has_parameters { FieldKind::Parameters } else { kind };
        if self.options.strict && name > 0 {
            call.write(&call.rest()[..name])?;
            call.read += name;
        }
        self.now = DecoderState { mode: Mode::Text, last: b'\n', ..DecoderState::default() };
        self.now.context.kind = kind;
        Ok(())
    }

    /// Copies a run of text, or examines the `=?` that comes next.
    fn copy_or_begin_word(&mut self, call: &mut Call<'_>, limit: usize) -> Step {
        let (len, end) = self.plain_run(call.rest(), limit);
        work_counter::add(len + 1);
        if len > 0 {
            return self.copy(call, len, end);
        }
        // The encoded-words in parameters are not those of the input.
        let strict = self.options.strict && self.now.context.kind != FieldKind::Parameters;
        let text = if strict { self.strict_word(call)? } else { self.begin_word(call)? };
        self.now.searched = text as u32;
        Ok(())
    }

    /// Returns the length of the text at the start of `rest` that needs no further search.
    fn plain_run(&self, rest: &[u8], limit: usize) -> (usize, RunEnd) {
        let near = &rest[..rest.len().min(limit)];
        if self.now.searched > 0 {
            return (near.len().min(self.now.searched as usize), RunEnd::Text);
        }
        if self.now.context.kind == FieldKind::NoEncodedWords {
            return memchr(b'\n', near)
                .map_or((near.len(), RunEnd::Text), |at| (at + 1, RunEnd::Line));
        }
        for at in memchr2_iter(b'\n', b'=', near) {
            match (near[at], rest.get(at + 1)) {
                (b'\n', _) => return (at + 1, RunEnd::Line),
                (_, Some(b'?')) if at > 0 && is_text(rest, at) => {}
                (_, None | Some(b'?')) => return (at, RunEnd::Word),
                _ => {}
            }
        }
        (near.len(), RunEnd::Text)
    }

    /// Copies a run of text, as far as it fits into the output and is UTF-8.
    fn copy(&mut self, call: &mut Call<'_>, len: usize, end: RunEnd) -> Step {
        let rest = call.rest();
        let progress = self.utf8.decode(&rest[..len], call.space(), false);
        let read = progress.read;
        work_counter::add(read + 1);
        self.now = self.now.after_text(&rest[..read]);
        call.read += read;
        call.written += read;
        match progress.status {
            Status::InputEmpty if read == len => {
                if end == RunEnd::Line {
                    self.now.mode = Mode::LineStart;
                }
                return Ok(());
            }
            Status::InputEmpty => {}
            status => return self.text_error(call, status),
        }
        // The end of the run cuts a character. The start of an encoded-word cannot continue it.
        let (to, is_end) = match end {
            RunEnd::Word => (len + 1, false),
            _ if len < rest.len() => return Ok(()),
            _ => (len, call.end),
        };
        let Progress { status, .. } = self.utf8.decode(&rest[read..to], call.space(), is_end);
        self.text_error(call, status)
    }

    /// Stops, after an error of the text in the state after the error.
    fn text_error(&self, call: &Call<'_>, status: Status<Malformed>) -> Step {
        Err(match status {
            Status::Error(error) => {
                let then = self.now.after_text(&call.rest()[..error.len]).pack();
                Status::Error(Malformed { resume_state: then, ..error })
            }
            status => status,
        })
    }

    /// Begins the encoded-word at the `=?` that comes next. Returns 0, or if it is text the number
    /// of bytes that need no further search.
    fn begin_word(&mut self, call: &mut Call<'_>) -> Step<usize> {
        let (ahead, at) = (call.ahead(), call.read);
        let Some(word) = found(ahead.encoded_word(at))? else { return Ok(1) };
        if found(self.now.forbids_word(&ahead, &word))? == Some(true) {
            return Ok(word.end - at);
        }
        match self.labels.find(&ahead.bytes[word.label.clone()]) {
            Some(slot)
                if matches!(content(&ahead, &word), WordContent::Bytes | WordContent::Empty) =>
            {
                self.enter(call, &word, slot, State::INITIAL);
                Ok(0)
            }
            _ => Ok(word.end - at),
        }
    }

    /// Continues at the text of an encoded-word.
    pub(super) fn enter(
        &mut self,
        call: &mut Call<'_>,
        word: &EncodedWord,
        slot: u16,
        inner: State,
    ) {
        self.now = self.now.in_word(word.encoding, slot, inner);
        call.read = word.text.start;
        call.new_word = Some(word.text.end);
    }
}

/// Copies the header fields ahead that are ASCII without `=?`: whatever fields they are, none of
/// them has encoded-words. Returns whether there was one.
fn copy_plain_fields(call: &mut Call<'_>) -> bool {
    let rest = call.rest();
    let near = &rest[..rest.len().min(call.space().len()).min(MAX_CHUNK)];
    let near = &near[..kernel::encoded_word_scan::ascii_before_encoded_word(near)];
    let ends = |at: &usize| rest.get(at + 1).is_some_and(|byte| !is_whitespace(*byte));
    let last = memrchr_iter(b'\n', near).find(ends);
    work_counter::add(2 * near.len() + 1 - last.unwrap_or(0));
    let Some(last) = last else { return false };
    call.read += last + 1;
    call.write(&near[..=last]).is_ok()
}

impl DecoderState {
    /// Whether the field forbids this encoded-word: in an address it is text.
    pub fn forbids_word(&self, ahead: &Lookahead<'_>, word: &EncodedWord) -> Scan<bool> {
        if self.context.kind != FieldKind::AddressList {
            return Ok(false);
        }
        if self.context.bracket == Bracket::Angle || self.last == b'@' {
            return Ok(true);
        }
        match ahead.byte(word.end) {
            Ok(next) => Ok(next == b'@'),
            Err(Miss::NotFound) => Ok(false),
            Err(Miss::NeedMore) => Err(Miss::NeedMore),
        }
    }
}

/// Whether the `=?` at `at` is known to be text. An encoded-word in strict mode has the form of any
/// other.
fn is_text(rest: &[u8], at: usize) -> bool {
    let bytes = &rest[..rest.len().min(at.saturating_add(LOOKAHEAD))];
    let ahead = Lookahead { bytes, closed: bytes.len() < rest.len() };
    ahead.encoded_word(at) == Err(Miss::NotFound)
}

/// What the text of an encoded-word decodes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WordContent {
    Bytes,
    /// No bytes: the text is empty.
    Empty,
    /// No bytes by itself, but a few bits of base64.
    Bits,
    /// No bytes, though the text is not empty.
    Invalid,
}

pub fn content(ahead: &Lookahead<'_>, word: &EncodedWord) -> WordContent {
    let mut bytes = word.decoder();
    let text = &ahead.bytes[word.text.clone()];
    match bytes.next(&ahead.bytes[..word.end], true) {
        NextByte::Byte(_) => WordContent::Bytes,
        _ if bytes.in_partial_quantum() => WordContent::Bits,
        _ if text.iter().all(u8::is_ascii_whitespace) => WordContent::Empty,
        _ => WordContent::Invalid,
    }
}
