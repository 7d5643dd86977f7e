//! UTF-16 (RFC 2781, The Unicode Standard section 3.10), and UCS-2 as its half without pairs.
//!
//! The order of a label with LE or BE is fixed, and U+FEFF is a character there. The bare `UTF-16`
//! obeys one mark at the very start and drops it. Where there is none it is little-endian, as the
//! files of most systems are, though RFC 2781 section 4.3 would have it big-endian: `UTF-16BE`
//! says so outright.
//!
//! An ill-formed sequence is a lone surrogate (2 bytes), or all that is left when the input ends
//! inside a character (1 to 3 bytes).

use super::{BomHandling, Encoding, EncodingOptions, FnFactory};
use crate::codec::Decoder;

mod bom;
mod decode;
mod encode;
mod endian;
mod fixed_endian;

pub(super) mod ucs2;

#[cfg(test)]
mod tests;

use bom::{BomDecoder, BomEncoder};
use endian::{BigEndian, LittleEndian};
use fixed_endian::FixedEndian;

/// A decoder of a label that obeys a mark, which is big-endian where there is none.
pub(super) fn network_order_decoder(encoding: &Encoding) -> Option<Box<dyn Decoder>> {
    if *encoding == UTF_16 {
        Some(Box::new(BomDecoder::<true>::with_big_endian_default()))
    } else if [&ucs2::UCS_2, &ucs2::UNICODE].contains(&encoding) {
        Some(Box::new(BomDecoder::<false>::with_big_endian_default()))
    } else {
        None
    }
}

/// UTF-16 that says its byte order with a mark.
pub static UTF_16: Encoding = Encoding {
    name: "UTF-16",
    description: "Unicode in 16-bit units with a byte order mark, else little-endian (RFC 2781)",
    options: &[],
    bom_handling: BomHandling::DetectAndWrite,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(BomDecoder::<true>::new()),
        encoder: |_: &EncodingOptions| Box::new(BomEncoder::<true>::new()),
    },
    ucs4: None,
};

/// UTF-16 with the high byte first.
pub static UTF_16BE: Encoding = Encoding {
    name: "UTF-16BE",
    description: "Unicode in 16-bit units, big-endian (RFC 2781)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(FixedEndian::<BigEndian, true>::new()),
        encoder: |_: &EncodingOptions| Box::new(FixedEndian::<BigEndian, true>::new()),
    },
    ucs4: None,
};

/// UTF-16 with the low byte first.
pub static UTF_16LE: Encoding = Encoding {
    name: "UTF-16LE",
    description: "Unicode in 16-bit units, little-endian (RFC 2781)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(FixedEndian::<LittleEndian, true>::new()),
        encoder: |_: &EncodingOptions| Box::new(FixedEndian::<LittleEndian, true>::new()),
    },
    ucs4: None,
};
