//! What stands at the front of CESU-8 or modified UTF-8.
//!
//! An ill-formed sequence is the longest prefix of a well-formed form of one unit, or else a single
//! octet, as in UTF-8. A lone surrogate is all of its 3 octets.

use super::{NUL_PAIR, Nul};
use crate::fault::Why;

/// What the first octets are.
pub enum Sequence {
    /// A character, and its octets.
    Character(char, usize),
    /// Nothing, or what may yet become a character.
    Unfinished,
    /// No character, and its octets.
    IllFormed(usize, Why),
}

/// The form of a single unit, or why there is none.
enum Form {
    Unit(u16, usize),
    Unfinished,
    IllFormed(usize, Why),
}

/// Looks at no more than the 6 octets of a pair.
pub fn sequence(src: &[u8], nul: Nul) -> Sequence {
    let (unit, len) = match form(src, nul) {
        Form::Unit(unit, len) => (unit, len),
        Form::Unfinished => return Sequence::Unfinished,
        Form::IllFormed(len, why) => return Sequence::IllFormed(len, why),
    };
    match char::from_u32(u32::from(unit)) {
        Some(character) => Sequence::Character(character, len),
        None if unit < 0xDC00 => pair(unit, &src[len..], nul),
        None => Sequence::IllFormed(3, Why::Unpaired),
    }
}

/// The low surrogate that belongs to a high one, if that is what follows.
fn pair(high: u16, next: &[u8], nul: Nul) -> Sequence {
    let low_begins = match next {
        [] | [0xED] => return Sequence::Unfinished,
        [0xED, second, ..] => *second >= 0xB0,
        _ => false,
    };
    match form(next, nul) {
        Form::Unfinished if low_begins => Sequence::Unfinished,
        Form::Unit(low, _) if low_begins => {
            let bits = |unit: u16| u32::from(unit & 0x3FF);
            char::from_u32(0x1_0000 + (bits(high) << 10 | bits(low)))
                .map_or(Sequence::Unfinished, |character| Sequence::Character(character, 6))
        }
        _ => Sequence::IllFormed(3, Why::Unpaired),
    }
}

fn form(src: &[u8], nul: Nul) -> Form {
    let bits = |trail: u8| u16::from(trail & 0x3F);
    match *src {
        [octet @ 0x00..=0x7F, ..] if octet != 0 || nul == Nul::Octet => {
            Form::Unit(u16::from(octet), 1)
        }
        [lead @ 0xC2..=0xDF, second, ..] if is_trail(second) => {
            Form::Unit(u16::from(lead & 0x1F) << 6 | bits(second), 2)
        }
        [lead @ 0xE0..=0xEF, second, third, ..]
            if is_trail(second) && is_trail(third) && (lead != 0xE0 || second >= 0xA0) =>
        {
            Form::Unit(u16::from(lead & 0x0F) << 12 | bits(second) << 6 | bits(third), 3)
        }
        [first, second, ..] if [first, second] == NUL_PAIR && nul == Nul::Pair => Form::Unit(0, 2),
        [lead, ref trails @ ..] => no_form(lead, trails, nul),
        [] => Form::Unfinished,
    }
}

/// Why a lead and what stands behind it are not a whole form.
fn no_form(lead: u8, trails: &[u8], nul: Nul) -> Form {
    match (lead, trails) {
        (0xC0, []) if nul == Nul::Pair => Form::Unfinished,
        (0xC0, [second, ..]) if nul == Nul::Pair && !is_trail(*second) => {
            Form::IllFormed(1, Why::Continuation)
        }
        (0xC0..=0xC1, _) | (0xE0, [0x80..=0x9F, ..]) => Form::IllFormed(1, Why::Overlong),
        // Leads of 4 octets and more begin nothing here: the values that they lead to are pairs.
        (0x00..=0xBF | 0xF0..=0xFF, _) => Form::IllFormed(1, Why::Stray),
        (_, [second, ..]) if !is_trail(*second) => Form::IllFormed(1, Why::Continuation),
        (_, [_, _, ..]) => Form::IllFormed(2, Why::Continuation),
        _ => Form::Unfinished,
    }
}

fn is_trail(octet: u8) -> bool {
    (0x80..=0xBF).contains(&octet)
}
