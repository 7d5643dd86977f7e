//! Decodes header fields.
//!
//! The unit is a header field of at most [`MAX_FIELD`] bytes: the decoder waits for its end, replaces
//! its encoded-words by their text, and copies everything else. Whatever decides about a byte is in
//! the same field, so nothing depends on where a block ends. A longer field is copied.
//!
//! Errors are not consumed, so a call may end at any byte of a field. A [`DecoderState`] is what
//! follows from the bytes before that: what is open there, and how much of the field is left.

use memchr::{memchr, memchr_iter, memrchr_iter};

use super::PARAMETERS;
use super::address_lexer::{AddressContext, Bracket};
use super::field::{self, FieldKind};
use super::scanner::{self, EncodedWord};
use super::state::BitPacker;
use super::transfer_encoding::{TransferDecoder, TransferEncoding};
use super::work_counter;
use charpipe_encoding::codec::{Checkpoint, DecodeStage, Progress, Replacements, State, Status};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::{self, EncodingOptions};
use charpipe_kernel as kernel;

mod charset;
#[cfg(test)]
mod complexity;
mod strict;
mod words;

use charpipe_transform::decoder_cache::DecoderCache;
pub(super) use charset::LabelCache;
use charset::decode_text;
use words::{ByteBuffer, WordContent, WordJoin, content};

/// The length of the longest header field that is decoded.
pub(super) const MAX_FIELD: usize = 64 * 1024;

/// The number of bytes of a long field that are searched first: pathological input has millions of
/// errors, and a call begins after each.
const INITIAL_CHUNK: usize = 64;

/// The number of bytes that are searched at a time.
const MAX_CHUNK: usize = 16 * 1024;

/// Decodes header fields.
pub(super) struct HeaderDecoder {
    strict: bool,
    /// Whether parameters of RFC 2231 have been rewritten.
    parameters: bool,
    now: DecoderState,
    utf8: Box<dyn DecodeStage>,
    decoders: DecoderCache,
    labels: LabelCache,
    /// Bytes of the encoded-word that is being decoded.
    bytes: ByteBuffer,
    /// The same of encoded-words that may be joined.
    attempt: Vec<u8>,
}

impl HeaderDecoder {
    pub fn new(options: &EncodingOptions) -> HeaderDecoder {
        let strict = options.flag("strict");
        HeaderDecoder {
            strict,
            parameters: options.flag(PARAMETERS),
            now: DecoderState::default(),
            utf8: encoding::utf8().decoder(&EncodingOptions::default()),
            decoders: DecoderCache::new(),
            labels: LabelCache::new(strict),
            bytes: ByteBuffer::new(),
            attempt: Vec::with_capacity(2 * words::CAPACITY),
        }
    }
}

impl Checkpoint for HeaderDecoder {
    fn save_state(&self) -> State {
        self.now.pack()
    }

    fn restore_state(&mut self, at: State) {
        self.now = DecoderState::unpack(at);
    }

    fn max_lookahead(&self) -> usize {
        MAX_FIELD
    }
}

impl DecodeStage for HeaderDecoder {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (before, field) = (self.now, self.now.left as usize);
        // Without the rest of the field, which a replay may leave out, nothing is decided.
        if field > src.len() {
            return Progress::input_empty(0, 0);
        }
        let mut call = Call { src, dst, end, field, read: 0, written: 0, new_word: None };
        let status = loop {
            if let Err(status) = self.step(&mut call) {
                break status;
            }
        };
        let Call { read, written, field, .. } = call;
        self.now.left = (field - read) as u32;
        // A call that reads and writes nothing decides nothing.
        if (read, written) == (0, 0) {
            self.now = before;
        }
        Progress { read, written, status }
    }

    fn decode_replacing(
        &mut self,
        src: &[u8],
        dst: &mut [u8],
        errors: &mut Replacements<'_>,
    ) -> (usize, usize) {
        let near = &src[..src.len().min(MAX_CHUNK)];
        let len = match self.now.mode {
            Mode::Text => near.len().min(self.now.searched as usize),
            Mode::LongField => memchr(b'\n', near).unwrap_or(near.len()),
            Mode::FieldStart | Mode::Word => return (0, 0),
        };
        let (read, written) = self.utf8.decode_replacing(&near[..len], dst, errors);
        work_counter::add(len);
        if self.now.mode == Mode::Text {
            self.now = self.now.after_text(&near[..read]);
            self.now.left -= read as u32;
        }
        (read, written)
    }
}

/// The result of a step: continue with the next one, or stop with a status.
type Step<T = ()> = Result<T, Status<Malformed>>;

/// The buffers of a call, and the progress so far.
struct Call<'a> {
    src: &'a [u8],
    dst: &'a mut [u8],
    end: bool,
    /// The index in `src` of the end of the header field.
    field: usize,
    read: usize,
    written: usize,
    /// The end of the text of an encoded-word that has just begun.
    new_word: Option<usize>,
}

impl<'a> Call<'a> {
    /// Returns all bytes up to the end of the header field. Indexes are those of the input.
    fn field(&self) -> &'a [u8] {
        &self.src[..self.field]
    }

    fn space(&mut self) -> &mut [u8] {
        &mut self.dst[self.written..]
    }

    fn write(&mut self, bytes: &[u8]) -> Step {
        self.space().get_mut(..bytes.len()).ok_or(Status::OutputFull)?.copy_from_slice(bytes);
        self.written += bytes.len();
        Ok(())
    }

    /// Returns an error of the next `len` bytes, after which `then` continues at `resume_len`.
    fn error(
        &self,
        len: usize,
        reason: MalformedReason,
        then: DecoderState,
        resume_len: usize,
    ) -> Status<Malformed> {
        let left = (self.field - self.read - resume_len) as u32;
        let then = DecoderState { left, ..then }.pack();
        Status::Error(Malformed::new(len, reason, then).with_resume_len(resume_len))
    }
}

impl HeaderDecoder {
    fn step(&mut self, call: &mut Call<'_>) -> Step {
        match self.now.mode {
            Mode::LongField => self.copy_long_field(call),
            _ if call.read == call.field => self.begin_field(call),
            Mode::Word => self.word(call),
            Mode::FieldStart | Mode::Text => self.text(call),
        }
    }

    /// Begins a header field. In strict mode its first encoded-word follows the field name.
    fn begin_field(&mut self, call: &mut Call<'_>) -> Step {
        self.now = DecoderState::default();
        copy_plain_fields(call);
        let rest = &call.src[call.read..];
        let Some(len) = field_len(rest, call.end).ok_or(Status::InputEmpty)? else {
            self.now.mode = Mode::LongField;
            return Ok(());
        };
        let (field, end) = (&rest[..len], call.read + len);
        let (kind, name) = field::classify(field, true).unwrap_or_default();
        let has_parameters = self.parameters
            && kind == FieldKind::NoEncodedWords
            && field::starts_parameters(field, true) == Some(true);
        let kind = if has_parameters { FieldKind::Parameters } else { kind };
        if self.strict && name > 0 {
            call.write(&field[..name])?;
            call.read += name;
        }
        call.field = end;
        self.now = DecoderState { mode: Mode::Text, last: b'\n', ..DecoderState::default() };
        self.now.context.kind = kind;
        Ok(())
    }

    /// Copies from a field that is too long to be decoded.
    fn copy_long_field(&mut self, call: &mut Call<'_>) -> Step {
        let mut limit = INITIAL_CHUNK;
        loop {
            let rest = &call.src[call.read..];
            let near = &rest[..rest.len().min(limit)];
            let continues = |at: &usize| matches!(rest.get(at + 1), Some(b' ' | b'\t'));
            let line_end = memchr_iter(b'\n', near).find(|at| !continues(at));
            work_counter::add(line_end.unwrap_or(near.len()));
            let (len, is_end) = match line_end {
                // What follows decides whether the field ends.
                Some(at) if at + 1 == rest.len() && !call.end => (at, false),
                Some(at) => (at + 1, true),
                None => (near.len(), call.end && near.len() == rest.len()),
            };
            let Progress { read, status, .. } =
                self.utf8.decode(&rest[..len], call.space(), is_end);
            (call.read, call.written) = (call.read + read, call.written + read);
            call.field = call.read;
            match status {
                Status::InputEmpty if is_end => {
                    self.now = DecoderState::default();
                    return Ok(());
                }
                // More of the input decides about a character at the end of this part.
                Status::InputEmpty if len == limit && len < rest.len() => {}
                Status::Error(error) => {
                    let then = self.now.pack();
                    return Err(Status::Error(Malformed::new(error.len, error.reason, then)));
                }
                status => return Err(status),
            }
            limit = (2 * limit).min(MAX_CHUNK);
        }
    }

    /// Copies text, or examines the `=?` that comes next.
    fn text(&mut self, call: &mut Call<'_>) -> Step {
        if self.now.after_word {
            self.skip_whitespace(call);
        }
        if self.now.searched == 0 {
            let rest = &call.field()[call.read..];
            let plain = match self.now.context.kind {
                FieldKind::NoEncodedWords => rest.len(),
                _ => scanner::find_start(rest),
            };
            work_counter::add(plain + 1);
            // The encoded-words in parameters are not those of the input.
            let strict = self.strict && self.now.context.kind != FieldKind::Parameters;
            let mut text = match plain {
                0 if strict => self.strict_word(call)?,
                0 => self.begin_word(call),
                plain => plain,
            };
            // Text such as `=?=?=?` is copied at once.
            while text > 0 && plain == 0 && text < rest.len() {
                let next = text + scanner::find_start(&rest[text..]);
                work_counter::add(next - text);
                if next < rest.len()
                    && scanner::encoded_word(call.field(), call.read + next).is_none()
                {
                    text = next + 1;
                } else {
                    text = next;
                    break;
                }
            }
            self.now.searched = text as u32;
        }
        if self.now.searched > 0 { self.copy(call) } else { Ok(()) }
    }

    /// Copies the text that has been searched, as far as it fits into the output and is UTF-8.
    fn copy(&mut self, call: &mut Call<'_>) -> Step {
        let (rest, len) = (&call.field()[call.read..], self.now.searched as usize);
        let mut progress = self.utf8.decode(&rest[..len], call.space(), false);
        let read = progress.read;
        work_counter::add(read + 1);
        self.now = self.now.after_text(&rest[..read]);
        (call.read, call.written) = (call.read + read, call.written + read);
        if progress.status == Status::InputEmpty {
            if read == len {
                return Ok(());
            }
            // The text cuts a character. The start of an encoded-word cannot continue it.
            let rest = &rest[read..rest.len().min(len + 1)];
            progress = self.utf8.decode(rest, call.space(), true);
        }
        match progress.status {
            Status::Error(Malformed { len, reason, .. }) => {
                let then = self.now.after_text(&call.field()[call.read..][..len]);
                Err(call.error(len, reason, then, len))
            }
            status => Err(status),
        }
    }

    /// Begins the encoded-word at the `=?` that comes next. Returns 0, or if it is text the number
    /// of bytes that need no further search.
    fn begin_word(&mut self, call: &mut Call<'_>) -> usize {
        let (field, at) = (call.field(), call.read);
        let Some(word) = scanner::encoded_word(field, at) else { return 1 };
        let slot = match self.now.forbids_word(field, &word) {
            true => None,
            false => self.labels.find(&field[word.label.clone()]),
        };
        match (slot, content(field, &word)) {
            (Some(slot), WordContent::Bytes | WordContent::Empty) => {
                self.enter(call, &word, slot, State::INITIAL);
                0
            }
            _ => word.end - at,
        }
    }
}

/// Returns the length of the header field at the start of `rest`: a line and the lines after it that
/// begin with white space. Returns `Some(None)` if it is longer than [`MAX_FIELD`], and `None` if more
/// input is needed.
pub(super) fn field_len(rest: &[u8], end: bool) -> Option<Option<usize>> {
    let near = &rest[..rest.len().min(MAX_FIELD)];
    for at in memchr_iter(b'\n', near) {
        match rest.get(at + 1) {
            Some(b' ' | b'\t') => {}
            None if !end => return None,
            _ => {
                work_counter::add(at + 1);
                return Some(Some(at + 1));
            }
        }
    }
    work_counter::add(near.len());
    match rest.len() > MAX_FIELD {
        true => Some(None),
        false => (end && !rest.is_empty()).then_some(Some(rest.len())),
    }
}

/// Copies the header fields ahead that are ASCII without `=?`: whatever fields they are, none of
/// them has encoded-words.
fn copy_plain_fields(call: &mut Call<'_>) {
    loop {
        let rest = &call.src[call.read..];
        let near = &rest[..rest.len().min(call.dst.len() - call.written).min(MAX_CHUNK)];
        let near = &near[..kernel::encoded_word_scan::ascii_before_encoded_word(near)];
        let ends = |at: &usize| rest.get(at + 1).is_some_and(|byte| !matches!(byte, b' ' | b'\t'));
        let last = memrchr_iter(b'\n', near).find(ends);
        work_counter::add(2 * near.len() + 1 - last.unwrap_or(0));
        let Some(last) = last else { return };
        if call.write(&near[..=last]).is_err() {
            return;
        }
        call.read += last + 1;
        call.field = call.read;
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
    /// The text of an encoded-word.
    Word,
    /// Text of a header field that is too long to be decoded.
    LongField,
}

/// Everything that the decoder keeps between two calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecoderState {
    pub mode: Mode,
    /// Bytes of the header field that are left.
    left: u32,
    pub context: AddressContext,
    /// In text: the byte before, or a line feed at the start of a field body or of a value.
    pub last: u8,
    /// Bytes of the text ahead that need no search for encoded-words.
    searched: u32,
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

/// Bits of a number of bytes of a header field.
const LEN_BITS: u32 = 17;

/// Bits of the index of a charset in the list of all.
const SLOT_BITS: u32 = 12;

const MODES: [Mode; 4] = [Mode::FieldStart, Mode::Text, Mode::Word, Mode::LongField];
const ENCODINGS: [TransferEncoding; 2] = [TransferEncoding::Q, TransferEncoding::B];

impl DecoderState {
    #[inline(always)]
    fn pass(self, bits: &mut BitPacker) -> DecoderState {
        let mut then = DecoderState { inner: self.inner, ..DecoderState::default() };
        then.mode = bits.one_of(2, &MODES, self.mode as usize);
        then.left = bits.number(LEN_BITS, self.left.into()) as u32;
        then.context = self.context.pass(bits, DEPTH_BITS);
        if then.mode == Mode::Word {
            then.encoding = bits.one_of(1, &ENCODINGS, self.encoding as usize);
            then.phase = bits.number(2, self.phase.into()) as u8;
            then.join = bits.one_of(2, &WordJoin::ALL, self.join as usize);
            then.slot = bits.number(SLOT_BITS, self.slot.into()) as u16;
        } else {
            then.last = bits.number(8, self.last.into()) as u8;
            then.searched = bits.number(LEN_BITS, self.searched.into()) as u32;
            then.after_word = bits.flag(self.after_word);
        }
        then
    }

    pub fn pack(self) -> State {
        let mut bits = BitPacker::writer();
        self.pass(&mut bits);
        State::new(bits.bits).with_inner(self.inner)
    }

    pub fn unpack(state: State) -> DecoderState {
        let unpacked = DecoderState { inner: state.inner(), ..DecoderState::default() };
        unpacked.pass(&mut BitPacker::reader(state.bits()))
    }

    /// Returns a decoder that continues the encoded-word at `at`.
    fn transfer_decoder(&self, at: usize) -> TransferDecoder {
        TransferDecoder::new(at, self.encoding, self.phase)
    }

    /// Returns the state at a position in an encoded-word, apart from the index.
    fn at(self, next: TransferDecoder, join: WordJoin) -> DecoderState {
        DecoderState { encoding: next.encoding, phase: next.phase, join, ..self }
    }

    /// Returns the state at the start of the text of an encoded-word.
    fn in_word(self, encoding: TransferEncoding, slot: u16, inner: State) -> DecoderState {
        let context = self.context;
        DecoderState { mode: Mode::Word, context, encoding, slot, inner, ..DecoderState::default() }
    }

    fn after_word(self) -> DecoderState {
        let (mode, context) = (Mode::Text, self.context);
        DecoderState { mode, context, last: b'=', ..DecoderState::default() }
    }

    fn after_text(mut self, bytes: &[u8]) -> DecoderState {
        if self.context.kind == FieldKind::AddressList {
            work_counter::add(bytes.len());
            self.context.walk(bytes, MAX_DEPTH);
        }
        self.last = bytes.last().copied().unwrap_or(self.last);
        self.searched = self.searched.saturating_sub(bytes.len() as u32);
        self
    }

    /// Whether the field forbids this encoded-word: in an address it is text.
    fn forbids_word(&self, field: &[u8], word: &EncodedWord) -> bool {
        self.context.kind == FieldKind::AddressList
            && (self.context.bracket == Bracket::Angle
                || self.last == b'@'
                || field.get(word.end) == Some(&b'@'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::codec::{ErrorHandler, ReplacementCache};
    use charpipe_encoding::conversion_error::{ActionTaken, ErrorClass, Unmappable};

    #[test]
    fn a_state_is_unpacked_as_it_was_packed() {
        let mut context = AddressContext::default();
        context.walk(b"((\\", MAX_DEPTH);
        let none = DecoderState::default();
        let (left, most) = (MAX_FIELD as u32, MAX_DEPTH);
        let context = AddressContext { kind: FieldKind::NoEncodedWords, depth: most, ..context };
        let text = DecoderState {
            mode: Mode::Text,
            context,
            left,
            last: 0xFF,
            searched: left,
            after_word: true,
            ..none
        };
        let word = DecoderState {
            mode: Mode::Word,
            context,
            left,
            encoding: TransferEncoding::B,
            phase: 2,
            join: WordJoin::Base64,
            slot: (1 << SLOT_BITS) - 1,
            inner: State::new(u64::MAX),
            ..none
        };
        let long = DecoderState { mode: Mode::LongField, ..none };
        for state in [text, word, long, DecoderState { join: WordJoin::Bytes, ..word }, none] {
            assert_eq!(DecoderState::unpack(state.pack()), state);
        }
        assert_eq!(none.pack(), State::INITIAL);
        assert!(encoding::ALL.len() < 1 << SLOT_BITS);
    }

    #[test]
    fn a_field_ends_before_a_line_without_white_space() {
        for (rest, open, closed) in [
            (&b"a\nb"[..], Some(Some(2)), Some(Some(2))),
            (b"a\n b\r\n\tc\r\nd", Some(Some(10)), Some(Some(10))),
            (b"a\n", None, Some(Some(2))),
            (b"a\n ", None, Some(Some(3))),
            (b"", None, None),
        ] {
            let found = (field_len(rest, false), field_len(rest, true));
            assert_eq!(found, (open, closed), "{}", rest.escape_ascii());
        }
        let longest = [vec![b'a'; MAX_FIELD - 1], b"\n".to_vec()].concat();
        assert_eq!(field_len(&longest, false), None);
        assert_eq!(field_len(&[&longest[..], b"b"].concat(), false), Some(Some(MAX_FIELD)));
        assert_eq!(field_len(&[&longest[..], b" "].concat(), false), Some(None));
    }

    /// Replaces all errors with `?`.
    #[derive(Default)]
    struct QuestionMarks {
        count: usize,
        cache: Option<Box<ReplacementCache>>,
    }

    impl ErrorHandler for QuestionMarks {
        fn on_malformed(&mut self, _: &[u8], _: MalformedReason) -> Option<ActionTaken> {
            Some(ActionTaken::Replaced)
        }

        fn on_unmappable(&mut self, _: Unmappable) -> Option<ActionTaken> {
            None
        }

        fn replacement(&self) -> &'static str {
            "?"
        }

        fn default_replacement(&self) -> &'static str {
            "?"
        }

        fn is_constant(&self) -> bool {
            true
        }

        fn add_count(&mut self, _: ErrorClass, _: ActionTaken, count: usize) {
            self.count += count;
        }

        fn cache(&mut self) -> &mut Option<Box<ReplacementCache>> {
            &mut self.cache
        }
    }

    /// Decodes an input with `?` for each error, in bulk or one by one. Returns the number of errors as well.
    fn replaced(input: &[u8], in_bulk: bool) -> (String, usize) {
        let mut decoder = HeaderDecoder::new(&EncodingOptions::default());
        let (mut text, mut at, mut handler) = (Vec::new(), 0, QuestionMarks::default());
        let mut dst = vec![0; 4 * MAX_FIELD];
        loop {
            let Progress { read, written, status } = match in_bulk {
                true => decoder.decode_with_handler(&input[at..], &mut dst, true, &mut handler),
                false => decoder.decode(&input[at..], &mut dst, true),
            };
            text.extend_from_slice(&dst[..written]);
            at += read;
            match status {
                Status::InputEmpty => break,
                Status::OutputFull => {}
                Status::Error(error) => {
                    decoder.restore_state(error.resume_state);
                    at += error.resume_len;
                    handler.count += 1;
                    text.push(b'?');
                }
            }
        }
        (String::from_utf8(text).unwrap(), handler.count)
    }

    #[test]
    fn long_fields_remain_and_an_incomplete_character_ends_only_the_last() {
        let field = ["X: ", &"\u{E9}".repeat(MAX_FIELD)].concat();
        assert_eq!(replaced(field.as_bytes(), false), (field.clone(), 0));
        let incomplete = [field.as_bytes(), b"\xC3"].concat();
        assert_eq!(replaced(&incomplete, false), (field + "?", 1));
    }

    #[test]
    fn errors_that_are_replaced_in_bulk_are_those_of_single_calls() {
        let long = "a".repeat(MAX_FIELD);
        let starts = ["", "Date: ", "To: \"a", "To: (\\", "a =?no?q?", "=?utf-8?q?b?= ", &long];
        for start in starts {
            for errors in [&b"\xFF"[..], b"\xFFa\x80", b"\xE2\x82", b"\xC3=?utf-8?q?=FF?="] {
                let end = b"\n\xFFb <?= =?utf-8?q?=FFc?=\n d\n=?utf-8?q?e?=\xFF\n";
                let input = [start.as_bytes(), &errors.repeat(100), end].concat();
                assert_eq!(replaced(&input, true), replaced(&input, false), "{start} {errors:?}");
            }
        }
    }
}
