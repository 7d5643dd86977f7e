//! Numbers behind a backslash, as C99 and Java write characters in source text.

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
pub(super) fn read_run(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let near = &src[..src.len().min(NEAR)];
    let plain = memchr::memchr(b'\\', near).unwrap_or(near.len());
    let run = kernel::ascii::copy(&near[..plain], dst);
    (run, run)
}

/// Copies ASCII, backslashes too; says how much was read and written.
pub(super) fn write_run(text: &str, dst: &mut [u8]) -> (usize, usize) {
    let run = kernel::ascii::copy(text.as_bytes(), dst);
    (run, run)
}
