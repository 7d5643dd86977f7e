//! The cells of all mappings, in one file that the encodings share.
//!
//! A row is a slice of 16-bit cells, one for each trail byte. Encodings with a common row refer to
//! the same slice, and rows may overlap. A cell is what a code decodes to:
//!
//! | cell | meaning |
//! |---|---|
//! | 0 | the code is unassigned |
//! | D800 to DBFF | two characters, the entry of [`PAIRS`] with this number |
//! | DC00 to DFFF | a character of plane 2; its low 16 bits are the cell at this offset from the start of the row |
//! | any other | the character of this code point |

use charpipe_kernel::simd::as_arrays;

const CELLS: &[[u8; 2]] = as_arrays(include_bytes!("data/cells.bin")).0;

/// The cell of an unassigned code.
pub const UNASSIGNED: u16 = 0;

/// The first code point of plane 2, the only plane above the first that has cells.
const PLANE_2: u32 = 0x2_0000;

/// The codes of two characters: 25 of JIS X 0213 and 4 of Big5-HKSCS.
#[rustfmt::skip]
pub static PAIRS: &[(char, char)] = &[
    ('\u{304B}', '\u{309A}'), ('\u{304D}', '\u{309A}'), ('\u{304F}', '\u{309A}'), ('\u{3051}', '\u{309A}'),
    ('\u{3053}', '\u{309A}'), ('\u{30AB}', '\u{309A}'), ('\u{30AD}', '\u{309A}'), ('\u{30AF}', '\u{309A}'),
    ('\u{30B1}', '\u{309A}'), ('\u{30B3}', '\u{309A}'), ('\u{30BB}', '\u{309A}'), ('\u{30C4}', '\u{309A}'),
    ('\u{30C8}', '\u{309A}'), ('\u{31F7}', '\u{309A}'), ('\u{E6}', '\u{300}'), ('\u{254}', '\u{300}'),
    ('\u{254}', '\u{301}'), ('\u{28C}', '\u{300}'), ('\u{28C}', '\u{301}'), ('\u{259}', '\u{300}'),
    ('\u{259}', '\u{301}'), ('\u{25A}', '\u{300}'), ('\u{25A}', '\u{301}'), ('\u{2E9}', '\u{2E5}'),
    ('\u{2E5}', '\u{2E9}'), ('\u{CA}', '\u{304}'), ('\u{CA}', '\u{30C}'), ('\u{EA}', '\u{304}'),
    ('\u{EA}', '\u{30C}'),
];

/// The characters of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneOrTwoChars {
    pub first: char,
    pub second: Option<char>,
}

impl From<char> for OneOrTwoChars {
    fn from(first: char) -> OneOrTwoChars {
        OneOrTwoChars { first, second: None }
    }
}

impl OneOrTwoChars {
    /// Returns the length in UTF-8, in bytes.
    pub fn len(self) -> usize {
        self.first.len_utf8() + self.second.map_or(0, char::len_utf8)
    }

    /// Writes the characters to the start of `dst` and returns their length in bytes, or `None` if
    /// `dst` has no space for them.
    #[inline]
    pub fn write_to(self, dst: &mut [u8]) -> Option<usize> {
        let len = self.len();
        let space = dst.get_mut(..len)?;
        let first = self.first.encode_utf8(space).len();
        if let Some(second) = self.second {
            second.encode_utf8(&mut space[first..]);
        }
        Some(len)
    }
}

#[inline(always)]
pub fn cell(at: usize) -> u16 {
    CELLS.get(at).map_or(0, |cell| u16::from_le_bytes(*cell))
}

/// Returns whether a cell is the code point of a character of three bytes in UTF-8, as nearly all
/// are.
#[inline(always)]
pub fn is_single_bmp(cell: u16) -> bool {
    cell >= 0x800 && !matches!(cell, 0xD800..=0xDFFF)
}

#[inline(always)]
pub fn is_pair(cell: u16) -> bool {
    matches!(cell, 0xD800..=0xDBFF)
}

/// Decodes the cell in this column of a row.
#[inline]
pub fn decode_cell(row: usize, column: usize) -> Option<OneOrTwoChars> {
    match cell(row + column) {
        0 => None,
        value if is_single_bmp(value) => char::from_u32(value.into()).map(OneOrTwoChars::from),
        pair if is_pair(pair) => {
            let (first, second) = *PAIRS.get(usize::from(pair - 0xD800))?;
            Some(OneOrTwoChars { first, second: Some(second) })
        }
        after @ 0xDC00..=0xDFFF => {
            let low = cell(row + usize::from(after - 0xDC00));
            char::from_u32(PLANE_2 | u32::from(low)).map(OneOrTwoChars::from)
        }
        value => char::from_u32(u32::from(value)).map(OneOrTwoChars::from),
    }
}

/// The cells whose bits in `mask` are `value`.
#[derive(Debug, Clone, Copy)]
pub struct CellPattern {
    mask: u16,
    value: u16,
}

/// Returns patterns that match the cells of a character by itself, or of it and another one if
/// `is_pair`, and maybe other cells.
pub fn patterns(character: char, is_pair: bool) -> impl Iterator<Item = CellPattern> {
    let single = match u32::from(character) {
        value @ 0..=0xFFFF => Some(CellPattern { mask: u16::MAX, value: value as u16 }),
        PLANE_2..=0x2_FFFF => Some(CellPattern { mask: 0xFC00, value: 0xDC00 }),
        _ => None,
    };
    let numbered = (0xD800..).zip(PAIRS).filter(move |(_, (first, _))| *first == character);
    let pairs = numbered.map(|(value, _)| CellPattern { mask: u16::MAX, value });
    single.filter(|_| !is_pair).into_iter().chain(pairs.filter(move |_| is_pair))
}

/// Returns whether a character is the first one of any pair.
pub fn begins_pair(character: char) -> bool {
    PAIRS.iter().any(|(first, _)| *first == character)
}

/// The number of cells that are compared without a branch.
const CELLS_PER_STEP: usize = 32;

/// Calls `found` with each column of a row of `columns` cells that matches, in order.
pub fn find_in_row(row: usize, columns: usize, pattern: CellPattern, mut found: impl FnMut(usize)) {
    let CellPattern { mask, value } = pattern;
    let is_match = |cell: &[u8; 2]| u16::from_le_bytes(*cell) & mask == value;
    let cells = CELLS.get(row..).unwrap_or_default();
    let cells = &cells[..columns.min(cells.len())];
    for (step, cells) in cells.chunks(CELLS_PER_STEP).enumerate() {
        if cells.iter().fold(false, |any, cell| any | is_match(cell)) {
            for (at, _) in cells.iter().enumerate().filter(|(_, cell)| is_match(cell)) {
                found(step * CELLS_PER_STEP + at);
            }
        }
    }
}
