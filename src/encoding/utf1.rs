//! UTF-1 (ISO-IR-178, annex G of ISO/IEC 10646-1:1993): 1, 2, 3 or 5 bytes in base 190.
//!
//! Bytes 00 to 9F stand for themselves, and no control is ever part of another character. A trail
//! is any of the 190 bytes 21 to 7E and A0 to FF, so ASCII is itself only where a character
//! begins, and `/` can be the end of another one, which is why the form was withdrawn.

#[cfg(test)]
mod tests;

use super::code_point_codec::{
    CodePointFormat, FormatDecoder, FormatEncoder, MAX_UCS4, ReadResult, ucs4_codecs,
};
use super::{BomHandling, Encoding, EncodingOptions, FnFactory};
use crate::conversion_error::MalformedReason;
use crate::kernel;

/// The first transformation format of ISO/IEC 10646.
pub static UTF_1: Encoding = Encoding {
    name: "UTF-1",
    description: "31 bits in 1, 2, 3 or 5 bytes, withdrawn (ISO-IR-178)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(FormatDecoder::new(Utf1Format)),
        encoder: |_: &EncodingOptions| Box::new(FormatEncoder::new(Utf1Format)),
    },
    ucs4: ucs4_codecs(
        |_| true,
        |_: &EncodingOptions| Box::new(FormatDecoder::new(Utf1Format)),
        |_: &EncodingOptions| Box::new(FormatEncoder::new(Utf1Format)),
    ),
};

struct Utf1Format;

const BASE: u32 = 190;

/// One row of the table: lead bytes, the trails that follow, and the value that the first lead
/// with zero trails stands for.
struct LeadRange {
    lead_bytes: std::ops::RangeInclusive<u8>,
    trail_count: u32,
    first_value: u32,
}

/// The rows beyond A0, whose trail is the value itself.
const LEAD_RANGES: [LeadRange; 3] = [
    LeadRange { lead_bytes: 0xA1..=0xF5, trail_count: 1, first_value: 0x100 },
    LeadRange { lead_bytes: 0xF6..=0xFB, trail_count: 2, first_value: 0x4016 },
    LeadRange { lead_bytes: 0xFC..=0xFD, trail_count: 4, first_value: 0x3_8E2E },
];

/// The digit that a trail byte stands for.
fn trail_digit(byte: u8) -> Option<u32> {
    match byte {
        0x21..=0x7E => Some(u32::from(byte) - 0x21),
        0xA0..=0xFF => Some(u32::from(byte) - 0x42),
        _ => None,
    }
}

/// The byte of a digit: the function T of the standard.
fn trail_byte(digit: u32) -> u8 {
    (if digit < 0x5E { digit + 0x21 } else { digit + 0x42 }) as u8
}

impl CodePointFormat for Utf1Format {
    const MAX_LOOKAHEAD: usize = 6;

    fn max_value(&self) -> u32 {
        MAX_UCS4
    }

    fn decode_run(&self, src: &[u8], dst: &mut [u8], _state: &mut u64) -> (usize, usize) {
        let ascii = src.first().is_some_and(u8::is_ascii);
        let run = if ascii { kernel::ascii::copy(src, dst) } else { 0 };
        (run, run)
    }

    fn encode_run(&self, text: &str, dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        self.decode_run(text.as_bytes(), dst, state)
    }

    fn read_one(&self, src: &[u8], end: bool, _state: &mut u64) -> ReadResult {
        let lead = src[0];
        if lead < 0xA0 {
            return ReadResult::CodePoint { value: u32::from(lead), len: 1 };
        }
        if lead == 0xA0 {
            return match src.get(1) {
                Some(&byte) if byte >= 0xA0 => {
                    ReadResult::CodePoint { value: u32::from(byte), len: 2 }
                }
                Some(_) => {
                    ReadResult::Malformed { len: 1, reason: MalformedReason::MissingTrailByte }
                }
                None => incomplete(1, end),
            };
        }
        let Some(row) = LEAD_RANGES.iter().find(|row| row.lead_bytes.contains(&lead)) else {
            return ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte };
        };
        let len = 1 + row.trail_count as usize;
        let mut value = u32::from(lead - row.lead_bytes.start());
        for (index, &raw_byte) in src[..src.len().min(len)].iter().enumerate().skip(1) {
            let Some(digit) = trail_digit(raw_byte) else {
                return ReadResult::Malformed {
                    len: index,
                    reason: MalformedReason::MissingTrailByte,
                };
            };
            value = value * BASE + digit;
        }
        // FD FF FF FF FF, the highest of all, is still below 2^32.
        if src.len() < len {
            incomplete(src.len(), end)
        } else {
            ReadResult::CodePoint { value: row.first_value + value, len }
        }
    }

    fn write_one(&self, value: u32, dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        if value < 0xA0 {
            *dst.first_mut()? = value as u8;
            return Some(1);
        }
        if value < 0x100 {
            dst.get_mut(..2)?.copy_from_slice(&[0xA0, value as u8]);
            return Some(2);
        }
        let row = LEAD_RANGES.iter().rfind(|row| value >= row.first_value)?;
        let (lead, trails) = dst.get_mut(..1 + row.trail_count as usize)?.split_first_mut()?;
        let mut rest = value - row.first_value;
        for byte in trails.iter_mut().rev() {
            *byte = trail_byte(rest % BASE);
            rest /= BASE;
        }
        *lead = row.lead_bytes.start() + rest as u8;
        Some(1 + trails.len())
    }
}

/// A sequence of which only `len` bytes are there.
fn incomplete(len: usize, end: bool) -> ReadResult {
    if end {
        ReadResult::Malformed { len, reason: MalformedReason::Truncated }
    } else {
        ReadResult::NeedMore
    }
}
