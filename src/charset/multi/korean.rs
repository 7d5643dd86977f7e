//! Korean: KS X 1001 and the syllables that it leaves out.

use super::columns;
use super::grid::Grid;
use super::{Charset, charset};

/// In the order of the manual.
pub const ALL: &[&Charset] =
    &[&EUC_KR, &UHC, &JOHAB, &WHATWG_EUC_KR, &LIBICONV_EUC_KR, &LIBICONV_CP949];

static EUC_KR: Charset = charset(
    "EUC-KR",
    "Extended Unix Code of KS X 1001, as glibc has it",
    &Grid::with_ascii(include_bytes!("grids/euc-kr.rows"), &columns::RIGHT),
);

static UHC: Charset = charset(
    "UHC",
    "Unified Hangul Code, code page 949 of Windows",
    &Grid::with_ascii(include_bytes!("grids/uhc.rows"), &columns::UHC),
);

static JOHAB: Charset = charset(
    "JOHAB",
    "Johab of KS X 1001, annex 3",
    &Grid::with_ascii(include_bytes!("grids/johab.rows"), &columns::JOHAB),
);

static WHATWG_EUC_KR: Charset = charset(
    "whatwg:EUC-KR",
    "EUC-KR of the Encoding Standard, which is Unified Hangul Code",
    &Grid::with_ascii(include_bytes!("grids/whatwg-euc-kr.rows"), &columns::UHC),
);

static LIBICONV_EUC_KR: Charset = charset(
    "libiconv:EUC-KR",
    "EUC-KR of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-euc-kr.rows"), &columns::RIGHT),
);

static LIBICONV_CP949: Charset = charset(
    "libiconv:CP949",
    "Code page 949 of libiconv, with the area of user-defined characters",
    &Grid::with_ascii(include_bytes!("grids/libiconv-cp949.rows"), &columns::UHC),
);
