//! UTF-8 to UTF-16 a stretch at a time, for encoders that look up what they write.
//!
//! The value of the character that begins at an octet is worked out for every octet at once, also
//! where none begins; those are then left out. So nothing branches on the lengths of characters, and
//! where a vector begins does not matter. How it reads each:
//!
//! | octets | value |
//! |---|---|
//! | a | a |
//! | b c | b × 64 + c, of b the low five bits, of c the low six |
//! | b c d | (b × 64 + c) × 64 + d |

use crate::kernel::gather;
use crate::kernel::simd::{Simd, WIDTH};

/// Vectors of a stretch at the most.
pub const MOST: usize = 16;

/// Vectors of a first stretch: little is lost where it ends soon.
pub const FEW: usize = 2;

/// Units that are looked up together.
pub const GROUP: usize = 8;

/// Octets behind a vector that belong to characters that begin in it.
pub const BEHIND: usize = 2;

/// Units that may be looked at beyond those of a stretch.
const SPARE: usize = 2 * WIDTH;

/// The units of a stretch.
#[derive(Debug)]
pub struct Units {
    units: [u16; MOST * WIDTH + SPARE],
    count: usize,
}

impl Units {
    /// None.
    #[inline(always)]
    pub fn new() -> Units {
        Units { units: [0; _], count: 0 }
    }

    /// Those of the last stretch.
    #[inline(always)]
    pub fn all(&self) -> &[u16] {
        &self.units[..self.count]
    }

    /// The same in groups; behind the last one stands the first one again, as often as it takes.
    #[inline(always)]
    pub fn groups(&self) -> &[[u16; GROUP]] {
        self.units[..self.count.next_multiple_of(GROUP)].as_chunks().0
    }

    /// Takes the characters that begin in so many vectors, and which `src` holds wholly, up to a
    /// vector with one above U+FFFF. How many octets that are, as a multiple of a vector: the last
    /// character may reach beyond. Octets of one that began before are passed over.
    #[inline(always)]
    pub fn take<S: Simd>(&mut self, simd: S, src: &[u8], vectors: usize) -> usize {
        let (mut at, mut count) = (0, 0);
        for _ in 0..vectors.min(MOST) {
            let Some(near) = src[at..].first_chunk() else { break };
            let Some(room) = self.units[count..].first_chunk_mut() else { break };
            let Some(more) = vector(simd, near, room) else { break };
            count += more;
            at += WIDTH;
        }
        self.count = count;
        let first = self.units[0];
        if let Some(behind) = self.units[count..].first_chunk_mut::<WIDTH>() {
            *behind = [first; WIDTH];
        }
        at
    }
}

/// Where the first character at or behind this place begins.
#[inline(always)]
pub fn boundary(src: &[u8], at: usize) -> usize {
    at + src[at..].iter().take_while(|octet| **octet & 0xC0 == 0x80).count()
}

/// The octets of UTF-8 of the characters that these units are.
pub fn length(units: &[u16]) -> usize {
    let length = |unit: &u16| match unit {
        ..0x80 => 1,
        0x80..0x800 => 2,
        0x800.. => 3,
    };
    units.iter().map(length).sum()
}

/// Writes the units of the characters that begin in a vector; how many, if none is above U+FFFF.
#[inline(always)]
fn vector<S: Simd>(
    simd: S,
    near: &[u8; WIDTH + BEHIND],
    room: &mut [u16; 2 * WIDTH],
) -> Option<usize> {
    let lead = simd.load(near.first_chunk()?);
    if simd.mask8(at_least(simd, lead, 0xF0)) != 0 {
        return None;
    }
    let second = simd.and(simd.load(near[1..].first_chunk()?), simd.splat8(0x3F));
    let third = simd.and(simd.load(near[2..].first_chunk()?), simd.splat8(0x3F));
    // ASCII is nought times 64 and itself.
    let high = simd.and(simd.and(lead, simd.splat8(0x1F)), at_least(simd, lead, 0x80));
    let second = simd.select(lead, second, lead);
    let three = at_least(simd, lead, 0xE0);
    let starts = simd.mask8(simd.greater_signed8(lead, simd.splat8(0xBF)));
    let zero = simd.splat8(0);
    let pairs = simd.zip_low8(high, second);
    let near = values(simd, pairs, simd.zip_low8(third, zero), simd.zip_low8(three, three));
    let pairs = simd.zip_high8(high, second);
    let far = values(simd, pairs, simd.zip_high8(third, zero), simd.zip_high8(three, three));
    let first = put(simd, near, starts & 0xFF, room.first_chunk_mut()?);
    let second = put(simd, far, starts >> 8, room[first..].first_chunk_mut()?);
    Some(first + second)
}

/// All bits of the octets that are at least so much.
#[inline(always)]
fn at_least<S: Simd>(simd: S, octets: S::Bytes, least: u8) -> S::Bytes {
    simd.equal8(simd.max8(octets, simd.splat8(least)), octets)
}

/// Eight values, of the bits of the first two octets side by side, and those of the third where there
/// are `three`.
#[inline(always)]
fn values<S: Simd>(simd: S, pairs: S::Bytes, third: S::Bytes, three: S::Bytes) -> S::Bytes {
    let two = simd.mul_add8(pairs, simd.splat16(0x0140));
    simd.select(three, simd.or(simd.up16::<6>(two), third), two)
}

/// Writes those of eight units that `wanted` has a bit for; how many.
#[inline(always)]
fn put<S: Simd>(simd: S, units: S::Bytes, wanted: u32, room: &mut [u16; 8]) -> usize {
    let mut octets = [0; WIDTH];
    simd.store(gather::units(simd, units, wanted), &mut octets);
    for (unit, octets) in room.iter_mut().zip(octets.as_chunks().0) {
        *unit = u16::from_le_bytes(*octets);
    }
    wanted.count_ones() as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::simd::{Level, Loop};

    struct Take<'a>(&'a str, usize, usize);

    impl Loop for Take<'_> {
        type Answer = (usize, Vec<u16>);

        #[inline(always)]
        fn run<S: Simd>(self, simd: S) -> (usize, Vec<u16>) {
            let Take(text, start, vectors) = self;
            let mut units = Units::new();
            let taken = units.take(simd, &text.as_bytes()[start..], vectors);
            let (groups, all) = (units.groups().as_flattened(), units.all());
            assert!(groups[all.len()..].iter().all(|unit| *unit == all[0]));
            assert_eq!(groups.len(), all.len().next_multiple_of(8));
            (taken, units.all().to_vec())
        }
    }

    /// Characters of each length at the edges, in runs of all lengths.
    fn text() -> String {
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
    fn plain(text: &str, start: usize, end: usize) -> Vec<u16> {
        let within = text.char_indices().filter(|(at, _)| (start..end).contains(at));
        within.flat_map(|(_, character)| character.encode_utf16(&mut [0; 2]).to_vec()).collect()
    }

    #[test]
    fn units_are_those_of_the_characters_that_begin_in_the_vectors() {
        let text = text();
        for level in Level::all() {
            for start in 0..text.len() {
                for vectors in [0, 1, 2, MOST, MOST + 1] {
                    let (taken, units) = level.run(Take(&text, start, vectors));
                    let there = (text.len() - start).saturating_sub(BEHIND) / WIDTH;
                    assert_eq!(taken, vectors.min(MOST).min(there) * WIDTH, "{level:?} {start}");
                    assert_eq!(units, plain(&text, start, start + taken), "{level:?} {start}");
                    assert!(start > 0 || length(&units) >= taken);
                }
            }
        }
    }

    #[test]
    fn a_vector_with_a_character_above_ffff_is_left() {
        for level in Level::all() {
            for before in 0..100 {
                let text = "ж".repeat(before) + "😀" + &"b".repeat(40);
                let (taken, units) = level.run(Take(&text, 0, MOST));
                assert_eq!(taken, 2 * before / WIDTH * WIDTH, "{level:?} {before}");
                assert_eq!(units, plain(&text, 0, taken));
            }
        }
    }

    #[test]
    fn the_length_is_that_of_the_characters() {
        let text = text();
        assert_eq!(length(&text.encode_utf16().collect::<Vec<_>>()), text.len());
    }
}
