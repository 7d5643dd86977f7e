//! From UTF-8 to units of 16 bits, six at a time.

use crate::kernel::simd::{Simd, WIDTH};

/// Units of two bytes each, of which 12 are used.
#[inline(always)]
pub fn units_from_2byte<S: Simd>(simd: S, text: &[u8; WIDTH]) -> S::Bytes {
    let bits = simd.and(simd.load(text), simd.splat16(0x3F1F));
    simd.mul_add_pairs8(bits, simd.splat16(0x01_40))
}

/// Pairs of units of four bytes each, of which 12 are used.
///
/// A character has 21 bits, of which the two units of a pair have 11 and 10; the first one's are
/// less by the 0x1_0000 that is subtracted.
#[inline(always)]
pub fn units_from_4byte<S: Simd>(simd: S, text: &[u8; WIDTH]) -> S::Bytes {
    let bits = simd.and(simd.load(text), simd.splat32(0x3F3F_3F07));
    // Nine bits in the lower half of a lane, and twelve in the upper one.
    let halves = simd.mul_add_pairs8(bits, simd.splat16(0x01_40));
    let upper = simd.and(simd.shl16::<2>(halves), simd.splat32(0xFFFF));
    let upper = simd.add16(upper, simd.shr32::<26>(halves));
    let lower = simd.and(halves, simd.splat32(0x03FF_0000));
    simd.add16(simd.or(upper, lower), simd.splat32(0xDC00_D7C0))
}

/// The unit of the character of one to three bytes that is the front of `near`.
#[inline(always)]
pub fn unit_from_bytes(input: &[u8; 4], len: usize) -> u16 {
    let bytes = u32::from_be_bytes(*input) >> (8 * (4 - len));
    let low = if len == 1 { 0x7F } else { 0x3F };
    (bytes & low | bytes >> 2 & 0xFC0 | bytes >> 4 & 0xF000) as u16
}

/// Bytes that six units of three bytes each are read from.
pub const SIX_3BYTE_INPUT: usize = WIDTH + 2;

/// Every third of 18 bytes, in the lower byte of a lane, and in the upper one.
const LOWER_THIRDS: [u8; WIDTH] =
    [0, 0x80, 3, 0x80, 6, 0x80, 9, 0x80, 12, 0x80, 15, 0x80, 0x80, 0x80, 0x80, 0x80];
const UPPER_THIRDS: [u8; WIDTH] =
    [0x80, 0, 0x80, 3, 0x80, 6, 0x80, 9, 0x80, 12, 0x80, 15, 0x80, 0x80, 0x80, 0x80];

/// Units of three bytes each.
#[inline(always)]
pub fn units_from_3byte<S: Simd>(simd: S, text: &[u8; SIX_3BYTE_INPUT]) -> S::Bytes {
    let [Some(leads), Some(middles), Some(lasts)] =
        [0, 1, 2].map(|from| text[from..].first_chunk().map(|text| simd.load(text)))
    else {
        return simd.splat8(0);
    };
    let (lower, upper) = (simd.load(&LOWER_THIRDS), simd.load(&UPPER_THIRDS));
    let rest = simd.or(simd.shuffle8(middles, lower), simd.shuffle8(lasts, upper));
    let rest = simd.mul_add_pairs8(simd.and(rest, simd.splat8(0x3F)), simd.splat16(0x01_40));
    simd.or(simd.shl16::<4>(simd.shuffle8(leads, upper)), rest)
}

/// Units of ASCII.
#[inline(always)]
pub fn units_from_ascii<S: Simd>(simd: S, text: &[u8; WIDTH]) -> S::Bytes {
    simd.zip_low8(simd.load(text), simd.splat8(0))
}

/// Units in two vectors, the last two lanes of each unused.
pub type UnitVectors = [[u8; WIDTH]; 2];

/// Up to twelve units of the first `len` bytes, whatever their lengths; how many there are, and how
/// many bytes they are of. Not all bytes are taken only if what is taken are whole threes of units.
pub fn units_from_mixed(text: &[u8], len: usize) -> Option<(UnitVectors, usize, usize)> {
    let mut units = [0; 14];
    let (mut count, mut read) = (0, 0);
    let mut whole = None;
    while read < len {
        if count % 3 == 0 && count > 0 {
            whole = Some((count, read));
        }
        if count >= 12 {
            break;
        }
        let input: &[u8; 4] = text[read..].first_chunk()?;
        match input[0] {
            lead @ 0x00..=0xEF => {
                let len = 1 + usize::from(lead >= 0xC0) + usize::from(lead >= 0xE0);
                units[count] = unit_from_bytes(input, len);
                count += 1;
                read += len;
            }
            _ => {
                let above = decode_4byte(input) - 0x1_0000;
                units[count] = 0xD800 | (above >> 10) as u16;
                units[count + 1] = 0xDC00 | (above & 0x3FF) as u16;
                count += 2;
                read += 4;
            }
        }
    }
    let (count, read) = if read == len && count <= 12 { (count, read) } else { whole? };
    let mut lanes = UnitVectors::default();
    for (index, unit) in units[..12].iter().enumerate() {
        let (vector, lane) = (index / 6, index % 6);
        lanes[vector][2 * lane..2 * lane + 2].copy_from_slice(&unit.to_le_bytes());
    }
    Some((lanes, count, read))
}

/// The value of a character of four bytes.
#[inline(always)]
fn decode_4byte(input: &[u8; 4]) -> u32 {
    let [lead, first, second, third] = input.map(u32::from);
    (lead & 0x07) << 18 | (first & 0x3F) << 12 | (second & 0x3F) << 6 | third & 0x3F
}
