//! UTF-1 (ISO-IR-178, annex G of ISO/IEC 10646-1:1993): 1, 2, 3 or 5 bytes in base 190.
//!
//! Bytes 00 to 9F represent themselves, and control characters are never part of another character.
//! A trail byte is one of the 190 bytes 21 to 7E and A0 to FF, so ASCII bytes are ASCII only at the
//! start of a character, and `/` can be the end of another one, which is why UTF-1 was withdrawn.

use super::Encoding;
use super::code_point_codec::{CodePointFormat, MAX_UCS4, ReadResult, format_factory, ucs4_codecs};
use crate::conversion_error::MalformedReason;
use crate::encoding::split_rule::SplitRule;
use charpipe_kernel as kernel;

/// UTF-1, the first transformation format of ISO/IEC 10646.
pub static UTF_1: Encoding = Encoding {
    ucs4: ucs4_codecs!(|_| true, |_| Utf1Format),
    ..Encoding::new(
        "UTF-1",
        "31 bits in 1, 2, 3 or 5 bytes, withdrawn (ISO-IR-178)",
        format_factory!(|_| Utf1Format, |_| SplitRule::AFTER_LINE_FEED),
    )
};

struct Utf1Format;

const BASE: u32 = 190;

/// A range of lead bytes, the number of trail bytes, and the value of the first lead byte with
/// trail digits of zero.
struct LeadRange {
    lead_bytes: std::ops::RangeInclusive<u8>,
    trail_count: u32,
    first_value: u32,
}

/// The lead bytes after A0, whose trail byte is the value itself.
const LEAD_RANGES: [LeadRange; 3] = [
    LeadRange { lead_bytes: 0xA1..=0xF5, trail_count: 1, first_value: 0x100 },
    LeadRange { lead_bytes: 0xF6..=0xFB, trail_count: 2, first_value: 0x4016 },
    LeadRange { lead_bytes: 0xFC..=0xFD, trail_count: 4, first_value: 0x3_8E2E },
];

fn trail_digit(byte: u8) -> Option<u32> {
    match byte {
        0x21..=0x7E => Some(u32::from(byte) - 0x21),
        0xA0..=0xFF => Some(u32::from(byte) - 0x42),
        _ => None,
    }
}

/// Returns the byte of a digit: the function T of the standard.
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
        // FD FF FF FF FF, the highest value, is below 2^32.
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

/// Returns the result for a sequence of which only `len` bytes are present.
fn incomplete(len: usize, end: bool) -> ReadResult {
    if end {
        ReadResult::Malformed { len, reason: MalformedReason::Truncated }
    } else {
        ReadResult::NeedMore
    }
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason;
    use crate::encoding::testing::{
        Error, assert_decodes, decode, decode_every_way, encode, from_ucs4, to_ucs4,
    };

    /// Encodes by the rule of the annex: T of the quotients by powers of 190, without overflow.
    fn reference_encode(value: u32) -> Vec<u8> {
        let t = |z: u128| match z {
            0x00..=0x5D => (z + 0x21) as u8,
            _ => (z + 0x42) as u8,
        };
        let x = u128::from(value);
        match x {
            0..=0x9F => vec![x as u8],
            0xA0..=0xFF => vec![0xA0, x as u8],
            0x100..=0x4015 => {
                let y = x - 0x100;
                vec![(0xA1 + y / 190) as u8, t(y % 190)]
            }
            0x4016..=0x3_8E2D => {
                let y = x - 0x4016;
                vec![(0xF6 + y / 36_100) as u8, t(y / 190 % 190), t(y % 190)]
            }
            _ => {
                let y = x - 0x3_8E2E;
                let lead = (0xFC + y / 1_303_210_000) as u8;
                vec![
                    lead,
                    t(y / 6_859_000 % 190),
                    t(y / 36_100 % 190),
                    t(y / 190 % 190),
                    t(y % 190),
                ]
            }
        }
    }

    #[test]
    fn every_scalar_value_matches_reference_both_ways() {
        let text: String = ('\0'..=char::MAX).collect();
        let bytes: Vec<u8> = text.chars().flat_map(|c| reference_encode(u32::from(c))).collect();
        assert!(encode("UTF-1", &text) == (bytes.clone(), vec![]));
        assert!(decode("UTF-1", &bytes) == (text, vec![]));
    }

    #[test]
    fn each_length_covers_the_specified_values() {
        let table: &[(u32, &[u8])] = &[
            (0x00, b"\x00"),
            (0x7F, b"\x7F"),
            (0x80, b"\x80"),
            (0x9F, b"\x9F"),
            (0xA0, b"\xA0\xA0"),
            (0xFF, b"\xA0\xFF"),
            (0x100, b"\xA1\x21"),
            (0x15D, b"\xA1\x7E"),
            (0x15E, b"\xA1\xA0"),
            (0x1BD, b"\xA1\xFF"),
            (0x1BE, b"\xA2\x21"),
            (0x4015, b"\xF5\xFF"),
            (0x4016, b"\xF6\x21\x21"),
            (0xFEFF, b"\xF7\x64\x4C"),
            (0x3_8E2D, b"\xFB\xFF\xFF"),
            (0x3_8E2E, b"\xFC\x21\x21\x21\x21"),
            (0x10_FFFF, b"\xFC\x21\x39\x6E\x6C"),
            (0x7FFF_FFFF, b"\xFD\xBD\x2B\xB9\x40"),
        ];
        for (value, bytes) in table {
            assert_eq!(from_ucs4("UCS-4", &to_ucs4("UTF-1", bytes).0).0, value.to_be_bytes());
            assert_eq!(from_ucs4("UTF-1", &to_ucs4("UCS-4", &value.to_be_bytes()).0).0, *bytes);
        }
    }

    #[test]
    fn slash_is_literal_only_at_character_start() {
        assert_eq!(decode_every_way("UTF-1", b"/\xA1//").0, "/\u{10E}/");
    }

    #[test]
    fn errors_have_position_length_and_reason() {
        use MalformedReason::{
            AboveUnicode, InvalidLeadByte, MissingTrailByte, OutOfRange, Surrogate, Truncated,
        };
        let surrogate = reference_encode(0xD800);
        let cases: &[(&[u8], &[Error], &str)] = &[
            (
                b"\xFE\xFFa",
                &[(0, 1, InvalidLeadByte), (1, 1, InvalidLeadByte)],
                "\u{FFFD}\u{FFFD}a",
            ),
            (b"\xA0a", &[(0, 1, MissingTrailByte)], "\u{FFFD}a"),
            (b"\xA0\x9F", &[(0, 1, MissingTrailByte)], "\u{FFFD}\u{9F}"),
            (b"\xA1 ", &[(0, 1, MissingTrailByte)], "\u{FFFD} "),
            (b"\xA1\x7F", &[(0, 1, MissingTrailByte)], "\u{FFFD}\x7F"),
            (b"\xF6!\x80", &[(0, 2, MissingTrailByte)], "\u{FFFD}\u{80}"),
            (b"\xFC!!! ", &[(0, 4, MissingTrailByte)], "\u{FFFD} "),
            (b"\xA0", &[(0, 1, Truncated)], "\u{FFFD}"),
            (b"\xF6!", &[(0, 2, Truncated)], "\u{FFFD}"),
            (b"\xFD!!!", &[(0, 4, Truncated)], "\u{FFFD}"),
            (&surrogate, &[(0, 3, Surrogate)], "\u{FFFD}"),
            (b"\xFC!9nma", &[(0, 5, AboveUnicode(0x11_0000))], "\u{FFFD}a"),
            (b"\xFD\xBD+\xB9@", &[(0, 5, AboveUnicode(0x7FFF_FFFF))], "\u{FFFD}"),
            (b"\xFD\xBD+\xB9Aa", &[(0, 5, OutOfRange)], "\u{FFFD}a"),
            (b"\xFD\xFF\xFF\xFF\xFF", &[(0, 5, OutOfRange)], "\u{FFFD}"),
        ];
        for (input, errors, text) in cases {
            assert_decodes("UTF-1", input, text, errors);
        }
    }
}
