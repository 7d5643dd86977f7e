//! US-ASCII (ANSI X3.4-1986): octets 00 to 7F, each its own code point.

use super::latin1::Direct;
use super::{Charset, Made, Mark, Settings};

/// Seven-bit ASCII.
pub static US_ASCII: Charset = Charset {
    name: "US-ASCII",
    about: "seven bits (ANSI X3.4-1986)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Direct::new(0x80)),
        encoder: |_: &Settings| Box::new(Direct::new(0x80)),
    },
    wide: None,
};
