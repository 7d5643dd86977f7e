//! The cells of all mappings: rows in one array, each stored once.

use memchr::memmem;

/// The pairs of characters that one code decodes to, in the order of `crates/encoding/src/encoding/multi_byte/cells.rs`.
const CHARACTER_PAIRS: &[&str] = &[
    "\u{304B}\u{309A}",
    "\u{304D}\u{309A}",
    "\u{304F}\u{309A}",
    "\u{3051}\u{309A}",
    "\u{3053}\u{309A}",
    "\u{30AB}\u{309A}",
    "\u{30AD}\u{309A}",
    "\u{30AF}\u{309A}",
    "\u{30B1}\u{309A}",
    "\u{30B3}\u{309A}",
    "\u{30BB}\u{309A}",
    "\u{30C4}\u{309A}",
    "\u{30C8}\u{309A}",
    "\u{31F7}\u{309A}",
    "\u{E6}\u{300}",
    "\u{254}\u{300}",
    "\u{254}\u{301}",
    "\u{28C}\u{300}",
    "\u{28C}\u{301}",
    "\u{259}\u{300}",
    "\u{259}\u{301}",
    "\u{25A}\u{300}",
    "\u{25A}\u{301}",
    "\u{2E9}\u{2E5}",
    "\u{2E5}\u{2E9}",
    "\u{CA}\u{304}",
    "\u{CA}\u{30C}",
    "\u{EA}\u{304}",
    "\u{EA}\u{30C}",
];

/// The private use area, which many encodings map in order.
const PRIVATE_USE: std::ops::Range<u16> = 0xE000..0xF900;

/// The cells of all mappings.
pub struct CellPool {
    bytes: Vec<u8>,
}

impl CellPool {
    pub fn new() -> CellPool {
        CellPool { bytes: PRIVATE_USE.flat_map(u16::to_le_bytes).collect() }
    }

    pub fn bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the index of the first cell of a row with these texts. Adds the row if the pool does
    /// not happen to contain it.
    pub fn add_row(&mut self, row: &[Option<&str>]) -> usize {
        let (cells, after) = encode_cells(row);
        let bytes: Vec<u8> =
            cells.iter().chain(&after).flat_map(|cell| cell.to_le_bytes()).collect();
        if let Some(at) = self.find_row(&bytes) {
            return at / 2;
        }
        let shared = self.overlap_len(&bytes);
        let at = (self.bytes.len() - shared) / 2;
        self.bytes.extend_from_slice(&bytes[shared..]);
        at
    }

    fn find_row(&self, bytes: &[u8]) -> Option<usize> {
        memmem::find_iter(&self.bytes, bytes).find(|at| at.is_multiple_of(2))
    }

    /// Returns the number of bytes at the end of the pool that are the beginning of the row.
    fn overlap_len(&self, bytes: &[u8]) -> usize {
        let lengths = (0..=bytes.len()).rev().filter(|len| len.is_multiple_of(2));
        let mut shared = lengths.filter(|len| self.bytes.ends_with(&bytes[..*len]));
        shared.next().unwrap_or(0)
    }
}

/// Returns the cells of a row, and the cells for characters of plane 2 that follow it.
fn encode_cells(row: &[Option<&str>]) -> (Vec<u16>, Vec<u16>) {
    let mut after = Vec::new();
    let mut cell = |text: &str| {
        let mut characters = text.chars().map(u32::from);
        let first = characters.next().expect("a text is not empty");
        if characters.next().is_some() {
            let pair = CHARACTER_PAIRS.iter().position(|pair| *pair == text);
            return 0xD800 + pair.unwrap_or_else(|| panic!("{text:?} is not a known pair")) as u16;
        }
        match first >> 16 {
            0 => first as u16,
            2 => {
                after.push(first as u16);
                0xDC00 + (row.len() + after.len() - 1) as u16
            }
            _ => panic!("{first:X} is in neither plane"),
        }
    };
    let cells = row.iter().map(|text| text.map_or(0, &mut cell)).collect();
    (cells, after)
}
