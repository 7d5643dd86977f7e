//! ISO-2022-KR (RFC 1557).

use super::{Act, Charset, Reach, Scheme, Set, Slot, charset};
use crate::charset::multi::columns;
use crate::charset::multi::grid::Grid;

/// In the order of the manual.
pub const ALL: &[&Charset] = &[&ISO_2022_KR, &LIBICONV_ISO_2022_KR];

static ISO_2022_KR: Charset =
    charset("ISO-2022-KR", "ASCII and KS X 1001 by SO and SI (RFC 1557)", &&RFC_1557);

const KS_X1001: &[u8] = b"\x1B$)C";

static LIBICONV_ISO_2022_KR: Charset = charset(
    "libiconv:ISO-2022-KR",
    "ISO-2022-KR of libiconv, whose header stands before the first Korean character",
    &&LATE_HEADER,
);

static RFC_1557: Scheme = Scheme { header: KS_X1001, ..Scheme::new(SETS, SEQUENCES) };

static LATE_HEADER: Scheme = Scheme::new(SETS, SEQUENCES);

const SETS: &[Set] = &[
    Set::locked(Grid::only_ascii(), b"\x0F"),
    Set { grid: KS_X1001_SET, reach: Reach::Shifted(KS_X1001) },
];

const SEQUENCES: &[(&[u8], Act)] =
    &[(KS_X1001, Act::Designate(Slot::G1, 1)), (b"\x0E", Act::ShiftOut), (b"\x0F", Act::Lock(0))];

const KS_X1001_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/ksc5601.rows"), &columns::LEFT);
