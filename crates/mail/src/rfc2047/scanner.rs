//! Finds encoded-words and folding white space in the bytes ahead.
//!
//! Mail programs write more than RFC 2047, section 2, allows: encoded-words of any length that
//! touch each other, with white space, folds and even `?` in their text. So an encoded-word is
//! `=?charset*language?B?text?=`, and ends with the first `?=` after the `?` that begins the text.
//! A `=?` in the text proves that the first one did not begin an encoded-word.

use std::ops::Range;

use memchr::memchr2;

use super::transfer_encoding::{TransferDecoder, TransferEncoding};
use super::work_counter;

/// The bytes that a decoder may examine.
#[derive(Debug, Clone, Copy)]
pub struct Lookahead<'a> {
    pub bytes: &'a [u8],
    /// Whether nothing follows them, or nothing that matters.
    pub closed: bool,
}

/// The parts of an encoded-word, as indexes into the lookahead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodedWord {
    /// The label of the charset, without the language.
    pub label: Range<usize>,
    pub encoding: TransferEncoding,
    pub text: Range<usize>,
    /// The index after its `?=`.
    pub end: usize,
}

impl EncodedWord {
    /// Returns a decoder of its text.
    pub fn decoder(&self) -> TransferDecoder {
        TransferDecoder::new(self.text.start, self.encoding, 0)
    }
}

/// Why something was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Miss {
    /// It is not there.
    NotFound,
    /// It may be there: more input is needed.
    NeedMore,
}

pub type Scan<T> = Result<T, Miss>;

impl<'a> Lookahead<'a> {
    pub fn byte(&self, at: usize) -> Scan<u8> {
        self.bytes.get(at).copied().ok_or(self.miss())
    }

    /// Returns what is known about bytes after the last one.
    pub fn miss(&self) -> Miss {
        if self.closed { Miss::NotFound } else { Miss::NeedMore }
    }

    /// Finds the encoded-word at `at`.
    pub fn encoded_word(&self, at: usize) -> Scan<EncodedWord> {
        let (token, near) = match self.bytes.get(at..).unwrap_or_default() {
            [b'=', b'?', near @ ..] => (at + 2, near),
            [] | [b'='] => return Err(self.miss()),
            _ => return Err(Miss::NotFound),
        };
        let len = near.iter().position(|byte| !matches!(byte, b'!'..=b'>' | b'@'..=b'~'));
        work_counter::add(len.unwrap_or(near.len()));
        let len = len.ok_or(self.miss())?;
        if near[len] != b'?' || len == 0 || near[0] == b'*' {
            return Err(Miss::NotFound);
        }
        let mark = token + len;
        let encoding = match self.byte(mark + 1)? {
            b'B' | b'b' => TransferEncoding::B,
            b'Q' | b'q' => TransferEncoding::Q,
            _ => return Err(Miss::NotFound),
        };
        if self.byte(mark + 2)? != b'?' {
            return Err(Miss::NotFound);
        }
        let language = near[..len].iter().position(|byte| *byte == b'*').unwrap_or(len);
        let text = mark + 3;
        let end = self.text_end(text)?;
        Ok(EncodedWord { label: token..token + language, encoding, text: text..end, end: end + 2 })
    }

    /// Finds the `?=` that ends the text at `text`.
    fn text_end(&self, text: usize) -> Scan<usize> {
        let mut from = text;
        while let Some(found) = memchr2(b'?', b'\n', &self.bytes[from..]) {
            work_counter::add(found + 1);
            let at = from + found;
            match (self.bytes[at], self.byte(at + 1)?) {
                (b'?', b'=') => return Ok(at),
                (b'?', _) if at > text && self.bytes[at - 1] == b'=' => return Err(Miss::NotFound),
                (b'?', _) | (_, b' ' | b'\t') => from = at + 1,
                // The header field ends here.
                _ => return Err(Miss::NotFound),
            }
        }
        work_counter::add(self.bytes.len() - from);
        Err(self.miss())
    }

    /// Returns the end of the folding white space at `at`. A line end belongs to it only if white
    /// space follows: any other one ends the header field.
    pub fn fws_end(&self, at: usize) -> Scan<usize> {
        let mut end = at;
        loop {
            work_counter::add(1);
            end += match self.bytes.get(end..).unwrap_or_default() {
                [b' ' | b'\t', ..] => 1,
                [b'\n', b' ' | b'\t', ..] => 2,
                [b'\r', b'\n', b' ' | b'\t', ..] => 3,
                [] | [b'\n'] | [b'\r'] | [b'\r', b'\n'] if !self.closed => {
                    return Err(Miss::NeedMore);
                }
                _ => return Ok(end),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of the encoded-word that the bytes begin with, and its length.
    fn word(bytes: &[u8]) -> Option<(&[u8], usize)> {
        match (Lookahead { bytes, closed: true }).encoded_word(0) {
            Ok(word) => Some((&bytes[word.text], word.end)),
            Err(Miss::NotFound) => None,
            Err(Miss::NeedMore) => unreachable!(),
        }
    }

    #[test]
    fn an_encoded_word_ends_at_the_first_end_after_its_third_question_mark() {
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
    fn other_text_is_not_an_encoded_word() {
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
    fn text_that_may_become_an_encoded_word_needs_more_input() {
        for whole in [&b"=?utf-8*en?B?w6k=?="[..], b"=?utf-8?q?a\r\n b?c?="] {
            for cut in 2..whole.len() {
                let ahead = Lookahead { bytes: &whole[..cut], closed: false };
                assert_eq!(ahead.encoded_word(0), Err(Miss::NeedMore), "{cut}");
                assert_eq!(
                    Lookahead { closed: true, ..ahead }.encoded_word(0),
                    Err(Miss::NotFound),
                    "{cut}"
                );
            }
        }
    }

    #[test]
    fn white_space_ends_with_the_header_field() {
        for (bytes, open, closed) in [
            (&b" \t x"[..], Ok(3), 3),
            (b"\r\n \n\tx", Ok(5), 5),
            (b" \r\nx", Ok(1), 1),
            (b" \rx", Ok(1), 1),
            (b" \n", Err(Miss::NeedMore), 1),
            (b" \r", Err(Miss::NeedMore), 1),
            (b"\r\n", Err(Miss::NeedMore), 0),
            (b" ", Err(Miss::NeedMore), 1),
        ] {
            assert_eq!(Lookahead { bytes, closed: false }.fws_end(0), open, "{bytes:?}");
            assert_eq!(Lookahead { bytes, closed: true }.fws_end(0), Ok(closed), "{bytes:?}");
        }
    }
}
