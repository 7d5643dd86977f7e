//! ISO-2022-KR (RFC 1557).

use super::{
    CodedCharset, ControlFunction, Encoding, GraphicSet, SHIFT_IN, SHIFT_OUT, StatefulEncoding,
};
use crate::encoding::multi_byte::mapping::MultiByteMapping;

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &[&ISO_2022_KR, &LIBICONV_ISO_2022_KR];

static ISO_2022_KR: Encoding =
    Encoding::new("ISO-2022-KR", "ASCII and KS X 1001 by SO and SI (RFC 1557)", &&RFC_1557);

const KS_X1001: &[u8] = b"\x1B$)C";

static LIBICONV_ISO_2022_KR: Encoding = Encoding::new(
    "libiconv:ISO-2022-KR",
    "ISO-2022-KR of libiconv, which writes the header before the first Korean character",
    &&LATE_HEADER,
);

static RFC_1557: StatefulEncoding =
    StatefulEncoding { header: KS_X1001, ..StatefulEncoding::new(CHARSETS, SEQUENCES) };

static LATE_HEADER: StatefulEncoding = StatefulEncoding::new(CHARSETS, SEQUENCES);

const CHARSETS: &[CodedCharset] = &[
    CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN),
    CodedCharset::shift_out(KS_X1001_SET, KS_X1001),
];

const SEQUENCES: &[(&[u8], ControlFunction)] = &[
    (KS_X1001, ControlFunction::Designate(GraphicSet::G1, 1)),
    (SHIFT_OUT, ControlFunction::ShiftOut),
    (SHIFT_IN, ControlFunction::LockingShift(0)),
];

const KS_X1001_SET: MultiByteMapping = gl_94!("ksc5601");
