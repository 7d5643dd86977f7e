//! Decodes header fields.
//!
//! The decoder replaces encoded-words by their text, and copies everything else. It works on any
//! piece of the input and looks ahead up to [`LOOKAHEAD`] bytes. Input that it cannot decide yet
//! stays unread, such as an incomplete character of an encoded-word. So a [`DecoderState`] is all
//! that it keeps, and every error has the bytes that caused it.

use super::PARAMETERS;
use super::address_lexer::AddressContext;
use super::field::FieldKind;
use super::scanner::{Lookahead, Miss, Scan};
use super::state::BitPacker;
use super::transfer_encoding::{DecodedByte, NextByte, TransferDecoder, TransferEncoding};
use super::work_counter;
use charpipe_encoding::codec::{Checkpoint, DecodeStage, Progress, State, Status};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_encoding::encoding::{self, EncodingOptions};

mod adjacent;
mod charset_cache;
#[cfg(test)]
mod complexity;
mod passthrough;
mod strict;

use charset_cache::DecoderCache;
pub(super) use charset_cache::LabelCache;

/// How many bytes the decoder looks ahead from the first unread one. An encoded-word that does not
/// end within them is text. After an encoded-word, the white space and the next encoded-word must
/// end within them, counted from its last unread character; else the white space is text.
pub(super) const LOOKAHEAD: usize = 64 * 1024;

/// The output space that any step needs: most for a character that adjacent encoded-words carry
/// together, or for an encoded-word in strict mode.
const MIN_OUTPUT: usize = 1024;

/// The number of bytes that are decoded first: pathological input has millions of errors, and a
/// call begins after each. Few errors have more bytes.
const INITIAL_BYTES: usize = 4;

/// The number of bytes of an encoded-word that is decoded at once.
const SIMPLE_WORD: usize = 192;

/// Decodes header fields.
pub(super) struct HeaderDecoder {
    options: Options,
    state: State,
    /// The unpacked state within a call, and between calls that of `unpacked`.
    now: DecoderState,
    unpacked: State,
    utf8: Box<dyn DecodeStage>,
    decoders: DecoderCache,
    labels: LabelCache,
    /// Bytes of the encoded-word that is being decoded.
    bytes: ByteBuffer,
    /// The same of encoded-words that may be joined.
    attempt: Vec<u8>,
}

#[derive(Debug, Clone, Copy)]
struct Options {
    /// Whether every header field is a value without field name.
    ignore_fields: bool,
    /// Whether encoded-words may contain control characters.
    raw: bool,
    strict: bool,
    /// Whether parameters of RFC 2231 have been rewritten.
    parameters: bool,
}

impl HeaderDecoder {
    pub fn new(options: &EncodingOptions) -> HeaderDecoder {
        let strict = options.flag("strict");
        HeaderDecoder {
            options: Options {
                ignore_fields: options.is_choice("fields", "raw"),
                raw: options.is_choice("controls", "raw"),
                strict,
                parameters: options.flag(PARAMETERS),
            },
            state: State::INITIAL,
            now: DecoderState::default(),
            unpacked: State::INITIAL,
            utf8: encoding::utf8().decoder(&EncodingOptions::default()),
            decoders: DecoderCache::new(),
            labels: LabelCache::new(strict),
            bytes: ByteBuffer::new(),
            attempt: Vec::with_capacity(2 * CAPACITY),
        }
    }
}

impl Checkpoint for HeaderDecoder {
    fn save_state(&self) -> State {
        self.state
    }

    fn restore_state(&mut self, at: State) {
        self.state = at;
    }

    fn max_lookahead(&self) -> usize {
        LOOKAHEAD
    }
}

impl DecodeStage for HeaderDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        if self.unpacked != self.state {
            self.now = DecoderState::unpack(self.state);
            self.unpacked = self.state;
        }
        if let Some(error) = self.leading_error(src, dst) {
            return Progress::error(0, 0, error);
        }
        let mut call = Call { src, dst, end, read: 0, written: 0, new_word: None };
        let status = loop {
            let step = match self.now.mode {
                Mode::Word => self.word(&mut call),
                Mode::FieldStart | Mode::LineStart | Mode::Text => self.text(&mut call),
            };
            if let Err(status) = step {
                break status;
            }
        };
        let Call { read, written, .. } = call;
        self.unpacked = self.now.pack();
        // A call that reads and writes nothing decides nothing.
        if (read, written) != (0, 0) {
            self.state = self.unpacked;
        }
        Progress { read, written, status }
    }

    fn repeat_count(&self, src: &[u8], error: Malformed) -> usize {
        let then = DecoderState::unpack(error.resume_state);
        match then.is_plain_text() && then.searched == 0 {
            // A byte of text that is the same as the last one does not change this state.
            true => self.utf8.repeat_count(src, error),
            false => 1,
        }
    }
}

/// The result of a step: continue with the next one, or stop with a status.
type Step<T = ()> = Result<T, Status<Malformed>>;

/// The buffers of a call, and the progress so far.
struct Call<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
    read: usize,
    written: usize,
    /// The end of the text of an encoded-word that has just begun.
    new_word: Option<usize>,
}

impl<'a> Call<'a> {
    fn rest(&self) -> &'a [u8] {
        &self.src[self.read..]
    }

    fn space(&mut self) -> &mut [u8] {
        &mut self.dst[self.written..]
    }

    /// Returns the bytes that the decoder may examine. Indexes are those of the input.
    fn ahead(&self) -> Lookahead<'a> {
        match self.src.get(..self.read.saturating_add(LOOKAHEAD)) {
            Some(bytes) => Lookahead { bytes, closed: true },
            None => Lookahead { bytes: self.src, closed: self.end },
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Step {
        self.space().get_mut(..bytes.len()).ok_or(Status::OutputFull)?.copy_from_slice(bytes);
        self.written += bytes.len();
        Ok(())
    }

    /// Returns [`Status::OutputFull`] unless there is enough output space for any step.
    fn require_output(&self) -> Step {
        if self.dst.len() - self.written < MIN_OUTPUT { Err(Status::OutputFull) } else { Ok(()) }
    }
}

/// Returns what was found, or [`Status::InputEmpty`] if that needs more input.
fn found<T>(scan: Scan<T>) -> Step<Option<T>> {
    match scan {
        Ok(found) => Ok(Some(found)),
        Err(Miss::NotFound) => Ok(None),
        Err(Miss::NeedMore) => Err(Status::InputEmpty),
    }
}

/// Decoding the text of an encoded-word.
///
/// The decoder of the charset says how many bytes it has read. Bytes that it leaves, those of an
/// incomplete character, stay in the input.
impl HeaderDecoder {
    /// Returns the error at the start of the input if it is a single byte of text or of an
    /// encoded-word: pathological input has millions of them, and a call begins after each.
    fn leading_error(&mut self, src: &[u8], dst: &mut [u8]) -> Option<Malformed> {
        if self.now.mode == Mode::Word {
            return self.single_byte_error(src, dst);
        }
        let [byte @ (0x80..=0xC1 | 0xF5..), ..] = src else { return None };
        if !self.now.is_plain_text() {
            return None;
        }
        let then = self.continue_after_error(self.now.after_text(&[*byte]));
        Some(Malformed::new(1, encoding::not_utf8(&[*byte]), then))
    }

    /// Keeps the state after an error, for the next call. Returns it packed.
    fn continue_after_error(&mut self, then: DecoderState) -> State {
        self.now = then;
        self.unpacked = then.pack();
        self.unpacked
    }

    fn single_byte_error(&mut self, src: &[u8], dst: &mut [u8]) -> Option<Malformed> {
        let mut bytes = self.now.transfer_decoder(0);
        let NextByte::Byte(byte) = bytes.next(src, false) else { return None };
        let decoder = self.decoders.get(self.now.slot);
        decoder.restore_state(self.now.inner);
        let progress =
            charset_cache::decode_text(decoder, &[byte.value], dst, false, self.options.raw);
        let Status::Error(Malformed { len: 1, resume_len: 1, reason, resume_state: inner }) =
            progress.status
        else {
            return None;
        };
        let next = byte.resume();
        if (byte.from, progress.written) != (0, 0) {
            return None;
        }
        let then = DecoderState { inner, ..self.now.at(next, self.now.join) };
        let then = self.continue_after_error(then);
        Some(Malformed::new(byte.to, reason, then).with_resume_len(next.at))
    }

    /// Decodes an encoded-word from any position in its text, and what joins it to the next one.
    fn word(&mut self, call: &mut Call<'_>) -> Step {
        let is_done = match call.new_word.take() {
            Some(end) => self.simple_word(call, end),
            None => false,
        };
        let mut limit = INITIAL_BYTES;
        while !is_done && !self.decode_chunk(call, limit)? {
            limit = (2 * limit).min(CAPACITY);
        }
        self.finish_word(call)
    }

    /// Decodes the text of an encoded-word that begins here and ends at `end`, if it is well-formed
    /// and there is space for all of it. Returns whether it did.
    ///
    /// This is a faster way to the result of [`decode_chunk`](HeaderDecoder::decode_chunk). Each
    /// encoded-word is tried once, so that one with many errors costs no more.
    fn simple_word(&mut self, call: &mut Call<'_>, end: usize) -> bool {
        let mut bytes = [0; SIMPLE_WORD];
        let text = &call.src[call.read..end];
        let Some(count) = self.now.encoding.decode(text, &mut bytes) else { return false };
        let decoder = self.decoders.get(self.now.slot);
        decoder.restore_state(self.now.inner);
        let space = call.space();
        let Progress { read, written, status } = decoder.decode(&bytes[..count], space, false);
        let has_control =
            !self.options.raw && charset_cache::find_control(&space[..written]).is_some();
        if has_control || read < count || status != Status::InputEmpty {
            return false;
        }
        self.now.inner = decoder.save_state();
        call.written += written;
        call.read = end;
        if self.now.encoding == TransferEncoding::B {
            // The last character with used bits stays unread, as in `TransferDecoder`.
            self.now.phase = (count % 3) as u8;
            call.read = end - text.len() + count / 3 * 4 + count % 3;
        }
        true
    }

    /// Decodes up to `limit` bytes of the encoded-word. Returns whether it has ended.
    fn decode_chunk(&mut self, call: &mut Call<'_>, limit: usize) -> Step<bool> {
        let mut bytes = self.now.transfer_decoder(call.read);
        self.bytes.clear(self.now.join);
        let status = self.bytes.fill(&mut bytes, call.src, call.end, limit);
        let progress = self.decode_bytes(call, false);
        self.advance(call, progress)?;
        match (progress.status, status) {
            (Status::OutputFull, _) => Err(Status::OutputFull),
            (_, FillStatus::Full) => Ok(false),
            (_, FillStatus::NeedMore) => Err(Status::InputEmpty),
            (_, FillStatus::End(_)) => Ok(true),
        }
    }

    /// Decodes the bytes in the buffer to the output of the call.
    fn decode_bytes(&mut self, call: &mut Call<'_>, end: bool) -> Progress<Malformed> {
        let decoder = self.decoders.get(self.now.slot);
        decoder.restore_state(self.now.inner);
        let (bytes, raw) = (&self.bytes.values, self.options.raw);
        let progress = charset_cache::decode_text(decoder, bytes, call.space(), end, raw);
        self.now.inner = decoder.save_state();
        progress
    }

    /// Advances as far as the decoder of the charset has, and maps its error to the input.
    fn advance(&mut self, call: &mut Call<'_>, progress: Progress<Malformed>) -> Step {
        call.written += progress.written;
        let read = progress.read;
        let Status::Error(error) = progress.status else {
            self.resume_at(call, self.bytes.resume_after(read));
            return Ok(());
        };
        let mut len = 0;
        if error.len > 0 {
            self.resume_at(call, self.bytes.start_of(read));
            len = self.bytes.end_of(read + error.len).map_or(0, |end| end - call.read);
        } else {
            self.resume_at(call, self.bytes.resume_after(read));
        }
        let mut then = DecoderState { inner: error.resume_state, ..self.now };
        let mut next = 0;
        let resume_point = match error.resume_len {
            0 => None,
            len => self.bytes.resume_after(read + len),
        };
        if let Some((decoder, join)) = resume_point {
            then = then.at(decoder, join);
            next = decoder.at - call.read;
        }
        Err(Status::Error(Malformed::new(len, error.reason, then.pack()).with_resume_len(next)))
    }

    fn resume_at(&mut self, call: &mut Call<'_>, point: Option<ResumePoint>) {
        if let Some((decoder, join)) = point {
            call.read = decoder.at;
            self.now = self.now.at(decoder, join);
        }
    }
}

/// The number of bytes that are buffered at most.
pub const CAPACITY: usize = 256;

/// Decoded bytes of an encoded-word, and of those that follow it.
#[derive(Default)]
pub struct ByteBuffer {
    pub values: Vec<u8>,
    origins: Vec<ByteOrigin>,
    /// The index of the first byte of the last encoded-word.
    last_word: usize,
    /// Where the text of that encoded-word begins.
    last_text: usize,
    /// How the last encoded-word continues.
    join: WordJoin,
}

struct ByteOrigin {
    byte: DecodedByte,
    /// Whether the byte begins in one encoded-word and ends in another.
    spans: bool,
    /// How the encoded-word continues in which the next byte begins.
    join: WordJoin,
}

/// Where to continue in an encoded-word, and how that encoded-word continues.
pub type ResumePoint = (TransferDecoder, WordJoin);

/// Why filling the buffer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillStatus {
    /// The buffer has the requested number of bytes.
    Full,
    /// The encoded-word ends, with its `?=` at this index.
    End(usize),
    /// Needs more input.
    NeedMore,
}

impl ByteBuffer {
    pub fn new() -> ByteBuffer {
        let (values, origins) = (Vec::with_capacity(CAPACITY), Vec::with_capacity(CAPACITY));
        ByteBuffer { values, origins, ..ByteBuffer::default() }
    }

    /// Clears the buffer for an encoded-word that continues as `join` says.
    pub fn clear(&mut self, join: WordJoin) {
        self.values.clear();
        self.origins.clear();
        (self.last_word, self.last_text, self.join) = (0, 0, join);
    }

    /// Adds up to `limit` bytes of one encoded-word.
    pub fn fill(
        &mut self,
        decoder: &mut TransferDecoder,
        src: &[u8],
        closed: bool,
        limit: usize,
    ) -> FillStatus {
        let full = CAPACITY.min(self.values.len() + limit);
        while self.values.len() < full {
            match decoder.next(src, closed) {
                NextByte::Byte(byte) => {
                    let (spans, join) = (byte.from < self.last_text, self.join);
                    self.values.push(byte.value);
                    self.origins.push(ByteOrigin { byte, spans, join });
                }
                NextByte::End(at) => return FillStatus::End(at),
                NextByte::NeedMore => return FillStatus::NeedMore,
            }
        }
        FillStatus::Full
    }

    /// Begins the next encoded-word, whose text is at `text`. The previous one continues in it as
    /// `join` says.
    pub fn begin_next_word(&mut self, join: WordJoin, text: usize) {
        for origin in &mut self.origins[self.last_word..] {
            origin.join = join;
        }
        (self.last_word, self.last_text, self.join) =
            (self.values.len(), text, WordJoin::Undecided);
    }

    /// Returns where to continue after the first `count` bytes, if there are any.
    pub fn resume_after(&self, count: usize) -> Option<ResumePoint> {
        let origin = self.origins.get(count.checked_sub(1)?)?;
        Some((origin.byte.resume(), origin.join))
    }

    /// Returns where the byte at `index` begins, after skipped characters before it.
    pub fn start_of(&self, index: usize) -> Option<ResumePoint> {
        let ByteOrigin { byte, spans, join } = self.origins.get(index)?;
        if *spans {
            return self.resume_after(index);
        }
        Some((byte.restart(), *join))
    }

    /// Returns the index after the last character that carries the byte before `index`.
    pub fn end_of(&self, index: usize) -> Option<usize> {
        self.origins.get(index.checked_sub(1)?).map(|origin| origin.byte.to)
    }
}

/// What comes next in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The start of a header field.
    #[default]
    FieldStart,
    /// Text of a header field.
    Text,
    /// The start of a line: white space continues the header field.
    LineStart,
    /// The text of an encoded-word.
    Word,
}

/// How an encoded-word continues in the next one. The decision is kept even if an error takes the
/// last bytes of the first one away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WordJoin {
    #[default]
    Undecided,
    /// Each is decoded by itself, and their bytes are joined.
    Bytes,
    /// The base64 text continues.
    Base64,
    /// It does not: what follows is text.
    None,
}

/// Everything that the decoder keeps between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecoderState {
    pub mode: Mode,
    pub context: AddressContext,
    /// The byte before, or a line feed at the start of a field body or of a value.
    pub last: u8,
    /// Bytes of the text ahead that need no search for encoded-words.
    pub searched: u32,
    /// In strict mode: whether an encoded-word has ended here.
    pub after_word: bool,
    /// The transfer encoding of the encoded-word.
    pub encoding: TransferEncoding,
    /// Bytes that have been decoded from a quantum of base64.
    pub phase: u8,
    /// How the encoded-word continues.
    pub join: WordJoin,
    /// The index of the encoded-word's charset in the list of all.
    pub slot: u16,
    /// The state of the decoder of that charset.
    pub inner: State,
}

/// Bits of the number of open comments. More are not counted, and end too early.
const DEPTH_BITS: u32 = 11;
const MAX_DEPTH: u16 = (1 << DEPTH_BITS) - 1;

/// Bits of the length of the longest encoded-word.
const SEARCHED_BITS: u32 = 17;

/// Bits of the index of a charset in the list of all.
const SLOT_BITS: u32 = 12;

const MODES: [Mode; 4] = [Mode::FieldStart, Mode::Text, Mode::LineStart, Mode::Word];
const ENCODINGS: [TransferEncoding; 2] = [TransferEncoding::Q, TransferEncoding::B];
const JOINS: [WordJoin; 4] =
    [WordJoin::Undecided, WordJoin::Bytes, WordJoin::Base64, WordJoin::None];

impl DecoderState {
    #[inline(always)]
    fn pass(self, bits: &mut BitPacker) -> DecoderState {
        DecoderState {
            mode: bits.one_of(2, &MODES, self.mode as usize),
            context: self.context.pass(bits, DEPTH_BITS),
            last: bits.number(8, self.last.into()) as u8,
            searched: bits.number(SEARCHED_BITS, self.searched.into()) as u32,
            after_word: bits.flag(self.after_word),
            encoding: bits.one_of(1, &ENCODINGS, self.encoding as usize),
            phase: bits.number(2, self.phase.into()) as u8,
            join: bits.one_of(2, &JOINS, self.join as usize),
            slot: bits.number(SLOT_BITS, self.slot.into()) as u16,
            inner: self.inner,
        }
    }

    pub fn pack(self) -> State {
        let mut bits = BitPacker::writer();
        self.pass(&mut bits);
        State::new(bits.bits).with_inner(self.inner)
    }

    pub fn unpack(state: State) -> DecoderState {
        let inner = state.inner();
        let unpacked = DecoderState { inner, ..DecoderState::default() };
        unpacked.pass(&mut BitPacker::reader(state.bits()))
    }

    /// Whether text comes next, and nothing but text.
    fn is_plain_text(&self) -> bool {
        self.mode == Mode::Text && !self.after_word
    }

    /// Returns a decoder that continues the encoded-word at `at`.
    pub fn transfer_decoder(&self, at: usize) -> TransferDecoder {
        TransferDecoder::new(at, self.encoding, self.phase)
    }

    /// Returns the state at a position in an encoded-word, apart from the index.
    pub fn at(self, next: TransferDecoder, join: WordJoin) -> DecoderState {
        DecoderState { encoding: next.encoding, phase: next.phase, join, ..self }
    }

    /// Returns the state at the start of the text of an encoded-word.
    pub fn in_word(self, encoding: TransferEncoding, slot: u16, inner: State) -> DecoderState {
        DecoderState {
            mode: Mode::Word,
            encoding,
            phase: 0,
            join: WordJoin::Undecided,
            slot,
            inner,
            ..self
        }
    }

    /// Returns the state after an encoded-word.
    pub fn after_word(self) -> DecoderState {
        let (mode, context) = (Mode::Text, self.context);
        DecoderState { mode, context, last: b'=', ..DecoderState::default() }
    }

    /// Returns the state after bytes of text.
    pub fn after_text(mut self, bytes: &[u8]) -> DecoderState {
        if self.context.kind == FieldKind::AddressList {
            work_counter::add(bytes.len());
            self.context.walk(bytes, MAX_DEPTH);
        }
        self.last = bytes.last().copied().unwrap_or(self.last);
        self.searched = self.searched.saturating_sub(bytes.len() as u32);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::encoding;

    #[test]
    fn a_state_is_unpacked_as_it_was_packed() {
        let mut context = AddressContext::default();
        context.walk(b"((\\", MAX_DEPTH);
        let full = DecoderState {
            mode: Mode::Word,
            context: AddressContext { kind: FieldKind::NoEncodedWords, ..context },
            last: 0xFF,
            searched: LOOKAHEAD as u32,
            after_word: true,
            encoding: TransferEncoding::B,
            phase: 2,
            join: WordJoin::Base64,
            slot: (1 << SLOT_BITS) - 1,
            inner: State::new(u64::MAX),
        };
        let (mode, join) = (Mode::LineStart, WordJoin::Bytes);
        let other = DecoderState { mode, context, join, ..full };
        for state in [full, other, DecoderState::default()] {
            assert_eq!(DecoderState::unpack(state.pack()), state);
        }
        assert_eq!(DecoderState::default().pack(), State::INITIAL);
        assert!(encoding::ALL.len() < 1 << SLOT_BITS);
    }

    #[test]
    fn each_repeated_error_is_the_error_of_a_call() {
        let options = EncodingOptions::default();
        let starts =
            ["", "a", "Subject: ", "Date: a", "To: \"a", "To: (\\", "a =?no?q?", "=?utf-8?q?"];
        for (start, is_plain) in
            starts.into_iter().zip([true, true, true, true, true, true, false, false])
        {
            for (repeated, count) in [(&b"\xFF\xFF\xFF"[..], 3), (b"\xE2\xE2\xE2", 1)] {
                let input = [start.as_bytes(), repeated, b"\x80a?= b"].concat();
                let (mut decoder, mut dst) = (HeaderDecoder::new(&options), [0; MIN_OUTPUT]);
                let Progress { mut read, status, .. } = decoder.decode(&input, &mut dst, true);
                let Status::Error(error) = status else { panic!("{start}: no error") };
                let found = decoder.repeat_count(&input[read..], error);
                assert_eq!(found, if is_plain { count } else { 1 }, "{start}");
                for _ in 0..found {
                    let progress = decoder.decode(&input[read..], &mut dst, true);
                    assert_eq!(progress, Progress::error(0, 0, error), "{start}");
                    decoder.restore_state(error.resume_state);
                    read += error.resume_len;
                }
            }
        }
    }

    #[test]
    fn a_leading_error_is_the_error_of_any_other_call() {
        let options = EncodingOptions::default();
        for start in
            ["a", "a\nSubject: a", "Date: a", "To: \"a", "To: (\\", "a =?no?q?a?= b", "\u{E9}a"]
        {
            for error in [b"\x80", b"\xC0", b"\xFF"] {
                let input = [start.as_bytes(), error].concat();
                let (mut slow, mut dst) = (HeaderDecoder::new(&options), [0; MIN_OUTPUT]);
                let progress = slow.decode(&input, &mut dst, true);
                assert_eq!(progress.read, start.len());
                let mut fast = HeaderDecoder::new(&options);
                fast.restore_state(slow.save_state());
                let progress_of_fast = fast.decode(error, &mut dst, true);
                assert_eq!(progress_of_fast, Progress { read: 0, written: 0, ..progress });
            }
        }
    }
}
