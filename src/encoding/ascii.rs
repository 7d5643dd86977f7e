//! US-ASCII (ANSI X3.4-1986): bytes 00 to 7F, each its own code point.

use super::latin1::IdentityCodec;
use super::{BomHandling, Encoding, EncodingOptions, FnFactory};

/// Seven-bit ASCII.
pub static US_ASCII: Encoding = Encoding {
    name: "US-ASCII",
    description: "seven bits (ANSI X3.4-1986)",
    options: &[],
    bom_handling: BomHandling::Ignore,
    factory: &FnFactory {
        decoder: |_: &EncodingOptions| Box::new(IdentityCodec::new(0x80)),
        encoder: |_: &EncodingOptions| Box::new(IdentityCodec::new(0x80)),
    },
    ucs4: None,
};
