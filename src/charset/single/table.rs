//! A table: what each byte of a charset means.

use super::sheet::{SHEET, hex};
use crate::kernel::octet::{self, Form};

/// Cells of a row.
pub const ROW: usize = 16;

/// In a cell: the byte is no character. U+FFFF is none either.
pub const NONE: u16 = 0xFFFF;

/// An 8-bit charset.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What it is; empty for one that only others begin from.
    pub about: &'static str,
    /// The table whose rows it has but for its own, by its index in the sheet.
    pub base: Option<u16>,
    /// The row of the sheet for each high digit of a byte.
    pub rows: [u16; ROW],
    /// From where to where its codes stand in the sheet.
    pub codes: (u16, u16),
}

/// A code beside those of the grid.
#[derive(Debug, Clone, Copy)]
pub struct Code {
    /// Its character.
    pub character: u16,
    /// What it is for.
    pub kind: Kind,
    pub(super) bytes: [u8; 3],
    pub(super) len: u8,
}

/// What a [`Code`] is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The character is encoded so, though these bytes decode to something else.
    Encoded,
    /// An accent and the letter behind it. The accent alone is no character.
    Accented,
    /// A letter and the mark behind it, which are characters of their own as well.
    Composed,
}

impl Table {
    pub(super) const EMPTY: Table =
        Table { name: "", about: "", base: None, rows: [0; ROW], codes: (0, 0) };

    /// The character of a byte alone.
    pub fn character(&self, byte: u8) -> Option<char> {
        let row = &SHEET.rows[usize::from(self.rows[usize::from(byte >> 4)])];
        let value = row[usize::from(byte & 0x0F)];
        char::from_u32(u32::from(value)).filter(|_| value != NONE)
    }

    /// The codes beside those of the grid: first those that are only encoded, then the others in
    /// the order of their bytes.
    pub fn codes(&self) -> &'static [Code] {
        &SHEET.codes[usize::from(self.codes.0)..usize::from(self.codes.1)]
    }

    /// The codes that are only encoded, and the others.
    pub fn parted(&self) -> (&'static [Code], &'static [Code]) {
        let codes = self.codes();
        codes.split_at(codes.partition_point(|code| code.kind == Kind::Encoded))
    }

    /// The codes of this kind, if the table joins octets in this way.
    pub fn joined(&self, kind: Kind) -> &'static [Code] {
        let (_, both) = self.parted();
        if both.first().is_some_and(|code| code.kind == kind) { both } else { &[] }
    }

    /// Whether bytes below 80 are ASCII.
    pub fn holds_ascii(&self) -> bool {
        (0..0x80).all(|byte| self.character(byte) == Some(char::from(byte)))
    }
}

impl Code {
    pub(super) const EMPTY: Code =
        Code { character: 0, kind: Kind::Encoded, bytes: [0; 3], len: 0 };

    /// Its bytes, at most three. None where the character is not to be encoded at all.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// Its bytes as a form.
    pub fn form(&self) -> Form {
        octet::form(self.bytes())
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
            self.bytes[self.len as usize] = hex(pair) as u8;
            self.len += 1;
            digits = rest;
        }
    }
}
