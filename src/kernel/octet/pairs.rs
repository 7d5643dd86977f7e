//! Octets to characters of one byte and of two, in vectors.
//!
//! A table gives the last byte of each character, and one the byte before it. Of these pairs the
//! first bytes are then left out where the character has but one.

use super::lookup::{Half, half, look_up};
use super::{Form, Forms, form_of, length};
use crate::kernel::gather;
use crate::kernel::simd::{Simd, WIDTH};

/// The tables of a charset.
#[derive(Debug)]
pub enum Pairs {
    /// Octets below 80 are ASCII. For those above, the first byte of two and the last; a first byte
    /// of nought where the character has not two.
    High(Box<[Half; 2]>),
    /// For each octet one of ISO 8859-1. All of them are.
    Latin(Box<[Half; 2]>),
    /// For each octet one of ASCII, or 80.
    Ascii(Box<[Half; 2]>),
}

impl Pairs {
    /// The tables that suit these forms, if any do. `ascii`: octets below 80 are ASCII.
    pub fn new(forms: &Forms, ascii: bool) -> Option<Pairs> {
        let byte = |form: Form, at: usize| form.to_le_bytes()[at];
        let form = |first: u8| move |octet: u8| forms[usize::from(first | octet)];
        let two = |form: &Form| length(*form) == 2;
        if ascii {
            // Where most letters have three bytes, to try is in vain.
            let worth = forms[0x80..].iter().filter(|form| two(form)).count() >= 0x40;
            let of = |at| {
                half(move |octet| {
                    let form = form(0x80)(octet);
                    if two(&form) { byte(form, at) } else { 0 }
                })
            };
            return worth.then(|| Pairs::High(Box::new([of(0), of(1)])));
        }
        if forms[usize::from(b'a')] == form_of('a') {
            return None;
        }
        let latin = forms.iter().all(|form| match form.to_le_bytes() {
            [_, _, _, length] if length >> 6 == 1 => true,
            [0xC2 | 0xC3, _, _, length] => length >> 6 == 2,
            _ => false,
        });
        let of = |first| {
            half(move |octet| match form(first)(octet).to_le_bytes() {
                [one, .., length] if length >> 6 == 1 => one,
                [lead, tail, ..] if latin => lead << 6 | tail & 0x3F,
                _ => 0x80,
            })
        };
        let tables = Box::new([of(0), of(0x80)]);
        Some(if latin { Pairs::Latin(tables) } else { Pairs::Ascii(tables) })
    }

    /// Writes the characters of these octets, if each has one byte or two. How many bytes they are.
    #[inline(always)]
    pub fn put<S: Simd>(
        &self,
        simd: S,
        octets: S::Bytes,
        room: &mut [u8; 2 * WIDTH],
    ) -> Option<usize> {
        match self {
            Pairs::High(tables) => {
                let first = look_up(simd, &tables[0], octets);
                let last = look_up(simd, &tables[1], octets);
                let none = simd.mask8(simd.equal8(first, simd.splat8(0)));
                let high = simd.mask8(octets);
                let last = simd.select(octets, last, octets);
                if none & high == 0 { Some(spread(simd, first, last, octets, room)) } else { None }
            }
            Pairs::Latin(tables) => {
                let octets = whole(simd, tables, octets);
                if simd.mask8(octets) == 0 {
                    return Some(keep(simd, octets, room));
                }
                let first = simd.and(simd.down16::<6>(octets), simd.splat8(0x03));
                let first = simd.or(first, simd.splat8(0xC0));
                let last = simd.or(simd.and(octets, simd.splat8(0x3F)), simd.splat8(0x80));
                let last = simd.select(octets, last, octets);
                Some(spread(simd, first, last, octets, room))
            }
            Pairs::Ascii(tables) => {
                let octets = whole(simd, tables, octets);
                if simd.mask8(octets) == 0 { Some(keep(simd, octets, room)) } else { None }
            }
        }
    }
}

/// What a table of 256 octets has for each.
#[inline(always)]
fn whole<S: Simd>(simd: S, [low, high]: &[Half; 2], octets: S::Bytes) -> S::Bytes {
    simd.select(octets, look_up(simd, high, octets), look_up(simd, low, octets))
}

/// Writes octets as they are; how many.
#[inline(always)]
fn keep<S: Simd>(simd: S, octets: S::Bytes, room: &mut [u8; 2 * WIDTH]) -> usize {
    if let Some(room) = room.first_chunk_mut() {
        simd.store(octets, room);
    }
    WIDTH
}

/// Writes pairs of a first and a last byte where `octets` are high, else only the last. How many
/// bytes.
#[inline(always)]
fn spread<S: Simd>(
    simd: S,
    first: S::Bytes,
    last: S::Bytes,
    octets: S::Bytes,
    room: &mut [u8; 2 * WIDTH],
) -> usize {
    let (first, single) = (simd.select(octets, first, last), !simd.mask8(octets));
    let (near, at) = gather::pairs(simd, simd.zip_low8(first, last), single);
    let (far, more) = gather::pairs(simd, simd.zip_high8(first, last), single >> 8);
    if let Some(room) = room.first_chunk_mut() {
        simd.store(near, room);
    }
    if let Some(room) = room[at..].first_chunk_mut() {
        simd.store(far, room);
    }
    at + more
}
