//! The mixed EBCDIC encodings of IBM: single bytes, and two bytes per character between SO and SI.

use super::{CodedCharset, ControlFunction, Encoding, StatefulEncoding};
use crate::encoding::multi_byte::mapping::{self, MultiByteMapping};

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &[
    &IBM930, &IBM933, &IBM935, &IBM937, &IBM939, &IBM1364, &IBM1371, &IBM1388, &IBM1390, &IBM1399,
];

const SHIFT_OUT: &[u8] = b"\x0E";
const SHIFT_IN: &[u8] = b"\x0F";

const SEQUENCES: &[(&[u8], ControlFunction)] =
    &[(SHIFT_OUT, ControlFunction::LockingShift(1)), (SHIFT_IN, ControlFunction::LockingShift(0))];

/// Returns the single-byte and the double-byte set.
const fn charsets(single: &'static [u8], double: &'static [u8]) -> [CodedCharset; 2] {
    [
        CodedCharset::locking(MultiByteMapping::without_ascii(single, &mapping::EBCDIC), SHIFT_IN),
        CodedCharset::locking(MultiByteMapping::without_ascii(double, &mapping::EBCDIC), SHIFT_OUT),
    ]
}

/// Returns an encoding whose control characters are in the single-byte set only.
const fn ebcdic_encoding(sets: &'static [CodedCharset; 2]) -> StatefulEncoding {
    StatefulEncoding { shared_controls: false, ..StatefulEncoding::new(sets, SEQUENCES) }
}

static IBM930: Encoding = Encoding::new(
    "IBM930",
    "EBCDIC, mixed: Japanese, with katakana in place of small letters",
    &&EBCDIC_930,
);
static EBCDIC_930: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm930-single.trie"),
    include_bytes!("../multi_byte/data/ibm930-double.trie"),
));

static IBM933: Encoding = Encoding::new("IBM933", "EBCDIC, mixed: Korean", &&EBCDIC_933);
static EBCDIC_933: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm933-single.trie"),
    include_bytes!("../multi_byte/data/ibm933-double.trie"),
));

static IBM935: Encoding =
    Encoding::new("IBM935", "EBCDIC, mixed: Simplified Chinese", &&EBCDIC_935);
static EBCDIC_935: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm935-single.trie"),
    include_bytes!("../multi_byte/data/ibm935-double.trie"),
));

static IBM937: Encoding =
    Encoding::new("IBM937", "EBCDIC, mixed: Traditional Chinese", &&EBCDIC_937);
static EBCDIC_937: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm937-single.trie"),
    include_bytes!("../multi_byte/data/ibm937-double.trie"),
));

static IBM939: Encoding =
    Encoding::new("IBM939", "EBCDIC, mixed: Japanese, with small letters", &&EBCDIC_939);
static EBCDIC_939: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm939-single.trie"),
    include_bytes!("../multi_byte/data/ibm939-double.trie"),
));

static IBM1364: Encoding =
    Encoding::new("IBM1364", "EBCDIC, mixed: Korean, with the euro sign", &&EBCDIC_1364);
static EBCDIC_1364: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm1364-single.trie"),
    include_bytes!("../multi_byte/data/ibm1364-double.trie"),
));

static IBM1371: Encoding = Encoding::new(
    "IBM1371",
    "EBCDIC, mixed: Traditional Chinese, with the euro sign",
    &&EBCDIC_1371,
);
static EBCDIC_1371: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm1371-single.trie"),
    include_bytes!("../multi_byte/data/ibm1371-double.trie"),
));

static IBM1388: Encoding =
    Encoding::new("IBM1388", "EBCDIC, mixed: Simplified Chinese of GB 18030", &&EBCDIC_1388);
static EBCDIC_1388: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm1388-single.trie"),
    include_bytes!("../multi_byte/data/ibm1388-double.trie"),
));

static IBM1390: Encoding = Encoding::new(
    "IBM1390",
    "EBCDIC, mixed: Japanese of JIS X 0213, with katakana in place of small letters",
    &&EBCDIC_1390,
);
static EBCDIC_1390: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm1390-single.trie"),
    include_bytes!("../multi_byte/data/ibm1390-double.trie"),
));

static IBM1399: Encoding = Encoding::new(
    "IBM1399",
    "EBCDIC, mixed: Japanese of JIS X 0213, with small letters",
    &&EBCDIC_1399,
);
static EBCDIC_1399: StatefulEncoding = ebcdic_encoding(&charsets(
    include_bytes!("../multi_byte/data/ibm1399-single.trie"),
    include_bytes!("../multi_byte/data/ibm1399-double.trie"),
));
