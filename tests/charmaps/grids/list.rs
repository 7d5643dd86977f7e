//! The directories, and the maps that they come from.

use std::ops::RangeInclusive;

use super::sources::{Part, Shape, Source};

type Bytes = &'static [RangeInclusive<u8>];

const fn shape(leads: Bytes, trails: Bytes) -> Shape {
    Shape { leads, trails }
}

const RIGHT: Shape = shape(&[0xA1..=0xFE], &[0xA1..=0xFE]);
const LEFT: Shape = shape(&[0x21..=0x7E], &[0x21..=0x7E]);
const SHIFT_JIS: Shape = shape(&[0x81..=0x9F, 0xE0..=0xFC], &[0x40..=0x7E, 0x80..=0xFC]);
const BIG5: Shape = shape(&[0x81..=0xFE], &[0x40..=0x7E, 0xA1..=0xFE]);
const GBK: Shape = shape(&[0x81..=0xFE], &[0x40..=0x7E, 0x80..=0xFE]);
const UHC: Shape = shape(&[0x81..=0xFE], &[0x41..=0x5A, 0x61..=0x7A, 0x81..=0xFE]);
const JOHAB: Shape = shape(&[0x84..=0xD3, 0xD8..=0xDE, 0xE0..=0xF9], &[0x31..=0x7E, 0x81..=0xFE]);
const BOTH: Shape = shape(&[0xA1..=0xFE], &[0x21..=0x7E, 0xA1..=0xFE]);
const HOST: Shape = shape(&[0x40..=0xFE], &[0x40..=0xFE]);

/// NEC's selection of IBM's characters, which stand a second time behind it.
const NEC_SELECTED: (u32, u32) = (0xED40, 0xEEFC);

/// A charset with ASCII.
const fn mixed(file: &'static str, map: &'static str, shape: Shape) -> Source {
    Source { file, map, part: Part::Whole, shape, ascii: true, decode_only: &[] }
}

/// The two-byte half of an edition of GB 18030.
const fn short(file: &'static str, map: &'static str) -> Source {
    Source { part: Part::Short, ..mixed(file, map, GBK) }
}

/// A set of its own.
const fn bare(file: &'static str, map: &'static str) -> Source {
    Source { ascii: false, ..mixed(file, map, LEFT) }
}

/// A set that a prefix leads to.
const fn behind(file: &'static str, map: &'static str, prefix: &'static [u8]) -> Source {
    Source { part: Part::Shifted(prefix, 0x21), ..bare(file, map) }
}

/// The single bytes of a mixed charset of IBM's hosts.
const fn host_single(file: &'static str, map: &'static str) -> Source {
    Source { part: Part::Single, ..bare(file, map) }
}

/// Its double bytes.
const fn host_double(file: &'static str, map: &'static str) -> Source {
    Source { part: Part::Shifted(b"\x0E", 0x40), shape: HOST, ..bare(file, map) }
}

/// The editions of GB 18030's four-byte codes.
pub static LINEAR: &[(&str, &str)] = &[
    ("gb18030", "glibc-2.43/GB18030"),
    ("gb18030-2005", "glibc/GB18030"),
    ("whatwg-gb18030", "whatwg/gb18030"),
    ("libiconv-gb18030", "libiconv/GB18030"),
];

/// All directories. Those with the longest rows come first, so that the others find theirs in them.
pub static SOURCES: &[Source] = &[
    // Korean
    mixed("uhc", "glibc/UHC", UHC),
    mixed("libiconv-cp949", "libiconv/CP949", UHC),
    mixed("whatwg-euc-kr", "whatwg/EUC-KR", UHC),
    mixed("euc-kr", "glibc/EUC-KR", RIGHT),
    mixed("libiconv-euc-kr", "libiconv/EUC-KR", RIGHT),
    mixed("johab", "glibc/JOHAB", JOHAB),
    bare("ksc5601", "libiconv/KSC_5601"),
    // Japanese
    mixed("sjis", "glibc/SJIS", SHIFT_JIS),
    mixed("libiconv-shift-jis", "libiconv/SHIFT_JIS", SHIFT_JIS),
    Source { decode_only: &[NEC_SELECTED], ..mixed("cp932", "glibc/CP932", SHIFT_JIS) },
    Source { decode_only: &[NEC_SELECTED], ..mixed("libiconv-cp932", "libiconv/CP932", SHIFT_JIS) },
    mixed("ibm932", "glibc/IBM932", SHIFT_JIS),
    Source { decode_only: &[NEC_SELECTED], ..mixed("ibm943", "glibc/IBM943", SHIFT_JIS) },
    Source { decode_only: &[NEC_SELECTED], ..mixed("libiconv-cp943", "libiconv/CP943", SHIFT_JIS) },
    Source {
        decode_only: &[NEC_SELECTED, (0xF040, 0xF9FC)],
        ..mixed("whatwg-shift-jis", "whatwg/Shift_JIS", SHIFT_JIS)
    },
    mixed("euc-jp-ms", "glibc/EUC-JP-MS", RIGHT),
    mixed("euc-jp", "glibc/EUC-JP", RIGHT),
    mixed("libiconv-euc-jp", "libiconv/EUC-JP", RIGHT),
    Source {
        decode_only: &[(0x8F_0000, 0x8F_FFFF)],
        ..mixed("whatwg-euc-jp", "whatwg/EUC-JP", RIGHT)
    },
    mixed("dec-kanji", "libiconv/DEC-KANJI", RIGHT),
    mixed("shift-jisx0213", "glibc/Shift_JISX0213", SHIFT_JIS),
    mixed("libiconv-shift-jisx0213", "libiconv/SHIFT_JISX0213", SHIFT_JIS),
    mixed("euc-jisx0213", "glibc/EUC-JISX0213", RIGHT),
    bare("jisx0208", "libiconv/JIS_X0208"),
    bare("jisx0212", "libiconv/JIS_X0212"),
    Source { part: Part::Seven, ..bare("whatwg-jis0208", "whatwg/EUC-JP") },
    behind("jisx0213-1", "glibc/ISO-2022-JP-3", b"\x1B$(Q"),
    behind("jisx0213-2", "glibc/ISO-2022-JP-3", b"\x1B$(P"),
    Source { part: Part::Encoded(b"\x1B$(Q"), ..bare("jisx0213-1-added", "glibc/ISO-2022-JP-3") },
    Source {
        decode_only: &[(0x7921, 0x7E7E)],
        ..behind("jisx0208-ms", "libiconv/ISO-2022-JP-MS", b"\x1B$B")
    },
    behind("jisx0212-ms", "libiconv/ISO-2022-JP-MS", b"\x1B$(D"),
    behind("katakana", "libiconv/ISO-2022-JP-2", b"\x1B(I"),
    Source {
        part: Part::Shifted(b"\x1B(J", 0),
        ascii: true,
        ..bare("roman", "libiconv/ISO-2022-JP")
    },
    Source {
        part: Part::Shifted(b"\x1B.A\x1BN", 0),
        ..bare("iso-8859-1-high", "libiconv/ISO-2022-JP-2")
    },
    Source {
        part: Part::Shifted(b"\x1B.F\x1BN", 0),
        ..bare("iso-8859-7-high", "glibc/ISO-2022-JP-2")
    },
    // Simplified Chinese
    mixed("cp936", "libiconv/CP936", GBK),
    short("gb18030", "glibc-2.43/GB18030"),
    short("gb18030-2005", "glibc/GB18030"),
    short("whatwg-gb18030", "whatwg/gb18030"),
    short("libiconv-gb18030", "libiconv/GB18030"),
    short("whatwg-gbk", "whatwg/GBK"),
    mixed("gbk", "glibc/GBK", GBK),
    mixed("libiconv-gbk", "libiconv/GBK", GBK),
    mixed("euc-cn", "glibc/EUC-CN", RIGHT),
    bare("gb2312", "libiconv/GB_2312-80"),
    bare("iso-ir-165", "libiconv/ISO-IR-165"),
    Source {
        part: Part::Shifted(b"\x1B$)E\x0E", 0x21),
        ..bare("cn-iso-ir-165", "glibc/ISO-2022-CN-EXT")
    },
    // Traditional Chinese
    mixed("cp950", "libiconv/CP950", BIG5),
    mixed("big5", "glibc/BIG5", BIG5),
    mixed("libiconv-big5", "libiconv/BIG5", BIG5),
    mixed("big5-2003", "libiconv/BIG5-2003", BIG5),
    Source { decode_only: &[(0x8140, 0xA0FE)], ..mixed("whatwg-big5", "whatwg/Big5", BIG5) },
    mixed("big5-hkscs", "glibc/BIG5HKSCS", BIG5),
    mixed("libiconv-big5-hkscs", "libiconv/BIG5-HKSCS", BIG5),
    mixed("big5-hkscs-2004", "libiconv/BIG5-HKSCS:2004", BIG5),
    mixed("big5-hkscs-2001", "libiconv/BIG5-HKSCS:2001", BIG5),
    mixed("big5-hkscs-1999", "libiconv/BIG5-HKSCS:1999", BIG5),
    mixed("dec-hanyu", "libiconv/DEC-HANYU", BOTH),
    mixed("euc-tw", "glibc/EUC-TW", RIGHT),
    mixed("libiconv-euc-tw", "libiconv/EUC-TW", RIGHT),
    behind("cns11643-1", "glibc/ISO-2022-CN-EXT", b"\x1B$)G\x0E"),
    behind("cns11643-2", "glibc/ISO-2022-CN-EXT", b"\x1B$*H\x1BN"),
    behind("cns11643-3", "glibc/ISO-2022-CN-EXT", b"\x1B$+I\x1BO"),
    behind("cns11643-4", "glibc/ISO-2022-CN-EXT", b"\x1B$+J\x1BO"),
    behind("cns11643-5", "glibc/ISO-2022-CN-EXT", b"\x1B$+K\x1BO"),
    behind("cns11643-6", "glibc/ISO-2022-CN-EXT", b"\x1B$+L\x1BO"),
    behind("cns11643-7", "glibc/ISO-2022-CN-EXT", b"\x1B$+M\x1BO"),
    behind("libiconv-cns11643-1", "libiconv/ISO-2022-CN-EXT", b"\x1B$)G\x0E"),
    behind("libiconv-cn-iso-ir-165", "libiconv/ISO-2022-CN-EXT", b"\x1B$)E\x0E"),
    // IBM's hosts
    host_single("ibm1390-single", "glibc/IBM1390"),
    host_double("ibm1390-double", "glibc/IBM1390"),
    host_single("ibm1399-single", "glibc/IBM1399"),
    host_double("ibm1399-double", "glibc/IBM1399"),
    host_single("ibm930-single", "glibc/IBM930"),
    host_double("ibm930-double", "glibc/IBM930"),
    host_single("ibm939-single", "glibc/IBM939"),
    host_double("ibm939-double", "glibc/IBM939"),
    host_single("ibm1364-single", "glibc/IBM1364"),
    host_double("ibm1364-double", "glibc/IBM1364"),
    host_single("ibm933-single", "glibc/IBM933"),
    host_double("ibm933-double", "glibc/IBM933"),
    host_single("ibm1388-single", "glibc/IBM1388"),
    host_double("ibm1388-double", "glibc/IBM1388"),
    host_single("ibm935-single", "glibc/IBM935"),
    host_double("ibm935-double", "glibc/IBM935"),
    host_single("ibm937-single", "glibc/IBM937"),
    host_double("ibm937-double", "glibc/IBM937"),
    host_single("ibm1371-single", "glibc/IBM1371"),
    host_double("ibm1371-double", "glibc/IBM1371"),
    // Others of IBM's, which share rows with those above.
    Source { ascii: false, ..mixed("ibm971", "icu/ibm-971_P100-1995", RIGHT) },
];
