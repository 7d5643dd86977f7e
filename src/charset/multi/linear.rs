//! The four-byte codes of GB 18030: lead, digit, lead, digit, counted through.
//!
//! The first 39,420 numbers are the rest of plane 0 in the order of code points, with the two-byte
//! codes left out; a file of ranges says where it breaks off. From 189,000 on they are the planes
//! above, without a gap.

use super::grid::{Trouble, Unit};
use crate::fault::Why;

/// The ranges of one edition.
#[derive(Debug, Clone, Copy)]
pub struct Linear {
    /// Pairs of a number and the code point that it stands for, each two octets, the least first.
    /// The next numbers stand for the next code points, up to the next pair. A code point 0 stands
    /// for a range without characters.
    ranges: &'static [[u8; 4]],
    /// Whether the encoder uses these codes too.
    pub encodes: bool,
}

/// The number of U+10000.
const PLANE_1: u32 = 189_000;

impl Linear {
    /// The four-byte codes whose ranges stand in this file.
    pub const fn new(file: &'static [u8]) -> Linear {
        Linear { ranges: file.as_chunks().0, encodes: true }
    }

    /// The same, never encoded to.
    pub const fn decoding(self) -> Linear {
        Linear { encodes: false, ..self }
    }

    /// The code at the front of `src`, whose second byte is a digit.
    pub fn unit(&self, src: &[u8]) -> Result<Unit, Trouble> {
        let misshapen = Err(Trouble::Bad(1, Why::Continuation));
        match src {
            [_, _, third, ..] if !matches!(third, 0x81..=0xFE) => misshapen,
            [_, _, _, fourth, ..] if !fourth.is_ascii_digit() => misshapen,
            [first, second, third, fourth, ..] => {
                let number = number([*first, *second, *third, *fourth]);
                // The digits are not text: the code has its right shape.
                let character = self.character(number).ok_or(Trouble::Bad(4, Why::Unassigned))?;
                Ok(Unit { len: 4, text: character.into() })
            }
            _ => Err(Trouble::Unfinished),
        }
    }

    /// The character of this number.
    fn character(&self, number: u32) -> Option<char> {
        if number >= PLANE_1 {
            return char::from_u32(number - PLANE_1 + 0x1_0000);
        }
        let at = self.ranges.partition_point(|range| start(range).0 <= number);
        let (from, code_point) = start(self.ranges.get(at.checked_sub(1)?)?);
        if code_point == 0 { None } else { char::from_u32(code_point + number - from) }
    }

    /// The four bytes of a character that has no shorter code.
    pub fn code(&self, character: char) -> Option<[u8; 4]> {
        let value = u32::from(character);
        if value >= 0x1_0000 {
            return Some(bytes(value - 0x1_0000 + PLANE_1));
        }
        let ends = self.ranges.iter().skip(1).map(|next| start(next).0).chain([PLANE_1]);
        self.ranges.iter().zip(ends).find_map(|(range, end)| {
            let (from, code_point) = start(range);
            let number = from + value.checked_sub(code_point)?;
            (code_point != 0 && number < end).then(|| bytes(number))
        })
    }
}

fn start([number_low, number_high, low, high]: &[u8; 4]) -> (u32, u32) {
    let number = u16::from_le_bytes([*number_low, *number_high]);
    (u32::from(number), u32::from(u16::from_le_bytes([*low, *high])))
}

fn number([first, second, third, fourth]: [u8; 4]) -> u32 {
    let lead = |byte: u8| u32::from(byte - 0x81);
    let digit = |byte: u8| u32::from(byte - b'0');
    ((lead(first) * 10 + digit(second)) * 126 + lead(third)) * 10 + digit(fourth)
}

fn bytes(number: u32) -> [u8; 4] {
    let lead = |value: u32| 0x81 + value as u8;
    let digit = |value: u32| b'0' + value as u8;
    [lead(number / 12_600), digit(number / 1260 % 10), lead(number / 10 % 126), digit(number % 10)]
}
