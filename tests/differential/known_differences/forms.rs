//! Disagreements about the highest value and the byte order.

use super::{BLANK, DifferenceRule, KnownDifference, accepted, both, refused};
use crate::converters::OtherConverter;
use crate::input_classes::InputClass;

const ROW: KnownDifference = KnownDifference { rule: DifferenceRule::Skips, ..BLANK };

const ICU: KnownDifference = KnownDifference { converter: OtherConverter::Icu, ..ROW };

pub static ROWS: &[KnownDifference] = &[
    KnownDifference {
        encoding: "UTF-8",
        rule: DifferenceRule::SameResultAs("FSS-UTF", "FSS-UTF"),
        inputs: "values above U+10FFFF, in forms of 4, 5 and 6 bytes",
        theirs: "passes them on, up to 7FFFFFFF: its UTF-8 is that of RFC 2279",
        ours: "refuses them",
        reason: "RFC 3629, section 4; the longer forms are FSS-UTF",
        examples: &[
            refused(b"\xF4\x90\x80\x80", b"\xF4\x90\x80\x80"),
            refused(b"\xFD\xBF\xBF\xBF\xBF\xBF", b"\xFD\xBF\xBF\xBF\xBF\xBF"),
        ],
        ..ROW
    },
    KnownDifference {
        encoding: "UCS-4",
        rule: DifferenceRule::SameResultAs("UCS-4", "FSS-UTF"),
        inputs: "values above U+10FFFF, to UTF-8",
        theirs: "writes ill-formed UTF-8 of up to 6 bytes",
        ours: "refuses them: they cannot be expressed in the target",
        reason: "RFC 3629, section 3; 31-bit values pass between UCS-4, FSS-UTF and UTF-5 only",
        examples: &[
            refused(b"\0\x11\0\0", b"\xF4\x90\x80\x80"),
            refused(b"\x7F\xFF\xFF\xFF", b"\xFD\xBF\xBF\xBF\xBF\xBF"),
        ],
        ..ROW
    },
    KnownDifference {
        encoding: "UCS-2",
        rule: DifferenceRule::SameResultAs("UCS-2LE", "UTF-8"),
        inputs: "a mark at the start",
        theirs: "knows no marks: gives U+FEFF or U+FFFE, in the order of the machine",
        ours: "obeys and drops it, as in UTF-16",
        reason: "files with a mark say outright what they are",
        examples: &[
            both(b"\xFF\xFEA\0", b"\xEF\xBB\xBFA", b"A"),
            both(b"\xFE\xFF\0A", b"\xEF\xBF\xBE\xE4\x84\x80", b"A"),
        ],
        ..ROW
    },
    KnownDifference {
        encoding: "UTF-16",
        family: InputClass::WithoutBom,
        rule: DifferenceRule::SameResultAs("UTF-16BE", "UTF-8"),
        inputs: "no mark at the start",
        theirs: "reads big-endian units",
        ours: "reads little-endian units",
        reason: "so are the files of glibc's, CPython's, Windows' and the web's users; RFC 2781, \
              section 4.3, and Unicode say big-endian, for which there is UTF-16BE",
        examples: &[both(b"A\0", b"\xE4\x84\x80", b"A")],
        ..ICU
    },
    KnownDifference {
        encoding: "UTF-32",
        family: InputClass::WithoutBom,
        rule: DifferenceRule::SameResultAs("UTF-32BE", "UTF-8"),
        inputs: "no mark at the start",
        theirs: "reads big-endian units",
        ours: "reads little-endian units",
        reason: "the same byte order as UTF-16; for the other there is UTF-32BE",
        examples: &[accepted(b"A\0\0\0", b"A"), refused(b"\0\0\0A", b"A")],
        ..ICU
    },
    KnownDifference {
        encoding: "UCS-2",
        family: InputClass::WithoutBom,
        rule: DifferenceRule::SameResultAs("UTF-16BE", "UTF-8"),
        inputs: "no mark at the start",
        theirs: "takes UCS-2 for another name of UTF-16: reads big-endian units and surrogate pairs",
        ours: "reads little-endian units, and refuses surrogates",
        reason: "UCS-2 has no surrogates (ISO/IEC 10646); the byte order is that of UTF-16",
        examples: &[
            both(b"A\0", b"\xE4\x84\x80", b"A"),
            refused(b"\xD8\xD8\xDC\xDC", b"\xF1\x86\x83\x9C"),
        ],
        ..ICU
    },
    KnownDifference {
        encoding: "UCS-2",
        family: InputClass::WithBom,
        rule: DifferenceRule::SameResultAs("UTF-16", "UTF-8"),
        inputs: "surrogate pairs after a BOM",
        theirs: "takes UCS-2 for another name of UTF-16, and reads them",
        ours: "refuses surrogates",
        reason: "UCS-2 has no surrogates (ISO/IEC 10646)",
        examples: &[refused(b"\xFE\xFF\xD8\0\xDC\0", b"\xF0\x90\x80\x80")],
        ..ICU
    },
    KnownDifference {
        encoding: "UCS-4",
        family: InputClass::WithBom,
        rule: DifferenceRule::SameResultAs("UTF-32", "UTF-8"),
        inputs: "a mark at the start",
        theirs: "takes UCS-4 for another name of UTF-32, and obeys and drops it",
        ours: "knows no marks: gives U+FEFF, and reads big-endian units",
        reason: "so does glibc",
        examples: &[
            both(b"\0\0\xFE\xFF\0\0\0A", b"A", b"\xEF\xBB\xBFA"),
            refused(b"\xFF\xFE\0\0A\0\0\0", b"A"),
        ],
        ..ICU
    },
];
