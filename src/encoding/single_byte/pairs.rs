//! Two bytes that are one character.

use super::table::ExtraMapping;

/// What a byte makes with each other byte.
#[derive(Debug)]
pub struct CompositionTable {
    /// Which of the rows a byte has, counted from 1; zero where it makes nothing.
    row_indexes: [u8; 0x100],
    /// Code points; zero is nothing.
    rows: Vec<[u16; 0x100]>,
}

/// Which byte of a code is looked up first.
#[derive(Debug, Clone, Copy)]
pub enum KeyByte {
    /// The accent before a letter.
    First,
    /// The mark after a letter.
    Second,
}

impl CompositionTable {
    /// The codes of two bytes among these.
    pub fn new(codes: &[ExtraMapping], key: KeyByte) -> CompositionTable {
        let mut pairs = CompositionTable { row_indexes: [0; 0x100], rows: Vec::new() };
        for code in codes {
            let [first, second] = *code.bytes() else { continue };
            let (key, other) = match key {
                KeyByte::First => (first, second),
                KeyByte::Second => (second, first),
            };
            let position = &mut pairs.row_indexes[usize::from(key)];
            if *position == 0 {
                pairs.rows.push([0; 0x100]);
                *position = pairs.rows.len() as u8;
            }
            pairs.rows[usize::from(*position) - 1][usize::from(other)] = code.character;
        }
        pairs
    }

    /// Whether a byte makes anything with any other.
    pub fn contains(&self, key: u8) -> bool {
        self.row_indexes[usize::from(key)] != 0
    }

    /// What it makes with this one.
    pub fn compose(&self, key: u8, other: u8) -> Option<char> {
        let row = self.rows.get(usize::from(self.row_indexes[usize::from(key)]).checked_sub(1)?)?;
        let value = row[usize::from(other)];
        char::from_u32(u32::from(value)).filter(|_| value != 0)
    }
}
