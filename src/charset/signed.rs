//! Encodings whose text begins with a byte order mark: another encoding's, and the mark.
//!
//! A decoder consumes one mark at the very start if there is one, and the encoder writes one before
//! the first character. `UTF-16` and `UTF-32` do that by themselves, in little-endian order.

use super::utf8::UTF_8;
use super::utf16::UTF_16BE;
use super::utf32::UTF_32BE;
use super::{Charset, Codecs, Mark, Settings};
use crate::codec::{Decoder, Encoder, Progress, Resume, State, Stop};
use crate::fault::{Malformed, Unmappable};

/// In the order of the manual.
pub const ALL: &[&Charset] = &[&UTF_8_SIG, &UTF_16BE_BOM, &UTF_32BE_BOM];

static UTF_8_SIG: Charset = signed(
    "UTF-8-SIG",
    "UTF-8 with a byte order mark: one is consumed if present, and one is written",
    &Signed { bare: &UTF_8, mark: b"\xEF\xBB\xBF" },
);

static UTF_16BE_BOM: Charset = signed(
    "UTF-16BE-BOM",
    "UTF-16BE with a byte order mark: one is consumed if present, and one is written",
    &Signed { bare: &UTF_16BE, mark: b"\xFE\xFF" },
);

static UTF_32BE_BOM: Charset = signed(
    "UTF-32BE-BOM",
    "UTF-32BE with a byte order mark: one is consumed if present, and one is written",
    &Signed { bare: &UTF_32BE, mark: b"\0\0\xFE\xFF" },
);

const fn signed(name: &'static str, about: &'static str, codecs: &'static Signed) -> Charset {
    Charset { name, about, options: &[], mark: Mark::Written, codecs, wide: None }
}

/// An encoding whose codecs remember nothing, and U+FEFF in it.
#[derive(Debug)]
struct Signed {
    bare: &'static Charset,
    mark: &'static [u8],
}

impl Codecs for Signed {
    fn decoder(&self, settings: &Settings) -> Box<dyn Decoder> {
        let inner = self.bare.decoder(settings);
        Box::new(Marked { inner, mark: self.mark, state: State::START })
    }

    fn encoder(&self, settings: &Settings) -> Box<dyn Encoder> {
        let inner = self.bare.encoder(settings);
        Box::new(Marked { inner, mark: self.mark, state: State::START })
    }
}

/// The start has been read or written.
const PAST: State = State::new(1);

/// A codec and the mark before its text.
struct Marked<T: ?Sized> {
    mark: &'static [u8],
    state: State,
    inner: Box<T>,
}

impl<T: Resume + ?Sized> Resume for Marked<T> {
    fn state(&self) -> State {
        self.state
    }

    fn resume(&mut self, at: State) {
        self.state = at;
    }

    fn window(&self) -> usize {
        self.mark.len() + self.inner.window()
    }
}

impl<T: ?Sized> Marked<T> {
    /// The length of the mark that `src` begins with, where one counts.
    fn marked(&self, src: &[u8]) -> usize {
        if self.state == State::START && src.starts_with(self.mark) { self.mark.len() } else { 0 }
    }
}

impl Decoder for Marked<dyn Decoder> {
    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        if self.state == State::START && !end && self.mark.starts_with(src) && src != self.mark {
            return Progress::input(0, 0);
        }
        let mark = self.marked(src);
        let progress = self.inner.decode(&src[mark..], dst, end);
        let read = mark + progress.read;
        if read > 0 {
            self.state = PAST;
        }
        let stop = match progress.stop {
            Stop::Fault(fault) => Stop::Fault(Malformed { then: PAST, ..fault }),
            stop => stop,
        };
        Progress { read, stop, ..progress }
    }

    fn repeats(&self, src: &[u8], fault: Malformed) -> usize {
        self.inner.repeats(&src[self.marked(src)..], fault)
    }
}

impl Encoder for Marked<dyn Encoder> {
    fn encode(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Unmappable> {
        if self.state != State::START {
            return self.inner.encode(src, dst, end);
        }
        // The mark is written only before a character, so it waits for room for both.
        let (mark, text) = dst.split_at_mut(dst.len().min(self.mark.len()));
        let progress = self.inner.encode(src, text, end);
        if progress.written == 0 {
            return progress;
        }
        mark.copy_from_slice(self.mark);
        self.state = PAST;
        Progress { written: mark.len() + progress.written, ..progress }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(charset: &Charset, text: &str) -> Vec<u8> {
        let mut room = [0; 16];
        let progress = charset.encoder(&Settings::default()).encode(text, &mut room, true);
        room[..progress.written].to_vec()
    }

    #[test]
    fn the_mark_is_the_character_in_the_encoding_without_one() {
        for (bare, signed) in
            [(&UTF_8, &UTF_8_SIG), (&UTF_16BE, &UTF_16BE_BOM), (&UTF_32BE, &UTF_32BE_BOM)]
        {
            assert_eq!(written(signed, "a"), written(bare, "\u{FEFF}a"));
            assert_eq!(written(signed, ""), b"");
        }
    }
}
