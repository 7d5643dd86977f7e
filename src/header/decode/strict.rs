//! Words by the letter of RFC 2047.
//!
//! What section 6.1 does not recognize as a word is text. A word that is recognized but ill-formed
//! by section 6.3 is an error as a whole. No word has more than 75 characters, so each is decoded
//! before any of it is written.

use super::bytes::{VALUES, hex};
use super::labels::Decoders;
use super::scan::{Seen, View, Word};
use super::stand::{Rules, Stand};
use super::text::Found;
use super::{Call, HeaderDecoder, SPACE, Step, controls};
use crate::codec::{State, Status};
use crate::conversion_error::{Malformed, MalformedReason};
use crate::header::visits;

/// The most characters of a word (RFC 2047, section 2).
const LONGEST: usize = 75;

/// The characters that a charset's name cannot have (RFC 2047, section 2).
const ESPECIALS: &[u8] = b"()<>@,;:\"/[]?.=";

/// The characters that end an atom (RFC 822, section 3.3, `specials`).
const SPECIALS: &[u8] = b"()<>@,;:\\\".[]";

/// The bytes of a word.
struct Content {
    bytes: [u8; LONGEST],
    len: usize,
}

impl HeaderDecoder {
    /// Looks at the `=?` that comes next: writes the word that it begins, or says that it is text.
    pub(super) fn strict(&mut self, call: &mut Call<'_>) -> Result<Found, Status<Malformed>> {
        let word = match self.recognized(&call.view(), call.read) {
            Seen::It((word, slot)) => (word, slot),
            Seen::Not => return Ok(Found::Left(1)),
            Seen::More => return Err(Status::InputEmpty),
        };
        let (word, slot) = word;
        let then = self.stand.after_word();
        let mut text = [0; SPACE];
        match self.decoders.whole(call.src, &word, slot, self.options.raw, &mut text) {
            Ok(length) => {
                let Some(space) = call.space().get_mut(..length) else {
                    return Err(Status::OutputFull);
                };
                space.copy_from_slice(&text[..length]);
                call.written += length;
                call.read = word.end;
                self.stand = Stand { after_word: true, ..then };
                Ok(Found::Entered)
            }
            Err(why) => {
                let error = Malformed::new(word.end - call.read, why, then.state());
                Err(Status::Error(error))
            }
        }
    }

    /// Drops the white space after a word if a word follows that decodes.
    pub(super) fn gap(&mut self, call: &mut Call<'_>) -> Step {
        let view = call.view();
        let start = match view.gap(call.read) {
            Seen::It(start) => start,
            Seen::Not => call.read,
            Seen::More => return Err(Status::InputEmpty),
        };
        let mut after = Stand { after_word: false, ..self.stand };
        if start > call.read {
            let there = Stand { last: b' ', ..after };
            match self.decodes_at(&view, start, there) {
                Seen::More => return Err(Status::InputEmpty),
                Seen::Not => {}
                Seen::It(()) => {
                    call.read = start;
                    after = there;
                }
            }
        }
        self.stand = after;
        Ok(())
    }

    /// Whether a word stands at `at` that decodes.
    fn decodes_at(&mut self, view: &View<'_>, at: usize, stand: Stand) -> Seen<()> {
        let before = std::mem::replace(&mut self.stand, stand);
        let recognized = self.recognized(view, at);
        self.stand = before;
        match recognized {
            Seen::It((word, slot)) => {
                let mut text = [0; SPACE];
                let whole =
                    self.decoders.whole(view.bytes, &word, slot, self.options.raw, &mut text);
                if whole.is_ok() { Seen::It(()) } else { Seen::Not }
            }
            Seen::Not => Seen::Not,
            Seen::More => Seen::More,
        }
    }

    /// The word that stands at `at` by section 6.1, and its charset.
    fn recognized(&mut self, view: &View<'_>, at: usize) -> Seen<(Word, u16)> {
        let stand = &self.stand;
        if !stand.may_begin_word() {
            return Seen::Not;
        }
        let word = match formed(view, at) {
            Seen::It(word) => word,
            Seen::Not => return Seen::Not,
            Seen::More => return Seen::More,
        };
        if !stand.may_hold(&view.bytes[word.text..word.end - 2]) {
            return Seen::Not;
        }
        match view.get(word.end) {
            Seen::It(b' ' | b'\t' | b'\r' | b'\n') => {}
            Seen::It(b')') if stand.parentheses_delimit() => {}
            Seen::It(_) => return Seen::Not,
            // The field ends here.
            Seen::Not => {}
            Seen::More => return Seen::More,
        }
        match self.labels.named(&view.bytes[word.label.clone()]) {
            Some(slot) => Seen::It((word, slot)),
            None => Seen::Not,
        }
    }
}

impl Stand {
    /// Whether what stands before delimits a word.
    fn may_begin_word(&self) -> bool {
        let delimited = match self.last {
            b' ' | b'\t' | b'\r' | b'\n' => true,
            b'(' => self.parentheses_delimit(),
            _ => false,
        };
        delimited && !self.position.angle && !self.position.quoted
    }

    /// Whether a parenthesis may touch a word: that of a comment may (RFC 2047, section 5, rule 2),
    /// and a bare value may be a comment.
    fn parentheses_delimit(&self) -> bool {
        match self.rules {
            Rules::Bare => true,
            Rules::Addresses => self.position.in_comment(),
            Rules::Text | Rules::Verbatim => false,
        }
    }

    /// Whether the text of a word is one token where it stands: a phrase is made of atoms, and a
    /// comment has syntax too.
    fn may_hold(&self, text: &[u8]) -> bool {
        let syntax: &[u8] = match self.rules {
            Rules::Addresses if self.position.in_comment() => b"()\\\"",
            Rules::Addresses => SPECIALS,
            _ => b"",
        };
        visits::note(text.len());
        !text.iter().any(|byte| syntax.contains(byte))
    }
}

/// The word at `at` by the syntax of section 2.
fn formed(view: &View<'_>, at: usize) -> Seen<Word> {
    let near = &view.bytes[at..view.bytes.len().min(at + LONGEST)];
    let mut bytes = near.iter().enumerate();
    let mut marks = [0; 4];
    for mark in &mut marks {
        *mark = match bytes.find(|(_, byte)| !matches!(byte, b'!'..=b'>' | b'@'..=b'~')) {
            Some((index, b'?')) => index,
            Some(_) => return Seen::Not,
            None if near.len() == LONGEST => return Seen::Not,
            None => return view.unseen(),
        };
    }
    let [_, label, encoding, end] = marks;
    visits::note(end);
    match near.get(end + 1) {
        Some(b'=') => {}
        None if near.len() < LONGEST => return view.unseen(),
        _ => return Seen::Not,
    }
    let base64 = match &near[label + 1..encoding] {
        [b'B' | b'b'] => true,
        [b'Q' | b'q'] => false,
        _ => return Seen::Not,
    };
    let token = &near[2..label];
    let language = token.iter().position(|byte| *byte == b'*').unwrap_or(token.len());
    let well_formed =
        end > encoding + 1 && language > 0 && !token.iter().any(|byte| ESPECIALS.contains(byte));
    if !well_formed {
        return Seen::Not;
    }
    let name = at + 2;
    Seen::It(Word {
        label: name..name + language,
        base64,
        text: at + encoding + 1,
        end: at + end + 2,
    })
}

impl Decoders {
    /// Decodes a whole word by section 6.3. Bytes of its text.
    fn whole(
        &mut self,
        src: &[u8],
        word: &Word,
        slot: u16,
        raw: bool,
        text: &mut [u8; SPACE],
    ) -> Result<usize, MalformedReason> {
        let content = Content::of(&src[word.text..word.end - 2], word.base64)?;
        let decoder = self.get(slot);
        decoder.restore_state(State::INITIAL);
        let bytes = &content.bytes[..content.len];
        let progress = controls::decode(decoder, bytes, text, true, raw);
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

impl Content {
    fn of(text: &[u8], base64: bool) -> Result<Content, MalformedReason> {
        visits::note(text.len());
        let mut content = Content { bytes: [0; LONGEST], len: 0 };
        if base64 {
            content.base64(text)?
        } else {
            content.q(text)?
        }
        Ok(content)
    }

    fn push(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    /// RFC 2045, section 6.8: whole quanta, the last of which may be padded.
    fn base64(&mut self, text: &[u8]) -> Result<(), MalformedReason> {
        let pads = text.iter().rev().take(2).take_while(|byte| **byte == b'=').count();
        let digits = &text[..text.len() - pads];
        if !text.len().is_multiple_of(4)
            || digits.iter().any(|byte| VALUES[usize::from(*byte)] == 64)
        {
            return Err(MalformedReason::InvalidBase64);
        }
        for quantum in digits.chunks(4) {
            let bits = quantum
                .iter()
                .fold(0, |bits, byte| bits << 6 | u32::from(VALUES[usize::from(*byte)]));
            let bits = bits << (6 * (4 - quantum.len()));
            for raw_byte in &bits.to_be_bytes()[1..quantum.len()] {
                self.push(*raw_byte);
            }
        }
        Ok(())
    }

    /// RFC 2047, section 4.2.
    fn q(&mut self, mut text: &[u8]) -> Result<(), MalformedReason> {
        while let [byte, rest @ ..] = text {
            text = rest;
            match (byte, rest) {
                (b'_', _) => self.push(b' '),
                (b'=', [high, low, rest @ ..]) if hex(*high) < 16 && hex(*low) < 16 => {
                    self.push(hex(*high) << 4 | hex(*low));
                    text = rest;
                }
                (b'=', _) => return Err(MalformedReason::InvalidQEncoding),
                _ => self.push(*byte),
            }
        }
        Ok(())
    }
}
