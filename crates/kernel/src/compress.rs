//! Moves selected bytes of a vector to its start, by tables of shuffle indexes.
//!
//! The tables are computed at compile time and take 4 KiB each.

use super::simd::{Simd, WIDTH};

/// A shuffle index that yields zero.
const ZERO: u8 = 0x80;

/// The number of 16-bit lanes in a vector.
const LANES16: usize = 8;

/// The shuffle indexes for each set of 16-bit lanes to keep.
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

/// The number of bytes in half a vector.
const HALF: usize = WIDTH / 2;

/// The shuffle indexes for each set of the bytes of half a vector.
static COMPRESS8: [[u8; WIDTH]; 0x100] = {
    let mut table = [[ZERO; WIDTH]; 0x100];
    let mut set = 0;
    while set < table.len() {
        let (mut lane, mut to) = (0, 0);
        while lane < HALF {
            if set >> lane & 1 != 0 {
                table[set][to] = lane as u8;
                to += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    table
};

/// Stores the bytes whose bits are set in the low 16 bits of `set`, and returns their number. Bytes
/// after them may be overwritten.
#[inline(always)]
pub fn store_compressed8<S: Simd>(
    s: S,
    bytes: S::Bytes,
    set: u32,
    to: &mut [u8; WIDTH + HALF],
) -> usize {
    let (low, high) = (set as usize & 0xFF, set as usize >> HALF & 0xFF);
    let middle = low.count_ones() as usize;
    let second = s.concat_bytes::<8>(bytes, bytes);
    let (low, high) = (s.load(&COMPRESS8[low]), s.load(&COMPRESS8[high]));
    if let Some(to) = to.first_chunk_mut() {
        s.store(s.shuffle8(bytes, low), to);
    }
    if let Some(to) = to.get_mut(middle..).and_then(|to| to.first_chunk_mut()) {
        s.store(s.shuffle8(second, high), to);
    }
    middle + (set >> HALF & 0xFF).count_ones() as usize
}

/// Moves the 16-bit lanes whose bits are set in the low 8 bits of `set` to the start.
#[inline(always)]
pub fn compress16<S: Simd>(s: S, lanes: S::Bytes, set: u32) -> S::Bytes {
    s.shuffle8(lanes, s.load(&COMPRESS16[set as usize & 0xFF]))
}

/// The shuffle indexes for each set of 16-bit lanes of which to keep only the low byte.
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

/// Packs 16-bit lanes, of those in `single` only the low byte. Returns the bytes and their number.
#[inline(always)]
pub fn compress_1or2<S: Simd>(s: S, lanes: S::Bytes, single: u32) -> (S::Bytes, usize) {
    let single = single & 0xFF;
    let bytes = s.shuffle8(lanes, s.load(&COMPRESS_1OR2[single as usize]));
    (bytes, 2 * LANES16 - single.count_ones() as usize)
}

/// The number of 32-bit lanes in a vector.
const LANES32: usize = 4;

/// The bytes of a lane that make up its UTF-8 sequence, in order, by length code.
const UTF8_BYTE_ORDER: [&[u8]; 4] = [&[2, 0, 1], &[3, 2, 0, 1], &[0, 1], &[1]];

/// For each four length codes the shuffle indexes and the number of bytes.
static COMPRESS_UTF8: ([[u8; WIDTH]; 0x100], [u8; 0x100]) = {
    let mut table = ([[ZERO; WIDTH]; 0x100], [0; 0x100]);
    let mut codes = 0;
    while codes < 0x100 {
        let (mut lane, mut to) = (0, 0);
        while lane < LANES32 {
            let sequence = UTF8_BYTE_ORDER[codes >> (2 * lane) & 3];
            let mut byte = 0;
            while byte < sequence.len() {
                table.0[codes][to] = 4 * lane as u8 + sequence[byte];
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

/// Packs the UTF-8 sequences in 32-bit lanes. Returns the bytes and their number.
///
/// A lane holds the second to last byte of its sequence lowest, then the last one, then the bytes
/// before them, last to first. The low 8 bits of `codes` are the length codes of the lanes: 3 is
/// one byte, 2 two bytes, 0 three and 1 four.
#[inline(always)]
pub fn compress_utf8<S: Simd>(s: S, lanes: S::Bytes, codes: u32) -> (S::Bytes, usize) {
    let codes = codes as usize & 0xFF;
    (s.shuffle8(lanes, s.load(&COMPRESS_UTF8.0[codes])), usize::from(COMPRESS_UTF8.1[codes]))
}
