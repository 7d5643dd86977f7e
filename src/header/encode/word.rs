//! One word: how much of a run it carries, in which form, and how it is written.

use super::form::Form;
use super::marks;
use super::run::{MOST, Run};
use crate::codec::{Decoder, Encoder, Progress, State, Status};
use crate::encoding::{self, Encoding, EncodingOptions};

/// Characters of a word, at most (RFC 2047, section 2).
pub const WORD: usize = 75;

/// Characters of a word that are neither charset nor text: `=?`, `?Q?` and `?=`.
const FRAME: usize = 7;

/// Bytes that a word carries are fewer; so are those of a character with all that a charset puts
/// around it.
const BYTES: usize = 128;

/// Bytes of text that are gathered for words in UTF-8, of which a word carries 63 at the most.
const NEAR: usize = 72;

/// A charset in which words are written.
pub struct Words {
    name: &'static str,
    /// Nothing for UTF-8, which text is already.
    encoder: Option<Box<dyn Encoder>>,
    /// What readers of mail take the charset for, if that is another: ISO-8859-1 is windows-1252 to
    /// them, which has punctuation where ISO-8859-1 has controls.
    reader: Option<Box<dyn Decoder>>,
    /// The forms that may be used.
    forms: &'static [Form],
}

/// What a word is to carry.
#[derive(Debug, Clone, Copy)]
pub struct Cut {
    /// Entries of the run.
    pub count: usize,
    pub form: Form,
    /// Characters of the word.
    pub columns: usize,
    /// Whether that is all of the run.
    pub whole: bool,
    /// Whether the first entry that it does not carry is not in the charset.
    pub lacks: bool,
}

/// What the first entries take in a form.
type Columns = [Option<u8>; 2];

/// The forms in the order of [`Columns`]: where both are as good, the first is taken.
const FORMS: [Form; 2] = [Form::Q, Form::B];

impl Words {
    /// Words in a charset, or in UTF-8 if there is none.
    pub fn new(charset: Option<&'static Encoding>, forms: &'static [Form]) -> Words {
        let charset = charset.filter(|charset| !encoding::is_utf8(charset)).map(marks::unmarked);
        let name = charset.map_or("UTF-8", marks::mime_name);
        let mut encoder = charset.map(|charset| charset.encoder(&EncodingOptions::default()));
        let is_ascii = encoder.as_mut().is_none_or(|encoder| {
            let mut bytes = [0; BYTES];
            let written = encoder.encode("A", &mut bytes, true).written;
            bytes[..written] == *b"A"
        });
        // Q is for what is readable in ASCII; bytes of UTF-16 are not.
        let forms = if is_ascii { forms } else { &[Form::B] };
        let meant = encoding::for_mime_label(name)
            .filter(|meant| charset.is_some_and(|said| said != *meant));
        let reader = meant.map(|meant| meant.decoder(&EncodingOptions::default()));
        Words { name, encoder, reader, forms }
    }

    pub fn is_utf8(&self) -> bool {
        self.encoder.is_none()
    }

    /// Bytes of text that are worth gathering for a word.
    pub fn near(&self) -> usize {
        if self.is_utf8() { NEAR } else { usize::MAX }
    }

    /// Characters of a word without its text.
    pub fn frame(&self) -> usize {
        FRAME + self.name.len()
    }

    /// Takes as much of a run as goes into `space` characters; all that is left of it only if
    /// `suffix` more characters fit after the word.
    pub fn cut(&mut self, run: &Run, space: usize, suffix: usize) -> Cut {
        let space = space.min(WORD + suffix);
        let text = space.min(WORD).saturating_sub(self.frame());
        let last = space.saturating_sub(suffix + self.frame()).min(text);
        let mut best = Cut { count: 0, form: FORMS[0], columns: 0, whole: false, lacks: false };
        let (mut fitting, mut ends) = ([0; 2], [[None; 2]; MOST + 1]);
        let lacks = self.measure(run, |count, columns| {
            ends[count] = columns;
            let space = if run.ended && count == run.len() { last } else { text };
            for (best, columns) in fitting.iter_mut().zip(columns) {
                *best = if columns.is_some_and(|columns| usize::from(columns) <= space) {
                    count
                } else {
                    *best
                };
            }
            columns.iter().flatten().any(|columns| usize::from(*columns) <= text)
        });
        let most = fitting[0].max(fitting[1]);
        best.whole = run.ended && most == run.len();
        best.lacks = lacks == Some(most);
        best.count = match best.whole || best.lacks {
            true => most,
            false => kept_together(run, most, &ends),
        };
        let forms = FORMS.iter().zip(ends[best.count]);
        let shortest = forms
            .filter_map(|(form, columns)| Some((columns?, *form)))
            .min_by_key(|(columns, _)| *columns);
        if let Some((columns, form)) = shortest {
            (best.columns, best.form) = (usize::from(columns) + self.frame(), form);
        }
        best
    }

    /// Tells what the first entries of a run take in each form, for each number of entries that
    /// can be cut off, until told that it is enough. The number of entries before the first that
    /// the charset lacks.
    fn measure(
        &mut self,
        run: &Run,
        mut tell: impl FnMut(usize, Columns) -> bool,
    ) -> Option<usize> {
        let (mut count, mut bytes, mut quoted) = (0, 0, 0);
        let allowed = |form: Form, columns: usize| {
            self.forms.contains(&form).then_some(u8::try_from(columns).unwrap_or(u8::MAX))
        };
        let both = |bytes: usize, quoted| {
            [allowed(Form::Q, quoted), allowed(Form::B, bytes.div_ceil(3) * 4)]
        };
        let Some(encoder) = &mut self.encoder else {
            while count < run.len() {
                let piece = run.entry(count);
                bytes += piece.len();
                quoted += Form::Q.columns(piece);
                count += 1;
                if !tell(count, both(bytes, quoted)) {
                    break;
                }
            }
            return None;
        };
        encoder.restore_state(State::INITIAL);
        begin(&mut self.reader);
        let (text, mut piece) = (run.text(), [0; BYTES]);
        while count < run.len() {
            let advanced = advance(&mut **encoder, run, text, count, &mut piece);
            let Some((next, written)) =
                advanced.filter(|to| agrees(&mut self.reader, run, text, count, *to, &piece))
            else {
                return Some(count);
            };
            bytes += written;
            quoted += Form::Q.columns(&piece[..written]);
            count = next;
            let close = flushed(&mut **encoder, &mut piece);
            if !tell(count, both(bytes + close.len(), quoted + Form::Q.columns(close))) {
                break;
            }
        }
        None
    }

    /// Whether the charset has all of a text, for which the encoder goes on from call to call.
    pub fn has(&mut self, run: &Run, first: bool) -> bool {
        let Some(encoder) = &mut self.encoder else { return true };
        if first {
            encoder.restore_state(State::INITIAL);
            begin(&mut self.reader);
        }
        let (text, mut count, mut piece) = (run.text(), 0, [0; BYTES]);
        while count < run.len() {
            match advance(&mut **encoder, run, text, count, &mut piece) {
                Some(to) if agrees(&mut self.reader, run, text, count, to, &piece) => count = to.0,
                _ => return false,
            }
        }
        true
    }

    /// Writes the word that was cut.
    pub fn write(&mut self, run: &Run, cut: &Cut, mut put: impl FnMut(&[u8])) {
        let text = run.text_to(cut.count);
        let mut bytes = [0; BYTES];
        let bytes = match &mut self.encoder {
            None => text.as_bytes(),
            Some(encoder) => {
                encoder.restore_state(State::INITIAL);
                let Progress { written, .. } = encoder.encode(text, &mut bytes, true);
                &bytes[..written]
            }
        };
        put(b"=?");
        put(self.name.as_bytes());
        put(&[b'?', cut.form.letter(), b'?']);
        cut.form.write(bytes, &mut put);
        put(b"?=");
    }
}

/// Lets the reader begin a word.
fn begin(reader: &mut Option<Box<dyn Decoder>>) {
    if let Some(reader) = reader {
        reader.restore_state(State::INITIAL);
    }
}

/// Whether the reader takes the bytes of an advance for the entries that they were made of.
fn agrees(
    reader: &mut Option<Box<dyn Decoder>>,
    run: &Run,
    all: &str,
    count: usize,
    (next, written): (usize, usize),
    bytes: &[u8],
) -> bool {
    let Some(reader) = reader else { return true };
    let mut text = [0; 2 * BYTES];
    let read = reader.decode(&bytes[..written], &mut text, false);
    let meant = all.as_bytes().get(run.offset(count)..run.offset(next));
    read.read == written && meant == Some(&text[..read.written])
}

/// Encodes the entry after the first `count` ones of `all` the text of a run, with those after it
/// without which the encoder cannot decide. How many entries are done then, and the bytes written; nothing if the charset
/// lacks it.
fn advance(
    encoder: &mut dyn Encoder,
    run: &Run,
    all: &str,
    count: usize,
    bytes: &mut [u8],
) -> Option<(usize, usize)> {
    let from = run.offset(count);
    let state = encoder.save_state();
    for next in count + 1..=run.len() {
        let piece = all.get(from..run.offset(next))?;
        let Progress { read, written, status: stop } = encoder.encode(piece, bytes, false);
        if matches!(stop, Status::Error(_)) && read == 0 {
            encoder.restore_state(state);
            return None;
        }
        if let Some(done) = (count + 1..=next).find(|done| run.offset(*done) == from + read) {
            return Some((done, written));
        }
        encoder.restore_state(state);
    }
    let written = held(encoder, all.get(from..)?, bytes)?;
    Some((run.len(), written))
}

/// The bytes written for all that is left of what is gathered: the encoder is told that nothing
/// follows. Nothing if the charset lacks some of it.
fn held(encoder: &mut dyn Encoder, left: &str, bytes: &mut [u8]) -> Option<usize> {
    let Progress { read, written, .. } = encoder.encode(left, bytes, true);
    (read == left.len()).then_some(written)
}

/// What the encoder would write if the word ended here. It goes on as if it did not.
fn flushed<'a>(encoder: &mut dyn Encoder, bytes: &'a mut [u8]) -> &'a [u8] {
    let state = encoder.save_state();
    if state == State::INITIAL {
        return &[];
    }
    let Progress { written, .. } = encoder.encode("", bytes, true);
    encoder.restore_state(state);
    &bytes[..written]
}

/// So many entries, or a few less, if a character would be parted from the marks after it.
fn kept_together(run: &Run, most: usize, ends: &[Columns]) -> usize {
    let text = run.text();
    let parts = |count: usize| {
        let (before, after) = text.split_at(run.offset(count));
        let near = before.chars().next_back().zip(after.chars().next());
        near.is_some_and(|(before, after)| marks::belong_together(before, after))
    };
    let whole = |count: &usize| ends[*count].iter().any(Option::is_some) && !parts(*count);
    (most.div_ceil(2)..=most).rev().find(whole).unwrap_or(most)
}
