//! ISO-2022-CN, ISO-2022-CN-EXT (RFC 1922) and HZ (RFC 1843).

use super::{
    CodedCharset, ControlFunction, Encoding, GraphicSet, NewlineReset, SHIFT_IN, SHIFT_OUT,
    SINGLE_SHIFT_2, SINGLE_SHIFT_3, StatefulEncoding,
};
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

const GB_2312: &[u8] = b"\x1B$)A";
const CNS_1: &[u8] = b"\x1B$)G";
const ISO_IR_165: &[u8] = b"\x1B$)E";
const CNS_2: &[u8] = b"\x1B$*H";
const CNS_3: &[u8] = b"\x1B$+I";
const CNS_4: &[u8] = b"\x1B$+J";
const CNS_5: &[u8] = b"\x1B$+K";
const CNS_6: &[u8] = b"\x1B$+L";
const CNS_7: &[u8] = b"\x1B$+M";

static RFC_1922: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[
            CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN),
            CodedCharset::shift_out(GB_2312_SET, GB_2312),
            CodedCharset::shift_out(CNS_1_SET, CNS_1),
            CodedCharset::single_shift_g2(CNS_2_SET, CNS_2),
        ],
        &[
            (GB_2312, ControlFunction::Designate(GraphicSet::G1, 1)),
            (CNS_1, ControlFunction::Designate(GraphicSet::G1, 2)),
            (CNS_2, ControlFunction::Designate(GraphicSet::G2, 3)),
            (SHIFT_OUT, ControlFunction::ShiftOut),
            (SHIFT_IN, ControlFunction::LockingShift(0)),
            (SINGLE_SHIFT_2, ControlFunction::SingleShift(GraphicSet::G2)),
        ],
    )
};

static RFC_1922_EXT: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[
            CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN),
            CodedCharset::shift_out(GB_2312_SET, GB_2312),
            CodedCharset::single_shift_g2(CNS_2_SET, CNS_2),
            CodedCharset::shift_out(ISO_IR_165_SET, ISO_IR_165),
            CodedCharset::shift_out(CNS_1_SET, CNS_1),
            CodedCharset::single_shift_g3(CNS_3_SET, CNS_3),
            CodedCharset::single_shift_g3(CNS_4_SET, CNS_4),
            CodedCharset::single_shift_g3(CNS_5_SET, CNS_5),
            CodedCharset::single_shift_g3(CNS_6_SET, CNS_6),
            CodedCharset::single_shift_g3(CNS_7_SET, CNS_7),
        ],
        &[
            (GB_2312, ControlFunction::Designate(GraphicSet::G1, 1)),
            (ISO_IR_165, ControlFunction::Designate(GraphicSet::G1, 3)),
            (CNS_1, ControlFunction::Designate(GraphicSet::G1, 4)),
            (CNS_2, ControlFunction::Designate(GraphicSet::G2, 2)),
            (CNS_3, ControlFunction::Designate(GraphicSet::G3, 5)),
            (CNS_4, ControlFunction::Designate(GraphicSet::G3, 6)),
            (CNS_5, ControlFunction::Designate(GraphicSet::G3, 7)),
            (CNS_6, ControlFunction::Designate(GraphicSet::G3, 8)),
            (CNS_7, ControlFunction::Designate(GraphicSet::G3, 9)),
            (SHIFT_OUT, ControlFunction::ShiftOut),
            (SHIFT_IN, ControlFunction::LockingShift(0)),
            (SINGLE_SHIFT_2, ControlFunction::SingleShift(GraphicSet::G2)),
            (SINGLE_SHIFT_3, ControlFunction::SingleShift(GraphicSet::G3)),
        ],
    )
};

static CNS_FIRST: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[
            CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN),
            CodedCharset::shift_out(CNS_1_SET, CNS_1),
            CodedCharset::single_shift_g2(CNS_2_SET, CNS_2),
            CodedCharset::single_shift_g3(CNS_3_SET, CNS_3),
            CodedCharset::single_shift_g3(CNS_4_SET, CNS_4),
            CodedCharset::single_shift_g3(CNS_5_SET, CNS_5),
            CodedCharset::single_shift_g3(CNS_6_SET, CNS_6),
            CodedCharset::single_shift_g3(CNS_7_SET, CNS_7),
            CodedCharset::shift_out(GB_2312_SET, GB_2312),
            CodedCharset::shift_out(ISO_IR_165_SET, ISO_IR_165),
        ],
        &[
            (CNS_1, ControlFunction::Designate(GraphicSet::G1, 1)),
            (CNS_2, ControlFunction::Designate(GraphicSet::G2, 2)),
            (CNS_3, ControlFunction::Designate(GraphicSet::G3, 3)),
            (CNS_4, ControlFunction::Designate(GraphicSet::G3, 4)),
            (CNS_5, ControlFunction::Designate(GraphicSet::G3, 5)),
            (CNS_6, ControlFunction::Designate(GraphicSet::G3, 6)),
            (CNS_7, ControlFunction::Designate(GraphicSet::G3, 7)),
            (GB_2312, ControlFunction::Designate(GraphicSet::G1, 8)),
            (ISO_IR_165, ControlFunction::Designate(GraphicSet::G1, 9)),
            (SHIFT_OUT, ControlFunction::ShiftOut),
            (SHIFT_IN, ControlFunction::LockingShift(0)),
            (SINGLE_SHIFT_2, ControlFunction::SingleShift(GraphicSet::G2)),
            (SINGLE_SHIFT_3, ControlFunction::SingleShift(GraphicSet::G3)),
        ],
    )
};

static LIBICONV_1922: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[
            CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN),
            CodedCharset::shift_out(GB_2312_SET, GB_2312),
            CodedCharset::shift_out(LIBICONV_CNS_1, CNS_1),
            CodedCharset::single_shift_g2(CNS_2_SET, CNS_2),
        ],
        RFC_1922.sequences,
    )
};

/// ISO-IR-165 has the lowest priority.
static LIBICONV_1922_EXT: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::All,
    ..StatefulEncoding::new(
        &[
            CodedCharset::locking(MultiByteMapping::ascii_only(), SHIFT_IN),
            CodedCharset::shift_out(GB_2312_SET, GB_2312),
            CodedCharset::single_shift_g2(CNS_2_SET, CNS_2),
            CodedCharset::decode_only(LIBICONV_ISO_IR_165),
            CodedCharset::shift_out(LIBICONV_CNS_1, CNS_1),
            CodedCharset::single_shift_g3(CNS_3_SET, CNS_3),
            CodedCharset::single_shift_g3(CNS_4_SET, CNS_4),
            CodedCharset::single_shift_g3(CNS_5_SET, CNS_5),
            CodedCharset::single_shift_g3(CNS_6_SET, CNS_6),
            CodedCharset::single_shift_g3(CNS_7_SET, CNS_7),
            CodedCharset::shift_out(LIBICONV_ISO_IR_165, ISO_IR_165),
        ],
        RFC_1922_EXT.sequences,
    )
};

/// A line ends in ASCII, whether or not `~}` precedes its end.
static RFC_1843: StatefulEncoding = StatefulEncoding {
    newline_reset: NewlineReset::ShiftState,
    ..StatefulEncoding::new(
        &[
            CodedCharset::locking(MultiByteMapping::ascii_only(), b"~}"),
            CodedCharset::locking(GB_2312_SET, b"~{"),
        ],
        &[
            (b"~{", ControlFunction::LockingShift(1)),
            (b"~}", ControlFunction::LockingShift(0)),
            (b"~~", ControlFunction::Character('~')),
            (b"~\n", ControlFunction::Ignore),
        ],
    )
};

const GB_2312_SET: MultiByteMapping = gl_94!("gb2312");
const ISO_IR_165_SET: MultiByteMapping = gl_94!("cn-iso-ir-165");
const CNS_1_SET: MultiByteMapping = gl_94!("cns11643-1");
const CNS_2_SET: MultiByteMapping = gl_94!("cns11643-2");
const CNS_3_SET: MultiByteMapping = gl_94!("cns11643-3");
const CNS_4_SET: MultiByteMapping = gl_94!("cns11643-4");
const CNS_5_SET: MultiByteMapping = gl_94!("cns11643-5");
const CNS_6_SET: MultiByteMapping = gl_94!("cns11643-6");
const CNS_7_SET: MultiByteMapping = gl_94!("cns11643-7");
const LIBICONV_CNS_1: MultiByteMapping = gl_94!("libiconv-cns11643-1");
const LIBICONV_ISO_IR_165: MultiByteMapping = gl_94!("libiconv-cn-iso-ir-165");
