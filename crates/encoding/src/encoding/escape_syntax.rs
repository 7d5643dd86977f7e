//! The escapes of C99 and Java: a backslash, a letter and hexadecimal digits.
//!
//! A backslash begins an escape only if the number of backslashes directly before it is even (The
//! Java Language Specification, section 3.3; in C `\\` is an escape sequence of its own). So a
//! backslash of the text that would change the meaning of the escape after it is itself written as
//! an escape: `\é` becomes `\u005c\u00e9`. Escapes that the text already contains remain unchanged.

use super::code_point_codec::{CodePointFormat, MAX_UNICODE, ReadResult};
use charpipe_kernel as kernel;
use charpipe_kernel::hex::LOWERCASE;

/// The result of reading a backslash and the bytes after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ParsedEscape {
    /// An escape of this code point or code unit.
    Value(u32),
    /// Not an escape: the backslash represents itself.
    NotAnEscape,
    /// Possibly an escape; more input is needed. Not returned at the end of the input.
    NeedMore,
}

/// Reads an escape of this letter and number of hexadecimal digits, in any case.
pub(super) fn parse_escape(src: &[u8], letter: u8, digits: usize, end: bool) -> ParsedEscape {
    let mut expected = [b'\\', letter].into_iter();
    let mut number = 0;
    for position in 0..2 + digits {
        let Some(&byte) = src.get(position) else {
            return if end { ParsedEscape::NotAnEscape } else { ParsedEscape::NeedMore };
        };
        match (expected.next(), char::from(byte).to_digit(16)) {
            (Some(expected), _) if expected == byte => {}
            (None, Some(digit)) => number = number << 4 | digit,
            _ => return ParsedEscape::NotAnEscape,
        }
    }
    ParsedEscape::Value(number)
}

/// The state after an even number of backslashes. The decoder may read an escape.
const EVEN_BACKSLASHES: u64 = 0;

/// The state after an odd number of backslashes. The encoder has not written the last of them yet,
/// because its form depends on the next character.
const ODD_BACKSLASHES: u64 = 1;

/// The escapes of a language.
pub(super) trait EscapeSyntax: Send + Sync {
    /// The maximum length of the escapes of a character, in bytes.
    const MAX_LEN: usize;

    /// The first character that is written as an escape.
    const FIRST_ESCAPED: u32;

    /// Reads the next item, which is not an escaped backslash.
    fn read_item(src: &[u8], end: bool) -> ReadResult;

    /// Writes a character, as an escape from [`FIRST_ESCAPED`](Self::FIRST_ESCAPED) on; returns
    /// the number of bytes, or `None` if `dst` is too small.
    fn write_char(value: u32, dst: &mut [u8]) -> Option<usize>;
}

impl<S: EscapeSyntax> CodePointFormat for S {
    const MAX_LOOKAHEAD: usize = ESCAPED_BACKSLASH.len() + S::MAX_LEN;

    fn max_value(&self) -> u32 {
        MAX_UNICODE
    }

    /// Copies up to [`MAX_RUN`] ASCII bytes before the first backslash.
    fn decode_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        let run = copy_until_backslash(src, dst);
        if run > 0 {
            *state = EVEN_BACKSLASHES;
        }
        (run, run)
    }

    /// Copies up to [`MAX_RUN`] ASCII bytes before the first backslash.
    fn encode_run(&self, text: &str, dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        let is_even = *state == EVEN_BACKSLASHES;
        let run = if is_even { copy_until_backslash(text.as_bytes(), dst) } else { 0 };
        (run, run)
    }

    fn read_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult {
        let is_escaped = std::mem::replace(state, EVEN_BACKSLASHES) == ODD_BACKSLASHES;
        if src[0] == b'\\' && is_escaped {
            return LITERAL_BACKSLASH;
        }
        let item = S::read_item(src, end);
        if src[0] == b'\\' && item == LITERAL_BACKSLASH {
            *state = ODD_BACKSLASHES;
        }
        item
    }

    /// Writes a character after the pending backslash, if any.
    fn write_one(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        if *state == EVEN_BACKSLASHES {
            if value == u32::from(b'\\') {
                *state = ODD_BACKSLASHES;
                return Some(0);
            }
            return S::write_char(value, dst);
        }
        let before = if value >= S::FIRST_ESCAPED { ESCAPED_BACKSLASH } else { b"\\" };
        let (to, rest) = dst.split_at_mut_checked(before.len())?;
        let written = S::write_char(value, rest)?;
        to.copy_from_slice(before);
        *state = EVEN_BACKSLASHES;
        Some(before.len() + written)
    }

    /// Writes the pending backslash.
    fn finish(&self, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        if *state == EVEN_BACKSLASHES {
            return Some(0);
        }
        *dst.first_mut()? = b'\\';
        *state = EVEN_BACKSLASHES;
        Some(1)
    }
}

/// A backslash as an escape.
const ESCAPED_BACKSLASH: &[u8] = b"\\u005c";

/// Writes an escape of this letter and number of digits; returns its length, or `None` if `dst` is
/// too small.
pub(super) fn write_escape(
    number: u32,
    letter: u8,
    digits: usize,
    dst: &mut [u8],
) -> Option<usize> {
    let (head, tail) = dst.get_mut(..2 + digits)?.split_at_mut(2);
    head.copy_from_slice(&[b'\\', letter]);
    for (position, digit) in tail.iter_mut().rev().enumerate() {
        *digit = LOWERCASE[(number >> (4 * position)) as usize & 0x0F];
    }
    Some(2 + digits)
}

/// A backslash that represents itself.
pub(super) const LITERAL_BACKSLASH: ReadResult =
    ReadResult::CodePoint { value: b'\\' as u32, len: 1 };

/// The maximum length of a run: enough to be fast, and few enough to validate again after each
/// escape.
const MAX_RUN: usize = 256;

/// Copies up to [`MAX_RUN`] ASCII bytes before the first backslash; returns their number.
fn copy_until_backslash(src: &[u8], dst: &mut [u8]) -> usize {
    let near = &src[..src.len().min(MAX_RUN)];
    let plain = memchr::memchr(b'\\', near).unwrap_or(near.len());
    kernel::ascii::copy(&near[..plain], dst)
}
