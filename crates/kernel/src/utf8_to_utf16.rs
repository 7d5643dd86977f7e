//! UTF-8 to UTF-16 code units in registers or a buffer, for encoders that process them further.
//!
//! [`CodeUnits`] decodes a chunk of mixed text: the value of a character that begins at a byte is
//! computed for every byte, and those where no character begins are dropped. So the lengths of
//! characters cause no branches, and a vector may begin anywhere. The values are:
//!
//! | bytes | value |
//! |---|---|
//! | a | a |
//! | b c | b × 64 + c, with the low five bits of b and the low six of c |
//! | b c d | (b × 64 + c) × 64 + d |
//!
//! The other functions decode runs of characters of the same length, six to eight code units at a
//! time.

use super::compress;
use super::same_length_run::decode_four_byte;
use super::simd::{AsArrays, Simd, WIDTH};

/// The maximum number of vectors in a chunk.
pub const MAX_CHUNK_VECTORS: usize = 16;

/// The number of vectors in the first chunk: little is lost if the caller stops soon.
pub const MIN_CHUNK_VECTORS: usize = 2;

/// The number of code units that are looked up together.
pub const GROUP_LEN: usize = 8;

/// The maximum number of bytes after a vector that belong to a character beginning in it.
pub const OVERLAP: usize = 2;

/// The number of code units that may be read after those of a chunk.
const PADDING_UNITS: usize = 2 * WIDTH;

/// A buffer of the code units of a chunk.
#[derive(Debug)]
pub struct CodeUnits {
    units: [u16; MAX_CHUNK_VECTORS * WIDTH + PADDING_UNITS],
    count: usize,
}

impl CodeUnits {
    /// Creates an empty buffer.
    #[inline(always)]
    pub(crate) fn new() -> CodeUnits {
        CodeUnits { units: [0; MAX_CHUNK_VECTORS * WIDTH + PADDING_UNITS], count: 0 }
    }

    /// Returns the code units of the last chunk.
    #[inline(always)]
    pub fn as_slice(&self) -> &[u16] {
        &self.units[..self.count]
    }

    /// Returns the same in groups. The last group is padded with copies of the first code unit.
    #[inline(always)]
    pub fn groups(&self) -> &[[u16; GROUP_LEN]] {
        self.units[..self.count.next_multiple_of(GROUP_LEN)].as_arrays().0
    }

    /// Decodes the characters that begin in the first `vectors` vectors of `src`, up to a vector
    /// with a character above U+FFFF or with fewer than [`OVERLAP`] bytes after it. Leading
    /// continuation bytes are skipped. Returns the number of bytes read, a multiple of [`WIDTH`];
    /// the last character may extend beyond it.
    #[inline(always)]
    pub fn decode_chunk<S: Simd>(&mut self, simd: S, src: &[u8], vectors: usize) -> usize {
        let (mut at, mut count) = (0, 0);
        for _ in 0..vectors.min(MAX_CHUNK_VECTORS) {
            let Some(input) = src[at..].first_chunk() else { break };
            let Some(output) = self.units[count..].first_chunk_mut() else { break };
            let Some(more) = decode_vector(simd, input, output) else { break };
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

/// Returns the position of the first character boundary at or after `at`.
#[inline(always)]
pub fn char_boundary(src: &[u8], at: usize) -> usize {
    at + src[at..].iter().take_while(|byte| **byte & 0xC0 == 0x80).count()
}

/// Returns the length of these code units in UTF-8, in bytes. None may be a surrogate.
pub fn utf8_len(units: &[u16]) -> usize {
    let length = |unit: &u16| match unit {
        ..0x80 => 1,
        0x80..0x800 => 2,
        0x800.. => 3,
    };
    units.iter().map(length).sum()
}

/// Decodes the characters that begin in a vector. Returns the number of code units, or `None` if a
/// character is above U+FFFF.
#[inline(always)]
fn decode_vector<S: Simd>(
    simd: S,
    input: &[u8; WIDTH + OVERLAP],
    output: &mut [u16; 2 * WIDTH],
) -> Option<usize> {
    let lead = simd.load(input.first_chunk()?);
    if simd.movemask8(at_least(simd, lead, 0xF0)) != 0 {
        return None;
    }
    let second = simd.and(simd.load(input[1..].first_chunk()?), simd.splat8(0x3F));
    let third = simd.and(simd.load(input[2..].first_chunk()?), simd.splat8(0x3F));
    // ASCII is zero times 64 and itself.
    let high = simd.and(simd.and(lead, simd.splat8(0x1F)), at_least(simd, lead, 0x80));
    let second = simd.select(lead, second, lead);
    let three = at_least(simd, lead, 0xE0);
    let starts = simd.movemask8(simd.gt_i8(lead, simd.splat8(0xBF)));
    let zero = simd.splat8(0);
    let pairs = simd.zip_low8(high, second);
    let low_half =
        code_points(simd, pairs, simd.zip_low8(third, zero), simd.zip_low8(three, three));
    let pairs = simd.zip_high8(high, second);
    let high_half =
        code_points(simd, pairs, simd.zip_high8(third, zero), simd.zip_high8(three, three));
    let first = write_selected(simd, low_half, starts & 0xFF, output.first_chunk_mut()?);
    let second = write_selected(simd, high_half, starts >> 8, output[first..].first_chunk_mut()?);
    Some(first + second)
}

/// Returns a mask of the bytes that are at least `min`.
#[inline(always)]
fn at_least<S: Simd>(simd: S, bytes: S::Bytes, min: u8) -> S::Bytes {
    simd.eq8(simd.max8(bytes, simd.splat8(min)), bytes)
}

/// Returns eight values, from the interleaved bits of the first two bytes, and those of the third
/// byte where the mask `three` is set.
#[inline(always)]
fn code_points<S: Simd>(simd: S, pairs: S::Bytes, third: S::Bytes, three: S::Bytes) -> S::Bytes {
    let two = simd.mul_add_pairs8(pairs, simd.splat16(0x0140));
    simd.select(three, simd.or(simd.shl16::<6>(two), third), two)
}

/// Writes the code units whose bits are set in `selected`. Returns their number.
#[inline(always)]
fn write_selected<S: Simd>(
    simd: S,
    units: S::Bytes,
    selected: u32,
    output: &mut [u16; WIDTH / 2],
) -> usize {
    store_units(simd, compress::compress16(simd, units, selected), output);
    selected.count_ones() as usize
}

/// Stores a vector of eight 16-bit units.
#[inline(always)]
pub fn store_units<S: Simd>(simd: S, units: S::Bytes, output: &mut [u16; WIDTH / 2]) {
    let mut bytes = [0; WIDTH];
    simd.store(units, &mut bytes);
    for (unit, bytes) in output.iter_mut().zip(bytes.as_arrays().0) {
        *unit = u16::from_le_bytes(*bytes);
    }
}

/// Decodes two-byte characters to eight code units.
#[inline(always)]
pub fn units_from_2byte<S: Simd>(simd: S, text: &[u8; WIDTH]) -> S::Bytes {
    let bits = simd.and(simd.load(text), simd.splat16(0x3F1F));
    simd.mul_add_pairs8(bits, simd.splat16(0x01_40))
}

/// Decodes four-byte characters to four surrogate pairs.
///
/// The high surrogate has the upper 11 of the 21 bits of a character, minus 0x1_0000 >> 10, the
/// low surrogate the lower 10.
#[inline(always)]
pub fn units_from_4byte<S: Simd>(simd: S, text: &[u8; WIDTH]) -> S::Bytes {
    let bits = simd.and(simd.load(text), simd.splat32(0x3F3F_3F07));
    // Nine bits in the low half of a lane, twelve in the high half.
    let halves = simd.mul_add_pairs8(bits, simd.splat16(0x01_40));
    let upper = simd.and(simd.shl16::<2>(halves), simd.splat32(0xFFFF));
    let upper = simd.add16(upper, simd.shr32::<26>(halves));
    let lower = simd.and(halves, simd.splat32(0x03FF_0000));
    simd.add16(simd.or(upper, lower), simd.splat32(0xDC00_D7C0))
}

/// Returns the code unit of the first character of `input`, which has one to three bytes.
#[inline(always)]
pub fn unit_from_bytes(input: &[u8; 4], len: usize) -> u16 {
    let bytes = u32::from_be_bytes(*input) >> (8 * (4 - len));
    let mask = if len == 1 { 0x7F } else { 0x3F };
    (bytes & mask | bytes >> 2 & 0xFC0 | bytes >> 4 & 0xF000) as u16
}

/// The number of bytes read to decode six three-byte characters.
pub const SIX_3BYTE_INPUT: usize = WIDTH + 2;

/// Every third of 18 bytes, in the low byte of a lane, and in the high byte.
const LOW_BYTE_THIRDS: [u8; WIDTH] =
    [0, 0x80, 3, 0x80, 6, 0x80, 9, 0x80, 12, 0x80, 15, 0x80, 0x80, 0x80, 0x80, 0x80];
const HIGH_BYTE_THIRDS: [u8; WIDTH] =
    [0x80, 0, 0x80, 3, 0x80, 6, 0x80, 9, 0x80, 12, 0x80, 15, 0x80, 0x80, 0x80, 0x80];

/// Decodes three-byte characters to six code units.
#[inline(always)]
pub fn units_from_3byte<S: Simd>(simd: S, text: &[u8; SIX_3BYTE_INPUT]) -> S::Bytes {
    let [Some(leads), Some(middles), Some(lasts)] =
        [0, 1, 2].map(|from| text[from..].first_chunk().map(|text| simd.load(text)))
    else {
        return simd.splat8(0);
    };
    let (lower, upper) = (simd.load(&LOW_BYTE_THIRDS), simd.load(&HIGH_BYTE_THIRDS));
    let rest = simd.or(simd.shuffle8(middles, lower), simd.shuffle8(lasts, upper));
    let rest = simd.mul_add_pairs8(simd.and(rest, simd.splat8(0x3F)), simd.splat16(0x01_40));
    simd.or(simd.shl16::<4>(simd.shuffle8(leads, upper)), rest)
}

/// Decodes ASCII to eight code units.
#[inline(always)]
pub fn units_from_ascii<S: Simd>(simd: S, text: &[u8; WIDTH]) -> S::Bytes {
    simd.zip_low8(simd.load(text), simd.splat8(0))
}

/// Twelve code units in two vectors; the last two lanes of each are unused.
pub type UnitVectors = [[u8; WIDTH]; 2];

/// Decodes up to twelve code units from the first `len` bytes, of characters of any length. Returns
/// the units, their number, and the number of bytes read. If that is less than `len`, the number of
/// units is a multiple of three, so that base64 leaves no bits over.
pub fn units_from_mixed(text: &[u8], len: usize) -> Option<(UnitVectors, usize, usize)> {
    let mut units = [0; 14];
    let (mut count, mut read) = (0, 0);
    let mut multiple_of_three = None;
    while read < len {
        if count % 3 == 0 && count > 0 {
            multiple_of_three = Some((count, read));
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
                let above = decode_four_byte(input) - 0x1_0000;
                units[count] = 0xD800 | (above >> 10) as u16;
                units[count + 1] = 0xDC00 | (above & 0x3FF) as u16;
                count += 2;
                read += 4;
            }
        }
    }
    let (count, read) = if read == len && count <= 12 { (count, read) } else { multiple_of_three? };
    let mut lanes = UnitVectors::default();
    for (index, unit) in units[..12].iter().enumerate() {
        let (vector, lane) = (index / 6, index % 6);
        lanes[vector][2 * lane..2 * lane + 2].copy_from_slice(&unit.to_le_bytes());
    }
    Some((lanes, count, read))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::{Kernel, Level};
    use crate::testing::stride;

    struct ChunkKernel<'a>(&'a str, usize, usize);

    impl Kernel for ChunkKernel<'_> {
        type Output = (usize, Vec<u16>);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> (usize, Vec<u16>) {
            let ChunkKernel(text, start, vectors) = self;
            let mut units = CodeUnits::new();
            let bytes_read = units.decode_chunk(simd, &text.as_bytes()[start..], vectors);
            let (groups, all) = (units.groups().as_flattened(), units.as_slice());
            assert!(groups[all.len()..].iter().all(|unit| *unit == all[0]));
            assert_eq!(groups.len(), all.len().next_multiple_of(8));
            (bytes_read, units.as_slice().to_vec())
        }
    }

    /// Returns edge characters of each length, in runs of all lengths.
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

    /// Returns the code units of the characters that begin from `start` to `end`.
    fn reference(text: &str, start: usize, end: usize) -> Vec<u16> {
        let within = text.char_indices().filter(|(at, _)| (start..end).contains(at));
        within.flat_map(|(_, character)| character.encode_utf16(&mut [0; 2]).to_vec()).collect()
    }

    #[test]
    fn chunk_has_the_units_of_characters_beginning_in_it() {
        let text = sample_text();
        for level in Level::all() {
            for start in (0..text.len()).step_by(stride(203)) {
                for vectors in [0, 1, 2, MAX_CHUNK_VECTORS, MAX_CHUNK_VECTORS + 1] {
                    let (bytes_read, units) = level.run(ChunkKernel(&text, start, vectors));
                    let there = (text.len() - start).saturating_sub(OVERLAP) / WIDTH;
                    assert_eq!(
                        bytes_read,
                        vectors.min(MAX_CHUNK_VECTORS).min(there) * WIDTH,
                        "{level:?} {start}"
                    );
                    assert_eq!(
                        units,
                        reference(&text, start, start + bytes_read),
                        "{level:?} {start}"
                    );
                    assert!(start > 0 || utf8_len(&units) >= bytes_read);
                }
            }
        }
    }

    #[test]
    fn chunk_ends_before_a_character_above_ffff() {
        for level in Level::all() {
            for before in (0..100).step_by(stride(27)) {
                let text = "ж".repeat(before) + "😀" + &"b".repeat(40);
                let (bytes_read, units) = level.run(ChunkKernel(&text, 0, MAX_CHUNK_VECTORS));
                assert_eq!(bytes_read, 2 * before / WIDTH * WIDTH, "{level:?} {before}");
                assert_eq!(units, reference(&text, 0, bytes_read));
            }
        }
    }

    #[test]
    fn utf8_len_is_the_length_of_the_text() {
        let text = sample_text();
        assert_eq!(utf8_len(&text.encode_utf16().collect::<Vec<_>>()), text.len());
    }
}
