//! The tries and the maps that they are made from.

use std::ops::RangeInclusive;

use super::sources::{CodeShape, MapPart, TableSource};

type ByteRanges = &'static [RangeInclusive<u8>];

const fn shape(leads: ByteRanges, trails: ByteRanges) -> CodeShape {
    CodeShape { leads, trails }
}

const GR: CodeShape = shape(&[0xA1..=0xFE], &[0xA1..=0xFE]);
const GL: CodeShape = shape(&[0x21..=0x7E], &[0x21..=0x7E]);
const SHIFT_JIS: CodeShape = shape(&[0x81..=0x9F, 0xE0..=0xFC], &[0x40..=0x7E, 0x80..=0xFC]);
const BIG5: CodeShape = shape(&[0x81..=0xFE], &[0x40..=0x7E, 0xA1..=0xFE]);
const GBK: CodeShape = shape(&[0x81..=0xFE], &[0x40..=0x7E, 0x80..=0xFE]);
const UHC: CodeShape = shape(&[0x81..=0xFE], &[0x41..=0x5A, 0x61..=0x7A, 0x81..=0xFE]);
const JOHAB: CodeShape =
    shape(&[0x84..=0xD3, 0xD8..=0xDE, 0xE0..=0xF9], &[0x31..=0x7E, 0x81..=0xFE]);
const GR_TO_GL: CodeShape = shape(&[0xA1..=0xFE], &[0x21..=0x7E, 0xA1..=0xFE]);
const EBCDIC: CodeShape = shape(&[0x40..=0xFE], &[0x40..=0xFE]);

/// NEC's selection of IBM characters, which are mapped a second time after it.
const NEC_SELECTED: (u32, u32) = (0xED40, 0xEEFC);

/// An encoding with ASCII.
const fn with_ascii(file: &'static str, map: &'static str, shape: CodeShape) -> TableSource {
    TableSource { file, map, part: MapPart::AllCodes, shape, ascii: true, decode_only: &[] }
}

/// The two-byte half of an edition of GB 18030.
const fn gb18030_two_byte(file: &'static str, map: &'static str) -> TableSource {
    TableSource { part: MapPart::UpToTwoBytes, ..with_ascii(file, map, GBK) }
}

/// A character set by itself.
const fn character_set(file: &'static str, map: &'static str) -> TableSource {
    TableSource { ascii: false, ..with_ascii(file, map, GL) }
}

/// A character set that a prefix selects.
const fn shifted_set(file: &'static str, map: &'static str, prefix: &'static [u8]) -> TableSource {
    TableSource { part: MapPart::Shifted(prefix, 0x21), ..character_set(file, map) }
}

/// The single bytes of a mixed EBCDIC encoding.
const fn ebcdic_single_byte(file: &'static str, map: &'static str) -> TableSource {
    TableSource { part: MapPart::OneByte, ..character_set(file, map) }
}

/// Its double bytes.
const fn ebcdic_double_byte(file: &'static str, map: &'static str) -> TableSource {
    TableSource { part: MapPart::Shifted(b"\x0E", 0x40), shape: EBCDIC, ..character_set(file, map) }
}

/// The editions of GB 18030's four-byte codes.
pub static GB18030_RANGES: &[(&str, &str)] = &[
    ("gb18030", "glibc-2.43/GB18030"),
    ("gb18030-2005", "glibc/GB18030"),
    ("whatwg-gb18030", "whatwg/gb18030"),
    ("libiconv-gb18030", "libiconv/GB18030"),
];

/// All tries. Those with the longest rows come first, so that the others can share their rows.
pub static SOURCES: &[TableSource] = &[
    // Korean
    with_ascii("uhc", "glibc/UHC", UHC),
    with_ascii("libiconv-cp949", "libiconv/CP949", UHC),
    with_ascii("whatwg-euc-kr", "whatwg/EUC-KR", UHC),
    with_ascii("euc-kr", "glibc/EUC-KR", GR),
    with_ascii("libiconv-euc-kr", "libiconv/EUC-KR", GR),
    with_ascii("johab", "glibc/JOHAB", JOHAB),
    character_set("ksc5601", "libiconv/KSC_5601"),
    // Japanese
    with_ascii("sjis", "glibc/SJIS", SHIFT_JIS),
    with_ascii("libiconv-shift-jis", "libiconv/SHIFT_JIS", SHIFT_JIS),
    TableSource { decode_only: &[NEC_SELECTED], ..with_ascii("cp932", "glibc/CP932", SHIFT_JIS) },
    TableSource {
        decode_only: &[NEC_SELECTED],
        ..with_ascii("libiconv-cp932", "libiconv/CP932", SHIFT_JIS)
    },
    with_ascii("ibm932", "glibc/IBM932", SHIFT_JIS),
    TableSource { decode_only: &[NEC_SELECTED], ..with_ascii("ibm943", "glibc/IBM943", SHIFT_JIS) },
    TableSource {
        decode_only: &[NEC_SELECTED],
        ..with_ascii("libiconv-cp943", "libiconv/CP943", SHIFT_JIS)
    },
    TableSource {
        decode_only: &[NEC_SELECTED, (0xF040, 0xF9FC)],
        ..with_ascii("whatwg-shift-jis", "whatwg/Shift_JIS", SHIFT_JIS)
    },
    with_ascii("euc-jp-ms", "glibc/EUC-JP-MS", GR),
    with_ascii("euc-jp", "glibc/EUC-JP", GR),
    with_ascii("libiconv-euc-jp", "libiconv/EUC-JP", GR),
    TableSource {
        decode_only: &[(0x8F_0000, 0x8F_FFFF)],
        ..with_ascii("whatwg-euc-jp", "whatwg/EUC-JP", GR)
    },
    with_ascii("dec-kanji", "libiconv/DEC-KANJI", GR),
    with_ascii("shift-jisx0213", "glibc/Shift_JISX0213", SHIFT_JIS),
    with_ascii("libiconv-shift-jisx0213", "libiconv/SHIFT_JISX0213", SHIFT_JIS),
    with_ascii("euc-jisx0213", "glibc/EUC-JISX0213", GR),
    character_set("jisx0208", "libiconv/JIS_X0208"),
    character_set("jisx0212", "libiconv/JIS_X0212"),
    TableSource { part: MapPart::SevenBit, ..character_set("whatwg-jis0208", "whatwg/EUC-JP") },
    shifted_set("jisx0213-1", "glibc/ISO-2022-JP-3", b"\x1B$(Q"),
    shifted_set("jisx0213-2", "glibc/ISO-2022-JP-3", b"\x1B$(P"),
    TableSource {
        part: MapPart::Encoded(b"\x1B$(Q"),
        ..character_set("jisx0213-1-added", "glibc/ISO-2022-JP-3")
    },
    TableSource {
        decode_only: &[(0x7921, 0x7E7E)],
        ..shifted_set("jisx0208-ms", "libiconv/ISO-2022-JP-MS", b"\x1B$B")
    },
    shifted_set("jisx0212-ms", "libiconv/ISO-2022-JP-MS", b"\x1B$(D"),
    shifted_set("katakana", "libiconv/ISO-2022-JP-2", b"\x1B(I"),
    TableSource {
        part: MapPart::Shifted(b"\x1B(J", 0),
        ascii: true,
        ..character_set("roman", "libiconv/ISO-2022-JP")
    },
    TableSource {
        part: MapPart::Shifted(b"\x1B.A\x1BN", 0),
        ..character_set("iso-8859-1-high", "libiconv/ISO-2022-JP-2")
    },
    TableSource {
        part: MapPart::Shifted(b"\x1B.F\x1BN", 0),
        ..character_set("iso-8859-7-high", "glibc/ISO-2022-JP-2")
    },
    // Simplified Chinese
    with_ascii("cp936", "libiconv/CP936", GBK),
    gb18030_two_byte("gb18030", "glibc-2.43/GB18030"),
    gb18030_two_byte("gb18030-2005", "glibc/GB18030"),
    gb18030_two_byte("whatwg-gb18030", "whatwg/gb18030"),
    gb18030_two_byte("libiconv-gb18030", "libiconv/GB18030"),
    gb18030_two_byte("whatwg-gbk", "whatwg/GBK"),
    with_ascii("gbk", "glibc/GBK", GBK),
    with_ascii("libiconv-gbk", "libiconv/GBK", GBK),
    with_ascii("euc-cn", "glibc/EUC-CN", GR),
    character_set("gb2312", "libiconv/GB_2312-80"),
    character_set("iso-ir-165", "libiconv/ISO-IR-165"),
    TableSource {
        part: MapPart::Shifted(b"\x1B$)E\x0E", 0x21),
        ..character_set("cn-iso-ir-165", "glibc/ISO-2022-CN-EXT")
    },
    // Traditional Chinese
    with_ascii("cp950", "libiconv/CP950", BIG5),
    with_ascii("big5", "glibc/BIG5", BIG5),
    with_ascii("libiconv-big5", "libiconv/BIG5", BIG5),
    with_ascii("big5-2003", "libiconv/BIG5-2003", BIG5),
    TableSource {
        decode_only: &[(0x8140, 0xA0FE)],
        ..with_ascii("whatwg-big5", "whatwg/Big5", BIG5)
    },
    with_ascii("big5-hkscs", "glibc/BIG5HKSCS", BIG5),
    with_ascii("libiconv-big5-hkscs", "libiconv/BIG5-HKSCS", BIG5),
    with_ascii("big5-hkscs-2004", "libiconv/BIG5-HKSCS:2004", BIG5),
    with_ascii("big5-hkscs-2001", "libiconv/BIG5-HKSCS:2001", BIG5),
    with_ascii("big5-hkscs-1999", "libiconv/BIG5-HKSCS:1999", BIG5),
    with_ascii("dec-hanyu", "libiconv/DEC-HANYU", GR_TO_GL),
    with_ascii("euc-tw", "glibc/EUC-TW", GR),
    with_ascii("libiconv-euc-tw", "libiconv/EUC-TW", GR),
    shifted_set("cns11643-1", "glibc/ISO-2022-CN-EXT", b"\x1B$)G\x0E"),
    shifted_set("cns11643-2", "glibc/ISO-2022-CN-EXT", b"\x1B$*H\x1BN"),
    shifted_set("cns11643-3", "glibc/ISO-2022-CN-EXT", b"\x1B$+I\x1BO"),
    shifted_set("cns11643-4", "glibc/ISO-2022-CN-EXT", b"\x1B$+J\x1BO"),
    shifted_set("cns11643-5", "glibc/ISO-2022-CN-EXT", b"\x1B$+K\x1BO"),
    shifted_set("cns11643-6", "glibc/ISO-2022-CN-EXT", b"\x1B$+L\x1BO"),
    shifted_set("cns11643-7", "glibc/ISO-2022-CN-EXT", b"\x1B$+M\x1BO"),
    shifted_set("libiconv-cns11643-1", "libiconv/ISO-2022-CN-EXT", b"\x1B$)G\x0E"),
    shifted_set("libiconv-cn-iso-ir-165", "libiconv/ISO-2022-CN-EXT", b"\x1B$)E\x0E"),
    // EBCDIC
    ebcdic_single_byte("ibm1390-single", "glibc/IBM1390"),
    ebcdic_double_byte("ibm1390-double", "glibc/IBM1390"),
    ebcdic_single_byte("ibm1399-single", "glibc/IBM1399"),
    ebcdic_double_byte("ibm1399-double", "glibc/IBM1399"),
    ebcdic_single_byte("ibm930-single", "glibc/IBM930"),
    ebcdic_double_byte("ibm930-double", "glibc/IBM930"),
    ebcdic_single_byte("ibm939-single", "glibc/IBM939"),
    ebcdic_double_byte("ibm939-double", "glibc/IBM939"),
    ebcdic_single_byte("ibm1364-single", "glibc/IBM1364"),
    ebcdic_double_byte("ibm1364-double", "glibc/IBM1364"),
    ebcdic_single_byte("ibm933-single", "glibc/IBM933"),
    ebcdic_double_byte("ibm933-double", "glibc/IBM933"),
    ebcdic_single_byte("ibm1388-single", "glibc/IBM1388"),
    ebcdic_double_byte("ibm1388-double", "glibc/IBM1388"),
    ebcdic_single_byte("ibm935-single", "glibc/IBM935"),
    ebcdic_double_byte("ibm935-double", "glibc/IBM935"),
    ebcdic_single_byte("ibm937-single", "glibc/IBM937"),
    ebcdic_double_byte("ibm937-double", "glibc/IBM937"),
    ebcdic_single_byte("ibm1371-single", "glibc/IBM1371"),
    ebcdic_double_byte("ibm1371-double", "glibc/IBM1371"),
    // Another IBM encoding, which shares rows with those above.
    TableSource { ascii: false, ..with_ascii("ibm971", "icu/ibm-971_P100-1995", GR) },
];
