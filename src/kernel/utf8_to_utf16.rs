//! UTF-8 to UTF-16 a stretch at a time, for encoders that look up what they write.
//!
//! The value of the character that begins at a byte is worked out for every byte at once, also
//! where none begins; those are then left out. So nothing branches on the lengths of characters, and
//! where a vector begins does not matter. How it reads each:
//!
//! | bytes | value |
//! |---|---|
//! | a | a |
//! | b c | b × 64 + c, of b the low five bits, of c the low six |
//! | b c d | (b × 64 + c) × 64 + d |

use super::compress;
use super::simd::{Simd, WIDTH};

/// Vectors of a stretch at the most.
pub const MAX_CHUNK_VECTORS: usize = 16;

/// Vectors of a first stretch: little is lost where it ends soon.
pub const MIN_CHUNK_VECTORS: usize = 2;

/// Units that are looked up together.
pub const GROUP_LEN: usize = 8;

/// Bytes after a vector that belong to characters that begin in it.
pub const OVERLAP: usize = 2;

/// Units that may be looked at beyond those of a stretch.
const PADDING_UNITS: usize = 2 * WIDTH;

/// The units of a stretch.
#[derive(Debug)]
pub struct CodeUnits {
    units: [u16; MAX_CHUNK_VECTORS * WIDTH + PADDING_UNITS],
    count: usize,
}

impl CodeUnits {
    /// None.
    #[inline(always)]
    pub fn new() -> CodeUnits {
        CodeUnits { units: [0; _], count: 0 }
    }

    /// Those of the last stretch.
    #[inline(always)]
    pub fn as_slice(&self) -> &[u16] {
        &self.units[..self.count]
    }

    /// The same in groups; after the last one stands the first one again, as often as it takes.
    #[inline(always)]
    pub fn groups(&self) -> &[[u16; GROUP_LEN]] {
        self.units[..self.count.next_multiple_of(GROUP_LEN)].as_chunks().0
    }

    /// Takes the characters that begin in so many vectors, and which `src` holds wholly, up to a
    /// vector with one above U+FFFF. How many bytes that are, as a multiple of a vector: the last
    /// character may reach beyond. Bytes of one that began before are passed over.
    #[inline(always)]
    pub fn decode_chunk<S: Simd>(&mut self, simd: S, src: &[u8], vectors: usize) -> usize {
        let (mut at, mut count) = (0, 0);
        for _ in 0..vectors.min(MAX_CHUNK_VECTORS) {
            let Some(near) = src[at..].first_chunk() else { break };
            let Some(output) = self.units[count..].first_chunk_mut() else { break };
            let Some(more) = decode_vector(simd, near, output) else { break };
            count += more;
            at += WIDTH;
        }
        self.count = count;
        let first = self.units[0];
        if let Some(padding) = self.units[count..].first_chunk_mut::<WIDTH>() {
            *padding = [first; WIDTH];
        }
        at
    }
}

/// Where the first character at or after this position begins.
#[inline(always)]
pub fn char_boundary(src: &[u8], at: usize) -> usize {
    at + src[at..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count()
}

/// The bytes of UTF-8 of the characters that these units are.
pub fn utf8_len(units: &[u16]) -> usize {
    let length = |unit: &u16| match unit {
        ..0x80 => 1,
        0x80..0x800 => 2,
        0x800.. => 3,
    };
    units.iter().map(length).sum()
}

/// Writes the units of the characters that begin in a vector; how many, if none is above U+FFFF.
#[inline(always)]
fn decode_vector<S: Simd>(
    simd: S,
    near: &[u8; WIDTH + OVERLAP],
    output: &mut [u16; 2 * WIDTH],
) -> Option<usize> {
    let lead = simd.load(near.first_chunk()?);
    if simd.movemask8(at_least(simd, lead, 0xF0)) != 0 {
        return None;
    }
    let second = simd.and(simd.load(near[1..].first_chunk()?), simd.splat8(0x3F));
    let third = simd.and(simd.load(near[2..].first_chunk()?), simd.splat8(0x3F));
    // ASCII is zero times 64 and itself.
    let high = simd.and(simd.and(lead, simd.splat8(0x1F)), at_least(simd, lead, 0x80));
    let second = simd.select(lead, second, lead);
    let three = at_least(simd, lead, 0xE0);
    let starts = simd.movemask8(simd.gt_i8(lead, simd.splat8(0xBF)));
    let zero = simd.splat8(0);
    let pairs = simd.zip_low8(high, second);
    let near = code_points(simd, pairs, simd.zip_low8(third, zero), simd.zip_low8(three, three));
    let pairs = simd.zip_high8(high, second);
    let far = code_points(simd, pairs, simd.zip_high8(third, zero), simd.zip_high8(three, three));
    let first = write_selected(simd, near, starts & 0xFF, output.first_chunk_mut()?);
    let second = write_selected(simd, far, starts >> 8, output[first..].first_chunk_mut()?);
    Some(first + second)
}

/// All bits of the bytes that are at least so much.
#[inline(always)]
fn at_least<S: Simd>(simd: S, bytes: S::Bytes, min: u8) -> S::Bytes {
    simd.eq8(simd.max8(bytes, simd.splat8(min)), bytes)
}

/// Eight values, of the bits of the first two bytes side by side, and those of the third where there
/// are `three`.
#[inline(always)]
fn code_points<S: Simd>(simd: S, pairs: S::Bytes, third: S::Bytes, three: S::Bytes) -> S::Bytes {
    let two = simd.mul_add_pairs8(pairs, simd.splat16(0x0140));
    simd.select(three, simd.or(simd.shl16::<6>(two), third), two)
}

/// Writes those of eight units that `wanted` has a bit for; how many.
#[inline(always)]
fn write_selected<S: Simd>(simd: S, units: S::Bytes, wanted: u32, output: &mut [u16; 8]) -> usize {
    let mut bytes = [0; WIDTH];
    simd.store(compress::compress16(simd, units, wanted), &mut bytes);
    for (unit, bytes) in output.iter_mut().zip(bytes.as_chunks().0) {
        *unit = u16::from_le_bytes(*bytes);
    }
    wanted.count_ones() as usize
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::{Kernel, Level};

    struct ChunkKernel<'a>(&'a str, usize, usize);

    impl Kernel for ChunkKernel<'_> {
        type Output = (usize, Vec<u16>);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> (usize, Vec<u16>) {
            let ChunkKernel(text, start, vectors) = self;
            let mut units = CodeUnits::new();
            let taken = units.decode_chunk(simd, &text.as_bytes()[start..], vectors);
            let (groups, all) = (units.groups().as_flattened(), units.as_slice());
            assert!(groups[all.len()..].iter().all(|unit| *unit == all[0]));
            assert_eq!(groups.len(), all.len().next_multiple_of(8));
            (taken, units.as_slice().to_vec())
        }
    }

    /// Characters of each length at the edges, in runs of all lengths.
    fn sample_text() -> String {
        let samples = [
            'a', '\0', '\x7F', '\u{80}', 'ж', '\u{7FF}', '\u{800}', '中', '\u{D7FF}', '\u{E000}',
            '\u{FFFF}',
        ];
        let runs = (0..300).flat_map(|run: usize| {
            let sample = samples[run * 7 % samples.len()];
            std::iter::repeat_n(sample, run * 5 % 9 + 1)
        });
        runs.collect()
    }

    /// The units of the characters that begin from `start` to `end`.
    fn reference(text: &str, start: usize, end: usize) -> Vec<u16> {
        let within = text.char_indices().filter(|(at, _)| (start..end).contains(at));
        within.flat_map(|(_, character)| character.encode_utf16(&mut [0; 2]).to_vec()).collect()
    }

    #[test]
    fn chunk_has_the_units_of_characters_beginning_in_it() {
        let text = sample_text();
        for level in Level::all() {
            for start in 0..text.len() {
                for vectors in [0, 1, 2, MAX_CHUNK_VECTORS, MAX_CHUNK_VECTORS + 1] {
                    let (taken, units) = level.run(ChunkKernel(&text, start, vectors));
                    let there = (text.len() - start).saturating_sub(OVERLAP) / WIDTH;
                    assert_eq!(
                        taken,
                        vectors.min(MAX_CHUNK_VECTORS).min(there) * WIDTH,
                        "{level:?} {start}"
                    );
                    assert_eq!(units, reference(&text, start, start + taken), "{level:?} {start}");
                    assert!(start > 0 || utf8_len(&units) >= taken);
                }
            }
        }
    }

    #[test]
    fn chunk_ends_before_a_character_above_ffff() {
        for level in Level::all() {
            for before in 0..100 {
                let text = "ж".repeat(before) + "😀" + &"b".repeat(40);
                let (taken, units) = level.run(ChunkKernel(&text, 0, MAX_CHUNK_VECTORS));
                assert_eq!(taken, 2 * before / WIDTH * WIDTH, "{level:?} {before}");
                assert_eq!(units, reference(&text, 0, taken));
            }
        }
    }

    #[test]
    fn utf8_len_is_the_length_of_the_text() {
        let text = sample_text();
        assert_eq!(utf8_len(&text.encode_utf16().collect::<Vec<_>>()), text.len());
    }
}
