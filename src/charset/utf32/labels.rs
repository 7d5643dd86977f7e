//! The six labels of four octets a value, and who uses them.

use super::{Order, Quad};
use crate::charset::wide::{Reader, UCS, UNICODE, Writer, wide};
use crate::charset::{Charset, Made, Mark, Settings, Wide};

const fn quad(order: Order, highest: u32) -> Quad {
    Quad { order, highest }
}

/// UTF-32 in the order that a mark says, else little-endian.
pub static UTF_32: Charset = Charset {
    name: "UTF-32",
    about: "Unicode in 4 octets, marked; unmarked is little-endian (Unicode 3.10)",
    options: &[],
    mark: Mark::Written,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(quad(Order::Marked, UNICODE))),
        encoder: |_: &Settings| Box::new(Writer::new(quad(Order::Marked, UNICODE))),
    },
    wide: None,
};

/// UTF-32, most significant octet first.
pub static UTF_32BE: Charset = Charset {
    name: "UTF-32BE",
    about: "Unicode in 4 octets, big-endian, a mark is text (Unicode 3.10)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(quad(Order::Big, UNICODE))),
        encoder: |_: &Settings| Box::new(Writer::new(quad(Order::Big, UNICODE))),
    },
    wide: None,
};

/// UTF-32, least significant octet first.
pub static UTF_32LE: Charset = Charset {
    name: "UTF-32LE",
    about: "Unicode in 4 octets, little-endian, a mark is text (Unicode 3.10)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(quad(Order::Little, UNICODE))),
        encoder: |_: &Settings| Box::new(Writer::new(quad(Order::Little, UNICODE))),
    },
    wide: None,
};

const BIG_ENDIAN_31_BITS: Option<Wide> = wide(
    |_| true,
    |_: &Settings| Box::new(Reader::new(quad(Order::Big, UCS))),
    |_: &Settings| Box::new(Writer::new(quad(Order::Big, UCS))),
);

/// UCS-4, big-endian and without a mark, as iconv has it.
pub static UCS_4: Charset = Charset {
    name: "UCS-4",
    about: "31 bits in 4 octets, big-endian, a mark is text (ISO/IEC 10646-1:1993)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(quad(Order::Big, UCS))),
        encoder: |_: &Settings| Box::new(Writer::new(quad(Order::Big, UCS))),
    },
    wide: BIG_ENDIAN_31_BITS,
};

/// UCS-4 under the label that names its order.
pub static UCS_4BE: Charset = Charset {
    name: "UCS-4BE",
    about: "31 bits in 4 octets, big-endian, a mark is text",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(quad(Order::Big, UCS))),
        encoder: |_: &Settings| Box::new(Writer::new(quad(Order::Big, UCS))),
    },
    wide: BIG_ENDIAN_31_BITS,
};

/// UCS-4, least significant octet first.
pub static UCS_4LE: Charset = Charset {
    name: "UCS-4LE",
    about: "31 bits in 4 octets, little-endian, a mark is text",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Reader::new(quad(Order::Little, UCS))),
        encoder: |_: &Settings| Box::new(Writer::new(quad(Order::Little, UCS))),
    },
    wide: wide(
        |_| true,
        |_: &Settings| Box::new(Reader::new(quad(Order::Little, UCS))),
        |_: &Settings| Box::new(Writer::new(quad(Order::Little, UCS))),
    ),
};
