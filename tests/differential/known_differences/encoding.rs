//! Disagreements about encoders.

use super::{BLANK, DifferenceRule, Direction, KnownDifference, both, refused};
use crate::converters::OtherConverter;
use crate::input_classes::InputClass;

const ROW: KnownDifference =
    KnownDifference { converter: OtherConverter::Icu, direction: Direction::Encode, ..BLANK };

pub static ROWS: &[KnownDifference] = &[
    KnownDifference {
        converter: OtherConverter::Icu,
        encoding: "UTF-7",
        rule: DifferenceRule::SameResultAs("UTF-7:optional=direct", "UTF-8"),
        inputs: "characters of set O, such as `!` and `=`",
        theirs: "writes them as themselves",
        ours: "writes them in base64",
        reason: "RFC 2152 leaves the choice; base64 passes through every mail header and gateway, and \
              glibc and libiconv write it",
        examples: &[both(b"a=b!", b"a=b!", b"a+AD0-b+ACE-")],
        ..ROW
    },
    KnownDifference {
        converter: OtherConverter::Cpython,
        encoding: "UTF-7",
        rule: DifferenceRule::SameResultAs("UTF-7:optional=direct", "UTF-8"),
        inputs: "characters of set O, such as `!` and `=`",
        theirs: "writes them as themselves",
        ours: "writes them in base64",
        reason: "RFC 2152 leaves the choice; base64 passes through every mail header and gateway, and \
              glibc and libiconv write it",
        examples: &[both(b"a=b!", b"a=b!", b"a+AD0-b+ACE-")],
        ..ROW
    },
    KnownDifference {
        converter: OtherConverter::Cpython,
        encoding: "UTF-16",
        family: InputClass::Empty,
        inputs: "an empty text",
        theirs: "writes a mark",
        ours: "writes nothing",
        reason: "empty input has empty output, as with glibc and ICU",
        examples: &[both(b"", b"\xFF\xFE", b"")],
        ..ROW
    },
    KnownDifference {
        converter: OtherConverter::Cpython,
        encoding: "UTF-32",
        family: InputClass::Empty,
        inputs: "an empty text",
        theirs: "writes a mark",
        ours: "writes nothing",
        reason: "empty input has empty output, as with glibc and ICU",
        examples: &[both(b"", b"\xFF\xFE\0\0", b"")],
        ..ROW
    },
    KnownDifference {
        encoding: "UCS-2",
        rule: DifferenceRule::SameResultAs("UTF-16", "UTF-8"),
        inputs: "every text",
        theirs: "takes UCS-2 for another name of UTF-16, and writes a mark and surrogate pairs",
        ours: "writes 16-bit units without a mark, and refuses characters above U+FFFF",
        reason: "UCS-2 has no surrogates (ISO/IEC 10646); no mark, as with glibc and libiconv",
        examples: &[
            both(b"A", b"\xFF\xFEA\0", b"A\0"),
            refused("\u{10000}".as_bytes(), b"\xFF\xFE\0\xD8\0\xDC"),
        ],
        ..ROW
    },
    KnownDifference {
        encoding: "UCS-4",
        rule: DifferenceRule::SameResultAs("UTF-32", "UTF-8"),
        inputs: "every text",
        theirs: "takes UCS-4 for another name of UTF-32, and writes a mark and little-endian units",
        ours: "writes big-endian units without a mark",
        reason: "so do glibc and libiconv; the registered ISO-10646-UCS-4 is in network byte order",
        examples: &[both(b"A", b"\xFF\xFE\0\0A\0\0\0", b"\0\0\0A")],
        ..ROW
    },
    KnownDifference {
        encoding: "US-ASCII",
        family: InputClass::Ignorable,
        rule: DifferenceRule::Skips,
        inputs: "characters that a renderer may ignore, such as U+FEFF and U+00AD",
        theirs: "drops them, even with the action to stop",
        ours: "refuses them",
        reason: "an unmappable character is an error, whatever a renderer makes of it",
        examples: &[refused("a\u{FEFF}b".as_bytes(), b"ab"), refused("a\u{AD}b".as_bytes(), b"ab")],
        ..ROW
    },
    KnownDifference {
        encoding: "ISO-8859-1",
        family: InputClass::Ignorable,
        rule: DifferenceRule::Skips,
        inputs: "characters that a renderer may ignore, such as U+FEFF",
        theirs: "drops them, even with the action to stop",
        ours: "refuses them",
        reason: "an unmappable character is an error, whatever a renderer makes of it",
        examples: &[refused("a\u{FEFF}b".as_bytes(), b"ab")],
        ..ROW
    },
];
