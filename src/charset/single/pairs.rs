//! Two octets that are one character.

use super::table::Code;

/// What an octet makes with each other octet.
#[derive(Debug)]
pub struct Pairs {
    /// Which of the rows an octet has, counted from 1; nought where it makes nothing.
    places: [u8; 0x100],
    /// Code points; nought is nothing.
    rows: Vec<[u16; 0x100]>,
}

/// Which octet of a code is looked up first.
#[derive(Debug, Clone, Copy)]
pub enum Key {
    /// The accent before a letter.
    First,
    /// The mark behind a letter.
    Second,
}

impl Pairs {
    /// The codes of two octets among these.
    pub fn new(codes: &[Code], key: Key) -> Pairs {
        let mut pairs = Pairs { places: [0; 0x100], rows: Vec::new() };
        for code in codes {
            let [first, second] = *code.bytes() else { continue };
            let (key, other) = match key {
                Key::First => (first, second),
                Key::Second => (second, first),
            };
            let place = &mut pairs.places[usize::from(key)];
            if *place == 0 {
                pairs.rows.push([0; 0x100]);
                *place = pairs.rows.len() as u8;
            }
            pairs.rows[usize::from(*place) - 1][usize::from(other)] = code.character;
        }
        pairs
    }

    /// Whether an octet makes anything with any other.
    pub fn has(&self, key: u8) -> bool {
        self.places[usize::from(key)] != 0
    }

    /// What it makes with this one.
    pub fn find(&self, key: u8, other: u8) -> Option<char> {
        let row = self.rows.get(usize::from(self.places[usize::from(key)]).checked_sub(1)?)?;
        let value = row[usize::from(other)];
        char::from_u32(u32::from(value)).filter(|_| value != 0)
    }
}
