//! ISO-2022-CN, ISO-2022-CN-EXT (RFC 1922) and HZ (RFC 1843).

use super::{CodedCharset, ControlFunction, Encoding, NewlineReset, SHIFT_IN, StatefulEncoding};
use crate::encoding::multi_byte::mapping::MultiByteMapping;

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &[
    &ISO_2022_CN,
    &ISO_2022_CN_EXT,
    &ISO_2022_CN_CNS,
    &HZ,
    &LIBICONV_ISO_2022_CN,
    &LIBICONV_ISO_2022_CN_EXT,
];

static ISO_2022_CN: Encoding = Encoding::new(
    "ISO-2022-CN",
    "ASCII, GB 2312 and CNS 11643 planes 1 and 2 by escape sequences (RFC 1922)",
    &&RFC_1922,
);

static ISO_2022_CN_EXT: Encoding = Encoding::new(
    "ISO-2022-CN-EXT",
    "ISO-2022-CN with ISO-IR-165 and CNS 11643 planes 3 to 7 (RFC 1922)",
    &&RFC_1922_EXT,
);

static ISO_2022_CN_CNS: Encoding = Encoding::new(
    "ISO-2022-CN-CNS",
    "ISO-2022-CN-EXT that prefers CNS 11643, as in Java",
    &&CNS_FIRST,
);

static LIBICONV_ISO_2022_CN: Encoding = Encoding::new(
    "libiconv:ISO-2022-CN",
    "ISO-2022-CN of libiconv, with the euro sign",
    &&LIBICONV_1922,
);

static LIBICONV_ISO_2022_CN_EXT: Encoding = Encoding::new(
    "libiconv:ISO-2022-CN-EXT",
    "ISO-2022-CN-EXT of libiconv, with the euro sign",
    &&LIBICONV_1922_EXT,
);

static HZ: Encoding = Encoding::new("HZ", "ASCII and GB 2312 by tildes (RFC 1843)", &&RFC_1843);

static RFC_1922: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(&[ASCII, GB_2312, CNS_1, CNS_2], &[])
};

static RFC_1922_EXT: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[ASCII, GB_2312, CNS_2, ISO_IR_165, CNS_1, CNS_3, CNS_4, CNS_5, CNS_6, CNS_7],
        &[],
    )
};

static CNS_FIRST: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[ASCII, CNS_1, CNS_2, CNS_3, CNS_4, CNS_5, CNS_6, CNS_7, GB_2312, ISO_IR_165],
        &[],
    )
};

static LIBICONV_1922: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(&[ASCII, GB_2312, LIBICONV_CNS_1, CNS_2], &[])
};

/// ISO-IR-165 has the lowest priority.
static LIBICONV_1922_EXT: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[
            ASCII,
            GB_2312,
            CNS_2,
            LIBICONV_CNS_1,
            CNS_3,
            CNS_4,
            CNS_5,
            CNS_6,
            CNS_7,
            LIBICONV_ISO_IR_165,
        ],
        &[],
    )
};

/// A line ends in ASCII, whether or not `~}` precedes its end.
static RFC_1843: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::ShiftState,
    ..StatefulEncoding::new(
        &[
            CodedCharset::locking(MultiByteMapping::ascii_only(), b"~}"),
            CodedCharset::locking(GB_2312.mapping, b"~{"),
        ],
        &[(b"~~", ControlFunction::Character('~')), (b"~\n", ControlFunction::Ignore)],
    )
};

const ASCII: CodedCharset = CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN);
const GB_2312: CodedCharset = CodedCharset::shift_out(gl_94!("gb2312"), b"\x1B$)A");
const ISO_IR_165: CodedCharset = CodedCharset::shift_out(gl_94!("cn-iso-ir-165"), b"\x1B$)E");
const LIBICONV_ISO_IR_165: CodedCharset =
    CodedCharset::shift_out(gl_94!("libiconv-cn-iso-ir-165"), b"\x1B$)E");
const CNS_1: CodedCharset = CodedCharset::shift_out(gl_94!("cns11643-1"), b"\x1B$)G");
const LIBICONV_CNS_1: CodedCharset =
    CodedCharset::shift_out(gl_94!("libiconv-cns11643-1"), b"\x1B$)G");
const CNS_2: CodedCharset = CodedCharset::single_shift_g2(gl_94!("cns11643-2"), b"\x1B$*H");
const CNS_3: CodedCharset = CodedCharset::single_shift_g3(gl_94!("cns11643-3"), b"\x1B$+I");
const CNS_4: CodedCharset = CodedCharset::single_shift_g3(gl_94!("cns11643-4"), b"\x1B$+J");
const CNS_5: CodedCharset = CodedCharset::single_shift_g3(gl_94!("cns11643-5"), b"\x1B$+K");
const CNS_6: CodedCharset = CodedCharset::single_shift_g3(gl_94!("cns11643-6"), b"\x1B$+L");
const CNS_7: CodedCharset = CodedCharset::single_shift_g3(gl_94!("cns11643-7"), b"\x1B$+M");
