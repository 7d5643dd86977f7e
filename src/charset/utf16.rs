//! UTF-16 (RFC 2781, The Unicode Standard section 3.10), and UCS-2 as its half without pairs.
//!
//! The order of a label with LE or BE is fixed, and U+FEFF is a character there. The bare `UTF-16`
//! obeys one mark at the very start and drops it. Where there is none it is little-endian, as the
//! files of most systems are, though RFC 2781 section 4.3 would have it big-endian: `UTF-16BE`
//! says so outright.
//!
//! An ill-formed sequence is a lone surrogate (2 octets), or all that is left when the input ends
//! inside a character (1 to 3 octets).

use super::name::{IANA, ICU, JAVA, PYTHON, RECODE, WHATWG, WINDOWS};
use super::{Charset, Made, Mark, Settings};

mod blocks;
mod decode;
mod encode;
mod fixed;
mod marked;
mod order;

pub(super) mod ucs2;

#[cfg(test)]
mod tests;

use fixed::Fixed;
use marked::{MarkObeyed, MarkWritten};
use order::{Big, Little};

/// UTF-16 that says its byte order with a mark.
pub static UTF_16: Charset = Charset {
    name: "UTF-16",
    aliases: &[
        ("csUTF16", IANA),
        ("u16", PYTHON),
        ("TF-16", RECODE),
        ("u6", RECODE),
        ("ibm-1204", ICU),
        ("ibm-1205", ICU),
    ],
    about: "Unicode in 16-bit units with a byte order mark, else little-endian (RFC 2781)",
    options: &[],
    mark: Mark::Written,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(MarkObeyed::<true>::new()),
        encoder: |_: &Settings| Box::new(MarkWritten::<true>::new()),
    },
    wide: None,
};

/// UTF-16 with the high octet first.
pub static UTF_16BE: Charset = Charset {
    name: "UTF-16BE",
    aliases: &[
        ("csUTF16BE", IANA),
        ("UTF16_BigEndian", ICU),
        ("UnicodeBigUnmarked", JAVA),
        ("x-utf-16be", JAVA | ICU),
        ("unicodefffe", WHATWG),
        ("cp1201", ICU | WINDOWS),
        ("windows-1201", ICU | WINDOWS),
        ("ibm-1200", ICU),
        ("ibm-1201", ICU),
        ("ibm-13488", ICU),
        ("ibm-13489", ICU),
        ("ibm-17584", ICU),
        ("ibm-17585", ICU),
        ("ibm-21680", ICU),
        ("ibm-21681", ICU),
        ("ibm-25776", ICU),
        ("ibm-25777", ICU),
        ("ibm-29872", ICU),
        ("ibm-29873", ICU),
        ("ibm-61955", ICU),
        ("ibm-61956", ICU),
    ],
    about: "Unicode in 16-bit units, big-endian (RFC 2781)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Fixed::<Big, true>::new()),
        encoder: |_: &Settings| Box::new(Fixed::<Big, true>::new()),
    },
    wide: None,
};

/// UTF-16 with the low octet first.
pub static UTF_16LE: Charset = Charset {
    name: "UTF-16LE",
    aliases: &[
        ("csUTF16LE", IANA),
        ("UTF16_LittleEndian", ICU),
        ("UnicodeLittleUnmarked", JAVA),
        ("x-utf-16le", JAVA | ICU),
        ("unicodefeff", WHATWG),
        ("cp1200", WINDOWS),
        ("windows-1200", WINDOWS),
        ("ibm-1202", ICU),
        ("ibm-1203", ICU),
        ("ibm-13490", ICU),
        ("ibm-13491", ICU),
        ("ibm-17586", ICU),
        ("ibm-17587", ICU),
        ("ibm-21682", ICU),
        ("ibm-21683", ICU),
        ("ibm-25778", ICU),
        ("ibm-25779", ICU),
        ("ibm-29874", ICU),
        ("ibm-29875", ICU),
    ],
    about: "Unicode in 16-bit units, little-endian (RFC 2781)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Fixed::<Little, true>::new()),
        encoder: |_: &Settings| Box::new(Fixed::<Little, true>::new()),
    },
    wide: None,
};
