//! The mapping of an encoding: its codes, and the characters that they decode to.

use std::ops::Range;

use super::cells::{self, OneOrTwoChars};
use super::trie::{LeadTrie, ROOT, TrieEntry};
use crate::conversion_error::MalformedReason;
use crate::error_handler::CharacterSpace;
use charpipe_kernel::simd::as_arrays;
use charpipe_kernel::utf8_bytes::TextBuffer;

/// The codes of one encoding: a trie over its lead bytes, and the shared cells.
#[derive(Debug, Clone, Copy)]
pub struct MultiByteMapping {
    /// The trie over the lead bytes.
    pub trie: LeadTrie,
    /// The columns of the trail bytes.
    pub trail_index: &'static TrailIndex,
    /// Whether the bytes below the first one of the trie are ASCII.
    pub ascii: bool,
    /// The four-byte codes of GB 18030.
    pub gb18030_ranges: Option<Gb18030Ranges>,
    /// Whether some codes are two characters, which the encoder writes for them.
    pub has_pairs: bool,
}

/// A complete code: its length in bytes, and its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecodedCode {
    pub len: usize,
    pub chars: OneOrTwoChars,
}

/// The number of bytes written at once for one code.
const WRITE_LEN: usize = 4;

/// Returns the three bytes of UTF-8 of a cell that is a single BMP character, and one more byte
/// that is overwritten later.
#[inline(always)]
fn utf8_3(cell: u16) -> [u8; WRITE_LEN] {
    let value = u32::from(cell);
    let bytes =
        (0xE0 | value >> 12) | (0x80 | value >> 6 & 0x3F) << 8 | (0x80 | value & 0x3F) << 16;
    bytes.to_le_bytes()
}

/// What identifies the codes of a mapping, except for the four-byte ones of GB 18030.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappingKey {
    trie: usize,
    trail_index: usize,
    ascii: bool,
}

/// Why no code can be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingError {
    /// The input ends inside a code.
    Incomplete,
    /// The length of a malformed sequence, and the reason.
    Malformed(usize, MalformedReason),
}

impl MultiByteMapping {
    /// Returns a mapping in which bytes 00 to 7F are ASCII unless the trie has an entry for them.
    pub const fn with_ascii(
        file: &'static [u8],
        trail_index: &'static TrailIndex,
    ) -> MultiByteMapping {
        let trie = LeadTrie::new(file);
        MultiByteMapping { trie, trail_index, ascii: true, gb18030_ranges: None, has_pairs: false }
    }

    /// Returns a mapping with the codes of the trie only.
    pub const fn without_ascii(
        file: &'static [u8],
        trail_index: &'static TrailIndex,
    ) -> MultiByteMapping {
        MultiByteMapping { ascii: false, ..MultiByteMapping::with_ascii(file, trail_index) }
    }

    pub const fn ascii_only() -> MultiByteMapping {
        // A node with the byte 80 only, which is invalid.
        MultiByteMapping::with_ascii(
            &[4, 0, 0, 0, 4, 0, 0, 0, 0x80, 0x80, 0, 0, 0, 0, 0, 0],
            &GL_94,
        )
    }

    /// Adds the four-byte codes of GB 18030.
    pub const fn with_gb18030_ranges(self, ranges: Gb18030Ranges) -> MultiByteMapping {
        MultiByteMapping { gb18030_ranges: Some(ranges), ..self }
    }

    /// Marks a mapping in which some codes are two characters, which the encoder writes for them.
    pub const fn with_pairs(self) -> MultiByteMapping {
        MultiByteMapping { has_pairs: true, ..self }
    }

    /// Returns what identifies the mapping.
    pub fn key(&self) -> MappingKey {
        MappingKey {
            trie: self.trie.address(),
            trail_index: std::ptr::from_ref(self.trail_index).addr(),
            ascii: self.ascii,
        }
    }

    /// Returns whether a byte is in no code, neither as a lead byte nor as a trail byte.
    pub fn is_in_no_code(&self, byte: u8) -> bool {
        let (first, last) = self.trie.byte_range(ROOT);
        !(first..=last).contains(&byte) && self.trail_index[usize::from(byte)] == NOT_A_TRAIL
    }

    /// Decodes one-byte codes and two-byte codes of single BMP characters, up to any other code and
    /// while `dst` has space; returns the number of bytes read and written. If `skip_ascii_runs`,
    /// stops at two adjacent ASCII bytes, which another loop copies faster.
    #[inline(always)]
    pub fn decode_fast(&self, src: &[u8], dst: &mut [u8], skip_ascii_runs: bool) -> (usize, usize) {
        let (mut read, mut written) = (0, 0);
        let (first, root) = self.trie.root_entries();
        while let Some(&[lead, trail]) = src[read..].first_chunk::<2>() {
            let Some(space) = dst[written..].first_chunk_mut::<WRITE_LEN>() else { break };
            let Some(word) = root.get(usize::from(lead.wrapping_sub(first))) else {
                if !self.ascii || skip_ascii_runs && trail.is_ascii() || !lead.is_ascii() {
                    break;
                }
                space[0] = lead;
                written += 1;
                read += 1;
                continue;
            };
            let word = u32::from_le_bytes(*word);
            let Some(row) = TrieEntry::row_from_word(word) else {
                let TrieEntry::Character(character) = TrieEntry::from_word(word) else { break };
                written += character.encode_utf8(space).len();
                read += 1;
                continue;
            };
            let column = self.trail_index[usize::from(trail)];
            let cell = cells::cell(row + usize::from(column));
            if column == NOT_A_TRAIL || !cells::is_single_bmp(cell) {
                break;
            }
            *space = utf8_3(cell);
            written += 3;
            read += 2;
        }
        (read, written)
    }

    /// Returns the text of all of a few bytes, or `None` if there are too many or one of the codes is not a single
    /// character up to U+FFFF.
    pub fn decode_short(&self, src: &[u8]) -> Option<String> {
        if src.len() > TextBuffer::MAX_INPUT_LEN {
            return None;
        }
        let (mut read, mut text) = (0, TextBuffer::new());
        let (first, root) = self.trie.root_entries();
        while let Some(&lead) = src.get(read) {
            let Some(word) = root.get(usize::from(lead.wrapping_sub(first))) else {
                let is_ascii = self.ascii && lead.is_ascii();
                text.push_unit(is_ascii.then_some(lead.into())?)?;
                read += 1;
                continue;
            };
            let word = u32::from_le_bytes(*word);
            if let Some(row) = TrieEntry::row_from_word(word) {
                let column = self.trail_index[usize::from(*src.get(read + 1)?)];
                let cell = cells::cell(row + usize::from(column));
                if column == NOT_A_TRAIL || cell == cells::UNASSIGNED {
                    return None;
                }
                text.push_unit(cell)?;
                read += 2;
            } else {
                let TrieEntry::Character(character) = TrieEntry::from_word(word) else {
                    return None;
                };
                text.push_unit(u32::from(character).try_into().ok()?)?;
                read += 1;
            }
        }
        Some(text.as_str().to_owned())
    }

    /// Decodes the first code of a window. Returns the numbers of bytes read and written. `root` is that of the
    /// trie.
    #[inline(always)]
    pub fn decode_next<const WINDOW: usize>(
        &self,
        (first, root): (u8, &[[u8; 4]]),
        window: &[u8; WINDOW],
        space: &mut CharacterSpace,
    ) -> Result<(usize, usize), MappingError> {
        let (lead, trail) = (window[0], window[1]);
        let word =
            root.get(usize::from(lead.wrapping_sub(first))).map(|it| u32::from_le_bytes(*it));
        match word.map_or(TrieEntry::Invalid, TrieEntry::from_word) {
            TrieEntry::Invalid if self.ascii && lead.is_ascii() => {
                space[0] = lead;
                Ok((1, 1))
            }
            TrieEntry::Invalid => Err(MappingError::Malformed(1, MalformedReason::InvalidLeadByte)),
            TrieEntry::Character(character) => Ok((1, character.encode_utf8(space).len())),
            TrieEntry::Row(row) => {
                let column = self.trail_index[usize::from(trail)];
                let cell = cells::cell(row + usize::from(column));
                if column != NOT_A_TRAIL && cells::is_single_bmp(cell) {
                    space[..WRITE_LEN].copy_from_slice(&utf8_3(cell));
                    return Ok((2, 3));
                }
                match (column, self.gb18030_ranges) {
                    (NOT_A_TRAIL, Some(_)) if trail.is_ascii_digit() => {
                        self.decode_one_to(window, space)
                    }
                    (NOT_A_TRAIL, _) => Err(self.malformed(&window[..2])),
                    _ if cell == 0 => Err(self.unassigned(&window[..2])),
                    _ => self.decode_one_to(window, space),
                }
            }
            TrieEntry::Node(_) => self.decode_one_to(window, space),
        }
    }

    fn decode_one_to(
        &self,
        src: &[u8],
        space: &mut CharacterSpace,
    ) -> Result<(usize, usize), MappingError> {
        let code = self.decode_one(src)?;
        Ok((code.len, code.chars.write_to(space).unwrap_or_default()))
    }

    /// Decodes the first code of `src`, which is not empty.
    pub fn decode_one(&self, src: &[u8]) -> Result<DecodedCode, MappingError> {
        let mut node = ROOT;
        for (index, &byte) in src.iter().enumerate() {
            let len = index + 1;
            match self.trie.entry(node, byte) {
                TrieEntry::Character(character) => {
                    return Ok(DecodedCode { len, chars: character.into() });
                }
                TrieEntry::Row(row) => return self.decode_trail(row, src, len),
                TrieEntry::Node(next) => node = next,
                TrieEntry::Invalid if index == 0 && self.ascii && byte.is_ascii() => {
                    return Ok(DecodedCode { len, chars: char::from(byte).into() });
                }
                TrieEntry::Invalid if index == 0 => {
                    return Err(MappingError::Malformed(1, MalformedReason::InvalidLeadByte));
                }
                TrieEntry::Invalid => return Err(self.malformed(&src[..len])),
            }
        }
        Err(MappingError::Incomplete)
    }

    /// Decodes the code that ends with the byte after `lead_len` lead bytes.
    fn decode_trail(
        &self,
        row: usize,
        src: &[u8],
        lead_len: usize,
    ) -> Result<DecodedCode, MappingError> {
        let &trail = src.get(lead_len).ok_or(MappingError::Incomplete)?;
        let len = lead_len + 1;
        match (self.trail_index[usize::from(trail)], self.gb18030_ranges) {
            (NOT_A_TRAIL, Some(ranges)) if trail.is_ascii_digit() => ranges.decode_one(src),
            (NOT_A_TRAIL, _) => Err(self.malformed(&src[..len])),
            (column, _) => match cells::decode_cell(row, usize::from(column)) {
                Some(text) => Ok(DecodedCode { len, chars: text }),
                None => Err(self.unassigned(&src[..len])),
            },
        }
    }

    /// Returns the error of a code whose last byte is not a valid trail byte.
    fn malformed(&self, code: &[u8]) -> MappingError {
        match self.malformed_len(code) {
            len if len == code.len() => MappingError::Malformed(len, MalformedReason::Unassigned),
            len => MappingError::Malformed(len, MalformedReason::MissingTrailByte),
        }
    }

    fn unassigned(&self, code: &[u8]) -> MappingError {
        MappingError::Malformed(self.malformed_len(code), MalformedReason::Unassigned)
    }

    /// Returns the length of the malformed sequence of an invalid code: up to an ASCII byte after
    /// the first byte, or the whole code in a mapping without ASCII.
    fn malformed_len(&self, code: &[u8]) -> usize {
        let code_len = code.len();
        if !self.ascii {
            return code_len;
        }
        code.iter().skip(1).position(u8::is_ascii).map_or(code_len, |at| at + 1)
    }
}

/// The column of each byte; [`NOT_A_TRAIL`] for a byte that ends no code.
pub type TrailIndex = [u8; 256];

/// The column of a byte that is not a trail byte.
pub const NOT_A_TRAIL: u8 = 0xFF;

/// GR of ISO 2022: 94 columns (EUC).
pub static GR_94: TrailIndex = trail_index(&[(0xA1, 0xFE)]);
/// GL of ISO 2022: 94 columns (7-bit sets, ISO-2022-*, HZ).
pub static GL_94: TrailIndex = trail_index(&[(0x21, 0x7E)]);
/// Shift_JIS: two rows of 94 for each lead byte.
pub static SHIFT_JIS: TrailIndex = trail_index(&[(0x40, 0x7E), (0x80, 0xFC)]);
/// Big5: 157 columns.
pub static BIG5: TrailIndex = trail_index(&[(0x40, 0x7E), (0xA1, 0xFE)]);
/// GBK and GB 18030: 190 columns.
pub static GBK: TrailIndex = trail_index(&[(0x40, 0x7E), (0x80, 0xFE)]);
/// Unified Hangul Code: 178 columns.
pub static UHC: TrailIndex = trail_index(&[(0x41, 0x5A), (0x61, 0x7A), (0x81, 0xFE)]);
/// Johab of KS X 1001, annex 3: 204 columns.
pub static JOHAB: TrailIndex = trail_index(&[(0x31, 0x7E), (0x81, 0xFE)]);
/// GL and GR: 188 columns (DEC Hanyu).
pub static GL_OR_GR_94: TrailIndex = trail_index(&[(0x21, 0x7E), (0xA1, 0xFE)]);
/// EBCDIC double-byte sets: 191 columns.
pub static EBCDIC: TrailIndex = trail_index(&[(0x40, 0xFE)]);

const fn trail_index(ranges: &[(u8, u8)]) -> TrailIndex {
    let mut columns = [NOT_A_TRAIL; 256];
    let (mut range, mut column) = (0, 0);
    while range < ranges.len() {
        let (mut byte, last) = ranges[range];
        while byte <= last {
            columns[byte as usize] = column;
            byte += 1;
            column += 1;
        }
        range += 1;
    }
    columns
}

/// The four-byte codes of one edition of GB 18030: lead byte, digit, lead byte, digit, numbered in
/// order.
///
/// The first 39,420 pointers are the code points of plane 0 without two-byte codes, in order; a
/// file of ranges lists the breaks. From 189,000 on they are the planes above, without a gap.
#[derive(Debug, Clone, Copy)]
pub struct Gb18030Ranges {
    /// Pairs of a pointer and a code point, each two bytes, little-endian. The pointers up to the
    /// next pair are consecutive code points. Code point 0 is a range without characters.
    ranges: &'static [[u8; 4]],
    index: &'static RangeIndex,
    /// Whether the encoder uses these codes.
    pub is_encodable: bool,
}

/// The pointer of U+10000.
const PLANE_1_POINTER: u32 = 189_000;

/// The end of the pointers of plane 0.
const PLANE_0_END: usize = 39_420;

/// The number of pointers, or code points, with a common entry in a [`RangeIndex`].
const INDEX_STEP: usize = 0x100;

/// Where to look for a pointer or a code point among the ranges.
#[derive(Debug)]
pub struct RangeIndex {
    /// The number of the range of the first pointer of each step.
    by_pointer: [u8; PLANE_0_END / INDEX_STEP + 1],
    /// The number of the first range with a code point of each step.
    by_code_point: [u8; 0x1_0000 / INDEX_STEP],
}

impl RangeIndex {
    /// Returns the index of a file of ranges, which are less than 256.
    pub const fn new(file: &'static [u8]) -> RangeIndex {
        let ranges: &[[u8; 4]] = as_arrays(file).0;
        let mut by_pointer = [0; PLANE_0_END / INDEX_STEP + 1];
        let mut by_code_point = [u8::MAX; 0x1_0000 / INDEX_STEP];
        let mut number = ranges.len();
        assert!(number > 0 && number <= u8::MAX as usize);
        while number > 0 {
            number -= 1;
            let (from, code_point) = range_start(&ranges[number]);
            let end = if number + 1 < ranges.len() {
                range_start(&ranges[number + 1]).0
            } else {
                PLANE_0_END as u32
            };
            let mut step = (from as usize).div_ceil(INDEX_STEP);
            while step * INDEX_STEP < end as usize && step < by_pointer.len() {
                by_pointer[step] = number as u8;
                step += 1;
            }
            let mut page = code_point as usize / INDEX_STEP;
            let page_end = (code_point + end).saturating_sub(from) as usize;
            while code_point != 0 && page * INDEX_STEP < page_end && page < by_code_point.len() {
                by_code_point[page] = number as u8;
                page += 1;
            }
        }
        RangeIndex { by_pointer, by_code_point }
    }
}

impl Gb18030Ranges {
    /// Returns the four-byte codes with the ranges of this file, and its index.
    pub const fn new(file: &'static [u8], index: &'static RangeIndex) -> Gb18030Ranges {
        Gb18030Ranges { ranges: as_arrays(file).0, index, is_encodable: true }
    }

    /// Excludes these codes from the encoder.
    pub const fn decode_only(self) -> Gb18030Ranges {
        Gb18030Ranges { is_encodable: false, ..self }
    }

    /// Decodes the code at the start of `src`, whose second byte is a digit.
    pub fn decode_one(&self, src: &[u8]) -> Result<DecodedCode, MappingError> {
        let malformed = Err(MappingError::Malformed(1, MalformedReason::MissingTrailByte));
        match src {
            [_, _, third, ..] if !matches!(third, 0x81..=0xFE) => malformed,
            [_, _, _, fourth, ..] if !fourth.is_ascii_digit() => malformed,
            [first, second, third, fourth, ..] => {
                let pointer = pointer([*first, *second, *third, *fourth]);
                // The digits are part of the malformed sequence, since its structure is valid.
                let character = self
                    .char_for_pointer(pointer)
                    .ok_or(MappingError::Malformed(4, MalformedReason::Unassigned))?;
                Ok(DecodedCode { len: 4, chars: character.into() })
            }
            _ => Err(MappingError::Incomplete),
        }
    }

    /// Decodes four-byte codes at the start of `src` and a few ASCII characters between them, while `dst` has space. Stops
    /// at others, also at codes that are malformed or unassigned. Returns the numbers of bytes read and written.
    pub fn decode_run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        let (mut read, mut written, mut range) = (0, 0, Gb18030Range::empty());
        let mut ascii_end = 0;
        while let (Some(code), Some(to)) =
            (src[read..].first_chunk::<4>(), dst[written..].first_chunk_mut::<4>())
        {
            if code[0].is_ascii() && read < ascii_end {
                to[0] = code[0];
                (read, written) = (read + 1, written + 1);
                continue;
            }
            if !matches!(code, [0x81..=0xFE, b'0'..=b'9', 0x81..=0xFE, b'0'..=b'9']) {
                break;
            }
            let pointer = pointer(*code);
            if !range.from.contains(&pointer) {
                let Some(found) = self.range_of_pointer(pointer) else { break };
                range = found;
            }
            let Some(character) = char::from_u32(range.map(pointer)) else { break };
            written += character.encode_utf8(to).len();
            read += 4;
            ascii_end = read + MAX_ASCII_RUN;
        }
        (read, written)
    }

    fn char_for_pointer(&self, pointer: u32) -> Option<char> {
        char::from_u32(self.range_of_pointer(pointer)?.map(pointer))
    }

    /// Returns the range from pointers to code points.
    fn range_of_pointer(&self, pointer: u32) -> Option<Gb18030Range> {
        if pointer >= PLANE_1_POINTER {
            return Some(Gb18030Range::new(PLANE_1_POINTER..u32::MAX, 0x1_0000));
        }
        let mut number = usize::from(*self.index.by_pointer.get(pointer as usize / INDEX_STEP)?);
        while self.ranges.get(number + 1).is_some_and(|next| range_start(next).0 <= pointer) {
            number += 1;
        }
        let (from, code_point) = range_start(self.ranges.get(number)?);
        let end = self.ranges.get(number + 1).map_or(PLANE_1_POINTER, |next| range_start(next).0);
        (code_point != 0).then(|| Gb18030Range::new(from..end, code_point))
    }

    /// Returns the four bytes of a character that has no shorter code. `range` is one to look in first, and becomes the
    /// one in which it was found.
    #[inline]
    pub fn encode_char(&self, character: char, range: &mut Gb18030Range) -> Option<[u8; 4]> {
        let value = u32::from(character);
        if !range.from.contains(&value) {
            *range = self.range_of_code_point(value)?;
        }
        Some(bytes_for(range.map(value)))
    }

    /// Returns the range from code points to pointers.
    fn range_of_code_point(&self, value: u32) -> Option<Gb18030Range> {
        if value >= 0x1_0000 {
            return Some(Gb18030Range::new(0x1_0000..u32::MAX, PLANE_1_POINTER));
        }
        let first = self.index.by_code_point[value as usize / INDEX_STEP];
        let ranges = self.ranges.get(usize::from(first)..)?;
        let ends = ranges.iter().skip(1).map(|next| range_start(next).0).chain([PLANE_1_POINTER]);
        ranges.iter().zip(ends).find_map(|(range, end)| {
            let (from, code_point) = range_start(range);
            let code_points = code_point..code_point + (end - from);
            (code_point != 0 && code_points.contains(&value))
                .then(|| Gb18030Range::new(code_points, from))
        })
    }
}

/// The number of ASCII characters after a four-byte code from which on others decode them.
const MAX_ASCII_RUN: usize = 16;

/// Consecutive pointers or code points, and what the first of them is mapped to.
#[derive(Debug, Clone)]
pub struct Gb18030Range {
    from: Range<u32>,
    to: u32,
}

impl Gb18030Range {
    /// Returns a range that contains nothing.
    pub const fn empty() -> Gb18030Range {
        Gb18030Range::new(0..0, 0)
    }

    const fn new(from: Range<u32>, to: u32) -> Gb18030Range {
        Gb18030Range { from, to }
    }

    /// Maps a number in the range.
    fn map(&self, number: u32) -> u32 {
        number - self.from.start + self.to
    }
}

const fn range_start([pointer_low, pointer_high, low, high]: &[u8; 4]) -> (u32, u32) {
    let pointer = u16::from_le_bytes([*pointer_low, *pointer_high]);
    (pointer as u32, u16::from_le_bytes([*low, *high]) as u32)
}

fn pointer([first, second, third, fourth]: [u8; 4]) -> u32 {
    let lead = |byte: u8| u32::from(byte - 0x81);
    let digit = |byte: u8| u32::from(byte - b'0');
    ((lead(first) * 10 + digit(second)) * 126 + lead(third)) * 10 + digit(fourth)
}

fn bytes_for(pointer: u32) -> [u8; 4] {
    let lead = |value: u32| 0x81 + value as u8;
    let digit = |value: u32| b'0' + value as u8;
    [
        lead(pointer / 12_600),
        digit(pointer / 1260 % 10),
        lead(pointer / 10 % 126),
        digit(pointer % 10),
    ]
}
