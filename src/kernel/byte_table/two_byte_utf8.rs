//! Bytes to characters of one byte and of two, in vectors.
//!
//! A table gives the last byte of each character, and one the byte before it. Of these pairs the
//! first bytes are then left out where the character has but one.

use super::lookup::{HalfTable, half_table, lookup128};
use super::{Utf8Bytes, Utf8Table, utf8_bytes_of, utf8_len};
use crate::kernel::compress;
use crate::kernel::simd::{Simd, WIDTH};

/// The tables of an encoding.
#[derive(Debug)]
pub enum TwoByteTable {
    /// Bytes below 80 are ASCII. For those above, the first byte of two and the last; a first byte
    /// of zero where the character has not two.
    AsciiAndTwoByte(Box<[HalfTable; 2]>),
    /// For each byte one of ISO 8859-1. All of them are.
    Latin1(Box<[HalfTable; 2]>),
    /// For each byte one of ASCII, or 80.
    Ascii(Box<[HalfTable; 2]>),
}

impl TwoByteTable {
    /// The tables that suit these forms, if any do. `ascii`: bytes below 80 are ASCII.
    pub fn new(forms: &Utf8Table, ascii: bool) -> Option<TwoByteTable> {
        let byte_at = |form: Utf8Bytes, at: usize| form.to_le_bytes()[at];
        let form = |first: u8| move |byte: u8| forms[usize::from(first | byte)];
        let two = |form: &Utf8Bytes| utf8_len(*form) == 2;
        if ascii {
            // Where most letters have three bytes, to try is in vain.
            let worth = forms[0x80..].iter().filter(|form| two(form)).count() >= 0x40;
            let of = |at| {
                half_table(move |byte| {
                    let form = form(0x80)(byte);
                    if two(&form) { byte_at(form, at) } else { 0 }
                })
            };
            return worth.then(|| TwoByteTable::AsciiAndTwoByte(Box::new([of(0), of(1)])));
        }
        if forms[usize::from(b'a')] == utf8_bytes_of('a') {
            return None;
        }
        let latin = forms.iter().all(|form| match form.to_le_bytes() {
            [_, _, _, length] if length >> 6 == 1 => true,
            [0xC2 | 0xC3, _, _, length] => length >> 6 == 2,
            _ => false,
        });
        let of = |first| {
            half_table(move |byte| match form(first)(byte).to_le_bytes() {
                [one, .., length] if length >> 6 == 1 => one,
                [lead, tail, ..] if latin => lead << 6 | tail & 0x3F,
                _ => 0x80,
            })
        };
        let tables = Box::new([of(0), of(0x80)]);
        Some(if latin { TwoByteTable::Latin1(tables) } else { TwoByteTable::Ascii(tables) })
    }

    /// Writes the characters of these bytes, if each has one byte or two. How many bytes they are.
    #[inline(always)]
    pub fn write<S: Simd>(
        &self,
        simd: S,
        bytes: S::Bytes,
        output: &mut [u8; 2 * WIDTH],
    ) -> Option<usize> {
        match self {
            TwoByteTable::AsciiAndTwoByte(tables) => {
                let first = lookup128(simd, &tables[0], bytes);
                let last = lookup128(simd, &tables[1], bytes);
                let none = simd.movemask8(simd.eq8(first, simd.splat8(0)));
                let high = simd.movemask8(bytes);
                let last = simd.select(bytes, last, bytes);
                if none & high == 0 {
                    Some(interleave_compress(simd, first, last, bytes, output))
                } else {
                    None
                }
            }
            TwoByteTable::Latin1(tables) => {
                let bytes = lookup256(simd, tables, bytes);
                if simd.movemask8(bytes) == 0 {
                    return Some(store_unchanged(simd, bytes, output));
                }
                let first = simd.and(simd.shr16::<6>(bytes), simd.splat8(0x03));
                let first = simd.or(first, simd.splat8(0xC0));
                let last = simd.or(simd.and(bytes, simd.splat8(0x3F)), simd.splat8(0x80));
                let last = simd.select(bytes, last, bytes);
                Some(interleave_compress(simd, first, last, bytes, output))
            }
            TwoByteTable::Ascii(tables) => {
                let bytes = lookup256(simd, tables, bytes);
                if simd.movemask8(bytes) == 0 {
                    Some(store_unchanged(simd, bytes, output))
                } else {
                    None
                }
            }
        }
    }
}

/// What a table of 256 bytes has for each.
#[inline(always)]
fn lookup256<S: Simd>(simd: S, [low, high]: &[HalfTable; 2], bytes: S::Bytes) -> S::Bytes {
    simd.select(bytes, lookup128(simd, high, bytes), lookup128(simd, low, bytes))
}

/// Writes bytes as they are; how many.
#[inline(always)]
fn store_unchanged<S: Simd>(simd: S, bytes: S::Bytes, output: &mut [u8; 2 * WIDTH]) -> usize {
    if let Some(output) = output.first_chunk_mut() {
        simd.store(bytes, output);
    }
    WIDTH
}

/// Writes pairs of a first and a last byte where `bytes` are high, else only the last. How many
/// bytes.
#[inline(always)]
fn interleave_compress<S: Simd>(
    simd: S,
    first: S::Bytes,
    last: S::Bytes,
    bytes: S::Bytes,
    output: &mut [u8; 2 * WIDTH],
) -> usize {
    let (first, single) = (simd.select(bytes, first, last), !simd.movemask8(bytes));
    let (near, at) = compress::compress_1or2(simd, simd.zip_low8(first, last), single);
    let (far, more) = compress::compress_1or2(simd, simd.zip_high8(first, last), single >> 8);
    if let Some(output) = output.first_chunk_mut() {
        simd.store(near, output);
    }
    if let Some(output) = output[at..].first_chunk_mut() {
        simd.store(far, output);
    }
    at + more
}
