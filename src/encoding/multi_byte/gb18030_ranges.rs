//! The four-byte codes of GB 18030: lead, digit, lead, digit, counted through.
//!
//! The first 39,420 numbers are the rest of plane 0 in the order of code points, with the two-byte
//! codes left out; a file of ranges says where it breaks off. From 189,000 on they are the planes
//! above, without a gap.

use super::mapping::{DecodedCode, MappingError};
use crate::conversion_error::MalformedReason;

/// The ranges of one edition.
#[derive(Debug, Clone, Copy)]
pub struct Gb18030Ranges {
    /// Pairs of a number and the code point that it stands for, each two bytes, the least first.
    /// The next numbers stand for the next code points, up to the next pair. A code point 0 stands
    /// for a range without characters.
    ranges: &'static [[u8; 4]],
    /// Whether the encoder uses these codes too.
    pub is_encodable: bool,
}

/// The number of U+10000.
const PLANE_1_POINTER: u32 = 189_000;

impl Gb18030Ranges {
    /// The four-byte codes whose ranges stand in this file.
    pub const fn new(file: &'static [u8]) -> Gb18030Ranges {
        Gb18030Ranges { ranges: file.as_chunks().0, is_encodable: true }
    }

    /// The same, never encoded to.
    pub const fn decode_only(self) -> Gb18030Ranges {
        Gb18030Ranges { is_encodable: false, ..self }
    }

    /// The code at the start of `src`, whose second byte is a digit.
    pub fn decode_one(&self, src: &[u8]) -> Result<DecodedCode, MappingError> {
        let misshapen = Err(MappingError::Malformed(1, MalformedReason::MissingTrailByte));
        match src {
            [_, _, third, ..] if !matches!(third, 0x81..=0xFE) => misshapen,
            [_, _, _, fourth, ..] if !fourth.is_ascii_digit() => misshapen,
            [first, second, third, fourth, ..] => {
                let number = pointer([*first, *second, *third, *fourth]);
                // The digits are not text: the code has its right shape.
                let character = self
                    .char_for_pointer(number)
                    .ok_or(MappingError::Malformed(4, MalformedReason::Unassigned))?;
                Ok(DecodedCode { len: 4, chars: character.into() })
            }
            _ => Err(MappingError::Incomplete),
        }
    }

    /// The character of this number.
    fn char_for_pointer(&self, number: u32) -> Option<char> {
        if number >= PLANE_1_POINTER {
            return char::from_u32(number - PLANE_1_POINTER + 0x1_0000);
        }
        let at = self.ranges.partition_point(|range| range_start(range).0 <= number);
        let (from, code_point) = range_start(self.ranges.get(at.checked_sub(1)?)?);
        if code_point == 0 { None } else { char::from_u32(code_point + number - from) }
    }

    /// The four bytes of a character that has no shorter code.
    pub fn encode_char(&self, character: char) -> Option<[u8; 4]> {
        let value = u32::from(character);
        if value >= 0x1_0000 {
            return Some(bytes_for(value - 0x1_0000 + PLANE_1_POINTER));
        }
        let ends =
            self.ranges.iter().skip(1).map(|next| range_start(next).0).chain([PLANE_1_POINTER]);
        self.ranges.iter().zip(ends).find_map(|(range, end)| {
            let (from, code_point) = range_start(range);
            let number = from + value.checked_sub(code_point)?;
            (code_point != 0 && number < end).then(|| bytes_for(number))
        })
    }
}

fn range_start([number_low, number_high, low, high]: &[u8; 4]) -> (u32, u32) {
    let number = u16::from_le_bytes([*number_low, *number_high]);
    (u32::from(number), u32::from(u16::from_le_bytes([*low, *high])))
}

fn pointer([first, second, third, fourth]: [u8; 4]) -> u32 {
    let lead = |byte: u8| u32::from(byte - 0x81);
    let digit = |byte: u8| u32::from(byte - b'0');
    ((lead(first) * 10 + digit(second)) * 126 + lead(third)) * 10 + digit(fourth)
}

fn bytes_for(number: u32) -> [u8; 4] {
    let lead = |value: u32| 0x81 + value as u8;
    let digit = |value: u32| b'0' + value as u8;
    [lead(number / 12_600), digit(number / 1260 % 10), lead(number / 10 % 126), digit(number % 10)]
}
