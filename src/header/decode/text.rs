//! Copies what is no word, record by record, and finds the words in it.

use memchr::{memchr, memchr2_iter, memrchr_iter};

use super::bytes::{Cursor, Next};
use super::scan::{Seen, View, Word};
use super::stand::{Mode, Rules, Stand};
use super::{Call, HeaderDecoder, REACH, Step};
use crate::codec::{Progress, Status};
use crate::conversion_error::Malformed;
use crate::header::field::{self, Field, Front};
use crate::header::visits;
use crate::kernel;

/// Bytes that are looked at first, since errors come in crowds and each begins again.
const FIRST: usize = 64;

/// Bytes that are looked at at a time when all goes well.
const MOST: usize = 16 * 1024;

/// A stretch of text that may be copied.
struct Stretch {
    length: usize,
    before: Before,
}

/// What a stretch ends before.
#[derive(PartialEq, Eq)]
enum Before {
    /// More of the same.
    Text,
    /// The next line. The newline is part of the stretch.
    Line,
    /// A `=?` that may begin a word.
    Word,
}

/// Whether a line that begins so goes on with the record of the line before.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What becomes of a `=?`.
pub(super) enum Found {
    /// It begins a word that is entered.
    Entered,
    /// It is text, and so many bytes are copied without a further look.
    Left(usize),
}

impl HeaderDecoder {
    /// Copies text up to the next word.
    pub(super) fn text(&mut self, call: &mut Call<'_>) -> Step {
        let mut most = FIRST;
        loop {
            if call.rest().is_empty() {
                return Err(Status::InputEmpty);
            }
            match self.stand.mode {
                Mode::Record if whole_records(call) => {}
                Mode::Record => self.record(call)?,
                Mode::Line if is_blank(call.rest()[0]) => {
                    self.stand.mode = Mode::Text;
                }
                Mode::Line => self.stand = Stand::default(),
                Mode::Text => {
                    if self.stand.after_word {
                        self.gap(call)?;
                    }
                    let from = call.read;
                    if self.stretch_and_word(call, most)? {
                        return Ok(());
                    }
                    if call.read - from == most {
                        most = (2 * most).min(MOST);
                    }
                }
                Mode::Word => return Ok(()),
            }
        }
    }

    /// Begins a record. A strict one has its first word after the name of the field.
    fn record(&mut self, call: &mut Call<'_>) -> Step {
        let (rules, name) = match field::classify(call.rest(), call.end) {
            Front::Unfinished => return Err(Status::InputEmpty),
            _ if self.options.bare => (Rules::Bare, 0),
            Front::Named(Field::Text, length) => (Rules::Text, length),
            Front::Named(Field::Addresses, length) => (Rules::Addresses, length),
            Front::Named(Field::Verbatim, length) => (Rules::Verbatim, length),
            Front::Bare => (Rules::Bare, 0),
        };
        if self.options.strict && name > 0 {
            let front = &call.rest()[..name];
            let Some(space) = call.space().get_mut(..name) else { return Err(Status::OutputFull) };
            space.copy_from_slice(front);
            call.read += name;
            call.written += name;
        }
        self.stand = Stand { mode: Mode::Text, rules, last: b'\n', ..Stand::default() };
        Ok(())
    }

    /// Copies a stretch, and looks at the word after it. Whether a word is entered.
    fn stretch_and_word(
        &mut self,
        call: &mut Call<'_>,
        most: usize,
    ) -> Result<bool, Status<Malformed>> {
        let stretch = self.stretch(call.rest(), most);
        visits::note(stretch.length + 1);
        if stretch.length > 0 {
            self.copy(call, &stretch)?;
            return Ok(false);
        }
        let found = if self.options.strict { self.strict(call)? } else { self.find(call)? };
        match found {
            Found::Entered => Ok(true),
            Found::Left(length) => {
                self.stand.left = length as u32;
                Ok(false)
            }
        }
    }

    /// What may be copied of `rest` without a further look.
    fn stretch(&self, rest: &[u8], most: usize) -> Stretch {
        let near = &rest[..rest.len().min(most)];
        if self.stand.left > 0 {
            let length = near.len().min(self.stand.left as usize);
            return Stretch { length, before: Before::Text };
        }
        if self.stand.rules == Rules::Verbatim {
            return match memchr(b'\n', near) {
                Some(at) => Stretch { length: at + 1, before: Before::Line },
                None => Stretch { length: near.len(), before: Before::Text },
            };
        }
        for at in memchr2_iter(b'\n', b'=', near) {
            match (near[at], rest.get(at + 1)) {
                (b'\n', _) => return Stretch { length: at + 1, before: Before::Line },
                (_, Some(b'?')) if at > 0 && is_no_word(rest, at) => {}
                (_, None | Some(b'?')) => return Stretch { length: at, before: Before::Word },
                _ => {}
            }
        }
        Stretch { length: near.len(), before: Before::Text }
    }

    /// Copies a stretch, as far as there is space and it is UTF-8.
    fn copy(&mut self, call: &mut Call<'_>, stretch: &Stretch) -> Step {
        let rest = call.rest();
        let progress = self.utf8.decode(&rest[..stretch.length], call.space(), false);
        visits::note(progress.read + 1);
        self.copied(call, progress.read);
        match progress.status {
            Status::OutputFull => return Err(Status::OutputFull),
            Status::Error(error) => return Err(self.not_text(call, error)),
            Status::InputEmpty => {}
        }
        let cut = stretch.length - progress.read;
        if cut == 0 {
            if stretch.before == Before::Line {
                self.stand.mode = Mode::Line;
            }
            return Ok(());
        }
        // A character is cut: by the end of what is looked at now, by the end of the source, or
        // by a word, which it cannot reach into.
        let (after, end) = match stretch.before {
            Before::Word => (1, false),
            _ if stretch.length < rest.len() => return Ok(()),
            _ => (0, call.end),
        };
        let cut = &rest[progress.read..stretch.length + after];
        match self.utf8.decode(cut, call.space(), end) {
            Progress { status: Status::Error(error), .. } => Err(self.not_text(call, error)),
            Progress { status: stop, .. } => Err(stop),
        }
    }

    /// Goes on over bytes that have been copied.
    fn copied(&mut self, call: &mut Call<'_>, count: usize) {
        self.stand = self.stand.after(&call.rest()[..count]);
        call.read += count;
        call.written += count;
    }

    /// An error of the text, as one of the header.
    fn not_text(&self, call: &Call<'_>, error: Malformed) -> Status<Malformed> {
        let then = self.stand.after(&call.rest()[..error.len]);
        Status::Error(Malformed { resume_state: then.state(), ..error })
    }

    /// Looks at the `=?` that comes next.
    fn find(&mut self, call: &mut Call<'_>) -> Result<Found, Status<Malformed>> {
        let (view, at) = (call.view(), call.read);
        if call.rest().len() == 1 {
            return if call.end { Ok(Found::Left(1)) } else { Err(Status::InputEmpty) };
        }
        let word = match view.word(at) {
            Seen::It(word) => word,
            Seen::Not => return Ok(Found::Left(1)),
            Seen::More => return Err(Status::InputEmpty),
        };
        let left = Ok(Found::Left(word.end - at));
        match self.stand.thresholds(&view, &word) {
            Seen::It(true) => return left,
            Seen::It(false) => {}
            Seen::Not | Seen::More => return Err(Status::InputEmpty),
        }
        let (Some(slot), Yield::Bytes | Yield::Nothing) =
            (self.labels.named(&view.bytes[word.label.clone()]), yields(&view, &word))
        else {
            return left;
        };
        self.stand = self.stand.in_word(word.base64, slot);
        call.read = word.text;
        call.fresh_until = word.end - 2;
        Ok(Found::Entered)
    }
}

/// Copies the records ahead in which nothing has to be looked at: they are ASCII and have no
/// `=?`. Of whatever fields they are, nothing has to be remembered of them. Whether there was one.
fn whole_records(call: &mut Call<'_>) -> bool {
    let rest = call.rest();
    let near = &rest[..rest.len().min(call.space().len()).min(MOST)];
    let near = &near[..kernel::encoded_word_scan::ascii_before_encoded_word(near)];
    let ends = |at: &usize| matches!(rest.get(at + 1), Some(byte) if !is_blank(*byte));
    let last = memrchr_iter(b'\n', near).find(ends);
    visits::note(2 * near.len() + 1 - last.unwrap_or(0));
    let Some(last) = last else { return false };
    call.space()[..=last].copy_from_slice(&near[..=last]);
    call.read += last + 1;
    call.written += last + 1;
    true
}

impl Stand {
    /// After these bytes of text.
    pub(super) fn after(mut self, bytes: &[u8]) -> Stand {
        if self.rules == Rules::Addresses {
            visits::note(bytes.len());
            self.position.walk(bytes);
        }
        self.last = bytes.last().copied().unwrap_or(self.last);
        self.left = self.left.saturating_sub(bytes.len() as u32);
        self
    }

    /// Whether the rules of the field leave this word as it is: in an address it is not decoded.
    pub(super) fn thresholds(&self, view: &View<'_>, word: &Word) -> Seen<bool> {
        if self.rules != Rules::Addresses {
            return Seen::It(false);
        }
        if self.position.angle || self.last == b'@' {
            return Seen::It(true);
        }
        match view.get(word.end) {
            Seen::It(after) => Seen::It(after == b'@'),
            Seen::Not => Seen::It(false),
            Seen::More => Seen::More,
        }
    }
}

/// Whether the `=?` at `at` begins no word, so that it need not be looked at by itself. A strict
/// word has the form of any other.
fn is_no_word(rest: &[u8], at: usize) -> bool {
    let bytes = &rest[..rest.len().min(at.saturating_add(REACH))];
    View { bytes, closed: bytes.len() < rest.len() }.word(at) == Seen::Not
}

/// What the text of a word stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Yield {
    /// Some bytes.
    Bytes,
    /// None: it is empty.
    Nothing,
    /// None by itself: there are a few bits of base64 and no more.
    Bits,
    /// None, though it is not empty.
    Junk,
}

pub(super) fn yields(view: &View<'_>, word: &Word) -> Yield {
    if !word.base64 {
        return Yield::Bytes;
    }
    let mut cursor = Cursor::of_text(word.text, true);
    let text = &view.bytes[word.text..word.end - 2];
    match cursor.next(&view.bytes[..word.end], true) {
        Next::Byte(_) => Yield::Bytes,
        _ if cursor.inside_quantum() => Yield::Bits,
        _ if text.iter().all(u8::is_ascii_whitespace) => Yield::Nothing,
        _ => Yield::Junk,
    }
}
