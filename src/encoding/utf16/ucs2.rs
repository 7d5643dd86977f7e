//! UCS-2: the Basic Multilingual Plane in 16-bit units (ISO/IEC 10646:2003, section 13.1).
//!
//! A unit in the surrogate range is ill-formed by itself, and a character above U+FFFF has no
//! code. The bare `UCS-2` obeys one mark at the very start but writes none; `UNICODE` is what the
//! GNU C library calls the same with a mark written.

use super::bom::{BomDecoder, BomEncoder};
use super::endian::{BigEndian, LittleEndian};
use super::fixed_endian::FixedEndian;
use crate::encoding::{BomHandling, Encoding, EncodingOptions, FnFactory};

/// UCS-2 that obeys a mark and writes none.
pub static UCS_2: Encoding = Encoding {
    name: "UCS-2",
    description: "16-bit units without surrogates, little-endian unless marked (ISO/IEC 10646)",
    options: &[],
    bom_handling: BomHandling::Detect,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(BomDecoder::<false>::new()),
        encoder: |_: &EncodingOptions| Box::new(FixedEndian::<LittleEndian, false>::new()),
    },
    ucs4: None,
};

/// UCS-2 with the high byte first.
pub static UCS_2BE: Encoding = Encoding {
    name: "UCS-2BE",
    description: "16-bit units without surrogates, big-endian (ISO/IEC 10646)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(FixedEndian::<BigEndian, false>::new()),
        encoder: |_: &EncodingOptions| Box::new(FixedEndian::<BigEndian, false>::new()),
    },
    ucs4: None,
};

/// UCS-2 with the low byte first.
pub static UCS_2LE: Encoding = Encoding {
    name: "UCS-2LE",
    description: "16-bit units without surrogates, little-endian (ISO/IEC 10646)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(FixedEndian::<LittleEndian, false>::new()),
        encoder: |_: &EncodingOptions| Box::new(FixedEndian::<LittleEndian, false>::new()),
    },
    ucs4: None,
};

/// UCS-2 that obeys a mark and writes one.
pub static UNICODE: Encoding = Encoding {
    name: "UNICODE",
    description: "16-bit units without surrogates, with a byte order mark (GNU C library)",
    options: &[],
    bom_handling: BomHandling::DetectAndWrite,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(BomDecoder::<false>::new()),
        encoder: |_: &EncodingOptions| Box::new(BomEncoder::<false>::new()),
    },
    ucs4: None,
};
