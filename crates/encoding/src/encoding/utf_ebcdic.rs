//! UTF-EBCDIC (UTR #16): Unicode in 1 to 7 bytes, of which the single bytes are those of EBCDIC.
//!
//! A value is first written as an I8-sequence, which is like UTF-8, but trail bytes have five bits,
//! 101xxxxx, so that the values up to 9F are single bytes. Then each byte is replaced by one of EBCDIC,
//! so that these values have the bytes of IBM1047, where U+000A is 15 and U+0085 is 25, as in
//! z/OS UNIX.
//!
//! As in UTF-8, only the shortest form is valid. A malformed sequence is the longest prefix of a
//! well-formed one, or else a single byte. Unicode needs up to 5 bytes; 6 and 7 bytes are values above
//! 3FFFFF. The signature DD 73 66 73 is U+FEFF and is kept.

use super::Encoding;
use super::code_point_codec::{CodePointFormat, MAX_UCS4, ReadResult, format_factory, ucs4_codecs};
use crate::conversion_error::MalformedReason;
use crate::encoding::split_rule::{ByteSet, SplitRule};

/// The byte of U+000A.
const LINE_FEED: ByteSet = ByteSet::from_bytes(b"\x15");

/// UTF-EBCDIC.
pub static UTF_EBCDIC: Encoding = Encoding {
    ucs4: ucs4_codecs!(|_| true, |_| UtfEbcdicFormat),
    ..Encoding::new(
        "UTF-EBCDIC",
        "31 bits in 1 to 7 bytes, single bytes as in EBCDIC (UTR #16)",
        format_factory!(|_| UtfEbcdicFormat, |_| SplitRule::after(LINE_FEED, LINE_FEED)),
    )
};

struct UtfEbcdicFormat;

/// The number of values that are single bytes.
const SINGLE_BYTES: usize = 0xA0;

/// The EBCDIC bytes of the values up to 9F.
#[rustfmt::skip]
const SINGLE_BYTE_TABLE: [u8; SINGLE_BYTES] = [
    0x00, 0x01, 0x02, 0x03, 0x37, 0x2D, 0x2E, 0x2F, 0x16, 0x05, 0x15, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F,
    0x10, 0x11, 0x12, 0x13, 0x3C, 0x3D, 0x32, 0x26, 0x18, 0x19, 0x3F, 0x27, 0x1C, 0x1D, 0x1E, 0x1F,
    0x40, 0x5A, 0x7F, 0x7B, 0x5B, 0x6C, 0x50, 0x7D, 0x4D, 0x5D, 0x5C, 0x4E, 0x6B, 0x60, 0x4B, 0x61,
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x7A, 0x5E, 0x4C, 0x7E, 0x6E, 0x6F,
    0x7C, 0xC1, 0xC2, 0xC3, 0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xD1, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6,
    0xD7, 0xD8, 0xD9, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xAD, 0xE0, 0xBD, 0x5F, 0x6D,
    0x79, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96,
    0x97, 0x98, 0x99, 0xA2, 0xA3, 0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xC0, 0x4F, 0xD0, 0xA1, 0x07,
    0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x06, 0x17, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x09, 0x0A, 0x1B,
    0x30, 0x31, 0x1A, 0x33, 0x34, 0x35, 0x36, 0x08, 0x38, 0x39, 0x3A, 0x3B, 0x04, 0x14, 0x3E, 0xFF,
];

/// The EBCDIC bytes of the bytes of I8-sequences. Those from A0 on have the remaining bytes in
/// ascending order.
const EBCDIC_BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut is_used = [false; 256];
    let mut at = 0;
    while at < SINGLE_BYTES {
        bytes[at] = SINGLE_BYTE_TABLE[at];
        is_used[bytes[at] as usize] = true;
        at += 1;
    }
    let mut byte = 0;
    while byte < 256 {
        if !is_used[byte] {
            bytes[at] = byte as u8;
            at += 1;
        }
        byte += 1;
    }
    bytes
};

/// The bytes of I8-sequences of the EBCDIC bytes.
const I8_BYTES: [u8; 256] = {
    let mut bytes = [0; 256];
    let mut at = 0;
    while at < 256 {
        bytes[EBCDIC_BYTES[at] as usize] = at as u8;
        at += 1;
    }
    bytes
};

/// The lowest value of each length from 2 bytes on.
const FIRST_VALUES: [u32; 6] = [0xA0, 0x400, 0x4000, 0x4_0000, 0x40_0000, 0x400_0000];

/// The high bits of the first byte, by length in bytes.
const LEADS: [u8; 8] = [0, 0, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC, 0xFE];

/// The number of bits of a trail byte.
const TRAIL_BITS: usize = 5;

/// Returns the value of a trail byte of an I8-sequence.
fn trail_value(byte: u8) -> Option<u32> {
    matches!(byte, 0xA0..=0xBF).then_some(u32::from(byte & 0x1F))
}

impl CodePointFormat for UtfEbcdicFormat {
    const MAX_LOOKAHEAD: usize = 7;

    fn max_value(&self) -> u32 {
        MAX_UCS4
    }

    fn read_one(&self, src: &[u8], end: bool, _state: &mut u64) -> ReadResult {
        let lead = I8_BYTES[usize::from(src[0])];
        let len = match lead {
            0x00..=0x9F => return ReadResult::CodePoint { value: u32::from(lead), len: 1 },
            0xA0..=0xBF => {
                return ReadResult::Malformed { len: 1, reason: MalformedReason::InvalidLeadByte };
            }
            // The values of these lead bytes are below A0 and 400.
            0xC0..=0xC4 | 0xE0 => {
                return ReadResult::Malformed { len: 1, reason: MalformedReason::Overlong };
            }
            0xC5..=0xDF => 2,
            0xE1..=0xEF => 3,
            0xF0..=0xF7 => 4,
            0xF8..=0xFB => 5,
            0xFC..=0xFD => 6,
            0xFE..=0xFF => 7,
        };
        let first_value = FIRST_VALUES[len - 2];
        let mut value = u32::from(lead & !LEADS[len]);
        if lead >= 0xFE {
            value = u32::from(lead & 1);
        }
        for index in 1..len {
            let Some(&byte) = src.get(index) else {
                return match end {
                    true => {
                        ReadResult::Malformed { len: index, reason: MalformedReason::Truncated }
                    }
                    false => ReadResult::NeedMore,
                };
            };
            let Some(digit) = trail_value(I8_BYTES[usize::from(byte)]) else {
                let reason = MalformedReason::MissingTrailByte;
                return ReadResult::Malformed { len: index, reason };
            };
            value = value << TRAIL_BITS | digit;
            // The value is too low if its high bits are lower than those of the lowest one.
            let bits_left = TRAIL_BITS * (len - 1 - index);
            if value < first_value >> bits_left {
                return ReadResult::Malformed { len: index, reason: MalformedReason::Overlong };
            }
        }
        ReadResult::CodePoint { value, len }
    }

    fn write_one(&self, value: u32, dst: &mut [u8], _state: &mut u64) -> Option<usize> {
        let len = 1 + FIRST_VALUES.iter().filter(|first| value >= **first).count();
        let (lead, trails) = dst.get_mut(..len)?.split_first_mut()?;
        let mut rest = value;
        for byte in trails.iter_mut().rev() {
            *byte = EBCDIC_BYTES[0xA0 | (rest & 0x1F) as usize];
            rest >>= TRAIL_BITS;
        }
        *lead = EBCDIC_BYTES[usize::from(LEADS[len] | rest as u8)];
        Some(len)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::OnceLock;

    use crate::conversion_error::MalformedReason::{
        AboveUnicode, InvalidLeadByte, MissingTrailByte, Overlong, Surrogate, Truncated,
    };
    use crate::encoding::testing::{
        Error, assert_round_trip, decode, decode_every_way, encode, from_ucs4, to_ucs4,
        to_ucs4_every_way,
    };

    /// Encodes by the bit patterns of UTR #16, section 3.2, as text, and the rule for the table.
    fn reference_encode(value: u32) -> Vec<u8> {
        let patterns = [
            (0x3FF, "110yyyyy 101zzzzz"),
            (0x3FFF, "1110yyyy 101zzzzz 101zzzzz"),
            (0x3_FFFF, "11110yyy 101zzzzz 101zzzzz 101zzzzz"),
            (0x3F_FFFF, "111110yy 101zzzzz 101zzzzz 101zzzzz 101zzzzz"),
            (0x3FF_FFFF, "1111110y 101zzzzz 101zzzzz 101zzzzz 101zzzzz 101zzzzz"),
            (0x7FFF_FFFF, "1111111y 101zzzzz 101zzzzz 101zzzzz 101zzzzz 101zzzzz 101zzzzz"),
        ];
        let i8_sequence = if value < 0xA0 {
            vec![value as u8]
        } else {
            let pattern = patterns.iter().find(|(max, _)| value <= *max).unwrap().1;
            let free = pattern.chars().filter(|bit| "yz".contains(*bit)).count();
            let mut bits = format!("{value:0free$b}").chars().collect::<Vec<_>>().into_iter();
            let filled: String = pattern
                .chars()
                .map(|bit| if "yz".contains(bit) { bits.next().unwrap() } else { bit })
                .collect();
            filled.split(' ').map(|byte| u8::from_str_radix(byte, 2).unwrap()).collect()
        };
        i8_sequence.into_iter().map(to_ebcdic).collect()
    }

    /// IBM1047 with U+000A and U+0085 exchanged; the other bytes in ascending order.
    fn to_ebcdic(byte: u8) -> u8 {
        static TABLE: OnceLock<Vec<u8>> = OnceLock::new();
        let table = TABLE.get_or_init(|| {
            let text: String = (0..0xA0_u8)
                .map(|value| match value {
                    0x0A => '\u{85}',
                    0x85 => '\n',
                    _ => char::from(value),
                })
                .collect();
            let mut table = encode("IBM1047", &text).0;
            let others: Vec<u8> = (0..=0xFF).filter(|byte| !table.contains(byte)).collect();
            table.extend(others);
            table
        });
        table[usize::from(byte)]
    }

    #[test]
    fn every_byte_is_as_in_ibm1047_or_in_ascending_order() {
        for byte in 0..=0xFF {
            assert_eq!(super::EBCDIC_BYTES[usize::from(byte)], to_ebcdic(byte), "{byte:02X}");
            assert_eq!(super::I8_BYTES[usize::from(to_ebcdic(byte))], byte);
        }
    }

    /// The signature, the first and the last value of each length.
    const ROUND_TRIP: &[(&str, &[u8])] = &[
        ("\0A1\n\u{85}", b"\x00\xC1\xF1\x15\x25"),
        ("\u{9F}\u{A0}", b"\xFF\x80\x41"),
        // UTF-8 in Perl on EBCDIC systems, perlebcdic: the same bytes.
        ("\u{100}", b"\x8C\x41"),
        ("\u{3FF}\u{400}", b"\xB6\x73\xB8\x41\x41"),
        ("\u{FEFF}", b"\xDD\x73\x66\x73"),
        ("\u{10FFFF}", b"\xEE\x42\x73\x73\x73"),
    ];

    #[test]
    fn round_trips_at_every_split_and_buffer_size() {
        for (text, bytes) in ROUND_TRIP {
            assert_round_trip("UTF-EBCDIC", text, bytes);
        }
    }

    #[test]
    fn values_match_the_bit_patterns() {
        let text: String = (0..0x11_0000).step_by(97).filter_map(char::from_u32).collect();
        let values = || text.chars().map(u32::from);
        let bytes: Vec<u8> = values().take(3_000).flat_map(reference_encode).collect();
        let text: String = text.chars().take(3_000).collect();
        assert!(encode("UTF-EBCDIC", &text) == (bytes.clone(), vec![]));
        assert!(decode("UTF-EBCDIC", &bytes) == (text, vec![]));
        for first in super::FIRST_VALUES.into_iter().chain([0x11_0000, 0x8000_0000]) {
            for value in [first - 1, first, first + 1].into_iter().filter(|v| *v <= 0x7FFF_FFFF) {
                let bytes = reference_encode(value);
                assert_eq!(
                    from_ucs4("UCS-4", &to_ucs4("UTF-EBCDIC", &bytes).0).0,
                    value.to_be_bytes()
                );
                let pivot = to_ucs4_every_way("UCS-4", &value.to_be_bytes()).0;
                assert_eq!(from_ucs4("UTF-EBCDIC", &pivot).0, bytes, "{value:X}");
            }
        }
    }

    fn ebcdic(i8_sequence: &[u8]) -> Vec<u8> {
        i8_sequence.iter().copied().map(to_ebcdic).collect()
    }

    #[test]
    fn errors_have_position_length_and_reason() {
        let cases: &[(&[u8], &[Error], &str)] = &[
            (
                b"\xA0a\xBF",
                &[(0, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
                "\u{FFFD}a\u{FFFD}",
            ),
            (b"\xC4\xBF", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)], "\u{FFFD}\u{FFFD}"),
            (
                b"\xE0\xBF\xBF",
                &[(0, 1, Overlong), (1, 1, InvalidLeadByte), (2, 1, InvalidLeadByte)],
                "\u{FFFD}\u{FFFD}\u{FFFD}",
            ),
            (b"\xF0\xAFa", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)], "\u{FFFD}\u{FFFD}a"),
            (b"\xF0\xB0\xA0\xA0", &[], "\u{4000}"),
            (b"\xF8\xA7a", &[(0, 1, Overlong), (1, 1, InvalidLeadByte)], "\u{FFFD}\u{FFFD}a"),
            (b"\xF8\xA8\xA0\xA0\xA0", &[], "\u{40000}"),
            (b"\xC5a", &[(0, 1, MissingTrailByte)], "\u{FFFD}a"),
            (b"\xE1\xA0\xC5", &[(0, 2, MissingTrailByte), (2, 1, Truncated)], "\u{FFFD}\u{FFFD}"),
            (b"\xF1\xB6\xA0\xA0", &[(0, 4, Surrogate)], "\u{FFFD}"),
            (b"\xF9\xA2\xA0\xA0\xA0", &[(0, 5, AboveUnicode(0x11_0000))], "\u{FFFD}"),
            (b"\xFF\xBF\xBF\xBF\xBF\xBF\xBFa", &[(0, 7, AboveUnicode(0x7FFF_FFFF))], "\u{FFFD}a"),
            (b"\xFE\xA2\xA0", &[(0, 3, Truncated)], "\u{FFFD}"),
        ];
        for (input, errors, text) in cases {
            let decoded = decode_every_way("UTF-EBCDIC", &ebcdic(input));
            assert_eq!(decoded, ((*text).to_owned(), errors.to_vec()), "{input:02X?}");
        }
    }
}
