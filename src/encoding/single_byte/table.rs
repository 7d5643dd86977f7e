//! A table: what each byte of an encoding means.

use super::parse_tables::{TABLES, parse_hex};
use crate::kernel::byte_table::{self, Utf8Bytes};

/// Cells of a row.
pub const ROW_LEN: usize = 16;

/// In a cell: the byte is no character. U+FFFF is none either.
pub const UNASSIGNED: u16 = 0xFFFF;

/// An 8-bit encoding.
#[derive(Debug, Clone, Copy)]
pub struct SingleByteTable {
    /// Its name.
    pub name: &'static str,
    /// What it is; empty for one that only others begin from.
    pub description: &'static str,
    /// The table whose rows it has but for its own, by its index in the table.
    pub base: Option<u16>,
    /// The row of the table for each high digit of a byte.
    pub rows: [u16; ROW_LEN],
    /// From where to where its codes stand in the table.
    pub extra_range: (u16, u16),
}

/// A code beside those of the mapping.
#[derive(Debug, Clone, Copy)]
pub struct ExtraMapping {
    /// Its character.
    pub character: u16,
    /// What it is for.
    pub kind: MappingKind,
    pub(super) bytes: [u8; 3],
    pub(super) len: u8,
}

/// What a [`Code`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MappingKind {
    /// The character is encoded so, though these bytes decode to something else.
    EncodeOnly,
    /// An accent and the letter after it. The accent alone is no character.
    Accented,
    /// A letter and the mark after it, which are characters of their own as well.
    Composed,
}

impl SingleByteTable {
    pub(super) const EMPTY: SingleByteTable = SingleByteTable {
        name: "",
        description: "",
        base: None,
        rows: [0; ROW_LEN],
        extra_range: (0, 0),
    };

    /// The character of a byte alone.
    pub fn character(&self, byte: u8) -> Option<char> {
        let row = &TABLES.rows[usize::from(self.rows[usize::from(byte >> 4)])];
        let value = row[usize::from(byte & 0x0F)];
        char::from_u32(u32::from(value)).filter(|_| value != UNASSIGNED)
    }

    /// The codes beside those of the mapping: first those that are only encoded, then the others in
    /// the order of their bytes.
    pub fn codes(&self) -> &'static [ExtraMapping] {
        &TABLES.extra_mappings[usize::from(self.extra_range.0)..usize::from(self.extra_range.1)]
    }

    /// The codes that are only encoded, and the others.
    pub fn partition(&self) -> (&'static [ExtraMapping], &'static [ExtraMapping]) {
        let codes = self.codes();
        codes.split_at(codes.partition_point(|code| code.kind == MappingKind::EncodeOnly))
    }

    /// The codes of this kind, if the table joins bytes in this way.
    pub fn of_kind(&self, kind: MappingKind) -> &'static [ExtraMapping] {
        let (_, both) = self.partition();
        if both.first().is_some_and(|code| code.kind == kind) { both } else { &[] }
    }

    /// Whether bytes below 80 are ASCII.
    pub fn is_ascii_superset(&self) -> bool {
        (0..0x80).all(|byte| self.character(byte) == Some(char::from(byte)))
    }
}

impl ExtraMapping {
    pub(super) const EMPTY: ExtraMapping =
        ExtraMapping { character: 0, kind: MappingKind::EncodeOnly, bytes: [0; 3], len: 0 };

    /// Its bytes, at most three. None where the character is not to be encoded at all.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Its bytes as a form.
    pub fn packed_bytes(&self) -> Utf8Bytes {
        byte_table::utf8_bytes(self.bytes())
    }

    /// Its character.
    pub fn character(&self) -> char {
        // No table holds surrogates; a test looks at every code.
        char::from_u32(u32::from(self.character)).unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Adds bytes, in hexadecimal, at its end.
    pub(super) const fn append(&mut self, mut digits: &[u8]) {
        while !digits.is_empty() {
            let (pair, rest) = digits.split_at(2);
            self.bytes[self.len as usize] = parse_hex(pair) as u8;
            self.len += 1;
            digits = rest;
        }
    }
}
