//! Decodes encoded-words by the letter of RFC 2047.
//!
//! Anything that section 6.1 does not recognize as an encoded-word is text. One that is recognized
//! but malformed by section 6.3 is an error as a whole. No encoded-word has more than 75
//! characters, so each is decoded before any of it is written.

use super::charset_cache::decode_text;
use super::{Call, DecoderState, HeaderDecoder, MIN_OUTPUT, Step, found};
use crate::rfc2047::address_lexer::Bracket;
use crate::rfc2047::field::FieldKind;
use crate::rfc2047::scanner::{EncodedWord, Lookahead, Miss, Scan};
use crate::rfc2047::transfer_encoding::TransferEncoding;
use crate::rfc2047::work_counter;
use charpipe_encoding::codec::{State, Status};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};

/// The length of the longest encoded-word (RFC 2047, section 2).
const MAX_WORD: usize = 75;

/// Whether this is a character that the name of a charset cannot have (RFC 2047, section 2).
fn is_especial(byte: u8) -> bool {
    byte != b'\\' && is_special(byte) || matches!(byte, b'/' | b'?' | b'=')
}

/// Whether this character ends an atom (RFC 822, section 3.3, `specials`).
fn is_special(byte: u8) -> bool {
    matches!(
        byte,
        b'(' | b')' | b'<' | b'>' | b'@' | b',' | b';' | b':' | b'\\' | b'"' | b'.' | b'[' | b']'
    )
}

impl HeaderDecoder {
    /// Writes the encoded-word at the `=?` that comes next. Returns 0, or if it is text the number
    /// of bytes that need no further search.
    pub(super) fn strict_word(&mut self, call: &mut Call<'_>) -> Step<usize> {
        let recognized = self.recognize(&call.ahead(), call.read, self.now);
        let Some((word, slot)) = found(recognized)? else { return Ok(1) };
        let then = self.now.after_word();
        let mut text = [0; MIN_OUTPUT];
        match self.decode_whole(call.src, &word, slot, &mut text) {
            Ok(len) => {
                call.write(&text[..len])?;
                call.read = word.end;
                self.now = DecoderState { after_word: true, ..then };
                Ok(0)
            }
            Err(reason) => {
                Err(Status::Error(Malformed::new(word.end - call.read, reason, then.pack())))
            }
        }
    }

    /// Drops the white space after an encoded-word if one that decodes follows.
    pub(super) fn skip_whitespace(&mut self, call: &mut Call<'_>) -> Step {
        let ahead = call.ahead();
        let start = found(ahead.fws_end(call.read))?.unwrap_or(call.read);
        let mut after = DecoderState { after_word: false, ..self.now };
        if start > call.read {
            let there = DecoderState { last: b' ', ..after };
            let follows =
                found(self.recognize(&ahead, start, there))?.is_some_and(|(word, slot)| {
                    self.decode_whole(ahead.bytes, &word, slot, &mut [0; MIN_OUTPUT]).is_ok()
                });
            if follows {
                call.read = start;
                after = there;
            }
        }
        self.now = after;
        Ok(())
    }

    /// Finds the encoded-word at `at` by section 6.1, and its charset.
    fn recognize(
        &mut self,
        ahead: &Lookahead<'_>,
        at: usize,
        now: DecoderState,
    ) -> Scan<(EncodedWord, u16)> {
        if !now.can_start_word() {
            return Err(Miss::NotFound);
        }
        let word = parse_word(ahead, at)?;
        if !now.can_contain(&ahead.bytes[word.text.clone()]) {
            return Err(Miss::NotFound);
        }
        match ahead.byte(word.end) {
            // The header field ends here.
            Err(Miss::NotFound) | Ok(b' ' | b'\t' | b'\r' | b'\n') => {}
            Ok(b')') if now.parens_delimit() => {}
            Ok(_) => return Err(Miss::NotFound),
            Err(Miss::NeedMore) => return Err(Miss::NeedMore),
        }
        let slot = self.labels.find(&ahead.bytes[word.label.clone()]).ok_or(Miss::NotFound)?;
        Ok((word, slot))
    }

    /// Decodes a whole encoded-word by section 6.3. Returns the length of its text.
    fn decode_whole(
        &mut self,
        src: &[u8],
        word: &EncodedWord,
        slot: u16,
        text: &mut [u8; MIN_OUTPUT],
    ) -> Result<usize, MalformedReason> {
        let mut bytes = [0; MAX_WORD];
        let count = word.encoding.decode(&src[word.text.clone()], &mut bytes);
        let count = count.ok_or(match word.encoding {
            TransferEncoding::B => MalformedReason::InvalidBase64,
            TransferEncoding::Q => MalformedReason::InvalidQEncoding,
        })?;
        let decoder = self.decoders.get(slot);
        decoder.restore_state(State::INITIAL);
        let raw = self.options.raw;
        let progress = decode_text(decoder, &bytes[..count], text, true, raw);
        match progress.status {
            Status::InputEmpty => Ok(progress.written),
            Status::Error(Malformed { reason: MalformedReason::ControlInEncodedWord, .. }) => {
                Err(MalformedReason::ControlInEncodedWord)
            }
            Status::Error(Malformed { reason: MalformedReason::Truncated, .. }) => {
                Err(MalformedReason::SplitCharacter)
            }
            Status::Error(_) | Status::OutputFull => Err(MalformedReason::InvalidForCharset),
        }
    }
}

impl DecoderState {
    /// Whether an encoded-word may begin after what precedes it.
    fn can_start_word(&self) -> bool {
        let is_delimited = match self.last {
            b' ' | b'\t' | b'\r' | b'\n' => true,
            b'(' => self.parens_delimit(),
            _ => false,
        };
        is_delimited && self.context.bracket != Bracket::Angle && !self.context.quoted
    }

    /// Whether a parenthesis may touch an encoded-word: that of a comment may (RFC 2047, section 5,
    /// rule 2), and a value may be a comment.
    fn parens_delimit(&self) -> bool {
        match self.context.kind {
            FieldKind::Value => true,
            FieldKind::AddressList => self.context.depth > 0,
            FieldKind::Unstructured | FieldKind::NoEncodedWords | FieldKind::Parameters => false,
        }
    }

    /// Whether the text of an encoded-word is one token here: phrases are made of atoms, and
    /// comments have syntax too.
    fn can_contain(&self, text: &[u8]) -> bool {
        let is_syntax = match self.context.kind {
            FieldKind::AddressList if self.context.depth > 0 => {
                |byte| matches!(byte, b'(' | b')' | b'\\' | b'"')
            }
            FieldKind::AddressList => is_special,
            _ => return true,
        };
        work_counter::add(text.len());
        !text.iter().any(|byte| is_syntax(*byte))
    }
}

/// Parses the encoded-word at `at` by the syntax of section 2.
fn parse_word(ahead: &Lookahead<'_>, at: usize) -> Scan<EncodedWord> {
    let near = ahead.bytes.get(..at + MAX_WORD).map(|bytes| Lookahead { bytes, closed: true });
    let word = near.unwrap_or(*ahead).encoded_word(at)?;
    let token = &ahead.bytes[at + 2..word.text.start - 3];
    let text = &ahead.bytes[word.text.clone()];
    let is_well_formed = !text.is_empty()
        && text.iter().all(|byte| matches!(byte, b'!'..=b'>' | b'@'..=b'~'))
        && !token.iter().any(|byte| is_especial(*byte));
    if is_well_formed { Ok(word) } else { Err(Miss::NotFound) }
}
