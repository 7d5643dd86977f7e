//! Brings wanted lanes of a vector together, by tables of where they come from.
//!
//! The tables are worked out when the program is compiled, 4 KiB each.

use super::simd::{Simd, WIDTH};

/// An index that gives zero.
const ZERO: u8 = 0x80;

/// Lanes of 16 bits.
const LANES16: usize = 8;

/// For each set of lanes of 16 bits where their bytes stand.
static COMPRESS16: [[u8; WIDTH]; 0x100] = {
    let mut table = [[ZERO; WIDTH]; 0x100];
    let mut set = 0;
    while set < table.len() {
        let (mut lane, mut to) = (0, 0);
        while lane < LANES16 {
            if set >> lane & 1 != 0 {
                table[set][to] = 2 * lane as u8;
                table[set][to + 1] = 2 * lane as u8 + 1;
                to += 2;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// The lanes of 16 bits whose bits are set in the lowest 8 of `set`, in front.
#[inline(always)]
pub fn compress16<S: Simd>(s: S, lanes: S::Bytes, set: u32) -> S::Bytes {
    s.shuffle8(lanes, s.load(&COMPRESS16[set as usize & 0xFF]))
}

/// For each set of lanes of 16 bits where the bytes stand if those of the set are one byte, the
/// low one, and the others two.
static COMPRESS_1OR2: [[u8; WIDTH]; 0x100] = {
    let mut table = [[ZERO; WIDTH]; 0x100];
    let mut set = 0;
    while set < table.len() {
        let (mut lane, mut to) = (0, 0);
        while lane < LANES16 {
            table[set][to] = 2 * lane as u8;
            to += 1;
            if set >> lane & 1 == 0 {
                table[set][to] = 2 * lane as u8 + 1;
                to += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// The bytes of lanes of 16 bits side by side, of those in `single` only the low one; and how many
/// bytes they are.
#[inline(always)]
pub fn compress_1or2<S: Simd>(s: S, lanes: S::Bytes, single: u32) -> (S::Bytes, usize) {
    let single = single & 0xFF;
    let bytes = s.shuffle8(lanes, s.load(&COMPRESS_1OR2[single as usize]));
    (bytes, 2 * LANES16 - single.count_ones() as usize)
}

/// Lanes of 32 bits.
const LANES32: usize = 4;

/// Bytes of a lane that make a form, in their order, by its code.
const UTF8_BYTE_ORDER: [&[u8]; 4] = [&[2, 0, 1], &[3, 2, 0, 1], &[0, 1], &[1]];

/// For each four codes where the bytes of the forms stand, and how many these are.
static COMPRESS_UTF8: ([[u8; WIDTH]; 0x100], [u8; 0x100]) = {
    let mut table = ([[ZERO; WIDTH]; 0x100], [0; 0x100]);
    let mut codes = 0;
    while codes < 0x100 {
        let (mut lane, mut to) = (0, 0);
        while lane < LANES32 {
            let form = UTF8_BYTE_ORDER[codes >> (2 * lane) & 3];
            let mut byte = 0;
            while byte < form.len() {
                table.0[codes][to] = 4 * lane as u8 + form[byte];
                byte += 1;
                to += 1;
            }
            lane += 1;
        }
        table.1[codes] = to as u8;
        codes += 1;
    }
    table
};

/// UTF-8 forms that stand in lanes of 32 bits, side by side; and how many bytes they are.
///
/// A lane holds the last byte but one of its form lowest, then the last, then those before
/// them from the right to the left. The lowest 8 bits of `codes` say how long each form is: 3 is
/// one byte, 2 two, 0 three and 1 four.
#[inline(always)]
pub fn compress_utf8<S: Simd>(s: S, lanes: S::Bytes, codes: u32) -> (S::Bytes, usize) {
    let codes = codes as usize & 0xFF;
    (s.shuffle8(lanes, s.load(&COMPRESS_UTF8.0[codes])), usize::from(COMPRESS_UTF8.1[codes]))
}
