//! Disagreements about encoders.

use super::{BLANK, Direction, Row, Rule, both, refused};
use crate::families::Family;
use crate::peers::Peer;

const ROW: Row = Row { peer: Peer::Icu, direction: Direction::Encode, ..BLANK };

pub static ROWS: &[Row] = &[
    Row {
        peer: Peer::Icu,
        charset: "UTF-7",
        rule: Rule::SameAs("UTF-7:set-o=direct", "UTF-8"),
        inputs: "characters of set O, such as `!` and `=`",
        theirs: "writes them as themselves",
        ours: "writes them in base64",
        why: "RFC 2152 leaves the choice; base64 passes through every mail header and gateway, and \
              glibc and libiconv write it",
        examples: &[both(b"a=b!", b"a=b!", b"a+AD0-b+ACE-")],
        ..ROW
    },
    Row {
        peer: Peer::Cpython,
        charset: "UTF-7",
        rule: Rule::SameAs("UTF-7:set-o=direct", "UTF-8"),
        inputs: "characters of set O, such as `!` and `=`",
        theirs: "writes them as themselves",
        ours: "writes them in base64",
        why: "RFC 2152 leaves the choice; base64 passes through every mail header and gateway, and \
              glibc and libiconv write it",
        examples: &[both(b"a=b!", b"a=b!", b"a+AD0-b+ACE-")],
        ..ROW
    },
    Row {
        peer: Peer::Cpython,
        charset: "UTF-16",
        family: Family::Empty,
        inputs: "an empty text",
        theirs: "writes a mark",
        ours: "writes nothing",
        why: "empty input has empty output, as with glibc and ICU",
        examples: &[both(b"", b"\xFF\xFE", b"")],
        ..ROW
    },
    Row {
        peer: Peer::Cpython,
        charset: "UTF-32",
        family: Family::Empty,
        inputs: "an empty text",
        theirs: "writes a mark",
        ours: "writes nothing",
        why: "empty input has empty output, as with glibc and ICU",
        examples: &[both(b"", b"\xFF\xFE\0\0", b"")],
        ..ROW
    },
    Row {
        charset: "UCS-2",
        rule: Rule::SameAs("UTF-16", "UTF-8"),
        inputs: "every text",
        theirs: "takes UCS-2 for another name of UTF-16, and writes a mark and surrogate pairs",
        ours: "writes 16-bit units without a mark, and refuses characters above U+FFFF",
        why: "UCS-2 has no surrogates (ISO/IEC 10646); no mark, as with glibc and libiconv",
        examples: &[
            both(b"A", b"\xFF\xFEA\0", b"A\0"),
            refused("\u{10000}".as_bytes(), b"\xFF\xFE\0\xD8\0\xDC"),
        ],
        ..ROW
    },
    Row {
        charset: "UCS-4",
        rule: Rule::SameAs("UTF-32", "UTF-8"),
        inputs: "every text",
        theirs: "takes UCS-4 for another name of UTF-32, and writes a mark and little-endian units",
        ours: "writes big-endian units without a mark",
        why: "so do glibc and libiconv; the registered ISO-10646-UCS-4 is in network byte order",
        examples: &[both(b"A", b"\xFF\xFE\0\0A\0\0\0", b"\0\0\0A")],
        ..ROW
    },
    Row {
        charset: "US-ASCII",
        family: Family::Ignorable,
        rule: Rule::Skips,
        inputs: "characters that a renderer may ignore, such as U+FEFF and U+00AD",
        theirs: "drops them, even where it is told to stop",
        ours: "refuses them",
        why: "what cannot be expressed is a fault, whatever a renderer makes of it",
        examples: &[refused("a\u{FEFF}b".as_bytes(), b"ab"), refused("a\u{AD}b".as_bytes(), b"ab")],
        ..ROW
    },
    Row {
        charset: "ISO-8859-1",
        family: Family::Ignorable,
        rule: Rule::Skips,
        inputs: "characters that a renderer may ignore, such as U+FEFF",
        theirs: "drops them, even where it is told to stop",
        ours: "refuses them",
        why: "what cannot be expressed is a fault, whatever a renderer makes of it",
        examples: &[refused("a\u{FEFF}b".as_bytes(), b"ab")],
        ..ROW
    },
];
