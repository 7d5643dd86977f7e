//! UTF-16 (RFC 2781, The Unicode Standard section 3.10), and UCS-2 as its half without pairs.
//!
//! The order of a label with LE or BE is fixed, and U+FEFF is a character there. The bare `UTF-16`
//! obeys one mark at the very start and drops it. Where there is none it is little-endian, as the
//! files of most systems are, though RFC 2781 section 4.3 would have it big-endian: `UTF-16BE`
//! says so outright.
//!
//! An ill-formed sequence is a lone surrogate (2 octets), or all that is left when the input ends
//! inside a character (1 to 3 octets).

use super::{Charset, Made, Mark, Settings};
use crate::codec::Decoder;

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

/// A decoder of a label that obeys a mark, which is big-endian where there is none.
pub(super) fn network_order(charset: &Charset) -> Option<Box<dyn Decoder>> {
    if *charset == UTF_16 {
        Some(Box::new(MarkObeyed::<true>::big_endian()))
    } else if [&ucs2::UCS_2, &ucs2::UNICODE].contains(&charset) {
        Some(Box::new(MarkObeyed::<false>::big_endian()))
    } else {
        None
    }
}

/// UTF-16 that says its byte order with a mark.
pub static UTF_16: Charset = Charset {
    name: "UTF-16",
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
    about: "Unicode in 16-bit units, little-endian (RFC 2781)",
    options: &[],
    mark: Mark::Character,
    codecs: &Made {
        decoder: |_: &Settings| Box::new(Fixed::<Little, true>::new()),
        encoder: |_: &Settings| Box::new(Fixed::<Little, true>::new()),
    },
    wide: None,
};
