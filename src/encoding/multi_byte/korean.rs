//! Korean: KS X 1001 and its extensions.

use super::Encoding;
use super::mapping::{self, MultiByteMapping};

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] =
    &[&EUC_KR, &UHC, &JOHAB, &WHATWG_EUC_KR, &LIBICONV_EUC_KR, &LIBICONV_CP949];

static EUC_KR: Encoding = Encoding::new(
    "EUC-KR",
    "Extended Unix Code of KS X 1001, as in glibc",
    &MultiByteMapping::with_ascii(include_bytes!("data/euc-kr.trie"), &mapping::GR_94),
);

static UHC: Encoding = Encoding::new(
    "UHC",
    "Unified Hangul Code, code page 949 of Windows",
    &MultiByteMapping::with_ascii(include_bytes!("data/uhc.trie"), &mapping::UHC),
);

static JOHAB: Encoding = Encoding::new(
    "JOHAB",
    "Johab of KS X 1001, annex 3",
    &MultiByteMapping::with_ascii(include_bytes!("data/johab.trie"), &mapping::JOHAB),
);

static WHATWG_EUC_KR: Encoding = Encoding::new(
    "whatwg:EUC-KR",
    "EUC-KR of the Encoding Standard, which is Unified Hangul Code",
    &MultiByteMapping::with_ascii(include_bytes!("data/whatwg-euc-kr.trie"), &mapping::UHC),
);

static LIBICONV_EUC_KR: Encoding = Encoding::new(
    "libiconv:EUC-KR",
    "EUC-KR of libiconv",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-euc-kr.trie"), &mapping::GR_94),
);

static LIBICONV_CP949: Encoding = Encoding::new(
    "libiconv:CP949",
    "Code page 949 of libiconv, with user-defined characters",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-cp949.trie"), &mapping::UHC),
);
