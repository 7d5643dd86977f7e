//! Numbers after a backslash, as C99 and Java write characters in source text.
//!
//! A backslash begins an escape only if the number of backslashes directly before it is even (The
//! Java Language Specification, section 3.3; in C `\\` is an escape sequence of its own). So a
//! backslash of the text that would take its meaning from the escape after it is written as an
//! escape itself: `\é` becomes `\u005c\u00e9`. An escape that the text has already stays as it is.

use super::wide::Taken;
use crate::kernel;

/// What a backslash and what follows it are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escape {
    /// This number.
    Number(u32),
    /// No escape: the backslash is itself.
    Not,
    /// Perhaps an escape, but more has to be seen. Never when nothing follows.
    More,
}

/// Reads an escape of this letter and so many hexadecimal digits, in any case.
pub(super) fn read(src: &[u8], letter: u8, digits: usize, end: bool) -> Escape {
    let mut expected = [b'\\', letter].into_iter();
    let mut number = 0;
    for place in 0..2 + digits {
        let Some(&octet) = src.get(place) else {
            return if end { Escape::Not } else { Escape::More };
        };
        match (expected.next(), char::from(octet).to_digit(16)) {
            (Some(expected), _) if expected == octet => {}
            (None, Some(digit)) => number = number << 4 | digit,
            _ => return Escape::Not,
        }
    }
    Escape::Number(number)
}

/// The state in which an even number of backslashes precedes. A decoder may begin an escape.
const EVEN: u64 = 0;

/// The state in which an odd number of backslashes precedes. An encoder has not written the last of
/// them yet, because what follows decides how.
const ODD: u64 = 1;

/// Reads the next item with `item`, unless it is a backslash that another one escapes.
pub(super) fn take(src: &[u8], state: &mut u64, item: impl FnOnce() -> Taken) -> Taken {
    let is_escaped = std::mem::replace(state, EVEN) == ODD;
    if src[0] != b'\\' {
        return item();
    }
    if is_escaped {
        return ITSELF;
    }
    let taken = item();
    if taken == ITSELF {
        *state = ODD;
    }
    taken
}

/// Writes a character with `write`, after the backslash that has not been written yet, if any.
pub(super) fn put(
    value: u32,
    dst: &mut [u8],
    state: &mut u64,
    is_escape: bool,
    write: impl FnOnce(&mut [u8]) -> Option<usize>,
) -> Option<usize> {
    if *state == EVEN {
        if value == u32::from(b'\\') {
            *state = ODD;
            return Some(0);
        }
        return write(dst);
    }
    let before: &[u8] = if is_escape { NAME } else { b"\\" };
    let (to, rest) = dst.split_at_mut_checked(before.len())?;
    let written = write(rest)?;
    to.copy_from_slice(before);
    *state = EVEN;
    Some(before.len() + written)
}

/// Writes the backslash that has not been written yet, because the text ends after it.
pub(super) fn finish(dst: &mut [u8], state: &mut u64) -> Option<usize> {
    if *state == EVEN {
        return Some(0);
    }
    *dst.first_mut()? = b'\\';
    *state = EVEN;
    Some(1)
}

/// A backslash as an escape.
const NAME: &[u8] = b"\\u005c";

/// The number of bytes of [`NAME`].
pub(super) const LONGEST_BEFORE: usize = NAME.len();

/// Writes an escape of this letter and so many digits; says how many octets that took, or nothing
/// if there is too little room.
pub(super) fn write(number: u32, letter: u8, digits: usize, dst: &mut [u8]) -> Option<usize> {
    let (head, tail) = dst.get_mut(..2 + digits)?.split_at_mut(2);
    head.copy_from_slice(&[b'\\', letter]);
    for (place, digit) in tail.iter_mut().rev().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (4 * place)) as usize & 0x0F];
    }
    Some(2 + digits)
}

/// A backslash that is itself.
pub(super) const ITSELF: Taken = Taken::Value { value: b'\\' as u32, len: 1 };

/// Octets among which a run is looked for: enough to be fast, and few enough to look at again behind
/// each escape.
const NEAR: usize = 256;

/// Copies ASCII up to the first backslash, not far; says how much was read and written.
pub(super) fn read_run(src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
    let run = copy(src, dst);
    if run > 0 {
        *state = EVEN;
    }
    (run, run)
}

/// Copies ASCII up to the first backslash, not far; says how much was read and written.
pub(super) fn write_run(text: &str, dst: &mut [u8], state: u64) -> (usize, usize) {
    let run = if state == EVEN { copy(text.as_bytes(), dst) } else { 0 };
    (run, run)
}

fn copy(src: &[u8], dst: &mut [u8]) -> usize {
    let near = &src[..src.len().min(NEAR)];
    let plain = memchr::memchr(b'\\', near).unwrap_or(near.len());
    kernel::ascii::copy(&near[..plain], dst)
}
