//! ISO-2022-KR (RFC 1557).

use super::{CodedCharset, Encoding, SHIFT_IN, StatefulEncoding};
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
    StatefulEncoding { header: KS_X1001, ..StatefulEncoding::new(CHARSETS, &[]) };

static LATE_HEADER: StatefulEncoding = StatefulEncoding::new(CHARSETS, &[]);

const CHARSETS: &[CodedCharset] = &[
    CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN),
    CodedCharset::shift_out(gl_94!("ksc5601"), KS_X1001),
];
