//! Finds encoded-words and folding white space in a header field.
//!
//! Mail programs write more than RFC 2047, section 2, allows: encoded-words of any length that
//! touch each other, with white space, folds and even `?` in their text. So an encoded-word is
//! `=?charset*language?B?text?=`, and ends with the first `?=` after the `?` that begins the text.
//! A `=?` in the text proves that the first one did not begin an encoded-word.

use std::ops::Range;

use memchr::{memchr, memchr_iter};

use super::transfer_encoding::{TransferDecoder, TransferEncoding};
use super::work_counter;

/// The parts of an encoded-word, as indexes into the header field.
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

/// Returns the index of the first `=?`, or the length if there is none.
pub fn find_start(field: &[u8]) -> usize {
    let starts = |at: &usize| field.get(at + 1) == Some(&b'?');
    memchr_iter(b'=', field).find(starts).unwrap_or(field.len())
}

/// Finds the encoded-word at `at`.
pub fn encoded_word(field: &[u8], at: usize) -> Option<EncodedWord> {
    let near = field.get(at..)?.strip_prefix(b"=?")?;
    let token = at + 2;
    let len = near.iter().position(|byte| !matches!(byte, b'!'..=b'>' | b'@'..=b'~'));
    work_counter::add(len.unwrap_or(near.len()));
    let len = len.filter(|len| *len > 0 && near[0] != b'*')?;
    let encoding = match near.get(len..len + 3)? {
        [b'?', b'B' | b'b', b'?'] => TransferEncoding::B,
        [b'?', b'Q' | b'q', b'?'] => TransferEncoding::Q,
        _ => return None,
    };
    let language = near[..len].iter().position(|byte| *byte == b'*').unwrap_or(len);
    let text = token + len + 3;
    let end = text_end(field, text)?;
    Some(EncodedWord { label: token..token + language, encoding, text: text..end, end: end + 2 })
}

/// Finds the `?=` that ends the text at `text`.
fn text_end(field: &[u8], text: usize) -> Option<usize> {
    let mut from = text;
    loop {
        let found = memchr(b'?', &field[from..]);
        work_counter::add(found.map_or(field.len() - from, |found| found + 1));
        let at = from + found?;
        match field.get(at + 1)? {
            b'=' => return Some(at),
            _ if at > text && field[at - 1] == b'=' => return None,
            _ => from = at + 1,
        }
    }
}

/// Returns the end of the folding white space at `at`. The line end at the end of the header field
/// does not belong to it.
pub fn fws_end(field: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        work_counter::add(1);
        end += match field.get(end..).unwrap_or_default() {
            [b' ' | b'\t', ..] => 1,
            [b'\n', b' ' | b'\t', ..] => 2,
            [b'\r', b'\n', b' ' | b'\t', ..] => 3,
            _ => return end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of the encoded-word that the bytes begin with.
    fn word(bytes: &[u8]) -> Option<&[u8]> {
        encoded_word(bytes, 0).map(|word| &bytes[word.text])
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
            assert_eq!(word(bytes), Some(text), "{bytes:?}");
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
            b"=?utf-8?q?a\n",
            b"",
            b"=",
            b"=?caf\xC3\xA9?q?a?=",
        ] {
            assert_eq!(word(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn white_space_ends_with_the_header_field() {
        for (bytes, end) in [
            (&b" \t x"[..], 3),
            (b"\r\n \n\tx", 5),
            (b" \r\n", 1),
            (b" \rx", 1),
            (b" \n", 1),
            (b" \r", 1),
            (b"\r\n", 0),
            (b" ", 1),
        ] {
            assert_eq!(fws_end(bytes, 0), end, "{bytes:?}");
        }
    }
}
