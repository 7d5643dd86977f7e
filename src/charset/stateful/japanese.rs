//! ISO-2022-JP and its extensions: RFC 1468, RFC 1554, RFC 2237, JIS X 0213.

use super::{Act, Charset, Manner, Newline, Reach, Scheme, Set, Slot, charset};
use crate::charset::multi::columns;
use crate::charset::multi::grid::Grid;

/// In the order of the manual.
pub const ALL: &[&Charset] = &[
    &ISO_2022_JP,
    &ISO_2022_JP_1,
    &ISO_2022_JP_2,
    &ISO_2022_JP_3,
    &ISO_2022_JP_2004,
    &ISO_2022_JP_MS,
    &ISO_2022_JP_EXT,
    &WHATWG_ISO_2022_JP,
    &LIBICONV_ISO_2022_JP_3,
];

const ASCII: &[u8] = b"\x1B(B";
const ROMAN: &[u8] = b"\x1B(J";
const KATAKANA: &[u8] = b"\x1B(I";
const JIS_X0208_1978: &[u8] = b"\x1B$@";
const JIS_X0208: &[u8] = b"\x1B$B";
const JIS_X0212: &[u8] = b"\x1B$(D";
const GB_2312: &[u8] = b"\x1B$A";
const KS_X1001: &[u8] = b"\x1B$(C";
const JIS_X0213_1_2000: &[u8] = b"\x1B$(O";
const JIS_X0213_1_2004: &[u8] = b"\x1B$(Q";
const JIS_X0213_2: &[u8] = b"\x1B$(P";
const LATIN_1: &[u8] = b"\x1B.A";
const GREEK: &[u8] = b"\x1B.F";
const SINGLE_SHIFT: &[u8] = b"\x1BN";

static ISO_2022_JP: Charset = charset(
    "ISO-2022-JP",
    "ASCII, JIS X 0201 Roman and JIS X 0208 by escape sequences (RFC 1468)",
    &&RFC_1468,
);

static ISO_2022_JP_1: Charset =
    charset("ISO-2022-JP-1", "ISO-2022-JP with JIS X 0212 (RFC 2237)", &&RFC_2237);

static ISO_2022_JP_2: Charset = charset(
    "ISO-2022-JP-2",
    "ISO-2022-JP with sets of China, Korea, Greece and Western Europe (RFC 1554)",
    &&RFC_1554,
);

static ISO_2022_JP_3: Charset =
    charset("ISO-2022-JP-3", "ISO-2022-JP with JIS X 0213:2004", &&JIS_X0213);

static ISO_2022_JP_2004: Charset = charset(
    "ISO-2022-JP-2004",
    "ASCII, JIS X 0208 and JIS X 0213:2004 by the escape sequences of 2004",
    &&JIS_X0213_2004,
);

static ISO_2022_JP_MS: Charset = charset(
    "ISO-2022-JP-MS",
    "ISO-2022-JP with half-width katakana and the extensions of Windows",
    &&MS,
);

static ISO_2022_JP_EXT: Charset = charset(
    "ISO-2022-JP-EXT",
    "ISO-2022-JP with JIS X 0212 and half-width katakana, as Python has it",
    &&EXT,
);

static WHATWG_ISO_2022_JP: Charset =
    charset("whatwg:ISO-2022-JP", "ISO-2022-JP of the Encoding Standard", &&WHATWG);

static LIBICONV_ISO_2022_JP_3: Charset = charset(
    "libiconv:ISO-2022-JP-3",
    "ISO-2022-JP-3 of libiconv, which writes the sequence of 2004 alone",
    &&JIS_X0213_OF_2004,
);

static RFC_1468: Scheme = Scheme::new(
    &[
        Set::locked(Grid::only_ascii(), ASCII),
        Set::locked(ROMAN_SET, ROMAN),
        Set::locked(JIS_X0208_SET, JIS_X0208),
    ],
    &[
        (ASCII, Act::Lock(0)),
        (ROMAN, Act::Lock(1)),
        (JIS_X0208_1978, Act::Lock(2)),
        (JIS_X0208, Act::Lock(2)),
    ],
);

static RFC_2237: Scheme = Scheme::new(
    &[
        Set::locked(Grid::only_ascii(), ASCII),
        Set::locked(ROMAN_SET, ROMAN),
        Set::locked(JIS_X0208_SET, JIS_X0208),
        Set::locked(JIS_X0212_SET, JIS_X0212),
    ],
    &[
        (ASCII, Act::Lock(0)),
        (ROMAN, Act::Lock(1)),
        (JIS_X0208_1978, Act::Lock(2)),
        (JIS_X0208, Act::Lock(2)),
        (JIS_X0212, Act::Lock(3)),
    ],
);

static RFC_1554: Scheme = Scheme {
    newline: Newline::Designations,
    ..Scheme::new(
        &[
            Set::locked(Grid::only_ascii(), ASCII),
            Set::locked(ROMAN_SET, ROMAN),
            Set::locked(JIS_X0208_SET, JIS_X0208),
            Set::locked(JIS_X0212_SET, JIS_X0212),
            Set { grid: LATIN_1_SET, reach: Reach::Single(Slot::G2, LATIN_1, SINGLE_SHIFT) },
            Set { grid: GREEK_SET, reach: Reach::Single(Slot::G2, GREEK, SINGLE_SHIFT) },
            Set::locked(GB_2312_SET, GB_2312),
            Set::locked(KS_X1001_SET, KS_X1001),
            Set::locked(KATAKANA_SET, KATAKANA),
        ],
        &[
            (ASCII, Act::Lock(0)),
            (ROMAN, Act::Lock(1)),
            (JIS_X0208_1978, Act::Lock(2)),
            (JIS_X0208, Act::Lock(2)),
            (JIS_X0212, Act::Lock(3)),
            (LATIN_1, Act::Designate(Slot::G2, 4)),
            (GREEK, Act::Designate(Slot::G2, 5)),
            (GB_2312, Act::Lock(6)),
            (KS_X1001, Act::Lock(7)),
            (KATAKANA, Act::Lock(8)),
            (SINGLE_SHIFT, Act::Single(Slot::G2)),
        ],
    )
};

/// The ten characters that came in 2004 are written by the sequence of that year, all others by
/// that of 2000.
static JIS_X0213: Scheme = Scheme::new(
    &[
        Set::locked(Grid::only_ascii(), ASCII),
        Set::locked(ROMAN_SET, ROMAN),
        Set::locked(JIS_X0208_SET, JIS_X0208),
        Set::locked(JIS_X0213_1_ADDED, JIS_X0213_1_2004),
        Set::locked(JIS_X0213_1_SET, JIS_X0213_1_2000),
        Set::locked(JIS_X0213_2_SET, JIS_X0213_2),
        Set::locked(KATAKANA_SET, KATAKANA),
    ],
    JIS_X0213_SEQUENCES,
);

static JIS_X0213_OF_2004: Scheme = Scheme::new(
    &[
        Set::locked(Grid::only_ascii(), ASCII),
        Set::locked(ROMAN_SET, ROMAN),
        Set::locked(JIS_X0208_SET, JIS_X0208),
        Set::locked(JIS_X0213_1_ADDED, JIS_X0213_1_2004),
        Set::locked(JIS_X0213_1_SET, JIS_X0213_1_2004),
        Set::locked(JIS_X0213_2_SET, JIS_X0213_2),
        Set::locked(KATAKANA_SET, KATAKANA),
    ],
    JIS_X0213_SEQUENCES,
);

/// As JIS X 0213:2004, annex 2, has it: neither Roman nor katakana. The sequence of plane 1 of 2000
/// is read, but not written.
static JIS_X0213_2004: Scheme = Scheme::new(
    &[
        Set::locked(Grid::only_ascii(), ASCII),
        Set::locked(JIS_X0208_SET, JIS_X0208),
        Set::locked(JIS_X0213_1_SET, JIS_X0213_1_2004),
        Set::locked(JIS_X0213_2_SET, JIS_X0213_2),
    ],
    &[
        (ASCII, Act::Lock(0)),
        (JIS_X0208, Act::Lock(1)),
        (JIS_X0213_1_2004, Act::Lock(2)),
        (JIS_X0213_1_2000, Act::Lock(2)),
        (JIS_X0213_2, Act::Lock(3)),
    ],
);

const JIS_X0213_SEQUENCES: &[(&[u8], Act)] = &[
    (ASCII, Act::Lock(0)),
    (ROMAN, Act::Lock(1)),
    (JIS_X0208_1978, Act::Lock(2)),
    (JIS_X0208, Act::Lock(2)),
    (JIS_X0213_1_2004, Act::Lock(4)),
    (JIS_X0213_1_2000, Act::Lock(4)),
    (JIS_X0213_2, Act::Lock(5)),
    (KATAKANA, Act::Lock(6)),
];

static MS: Scheme = Scheme::new(
    &[
        Set::locked(Grid::only_ascii(), ASCII),
        Set::decoded(ROMAN_SET),
        Set::locked(JIS_X0208_MS, JIS_X0208),
        Set::locked(JIS_X0212_MS, JIS_X0212),
        Set::locked(KATAKANA_SET, KATAKANA),
    ],
    &[
        (ASCII, Act::Lock(0)),
        (ROMAN, Act::Lock(1)),
        (JIS_X0208_1978, Act::Lock(2)),
        (JIS_X0208, Act::Lock(2)),
        (JIS_X0212, Act::Lock(3)),
        (KATAKANA, Act::Lock(4)),
    ],
);

static EXT: Scheme = Scheme::new(
    &[
        Set::locked(Grid::only_ascii(), ASCII),
        Set::locked(JIS_X0208_SET, JIS_X0208),
        Set::locked(JIS_X0212_SET, JIS_X0212),
        Set::locked(ROMAN_SET, ROMAN),
        Set::locked(KATAKANA_SET, KATAKANA),
    ],
    &[
        (ASCII, Act::Lock(0)),
        (JIS_X0208_1978, Act::Lock(1)),
        (JIS_X0208, Act::Lock(1)),
        (JIS_X0212, Act::Lock(2)),
        (ROMAN, Act::Lock(3)),
        (KATAKANA, Act::Lock(4)),
    ],
);

/// Control characters are in ASCII and Roman alone, and SO and SI nowhere.
static WHATWG: Scheme = Scheme {
    folded: FULL_WIDTH,
    manner: Manner::Web,
    controls: false,
    ..Scheme::new(
        &[
            Set::locked(Grid::only_ascii(), ASCII),
            Set::locked(ROMAN_SET, ROMAN),
            Set::locked(WHATWG_JIS0208, JIS_X0208),
            Set::decoded(KATAKANA_SET),
        ],
        &[
            (ASCII, Act::Lock(0)),
            (ROMAN, Act::Lock(1)),
            (JIS_X0208_1978, Act::Lock(2)),
            (JIS_X0208, Act::Lock(2)),
            (KATAKANA, Act::Lock(3)),
            (b"\x0E", Act::Refused),
            (b"\x0F", Act::Refused),
        ],
    )
};

/// What the Encoding Standard makes of half-width katakana, from U+FF61 on.
const FULL_WIDTH: &str = concat!(
    "\u{3002}\u{300C}\u{300D}\u{3001}\u{30FB}ヲァィゥェォャュョッーアイウエオカキクケコ",
    "サシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{309B}\u{309C}",
);

const ROMAN_SET: Grid =
    Grid::with_ascii(include_bytes!("../multi/grids/roman.rows"), &columns::LEFT);
const KATAKANA_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/katakana.rows"), &columns::LEFT);
const JIS_X0208_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/jisx0208.rows"), &columns::LEFT);
const JIS_X0212_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/jisx0212.rows"), &columns::LEFT);
const GB_2312_SET: Grid = Grid::bare(include_bytes!("../multi/grids/gb2312.rows"), &columns::LEFT);
const KS_X1001_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/ksc5601.rows"), &columns::LEFT);
const LATIN_1_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/iso-8859-1-high.rows"), &columns::LEFT);
const GREEK_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/iso-8859-7-high.rows"), &columns::LEFT);
const JIS_X0213_1_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/jisx0213-1.rows"), &columns::LEFT);
const JIS_X0213_1_ADDED: Grid =
    Grid::bare(include_bytes!("../multi/grids/jisx0213-1-added.rows"), &columns::LEFT);
const JIS_X0213_2_SET: Grid =
    Grid::bare(include_bytes!("../multi/grids/jisx0213-2.rows"), &columns::LEFT);
const JIS_X0208_MS: Grid =
    Grid::bare(include_bytes!("../multi/grids/jisx0208-ms.rows"), &columns::LEFT);
const JIS_X0212_MS: Grid =
    Grid::bare(include_bytes!("../multi/grids/jisx0212-ms.rows"), &columns::LEFT);
const WHATWG_JIS0208: Grid =
    Grid::bare(include_bytes!("../multi/grids/whatwg-jis0208.rows"), &columns::LEFT);
