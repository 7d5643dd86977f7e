//! Decodes the text of encoded-words, and decides what follows an encoded-word.
//!
//! White space between two encoded-words is dropped if both decode. If their charset is the same,
//! their bytes are joined, since mail programs cut characters. In a charset with shift states the
//! decoder's state continues in the next encoded-word; one that has shifted back leaves the initial
//! state.
//!
//! The decoder of the charset says how many bytes it has read. Bytes that it leaves, those of an
//! incomplete character, stay in the input until the next encoded-word has been examined.

use super::charset::{self, find_control};
use super::{Call, DecoderState, HeaderDecoder, Step, decode_text};
use crate::rfc2047::scanner::{self, EncodedWord};
use crate::rfc2047::transfer_encoding::{DecodedByte, TransferDecoder, TransferEncoding};
use charpipe_encoding::codec::{Progress, State, Status};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::BomHandling;

/// The number of bytes that are decoded first: pathological input has millions of errors, and a
/// call begins after each. Few errors have more bytes.
const INITIAL_BYTES: usize = 4;

/// The number of bytes that are decoded at once.
pub const CAPACITY: usize = 256;

/// The number of bytes of a well-formed encoded-word that is decoded at once.
const SIMPLE_WORD: usize = 192;

/// The lookahead of a charset: with this many bytes more than it left, its decoder advances.
const CHARSET_LOOKAHEAD: usize = 64;

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

impl WordJoin {
    pub const ALL: [WordJoin; 4] =
        [WordJoin::Undecided, WordJoin::Bytes, WordJoin::Base64, WordJoin::None];
}

/// An encoded-word after an encoded-word.
#[derive(Debug, Clone)]
struct NextWord {
    word: EncodedWord,
    slot: u16,
    /// Whether its base64 makes no byte by itself.
    is_partial: bool,
}

impl NextWord {
    /// Decodes its text, or continues the quantum in which the encoded-word before it ends.
    fn decoder(&self, before: TransferDecoder, join: WordJoin) -> TransferDecoder {
        let begin = self.word.decoder();
        match join {
            WordJoin::Base64 if continues_quantum(before, begin) => {
                before.continue_at(self.word.text.start)
            }
            _ => begin,
        }
    }
}

/// What follows an encoded-word.
enum Continuation {
    /// Text, or nothing.
    Text,
    /// An encoded-word that is not joined with the one before.
    NewWord(NextWord),
    /// An encoded-word that continues this one.
    Joined(NextWord, WordJoin),
}

impl HeaderDecoder {
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

    /// Decodes an encoded-word from any position in its text, and what joins it to the next one.
    pub(super) fn word(&mut self, call: &mut Call<'_>) -> Step {
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
        let has_control = find_control(&space[..written]).is_some();
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
        let is_end = self.bytes.fill(&mut bytes, call.field(), limit);
        let progress = self.decode_bytes(call, false);
        self.advance(call, progress)?;
        Ok(is_end)
    }

    /// Continues after an encoded-word that has no bytes left except those of an incomplete
    /// character.
    fn finish_word(&mut self, call: &mut Call<'_>) -> Step {
        let field = call.field();
        let mut bytes = self.now.transfer_decoder(call.read);
        self.bytes.clear(self.now.join);
        self.bytes.fill(&mut bytes, field, CAPACITY);
        let mut decided = self.now.join;
        loop {
            let (next, join) = match self.continuation(field, bytes, std::mem::take(&mut decided)) {
                Continuation::Joined(next, join) => (next, join),
                Continuation::Text => {
                    self.bytes.begin_next_word(WordJoin::None, bytes.at);
                    self.flush_word(call)?;
                    self.now = self.now.after_word();
                    call.read = bytes.at + 2;
                    return Ok(());
                }
                Continuation::NewWord(next) => {
                    self.flush_word(call)?;
                    self.enter(call, &next.word, next.slot, State::INITIAL);
                    return Ok(());
                }
            };
            if self.bytes.values.is_empty() && join != WordJoin::Base64 {
                self.enter(call, &next.word, next.slot, self.now.inner);
                return Ok(());
            }
            self.bytes.begin_next_word(join, next.word.text.start);
            bytes = next.decoder(bytes, join);
            let is_end = self.bytes.fill(&mut bytes, field, CHARSET_LOOKAHEAD);
            let progress = self.decode_bytes(call, false);
            let is_stuck = progress.read == 0 && progress.status == Status::InputEmpty;
            if !(is_stuck && is_end) {
                return self.advance(call, progress);
            }
        }
    }

    /// Ends the decoding of an encoded-word.
    fn flush_word(&mut self, call: &mut Call<'_>) -> Step {
        let mut progress = self.decode_bytes(call, true);
        if let Status::Error(Malformed { reason: reason @ MalformedReason::Truncated, .. }) =
            &mut progress.status
        {
            *reason = MalformedReason::SplitCharacter;
        }
        self.advance(call, progress)
    }

    /// Decodes the bytes in the buffer to the output of the call.
    fn decode_bytes(&mut self, call: &mut Call<'_>, end: bool) -> Progress<Malformed> {
        let decoder = self.decoders.get(self.now.slot);
        decoder.restore_state(self.now.inner);
        let progress = decode_text(decoder, &self.bytes.values, call.space(), end);
        self.now.inner = decoder.save_state();
        progress
    }

    /// Advances as far as the decoder of the charset has, and maps its error to the input.
    fn advance(&mut self, call: &mut Call<'_>, progress: Progress<Malformed>) -> Step {
        call.written += progress.written;
        let read = progress.read;
        let Status::Error(error) = progress.status else {
            self.resume_at(call, self.bytes.resume_after(read));
            return match progress.status {
                Status::InputEmpty => Ok(()),
                status => Err(status),
            };
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
        Err(call.error(len, error.reason, then, next))
    }

    fn resume_at(&mut self, call: &mut Call<'_>, point: Option<ResumePoint>) {
        if let Some((decoder, join)) = point {
            call.read = decoder.at;
            self.now = self.now.at(decoder, join);
        }
    }

    /// Decides what follows the encoded-word that ends where `bytes` is. The buffer has its unread
    /// bytes.
    fn continuation(
        &mut self,
        field: &[u8],
        bytes: TransferDecoder,
        decided: WordJoin,
    ) -> Continuation {
        if decided == WordJoin::None {
            return Continuation::Text;
        }
        let next = self.next_word(field, bytes.at + 2);
        let Some(next) = next.filter(|next| next.slot == self.now.slot || !next.is_partial) else {
            return Continuation::Text;
        };
        if next.slot != self.now.slot {
            return Continuation::NewWord(next);
        }
        if decided != WordJoin::Undecided {
            return Continuation::Joined(next, decided);
        }
        if !next.is_partial && self.restarts(field, &next) {
            return Continuation::NewWord(next);
        }
        // Some mail programs leave padding out, and some cut the base64 of a long text anywhere. The
        // first is right if the result is of the charset; else the second is tried.
        if continues_quantum(bytes, next.word.decoder())
            && (next.is_partial || !self.try_join(field, bytes, &next, WordJoin::Bytes))
            && self.try_join(field, bytes, &next, WordJoin::Base64)
        {
            return Continuation::Joined(next, WordJoin::Base64);
        }
        match next.is_partial {
            true => Continuation::Text,
            false => Continuation::Joined(next, WordJoin::Bytes),
        }
    }

    /// Finds the encoded-word after an encoded-word that ends before `after`, with white space or
    /// nothing between them.
    fn next_word(&mut self, field: &[u8], after: usize) -> Option<NextWord> {
        let word = scanner::encoded_word(field, scanner::fws_end(field, after))?;
        if self.now.after_word().forbids_word(field, &word) {
            return None;
        }
        let slot = self.labels.find(&field[word.label.clone()])?;
        match content(field, &word) {
            WordContent::Invalid => None,
            found => Some(NextWord { word, slot, is_partial: found == WordContent::Bits }),
        }
    }

    /// Whether the next encoded-word begins in the initial state of its charset, though that is the
    /// same.
    fn restarts(&mut self, field: &[u8], next: &NextWord) -> bool {
        let charset = charset::charset(next.slot);
        let unread = &self.bytes.values;
        if charset.bom_handling != BomHandling::Ignore {
            // Each encoded-word was encoded by itself if each has a byte order mark.
            let mut bytes = next.word.decoder();
            let first: [_; 4] = std::array::from_fn(|_| bytes.next(field).map(|byte| byte.value));
            return unread.is_empty() && begins_with_bom(first);
        }
        if charset.name() != "UTF-7" {
            return false;
        }
        // The end of an encoded-word ends a run of base64 if it may end there.
        let decoder = self.decoders.get(self.now.slot);
        decoder.restore_state(self.now.inner);
        !matches!(decoder.decode(unread, &mut [0; 256], true).status, Status::Error(_))
    }

    /// Decodes the unread bytes of an encoded-word and all of the next one, joined in this way, and
    /// as much of the encoded-words after it as completes the last character. Returns whether all
    /// is of the charset.
    fn try_join(
        &mut self,
        field: &[u8],
        bytes: TransferDecoder,
        next: &NextWord,
        join: WordJoin,
    ) -> bool {
        let mut pending = std::mem::take(&mut self.attempt);
        pending.clear();
        pending.extend_from_slice(&self.bytes.values);
        let is_valid = self.is_valid(field, next.decoder(bytes, join), join, &mut pending);
        self.attempt = pending;
        is_valid
    }

    fn is_valid(
        &mut self,
        field: &[u8],
        mut bytes: TransferDecoder,
        join: WordJoin,
        pending: &mut Vec<u8>,
    ) -> bool {
        let mut state = self.now.inner;
        // The bytes up to the end of the next encoded-word that are pending, when it has ended.
        let mut wanted = None;
        loop {
            let before = pending.len();
            let is_end = loop {
                if pending.len() - before == CHARSET_LOOKAHEAD {
                    break false;
                }
                match bytes.next(field) {
                    Some(byte) => pending.push(byte.value),
                    None => break true,
                }
            };
            let (read, is_valid) = self.try_decode(pending, &mut state, false);
            if let Some(left) = &mut wanted {
                if *left <= read {
                    return true;
                }
                *left -= read;
            }
            if !is_valid {
                return false;
            }
            if !is_end {
                continue;
            }
            if *wanted.get_or_insert(pending.len()) == 0 {
                return true;
            }
            match self.next_word(field, bytes.at + 2) {
                Some(after)
                    if after.slot == self.now.slot
                        && !(after.is_partial && join == WordJoin::Bytes) =>
                {
                    bytes = after.decoder(bytes, join);
                }
                _ => return self.try_decode(pending, &mut state, true).1,
            }
        }
    }

    /// Decodes pending bytes up to an error. Returns their number, and whether there was no error.
    fn try_decode(&mut self, pending: &mut Vec<u8>, state: &mut State, end: bool) -> (usize, bool) {
        let decoder = self.decoders.get(self.now.slot);
        decoder.restore_state(*state);
        let Progress { read, status, .. } = decode_text(decoder, pending, &mut [0; 1024], end);
        *state = decoder.save_state();
        pending.drain(..read);
        (read, !matches!(status, Status::Error(_)))
    }
}

/// Whether an encoded-word in base64 follows one that ends within a quantum.
fn continues_quantum(before: TransferDecoder, begin: TransferDecoder) -> bool {
    before.in_partial_quantum() && begin.is_base64()
}

/// Whether these bytes begin with a byte order mark of UTF-16 or UTF-32.
fn begins_with_bom(bytes: [Option<u8>; 4]) -> bool {
    matches!(
        bytes,
        [Some(0xFE), Some(0xFF), ..]
            | [Some(0xFF), Some(0xFE), ..]
            | [Some(0), Some(0), Some(0xFE), Some(0xFF)]
    )
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

pub fn content(field: &[u8], word: &EncodedWord) -> WordContent {
    let mut bytes = word.decoder();
    match bytes.next(&field[..word.end]) {
        Some(_) => WordContent::Bytes,
        None if bytes.in_partial_quantum() => WordContent::Bits,
        None if field[word.text.clone()].iter().all(u8::is_ascii_whitespace) => WordContent::Empty,
        None => WordContent::Invalid,
    }
}

/// Decoded bytes of an encoded-word, and of those that follow it.
#[derive(Default)]
pub struct ByteBuffer {
    values: Vec<u8>,
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
type ResumePoint = (TransferDecoder, WordJoin);

impl ByteBuffer {
    pub fn new() -> ByteBuffer {
        let (values, origins) = (Vec::with_capacity(CAPACITY), Vec::with_capacity(CAPACITY));
        ByteBuffer { values, origins, ..ByteBuffer::default() }
    }

    /// Clears the buffer for an encoded-word that continues as `join` says.
    fn clear(&mut self, join: WordJoin) {
        self.values.clear();
        self.origins.clear();
        (self.last_word, self.last_text, self.join) = (0, 0, join);
    }

    /// Adds up to `limit` bytes of one encoded-word. Returns whether it has ended.
    fn fill(&mut self, decoder: &mut TransferDecoder, field: &[u8], limit: usize) -> bool {
        let full = CAPACITY.min(self.values.len() + limit);
        while self.values.len() < full {
            let Some(byte) = decoder.next(field) else { return true };
            let (spans, join) = (byte.from < self.last_text, self.join);
            self.values.push(byte.value);
            self.origins.push(ByteOrigin { byte, spans, join });
        }
        false
    }

    /// Begins the next encoded-word, whose text is at `text`. The previous one continues in it as
    /// `join` says.
    fn begin_next_word(&mut self, join: WordJoin, text: usize) {
        for origin in &mut self.origins[self.last_word..] {
            origin.join = join;
        }
        (self.last_word, self.last_text, self.join) =
            (self.values.len(), text, WordJoin::Undecided);
    }

    /// Returns where to continue after the first `count` bytes, if there are any.
    fn resume_after(&self, count: usize) -> Option<ResumePoint> {
        let origin = self.origins.get(count.checked_sub(1)?)?;
        Some((origin.byte.resume(), origin.join))
    }

    /// Returns where the byte at `index` begins, after skipped characters before it.
    fn start_of(&self, index: usize) -> Option<ResumePoint> {
        let ByteOrigin { byte, spans, join } = self.origins.get(index)?;
        if *spans {
            return self.resume_after(index);
        }
        Some((byte.restart(), *join))
    }

    /// Returns the index after the last character that carries the byte before `index`.
    fn end_of(&self, index: usize) -> Option<usize> {
        self.origins.get(index.checked_sub(1)?).map(|origin| origin.byte.to)
    }
}
