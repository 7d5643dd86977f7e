//! Finds a word in the bytes ahead, and where it ends.
//!
//! What mailers write is wider than RFC 2047, section 2: words of any length that touch their
//! neighbors, with white space, folds and even `?` in their text. So a word is
//! `=?charset*language?B?text?=`, and its end is the first `?=` after the `?` that begins the
//! text. A `=?` in the text shows that the first one began no word.

use std::ops::Range;

use memchr::memchr2;

use crate::header::visits;

/// The bytes that may be looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub bytes: &'a [u8],
    /// Whether nothing follows them, or nothing that counts.
    pub closed: bool,
}

/// A word, as far as its form goes. All are indexes into the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The name of its charset, without a language.
    pub label: Range<usize>,
    /// Whether its text is in base64 (B) rather than in Q.
    pub base64: bool,
    /// Where its text begins.
    pub text: usize,
    /// After its `?=`.
    pub end: usize,
}

/// What an answer that more bytes could change looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Seen<T> {
    It(T),
    Not,
    /// More must be seen first.
    More,
}

impl<'a> View<'a> {
    pub fn get(&self, at: usize) -> Seen<u8> {
        match self.bytes.get(at) {
            Some(byte) => Seen::It(*byte),
            None => self.unseen(),
        }
    }

    /// What is known where the bytes end too early.
    pub fn unseen<T>(&self) -> Seen<T> {
        if self.closed { Seen::Not } else { Seen::More }
    }

    /// The word that begins with the `=?` at `at`, if there is one.
    pub fn word(&self, at: usize) -> Seen<Word> {
        let name = at + 2;
        let mark = match self.label_end(name) {
            Seen::It(mark) => mark,
            Seen::Not => return Seen::Not,
            Seen::More => return Seen::More,
        };
        let base64 = match self.bytes.get(mark + 1) {
            Some(b'B' | b'b') => true,
            Some(b'Q' | b'q') => false,
            Some(_) => return Seen::Not,
            None => return self.unseen(),
        };
        match self.bytes.get(mark + 2) {
            Some(b'?') => {}
            Some(_) => return Seen::Not,
            None => return self.unseen(),
        }
        let text = mark + 3;
        let whole = &self.bytes[name..mark];
        let language = whole.iter().position(|byte| *byte == b'*').unwrap_or(whole.len());
        match self.text_end(text) {
            Seen::It(end) => {
                Seen::It(Word { label: name..name + language, base64, text, end: end + 2 })
            }
            Seen::Not => Seen::Not,
            Seen::More => Seen::More,
        }
    }

    /// Where the `?` after a charset stands that begins at `name`.
    fn label_end(&self, name: usize) -> Seen<usize> {
        let near = self.bytes.get(name..).unwrap_or_default();
        let length = near.iter().position(|byte| !matches!(byte, b'!'..=b'>' | b'@'..=b'~'));
        visits::note(length.unwrap_or(near.len()));
        match length {
            Some(length) if near[length] == b'?' && length > 0 && near[0] != b'*' => {
                Seen::It(name + length)
            }
            Some(_) => Seen::Not,
            None => self.unseen(),
        }
    }

    /// Where the `?=` stands that ends the text that begins at `text`.
    fn text_end(&self, text: usize) -> Seen<usize> {
        let mut from = text;
        while let Some(found) = memchr2(b'?', b'\n', &self.bytes[from..]) {
            visits::note(found + 1);
            let at = from + found;
            match (self.bytes[at], self.bytes.get(at + 1)) {
                (_, None) => return self.unseen(),
                (b'?', Some(b'=')) => return Seen::It(at),
                (b'?', _) if at > text && self.bytes[at - 1] == b'=' => return Seen::Not,
                (b'?', _) | (_, Some(b' ' | b'\t')) => from = at + 1,
                // The record ends here.
                _ => return Seen::Not,
            }
        }
        visits::note(self.bytes.len() - from);
        self.unseen()
    }

    /// Where the white space ends that begins at `at`. A newline belongs to it only as part of a
    /// fold: anywhere else it ends the record.
    pub fn gap(&self, at: usize) -> Seen<usize> {
        let mut end = at;
        loop {
            visits::note(1);
            let rest = self.bytes.get(end..).unwrap_or_default();
            end += match rest {
                [b' ' | b'\t', ..] => 1,
                [b'\n', b' ' | b'\t', ..] => 2,
                [b'\r', b'\n', b' ' | b'\t', ..] => 3,
                [] | [b'\n'] | [b'\r'] | [b'\r', b'\n'] => match self.unseen() {
                    Seen::Not => return Seen::It(end),
                    more => return more,
                },
                _ => return Seen::It(end),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of the word that the bytes begin with, and how long the word is.
    fn word(bytes: &[u8]) -> Option<(&[u8], usize)> {
        match (View { bytes, closed: true }).word(0) {
            Seen::It(word) => Some((&bytes[word.text..word.end - 2], word.end)),
            Seen::Not => None,
            Seen::More => panic!("nothing more comes"),
        }
    }

    #[test]
    fn a_word_ends_at_the_first_end_after_its_third_question_mark() {
        for (bytes, text) in [
            (&b"=?utf-8?q?a?="[..], &b"a"[..]),
            (b"=?utf-8?q?=E9?=", b"=E9"),
            (b"=?utf-8?q?what??=", b"what?"),
            (b"=?utf-8?q?a?b?=", b"a?b"),
            (b"=?utf-8?q??=", b""),
            (b"=?utf-8?q?=?=", b"="),
            (b"=?utf-8?B?w6k=?=", b"w6k="),
            (b"=?x*en?q?a b\r\n\tc?=", b"a b\r\n\tc"),
            (b"=?(x)?q?a?= and more?=", b"a"),
        ] {
            assert_eq!(word(bytes).map(|(text, _)| text), Some(text), "{bytes:?}");
        }
    }

    #[test]
    fn what_only_looks_like_a_word_is_none() {
        for bytes in [
            &b"=?"[..],
            b"=??q?a?=",
            b"=?*en?q?a?=",
            b"=?ut f?q?a?=",
            b"=?utf-8?x?a?=",
            b"=?utf-8?qq?a?=",
            b"=?utf-8?q?a",
            b"=?utf-8?q?a?",
            b"=?utf-8?q?a=?utf-8?q?b?=",
            b"=?utf-8?q?=?utf-8?q?b?=",
            b"=?utf-8?q?a\nb?=",
            b"=?utf-8?q?a\n",
            b"=?caf\xC3\xA9?q?a?=",
        ] {
            assert_eq!(word(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn what_may_still_become_a_word_waits_for_more() {
        for whole in [&b"=?utf-8*en?B?w6k=?="[..], b"=?utf-8?q?a\r\n b?c?="] {
            for cut in 2..whole.len() {
                let view = View { bytes: &whole[..cut], closed: false };
                assert_eq!(view.word(0), Seen::More, "{cut}");
                assert_eq!(View { closed: true, ..view }.word(0), Seen::Not, "{cut}");
            }
        }
    }

    #[test]
    fn white_space_goes_as_far_as_the_record() {
        for (bytes, open, closed) in [
            (&b" \t x"[..], Seen::It(3), 3),
            (b"\r\n \n\tx", Seen::It(5), 5),
            (b" \r\nx", Seen::It(1), 1),
            (b" \rx", Seen::It(1), 1),
            (b" \n", Seen::More, 1),
            (b" \r", Seen::More, 1),
            (b"\r\n", Seen::More, 0),
            (b" ", Seen::More, 1),
        ] {
            assert_eq!(View { bytes, closed: false }.gap(0), open, "{bytes:?}");
            assert_eq!(View { bytes, closed: true }.gap(0), Seen::It(closed), "{bytes:?}");
        }
    }
}
