//! Japanese: JIS X 0208 and related sets in EUC and Shift_JIS.

use super::Encoding;
use super::mapping::{self, MultiByteMapping};

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &[
    &EUC_JP,
    &EUC_JP_MS,
    &EUC_JISX0213,
    &DEC_KANJI,
    &SJIS,
    &CP932,
    &IBM932,
    &IBM943,
    &SHIFT_JISX0213,
    &WHATWG_EUC_JP,
    &WHATWG_SHIFT_JIS,
    &LIBICONV_EUC_JP,
    &LIBICONV_SHIFT_JIS,
    &LIBICONV_CP932,
    &LIBICONV_CP943,
    &LIBICONV_SHIFT_JISX0213,
];

static EUC_JP: Encoding = Encoding::new(
    "EUC-JP",
    "Extended Unix Code of JIS X 0208, X 0212 and half-width katakana, as in glibc",
    &MultiByteMapping::with_ascii(include_bytes!("data/euc-jp.trie"), &mapping::GR_94),
);

static EUC_JP_MS: Encoding = Encoding::new(
    "EUC-JP-MS",
    "EUC-JP with the extensions of Windows (eucJP-ms of TOG/JVC)",
    &MultiByteMapping::with_ascii(include_bytes!("data/euc-jp-ms.trie"), &mapping::GR_94),
);

static EUC_JISX0213: Encoding = Encoding::new(
    "EUC-JISX0213",
    "Extended Unix Code of JIS X 0213:2004",
    &MultiByteMapping::with_ascii(include_bytes!("data/euc-jisx0213.trie"), &mapping::GR_94),
);

static DEC_KANJI: Encoding = Encoding::new(
    "DEC-KANJI",
    "JIS X 0208 as on DEC systems",
    &MultiByteMapping::with_ascii(include_bytes!("data/dec-kanji.trie"), &mapping::GR_94),
);

static SJIS: Encoding = Encoding::new(
    "SJIS",
    "Shift_JIS of JIS X 0208:1997, with yen sign and overline at 5C and 7E",
    &MultiByteMapping::with_ascii(include_bytes!("data/sjis.trie"), &mapping::SHIFT_JIS),
);

static CP932: Encoding = Encoding::new(
    "CP932",
    "Shift_JIS of Windows, code page 932, as in glibc",
    &MultiByteMapping::with_ascii(include_bytes!("data/cp932.trie"), &mapping::SHIFT_JIS),
);

static IBM932: Encoding = Encoding::new(
    "IBM932",
    "Shift_JIS of IBM, code page 932",
    &MultiByteMapping::with_ascii(include_bytes!("data/ibm932.trie"), &mapping::SHIFT_JIS),
);

static IBM943: Encoding = Encoding::new(
    "IBM943",
    "Shift_JIS of IBM, code page 943",
    &MultiByteMapping::with_ascii(include_bytes!("data/ibm943.trie"), &mapping::SHIFT_JIS),
);

static SHIFT_JISX0213: Encoding = Encoding::new(
    "Shift_JISX0213",
    "Shift_JIS of JIS X 0213:2004",
    &MultiByteMapping::with_ascii(include_bytes!("data/shift-jisx0213.trie"), &mapping::SHIFT_JIS),
);

static WHATWG_EUC_JP: Encoding = Encoding::new(
    "whatwg:EUC-JP",
    "EUC-JP of the Encoding Standard",
    &MultiByteMapping::with_ascii(include_bytes!("data/whatwg-euc-jp.trie"), &mapping::GR_94),
);

static WHATWG_SHIFT_JIS: Encoding = Encoding::new(
    "whatwg:Shift_JIS",
    "Shift_JIS of the Encoding Standard",
    &MultiByteMapping::with_ascii(
        include_bytes!("data/whatwg-shift-jis.trie"),
        &mapping::SHIFT_JIS,
    ),
);

static LIBICONV_EUC_JP: Encoding = Encoding::new(
    "libiconv:EUC-JP",
    "EUC-JP of libiconv, with the areas of user-defined characters",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-euc-jp.trie"), &mapping::GR_94),
);

static LIBICONV_SHIFT_JIS: Encoding = Encoding::new(
    "libiconv:SHIFT_JIS",
    "Shift_JIS of libiconv, with user-defined characters",
    &MultiByteMapping::with_ascii(
        include_bytes!("data/libiconv-shift-jis.trie"),
        &mapping::SHIFT_JIS,
    ),
);

static LIBICONV_CP932: Encoding = Encoding::new(
    "libiconv:CP932",
    "Code page 932 of libiconv",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-cp932.trie"), &mapping::SHIFT_JIS),
);

static LIBICONV_CP943: Encoding = Encoding::new(
    "libiconv:CP943",
    "Code page 943 of libiconv",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-cp943.trie"), &mapping::SHIFT_JIS),
);

static LIBICONV_SHIFT_JISX0213: Encoding = Encoding::new(
    "libiconv:SHIFT_JISX0213",
    "Shift_JIS of JIS X 0213:2004 of libiconv",
    &MultiByteMapping::with_ascii(
        include_bytes!("data/libiconv-shift-jisx0213.trie"),
        &mapping::SHIFT_JIS,
    ),
);
