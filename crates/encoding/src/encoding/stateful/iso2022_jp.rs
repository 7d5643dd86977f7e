//! ISO-2022-JP and its extensions: RFC 1468, RFC 1554, RFC 2237, JIS X 0213. JIS7 and JIS8 have
//! half-width katakana as in JIS X 0202, in 7 and in 8 bits; their other sets are those of ISO-2022-JP-2,
//! as in ICU.

use super::{
    CodedCharset, Conformance, ControlFunction, Encoding, GraphicSet, Katakana, NewlineReset,
    SHIFT_IN, SHIFT_OUT, SINGLE_SHIFT_2, StatefulEncoding,
};
use crate::encoding::multi_byte::mapping::{self, MultiByteMapping};
use crate::encoding::refs;

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &refs(&ENCODINGS);

static ENCODINGS: [Encoding; 11] = [
    Encoding::new(
        "ISO-2022-JP",
        "ASCII, JIS X 0201 Roman and JIS X 0208 by escape sequences (RFC 1468)",
        &&StatefulEncoding::new(
            &[
                CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                CodedCharset::locking(ROMAN_SET, ROMAN),
                CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
            ],
            &[
                (ASCII, ControlFunction::LockingShift(0)),
                (ROMAN, ControlFunction::LockingShift(1)),
                (JIS_X0208_1978, ControlFunction::LockingShift(2)),
                (JIS_X0208, ControlFunction::LockingShift(2)),
            ],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-1",
        "ISO-2022-JP with JIS X 0212 (RFC 2237)",
        &&StatefulEncoding::new(
            &[
                CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                CodedCharset::locking(ROMAN_SET, ROMAN),
                CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
                CodedCharset::locking(JIS_X0212_SET, JIS_X0212),
            ],
            &[
                (ASCII, ControlFunction::LockingShift(0)),
                (ROMAN, ControlFunction::LockingShift(1)),
                (JIS_X0208_1978, ControlFunction::LockingShift(2)),
                (JIS_X0208, ControlFunction::LockingShift(2)),
                (JIS_X0212, ControlFunction::LockingShift(3)),
            ],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-2",
        "ISO-2022-JP with sets of China, Korea, Greece and Western Europe (RFC 1554)",
        &&StatefulEncoding {
            newline_reset: NewlineReset::Designations,
            ..StatefulEncoding::new(
                &[
                    CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                    CodedCharset::locking(ROMAN_SET, ROMAN),
                    CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
                    CodedCharset::locking(JIS_X0212_SET, JIS_X0212),
                    CodedCharset::single_shift_g2(LATIN_1_SET, LATIN_1),
                    CodedCharset::single_shift_g2(GREEK_SET, GREEK),
                    CodedCharset::locking(GB_2312_SET, GB_2312),
                    CodedCharset::locking(KS_X1001_SET, KS_X1001),
                    CodedCharset::locking(KATAKANA_SET, KATAKANA),
                ],
                &[
                    (ASCII, ControlFunction::LockingShift(0)),
                    (ROMAN, ControlFunction::LockingShift(1)),
                    (JIS_X0208_1978, ControlFunction::LockingShift(2)),
                    (JIS_X0208, ControlFunction::LockingShift(2)),
                    (JIS_X0212, ControlFunction::LockingShift(3)),
                    (LATIN_1, ControlFunction::Designate(GraphicSet::G2, 4)),
                    (GREEK, ControlFunction::Designate(GraphicSet::G2, 5)),
                    (GB_2312, ControlFunction::LockingShift(6)),
                    (KS_X1001, ControlFunction::LockingShift(7)),
                    (KATAKANA, ControlFunction::LockingShift(8)),
                    (SINGLE_SHIFT_2, ControlFunction::SingleShift(GraphicSet::G2)),
                ],
            )
        },
    ),
    // The ten characters that were added in 2004 are written with the sequence of 2004, all others
    // with that of 2000.
    Encoding::new(
        "ISO-2022-JP-3",
        "ISO-2022-JP with JIS X 0213:2004",
        &&StatefulEncoding::new(
            &[
                CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                CodedCharset::locking(ROMAN_SET, ROMAN),
                CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
                CodedCharset::locking(JIS_X0213_1_ADDED, JIS_X0213_1_2004),
                CodedCharset::locking(JIS_X0213_1_SET, JIS_X0213_1_2000),
                CodedCharset::locking(JIS_X0213_2_SET, JIS_X0213_2),
                CodedCharset::locking(KATAKANA_SET, KATAKANA),
            ],
            JIS_X0213_SEQUENCES,
        ),
    ),
    // JIS X 0213:2004, annex 2: without JIS-Roman and katakana. The sequence of plane 1 of 2000 is
    // decoded only.
    Encoding::new(
        "ISO-2022-JP-2004",
        "ASCII, JIS X 0208 and JIS X 0213:2004 by the escape sequences of 2004",
        &&StatefulEncoding::new(
            &[
                CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
                CodedCharset::locking(JIS_X0213_1_SET, JIS_X0213_1_2004),
                CodedCharset::locking(JIS_X0213_2_SET, JIS_X0213_2),
            ],
            &[
                (ASCII, ControlFunction::LockingShift(0)),
                (JIS_X0208, ControlFunction::LockingShift(1)),
                (JIS_X0213_1_2004, ControlFunction::LockingShift(2)),
                (JIS_X0213_1_2000, ControlFunction::LockingShift(2)),
                (JIS_X0213_2, ControlFunction::LockingShift(3)),
            ],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-MS",
        "ISO-2022-JP with half-width katakana and the extensions of Windows",
        &&StatefulEncoding::new(
            &[
                CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                CodedCharset::decode_only(ROMAN_SET),
                CodedCharset::locking(JIS_X0208_MS, JIS_X0208),
                CodedCharset::locking(JIS_X0212_MS, JIS_X0212),
                CodedCharset::locking(KATAKANA_SET, KATAKANA),
            ],
            &[
                (ASCII, ControlFunction::LockingShift(0)),
                (ROMAN, ControlFunction::LockingShift(1)),
                (JIS_X0208_1978, ControlFunction::LockingShift(2)),
                (JIS_X0208, ControlFunction::LockingShift(2)),
                (JIS_X0212, ControlFunction::LockingShift(3)),
                (KATAKANA, ControlFunction::LockingShift(4)),
            ],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-EXT",
        "ISO-2022-JP with JIS X 0212 and half-width katakana, as in Python",
        &&StatefulEncoding::new(
            &[
                CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
                CodedCharset::locking(JIS_X0212_SET, JIS_X0212),
                CodedCharset::locking(ROMAN_SET, ROMAN),
                CodedCharset::locking(KATAKANA_SET, KATAKANA),
            ],
            &[
                (ASCII, ControlFunction::LockingShift(0)),
                (JIS_X0208_1978, ControlFunction::LockingShift(1)),
                (JIS_X0208, ControlFunction::LockingShift(1)),
                (JIS_X0212, ControlFunction::LockingShift(2)),
                (ROMAN, ControlFunction::LockingShift(3)),
                (KATAKANA, ControlFunction::LockingShift(4)),
            ],
        ),
    ),
    Encoding::new(
        "JIS7",
        "ISO-2022-JP-2 with half-width katakana between SO and SI, as in ICU",
        &&StatefulEncoding {
            newline_reset: NewlineReset::Designations,
            katakana: Katakana::ShiftOut(KATAKANA_NUMBER),
            ..StatefulEncoding::new(JIS_CHARSETS, JIS7_SEQUENCES)
        },
    ),
    Encoding::new(
        "JIS8",
        "ISO-2022-JP-2 with half-width katakana as the bytes A1 to DF, as in ICU",
        &&StatefulEncoding {
            newline_reset: NewlineReset::Designations,
            katakana: Katakana::RightHalf(KATAKANA_NUMBER),
            ..StatefulEncoding::new(JIS_CHARSETS, JIS8_SEQUENCES)
        },
    ),
    // Control characters are in ASCII and JIS-Roman only, and SO and SI in none.
    Encoding::new(
        "whatwg:ISO-2022-JP",
        "ISO-2022-JP of the Encoding Standard",
        &&StatefulEncoding {
            katakana_replacements: FULL_WIDTH_KATAKANA,
            conformance: Conformance::Whatwg,
            shared_controls: false,
            ..StatefulEncoding::new(
                &[
                    CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                    CodedCharset::locking(ROMAN_SET, ROMAN),
                    CodedCharset::locking(WHATWG_JIS0208, JIS_X0208),
                    CodedCharset::decode_only(KATAKANA_SET),
                ],
                &[
                    (ASCII, ControlFunction::LockingShift(0)),
                    (ROMAN, ControlFunction::LockingShift(1)),
                    (JIS_X0208_1978, ControlFunction::LockingShift(2)),
                    (JIS_X0208, ControlFunction::LockingShift(2)),
                    (KATAKANA, ControlFunction::LockingShift(3)),
                    (b"\x0E", ControlFunction::Reject),
                    (b"\x0F", ControlFunction::Reject),
                ],
            )
        },
    ),
    Encoding::new(
        "libiconv:ISO-2022-JP-3",
        "ISO-2022-JP-3 of libiconv, which writes the sequence of 2004 alone",
        &&StatefulEncoding::new(
            &[
                CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
                CodedCharset::locking(ROMAN_SET, ROMAN),
                CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
                CodedCharset::locking(JIS_X0213_1_ADDED, JIS_X0213_1_2004),
                CodedCharset::locking(JIS_X0213_1_SET, JIS_X0213_1_2004),
                CodedCharset::locking(JIS_X0213_2_SET, JIS_X0213_2),
                CodedCharset::locking(KATAKANA_SET, KATAKANA),
            ],
            JIS_X0213_SEQUENCES,
        ),
    ),
];

const ASCII: &[u8] = b"\x1B(B";
const ROMAN: &[u8] = b"\x1B(J";
/// A sequence of Sweden that some programs wrote for JIS-Roman by mistake.
const ROMAN_OLD: &[u8] = b"\x1B(H";
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

const JIS_X0213_SEQUENCES: &[(&[u8], ControlFunction)] = &[
    (ASCII, ControlFunction::LockingShift(0)),
    (ROMAN, ControlFunction::LockingShift(1)),
    (JIS_X0208_1978, ControlFunction::LockingShift(2)),
    (JIS_X0208, ControlFunction::LockingShift(2)),
    (JIS_X0213_1_2004, ControlFunction::LockingShift(4)),
    (JIS_X0213_1_2000, ControlFunction::LockingShift(4)),
    (JIS_X0213_2, ControlFunction::LockingShift(5)),
    (KATAKANA, ControlFunction::LockingShift(6)),
];

/// The sets of JIS7 and JIS8.
const JIS_CHARSETS: &[CodedCharset] = &[
    CodedCharset::locking(MultiByteMapping::ascii_only(), ASCII),
    CodedCharset::locking(ROMAN_SET, ROMAN),
    CodedCharset::locking(JIS_X0208_SET, JIS_X0208),
    CodedCharset::single_shift_g2(LATIN_1_SET, LATIN_1),
    CodedCharset::locking(JIS_X0212_SET, JIS_X0212),
    CodedCharset::single_shift_g2(GREEK_SET, GREEK),
    CodedCharset::locking(GB_2312_SET, GB_2312),
    CodedCharset::locking(KS_X1001_SET, KS_X1001),
    CodedCharset::katakana(KATAKANA_SET),
    CodedCharset::decode_only(KATAKANA_SET),
];

/// The number of the katakana in [`JIS_CHARSETS`] that no escape sequence designates.
const KATAKANA_NUMBER: u8 = 8;

const JIS7_SEQUENCES: &[(&[u8], ControlFunction)] = &jis_sequences([
    (SHIFT_OUT, ControlFunction::KatakanaShiftOut),
    (SHIFT_IN, ControlFunction::KatakanaShiftIn),
]);

const JIS8_SEQUENCES: &[(&[u8], ControlFunction)] =
    &jis_sequences([(SHIFT_OUT, ControlFunction::Reject), (SHIFT_IN, ControlFunction::Reject)]);

/// Returns the sequences of JIS7 or JIS8 with two of their own.
const fn jis_sequences(
    [shift_out, shift_in]: [(&'static [u8], ControlFunction); 2],
) -> [(&'static [u8], ControlFunction); 14] {
    [
        (ASCII, ControlFunction::LockingShift(0)),
        (ROMAN, ControlFunction::LockingShift(1)),
        (ROMAN_OLD, ControlFunction::LockingShift(1)),
        (JIS_X0208_1978, ControlFunction::LockingShift(2)),
        (JIS_X0208, ControlFunction::LockingShift(2)),
        (LATIN_1, ControlFunction::Designate(GraphicSet::G2, 3)),
        (JIS_X0212, ControlFunction::LockingShift(4)),
        (GREEK, ControlFunction::Designate(GraphicSet::G2, 5)),
        (GB_2312, ControlFunction::LockingShift(6)),
        (KS_X1001, ControlFunction::LockingShift(7)),
        (KATAKANA, ControlFunction::LockingShift(9)),
        (SINGLE_SHIFT_2, ControlFunction::SingleShift(GraphicSet::G2)),
        shift_out,
        shift_in,
    ]
}

/// The replacements of half-width katakana from U+FF61 on in the Encoding Standard.
const FULL_WIDTH_KATAKANA: &str = concat!(
    "\u{3002}\u{300C}\u{300D}\u{3001}\u{30FB}ヲァィゥェォャュョッーアイウエオカキクケコ",
    "サシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{309B}\u{309C}",
);

const ROMAN_SET: MultiByteMapping =
    MultiByteMapping::with_ascii(include_bytes!("../multi_byte/data/roman.trie"), &mapping::GL_94);
const KATAKANA_SET: MultiByteMapping = gl_94!("katakana");
const JIS_X0208_SET: MultiByteMapping = gl_94!("jisx0208");
const JIS_X0212_SET: MultiByteMapping = gl_94!("jisx0212");
const GB_2312_SET: MultiByteMapping = gl_94!("gb2312");
const KS_X1001_SET: MultiByteMapping = gl_94!("ksc5601");
const LATIN_1_SET: MultiByteMapping = gl_94!("iso-8859-1-high");
const GREEK_SET: MultiByteMapping = gl_94!("iso-8859-7-high");
const JIS_X0213_1_SET: MultiByteMapping = gl_94!("jisx0213-1");
const JIS_X0213_1_ADDED: MultiByteMapping = gl_94!("jisx0213-1-added");
const JIS_X0213_2_SET: MultiByteMapping = gl_94!("jisx0213-2");
const JIS_X0208_MS: MultiByteMapping = gl_94!("jisx0208-ms");
const JIS_X0212_MS: MultiByteMapping = gl_94!("jisx0212-ms");
const WHATWG_JIS0208: MultiByteMapping = gl_94!("whatwg-jis0208");
