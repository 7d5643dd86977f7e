//! Sets of 94 by 94 characters by themselves, each in two bytes, of seven bits or of eight.

use super::columns;
use super::grid::Grid;
use super::{Charset, charset};

/// In the order of the manual.
pub const ALL: &[&Charset] =
    &[&JIS_X0208, &JIS_X0212, &GB_2312_80, &KSC_5601, &IBM_971, &ISO_IR_165];

static JIS_X0208: Charset = charset(
    "JIS_X0208",
    "JIS X 0208 by itself, in two 7-bit bytes",
    &Grid::bare(include_bytes!("grids/jisx0208.rows"), &columns::LEFT),
);

static JIS_X0212: Charset = charset(
    "JIS_X0212",
    "JIS X 0212 by itself, in two 7-bit bytes",
    &Grid::bare(include_bytes!("grids/jisx0212.rows"), &columns::LEFT),
);

static GB_2312_80: Charset = charset(
    "GB_2312-80",
    "GB 2312 by itself, in two 7-bit bytes",
    &Grid::bare(include_bytes!("grids/gb2312.rows"), &columns::LEFT),
);

static KSC_5601: Charset = charset(
    "KSC_5601",
    "KS X 1001 by itself, in two 7-bit bytes",
    &Grid::bare(include_bytes!("grids/ksc5601.rows"), &columns::LEFT),
);

static IBM_971: Charset = charset(
    "ibm-971_P100-1995",
    "KS X 1001 by itself, in two 8-bit bytes, with private use as IBM has it",
    &Grid::bare(include_bytes!("grids/ibm971.rows"), &columns::RIGHT),
);

static ISO_IR_165: Charset = charset(
    "ISO-IR-165",
    "The CCITT Chinese set by itself, in two 7-bit bytes",
    &Grid::bare(include_bytes!("grids/iso-ir-165.rows"), &columns::LEFT),
);
