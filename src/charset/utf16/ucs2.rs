//! UCS-2: the Basic Multilingual Plane in 16-bit units (ISO/IEC 10646:2003, section 13.1).
//!
//! A unit in the surrogate range is ill-formed by itself, and a character above U+FFFF has no
//! code. The bare `UCS-2` obeys one mark at the very start but writes none; `UNICODE` is what the
//! GNU C library calls the same with a mark written.

use super::fixed::Fixed;
use super::marked::{MarkObeyed, MarkWritten};
use super::order::{Big, Little};
use crate::charset::{Charset, Made, Mark, Settings};

/// UCS-2 that obeys a mark and writes none.
pub static UCS_2: Charset = Charset {
    name: "UCS-2",
    about: "16-bit units without surrogates, little-endian unless marked (ISO/IEC 10646)",
    options: &[],
    mark: Mark::Obeyed,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(MarkObeyed::<false>::new()),
        encoder: |_: &Settings| Box::new(Fixed::<Little, false>::new()),
    },
    wide: None,
};

/// UCS-2 with the high octet first.
pub static UCS_2BE: Charset = Charset {
    name: "UCS-2BE",
    about: "16-bit units without surrogates, big-endian (ISO/IEC 10646)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Fixed::<Big, false>::new()),
        encoder: |_: &Settings| Box::new(Fixed::<Big, false>::new()),
    },
    wide: None,
};

/// UCS-2 with the low octet first.
pub static UCS_2LE: Charset = Charset {
    name: "UCS-2LE",
    about: "16-bit units without surrogates, little-endian (ISO/IEC 10646)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Fixed::<Little, false>::new()),
        encoder: |_: &Settings| Box::new(Fixed::<Little, false>::new()),
    },
    wide: None,
};

/// UCS-2 that obeys a mark and writes one.
pub static UNICODE: Charset = Charset {
    name: "UNICODE",
    about: "16-bit units without surrogates, with a byte order mark (GNU C library)",
    options: &[],
    mark: Mark::Written,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(MarkObeyed::<false>::new()),
        encoder: |_: &Settings| Box::new(MarkWritten::<false>::new()),
    },
    wide: None,
};
