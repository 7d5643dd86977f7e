//! Codes of one byte and two to text, by a table of all pairs of bytes.
//!
//! Where codes begin hangs on all that stands before, but only the high bits of the bytes matter for
//! it: eight of them at a time are looked up, which takes no branch. Each code becomes a unit of 16
//! bits, its first byte lowest, and the table has a form for each unit.

use super::{HALF_STEP, Utf8Bytes, map_ascii_groups, utf8_len, write_all};
use crate::kernel::simd::{self, Kernel, Simd, WIDTH};

/// How codes are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadRule {
    /// Bytes below 80 are ASCII, all others lead.
    AsciiSingles,
    /// Bytes below 80 are characters, all others lead.
    MappedSingles,
    /// All codes have two bytes.
    PairsOnly,
}

/// What an encoding decodes to.
#[derive(Debug)]
pub struct PairTable {
    /// The form of each unit; zero where there is no character.
    pub utf8: Box<[Utf8Bytes; 0x1_0000]>,
    /// How its codes are told apart.
    pub lead_rule: LeadRule,
}

impl PairTable {
    /// Decodes codes at the start of `src` that are in the table, while `dst` has space to spare. Says
    /// how many bytes it has read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.lead_rule {
            LeadRule::PairsOnly => self.decode_pairs(src, dst),
            LeadRule::AsciiSingles | LeadRule::MappedSingles => {
                simd::run(DbcsDecodeKernel { table: self, src, dst })
            }
        }
    }

    /// The same where there is nothing but pairs. Between two shifts there is often but a word of
    /// them: a few at a time cost least.
    fn decode_pairs(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(input) = src[read..].first_chunk::<{ 2 * PAIRS_PER_STEP }>()
            && let Some(output) = dst[written..].first_chunk_mut::<{ 4 * PAIRS_PER_STEP }>()
        {
            let word = u64::from_le_bytes(*input);
            let forms = [0, 16, 32, 48].map(|shift| self.utf8_bytes((word >> shift) as u16));
            let (mut at, mut good) = (0, 0);
            for form in forms.into_iter().take_while(|form| *form != 0) {
                output[at..at + 4].copy_from_slice(&form.to_le_bytes());
                at += utf8_len(form);
                good += 1;
            }
            read += 2 * good;
            written += at;
            if good < PAIRS_PER_STEP {
                break;
            }
        }
        (read, written)
    }

    /// The form of a unit.
    #[inline(always)]
    fn utf8_bytes(&self, unit: u16) -> Utf8Bytes {
        self.utf8[usize::from(unit)]
    }
}

/// Pairs that are looked up together where there is nothing else.
const PAIRS_PER_STEP: usize = 4;

/// Bytes whose high bits are looked at together.
const BLOCK_LEN: usize = 64;

/// The leads of a block of nothing but pairs.
const PAIRS_ONLY_LEADS: u64 = 0x5555_5555_5555_5555;

/// Bytes that must be there: a vector may begin at the last byte but a few.
const INPUT_WINDOW: usize = BLOCK_LEN + WIDTH;

/// Blocks of a stretch at the most.
const MAX_BLOCKS: usize = 4;

/// Bytes that so many blocks may need space for.
const fn max_output_len(blocks: usize) -> usize {
    3 * (BLOCK_LEN * blocks + HALF_STEP) + 1
}

struct DbcsDecodeKernel<'a> {
    table: &'a PairTable,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for DbcsDecodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let DbcsDecodeKernel { table, src, dst } = self;
        let (mut read, mut written, mut blocks) = (0, 0, 1);
        let mut units = [0; MAX_BLOCKS * BLOCK_LEN + 2 * WIDTH];
        loop {
            if table.lead_rule == LeadRule::AsciiSingles {
                let run = map_ascii_groups(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            while blocks > 0 && max_output_len(blocks) > dst.len() - written {
                blocks -= 1;
            }
            let (taken, count) = collect_units(simd, &src[read..], blocks, &mut units);
            if taken == 0 {
                return (read, written);
            }
            let (good, put) = write_units(table, &mut units, count, &mut dst[written..]);
            written += put;
            if good < count {
                let bytes =
                    units[..good].iter().map(|unit| 1 + usize::from(unit >> 7 & 1)).sum::<usize>();
                return (read + bytes, written);
            }
            read += taken;
            blocks = (2 * blocks).min(MAX_BLOCKS);
        }
    }
}

/// The units of the codes that begin in so many blocks: bytes, and units.
#[inline(always)]
fn collect_units<S: Simd>(
    simd: S,
    src: &[u8],
    blocks: usize,
    units: &mut [u16; MAX_BLOCKS * BLOCK_LEN + 2 * WIDTH],
) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    for _ in 0..blocks {
        let Some(input) = src[at..].first_chunk::<INPUT_WINDOW>() else { break };
        let mut high = high_bits(simd, input);
        if high & PAIRS_ONLY_LEADS == PAIRS_ONLY_LEADS {
            for (unit, pair) in units[count..].iter_mut().zip(input[..BLOCK_LEN].as_chunks().0) {
                *unit = u16::from_le_bytes(*pair);
            }
            count += BLOCK_LEN / 2;
            at += BLOCK_LEN;
            continue;
        }
        let mut within = 0;
        while within <= BLOCK_LEN - BYTES_PER_INDEX {
            let Some(from) = input[within..].first_chunk() else { break };
            let Some(to) = units[count..].first_chunk_mut() else { break };
            let codes = &BOUNDARIES[high as usize & 0xFF];
            store_units(simd, simd.shuffle8(simd.load(from), simd.load(&codes.shuffle)), to);
            count += usize::from(codes.count);
            within += usize::from(codes.bytes);
            high >>= codes.bytes & 0x3F;
        }
        at += within;
    }
    (at, count)
}

/// The high bit of each byte of a block, that of the first one lowest.
#[inline(always)]
fn high_bits<S: Simd>(simd: S, input: &[u8; INPUT_WINDOW]) -> u64 {
    let mut high = 0;
    for (index, vector) in input[..BLOCK_LEN].as_chunks().0.iter().enumerate() {
        high |= u64::from(simd.movemask8(simd.load(vector))) << (WIDTH * index);
    }
    high
}

#[inline(always)]
fn store_units<S: Simd>(simd: S, vector: S::Bytes, to: &mut [u16; WIDTH / 2]) {
    let mut bytes = [0; WIDTH];
    simd.store(vector, &mut bytes);
    for (unit, bytes) in to.iter_mut().zip(bytes.as_chunks().0) {
        *unit = u16::from_le_bytes(*bytes);
    }
}

/// Writes the forms of the first units, so many: units up to one that has none, and bytes.
#[inline(always)]
fn write_units(
    table: &PairTable,
    units: &mut [u16; MAX_BLOCKS * BLOCK_LEN + 2 * WIDTH],
    count: usize,
    dst: &mut [u8],
) -> (usize, usize) {
    // The last group is filled up with the first unit.
    let first = units[0];
    if let Some(padding) = units[count..].first_chunk_mut::<HALF_STEP>() {
        *padding = [first; HALF_STEP];
    }
    let (mut good, mut written) = (0, 0);
    for group in units[..count.next_multiple_of(HALF_STEP)].as_chunks::<HALF_STEP>().0 {
        let forms = group.map(|unit| table.utf8_bytes(unit));
        let Some(more) = write_all(forms, &mut dst[written..]) else { break };
        good += HALF_STEP;
        written += more;
    }
    if good >= count {
        return (count, written - (good - count) * utf8_len(table.utf8_bytes(first)));
    }
    for unit in &units[good..count] {
        let form = table.utf8_bytes(*unit);
        let Some(output) = dst[written..].first_chunk_mut() else { break };
        if form == 0 {
            break;
        }
        *output = form.to_le_bytes();
        written += utf8_len(form);
        good += 1;
    }
    (good, written)
}

/// Bytes whose high bits are one index.
const BYTES_PER_INDEX: usize = 8;

/// The codes that begin in eight bytes.
#[derive(Clone, Copy)]
struct CodeBoundaries {
    /// For each byte of the units the position of its byte; 80 for zero.
    shuffle: [u8; WIDTH],
    count: u8,
    /// Eight, or nine where the last code reaches beyond.
    bytes: u8,
}

/// By the high bits of the bytes, that of the first one lowest.
static BOUNDARIES: [CodeBoundaries; 256] = {
    let mut all = [CodeBoundaries { shuffle: [0x80; WIDTH], count: 0, bytes: 0 }; 256];
    let mut high = 0;
    while high < all.len() {
        let codes = &mut all[high];
        while (codes.bytes as usize) < BYTES_PER_INDEX {
            let at = 2 * codes.count as usize;
            codes.shuffle[at] = codes.bytes;
            if high >> codes.bytes & 1 == 1 {
                codes.bytes += 1;
                codes.shuffle[at + 1] = codes.bytes;
            }
            codes.bytes += 1;
            codes.count += 1;
        }
        high += 1;
    }
    all
};

#[cfg(test)]
mod tests;
