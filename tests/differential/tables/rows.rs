//! Where charpipe's tables and the C library's differ, and why.

use super::cells::{CellDifference, CellResult};
use crate::known_differences::{DifferenceExample, Direction, accepted, both, refused};

/// A disagreement that is known.
#[derive(Debug)]
pub struct KnownTableDifference {
    /// The encodings; none means any.
    pub encodings: &'static [&'static str],
    pub direction: Direction,
    /// Describes the codes or characters.
    pub applies_to: fn(&CellDifference) -> bool,
    /// Their number, in all encodings together, among those that are tested.
    pub count: usize,
    /// The inputs in words.
    pub inputs: &'static str,
    /// The result of the C library.
    pub theirs: &'static str,
    /// The result of charpipe.
    pub ours: &'static str,
    /// Why charpipe does it so.
    pub reason: &'static str,
    /// Inputs that show it, in the first of the encodings; ISO-8859-2 represents any.
    pub examples: &'static [DifferenceExample],
}

impl KnownTableDifference {
    /// The encodings in words.
    pub fn names(&self) -> String {
        if self.encodings.is_empty() {
            "any encoding".to_owned()
        } else {
            self.encodings.join(", ")
        }
    }
}

const ISO_2022: &[&str] = &[
    "ISO-2022-JP",
    "ISO-2022-JP-2",
    "ISO-2022-JP-3",
    "ISO-2022-KR",
    "ISO-2022-CN",
    "ISO-2022-CN-EXT",
];

const SHIFTED: &[&str] = &["ISO-2022-KR", "ISO-2022-CN", "ISO-2022-CN-EXT"];

const EBCDIC: &[&str] = &[
    "IBM930", "IBM933", "IBM935", "IBM937", "IBM939", "IBM1364", "IBM1371", "IBM1388", "IBM1390",
    "IBM1399",
];

fn only_theirs(difference: &CellDifference) -> bool {
    matches!(difference.theirs, CellResult::Decodes(_))
        && !matches!(difference.ours, CellResult::Decodes(_))
}

fn only_ours(difference: &CellDifference) -> bool {
    matches!(difference.ours, CellResult::Decodes(_))
        && !matches!(difference.theirs, CellResult::Decodes(_))
}

/// Whether the C library gives these bytes and charpipe nothing.
fn replaced(difference: &CellDifference, by: &[u8]) -> bool {
    only_theirs(difference) && difference.theirs == CellResult::Decodes(by.to_vec())
}

fn is_tag(difference: &CellDifference) -> bool {
    let text = str::from_utf8(&difference.input).unwrap_or("");
    text.starts_with(|first| ('\u{E0000}'..='\u{E007F}').contains(&first))
        && only_theirs(difference)
}

fn is_control(difference: &CellDifference) -> bool {
    matches!(difference.input[..], [0x0E | 0x0F | 0x1B]) && only_theirs(difference)
}

/// Whether the C library gives ESC as a character.
fn is_passed_escape(difference: &CellDifference) -> bool {
    matches!(&difference.theirs, CellResult::Decodes(text) if text.contains(&0x1B))
        && only_theirs(difference)
}

fn is_single_shift(difference: &CellDifference) -> bool {
    let shifts = [&b"\x1BN"[..], b"\x1BO"];
    let at = difference.input.len().saturating_sub(4);
    only_theirs(difference) && shifts.iter().any(|shift| difference.input[at..].starts_with(shift))
}

/// Whether the last byte is a control, the space or DEL.
fn is_not_graphic(difference: &CellDifference) -> bool {
    only_ours(difference) && matches!(difference.input[..], [.., 0x00..=0x20 | 0x7F])
}

fn is_high(difference: &CellDifference) -> bool {
    only_theirs(difference) && difference.input.last() >= Some(&0x80)
}

fn is_shifted_in(difference: &CellDifference) -> bool {
    match (&difference.theirs, &difference.ours) {
        (CellResult::Decodes(theirs), CellResult::Decodes(ours)) => {
            theirs.strip_suffix(b"\x0F") == Some(ours)
        }
        _ => false,
    }
}

pub static TABLE_DIFFERENCES: &[KnownTableDifference] = &[
    KnownTableDifference {
        encodings: &[],
        direction: Direction::Encode,
        applies_to: is_tag,
        count: 33_280,
        inputs: "U+E0000 to U+E007F, the tag characters",
        theirs: "drops them, even with the action to stop; IBM1390, IBM1399 and ISO-2022-JP refuse them",
        ours: "refuses them",
        reason: "an unmappable character is an error; flags of emoji are spelled with these characters",
        examples: &[refused(b"\xF3\xA0\x81\xA7", b"")],
    },
    KnownTableDifference {
        encodings: EBCDIC,
        direction: Direction::Encode,
        applies_to: |difference| replaced(difference, b"\x3F"),
        count: 633,
        inputs: "characters of its tables without a code, as well as SO and SI",
        theirs: "writes SUB (3F), even with the action to stop",
        ours: "refuses them",
        reason: "a substitute loses text in silence; SO and SI would be read as shifts",
        examples: &[refused(b"\x0E", b"\x3F"), refused(b"\xC2\xA0", b"\x3F")],
    },
    KnownTableDifference {
        encodings: &["IBM932", "IBM943"],
        direction: Direction::Encode,
        applies_to: |difference| replaced(difference, b"\x7F"),
        count: 233,
        inputs: "characters of its tables without a code",
        theirs: "writes 7F, the substitute of these code pages, even with the action to stop",
        ours: "refuses them",
        reason: "a substitute loses text in silence",
        examples: &[refused(b"\xC2\x80", b"\x7F")],
    },
    KnownTableDifference {
        encodings: &["CP936"],
        direction: Direction::Decode,
        applies_to: only_ours,
        count: 1414,
        inputs: "cells for private use, mostly",
        theirs: "reads the label as GBK, which does not have them",
        ours: "has them",
        reason: "CP936 is the code page of Windows, as in libiconv; for the other there is GBK",
        examples: &[accepted(b"\xA1\x40", b"\xEE\x93\x86")],
    },
    KnownTableDifference {
        encodings: &["CP936"],
        direction: Direction::Encode,
        applies_to: only_ours,
        count: 1414,
        inputs: "the same characters",
        theirs: "reads the label as GBK, which does not have them",
        ours: "has them",
        reason: "as above",
        examples: &[accepted(b"\xEE\x80\x80", b"\xAA\xA1")],
    },
    KnownTableDifference {
        encodings: &["CP950"],
        direction: Direction::Decode,
        applies_to: |difference| only_ours(difference) || only_theirs(difference),
        count: 6218,
        inputs: "cells for private use, and the extensions of ETEN",
        theirs: "takes the name for BIG5, which has the extensions",
        ours: "has the private use",
        reason: "CP950 is the code page of Windows, as in libiconv; for the other there is BIG5",
        examples: &[accepted(b"\x81\x40", b"\xEE\xBA\xB8"), refused(b"\xC6\xA1", b"\xEF\x9A\xB1")],
    },
    KnownTableDifference {
        encodings: &["CP950"],
        direction: Direction::Encode,
        applies_to: |difference| only_ours(difference) || only_theirs(difference),
        count: 6219,
        inputs: "the same characters",
        theirs: "takes the name for BIG5",
        ours: "has those of the code page",
        reason: "as above",
        examples: &[accepted(b"\xC2\xA5", b"\xA2\x44"), refused(b"\xEF\x9A\xB1", b"\xC6\xA1")],
    },
    KnownTableDifference {
        encodings: ISO_2022,
        direction: Direction::Encode,
        applies_to: is_control,
        count: 12,
        inputs: "ESC, and where they are shifts SO and SI",
        theirs: "writes them unchanged",
        ours: "refuses them",
        reason: "a decoder would take them, with what follows, for shifts",
        examples: &[refused(b"\x1B", b"\x1B")],
    },
    KnownTableDifference {
        encodings: ISO_2022,
        direction: Direction::Decode,
        applies_to: is_passed_escape,
        count: 6446,
        inputs: "escape sequences that the encoding does not have",
        theirs: "gives ESC as a character, and reads what follows in the set that was last in use",
        ours: "refuses them",
        reason: "what follows is in an unknown set",
        examples: &[refused(b"\x1B(A", b"\x1B(A")],
    },
    KnownTableDifference {
        encodings: &["ISO-2022-JP-2"],
        direction: Direction::Decode,
        applies_to: is_high,
        count: 128,
        inputs: "a byte from 80 up after a single shift",
        theirs: "gives the character of that byte in ISO-8859-1 or ISO-8859-7",
        ours: "refuses it",
        reason: "the encoding has bytes of seven bits (RFC 1554)",
        examples: &[refused(b"\x1B.A\x1BN\x80", b"\xC2\x80")],
    },
    KnownTableDifference {
        encodings: &["ISO-2022-CN", "ISO-2022-CN-EXT"],
        direction: Direction::Decode,
        applies_to: is_single_shift,
        count: 15_300,
        inputs: "a single shift without a designation",
        theirs: "reads plane 2 of CNS 11643",
        ours: "refuses it",
        reason: "RFC 1922: the designation has to be on the same line, before the shift",
        examples: &[refused(b"\x1BN!!", b"\xE4\xB9\x82")],
    },
    KnownTableDifference {
        encodings: &["ISO-2022-CN"],
        direction: Direction::Decode,
        applies_to: |difference| replaced(difference, b""),
        count: 1,
        inputs: "SO without a designation, at the end of the input",
        theirs: "drops it",
        ours: "refuses it",
        reason: "RFC 1922: the designation has to be on the same line, before the shift",
        examples: &[refused(b"\x0E", b"")],
    },
    KnownTableDifference {
        encodings: SHIFTED,
        direction: Direction::Decode,
        applies_to: is_not_graphic,
        count: 187,
        inputs: "controls, the space and DEL between SO and SI; in ISO-2022-CN also DEL anywhere",
        theirs: "refuses them",
        ours: "returns them unchanged",
        reason: "SO changes the graphic characters only (ISO/IEC 2022)",
        examples: &[accepted(b"\x1B$)C\x0E\x07", b"\x07"), accepted(b"\x1B$)C\x0E\x20", b"\x20")],
    },
    KnownTableDifference {
        encodings: &["ISO-2022-CN", "ISO-2022-CN-EXT"],
        direction: Direction::Encode,
        applies_to: is_shifted_in,
        count: 47_785,
        inputs: "characters after a single shift",
        theirs: "writes SI after them",
        ours: "writes none",
        reason: "a single shift holds for one character, and nothing is shifted out",
        examples: &[both(b"\xE4\xB9\x82", b"\x1B$*H\x1BN!!\x0F", b"\x1B$*H\x1BN!!")],
    },
];
