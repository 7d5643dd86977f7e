//! Decides what follows an encoded-word, and how adjacent encoded-words are joined.
//!
//! White space between two encoded-words is dropped if both decode. If their charset is the same,
//! their bytes are joined, since mail programs cut characters. In a charset with shift states the
//! decoder's state continues in the next encoded-word; one that has shifted back leaves the initial
//! state.

use super::charset_cache::{self, LabelCache};
use super::passthrough::{WordContent, content};
use super::{Call, DecoderState, FillStatus, HeaderDecoder, MIN_OUTPUT, Step, WordJoin, found};
use crate::rfc2047::scanner::{EncodedWord, Lookahead, Miss, Scan};
use crate::rfc2047::transfer_encoding::{NextByte, TransferDecoder};
use charpipe_encoding::codec::{State, Status};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};
use charpipe_encoding::encoding::BomHandling;

/// The lookahead of a charset: with this many bytes more than it left, its decoder advances.
const CHARSET_LOOKAHEAD: usize = 64;

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
    /// Continues after an encoded-word that has no bytes left except those of an incomplete
    /// character.
    pub(super) fn finish_word(&mut self, call: &mut Call<'_>) -> Step {
        let ahead = call.ahead();
        let mut bytes = self.now.transfer_decoder(call.read);
        self.bytes.clear(self.now.join);
        let limit = 2 * CHARSET_LOOKAHEAD;
        let status = self.bytes.fill(&mut bytes, ahead.bytes, ahead.closed, limit);
        let FillStatus::End(mut end) = status else { return Err(Status::InputEmpty) };
        // Without bytes any output space will do: the position of a character after the
        // encoded-word is found by a replay that has none.
        if !self.bytes.values.is_empty() {
            call.require_output()?;
        }
        let mut decided = self.now.join;
        loop {
            let (next, join) =
                match self.continuation(&ahead, end + 2, bytes, std::mem::take(&mut decided))? {
                    Continuation::Joined(next, join) => (next, join),
                    Continuation::Text => {
                        self.bytes.begin_next_word(WordJoin::None, end);
                        self.flush_word(call)?;
                        self.now = self.now.after_word();
                        call.read = end + 2;
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
            call.require_output()?;
            self.bytes.begin_next_word(join, next.word.text.start);
            bytes = next.decoder(bytes, join);
            let status = self.bytes.fill(&mut bytes, ahead.bytes, ahead.closed, CHARSET_LOOKAHEAD);
            let progress = self.decode_bytes(call, false);
            let is_stuck = progress.read == 0 && progress.status == Status::InputEmpty;
            match status {
                FillStatus::End(at) if is_stuck => end = at,
                _ if is_stuck => return Err(Status::InputEmpty),
                _ => return self.advance(call, progress),
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
        self.advance(call, progress)?;
        if progress.status == Status::OutputFull { Err(Status::OutputFull) } else { Ok(()) }
    }

    /// Decides what follows the encoded-word that ends before `after`. The buffer has its unread
    /// bytes.
    fn continuation(
        &mut self,
        ahead: &Lookahead<'_>,
        after: usize,
        bytes: TransferDecoder,
        decided: WordJoin,
    ) -> Step<Continuation> {
        if decided == WordJoin::None {
            return Ok(Continuation::Text);
        }
        let next = found(next_word(ahead, &self.now, &mut self.labels, after))?;
        let Some(next) = next.filter(|next| next.slot == self.now.slot || !next.is_partial) else {
            return Ok(Continuation::Text);
        };
        if next.slot != self.now.slot {
            return Ok(Continuation::NewWord(next));
        }
        if decided != WordJoin::Undecided {
            return Ok(Continuation::Joined(next, decided));
        }
        if !next.is_partial && self.restarts(ahead, &next) {
            return Ok(Continuation::NewWord(next));
        }
        // Some mail programs leave padding out, and some cut the base64 of a long text anywhere. The
        // first is right if the result is of the charset; else the second is tried.
        let mut joins = |join| found(self.try_join(ahead, bytes, &next, join));
        let join = match continues_quantum(bytes, next.word.decoder()) {
            true if (next.is_partial || joins(WordJoin::Bytes)? != Some(true))
                && joins(WordJoin::Base64)? == Some(true) =>
            {
                WordJoin::Base64
            }
            _ if next.is_partial => return Ok(Continuation::Text),
            _ => WordJoin::Bytes,
        };
        Ok(Continuation::Joined(next, join))
    }

    /// Whether the next encoded-word begins in the initial state of its charset, though that is the
    /// same.
    fn restarts(&mut self, ahead: &Lookahead<'_>, next: &NextWord) -> bool {
        let charset = charset_cache::charset(next.slot);
        let unread = &self.bytes.values;
        if charset.bom_handling != BomHandling::Ignore {
            // Each encoded-word was encoded by itself if each has a byte order mark.
            let word = &next.word;
            let mut bytes = word.decoder();
            let first: [_; 4] = std::array::from_fn(|_| match bytes.next(ahead.bytes, true) {
                NextByte::Byte(byte) => Some(byte.value),
                _ => None,
            });
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
        ahead: &Lookahead<'_>,
        bytes: TransferDecoder,
        next: &NextWord,
        join: WordJoin,
    ) -> Scan<bool> {
        let decoder = self.decoders.get(self.now.slot);
        decoder.restore_state(self.now.inner);
        let (raw, pending) = (self.options.raw, &mut self.attempt);
        // Decodes pending bytes up to an error. Returns whether there was none.
        let mut decode = |pending: &mut Vec<u8>, end: bool| {
            let mut text = [0; MIN_OUTPUT];
            let progress = charset_cache::decode_text(decoder, pending, &mut text, end, raw);
            pending.drain(..progress.read);
            !matches!(progress.status, Status::Error(_))
        };
        pending.clear();
        pending.extend_from_slice(&self.bytes.values);
        let mut bytes = next.decoder(bytes, join);
        // The bytes up to the end of the next encoded-word that are pending, when it has ended.
        let mut wanted = None;
        loop {
            let before = pending.len();
            let status = loop {
                if pending.len() - before == CHARSET_LOOKAHEAD {
                    break Ok(None);
                }
                match bytes.next(ahead.bytes, ahead.closed) {
                    NextByte::Byte(byte) => pending.push(byte.value),
                    NextByte::End(at) => break Ok(Some(at)),
                    NextByte::NeedMore => break Err(Miss::NeedMore),
                }
            };
            let filled = pending.len();
            let is_valid = decode(pending, false);
            if let Some(left) = &mut wanted {
                let read = filled - pending.len();
                if *left <= read {
                    return Ok(true);
                }
                *left -= read;
            }
            if !is_valid {
                return Ok(false);
            }
            let Some(end) = status? else { continue };
            let left = *wanted.get_or_insert(pending.len());
            if left == 0 {
                return Ok(true);
            }
            let after = match next_word(ahead, &self.now, &mut self.labels, end + 2) {
                Err(Miss::NeedMore) => return Err(Miss::NeedMore),
                Ok(after)
                    if after.slot == self.now.slot
                        && !(after.is_partial && join == WordJoin::Bytes) =>
                {
                    after
                }
                _ => return Ok(decode(pending, true)),
            };
            bytes = after.decoder(bytes, join);
        }
    }
}

/// Finds the encoded-word after an encoded-word that ends before `after`, with white space or
/// nothing between them.
fn next_word(
    ahead: &Lookahead<'_>,
    now: &DecoderState,
    labels: &mut LabelCache,
    after: usize,
) -> Scan<NextWord> {
    let start = ahead.fws_end(after)?;
    let word = ahead.encoded_word(start)?;
    if (DecoderState { last: b'=', ..*now }).forbids_word(ahead, &word)? {
        return Err(Miss::NotFound);
    }
    let slot = labels.find(&ahead.bytes[word.label.clone()]).ok_or(Miss::NotFound)?;
    match content(ahead, &word) {
        WordContent::Invalid => Err(Miss::NotFound),
        found => Ok(NextWord { word, slot, is_partial: found == WordContent::Bits }),
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
