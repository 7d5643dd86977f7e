//! Octets to characters of one byte and of two, in vectors.
//!
//! A table gives the last byte of each character, and one the byte before it. Of these pairs the
//! first bytes are then left out where the character has but one.

use super::lookup::{Half, half, look_up};
use super::{Form, Forms, form_of, length};
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
                if none & high == 0 { Some(spread(simd, first, last, high, room)) } else { None }
            }
            Pairs::Latin(tables) => {
                let octets = whole(simd, tables, octets);
                let high = simd.mask8(octets);
                if high == 0 {
                    return Some(keep(simd, octets, room));
                }
                let first = simd.and(simd.down16::<6>(octets), simd.splat8(0x03));
                let first = simd.or(first, simd.splat8(0xC0));
                let last = simd.or(simd.and(octets, simd.splat8(0x3F)), simd.splat8(0x80));
                let last = simd.select(octets, last, octets);
                Some(spread(simd, first, last, high, room))
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

/// Writes pairs of a first and a last byte, without the first ones where `twos` has no bit. How many
/// bytes.
#[inline(always)]
fn spread<S: Simd>(
    simd: S,
    first: S::Bytes,
    last: S::Bytes,
    twos: u32,
    room: &mut [u8; 2 * WIDTH],
) -> usize {
    let (low, high) = (twos & 0xFF, twos >> 8 & 0xFF);
    let at = WIDTH / 2 + low.count_ones() as usize;
    let near = simd.shuffle8(simd.zip_low8(first, last), simd.load(&KEPT[low as usize]));
    let far = simd.shuffle8(simd.zip_high8(first, last), simd.load(&KEPT[high as usize]));
    if let Some(room) = room.first_chunk_mut() {
        simd.store(near, room);
    }
    if let Some(room) = room[at..].first_chunk_mut() {
        simd.store(far, room);
    }
    at + WIDTH / 2 + high.count_ones() as usize
}

/// For each choice among eight pairs of those that have a first byte, the bytes that are kept.
static KEPT: [[u8; WIDTH]; 256] = {
    let mut kept = [[0x80; WIDTH]; 256];
    let mut choice = 0;
    while choice < kept.len() {
        let (mut at, mut pair) = (0, 0);
        while pair < WIDTH / 2 {
            if choice >> pair & 1 == 1 {
                kept[choice][at] = 2 * pair as u8;
                at += 1;
            }
            kept[choice][at] = 2 * pair as u8 + 1;
            at += 1;
            pair += 1;
        }
        choice += 1;
    }
    kept
};
