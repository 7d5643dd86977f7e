//! ISO-2022-JP and its extensions: RFC 1468, RFC 1554, RFC 2237, JIS X 0213. JIS7 and JIS8 have
//! half-width katakana as in JIS X 0202, in 7 and in 8 bits; their other sets are those of ISO-2022-JP-2,
//! as in ICU.

use super::{
    CodedCharset, Conformance, ControlFunction, Encoding, Katakana, NewlineReset, SHIFT_IN,
    SHIFT_OUT, StatefulEncoding,
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
            &[ASCII, ROMAN, JIS_X0208],
            &[(JIS_X0208_1978, ControlFunction::LockingShift(2))],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-1",
        "ISO-2022-JP with JIS X 0212 (RFC 2237)",
        &&StatefulEncoding::new(
            &[ASCII, ROMAN, JIS_X0208, JIS_X0212],
            &[(JIS_X0208_1978, ControlFunction::LockingShift(2))],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-2",
        "ISO-2022-JP with sets of China, Korea, Greece and Western Europe (RFC 1554)",
        &&StatefulEncoding {
            newline_reset: NewlineReset::Designations,
            ..StatefulEncoding::new(
                &[ASCII, ROMAN, JIS_X0208, JIS_X0212, LATIN_1, GREEK, GB_2312, KS_X1001, KATAKANA],
                &[(JIS_X0208_1978, ControlFunction::LockingShift(2))],
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
                ASCII,
                ROMAN,
                JIS_X0208,
                CodedCharset::locking(JIS_X0213_1_ADDED, JIS_X0213_1_2004),
                CodedCharset::locking(JIS_X0213_1, JIS_X0213_1_2000),
                JIS_X0213_2,
                KATAKANA,
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
            &[ASCII, JIS_X0208, CodedCharset::locking(JIS_X0213_1, JIS_X0213_1_2004), JIS_X0213_2],
            &[(JIS_X0213_1_2000, ControlFunction::LockingShift(2))],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-MS",
        "ISO-2022-JP with half-width katakana and the extensions of Windows",
        &&StatefulEncoding::new(
            &[
                ASCII,
                CodedCharset::decode_only(ROMAN.mapping),
                CodedCharset::locking(gl_94!("jisx0208-ms"), JIS_X0208_1983),
                CodedCharset::locking(gl_94!("jisx0212-ms"), JIS_X0212_1990),
                KATAKANA,
            ],
            &[
                (JIS_ROMAN, ControlFunction::LockingShift(1)),
                (JIS_X0208_1978, ControlFunction::LockingShift(2)),
            ],
        ),
    ),
    Encoding::new(
        "ISO-2022-JP-EXT",
        "ISO-2022-JP with JIS X 0212 and half-width katakana, as in Python",
        &&StatefulEncoding::new(
            &[ASCII, JIS_X0208, JIS_X0212, ROMAN, KATAKANA],
            &[(JIS_X0208_1978, ControlFunction::LockingShift(1))],
        ),
    ),
    Encoding::new(
        "JIS7",
        "ISO-2022-JP-2 with half-width katakana between SO and SI, as in ICU",
        &&StatefulEncoding {
            newline_reset: NewlineReset::Designations,
            katakana: Katakana::ShiftOut(KATAKANA_NUMBER),
            ..StatefulEncoding::new(
                JIS_CHARSETS,
                &jis_sequences(ControlFunction::KatakanaShiftOut, ControlFunction::KatakanaShiftIn),
            )
        },
    ),
    Encoding::new(
        "JIS8",
        "ISO-2022-JP-2 with half-width katakana as the bytes A1 to DF, as in ICU",
        &&StatefulEncoding {
            newline_reset: NewlineReset::Designations,
            katakana: Katakana::RightHalf(KATAKANA_NUMBER),
            ..StatefulEncoding::new(
                JIS_CHARSETS,
                &jis_sequences(ControlFunction::Reject, ControlFunction::Reject),
            )
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
                    ASCII,
                    ROMAN,
                    CodedCharset::locking(gl_94!("whatwg-jis0208"), JIS_X0208_1983),
                    CodedCharset::decode_only(KATAKANA.mapping),
                ],
                &[
                    (JIS_X0208_1978, ControlFunction::LockingShift(2)),
                    (JIS_KATAKANA, ControlFunction::LockingShift(3)),
                    (SHIFT_OUT, ControlFunction::Reject),
                    (SHIFT_IN, ControlFunction::Reject),
                ],
            )
        },
    ),
    Encoding::new(
        "libiconv:ISO-2022-JP-3",
        "ISO-2022-JP-3 of libiconv, which writes the sequence of 2004 alone",
        &&StatefulEncoding::new(
            &[
                ASCII,
                ROMAN,
                JIS_X0208,
                CodedCharset::locking(JIS_X0213_1_ADDED, JIS_X0213_1_2004),
                CodedCharset::locking(JIS_X0213_1, JIS_X0213_1_2004),
                JIS_X0213_2,
                KATAKANA,
            ],
            JIS_X0213_SEQUENCES,
        ),
    ),
];

const JIS_ROMAN: &[u8] = b"\x1B(J";
/// A sequence of Sweden that some programs wrote for JIS-Roman by mistake.
const ROMAN_OLD: &[u8] = b"\x1B(H";
const JIS_KATAKANA: &[u8] = b"\x1B(I";
const JIS_X0208_1978: &[u8] = b"\x1B$@";
const JIS_X0208_1983: &[u8] = b"\x1B$B";
const JIS_X0212_1990: &[u8] = b"\x1B$(D";
const JIS_X0213_1_2000: &[u8] = b"\x1B$(O";
const JIS_X0213_1_2004: &[u8] = b"\x1B$(Q";

const ASCII: CodedCharset = CodedCharset::locking(MultiByteMapping::ascii_only(), b"\x1B(B");
const ROMAN: CodedCharset = CodedCharset::locking(
    MultiByteMapping::with_ascii(include_bytes!("../multi_byte/data/roman.trie"), &mapping::GL_94),
    JIS_ROMAN,
);
const KATAKANA: CodedCharset = CodedCharset::locking(gl_94!("katakana"), JIS_KATAKANA);
const JIS_X0208: CodedCharset = CodedCharset::locking(gl_94!("jisx0208"), JIS_X0208_1983);
const JIS_X0212: CodedCharset = CodedCharset::locking(gl_94!("jisx0212"), JIS_X0212_1990);
const GB_2312: CodedCharset = CodedCharset::locking(gl_94!("gb2312"), b"\x1B$A");
const KS_X1001: CodedCharset = CodedCharset::locking(gl_94!("ksc5601"), b"\x1B$(C");
const LATIN_1: CodedCharset = CodedCharset::single_shift_g2(gl_94!("iso-8859-1-high"), b"\x1B.A");
const GREEK: CodedCharset = CodedCharset::single_shift_g2(gl_94!("iso-8859-7-high"), b"\x1B.F");
const JIS_X0213_1: MultiByteMapping = gl_94!("jisx0213-1");
const JIS_X0213_1_ADDED: MultiByteMapping = gl_94!("jisx0213-1-added");
const JIS_X0213_2: CodedCharset = CodedCharset::locking(gl_94!("jisx0213-2"), b"\x1B$(P");

/// The sequences of both editions of plane 1 select set 4, which has all of its characters.
const JIS_X0213_SEQUENCES: &[(&[u8], ControlFunction)] = &[
    (JIS_X0208_1978, ControlFunction::LockingShift(2)),
    (JIS_X0213_1_2004, ControlFunction::LockingShift(4)),
    (JIS_X0213_1_2000, ControlFunction::LockingShift(4)),
];

/// The sets of JIS7 and JIS8.
const JIS_CHARSETS: &[CodedCharset] = &[
    ASCII,
    ROMAN,
    JIS_X0208,
    LATIN_1,
    JIS_X0212,
    GREEK,
    GB_2312,
    KS_X1001,
    CodedCharset::katakana(KATAKANA.mapping),
    CodedCharset::decode_only(KATAKANA.mapping),
];

/// The number of the katakana in [`JIS_CHARSETS`] that no escape sequence designates.
const KATAKANA_NUMBER: u8 = 8;

/// Returns the sequences of JIS7 or JIS8 with these effects of SO and SI.
const fn jis_sequences(
    shift_out: ControlFunction,
    shift_in: ControlFunction,
) -> [(&'static [u8], ControlFunction); 5] {
    [
        (ROMAN_OLD, ControlFunction::LockingShift(1)),
        (JIS_X0208_1978, ControlFunction::LockingShift(2)),
        (JIS_KATAKANA, ControlFunction::LockingShift(9)),
        (SHIFT_OUT, shift_out),
        (SHIFT_IN, shift_in),
    ]
}

/// The replacements of half-width katakana from U+FF61 on in the Encoding Standard.
const FULL_WIDTH_KATAKANA: &str = concat!(
    "\u{3002}\u{300C}\u{300D}\u{3001}\u{30FB}ヲァィゥェォャュョッーアイウエオカキクケコ",
    "サシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u{309B}\u{309C}",
);
