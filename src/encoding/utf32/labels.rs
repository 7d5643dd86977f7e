//! The six labels of four bytes a value, and who uses them.

use super::{Utf32ByteOrder, Utf32Format};
use crate::encoding::code_point_codec::{
    FormatDecoder, FormatEncoder, MAX_UCS4, MAX_UNICODE, ucs4_codecs,
};
use crate::encoding::{BomHandling, Encoding, EncodingOptions, FnFactory, Ucs4Codecs};

const fn utf32_format(order: Utf32ByteOrder, highest: u32) -> Utf32Format {
    Utf32Format { byte_order: order, max_value: highest }
}

/// UTF-32 in the order that a mark says, else little-endian.
pub static UTF_32: Encoding = Encoding {
    name: "UTF-32",
    description: "Unicode in 4 bytes, marked; unmarked is little-endian (Unicode 3.10)",
    options: &[],
    bom_handling: BomHandling::DetectAndWrite,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| {
            Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::BomOrLittle, MAX_UNICODE)))
        },
        encoder: |_: &EncodingOptions| {
            Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::BomOrLittle, MAX_UNICODE)))
        },
    },
    ucs4: None,
};

/// UTF-32, most significant byte first.
pub static UTF_32BE: Encoding = Encoding {
    name: "UTF-32BE",
    description: "Unicode in 4 bytes, big-endian, a mark is text (Unicode 3.10)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| {
            Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UNICODE)))
        },
        encoder: |_: &EncodingOptions| {
            Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UNICODE)))
        },
    },
    ucs4: None,
};

/// UTF-32, least significant byte first.
pub static UTF_32LE: Encoding = Encoding {
    name: "UTF-32LE",
    description: "Unicode in 4 bytes, little-endian, a mark is text (Unicode 3.10)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| {
            Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::Little, MAX_UNICODE)))
        },
        encoder: |_: &EncodingOptions| {
            Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::Little, MAX_UNICODE)))
        },
    },
    ucs4: None,
};

const UCS4_BIG_ENDIAN: Option<Ucs4Codecs> = ucs4_codecs(
    |_| true,
    |_: &EncodingOptions| Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UCS4))),
    |_: &EncodingOptions| Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UCS4))),
);

/// UCS-4, big-endian and without a mark, as iconv has it.
pub static UCS_4: Encoding = Encoding {
    name: "UCS-4",
    description: "31 bits in 4 bytes, big-endian, a mark is text (ISO/IEC 10646-1:1993)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| {
            Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UCS4)))
        },
        encoder: |_: &EncodingOptions| {
            Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UCS4)))
        },
    },
    ucs4: UCS4_BIG_ENDIAN,
};

/// UCS-4 under the label that names its order.
pub static UCS_4BE: Encoding = Encoding {
    name: "UCS-4BE",
    description: "31 bits in 4 bytes, big-endian, a mark is text",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| {
            Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UCS4)))
        },
        encoder: |_: &EncodingOptions| {
            Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::Big, MAX_UCS4)))
        },
    },
    ucs4: UCS4_BIG_ENDIAN,
};

/// UCS-4, least significant byte first.
pub static UCS_4LE: Encoding = Encoding {
    name: "UCS-4LE",
    description: "31 bits in 4 bytes, little-endian, a mark is text",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| {
            Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::Little, MAX_UCS4)))
        },
        encoder: |_: &EncodingOptions| {
            Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::Little, MAX_UCS4)))
        },
    },
    ucs4: ucs4_codecs(
        |_| true,
        |_: &EncodingOptions| {
            Box::new(FormatDecoder::new(utf32_format(Utf32ByteOrder::Little, MAX_UCS4)))
        },
        |_: &EncodingOptions| {
            Box::new(FormatEncoder::new(utf32_format(Utf32ByteOrder::Little, MAX_UCS4)))
        },
    ),
};
