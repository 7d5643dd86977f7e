//! UTF-32 and UCS-4: a value in four bytes.
//!
//! UTF-32 ends at U+10FFFF (Unicode 15, section 3.10), UCS-4 at 7FFFFFFF (ISO/IEC 10646-1:1993).
//! Only `UTF-32` itself has a byte order mark: one at the start is obeyed and dropped, without one
//! the byte order is little-endian, and FF FE 00 00 is written before the first character, so that
//! empty text is written as no bytes. Unicode D101 reads UTF-32 without a BOM as big-endian; use
//! `UTF-32BE` for that. `UCS-4` is big-endian. There, and in encodings with a fixed byte order,
//! U+FEFF is a character.

use super::code_point_codec::{
    CodePointFormat, FormatDecoder, MAX_UCS4, MAX_UNICODE, ReadResult, format_factory, ucs4_codecs,
};
use super::{BomHandling, Encoding};
use crate::codec::DecodeStage;
use crate::conversion_error::MalformedReason;
use crate::encoding::split_rule::{ByteOrder, SplitRule, SplitTarget};
use charpipe_kernel as kernel;
use charpipe_kernel::simd::AsArrays;

/// UTF-32 in the byte order of its BOM, else little-endian.
pub static UTF_32: Encoding = Encoding {
    bom_handling: BomHandling::DetectAndWrite,
    ..Encoding::new(
        "UTF-32",
        "Unicode in 4 bytes with a byte order mark, else little-endian (Unicode 3.10)",
        format_factory!(|_| utf_32(Utf32ByteOrder::BomOrLittle), |_| SplitRule::after_unit(
            4,
            ByteOrder::Bom
        )
        .with_target(SplitTarget::AfterLineFeed { header: true })),
    )
};

/// Big-endian UTF-32.
pub static UTF_32BE: Encoding = Encoding::new(
    "UTF-32BE",
    "Unicode in 4 bytes, big-endian, U+FEFF is text (Unicode 3.10)",
    format_factory!(|_| utf_32(Utf32ByteOrder::Big), |_| SplitRule::after_unit(4, ByteOrder::Big)),
);

/// Little-endian UTF-32.
pub static UTF_32LE: Encoding = Encoding::new(
    "UTF-32LE",
    "Unicode in 4 bytes, little-endian, U+FEFF is text (Unicode 3.10)",
    format_factory!(|_| utf_32(Utf32ByteOrder::Little), |_| SplitRule::after_unit(
        4,
        ByteOrder::Little
    )),
);

/// UCS-4, big-endian and without a BOM, as in iconv.
pub static UCS_4: Encoding = Encoding {
    ucs4: ucs4_codecs!(|_| true, |_| ucs_4(Utf32ByteOrder::Big)),
    ..Encoding::new(
        "UCS-4",
        "31 bits in 4 bytes, big-endian, U+FEFF is text (ISO/IEC 10646-1:1993)",
        format_factory!(|_| ucs_4(Utf32ByteOrder::Big), |_| SplitRule::after_unit(
            4,
            ByteOrder::Big
        )),
    )
};

/// Big-endian UCS-4.
pub static UCS_4BE: Encoding = Encoding {
    ucs4: ucs4_codecs!(|_| true, |_| ucs_4(Utf32ByteOrder::Big)),
    ..Encoding::new(
        "UCS-4BE",
        "31 bits in 4 bytes, big-endian, U+FEFF is text",
        format_factory!(|_| ucs_4(Utf32ByteOrder::Big), |_| SplitRule::after_unit(
            4,
            ByteOrder::Big
        )),
    )
};

/// Little-endian UCS-4.
pub static UCS_4LE: Encoding = Encoding {
    ucs4: ucs4_codecs!(|_| true, |_| ucs_4(Utf32ByteOrder::Little)),
    ..Encoding::new(
        "UCS-4LE",
        "31 bits in 4 bytes, little-endian, U+FEFF is text",
        format_factory!(|_| ucs_4(Utf32ByteOrder::Little), |_| SplitRule::after_unit(
            4,
            ByteOrder::Little
        )),
    )
};

/// A byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Utf32ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
    /// The order of the BOM, or little-endian without one.
    BomOrLittle,
    /// The order of the BOM, or big-endian without one.
    BomOrBig,
}

/// Returns a decoder of an encoding that obeys a BOM, and is big-endian without one.
pub(super) fn network_order_decoder(encoding: &Encoding) -> Option<Box<dyn DecodeStage>> {
    let format = utf_32(Utf32ByteOrder::BomOrBig);
    (*encoding == UTF_32).then(|| Box::new(FormatDecoder::new(format)) as Box<dyn DecodeStage>)
}

/// A byte order and a maximum value.
struct Utf32Format {
    byte_order: Utf32ByteOrder,
    max_value: u32,
}

const fn utf_32(byte_order: Utf32ByteOrder) -> Utf32Format {
    Utf32Format { byte_order, max_value: MAX_UNICODE }
}

const fn ucs_4(byte_order: Utf32ByteOrder) -> Utf32Format {
    Utf32Format { byte_order, max_value: MAX_UCS4 }
}

const BOM: u32 = 0xFEFF;
/// The BOM in the other byte order.
const SWAPPED_BOM: u32 = 0xFFFE_0000;

/// The states of an encoding with a BOM: at the start, or after it in one byte order.
const ORDER_UNKNOWN: u64 = 0;
const LITTLE_ENDIAN: u64 = 1;
const BIG_ENDIAN: u64 = 2;

impl CodePointFormat for Utf32Format {
    const MAX_LOOKAHEAD: usize = 8;

    fn max_value(&self) -> u32 {
        self.max_value
    }

    fn decode_run(&self, src: &[u8], dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        match (self.byte_order, *state) {
            (Utf32ByteOrder::BomOrLittle | Utf32ByteOrder::BomOrBig, ORDER_UNKNOWN) => (0, 0),
            (Utf32ByteOrder::Big, _) | (_, BIG_ENDIAN) => kernel::utf32::decode(src, dst, true),
            _ => kernel::utf32::decode(src, dst, false),
        }
    }

    fn encode_run(&self, text: &str, dst: &mut [u8], state: &mut u64) -> (usize, usize) {
        match (self.byte_order, *state) {
            (Utf32ByteOrder::BomOrLittle, ORDER_UNKNOWN) => (0, 0),
            (order, _) => kernel::utf32::encode(text, dst, order == Utf32ByteOrder::Big),
        }
    }

    fn encode_unvalidated(&self, src: &[u8], dst: &mut [u8], state: u64) -> (usize, usize) {
        match (self.byte_order, state) {
            (Utf32ByteOrder::BomOrLittle, ORDER_UNKNOWN) => (0, 0),
            (Utf32ByteOrder::Big, _) if is_short(src, dst) => {
                encode_stepwise(src, dst, u32::to_be_bytes)
            }
            (_, _) if is_short(src, dst) => encode_stepwise(src, dst, u32::to_le_bytes),
            (order, _) => kernel::utf32::encode_unvalidated(src, dst, order == Utf32ByteOrder::Big),
        }
    }

    fn read_one(&self, src: &[u8], end: bool, state: &mut u64) -> ReadResult {
        let Some(&bytes) = src.first_chunk::<4>() else {
            return if end {
                ReadResult::Malformed { len: src.len(), reason: MalformedReason::Truncated }
            } else {
                ReadResult::NeedMore
            };
        };
        let little = u32::from_le_bytes(bytes);
        let value = match (self.byte_order, *state) {
            (Utf32ByteOrder::Little, _) => little,
            (Utf32ByteOrder::Big, _) | (_, BIG_ENDIAN) => little.swap_bytes(),
            (_, ORDER_UNKNOWN) => {
                // A BOM counts only at the start.
                let is_big = match little {
                    BOM => false,
                    SWAPPED_BOM => true,
                    _ => self.byte_order == Utf32ByteOrder::BomOrBig,
                };
                *state = if is_big { BIG_ENDIAN } else { LITTLE_ENDIAN };
                if matches!(little, BOM | SWAPPED_BOM) {
                    return ReadResult::Skip { len: 4 };
                }
                if is_big { little.swap_bytes() } else { little }
            }
            _ => little,
        };
        // Four bytes of UCS-4 can hold a surrogate code point, which the intermediate form cannot.
        if self.max_value == MAX_UCS4 && matches!(value, 0xD800..=0xDFFF) {
            return ReadResult::Malformed {
                len: 4,
                reason: MalformedReason::SurrogateCodePoint(value),
            };
        }
        ReadResult::CodePoint { value, len: 4 }
    }

    fn utf32_is_big(&self, state: u64) -> Option<bool> {
        let is_big = match (self.byte_order, state) {
            (Utf32ByteOrder::Big, _) | (_, BIG_ENDIAN) => true,
            (Utf32ByteOrder::Little, _) | (_, LITTLE_ENDIAN) => false,
            _ => return None,
        };
        (self.max_value == MAX_UNICODE).then_some(is_big)
    }

    fn write_one(&self, value: u32, dst: &mut [u8], state: &mut u64) -> Option<usize> {
        if self.byte_order == Utf32ByteOrder::BomOrLittle && *state == ORDER_UNKNOWN {
            let (bom, output) = dst.get_mut(..8)?.split_at_mut(4);
            bom.copy_from_slice(&BOM.to_le_bytes());
            output.copy_from_slice(&value.to_le_bytes());
            *state = LITTLE_ENDIAN;
            return Some(8);
        }
        *dst.first_chunk_mut()? = match self.byte_order {
            Utf32ByteOrder::Big => value.to_be_bytes(),
            _ => value.to_le_bytes(),
        };
        Some(4)
    }
}

/// The length of the shorter buffer, in bytes, below which a kernel takes longer than to encode one
/// character after another.
const SHORT_LEN: usize = 80;

fn is_short(src: &[u8], dst: &[u8]) -> bool {
    src.len().min(dst.len()) < SHORT_LEN
}

/// Encodes characters up to U+FFFF while `dst` has space, up to the first malformed sequence at most.
/// Returns the numbers of bytes read and written.
#[inline(always)]
fn encode_stepwise(
    src: &[u8],
    dst: &mut [u8],
    to_bytes: impl Fn(u32) -> [u8; 4],
) -> (usize, usize) {
    let tail = |byte: u8| u32::from(byte & 0x3F);
    let (mut read, mut written) = (0, 0);
    for output in dst.as_arrays_mut().0 {
        let (value, len) = match src[read..] {
            [byte @ ..0x80, ..] => (u32::from(byte), 1),
            [lead @ 0xC2..=0xDF, last @ 0x80..=0xBF, ..] => {
                (u32::from(lead & 0x1F) << 6 | tail(last), 2)
            }
            [lead @ 0xE0..=0xEF, middle @ 0x80..=0xBF, last @ 0x80..=0xBF, ..] => {
                let value = u32::from(lead & 0x0F) << 12 | tail(middle) << 6 | tail(last);
                if matches!(value, ..0x800 | 0xD800..=0xDFFF) {
                    break;
                }
                (value, 3)
            }
            _ => break,
        };
        *output = to_bytes(value);
        read += len;
        written += 4;
    }
    (read, written)
}

#[cfg(test)]
mod tests {
    use crate::conversion_error::MalformedReason;
    use crate::encoding::testing::{
        decode, decode_every_way, encode, encode_every_way, from_ucs4, to_ucs4, to_ucs4_every_way,
    };

    #[test]
    fn every_scalar_value_is_itself_in_four_bytes() {
        let text: String = ('\0'..=char::MAX).collect();
        let big: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
        let little: Vec<u8> = text.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
        for (label, bytes) in [
            ("UTF-32BE", &big),
            ("UCS-4", &big),
            ("UCS-4BE", &big),
            ("UTF-32LE", &little),
            ("UCS-4LE", &little),
        ] {
            assert!(encode(label, &text) == (bytes.clone(), vec![]), "{label}");
            assert!(decode(label, bytes) == (text.clone(), vec![]), "{label}");
        }
    }

    #[test]
    fn one_bom_at_the_start_is_detected_and_removed() {
        let cases: &[(&[u8], &str)] = &[
            (b"\xFF\xFE\0\0A\0\0\0", "A"),
            (b"\0\0\xFE\xFF\0\0\0A", "A"),
            (b"A\0\0\0", "A"),
            (b"\xFF\xFE\0\0\xFF\xFE\0\0", "\u{FEFF}"),
            (b"\0\0\xFE\xFF\0\0\xFE\xFF", "\u{FEFF}"),
            (b"A\0\0\0\xFF\xFE\0\0", "A\u{FEFF}"),
            // After the first character the BOM of the other byte order is malformed.
            (b"A\0\0\0\0\0\xFE\xFF", "A\u{FFFD}"),
            (b"\0\xD8\0\0\xFF\xFE\0\0", "\u{FFFD}\u{FEFF}"),
            (b"\0\xD8\0\0\0\0\xFE\xFF", "\u{FFFD}\u{FFFD}"),
            (b"\0\0\xFE\xFF\0\x11\0\0\0\0\xFE\xFF", "\u{FFFD}\u{FEFF}"),
            (b"\xFF\xFE\0\0", ""),
            (b"\xFF\xFE\0", "\u{FFFD}"),
        ];
        for (input, text) in cases {
            assert_eq!(decode_every_way("UTF-32", input).0, *text, "{input:02X?}");
        }
    }

    #[test]
    fn bom_is_text_for_labels_with_fixed_endianness() {
        for (label, mark) in [
            ("UTF-32BE", b"\0\0\xFE\xFF"),
            ("UCS-4", b"\0\0\xFE\xFF"),
            ("UCS-4BE", b"\0\0\xFE\xFF"),
            ("UTF-32LE", b"\xFF\xFE\0\0"),
            ("UCS-4LE", b"\xFF\xFE\0\0"),
        ] {
            assert_eq!(decode(label, mark).0, "\u{FEFF}", "{label}");
            assert_eq!(encode(label, "\u{FEFF}").0, mark, "{label}");
        }
    }

    #[test]
    fn utf_32_writes_bom_only_before_first_character() {
        assert_eq!(encode_every_way("UTF-32", "AB").0, b"\xFF\xFE\0\0A\0\0\0B\0\0\0");
        assert_eq!(encode_every_way("UTF-32", "\u{FEFF}").0, b"\xFF\xFE\0\0\xFF\xFE\0\0");
        assert_eq!(encode_every_way("UTF-32", "").0, b"");
    }

    #[test]
    fn invalid_value_is_one_error_of_four_bytes() {
        use MalformedReason::{AboveUnicode, OutOfRange, Surrogate, SurrogateCodePoint};
        for (value, utf32, ucs4) in [
            (0xD800, Surrogate, SurrogateCodePoint(0xD800)),
            (0xDFFF, Surrogate, SurrogateCodePoint(0xDFFF)),
            (0x11_0000, OutOfRange, AboveUnicode(0x11_0000)),
            (0x7FFF_FFFF, OutOfRange, AboveUnicode(0x7FFF_FFFF)),
            (0x8000_0000, OutOfRange, OutOfRange),
            (0xFFFF_FFFF, OutOfRange, OutOfRange),
        ] {
            let big = [[0, 0, 0, b'a'], u32::to_be_bytes(value), [0, 0, 0, b'b']].concat();
            let little = [[b'a', 0, 0, 0], u32::to_le_bytes(value), [b'b', 0, 0, 0]].concat();
            for (label, input, reason) in [
                ("UTF-32", &little, utf32),
                ("UTF-32LE", &little, utf32),
                ("UTF-32BE", &big, utf32),
                ("UCS-4", &big, ucs4),
                ("UCS-4LE", &little, ucs4),
            ] {
                let expected = ("a\u{FFFD}b".to_owned(), vec![(4, 4, reason)]);
                assert_eq!(decode_every_way(label, input), expected, "{label} {value:X}");
            }
        }
    }

    #[test]
    fn trailing_one_to_three_bytes_are_one_truncated_error() {
        for label in ["UTF-32", "UTF-32BE", "UTF-32LE", "UCS-4", "UCS-4BE", "UCS-4LE"] {
            for len in 1..4 {
                let mut input = encode(label, "A").0;
                let at = input.len();
                input.extend(vec![0xFF; len]);
                let errors = decode_every_way(label, &input).1;
                assert_eq!(errors, [(at, len, MalformedReason::Truncated)], "{label}");
            }
        }
    }

    #[test]
    fn ucs_4_is_limited_to_31_bits() {
        let highest = b"\x7F\xFF\xFF\xFF";
        assert_eq!(from_ucs4("UCS-4LE", &to_ucs4("UCS-4", highest).0).0, b"\xFF\xFF\xFF\x7F");
        assert_eq!(
            to_ucs4_every_way("UCS-4", b"\x80\0\0\0").1,
            [(0, 4, MalformedReason::OutOfRange)]
        );
    }
}
