//! What stands at the start of CESU-8 or modified UTF-8.
//!
//! An ill-formed sequence is the longest prefix of a well-formed form of one unit, or else a single
//! byte, as in UTF-8. A lone surrogate is all of its 3 bytes.

use super::{NulEncoding, OVERLONG_NUL};
use crate::conversion_error::MalformedReason;

/// What the first bytes are.
pub enum Sequence {
    /// A character, and its bytes.
    Character(char, usize),
    /// Nothing, or what may yet become a character.
    Incomplete,
    /// No character, and its bytes.
    Malformed(usize, MalformedReason),
}

/// The form of a single unit, or why there is none.
enum UnitForm {
    Unit(u16, usize),
    Incomplete,
    Malformed(usize, MalformedReason),
}

/// Looks at no more than the 6 bytes of a pair.
pub fn read_sequence(src: &[u8], nul: NulEncoding) -> Sequence {
    let (unit, len) = match read_unit(src, nul) {
        UnitForm::Unit(unit, len) => (unit, len),
        UnitForm::Incomplete => return Sequence::Incomplete,
        UnitForm::Malformed(len, reason) => return Sequence::Malformed(len, reason),
    };
    match char::from_u32(u32::from(unit)) {
        Some(character) => Sequence::Character(character, len),
        None if unit < 0xDC00 => read_pair(unit, &src[len..], nul),
        None => Sequence::Malformed(3, MalformedReason::UnpairedSurrogate),
    }
}

/// The low surrogate that belongs to a high one, if that is what follows.
fn read_pair(high: u16, next: &[u8], nul: NulEncoding) -> Sequence {
    let low_begins = match next {
        [] | [0xED] => return Sequence::Incomplete,
        [0xED, second, ..] => *second >= 0xB0,
        _ => false,
    };
    match read_unit(next, nul) {
        UnitForm::Incomplete if low_begins => Sequence::Incomplete,
        UnitForm::Unit(low, _) if low_begins => {
            let bits = |unit: u16| u32::from(unit & 0x3FF);
            char::from_u32(0x1_0000 + (bits(high) << 10 | bits(low)))
                .map_or(Sequence::Incomplete, |character| Sequence::Character(character, 6))
        }
        _ => Sequence::Malformed(3, MalformedReason::UnpairedSurrogate),
    }
}

fn read_unit(src: &[u8], nul: NulEncoding) -> UnitForm {
    let bits = |trail: u8| u16::from(trail & 0x3F);
    match *src {
        [byte @ 0x00..=0x7F, ..] if byte != 0 || nul == NulEncoding::SingleByte => {
            UnitForm::Unit(u16::from(byte), 1)
        }
        [lead @ 0xC2..=0xDF, second, ..] if is_trail_byte(second) => {
            UnitForm::Unit(u16::from(lead & 0x1F) << 6 | bits(second), 2)
        }
        [lead @ 0xE0..=0xEF, second, third, ..]
            if is_trail_byte(second)
                && is_trail_byte(third)
                && (lead != 0xE0 || second >= 0xA0) =>
        {
            UnitForm::Unit(u16::from(lead & 0x0F) << 12 | bits(second) << 6 | bits(third), 3)
        }
        [first, second, ..] if [first, second] == OVERLONG_NUL && nul == NulEncoding::Overlong => {
            UnitForm::Unit(0, 2)
        }
        [lead, ref trails @ ..] => malformed_unit(lead, trails, nul),
        [] => UnitForm::Incomplete,
    }
}

/// Why a lead and what stands after it are not a whole form.
fn malformed_unit(lead: u8, trails: &[u8], nul: NulEncoding) -> UnitForm {
    match (lead, trails) {
        (0xC0, []) if nul == NulEncoding::Overlong => UnitForm::Incomplete,
        (0xC0, [second, ..]) if nul == NulEncoding::Overlong && !is_trail_byte(*second) => {
            UnitForm::Malformed(1, MalformedReason::MissingTrailByte)
        }
        (0xC0..=0xC1, _) | (0xE0, [0x80..=0x9F, ..]) => {
            UnitForm::Malformed(1, MalformedReason::Overlong)
        }
        // Leads of 4 bytes and more begin nothing here: the values that they lead to are pairs.
        (0x00..=0xBF | 0xF0..=0xFF, _) => UnitForm::Malformed(1, MalformedReason::InvalidLeadByte),
        (_, [second, ..]) if !is_trail_byte(*second) => {
            UnitForm::Malformed(1, MalformedReason::MissingTrailByte)
        }
        (_, [_, _, ..]) => UnitForm::Malformed(2, MalformedReason::MissingTrailByte),
        _ => UnitForm::Incomplete,
    }
}

fn is_trail_byte(byte: u8) -> bool {
    (0x80..=0xBF).contains(&byte)
}
