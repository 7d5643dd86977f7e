//! The mixed charsets of IBM's hosts: EBCDIC, and behind SO two bytes a character, until SI.

use super::{Act, Charset, Scheme, Set, charset};
use crate::charset::multi::columns;
use crate::charset::multi::grid::Grid;

/// In the order of the manual.
pub const ALL: &[&Charset] = &[
    &IBM930, &IBM933, &IBM935, &IBM937, &IBM939, &IBM1364, &IBM1371, &IBM1388, &IBM1390, &IBM1399,
];

const SHIFT_OUT: &[u8] = b"\x0E";
const SHIFT_IN: &[u8] = b"\x0F";

const SEQUENCES: &[(&[u8], Act)] = &[(SHIFT_OUT, Act::Lock(1)), (SHIFT_IN, Act::Lock(0))];

/// The sets of a host: single bytes and double bytes.
const fn sets(single: &'static [u8], double: &'static [u8]) -> [Set; 2] {
    [
        Set::locked(Grid::bare(single, &columns::HOST), SHIFT_IN),
        Set::locked(Grid::bare(double, &columns::HOST), SHIFT_OUT),
    ]
}

/// The control characters of EBCDIC are in the set of single bytes, and nowhere else.
const fn scheme(sets: &'static [Set; 2]) -> Scheme {
    Scheme { controls: false, ..Scheme::new(sets, SEQUENCES) }
}

static IBM930: Charset = charset(
    "IBM930",
    "EBCDIC, mixed: Japanese, with katakana in place of small letters",
    &&HOST_930,
);
static HOST_930: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm930-single.rows"),
    include_bytes!("../multi/grids/ibm930-double.rows"),
));

static IBM933: Charset = charset("IBM933", "EBCDIC, mixed: Korean", &&HOST_933);
static HOST_933: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm933-single.rows"),
    include_bytes!("../multi/grids/ibm933-double.rows"),
));

static IBM935: Charset = charset("IBM935", "EBCDIC, mixed: Simplified Chinese", &&HOST_935);
static HOST_935: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm935-single.rows"),
    include_bytes!("../multi/grids/ibm935-double.rows"),
));

static IBM937: Charset = charset("IBM937", "EBCDIC, mixed: Traditional Chinese", &&HOST_937);
static HOST_937: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm937-single.rows"),
    include_bytes!("../multi/grids/ibm937-double.rows"),
));

static IBM939: Charset =
    charset("IBM939", "EBCDIC, mixed: Japanese, with small letters", &&HOST_939);
static HOST_939: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm939-single.rows"),
    include_bytes!("../multi/grids/ibm939-double.rows"),
));

static IBM1364: Charset =
    charset("IBM1364", "EBCDIC, mixed: Korean, with the euro sign", &&HOST_1364);
static HOST_1364: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm1364-single.rows"),
    include_bytes!("../multi/grids/ibm1364-double.rows"),
));

static IBM1371: Charset =
    charset("IBM1371", "EBCDIC, mixed: Traditional Chinese, with the euro sign", &&HOST_1371);
static HOST_1371: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm1371-single.rows"),
    include_bytes!("../multi/grids/ibm1371-double.rows"),
));

static IBM1388: Charset =
    charset("IBM1388", "EBCDIC, mixed: Simplified Chinese of GB 18030", &&HOST_1388);
static HOST_1388: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm1388-single.rows"),
    include_bytes!("../multi/grids/ibm1388-double.rows"),
));

static IBM1390: Charset = charset(
    "IBM1390",
    "EBCDIC, mixed: Japanese of JIS X 0213, with katakana in place of small letters",
    &&HOST_1390,
);
static HOST_1390: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm1390-single.rows"),
    include_bytes!("../multi/grids/ibm1390-double.rows"),
));

static IBM1399: Charset =
    charset("IBM1399", "EBCDIC, mixed: Japanese of JIS X 0213, with small letters", &&HOST_1399);
static HOST_1399: Scheme = scheme(&sets(
    include_bytes!("../multi/grids/ibm1399-single.rows"),
    include_bytes!("../multi/grids/ibm1399-double.rows"),
));
