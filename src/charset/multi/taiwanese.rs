//! Traditional Chinese: Big5 and its extensions, CNS 11643.

use super::columns;
use super::grid::Grid;
use super::{Charset, charset};

/// In the order of the manual.
pub const ALL: &[&Charset] = &[
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

static BIG5: Charset = charset(
    "BIG5",
    "Big5 with the extensions of ETEN, as glibc has it",
    &Grid::with_ascii(include_bytes!("grids/big5.rows"), &columns::BIG5),
);

static BIG5_2003: Charset = charset(
    "BIG5-2003",
    "Big5 of 2003",
    &Grid::with_ascii(include_bytes!("grids/big5-2003.rows"), &columns::BIG5),
);

static CP950: Charset = charset(
    "CP950",
    "Code page 950 of Windows",
    &Grid::with_ascii(include_bytes!("grids/cp950.rows"), &columns::BIG5),
);

static BIG5_HKSCS: Charset = charset(
    "BIG5HKSCS",
    "Big5 with the Hong Kong Supplementary Character Set of 2008",
    &Grid::with_ascii(include_bytes!("grids/big5-hkscs.rows"), &columns::BIG5),
);

static BIG5_HKSCS_2004: Charset = charset(
    "BIG5-HKSCS:2004",
    "Big5 with the Hong Kong Supplementary Character Set of 2004",
    &Grid::with_ascii(include_bytes!("grids/big5-hkscs-2004.rows"), &columns::BIG5),
);

static BIG5_HKSCS_2001: Charset = charset(
    "BIG5-HKSCS:2001",
    "Big5 with the Hong Kong Supplementary Character Set of 2001",
    &Grid::with_ascii(include_bytes!("grids/big5-hkscs-2001.rows"), &columns::BIG5),
);

static BIG5_HKSCS_1999: Charset = charset(
    "BIG5-HKSCS:1999",
    "Big5 with the Hong Kong Supplementary Character Set of 1999",
    &Grid::with_ascii(include_bytes!("grids/big5-hkscs-1999.rows"), &columns::BIG5),
);

static EUC_TW: Charset = charset(
    "EUC-TW",
    "Extended Unix Code of CNS 11643, planes 1 to 7 and 15",
    &Grid::with_ascii(include_bytes!("grids/euc-tw.rows"), &columns::RIGHT),
);

static DEC_HANYU: Charset = charset(
    "DEC-HANYU",
    "CNS 11643 as on DEC systems",
    &Grid::with_ascii(include_bytes!("grids/dec-hanyu.rows"), &columns::BOTH),
);

static WHATWG_BIG5: Charset = charset(
    "whatwg:Big5",
    "Big5 of the Encoding Standard",
    &Grid::with_ascii(include_bytes!("grids/whatwg-big5.rows"), &columns::BIG5),
);

static LIBICONV_BIG5: Charset = charset(
    "libiconv:BIG5",
    "Big5 of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-big5.rows"), &columns::BIG5),
);

static LIBICONV_BIG5_HKSCS: Charset = charset(
    "libiconv:BIG5-HKSCS",
    "Big5 of libiconv, with the Hong Kong Supplementary Character Set of 2008",
    &Grid::with_ascii(include_bytes!("grids/libiconv-big5-hkscs.rows"), &columns::BIG5),
);

static LIBICONV_EUC_TW: Charset = charset(
    "libiconv:EUC-TW",
    "EUC-TW of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-euc-tw.rows"), &columns::RIGHT),
);
