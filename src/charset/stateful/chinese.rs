//! ISO-2022-CN, ISO-2022-CN-EXT (RFC 1922) and HZ (RFC 1843).

use super::{Act, Charset, Newline, Reach, Scheme, Set, Slot, charset};
use crate::charset::multi::columns;
use crate::charset::multi::grid::Grid;

/// In the order of the manual.
pub const ALL: &[&Charset] =
    &[&ISO_2022_CN, &ISO_2022_CN_EXT, &HZ, &LIBICONV_ISO_2022_CN, &LIBICONV_ISO_2022_CN_EXT];

static ISO_2022_CN: Charset = charset(
    "ISO-2022-CN",
    "ASCII, GB 2312 and CNS 11643 planes 1 and 2 by escape sequences (RFC 1922)",
    &&RFC_1922,
);

static ISO_2022_CN_EXT: Charset = charset(
    "ISO-2022-CN-EXT",
    "ISO-2022-CN with ISO-IR-165 and CNS 11643 planes 3 to 7 (RFC 1922)",
    &&RFC_1922_EXT,
);

static LIBICONV_ISO_2022_CN: Charset =
    charset("libiconv:ISO-2022-CN", "ISO-2022-CN of libiconv, with the euro sign", &&LIBICONV_1922);

static LIBICONV_ISO_2022_CN_EXT: Charset = charset(
    "libiconv:ISO-2022-CN-EXT",
    "ISO-2022-CN-EXT of libiconv, with the euro sign",
    &&LIBICONV_1922_EXT,
);

static HZ: Charset = charset("HZ", "ASCII and GB 2312 by tildes (RFC 1843)", &&RFC_1843);

const GB_2312: &[u8] = b"\x1B$)A";
const CNS_1: &[u8] = b"\x1B$)G";
const ISO_IR_165: &[u8] = b"\x1B$)E";
const CNS_2: &[u8] = b"\x1B$*H";
const CNS_3: &[u8] = b"\x1B$+I";
const CNS_4: &[u8] = b"\x1B$+J";
const CNS_5: &[u8] = b"\x1B$+K";
const CNS_6: &[u8] = b"\x1B$+L";
const CNS_7: &[u8] = b"\x1B$+M";
const SHIFT_IN: &[u8] = b"\x0F";
const SINGLE_SHIFT_2: &[u8] = b"\x1BN";
const SINGLE_SHIFT_3: &[u8] = b"\x1BO";

static RFC_1922: Scheme = Scheme {
    newline: Newline::Forgets,
    ..Scheme::new(
        &[
            Set::locked(Grid::only_ascii(), SHIFT_IN),
            shifted(GB_2312_SET, GB_2312),
            shifted(CNS_1_SET, CNS_1),
            second(CNS_2_SET, CNS_2),
        ],
        &[
            (GB_2312, Act::Designate(Slot::G1, 1)),
            (CNS_1, Act::Designate(Slot::G1, 2)),
            (CNS_2, Act::Designate(Slot::G2, 3)),
            (b"\x0E", Act::ShiftOut),
            (SHIFT_IN, Act::Lock(0)),
            (SINGLE_SHIFT_2, Act::Single(Slot::G2)),
        ],
    )
};

static RFC_1922_EXT: Scheme = Scheme {
    newline: Newline::Forgets,
    ..Scheme::new(
        &[
            Set::locked(Grid::only_ascii(), SHIFT_IN),
            shifted(GB_2312_SET, GB_2312),
            second(CNS_2_SET, CNS_2),
            shifted(ISO_IR_165_SET, ISO_IR_165),
            shifted(CNS_1_SET, CNS_1),
            third(CNS_3_SET, CNS_3),
            third(CNS_4_SET, CNS_4),
            third(CNS_5_SET, CNS_5),
            third(CNS_6_SET, CNS_6),
            third(CNS_7_SET, CNS_7),
        ],
        &[
            (GB_2312, Act::Designate(Slot::G1, 1)),
            (ISO_IR_165, Act::Designate(Slot::G1, 3)),
            (CNS_1, Act::Designate(Slot::G1, 4)),
            (CNS_2, Act::Designate(Slot::G2, 2)),
            (CNS_3, Act::Designate(Slot::G3, 5)),
            (CNS_4, Act::Designate(Slot::G3, 6)),
            (CNS_5, Act::Designate(Slot::G3, 7)),
            (CNS_6, Act::Designate(Slot::G3, 8)),
            (CNS_7, Act::Designate(Slot::G3, 9)),
            (b"\x0E", Act::ShiftOut),
            (SHIFT_IN, Act::Lock(0)),
            (SINGLE_SHIFT_2, Act::Single(Slot::G2)),
            (SINGLE_SHIFT_3, Act::Single(Slot::G3)),
        ],
    )
};

static LIBICONV_1922: Scheme = Scheme {
    newline: Newline::Forgets,
    ..Scheme::new(
        &[
            Set::locked(Grid::only_ascii(), SHIFT_IN),
            shifted(GB_2312_SET, GB_2312),
            shifted(LIBICONV_CNS_1, CNS_1),
            second(CNS_2_SET, CNS_2),
        ],
        RFC_1922.sequences,
    )
};

/// ISO-IR-165 comes last.
static LIBICONV_1922_EXT: Scheme = Scheme {
    newline: Newline::Forgets,
    ..Scheme::new(
        &[
            Set::locked(Grid::only_ascii(), SHIFT_IN),
            shifted(GB_2312_SET, GB_2312),
            second(CNS_2_SET, CNS_2),
            Set::decoded(LIBICONV_ISO_IR_165),
            shifted(LIBICONV_CNS_1, CNS_1),
            third(CNS_3_SET, CNS_3),
            third(CNS_4_SET, CNS_4),
            third(CNS_5_SET, CNS_5),
            third(CNS_6_SET, CNS_6),
            third(CNS_7_SET, CNS_7),
            shifted(LIBICONV_ISO_IR_165, ISO_IR_165),
        ],
        RFC_1922_EXT.sequences,
    )
};

/// A line ends in ASCII, whether or not `~}` stands before its end.
static RFC_1843: Scheme = Scheme {
    newline: Newline::Returns,
    ..Scheme::new(
        &[Set::locked(Grid::only_ascii(), b"~}"), Set::locked(GB_2312_SET, b"~{")],
        &[
            (b"~{", Act::Lock(1)),
            (b"~}", Act::Lock(0)),
            (b"~~", Act::Character('~')),
            (b"~\n", Act::Nothing),
        ],
    )
};

const fn shifted(grid: Grid, designation: &'static [u8]) -> Set {
    Set { grid, reach: Reach::Shifted(designation) }
}

const fn second(grid: Grid, designation: &'static [u8]) -> Set {
    Set { grid, reach: Reach::Single(Slot::G2, designation, SINGLE_SHIFT_2) }
}

const fn third(grid: Grid, designation: &'static [u8]) -> Set {
    Set { grid, reach: Reach::Single(Slot::G3, designation, SINGLE_SHIFT_3) }
}

const GB_2312_SET: Grid = Grid::bare(include_bytes!("../multi/grids/gb2312.rows"), &columns::LEFT);
const ISO_IR_165_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cn-iso-ir-165.rows"), &columns::LEFT);
const CNS_1_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cns11643-1.rows"), &columns::LEFT);
const CNS_2_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cns11643-2.rows"), &columns::LEFT);
const CNS_3_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cns11643-3.rows"), &columns::LEFT);
const CNS_4_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cns11643-4.rows"), &columns::LEFT);
const CNS_5_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cns11643-5.rows"), &columns::LEFT);
const CNS_6_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cns11643-6.rows"), &columns::LEFT);
const CNS_7_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/cns11643-7.rows"), &columns::LEFT);
const LIBICONV_CNS_1: Grid =
    Grid::bare(include_bytes!("../multi/grids/libiconv-cns11643-1.rows"), &columns::LEFT);
const LIBICONV_ISO_IR_165: Grid =
    Grid::bare(include_bytes!("../multi/grids/libiconv-cn-iso-ir-165.rows"), &columns::LEFT);
