//! UTF-1 (ISO-IR-178, annex G of ISO/IEC 10646-1:1993): 1, 2, 3 or 5 octets in base 190.
//!
//! Octets 00 to 9F stand for themselves, and no control is ever part of another character. A trail
//! is any of the 190 octets 21 to 7E and A0 to FF, so ASCII is itself only where a character
//! begins, and `/` can be the end of another one, which is why the form was withdrawn.

#[cfg(test)]
mod tests;

use super::wide::{Form, Reader, Taken, UCS, Writer, wide};
use super::{Charset, Made, Mark, Settings};
use crate::fault::Why;
use crate::kernel;

/// The first transformation format of ISO/IEC 10646.
pub static UTF_1: Charset = Charset {
    name: "UTF-1",
    about: "31 bits in 1, 2, 3 or 5 octets, withdrawn (ISO-IR-178)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(Utf1)),
        encoder: |_: &Settings| Box::new(Writer::new(Utf1)),
    },
    wide: wide(
        |_| true,
        |_: &Settings| Box::new(Reader::new(Utf1)),
        |_: &Settings| Box::new(Writer::new(Utf1)),
    ),
};

struct Utf1;

const BASE: u32 = 190;

/// One row of the table: lead octets, the trails that follow, and the value that the first lead
/// with zero trails stands for.
struct Row {
    leads: std::ops::RangeInclusive<u8>,
    trails: u32,
    first: u32,
}

/// The rows beyond A0, whose trail is the value itself.
const ROWS: [Row; 3] = [
    Row { leads: 0xA1..=0xF5, trails: 1, first: 0x100 },
    Row { leads: 0xF6..=0xFB, trails: 2, first: 0x4016 },
    Row { leads: 0xFC..=0xFD, trails: 4, first: 0x3_8E2E },
];

/// The digit that a trail octet stands for.
fn digit(octet: u8) -> Option<u32> {
    match octet {
        0x21..=0x7E => Some(u32::from(octet) - 0x21),
        0xA0..=0xFF => Some(u32::from(octet) - 0x42),
        _ => None,
    }
}

/// The octet of a digit: the function T of the standard.
fn trail(digit: u32) -> u8 {
    (if digit < 0x5E { digit + 0x21 } else { digit + 0x42 }) as u8
}

impl Form for Utf1 {
    const WINDOW: usize = 6;

    fn highest(&self) -> u32 {
        UCS
    }

    fn read_run(&self, src: &[u8], dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let ascii = src.first().is_some_and(u8::is_ascii);
        let run = if ascii { kernel::ascii::copy(src, dst) } else { 0 };
        (run, run)
    }

    fn write_run(&self, text: &str, dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        self.read_run(text.as_bytes(), dst, state)
    }

    fn take(&self, src: &[u8], end: bool, _state: &mut u64) -> Taken {
        let lead = src[0];
        if lead < 0xA0 {
            return Taken::Value { value: u32::from(lead), len: 1 };
        }
        if lead == 0xA0 {
            return match src.get(1) {
                Some(&octet) if octet >= 0xA0 => Taken::Value { value: u32::from(octet), len: 2 },
                Some(_) => Taken::Bad { len: 1, why: Why::Continuation },
                None => missing(1, end),
            };
        }
        let Some(row) = ROWS.iter().find(|row| row.leads.contains(&lead)) else {
            return Taken::Bad { len: 1, why: Why::Stray };
        };
        let len = 1 + row.trails as usize;
        let mut value = u32::from(lead - row.leads.start());
        for (index, &octet) in src[..src.len().min(len)].iter().enumerate().skip(1) {
            let Some(digit) = digit(octet) else {
                return Taken::Bad { len: index, why: Why::Continuation };
            };
            value = value * BASE + digit;
        }
        // FD FF FF FF FF, the highest of all, is still below 2^32.
        if src.len() < len {
            missing(src.len(), end)
        } else {
            Taken::Value { value: row.first + value, len }
        }
    }

    fn put(&self, value: u32, dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        if value < 0xA0 {
            *dst.first_mut()? = value as u8;
            return Some(1);
        }
        if value < 0x100 {
            dst.get_mut(..2)?.copy_from_slice(&[0xA0, value as u8]);
            return Some(2);
        }
        let row = ROWS.iter().rfind(|row| value >= row.first)?;
        let (lead, trails) = dst.get_mut(..1 + row.trails as usize)?.split_first_mut()?;
        let mut rest = value - row.first;
        for octet in trails.iter_mut().rev() {
            *octet = trail(rest % BASE);
            rest /= BASE;
        }
        *lead = row.leads.start() + rest as u8;
        Some(1 + trails.len())
    }
}

/// A sequence of which only `len` octets are there.
fn missing(len: usize, end: bool) -> Taken {
    if end { Taken::Bad { len, why: Why::Truncated } } else { Taken::More }
}
