//! Brings wanted lanes of a vector together, by tables of where they come from.
//!
//! The tables are worked out when the program is compiled, 4 KiB each.

use super::simd::{Simd, WIDTH};

/// An index that gives nought.
const NONE: u8 = 0x80;

/// Lanes of 16 bits.
const UNITS: usize = 8;

/// For each set of lanes of 16 bits where their octets stand.
static UNITS_OF: [[u8; WIDTH]; 0x100] = {
    let mut table = [[NONE; WIDTH]; 0x100];
    let mut set = 0;
    while set < table.len() {
        let (mut lane, mut to) = (0, 0);
        while lane < UNITS {
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
pub fn units<S: Simd>(s: S, lanes: S::Bytes, set: u32) -> S::Bytes {
    s.shuffle8(lanes, s.load(&UNITS_OF[set as usize & 0xFF]))
}

/// For each set of lanes of 16 bits where the octets stand if those of the set are one octet, the
/// low one, and the others two.
static PAIRS_OF: [[u8; WIDTH]; 0x100] = {
    let mut table = [[NONE; WIDTH]; 0x100];
    let mut set = 0;
    while set < table.len() {
        let (mut lane, mut to) = (0, 0);
        while lane < UNITS {
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

/// The octets of lanes of 16 bits side by side, of those in `single` only the low one; and how many
/// octets they are.
#[inline(always)]
pub fn pairs<S: Simd>(s: S, lanes: S::Bytes, single: u32) -> (S::Bytes, usize) {
    let single = single & 0xFF;
    let octets = s.shuffle8(lanes, s.load(&PAIRS_OF[single as usize]));
    (octets, 2 * UNITS - single.count_ones() as usize)
}

/// Lanes of 32 bits.
const FORMS: usize = 4;

/// Octets of a lane that make a form, in their order, by its code.
const FORM: [&[u8]; 4] = [&[2, 0, 1], &[3, 2, 0, 1], &[0, 1], &[1]];

/// For each four codes where the octets of the forms stand, and how many these are.
static FORMS_OF: ([[u8; WIDTH]; 0x100], [u8; 0x100]) = {
    let mut table = ([[NONE; WIDTH]; 0x100], [0; 0x100]);
    let mut codes = 0;
    while codes < 0x100 {
        let (mut lane, mut to) = (0, 0);
        while lane < FORMS {
            let form = FORM[codes >> (2 * lane) & 3];
            let mut octet = 0;
            while octet < form.len() {
                table.0[codes][to] = 4 * lane as u8 + form[octet];
                octet += 1;
                to += 1;
            }
            lane += 1;
        }
        table.1[codes] = to as u8;
        codes += 1;
    }
    table
};

/// UTF-8 forms that stand in lanes of 32 bits, side by side; and how many octets they are.
///
/// A lane holds the last octet but one of its form lowest, then the last, then those in front of
/// them from the right to the left. The lowest 8 bits of `codes` say how long each form is: 3 is
/// one octet, 2 two, 0 three and 1 four.
#[inline(always)]
pub fn forms<S: Simd>(s: S, lanes: S::Bytes, codes: u32) -> (S::Bytes, usize) {
    let codes = codes as usize & 0xFF;
    (s.shuffle8(lanes, s.load(&FORMS_OF.0[codes])), usize::from(FORMS_OF.1[codes]))
}
