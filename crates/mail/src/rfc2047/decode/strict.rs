//! Decodes encoded-words by the letter of RFC 2047.
//!
//! Anything that section 6.1 does not recognize as an encoded-word is text. One that is recognized
//! but malformed by section 6.3 is an error as a whole. No encoded-word has more than 75
//! characters, so each is decoded before any of it is written.

use super::{Call, DecoderState, HeaderDecoder, Step, decode_text};
use crate::rfc2047::address_lexer::Bracket;
use crate::rfc2047::field::FieldKind;
use crate::rfc2047::scanner::{self, EncodedWord};
use crate::rfc2047::transfer_encoding::TransferEncoding;
use crate::rfc2047::work_counter;
use charpipe_encoding::codec::{State, Status};
use charpipe_encoding::conversion_error::{Malformed, MalformedReason};

/// The length of the longest encoded-word (RFC 2047, section 2).
const MAX_WORD: usize = 75;

/// More than the text of any encoded-word.
const MAX_TEXT: usize = 1024;

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
        let Some((word, slot)) = self.recognize(call.field(), call.read, self.now) else {
            return Ok(1);
        };
        let then = self.now.after_word();
        let mut text = [0; MAX_TEXT];
        match self.decode_whole(call.src, &word, slot, &mut text) {
            Ok(len) => {
                call.write(&text[..len])?;
                call.read = word.end;
                self.now = DecoderState { after_word: true, ..then };
                Ok(0)
            }
            Err(reason) => {
                let len = word.end - call.read;
                Err(call.error(len, reason, then, len))
            }
        }
    }

    /// Drops the white space after an encoded-word if one that decodes follows.
    pub(super) fn skip_whitespace(&mut self, call: &mut Call<'_>) {
        let field = call.field();
        let start = scanner::fws_end(field, call.read);
        self.now.after_word = false;
        if start > call.read {
            let there = DecoderState { last: b' ', ..self.now };
            let follows = self.recognize(field, start, there).is_some_and(|(word, slot)| {
                self.decode_whole(field, &word, slot, &mut [0; MAX_TEXT]).is_ok()
            });
            if follows {
                (call.read, self.now) = (start, there);
            }
        }
    }

    /// Finds the encoded-word at `at` by section 6.1, and its charset.
    fn recognize(
        &mut self,
        field: &[u8],
        at: usize,
        now: DecoderState,
    ) -> Option<(EncodedWord, u16)> {
        if !now.can_start_word() {
            return None;
        }
        let word = parse_word(field, at)?;
        let is_delimited = match field.get(word.end) {
            None | Some(b' ' | b'\t' | b'\r' | b'\n') => true,
            Some(next) => *next == b')' && now.parens_delimit(),
        };
        if !is_delimited || !now.can_contain(&field[word.text.clone()]) {
            return None;
        }
        let slot = self.labels.find(&field[word.label.clone()])?;
        Some((word, slot))
    }

    /// Decodes a whole encoded-word by section 6.3. Returns the length of its text.
    fn decode_whole(
        &mut self,
        src: &[u8],
        word: &EncodedWord,
        slot: u16,
        text: &mut [u8; MAX_TEXT],
    ) -> Result<usize, MalformedReason> {
        let mut bytes = [0; MAX_WORD];
        let count = word.encoding.decode(&src[word.text.clone()], &mut bytes);
        let count = count.ok_or(match word.encoding {
            TransferEncoding::B => MalformedReason::InvalidBase64,
            TransferEncoding::Q => MalformedReason::InvalidQEncoding,
        })?;
        let decoder = self.decoders.get(slot);
        decoder.restore_state(State::INITIAL);
        let progress = decode_text(decoder, &bytes[..count], text, true);
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
fn parse_word(field: &[u8], at: usize) -> Option<EncodedWord> {
    let word = scanner::encoded_word(&field[..field.len().min(at + MAX_WORD)], at)?;
    let token = &field[at + 2..word.text.start - 3];
    let text = &field[word.text.clone()];
    let is_well_formed = !text.is_empty()
        && text.iter().all(|byte| matches!(byte, b'!'..=b'>' | b'@'..=b'~'))
        && !token.iter().any(|byte| is_especial(*byte));
    is_well_formed.then_some(word)
}
