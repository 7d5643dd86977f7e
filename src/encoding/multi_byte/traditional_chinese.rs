//! Traditional Chinese: Big5 and its extensions, CNS 11643.

use super::Encoding;
use super::mapping::{self, MultiByteMapping};

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &[
    &BIG5,
    &BIG5_2003,
    &CP950,
    &BIG5_HKSCS,
    &BIG5_HKSCS_2004,
    &BIG5_HKSCS_2001,
    &BIG5_HKSCS_1999,
    &EUC_TW,
    &DEC_HANYU,
    &WHATWG_BIG5,
    &LIBICONV_BIG5,
    &LIBICONV_BIG5_HKSCS,
    &LIBICONV_EUC_TW,
];

static BIG5: Encoding = Encoding::new(
    "BIG5",
    "Big5 with the extensions of ETEN, as in glibc",
    &MultiByteMapping::with_ascii(include_bytes!("data/big5.trie"), &mapping::BIG5),
);

static BIG5_2003: Encoding = Encoding::new(
    "BIG5-2003",
    "Big5 of 2003",
    &MultiByteMapping::with_ascii(include_bytes!("data/big5-2003.trie"), &mapping::BIG5),
);

static CP950: Encoding = Encoding::new(
    "CP950",
    "Code page 950 of Windows",
    &MultiByteMapping::with_ascii(include_bytes!("data/cp950.trie"), &mapping::BIG5),
);

static BIG5_HKSCS: Encoding = Encoding::new(
    "BIG5HKSCS",
    "Big5 with the Hong Kong Supplementary Character Set of 2008",
    &MultiByteMapping::with_ascii(include_bytes!("data/big5-hkscs.trie"), &mapping::BIG5),
);

static BIG5_HKSCS_2004: Encoding = Encoding::new(
    "BIG5-HKSCS:2004",
    "Big5 with the Hong Kong Supplementary Character Set of 2004",
    &MultiByteMapping::with_ascii(include_bytes!("data/big5-hkscs-2004.trie"), &mapping::BIG5),
);

static BIG5_HKSCS_2001: Encoding = Encoding::new(
    "BIG5-HKSCS:2001",
    "Big5 with the Hong Kong Supplementary Character Set of 2001",
    &MultiByteMapping::with_ascii(include_bytes!("data/big5-hkscs-2001.trie"), &mapping::BIG5),
);

static BIG5_HKSCS_1999: Encoding = Encoding::new(
    "BIG5-HKSCS:1999",
    "Big5 with the Hong Kong Supplementary Character Set of 1999",
    &MultiByteMapping::with_ascii(include_bytes!("data/big5-hkscs-1999.trie"), &mapping::BIG5),
);

static EUC_TW: Encoding = Encoding::new(
    "EUC-TW",
    "Extended Unix Code of CNS 11643, planes 1 to 7 and 15",
    &MultiByteMapping::with_ascii(include_bytes!("data/euc-tw.trie"), &mapping::GR_94),
);

static DEC_HANYU: Encoding = Encoding::new(
    "DEC-HANYU",
    "CNS 11643 as on DEC systems",
    &MultiByteMapping::with_ascii(include_bytes!("data/dec-hanyu.trie"), &mapping::GL_OR_GR_94),
);

static WHATWG_BIG5: Encoding = Encoding::new(
    "whatwg:Big5",
    "Big5 of the Encoding Standard",
    &MultiByteMapping::with_ascii(include_bytes!("data/whatwg-big5.trie"), &mapping::BIG5),
);

static LIBICONV_BIG5: Encoding = Encoding::new(
    "libiconv:BIG5",
    "Big5 of libiconv",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-big5.trie"), &mapping::BIG5),
);

static LIBICONV_BIG5_HKSCS: Encoding = Encoding::new(
    "libiconv:BIG5-HKSCS",
    "Big5 of libiconv, with the Hong Kong Supplementary Character Set of 2008",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-big5-hkscs.trie"), &mapping::BIG5),
);

static LIBICONV_EUC_TW: Encoding = Encoding::new(
    "libiconv:EUC-TW",
    "EUC-TW of libiconv",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-euc-tw.trie"), &mapping::GR_94),
);
