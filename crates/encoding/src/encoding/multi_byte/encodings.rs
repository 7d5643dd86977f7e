//! The multi-byte encodings: their names, tries, trail bytes and descriptions.

use super::mapping::{self, Gb18030Ranges, MultiByteMapping, RangeIndex};
use crate::encoding::Encoding;

/// Defines an encoding with ASCII, and what it has besides the codes of the trie.
macro_rules! with_ascii {
    ($name:literal, $trie:literal, $trail_index:ident, $description:literal $(, $method:ident($($argument:expr)?))?) => {
        Encoding::new(
            $name,
            $description,
            &MultiByteMapping::with_ascii(
                include_bytes!(concat!("data/", $trie, ".trie")),
                &mapping::$trail_index,
            )
            $(.$method($($argument)?))?,
        )
    };
}

/// Defines an encoding without ASCII.
macro_rules! without_ascii {
    ($name:literal, $trie:literal, $trail_index:ident, $description:literal) => {
        Encoding::new(
            $name,
            $description,
            &MultiByteMapping::without_ascii(
                include_bytes!(concat!("data/", $trie, ".trie")),
                &mapping::$trail_index,
            ),
        )
    };
}

/// The four-byte codes with the ranges of this file.
macro_rules! ranges {
    ($file:literal) => {{
        static INDEX: RangeIndex =
            RangeIndex::new(include_bytes!(concat!("data/", $file, ".ranges")));
        Gb18030Ranges::new(include_bytes!(concat!("data/", $file, ".ranges")), &INDEX)
    }};
}

/// The encodings in the order of the manual.
#[rustfmt::skip]
pub static ENCODINGS: [Encoding; 50] = [
    // Japanese: JIS X 0208 and related sets in EUC and Shift_JIS.
    with_ascii!("EUC-JP", "euc-jp", GR_94, "Extended Unix Code of JIS X 0208, X 0212 and half-width katakana, as in glibc"),
    with_ascii!("EUC-JP-MS", "euc-jp-ms", GR_94, "EUC-JP with the extensions of Windows (eucJP-ms of TOG/JVC)"),
    with_ascii!("EUC-JISX0213", "euc-jisx0213", GR_94, "Extended Unix Code of JIS X 0213:2004", with_pairs()),
    with_ascii!("DEC-KANJI", "dec-kanji", GR_94, "JIS X 0208 as on DEC systems"),
    with_ascii!("SJIS", "sjis", SHIFT_JIS, "Shift_JIS of JIS X 0208:1997, with yen sign and overline at 5C and 7E"),
    with_ascii!("CP932", "cp932", SHIFT_JIS, "Shift_JIS of Windows, code page 932, as in glibc"),
    with_ascii!("IBM932", "ibm932", SHIFT_JIS, "Shift_JIS of IBM, code page 932"),
    with_ascii!("IBM943", "ibm943", SHIFT_JIS, "Shift_JIS of IBM, code page 943"),
    with_ascii!("Shift_JISX0213", "shift-jisx0213", SHIFT_JIS, "Shift_JIS of JIS X 0213:2004", with_pairs()),
    with_ascii!("whatwg:EUC-JP", "whatwg-euc-jp", GR_94, "EUC-JP of the Encoding Standard"),
    with_ascii!("whatwg:Shift_JIS", "whatwg-shift-jis", SHIFT_JIS, "Shift_JIS of the Encoding Standard"),
    with_ascii!("libiconv:EUC-JP", "libiconv-euc-jp", GR_94, "EUC-JP of libiconv, with the areas of user-defined characters"),
    with_ascii!("libiconv:SHIFT_JIS", "libiconv-shift-jis", SHIFT_JIS, "Shift_JIS of libiconv, with user-defined characters"),
    with_ascii!("libiconv:CP932", "libiconv-cp932", SHIFT_JIS, "Code page 932 of libiconv"),
    with_ascii!("libiconv:CP943", "libiconv-cp943", SHIFT_JIS, "Code page 943 of libiconv"),
    with_ascii!("libiconv:SHIFT_JISX0213", "libiconv-shift-jisx0213", SHIFT_JIS, "Shift_JIS of JIS X 0213:2004 of libiconv", with_pairs()),
    // Korean: KS X 1001 and its extensions.
    with_ascii!("EUC-KR", "euc-kr", GR_94, "Extended Unix Code of KS X 1001, as in glibc"),
    with_ascii!("UHC", "uhc", UHC, "Unified Hangul Code, code page 949 of Windows"),
    with_ascii!("JOHAB", "johab", JOHAB, "Johab of KS X 1001, annex 3"),
    with_ascii!("whatwg:EUC-KR", "whatwg-euc-kr", UHC, "EUC-KR of the Encoding Standard, which is Unified Hangul Code"),
    with_ascii!("libiconv:EUC-KR", "libiconv-euc-kr", GR_94, "EUC-KR of libiconv"),
    with_ascii!("libiconv:CP949", "libiconv-cp949", UHC, "Code page 949 of libiconv, with user-defined characters"),
    // Simplified Chinese: GB 2312, GBK and GB 18030.
    with_ascii!("EUC-CN", "euc-cn", GR_94, "Extended Unix Code of GB 2312"),
    with_ascii!("GBK", "gbk", GBK, "GBK, as in glibc"),
    with_ascii!("CP936", "cp936", GBK, "Code page 936 of Windows: GBK with the euro sign at 80"),
    with_ascii!("GB18030", "gb18030", GBK, "GB 18030-2022", with_gb18030_ranges(ranges!("gb18030"))),
    with_ascii!("GB18030:2005", "gb18030-2005", GBK, "GB 18030-2005, as in glibc 2.36", with_gb18030_ranges(ranges!("gb18030-2005"))),
    with_ascii!("whatwg:GBK", "whatwg-gbk", GBK, "GBK of the Encoding Standard, which decodes GB 18030", with_gb18030_ranges(ranges!("whatwg-gb18030").decode_only())),
    with_ascii!("whatwg:gb18030", "whatwg-gb18030", GBK, "GB 18030 of the Encoding Standard", with_gb18030_ranges(ranges!("whatwg-gb18030"))),
    with_ascii!("libiconv:GBK", "libiconv-gbk", GBK, "GBK of libiconv"),
    with_ascii!("libiconv:GB18030", "libiconv-gb18030", GBK, "GB 18030-2005 of libiconv", with_gb18030_ranges(ranges!("libiconv-gb18030"))),
    // Traditional Chinese: Big5 and its extensions, CNS 11643.
    with_ascii!("BIG5", "big5", BIG5, "Big5 with the extensions of ETEN, as in glibc"),
    with_ascii!("BIG5-2003", "big5-2003", BIG5, "Big5 of 2003"),
    with_ascii!("CP950", "cp950", BIG5, "Code page 950 of Windows"),
    with_ascii!("BIG5HKSCS", "big5-hkscs", BIG5, "Big5 with the Hong Kong Supplementary Character Set of 2008", with_pairs()),
    with_ascii!("BIG5-HKSCS:2004", "big5-hkscs-2004", BIG5, "Big5 with the Hong Kong Supplementary Character Set of 2004", with_pairs()),
    with_ascii!("BIG5-HKSCS:2001", "big5-hkscs-2001", BIG5, "Big5 with the Hong Kong Supplementary Character Set of 2001", with_pairs()),
    with_ascii!("BIG5-HKSCS:1999", "big5-hkscs-1999", BIG5, "Big5 with the Hong Kong Supplementary Character Set of 1999", with_pairs()),
    with_ascii!("EUC-TW", "euc-tw", GR_94, "Extended Unix Code of CNS 11643, planes 1 to 7 and 15"),
    with_ascii!("DEC-HANYU", "dec-hanyu", GL_OR_GR_94, "CNS 11643 as on DEC systems"),
    with_ascii!("whatwg:Big5", "whatwg-big5", BIG5, "Big5 of the Encoding Standard"),
    with_ascii!("libiconv:BIG5", "libiconv-big5", BIG5, "Big5 of libiconv"),
    with_ascii!("libiconv:BIG5-HKSCS", "libiconv-big5-hkscs", BIG5, "Big5 of libiconv, with the Hong Kong Supplementary Character Set of 2008", with_pairs()),
    with_ascii!("libiconv:EUC-TW", "libiconv-euc-tw", GR_94, "EUC-TW of libiconv"),
    // Sets of 94 by 94 characters without ASCII, in two 7-bit or 8-bit bytes each.
    without_ascii!("JIS_X0208", "jisx0208", GL_94, "JIS X 0208 without ASCII, in two 7-bit bytes"),
    without_ascii!("JIS_X0212", "jisx0212", GL_94, "JIS X 0212 without ASCII, in two 7-bit bytes"),
    without_ascii!("GB_2312-80", "gb2312", GL_94, "GB 2312 without ASCII, in two 7-bit bytes"),
    without_ascii!("KSC_5601", "ksc5601", GL_94, "KS X 1001 without ASCII, in two 7-bit bytes"),
    without_ascii!("ibm-971_P100-1995", "ibm971", GR_94, "KS X 1001 without ASCII, in two 8-bit bytes, with IBM's private use characters"),
    without_ascii!("ISO-IR-165", "iso-ir-165", GL_94, "The CCITT Chinese set without ASCII, in two 7-bit bytes"),
];
