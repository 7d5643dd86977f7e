//! Japanese: JIS X 0208 and its kin in EUC and in shifted form.

use super::columns;
use super::grid::Grid;
use super::{Charset, charset};

/// In the order of the manual.
pub const ALL: &[&Charset] = &[
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

static EUC_JP: Charset = charset(
    "EUC-JP",
    "Extended Unix Code of JIS X 0208, X 0212 and half-width katakana, as glibc has it",
    &Grid::with_ascii(include_bytes!("grids/euc-jp.rows"), &columns::RIGHT),
);

static EUC_JP_MS: Charset = charset(
    "EUC-JP-MS",
    "EUC-JP with the extensions of Windows (eucJP-ms of TOG/JVC)",
    &Grid::with_ascii(include_bytes!("grids/euc-jp-ms.rows"), &columns::RIGHT),
);

static EUC_JISX0213: Charset = charset(
    "EUC-JISX0213",
    "Extended Unix Code of JIS X 0213:2004",
    &Grid::with_ascii(include_bytes!("grids/euc-jisx0213.rows"), &columns::RIGHT),
);

static DEC_KANJI: Charset = charset(
    "DEC-KANJI",
    "JIS X 0208 as on DEC systems",
    &Grid::with_ascii(include_bytes!("grids/dec-kanji.rows"), &columns::RIGHT),
);

static SJIS: Charset = charset(
    "SJIS",
    "Shift_JIS of JIS X 0208:1997, with yen sign and overline at 5C and 7E",
    &Grid::with_ascii(include_bytes!("grids/sjis.rows"), &columns::SHIFT_JIS),
);

static CP932: Charset = charset(
    "CP932",
    "Shift_JIS of Windows, code page 932, as glibc has it",
    &Grid::with_ascii(include_bytes!("grids/cp932.rows"), &columns::SHIFT_JIS),
);

static IBM932: Charset = charset(
    "IBM932",
    "Shift_JIS of IBM, code page 932",
    &Grid::with_ascii(include_bytes!("grids/ibm932.rows"), &columns::SHIFT_JIS),
);

static IBM943: Charset = charset(
    "IBM943",
    "Shift_JIS of IBM, code page 943",
    &Grid::with_ascii(include_bytes!("grids/ibm943.rows"), &columns::SHIFT_JIS),
);

static SHIFT_JISX0213: Charset = charset(
    "Shift_JISX0213",
    "Shift_JIS of JIS X 0213:2004",
    &Grid::with_ascii(include_bytes!("grids/shift-jisx0213.rows"), &columns::SHIFT_JIS),
);

static WHATWG_EUC_JP: Charset = charset(
    "whatwg:EUC-JP",
    "EUC-JP of the Encoding Standard",
    &Grid::with_ascii(include_bytes!("grids/whatwg-euc-jp.rows"), &columns::RIGHT),
);

static WHATWG_SHIFT_JIS: Charset = charset(
    "whatwg:Shift_JIS",
    "Shift_JIS of the Encoding Standard",
    &Grid::with_ascii(include_bytes!("grids/whatwg-shift-jis.rows"), &columns::SHIFT_JIS),
);

static LIBICONV_EUC_JP: Charset = charset(
    "libiconv:EUC-JP",
    "EUC-JP of libiconv, with the areas of user-defined characters",
    &Grid::with_ascii(include_bytes!("grids/libiconv-euc-jp.rows"), &columns::RIGHT),
);

static LIBICONV_SHIFT_JIS: Charset = charset(
    "libiconv:SHIFT_JIS",
    "Shift_JIS of libiconv, with the area of user-defined characters",
    &Grid::with_ascii(include_bytes!("grids/libiconv-shift-jis.rows"), &columns::SHIFT_JIS),
);

static LIBICONV_CP932: Charset = charset(
    "libiconv:CP932",
    "Code page 932 of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-cp932.rows"), &columns::SHIFT_JIS),
);

static LIBICONV_CP943: Charset = charset(
    "libiconv:CP943",
    "Code page 943 of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-cp943.rows"), &columns::SHIFT_JIS),
);

static LIBICONV_SHIFT_JISX0213: Charset = charset(
    "libiconv:SHIFT_JISX0213",
    "Shift_JIS of JIS X 0213:2004 of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-shift-jisx0213.rows"), &columns::SHIFT_JIS),
);
