//! What happens at the end of a word: whether another one follows, and how the two go together.
//!
//! White space vanishes between two words that both decode. If they are of the same charset, their
//! bytes are joined, since mailers cut characters. Of a charset with shift states the decoder's
//! state goes over to the next word; a word that has shifted back leaves the first state.

use super::bytes::Cursor;
use super::gathered::{Filled, Gathered};
use super::labels::{self, Labels};
use super::scan::{Seen, View, Word};
use super::stand::{Joint, Stand};
use super::text::{Yield, yields};
use super::trial::{Trial, Verdict};
use super::word::MANY;
use super::{Call, HeaderDecoder, Step};
use crate::codec::Status;
use crate::conversion_error::{Malformed, MalformedReason};
use crate::encoding::BomHandling;

/// Bytes of unread text and of the word after it: twice the window of a charset.
const BOTH: usize = 128;

/// The window of a charset: with so many bytes more than it left, its decoder gets on.
const WINDOW: usize = 64;

/// A word after a word.
#[derive(Debug, Clone)]
pub(super) struct Neighbor {
    pub word: Word,
    pub slot: u16,
    /// Whether its base64 makes no byte by itself.
    pub weak: bool,
}

impl Neighbor {
    /// At the beginning of its text, or on in the quantum in which the word before it stops.
    pub fn cursor(&self, before: Cursor, joint: Joint) -> Cursor {
        let Word { text, base64, .. } = self.word;
        if joint == Joint::Text && before.inside_quantum() && base64 {
            return before.going_on(text);
        }
        Cursor::of_text(text, base64)
    }
}

/// What follows a word.
enum Follows {
    /// Text, or nothing.
    Text,
    /// A word that begins again.
    Anew(Neighbor),
    /// A word that goes on where this one stops.
    On(Neighbor, Joint),
}

impl HeaderDecoder {
    /// Goes over the end of a word, of which no byte is left but those of an unfinished character.
    pub(super) fn end_of_word(&mut self, call: &mut Call<'_>, bytes: &mut Gathered<MANY>) -> Step {
        let view = call.view();
        let mut cursor = Cursor::new(self.stand.position(call.read));
        let Filled::End(mut end) = bytes.fill(&mut cursor, view.bytes, view.closed, BOTH) else {
            return Err(Status::InputEmpty);
        };
        // Where nothing is left to write, the end is gone over in any space: a character after it
        // is placed by a replay that has none.
        if !bytes.values().is_empty() {
            call.needs_space()?;
        }
        let mut settled = self.stand.joint;
        loop {
            let next = self.follows(&view, end + 2, cursor, bytes.values(), settled.take())?;
            let (next, joint) = match next {
                Follows::Text => {
                    bytes.cross(Joint::Apart, end);
                    return self.close(call, bytes, end + 2, None);
                }
                Follows::Anew(next) => {
                    return self.close(call, bytes, next.word.text, Some(&next));
                }
                Follows::On(next, joint) => (next, joint),
            };
            if bytes.values().is_empty() && joint != Joint::Text {
                return self.go_over(call, &next);
            }
            call.needs_space()?;
            bytes.cross(joint, next.word.text);
            cursor = next.cursor(cursor, joint);
            let filled = bytes.fill(&mut cursor, view.bytes, view.closed, WINDOW);
            let progress = self.decode_bytes(call, bytes.values(), false);
            let stuck = progress.read == 0 && progress.status == Status::InputEmpty;
            match filled {
                Filled::End(at) if stuck => end = at,
                _ if stuck => return Err(Status::InputEmpty),
                _ => return self.advance(call, bytes, progress),
            }
        }
    }

    /// What follows the word that ends before `after`, and of which these bytes are unread.
    fn follows(
        &mut self,
        view: &View<'_>,
        after: usize,
        cursor: Cursor,
        unread: &[u8],
        settled: Option<Joint>,
    ) -> Result<Follows, Status<Malformed>> {
        if settled == Some(Joint::Apart) {
            return Ok(Follows::Text);
        }
        let next = match neighbor(view, &self.stand, &mut self.labels, after) {
            Seen::It(next) => next,
            Seen::Not => return Ok(Follows::Text),
            Seen::More => return Err(Status::InputEmpty),
        };
        if next.slot != self.stand.slot {
            return Ok(if next.weak { Follows::Text } else { Follows::Anew(next) });
        }
        if let Some(joint) = settled {
            return Ok(Follows::On(next, joint));
        }
        if !next.weak && self.begins_anew(view, &next, unread) {
            return Ok(Follows::Anew(next));
        }
        let open = cursor.inside_quantum() && next.word.base64;
        let joint = match (open, next.weak) {
            (false, false) => Some(Joint::Bytes),
            (false, true) => None,
            (true, _) => self.tried(view, &next, cursor, unread)?,
        };
        Ok(joint.map_or(Follows::Text, |joint| Follows::On(next, joint)))
    }

    /// How a word that stops inside a quantum goes on in the next one, if it does.
    fn tried(
        &mut self,
        view: &View<'_>,
        next: &Neighbor,
        cursor: Cursor,
        unread: &[u8],
    ) -> Result<Option<Joint>, Status<Malformed>> {
        let mut trial = Trial {
            stand: self.stand,
            decoder: self.decoders.get(self.stand.slot),
            labels: &mut self.labels,
            view,
            raw: self.options.raw,
        };
        let mut good = |joint| match trial.run(unread, cursor, next, joint) {
            Verdict::Good => Ok(true),
            Verdict::Invalid => Ok(false),
            Verdict::Open => Err(Status::InputEmpty),
        };
        if next.weak {
            return Ok(good(Joint::Text)?.then_some(Joint::Text));
        }
        let text = !good(Joint::Bytes)? && good(Joint::Text)?;
        Ok(Some(if text { Joint::Text } else { Joint::Bytes }))
    }

    /// Whether the next word begins in the first state of its charset, though it is the same.
    fn begins_anew(&mut self, view: &View<'_>, next: &Neighbor, unread: &[u8]) -> bool {
        let charset = labels::charset(next.slot);
        if charset.bom_handling != BomHandling::Ignore {
            // Each word was made by itself if each has a byte order mark.
            let mut front = Gathered::<4>::new(next.word.text, None);
            let mut cursor = Cursor::of_text(next.word.text, next.word.base64);
            front.fill(&mut cursor, view.bytes, true, 4);
            return unread.is_empty() && begins_with_mark(front.values());
        }
        if charset.name != "UTF-7" {
            return false;
        }
        // The end of a word ends a run of base64, if it may end there.
        let decoder = self.decoders.get(self.stand.slot);
        decoder.restore_state(self.stand.inner);
        let mut space = [0; 256];
        !matches!(decoder.decode(unread, &mut space, true).status, Status::Error(_))
    }

    /// Ends the decoding of a word, and goes on at `at`: in the next word, or after this one.
    fn close(
        &mut self,
        call: &mut Call<'_>,
        bytes: &Gathered<MANY>,
        at: usize,
        next: Option<&Neighbor>,
    ) -> Step {
        let mut progress = self.decode_bytes(call, bytes.values(), true);
        if let Status::Error(error) = &mut progress.status
            && error.reason == MalformedReason::Truncated
        {
            error.reason = MalformedReason::SplitCharacter;
        }
        self.advance(call, bytes, progress)?;
        if progress.status == Status::OutputFull {
            return Err(Status::OutputFull);
        }
        match next {
            Some(next) => self.stand = self.stand.in_word(next.word.base64, next.slot),
            None => self.stand = self.stand.after_word(),
        }
        call.read = at;
        call.fresh_until = next.map_or(0, |next| next.word.end - 2);
        Ok(())
    }

    /// Goes over to the next word, with nothing left of this one.
    fn go_over(&mut self, call: &mut Call<'_>, next: &Neighbor) -> Step {
        let inner = self.stand.inner;
        self.stand = Stand { inner, ..self.stand.in_word(next.word.base64, next.slot) };
        call.read = next.word.text;
        call.fresh_until = next.word.end - 2;
        Ok(())
    }
}

/// The word after a word that ends before `after`, with white space or nothing between them.
pub(super) fn neighbor(
    view: &View<'_>,
    stand: &Stand,
    labels: &mut Labels,
    after: usize,
) -> Seen<Neighbor> {
    let start = match view.gap(after) {
        Seen::It(start) => start,
        Seen::Not => return Seen::Not,
        Seen::More => return Seen::More,
    };
    match &view.bytes[start..] {
        [b'=', b'?', ..] => {}
        [] | [b'='] => return view.unseen(),
        _ => return Seen::Not,
    }
    let word = match view.word(start) {
        Seen::It(word) => word,
        Seen::Not => return Seen::Not,
        Seen::More => return Seen::More,
    };
    match (Stand { last: b'=', ..*stand }).thresholds(view, &word) {
        Seen::It(false) => {}
        Seen::More => return Seen::More,
        _ => return Seen::Not,
    }
    let Some(slot) = labels.named(&view.bytes[word.label.clone()]) else {
        return Seen::Not;
    };
    match yields(view, &word) {
        Yield::Junk => Seen::Not,
        found => Seen::It(Neighbor { word, slot, weak: found == Yield::Bits }),
    }
}

/// The byte order marks of UTF-16 and UTF-32.
fn begins_with_mark(bytes: &[u8]) -> bool {
    matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] | [0, 0, 0xFE, 0xFF, ..])
}
