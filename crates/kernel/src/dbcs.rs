//! Double-byte character sets (DBCS) to and from UTF-8, by table.
//!
//! To decode, the code boundaries must be found first. They depend on all preceding bytes, but only
//! on which of them may be lead bytes, so that arithmetic finds the boundaries in 64 bytes at a time
//! without a branch. Each code becomes a 16-bit unit, its last byte lowest, and a table has the UTF-8
//! sequence of each unit.

use super::ascii_set::AsciiByteSet;
use super::byte_table::map_ascii_groups;
use super::compress;
use super::simd::{self, AsArrays, Kernel, Simd, WIDTH};
use super::utf8_bytes::{HALF_STEP, Utf8Bytes, utf8_bytes_of, utf8_len, write_all};
use super::utf8_to_utf16::{
    self, CodeUnits, GROUP_LEN, MIN_CHUNK_VECTORS, char_boundary, store_units,
};

/// How single bytes are distinguished from lead bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeadRule {
    /// Bytes below 0x80 are single, all others are lead bytes.
    LowSingles,
    /// Bytes below 0x80 and those of this range are single, all others are lead bytes.
    HighSingles(u8, u8),
    /// All codes have two bytes.
    PairsOnly,
}

/// The decoding table of a DBCS. Rows are filled in when they are needed.
#[derive(Debug)]
pub struct PairTable {
    /// The UTF-8 sequence of each unit; zero for unmapped units. Pages that are never written take no
    /// memory.
    utf8: Box<[Utf8Bytes; 0x1_0000]>,
    lead_rule: LeadRule,
    /// The bytes that are ASCII.
    ascii: AsciiByteSet,
    /// Whether these are all bytes below 0x80.
    is_ascii_superset: bool,
}

impl PairTable {
    /// Creates a table without rows from the characters of single bytes.
    pub fn new(lead_rule: LeadRule, single: impl Fn(u8) -> Option<char>) -> PairTable {
        let utf8 = vec![0; 0x1_0000].into_boxed_slice();
        let mut utf8: Box<[Utf8Bytes; 0x1_0000]> =
            utf8.try_into().expect("the length is that of the array");
        for (byte, sequence) in (0..=0xFF).zip(utf8.iter_mut()) {
            *sequence = single(byte).map_or(0, utf8_bytes_of);
        }
        let ascii = AsciiByteSet::new(|byte| single(byte) == Some(char::from(byte)));
        let is_ascii_superset = ascii.is_full();
        PairTable { utf8, lead_rule, ascii, is_ascii_superset }
    }

    /// Sets the characters of a lead byte, up to U+FFFF, by trail byte.
    #[inline]
    pub fn set_row(&mut self, lead: u8, character: impl Fn(u8) -> Option<char>) {
        let row = &mut self.utf8[usize::from(lead) << 8..][..0x100];
        for (trail, sequence) in row.iter_mut().enumerate() {
            *sequence = character(trail as u8).map_or(0, utf8_bytes_of);
        }
    }

    /// Decodes a prefix of `src` while `dst` has space left, up to the first unmapped code. Returns
    /// the numbers of bytes read and written.
    ///
    /// For [`LeadRule::PairsOnly`], one or two of the bytes `between_shifts` between SI and SO are
    /// decoded as ASCII.
    pub fn decode(
        &self,
        src: &[u8],
        dst: &mut [u8],
        between_shifts: Option<&AsciiByteSet>,
    ) -> (usize, usize) {
        match self.lead_rule {
            LeadRule::PairsOnly => self.decode_pairs(src, dst, between_shifts),
            LeadRule::LowSingles if self.is_ascii_superset => {
                simd::run(DbcsDecodeKernel::<true> { table: self, src, dst })
            }
            LeadRule::LowSingles | LeadRule::HighSingles(..) => {
                simd::run(DbcsDecodeKernel::<false> { table: self, src, dst })
            }
        }
    }

    /// Does the same for [`LeadRule::PairsOnly`]. Such text is often a few characters between two
    /// shift sequences: small steps are fastest.
    fn decode_pairs(
        &self,
        src: &[u8],
        dst: &mut [u8],
        between_shifts: Option<&AsciiByteSet>,
    ) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        while let Some(input) = src[read..].first_chunk::<{ 2 * PAIRS_PER_STEP }>() {
            let output = dst[written..].first_chunk_mut::<{ 4 * PAIRS_PER_STEP }>();
            let Some(output) = output else { break };
            let word = u64::from_be_bytes(*input);
            let sequences = [48, 32, 16, 0].map(|shift| self.utf8_bytes((word >> shift) as u16));
            let [a, b, c, d] = sequences;
            if utf8_len(a & b & c & d) == 3 {
                for (index, sequence) in sequences.into_iter().enumerate() {
                    output[3 * index..3 * index + 4].copy_from_slice(&sequence.to_le_bytes());
                }
                read += 2 * PAIRS_PER_STEP;
                written += 3 * PAIRS_PER_STEP;
                continue;
            }
            // Without a branch for each pair: the number of pairs before a shift is hard to predict.
            let (mut at, mut mapped, mut is_mapped) = (0, 0, true);
            for sequence in sequences {
                output[at..at + 4].copy_from_slice(&sequence.to_le_bytes());
                is_mapped &= sequence != 0;
                mapped += usize::from(is_mapped);
                at += utf8_len(sequence) * usize::from(is_mapped);
            }
            read += 2 * mapped;
            written += at;
            if mapped == PAIRS_PER_STEP {
                continue;
            }
            let Some((set, input)) = between_shifts.zip(src[read..].first_chunk()) else { break };
            let Some(output) = dst[written..].first_chunk_mut() else { break };
            let Some(len) = copy_between_shifts(set, input, output) else { break };
            read += len + 2;
            written += len;
        }
        for pair in src[read..].chunks_exact(2) {
            let sequence = self.utf8_bytes(u16::from_be_bytes([pair[0], pair[1]]));
            let output = dst[written..].first_chunk_mut().filter(|_| sequence != 0);
            let Some(output) = output else { break };
            *output = sequence.to_le_bytes();
            read += 2;
            written += utf8_len(sequence);
        }
        (read, written)
    }

    /// Returns the UTF-8 sequence of a unit, which is a single byte or a pair with the lead byte highest, or zero if
    /// it is unmapped.
    #[inline(always)]
    pub fn utf8_bytes(&self, unit: u16) -> Utf8Bytes {
        self.utf8[usize::from(unit)]
    }

    /// Returns the range of single bytes from 0x80; no byte is after the first and before the second.
    fn high_singles(&self) -> (u8, u8) {
        match self.lead_rule {
            LeadRule::HighSingles(first, last) => (first, last),
            LeadRule::LowSingles | LeadRule::PairsOnly => (0xFF, 0xFE),
        }
    }
}

/// Copies one or two members of `set` between SI and SO, and returns their number, or `None` if the
/// input is something else.
#[inline(always)]
fn copy_between_shifts(
    set: &AsciiByteSet,
    &[shift_in, first, second, third]: &[u8; 4],
    output: &mut [u8; 2],
) -> Option<usize> {
    *output = [first, second];
    let is_one = second == SHIFT_OUT;
    let is_two = (third == SHIFT_OUT) & set.contains(second);
    let is_copied = (shift_in == SHIFT_IN) & set.contains(first) & (is_one | is_two);
    is_copied.then_some(2 - usize::from(is_one))
}

const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;

/// The number of pairs in a step of text that has only pairs.
const PAIRS_PER_STEP: usize = 4;

/// The number of bytes whose roles are collected at once.
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

/// Decodes text with single bytes, which are ASCII below 0x80 if `ASCII`.
struct DbcsDecodeKernel<'a, const ASCII: bool> {
    table: &'a PairTable,
    src: &'a [u8],
    dst: &'a mut [u8],
}

impl<const ASCII: bool> Kernel for DbcsDecodeKernel<'_, ASCII> {
    type Output = (usize, usize);

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> (usize, usize) {
        let DbcsDecodeKernel { table, src, dst } = self;
        let (mut read, mut written, mut blocks) = (0, 0, 1);
        let mut units = [0; MAX_BLOCKS * BLOCK_LEN + 2 * WIDTH];
        loop {
            let run = if table.is_ascii_superset {
                map_ascii_groups(simd, &src[read..], &mut dst[written..], None)
            } else {
                table.ascii.vectors(simd).copy_members(simd, &src[read..], &mut dst[written..])
            };
            read += run;
            written += run;
            while blocks > 0 && max_output_len(blocks) > dst.len() - written {
                blocks -= 1;
            }
            let (taken, count) =
                collect_units::<S, ASCII>(simd, table, &src[read..], blocks, &mut units);
            if taken == 0 {
                return (read, written);
            }
            let (mapped, bytes_written) =
                write_units(table, &mut units, count, &mut dst[written..]);
            written += bytes_written;
            if mapped < count {
                for unit in &units[..mapped] {
                    read += 1 + usize::from(*unit > 0xFF);
                }
                return (read, written);
            }
            read += taken;
            blocks = (2 * blocks).min(MAX_BLOCKS);
        }
    }
}

/// Collects the units of the codes that begin in the first `blocks` blocks. Returns the numbers of
/// bytes read and of units.
#[inline(always)]
fn collect_units<S: Simd, const ASCII: bool>(
    simd: S,
    table: &PairTable,
    src: &[u8],
    blocks: usize,
    units: &mut [u16; MAX_BLOCKS * BLOCK_LEN + 2 * WIDTH],
) -> (usize, usize) {
    let (mut at, mut count) = (0, 0);
    for _ in 0..blocks {
        let Some(input) = src[at..].first_chunk::<INPUT_WINDOW>() else { break };
        let mut high = 0;
        for (index, vector) in input[..BLOCK_LEN].as_arrays().0.iter().enumerate() {
            let leads = lead_bytes::<S, ASCII>(simd, table, simd.load(vector));
            high |= u64::from(simd.movemask8(leads)) << (WIDTH * index);
        }
        if high & PAIRS_ONLY_LEADS == PAIRS_ONLY_LEADS {
            for (unit, pair) in units[count..].iter_mut().zip(input[..BLOCK_LEN].as_arrays().0) {
                *unit = u16::from_be_bytes(*pair);
            }
            count += BLOCK_LEN / 2;
            at += BLOCK_LEN;
            continue;
        }
        let mut starts = !trail_bits(high);
        // The trail byte of the last code may be after the block.
        at += BLOCK_LEN + ((starts & high) >> (BLOCK_LEN - 1)) as usize;
        for index in 0..BLOCK_LEN / WIDTH {
            let Some(bytes) = input[WIDTH * index..].first_chunk() else { break };
            let Some(next) = input[WIDTH * index + 1..].first_chunk() else { break };
            let (bytes, next) = (simd.load(bytes), simd.load(next));
            let leads = lead_bytes::<S, ASCII>(simd, table, bytes);
            // Of a lead byte and the byte after it, or of a single byte.
            let low = simd.select(leads, next, bytes);
            let high = simd.select(leads, bytes, simd.splat8(0));
            for pairs in [simd.zip_low8(low, high), simd.zip_high8(low, high)] {
                let Some(to) = units[count..].first_chunk_mut() else { break };
                store_units(simd, compress::compress16(simd, pairs, starts as u32 & 0xFF), to);
                count += (starts & 0xFF).count_ones() as usize;
                starts >>= GROUP_LEN;
            }
        }
    }
    (at, count)
}

/// Returns bytes whose highest bit is set for those that are lead bytes if a code begins there.
#[inline(always)]
fn lead_bytes<S: Simd, const ASCII: bool>(simd: S, table: &PairTable, bytes: S::Bytes) -> S::Bytes {
    if ASCII {
        return bytes;
    }
    let (first, last) = table.high_singles();
    let (before, after) = (simd.splat8(first - 1), simd.splat8(last + 1));
    let singles = simd.and(simd.gt_i8(bytes, before), simd.gt_i8(after, bytes));
    simd.and_not(bytes, singles)
}

/// Returns the bits of the trail bytes of a block, from those that are lead bytes if a code begins
/// there. The first byte is the lowest bit, and begins a code.
///
/// In a run of such bytes every second one is a trail byte, and so is the byte after a run of an odd
/// length. An addition finds the runs that begin at an odd position.
#[inline(always)]
fn trail_bits(high: u64) -> u64 {
    let after_high = high << 1;
    let odd_starts = high & !PAIRS_ONLY_LEADS & !after_high;
    let inverted = odd_starts.wrapping_add(high) << 1;
    (PAIRS_ONLY_LEADS ^ inverted) & after_high
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
        let Some(more) = write_sequences(sequences, &mut dst[written..]) else { break };
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

/// Writes sequences one after another, at once if all have three bytes. Returns the number of bytes,
/// or `None` if one is zero.
#[inline(always)]
fn write_sequences(sequences: [Utf8Bytes; HALF_STEP], output: &mut [u8]) -> Option<usize> {
    let [a, b, c, d, e, f, g, h] = sequences;
    if utf8_len((a & b) & (c & d) & (e & f) & (g & h)) < 3 {
        return write_all(sequences, output);
    }
    let output = output.first_chunk_mut::<{ 3 * HALF_STEP + 1 }>()?;
    for (index, sequence) in sequences.into_iter().enumerate() {
        if let Some(slot) = output[3 * index..].first_chunk_mut() {
            *slot = sequence.to_le_bytes();
        }
    }
    Some(3 * HALF_STEP)
}

/// The bytes of a code, the first byte lowest. Zero is unmappable.
pub type CodeBytes = u32;

/// The number of code points up to U+FFFF.
pub const BMP_LEN: usize = 0x1_0000;

/// The encoding table of a DBCS.
#[derive(Debug, Clone, Copy)]
pub struct DbcsEncodeTable<'a> {
    /// The code of each code point up to U+FFFF.
    pub entries: &'a [CodeBytes; BMP_LEN],
    /// The ASCII characters that are encoded as themselves.
    pub ascii: &'a AsciiByteSet,
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
        let (ascii, is_ascii_superset) = (codes.ascii.vectors(simd), codes.ascii.is_full());
        loop {
            // A vector may begin within a character, but its last bytes are not ASCII.
            let run = if is_ascii_superset {
                map_ascii_groups(simd, &src[read..], &mut dst[written..], None)
            } else {
                ascii.copy_members(simd, &src[read..], &mut dst[written..])
            };
            read += run;
            written += run;
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
    use crate::simd::Level;
    use crate::testing::stride;

    const LEAD_RULES: [(LeadRule, bool); 4] = [
        (LeadRule::LowSingles, true),
        (LeadRule::LowSingles, false),
        (LeadRule::HighSingles(0xA1, 0xDF), false),
        (LeadRule::PairsOnly, false),
    ];

    fn is_single(lead_rule: LeadRule, byte: u8) -> bool {
        match lead_rule {
            LeadRule::LowSingles => byte < 0x80,
            LeadRule::HighSingles(first, last) => byte < 0x80 || (first..=last).contains(&byte),
            LeadRule::PairsOnly => false,
        }
    }

    /// Maps single bytes to ASCII if `ascii` or other characters, and most pairs to characters of all
    /// lengths.
    fn sample_char((lead_rule, ascii): (LeadRule, bool), code: &[u8]) -> Option<char> {
        match code {
            [one] if !is_single(lead_rule, *one) => None,
            [one] if ascii || one % 3 == 0 && *one < 0x80 => Some(char::from(*one)),
            [0x5C] => None,
            [one] => char::from_u32(0x3A0 + u32::from(*one)),
            [lead, trail] if trail % 32 == 31 || *lead == 0xFF => None,
            [lead, trail] => {
                char::from_u32(u32::from(*lead) << (trail % 3 + 4) | u32::from(*trail))
            }
            _ => None,
        }
    }

    fn pair_table(rule: (LeadRule, bool)) -> PairTable {
        let mut table = PairTable::new(rule.0, |byte| sample_char(rule, &[byte]));
        for lead in (0..=0xFF).filter(|lead| !is_single(rule.0, *lead)) {
            table.set_row(lead, |trail| sample_char(rule, &[lead, trail]));
        }
        table
    }

    /// Decodes code by code. Returns the number of bytes read and the text.
    fn reference_decode(rule: (LeadRule, bool), bytes: &[u8]) -> (usize, String) {
        let (mut read, mut text) = (0, String::new());
        while let Some(first) = bytes.get(read) {
            let len = if is_single(rule.0, *first) { 1 } else { 2 };
            let code = bytes.get(read..read + len).and_then(|code| sample_char(rule, code));
            let Some(character) = code else { break };
            text.push(character);
            read += len;
        }
        (read, text)
    }

    /// Returns mapped codes, in runs of single bytes and of pairs.
    fn sample_codes(rule: (LeadRule, bool), seed: usize) -> Vec<u8> {
        let mut bytes = vec![b' '; 2 * (seed % 40)];
        for turn in 0..150 {
            let mixed = (turn + seed).wrapping_mul(0x9E37_79B9) >> 7;
            let [lead, trail, ..] = mixed.to_le_bytes();
            let run = mixed >> 16 & 3;
            let single = if turn % 2 == 0 { lead & 0x7F } else { lead };
            if sample_char(rule, &[single]).is_some() {
                bytes.extend(std::iter::repeat_n(single, run));
            }
            let lead = if rule.0 == LeadRule::PairsOnly { lead & 0x7F } else { lead | 0x80 };
            if !is_single(rule.0, lead) && sample_char(rule, &[lead, trail]).is_some() {
                bytes.extend([lead, trail].repeat(run));
            }
        }
        bytes
    }

    #[test]
    fn decoding_agrees_with_reference() {
        for rule in LEAD_RULES {
            let table = pair_table(rule);
            for seed in (0..200).step_by(stride(59)) {
                let mut src = sample_codes(rule, seed);
                if seed % 3 > 0 {
                    let at = (seed * 5 % src.len()) & !1;
                    src.splice(at..at, [0xFF, 0x1F]);
                }
                let (max_read, text) = reference_decode(rule, &src);
                for (level, dst) in Level::all().flat_map(|level| {
                    [0, max_output_len(1) - 1, max_output_len(1), 500, 9000]
                        .map(|output| (level, output))
                }) {
                    let mut dst = vec![0x55; dst];
                    let whole = dst.len() == 9000;
                    let table = &table;
                    let (src, dst) = (&src[..], &mut dst[..]);
                    let (read, written) = match rule {
                        (LeadRule::PairsOnly, _) => table.decode(src, dst, None),
                        (_, true) => level.run(DbcsDecodeKernel::<true> { table, src, dst }),
                        (_, false) => level.run(DbcsDecodeKernel::<false> { table, src, dst }),
                    };
                    let (same, prefix) = reference_decode(rule, &src[..read]);
                    assert_eq!(
                        (same, &dst[..written]),
                        (read, prefix.as_bytes()),
                        "{rule:?} {seed}"
                    );
                    assert!(text.starts_with(&prefix));
                    assert!(
                        !whole || max_read == read || src.len() - read < INPUT_WINDOW,
                        "{rule:?} {seed}"
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
        for before in (0..120).step_by(stride(47)) {
            let prefix: String = (0..before).map(|at| samples[at * 5 % 7 % 6]).collect();
            let text = prefix + odd_ones[before % 6] + &"x中".repeat(60);
            for level in Level::all() {
                for start in text.char_indices().map(|(at, _)| at).take(16) {
                    let text = &text[start..];
                    let (max_read, bytes) = reference_encode(text);
                    for output in [0, 31, 32, 33, 100, 4000] {
                        let ascii = AsciiByteSet::new(|_| false);
                        let codes = DbcsEncodeTable { entries: &table, ascii: &ascii };
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
        let ascii = AsciiByteSet::new(|_| true);
        let codes = DbcsEncodeTable { entries: &table, ascii: &ascii };
        let mut dst = [0; 1000];
        let (read, written) = codes.encode(&text, &mut dst);
        assert_eq!((read, &dst[..written]), (256, &text.as_bytes()[..256]));
    }

    #[test]
    fn bytes_between_shifts_are_copied() {
        let mut table = PairTable::new(LeadRule::PairsOnly, |_| None);
        table.set_row(b'!', |trail| match trail {
            b'!' => Some('\u{3000}'),
            b'"' => Some('\u{B7}'),
            _ => None,
        });
        let set = AsciiByteSet::new(|byte| byte >= b' ');
        let cases: [(&[u8], usize, &str); 5] = [
            (b"!!!\"\x0F \x0E!!", 9, "\u{3000}\u{B7} \u{3000}"),
            (b"!!\x0F, \x0E!!!!!!!!!!", 16, "\u{3000}, \u{3000}\u{3000}\u{3000}\u{3000}\u{3000}"),
            (b"!!\x0F\x0E\x0E!!!!!!!!", 2, "\u{3000}"),
            (b"!!\x0F \n\x0E!!!!!!!!", 2, "\u{3000}"),
            (b"!!\x0F  \x20\x0E!!!!!!!!", 2, "\u{3000}"),
        ];
        for (codes, read, text) in cases {
            let mut dst = [0; 100];
            let src = [codes, b"\0\0\0\0\0\0\0\0"].concat();
            let (len, written) = table.decode(&src, &mut dst, Some(&set));
            assert_eq!((len, &dst[..written]), (read, text.as_bytes()), "{codes:?}");
            let (len, _) = table.decode(&src, &mut dst, None);
            assert_eq!(len, codes.iter().position(|byte| *byte == SHIFT_IN).unwrap_or(read));
        }
    }

    #[test]
    fn trail_bytes_follow_lead_bytes() {
        let mut random = crate::testing::random(3);
        for _ in (0..20_000).step_by(stride(801)) {
            let mut high = (0..8).fold(0, |bits, _| bits << 8 | u64::from(random.byte()));
            high |= if random.below(2) == 0 { high << 1 } else { 0 };
            let (mut expected, mut at) = (0_u64, 0);
            while at < 64 {
                if high >> at & 1 != 0 {
                    at += 1;
                    expected |= 1_u64.checked_shl(at).unwrap_or(0);
                }
                at += 1;
            }
            assert_eq!(trail_bits(high), expected, "{high:064b}");
        }
    }
}
