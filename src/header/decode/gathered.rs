//! Bytes of words in a row for the decoder of a charset, and where each comes from.

use std::ops::Range;

use super::bytes::{Byte, Cursor, Next, TransferPosition};
use super::stand::Joint;

/// Up to `N` bytes of a word, and of those that follow it.
pub(super) struct Gathered<const N: usize> {
    /// The first byte from which any of them may come.
    base: usize,
    values: [u8; N],
    sources: [Source; N],
    len: usize,
    /// Where the bytes of the last word begin.
    last_word: usize,
    /// Where the text of the last word begins, counted from the base.
    last_text: u32,
    /// How the last word goes on, as far as that is settled.
    joint: Option<Joint>,
}

/// Where a byte comes from, counted from the base.
#[derive(Clone, Copy)]
struct Source {
    from: u32,
    to: u32,
    /// Where the next byte begins.
    next: u32,
    base64: bool,
    phase: u8,
    /// Whether the byte begins in one word and ends in another.
    spans: bool,
    /// How the word goes on in which the next byte begins.
    joint: Option<Joint>,
}

/// A position in a word, and how that word goes on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landing {
    pub position: TransferPosition,
    pub joint: Option<Joint>,
}

/// Why gathering stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filled {
    /// There are as many as were wanted.
    Full,
    /// The word ends, with its `?=` at this index.
    End(usize),
    /// More of the source must be seen.
    More,
}

impl<const N: usize> Gathered<N> {
    /// None yet, of a word that goes on as `joint` says.
    pub fn new(base: usize, joint: Option<Joint>) -> Gathered<N> {
        let none = Source { from: 0, to: 0, next: 0, base64: false, phase: 0, spans: false, joint };
        let (values, sources) = ([0; N], [none; N]);
        Gathered { base, values, sources, len: 0, last_word: 0, last_text: 0, joint }
    }

    /// Begins again, as [`new`](Gathered::new) does, but without writing to all of it.
    pub fn begin(&mut self, base: usize, joint: Option<Joint>) {
        (self.base, self.joint) = (base, joint);
        (self.len, self.last_word, self.last_text) = (0, 0, 0);
    }

    /// Gathers up to `most` more bytes of one word.
    pub fn fill(&mut self, cursor: &mut Cursor, src: &[u8], closed: bool, most: usize) -> Filled {
        let full = N.min(self.len + most);
        while self.len < full {
            match cursor.next(src, closed) {
                Next::Byte(byte) => self.push(&byte),
                Next::End(at) => return Filled::End(at),
                Next::More => return Filled::More,
            }
        }
        Filled::Full
    }

    fn push(&mut self, byte: &Byte) {
        let offset = |at: usize| (at - self.base) as u32;
        let TransferPosition { at, base64, phase } = byte.after;
        let (from, to, next) = (offset(byte.from), offset(byte.to), offset(at));
        let (spans, joint) = (from < self.last_text, self.joint);
        self.values[self.len] = byte.value;
        self.sources[self.len] = Source { from, to, next, base64, phase, spans, joint };
        self.len += 1;
    }

    /// What follows comes from the next word, the text of which begins at `text`, and the word
    /// so far goes on in it as `joint` says.
    pub fn cross(&mut self, joint: Joint, text: usize) {
        for source in &mut self.sources[self.last_word..self.len] {
            source.joint = Some(joint);
        }
        (self.last_word, self.last_text) = (self.len, (text - self.base) as u32);
        self.joint = None;
    }

    pub fn values(&self) -> &[u8] {
        &self.values[..self.len]
    }

    /// Where the byte after the first `count` begins, if there are so many.
    pub fn after(&self, count: usize) -> Option<Landing> {
        let source = self.sources[..self.len].get(count.checked_sub(1)?)?;
        let at = self.base + source.next as usize;
        let position = TransferPosition { at, base64: source.base64, phase: source.phase };
        Some(Landing { position, joint: source.joint })
    }

    /// Where this byte begins. What is passed over before it is none of it.
    pub fn start(&self, index: usize) -> Option<Landing> {
        let source = self.sources[..self.len].get(index)?;
        if source.spans {
            return self.after(index);
        }
        let at = self.base + source.from as usize;
        let phase = if source.base64 { (source.phase + 2) % 3 } else { 0 };
        let position = TransferPosition { at, base64: source.base64, phase };
        Some(Landing { position, joint: source.joint })
    }

    /// After the last byte that carries one of these bytes.
    pub fn to(&self, bytes: Range<usize>) -> Option<usize> {
        let last = bytes.clone().last()?;
        self.sources[..self.len].get(last).map(|source| self.base + source.to as usize)
    }
}
