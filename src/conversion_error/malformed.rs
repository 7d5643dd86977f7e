//! What can be wrong with bytes.

use std::fmt;

/// What is wrong with a [`Malformed`](super::Malformed) sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedReason {
    /// The input ends inside a character or a shift sequence.
    Truncated,
    /// A lead byte without the continuation that it calls for.
    MissingTrailByte,
    /// A byte that begins no character.
    InvalidLeadByte,
    /// A code of the right shape that no character has.
    Unassigned,
    /// A shift sequence that the encoding does not have.
    UnknownEscapeSequence,
    /// A shift sequence directly after another one.
    ConsecutiveEscapes,
    /// A form longer than the shortest one.
    Overlong,
    /// The code of a surrogate where only scalar values may stand.
    Surrogate,
    /// Half of a surrogate pair.
    UnpairedSurrogate,
    /// A value above the highest of the encoding (U+10FFFF or 7FFFFFFF).
    OutOfRange,
    /// A shift character that nothing follows which could be shifted.
    EmptyShift,
    /// Bits left at the end of a base64 run that are not zero.
    NonZeroPadding,
    /// Bytes left at the end of a base64 run that make no whole 16-bit unit.
    IncompleteCodeUnit,
    /// A base64 run without the `-` that must close it.
    MissingShiftOut,
    /// A base64 run directly after another one.
    NullShift,
    /// A character in base64 that must stand for itself.
    EncodedAscii,
    /// A control character, or a separator of lines, that comes out of an encoded-word.
    ControlInEncodedWord,
    /// An encoded-word that ends inside a character.
    SplitCharacter,
    /// An encoded-word whose text is not base64.
    InvalidBase64,
    /// An encoded-word in Q with a `=` that two hexadecimal digits do not follow.
    InvalidQEncoding,
    /// An encoded-word whose bytes are not of the encoding that it names.
    InvalidForCharset,
    /// A 31-bit value above U+10FFFF: a character of the source that no Unicode encoding has.
    AboveUnicode(u32),
    /// The code of a surrogate as a value of its own, which UCS-4 can hold and no other encoding.
    SurrogateCodePoint(u32),
}

/// The three families of errors, told apart in messages and by policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The bytes are not of the source encoding.
    Malformed,
    /// The input ends too early.
    Truncated,
    /// The target encoding cannot express the character.
    Unmappable,
}

impl MalformedReason {
    /// The family of this reason.
    pub const fn class(self) -> ErrorClass {
        match self {
            MalformedReason::Truncated => ErrorClass::Truncated,
            MalformedReason::AboveUnicode(_) | MalformedReason::SurrogateCodePoint(_) => {
                ErrorClass::Unmappable
            }
            _ => ErrorClass::Malformed,
        }
    }

    /// Bytes after an offender that show what is wrong with it, though they are not part of it:
    /// the one that should have gone on.
    pub(crate) fn context_len(self, sequence: &[u8]) -> usize {
        match (self, sequence) {
            (MalformedReason::MissingTrailByte, _) => 1,
            // Leads of UTF-8 that are good by themselves: E0 is overlong only before 80 to 9F.
            (
                MalformedReason::Overlong
                | MalformedReason::Surrogate
                | MalformedReason::OutOfRange,
                [0xC2..=0xF4],
            ) => 1,
            _ => 0,
        }
    }
}

impl fmt::Display for MalformedReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MalformedReason::Truncated => "the input ends inside it",
            MalformedReason::MissingTrailByte => "continuation byte expected",
            MalformedReason::InvalidLeadByte => "no character begins so",
            MalformedReason::Unassigned => "no character has this code",
            MalformedReason::UnknownEscapeSequence => "unknown shift sequence",
            MalformedReason::ConsecutiveEscapes => "shift sequence directly behind another",
            MalformedReason::Overlong => "overlong form",
            MalformedReason::Surrogate | MalformedReason::SurrogateCodePoint(_) => "surrogate",
            MalformedReason::UnpairedSurrogate => "unpaired surrogate",
            MalformedReason::OutOfRange => "value too high",
            MalformedReason::EmptyShift => "nothing to shift follows",
            MalformedReason::NonZeroPadding => "padding bits are not zero",
            MalformedReason::IncompleteCodeUnit => "bits left that make no character",
            MalformedReason::MissingShiftOut => "'-' expected",
            MalformedReason::NullShift => "run directly behind a run",
            MalformedReason::EncodedAscii => "must not be in base64",
            MalformedReason::ControlInEncodedWord => "control character in a word",
            MalformedReason::SplitCharacter => "the word ends inside a character",
            MalformedReason::InvalidBase64 => "a word that is not base64",
            MalformedReason::InvalidQEncoding => "a word with '=' but no two digits",
            MalformedReason::InvalidForCharset => "a word that is not of its encoding",
            MalformedReason::AboveUnicode(_) => "above U+10FFFF",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn context_includes_the_byte_that_shows_the_error() {
        for (sequence, reason, context_len) in [
            (&b"\xE9"[..], MalformedReason::MissingTrailByte, 1),
            (b"\xF0\x9F", MalformedReason::MissingTrailByte, 1),
            (b"\xE0", MalformedReason::Overlong, 1),
            (b"\xED", MalformedReason::Surrogate, 1),
            (b"\xF4", MalformedReason::OutOfRange, 1),
            (b"\xC0", MalformedReason::Overlong, 0),
            (b"\xF5", MalformedReason::OutOfRange, 0),
            (b"\xD8\x00", MalformedReason::Surrogate, 0),
            (b"G", MalformedReason::Overlong, 0),
            (b"\xFF", MalformedReason::InvalidLeadByte, 0),
        ] {
            assert_eq!(reason.context_len(sequence), context_len, "{sequence:02X?} {reason:?}");
        }
    }
}
