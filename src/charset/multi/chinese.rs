//! Simplified Chinese: GB 2312, GBK and GB 18030.

use super::columns;
use super::grid::Grid;
use super::linear::Linear;
use super::{Charset, charset};

/// In the order of the manual.
pub const ALL: &[&Charset] = &[
    &EUC_CN,
    &GBK,
    &CP936,
    &GB18030,
    &GB18030_2005,
    &WHATWG_GBK,
    &WHATWG_GB18030,
    &LIBICONV_GBK,
    &LIBICONV_GB18030,
];

static EUC_CN: Charset = charset(
    "EUC-CN",
    "Extended Unix Code of GB 2312",
    &Grid::with_ascii(include_bytes!("grids/euc-cn.rows"), &columns::RIGHT),
);

static GBK: Charset = charset(
    "GBK",
    "GBK, as glibc has it",
    &Grid::with_ascii(include_bytes!("grids/gbk.rows"), &columns::GBK),
);

static CP936: Charset = charset(
    "CP936",
    "Code page 936 of Windows: GBK with the euro sign at 80",
    &Grid::with_ascii(include_bytes!("grids/cp936.rows"), &columns::GBK),
);

static GB18030: Charset = charset(
    "GB18030",
    "GB 18030-2022",
    &Grid::with_ascii(include_bytes!("grids/gb18030.rows"), &columns::GBK)
        .with_linear(Linear::new(include_bytes!("grids/gb18030.ranges"))),
);

static GB18030_2005: Charset = charset(
    "GB18030:2005",
    "GB 18030-2005, as glibc 2.36 has it",
    &Grid::with_ascii(include_bytes!("grids/gb18030-2005.rows"), &columns::GBK)
        .with_linear(Linear::new(include_bytes!("grids/gb18030-2005.ranges"))),
);

static WHATWG_GBK: Charset = charset(
    "whatwg:GBK",
    "GBK of the Encoding Standard, which decodes GB 18030",
    &Grid::with_ascii(include_bytes!("grids/whatwg-gbk.rows"), &columns::GBK)
        .with_linear(Linear::new(include_bytes!("grids/whatwg-gb18030.ranges")).decoding()),
);

static WHATWG_GB18030: Charset = charset(
    "whatwg:gb18030",
    "GB 18030 of the Encoding Standard",
    &Grid::with_ascii(include_bytes!("grids/whatwg-gb18030.rows"), &columns::GBK)
        .with_linear(Linear::new(include_bytes!("grids/whatwg-gb18030.ranges"))),
);

static LIBICONV_GBK: Charset = charset(
    "libiconv:GBK",
    "GBK of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-gbk.rows"), &columns::GBK),
);

static LIBICONV_GB18030: Charset = charset(
    "libiconv:GB18030",
    "GB 18030-2005 of libiconv",
    &Grid::with_ascii(include_bytes!("grids/libiconv-gb18030.rows"), &columns::GBK)
        .with_linear(Linear::new(include_bytes!("grids/libiconv-gb18030.ranges"))),
);
