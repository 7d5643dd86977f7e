//! From units of 16 bits to UTF-8.

use crate::kernel::simd::{Simd, WIDTH};
use crate::kernel::utf8_encode;

/// Two bits for each of twelve units: 00, 01 or 11 for one to three bytes of UTF-8.
#[derive(Debug, Clone, Copy)]
pub struct Utf8Lengths(u32);

/// What [`Kinds`] are if all units have two bytes.
const ALL_TWO_BYTE: u32 = 0x55_5555;
const LANE_MASK: u32 = 0xFFF;

impl Utf8Lengths {
    /// Of six units, or six units more.
    #[inline(always)]
    pub fn from_units<S: Simd, const N: usize>(simd: S, units: [S::Bytes; N]) -> Utf8Lengths {
        let lengths = units.map(|units| {
            let below = |bits: u16| simd.eq16(simd.and(units, simd.splat16(bits)), simd.splat16(0));
            // Below 80 in the lower byte of the lane, below 800 in the upper one.
            let (two, three) = (simd.splat16(0x00FF), simd.splat16(0xFF00));
            let small = simd.or(simd.and(below(0xFF80), two), simd.and(below(0xF800), three));
            !simd.movemask8(small) & LANE_MASK
        });
        Utf8Lengths(lengths.into_iter().rev().fold(0, |lengths, more| lengths << 12 | more))
    }

    /// Whether all from the unit `count` on are below 80.
    #[inline(always)]
    pub fn is_ascii_from(self, count: usize) -> bool {
        self.0 >> (2 * count) == 0
    }

    /// Whether one of the first `count` is below 80.
    #[inline(always)]
    pub fn has_ascii(self, count: usize) -> bool {
        !self.0 & first_bits(ALL_TWO_BYTE, count) != 0
    }

    /// Bytes of the first `count`, if no other has more than one.
    #[inline(always)]
    fn byte_len(self, count: usize) -> usize {
        count + self.0.count_ones() as usize
    }
}

/// The bits of the first `count` units.
#[inline(always)]
fn first_bits(bits: u32, count: usize) -> u32 {
    bits & !(u32::MAX << (2 * count))
}

/// Two bits for each unit that is half of a surrogate pair, those of the first one lowest.
#[inline(always)]
pub fn surrogate_bits<S: Simd>(simd: S, units: S::Bytes) -> u32 {
    simd.movemask8(utf8_encode::surrogate_mask(simd, units))
}

/// Whether one of the units is half of a surrogate pair.
#[inline(always)]
pub fn has_surrogates<S: Simd, const N: usize>(simd: S, units: [S::Bytes; N]) -> bool {
    units.into_iter().fold(0, |all, units| all | surrogate_bits(simd, units)) != 0
}

/// Bytes that [`write`] may write: the longest forms, and what the last store writes too much.
pub const MAX_OUTPUT: usize = 3 * 12 + WIDTH;

/// Writes the first `count` of the units, none of which is a surrogate and of which the others
/// are zero; says how many bytes that is.
#[inline(always)]
pub fn write_units<S: Simd, const N: usize>(
    simd: S,
    units: [S::Bytes; N],
    lengths: Utf8Lengths,
    count: usize,
    to: &mut [u8; MAX_OUTPUT],
) -> usize {
    if lengths.0 == first_bits(ALL_TWO_BYTE, count) {
        for (index, units) in units.into_iter().enumerate() {
            store_at(simd, encode_2byte(simd, units), to, 12 * index);
        }
    } else if lengths.0 == first_bits(u32::MAX, count) {
        for (index, units) in units.into_iter().enumerate() {
            let [four, two] = encode_3byte(simd, units);
            store_at(simd, four, to, 18 * index);
            store_at(simd, two, to, 18 * index + 12);
        }
    } else {
        encode_mixed(simd, units, lengths, to);
    }
    lengths.byte_len(count)
}

#[inline(always)]
fn store_at<S: Simd>(simd: S, bytes: S::Bytes, to: &mut [u8; MAX_OUTPUT], at: usize) {
    if let Some(to) = to.get_mut(at..).and_then(|to| to.first_chunk_mut()) {
        simd.store(bytes, to);
    }
}

/// The low six bits, as a continuation byte.
#[inline(always)]
fn continuation_byte<S: Simd>(simd: S, units: S::Bytes) -> S::Bytes {
    simd.or(simd.and(units, simd.splat16(0x3F)), simd.splat16(0x80))
}

/// The bytes of units of two bytes each.
#[inline(always)]
pub fn encode_2byte<S: Simd>(simd: S, units: S::Bytes) -> S::Bytes {
    let lead = simd.or(simd.shr16::<6>(units), simd.splat16(0xC0));
    simd.or(lead, simd.shl16::<8>(continuation_byte(simd, units)))
}

/// The first two bytes of units of three bytes each.
#[inline(always)]
fn first_two_of_3byte<S: Simd>(simd: S, units: S::Bytes) -> S::Bytes {
    let lead = simd.or(simd.shr16::<12>(units), simd.splat16(0xE0));
    simd.or(lead, simd.shl16::<8>(continuation_byte(simd, simd.shr16::<6>(units))))
}

/// The bytes of four units of three bytes each, and of the units after them.
#[inline(always)]
pub fn encode_3byte<S: Simd>(simd: S, units: S::Bytes) -> [S::Bytes; 2] {
    let (front, last) = (first_two_of_3byte(simd, units), continuation_byte(simd, units));
    let close = simd.load(&COMPRESS_TABLE[0xFF]);
    [simd.zip_low16(front, last), simd.zip_high16(front, last)]
        .map(|spread| simd.shuffle8(spread, close))
}

/// Units of any of the three lengths.
#[inline(always)]
fn encode_mixed<S: Simd, const N: usize>(
    simd: S,
    units: [S::Bytes; N],
    lengths: Utf8Lengths,
    to: &mut [u8; MAX_OUTPUT],
) {
    let (mut at, mut lengths) = (0, lengths.0);
    for units in units {
        let above = |bits: u16| simd.eq16(simd.and(units, simd.splat16(bits)), simd.splat16(0));
        let short = simd.select(above(0xFF80), units, encode_2byte(simd, units));
        let front = simd.select(above(0xF800), short, first_two_of_3byte(simd, units));
        let last = continuation_byte(simd, units);
        for (spread, lanes) in [(simd.zip_low16(front, last), 4), (simd.zip_high16(front, last), 2)]
        {
            let length_bits = lengths & !(u32::MAX << (2 * lanes));
            let close = simd.load(&COMPRESS_TABLE[length_bits as usize]);
            store_at(simd, simd.shuffle8(spread, close), to, at);
            at += lanes + length_bits.count_ones() as usize;
            lengths >>= 2 * lanes;
        }
    }
}

/// For the kinds of four units, whose bytes stand at the start of 32 bits each: the bytes side by
/// side.
static COMPRESS_TABLE: [[u8; WIDTH]; 0x100] = compress_table();

const fn compress_table() -> [[u8; WIDTH]; 0x100] {
    let mut close = [[0x80; WIDTH]; 0x100];
    let mut lengths: usize = 0;
    while lengths < 0x100 {
        let (mut lane, mut at) = (0, 0);
        while lane < 4 {
            let len = 1 + (lengths >> (2 * lane) & 0b11).count_ones() as usize;
            let mut byte = 0;
            while byte < len {
                close[lengths][at] = (4 * lane + byte) as u8;
                at += 1;
                byte += 1;
            }
            lane += 1;
        }
        lengths += 1;
    }
    close
}
