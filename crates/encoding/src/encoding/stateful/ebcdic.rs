//! The mixed EBCDIC encodings of IBM: single bytes, and two bytes per character between SO and SI.

use super::{CodedCharset, Encoding, SHIFT_IN, SHIFT_OUT, StatefulEncoding};
use crate::encoding::multi_byte::mapping::{self, MultiByteMapping};
use crate::encoding::refs;

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &refs(&ENCODINGS);

const fn charsets(single: &'static [u8], double: &'static [u8]) -> [CodedCharset; 2] {
    [
        CodedCharset::locking(MultiByteMapping::without_ascii(single, &mapping::EBCDIC), SHIFT_IN),
        CodedCharset::locking(MultiByteMapping::without_ascii(double, &mapping::EBCDIC), SHIFT_OUT),
    ]
}

/// Defines an encoding whose control characters are in the single-byte set only.
macro_rules! ebcdic {
    ($name:literal, $tries:literal, $description:literal) => {
        Encoding::new(
            $name,
            $description,
            &&StatefulEncoding {
                shared_controls: false,
                ..StatefulEncoding::new(
                    &charsets(
                        include_bytes!(concat!("../multi_byte/data/", $tries, "-single.trie")),
                        include_bytes!(concat!("../multi_byte/data/", $tries, "-double.trie")),
                    ),
                    &[],
                )
            },
        )
    };
}

#[rustfmt::skip]
static ENCODINGS: [Encoding; 10] = [
    ebcdic!("IBM930", "ibm930", "EBCDIC, mixed: Japanese, with katakana in place of small letters"),
    ebcdic!("IBM933", "ibm933", "EBCDIC, mixed: Korean"),
    ebcdic!("IBM935", "ibm935", "EBCDIC, mixed: Simplified Chinese"),
    ebcdic!("IBM937", "ibm937", "EBCDIC, mixed: Traditional Chinese"),
    ebcdic!("IBM939", "ibm939", "EBCDIC, mixed: Japanese, with small letters"),
    ebcdic!("IBM1364", "ibm1364", "EBCDIC, mixed: Korean, with the euro sign"),
    ebcdic!("IBM1371", "ibm1371", "EBCDIC, mixed: Traditional Chinese, with the euro sign"),
    ebcdic!("IBM1388", "ibm1388", "EBCDIC, mixed: Simplified Chinese of GB 18030"),
    ebcdic!("IBM1390", "ibm1390", "EBCDIC, mixed: Japanese of JIS X 0213, with katakana in place of small letters"),
    ebcdic!("IBM1399", "ibm1399", "EBCDIC, mixed: Japanese of JIS X 0213, with small letters"),
];
