//! Double-byte character sets (DBCS) to and from UTF-8, by table.
//!
//! To decode, the code boundaries must be found first. They depend on all preceding bytes, but only
//! on their high bits, so that a table finds the boundaries in eight bytes at a time without a
//! branch. Each code becomes a 16-bit unit, its first byte lowest, and a table has the UTF-8
//! sequence of each unit.

use super::byte_table::{HALF_STEP, Utf8Bytes, map_ascii_groups, utf8_len, write_all};
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};
use super::utf8_to_utf16::{
    self, CodeUnits, GROUP_LEN, MIN_CHUNK_VECTORS, char_boundary, store_units,
};

/// How single bytes are distinguished from lead bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadRule {
    /// Bytes below 0x80 are ASCII, all others are lead bytes.
    AsciiSingles,
    /// Bytes below 0x80 are characters of the table, all others are lead bytes.
    MappedSingles,
    /// All codes have two bytes.
    PairsOnly,
}

/// The decoding table of a DBCS.
#[derive(Debug)]
pub struct PairTable {
    /// The UTF-8 sequence of each unit; zero for unmapped units.
    pub utf8: Box<[Utf8Bytes; 0x1_0000]>,
    /// How single bytes are distinguished from lead bytes.
    pub lead_rule: LeadRule,
}

impl PairTable {
    /// Decodes a prefix of `src` while `dst` has space left, up to the first unmapped code. Returns
    /// the numbers of bytes read and written.
    pub fn decode(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        match self.lead_rule {
            LeadRule::PairsOnly => self.decode_pairs(src, dst),
            LeadRule::AsciiSingles | LeadRule::MappedSingles => {
                simd::run(DbcsDecodeKernel { table: self, src, dst })
            }
        }
    }

    /// Does the same for [`LeadRule::PairsOnly`]. Such text is often a few characters between two
    /// shift sequences: small steps are fastest.
    fn decode_pairs(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(input) = src[read..].first_chunk::<{ 2 * PAIRS_PER_STEP }>() {
            let output = dst[written..].first_chunk_mut::<{ 4 * PAIRS_PER_STEP }>();
            let Some(output) = output else { break };
            let word = u64::from_le_bytes(*input);
            let sequences = [0, 16, 32, 48].map(|shift| self.utf8_bytes((word >> shift) as u16));
            let (mut at, mut mapped) = (0, 0);
            for form in sequences.into_iter().take_while(|form| *form != 0) {
                output[at..at + 4].copy_from_slice(&form.to_le_bytes());
                at += utf8_len(form);
                mapped += 1;
            }
            read += 2 * mapped;
            written += at;
            if mapped < PAIRS_PER_STEP {
                break;
            }
        }
        (read, written)
    }

    /// Returns the UTF-8 sequence of a unit, or zero if it is unmapped.
    #[inline(always)]
    fn utf8_bytes(&self, unit: u16) -> Utf8Bytes {
        self.utf8[usize::from(unit)]
    }
}

/// The number of pairs in a step of text that has only pairs.
const PAIRS_PER_STEP: usize = 4;

/// The number of bytes whose high bits are collected at once.
const BLOCK_LEN: usize = 64;

/// The lead bytes of a block that has only pairs.
const PAIRS_ONLY_LEADS: u64 = 0x5555_5555_5555_5555;

/// The input that a block needs, in bytes: a vector may begin near its end.
const INPUT_WINDOW: usize = BLOCK_LEN + WIDTH;

/// The maximum number of blocks in a chunk.
const MAX_BLOCKS: usize = 4;

/// Returns the output capacity that `blocks` blocks may need, in bytes.
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
            let (mapped, bytes_written) =
                write_units(table, &mut units, count, &mut dst[written..]);
            written += bytes_written;
            if mapped < count {
                let bytes = units[..mapped]
                    .iter()
                    .map(|unit| 1 + usize::from(unit >> 7 & 1))
                    .sum::<usize>();
                return (read + bytes, written);
            }
            read += taken;
            blocks = (2 * blocks).min(MAX_BLOCKS);
        }
    }
}

/// Collects the units of the codes that begin in the first `blocks` blocks. Returns the numbers of
/// bytes read and of units.
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
            for (unit, pair) in units[count..].iter_mut().zip(input[..BLOCK_LEN].as_arrays().0) {
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

/// Returns the high bit of each byte of a block, the first byte lowest.
#[inline(always)]
fn high_bits<S: Simd>(simd: S, input: &[u8; INPUT_WINDOW]) -> u64 {
    let mut high = 0;
    for (index, vector) in input[..BLOCK_LEN].as_arrays().0.iter().enumerate() {
        high |= u64::from(simd.movemask8(simd.load(vector))) << (WIDTH * index);
    }
    high
}

/// Writes the UTF-8 of the first `count` units, up to the first unmapped one. Returns the numbers
/// of units and of bytes written.
#[inline(always)]
fn write_units(
    table: &PairTable,
    units: &mut [u16; MAX_BLOCKS * BLOCK_LEN + 2 * WIDTH],
    count: usize,
    dst: &mut [u8],
) -> (usize, usize) {
    // The last group is padded with the first unit.
    let first = units[0];
    if let Some(padding) = units[count..].first_chunk_mut::<HALF_STEP>() {
        *padding = [first; HALF_STEP];
    }
    let (mut mapped, mut written) = (0, 0);
    for group in units[..count.next_multiple_of(HALF_STEP)].as_arrays::<HALF_STEP>().0 {
        let sequences = group.map(|unit| table.utf8_bytes(unit));
        let Some(more) = write_all(sequences, &mut dst[written..]) else { break };
        mapped += HALF_STEP;
        written += more;
    }
    if mapped >= count {
        return (count, written - (mapped - count) * utf8_len(table.utf8_bytes(first)));
    }
    for unit in &units[mapped..count] {
        let form = table.utf8_bytes(*unit);
        let Some(output) = dst[written..].first_chunk_mut() else { break };
        if form == 0 {
            break;
        }
        *output = form.to_le_bytes();
        written += utf8_len(form);
        mapped += 1;
    }
    (mapped, written)
}

/// The number of bytes whose high bits are an index of the table.
const BYTES_PER_INDEX: usize = 8;

/// The codes that begin in eight bytes.
#[derive(Clone, Copy)]
struct CodeBoundaries {
    /// The shuffle indexes of the bytes of the units; 0x80 yields zero.
    shuffle: [u8; WIDTH],
    count: u8,
    /// The number of bytes: eight, or nine if the last code extends beyond them.
    bytes: u8,
}

/// The code boundaries by the high bits of eight bytes, the first byte lowest.
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

/// The bytes of a code, the first byte lowest. Zero is unmappable.
pub type CodeBytes = u32;

/// The number of code points up to U+FFFF.
pub const BMP_LEN: usize = 0x1_0000;

/// The encoding table of a DBCS.
#[derive(Debug, Clone, Copy)]
pub struct DbcsEncodeTable<'a> {
    /// The code of each code point up to U+FFFF.
    pub entries: &'a [CodeBytes; BMP_LEN],
    /// Whether ASCII is encoded as itself.
    pub is_ascii_compatible: bool,
}

impl DbcsEncodeTable<'_> {
    /// Encodes a prefix of `src` while `dst` has space left, up to the first character without a
    /// code of one or two bytes. Returns the numbers of bytes read and written.
    pub fn encode(self, src: &str, dst: &mut [u8]) -> (usize, usize) {
        simd::run(DbcsEncodeKernel { table: self, src: src.as_bytes(), dst })
    }

    /// Returns the code of a code unit.
    #[inline(always)]
    fn entry(self, unit: u16) -> CodeBytes {
        self.entries[usize::from(unit)]
    }

    /// Writes the codes of a group of code units. Returns the number of bytes, or `None` if a unit
    /// has no code of one or two bytes.
    #[inline(always)]
    fn write_group(
        self,
        units: &[u16; GROUP_LEN],
        output: &mut [u8; 2 * GROUP_LEN],
    ) -> Option<usize> {
        let (mut at, mut all) = (0, true);
        for unit in units {
            let code = self.entry(*unit);
            output[at..at + 2].copy_from_slice(&(code as u16).to_le_bytes());
            at += code_len(code);
            all &= is_one_or_two_bytes(code);
        }
        all.then_some(at)
    }

    /// Writes the codes of code units up to the first without one. Returns the numbers of units and
    /// of bytes written.
    #[inline(always)]
    fn write_each(self, units: &[u16], dst: &mut [u8]) -> (usize, usize) {
        let (mut taken, mut written) = (0, 0);
        for unit in units {
            let (code, len) = (self.entry(*unit), code_len(self.entry(*unit)));
            if !is_one_or_two_bytes(code) {
                break;
            }
            let Some(output) = dst.get_mut(written..written + len) else { break };
            output.copy_from_slice(&code.to_le_bytes()[..len]);
            taken += 1;
            written += len;
        }
        (taken, written)
    }
}

/// Returns whether a code has one or two bytes.
#[inline(always)]
fn is_one_or_two_bytes(code: CodeBytes) -> bool {
    code.wrapping_sub(1) < 0xFFFF
}

/// Returns the length in bytes of a code of one or two bytes.
#[inline(always)]
fn code_len(code: CodeBytes) -> usize {
    1 + usize::from(code > 0xFF)
}

struct DbcsEncodeKernel<'a> {
    table: DbcsEncodeTable<'a>,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl Kernel for DbcsEncodeKernel<'_> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let DbcsEncodeKernel { table: codes, src, dst } = self;
        let (mut read, mut written, mut vectors) = (0, 0, MIN_CHUNK_VECTORS);
        let mut units = CodeUnits::new();
        loop {
            if codes.is_ascii_compatible {
                let run = map_ascii_groups(simd, &src[read..], &mut dst[written..], None);
                read += run;
                written += run;
            }
            let max_vectors = (dst.len() - written) / (2 * WIDTH);
            let taken = units.decode_chunk(simd, &src[read..], vectors.min(max_vectors));
            let mut mapped = 0;
            for group in units.groups() {
                let output = dst[written..].first_chunk_mut();
                let Some(output) = output else { break };
                let Some(bytes_written) = codes.write_group(group, output) else { break };
                mapped += GROUP_LEN;
                written += bytes_written;
            }
            let all = units.as_slice();
            if taken == 0 || mapped < all.len() {
                let (more, bytes_written) = codes.write_each(&all[mapped..], &mut dst[written..]);
                let read =
                    char_boundary(src, read) + utf8_to_utf16::utf8_len(&all[..mapped + more]);
                return (read, written + bytes_written);
            }
            // The last group was padded with the first code unit.
            written -= (mapped - all.len()) * code_len(codes.entry(all[0]));
            read += taken;
            vectors = (2 * vectors).min(utf8_to_utf16::MAX_CHUNK_VECTORS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::byte_table::utf8_bytes_of;
    use crate::kernel::simd::Level;

    /// Maps single bytes to ASCII or other characters, and most pairs to characters of all lengths.
    fn sample_char(lead_rule: LeadRule, code: &[u8]) -> Option<char> {
        match (lead_rule, code) {
            (LeadRule::AsciiSingles, [one]) => Some(char::from(*one)),
            (LeadRule::MappedSingles, [one]) => {
                char::from_u32(0x3A0 + u32::from(*one)).filter(|_| *one != 0x5C)
            }
            (_, [lead, trail]) if trail % 32 == 31 || *lead == 0xFF => None,
            (_, [lead, trail]) => {
                char::from_u32(u32::from(*lead) << (trail % 3 + 4) | u32::from(*trail))
            }
            _ => None,
        }
    }

    fn pair_table(lead_rule: LeadRule) -> PairTable {
        let mut sequences = vec![0; 0x1_0000];
        for (unit, form) in sequences.iter_mut().enumerate() {
            let [lead, trail] = (unit as u16).to_le_bytes();
            let code = match (lead_rule, lead, trail) {
                (LeadRule::PairsOnly, ..) | (_, 0x80.., _) => &[lead, trail][..],
                (_, _, 0) => &[lead][..],
                _ => &[],
            };
            *form = sample_char(lead_rule, code).map_or(0, utf8_bytes_of);
        }
        PairTable { utf8: sequences.into_boxed_slice().try_into().unwrap(), lead_rule }
    }

    /// Decodes code by code. Returns the number of bytes read and the text.
    fn reference_decode(lead_rule: LeadRule, bytes: &[u8]) -> (usize, String) {
        let (mut read, mut text) = (0, String::new());
        while let Some(first) = bytes.get(read) {
            let len = if lead_rule == LeadRule::PairsOnly || *first >= 0x80 { 2 } else { 1 };
            let code = bytes.get(read..read + len).and_then(|code| sample_char(lead_rule, code));
            let Some(character) = code else { break };
            text.push(character);
            read += len;
        }
        (read, text)
    }

    /// Returns mapped codes, in runs of single bytes and of pairs.
    fn sample_codes(lead_rule: LeadRule, seed: usize) -> Vec<u8> {
        let mut bytes = vec![b' '; 2 * (seed % 40)];
        for turn in 0..150 {
            let mixed = (turn + seed).wrapping_mul(0x9E37_79B9) >> 7;
            let [lead, trail, ..] = mixed.to_le_bytes();
            let run = mixed >> 16 & 3;
            let single = lead & 0x7F;
            if lead_rule != LeadRule::PairsOnly && sample_char(lead_rule, &[single]).is_some() {
                bytes.extend(std::iter::repeat_n(single, run));
            }
            let lead = if lead_rule == LeadRule::PairsOnly { lead & 0x7F } else { lead | 0x80 };
            if sample_char(lead_rule, &[lead, trail]).is_some() {
                bytes.extend([lead, trail].repeat(run));
            }
        }
        bytes
    }

    #[test]
    fn decoding_agrees_with_reference() {
        for lead_rule in [LeadRule::AsciiSingles, LeadRule::MappedSingles, LeadRule::PairsOnly] {
            let table = pair_table(lead_rule);
            for seed in 0..200 {
                let mut src = sample_codes(lead_rule, seed);
                if seed % 3 > 0 {
                    let at = (seed * 5 % src.len()) & !1;
                    src.splice(at..at, [0xFF, 0x1F]);
                }
                let (max_read, text) = reference_decode(lead_rule, &src);
                for (level, dst) in Level::all().flat_map(|level| {
                    [0, max_output_len(1) - 1, max_output_len(1), 500, 9000]
                        .map(|output| (level, output))
                }) {
                    let mut dst = vec![0x55; dst];
                    let whole = dst.len() == 9000;
                    let table = &table;
                    let (read, written) = match lead_rule {
                        LeadRule::PairsOnly => table.decode(&src, &mut dst),
                        _ => level.run(DbcsDecodeKernel { table, src: &src, dst: &mut dst }),
                    };
                    let (same, prefix) = reference_decode(lead_rule, &src[..read]);
                    assert_eq!(
                        (same, &dst[..written]),
                        (read, prefix.as_bytes()),
                        "{lead_rule:?} {seed}"
                    );
                    assert!(text.starts_with(&prefix));
                    assert!(
                        !whole || max_read == read || src.len() - read < INPUT_WINDOW,
                        "{lead_rule:?} {seed}"
                    );
                }
            }
        }
    }

    /// Returns the code of ASCII except `#`, and of a few more characters; `!` has a code of three
    /// bytes.
    fn code(character: char) -> Option<CodeBytes> {
        let value = u32::from(character);
        match character {
            '#' => None,
            '!' => Some(0x40_4141),
            '\u{1}'..='\x7F' => Some(value),
            'é' | 'ж' | '中' | '가' => Some(value << 4 & 0xFFFF | 0x8080),
            'я' | '日' => Some(value & 0xFF | 0x80),
            '語' => Some(0x4321_4142),
            _ => None,
        }
    }

    fn table() -> Box<[CodeBytes; 0x1_0000]> {
        let of = |value| char::from_u32(value).and_then(code).unwrap_or(0);
        let all: Box<[CodeBytes]> = (0..0x1_0000).map(of).collect();
        all.try_into().unwrap()
    }

    /// Encodes the longest prefix with codes of one or two bytes. Returns the number of bytes read
    /// and the bytes written.
    fn reference_encode(text: &str) -> (usize, Vec<u8>) {
        let (mut read, mut bytes) = (0, Vec::new());
        for character in text.chars() {
            match code(character) {
                Some(code @ 1..=0xFF) => bytes.push(code as u8),
                Some(code @ 0x100..=0xFFFF) => {
                    bytes.extend((code as u16).to_le_bytes());
                }
                _ => break,
            }
            read += character.len_utf8();
        }
        (read, bytes)
    }

    #[test]
    fn encoding_agrees_with_reference() {
        let table = table();
        let samples = ["plain", "é", "жя", "中", "日가", " "];
        let odd_ones = ["#", "!", "語", "\n", "😀", "\0"];
        for before in 0..120 {
            let prefix: String = (0..before).map(|at| samples[at * 5 % 7 % 6]).collect();
            let text = prefix + odd_ones[before % 6] + &"x中".repeat(60);
            for level in Level::all() {
                for start in text.char_indices().map(|(at, _)| at).take(16) {
                    let text = &text[start..];
                    let (max_read, bytes) = reference_encode(text);
                    for output in [0, 31, 32, 33, 100, 4000] {
                        let codes = DbcsEncodeTable { entries: &table, is_ascii_compatible: false };
                        let mut dst = vec![0x55; output];
                        let src = text.as_bytes();
                        let (read, written) =
                            level.run(DbcsEncodeKernel { table: codes, src, dst: &mut dst });
                        let (same, end) = reference_encode(&text[..read]);
                        assert_eq!((same, &dst[..written]), (read, &end[..]), "{level:?} {before}");
                        assert!(bytes.starts_with(&dst[..written]));
                        let stops = max_read - read < 2 * WIDTH || text.len() - read < 2 * WIDTH;
                        assert!(
                            stops || output - written < 2 * WIDTH,
                            "{level:?} {before} is early"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn ascii_missing_from_the_table_is_copied() {
        let table = table();
        let text = "#\0!".repeat(100);
        let codes = DbcsEncodeTable { entries: &table, is_ascii_compatible: true };
        let mut dst = [0; 1000];
        let (read, written) = codes.encode(&text, &mut dst);
        assert_eq!((read, &dst[..written]), (256, &text.as_bytes()[..256]));
    }
}
