//! What can be wrong with bytes.

use std::fmt;

/// What is wrong with a [`Malformed`](super::Malformed) sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The input ends inside a character or a shift sequence.
    Truncated,
    /// A lead byte without the continuation that it calls for.
    Continuation,
    /// A byte that begins no character.
    Stray,
    /// A code of the right shape that no character has.
    Unassigned,
    /// A shift sequence that the charset does not have.
    Escape,
    /// A shift sequence directly behind another one.
    Doubled,
    /// A form longer than the shortest one.
    Overlong,
    /// The code of a surrogate where only scalar values may stand.
    Surrogate,
    /// Half of a surrogate pair.
    Unpaired,
    /// A value above the highest of the charset (U+10FFFF or 7FFFFFFF).
    OutOfRange,
    /// A shift character that nothing follows which could be shifted.
    Shift,
    /// Bits left at the end of a base64 run that are not zero.
    Padding,
    /// Octets left at the end of a base64 run that make no whole 16-bit unit.
    Leftover,
    /// A base64 run without the `-` that must close it.
    Unclosed,
    /// A base64 run directly behind another one.
    NullShift,
    /// A character in base64 that must stand for itself.
    Needless,
    /// A control character, or a separator of lines, that comes out of an encoded-word.
    Control,
    /// An encoded-word that ends inside a character.
    CutByWord,
    /// An encoded-word whose text is not base64.
    NotBase64,
    /// An encoded-word in Q with a `=` that two hexadecimal digits do not follow.
    NotQ,
    /// An encoded-word whose octets are not of the charset that it names.
    NotOfCharset,
    /// A 31-bit value above U+10FFFF: a character of the source that no Unicode charset has.
    Beyond(u32),
    /// The code of a surrogate as a value of its own, which UCS-4 can hold and no other charset.
    SurrogateValue(u32),
}

/// The three families of faults, told apart in messages and by policies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The bytes are not of the source charset.
    IllFormed,
    /// The input ends too early.
    Truncated,
    /// The target charset cannot express the character.
    Unencodable,
}

impl Why {
    /// The family of this reason.
    pub const fn kind(self) -> Kind {
        match self {
            Why::Truncated => Kind::Truncated,
            Why::Beyond(_) | Why::SurrogateValue(_) => Kind::Unencodable,
            _ => Kind::IllFormed,
        }
    }

    /// Bytes behind an offender that show what is wrong with it, though they are not part of it:
    /// the one that should have gone on.
    pub(crate) fn telltale(self, offender: &[u8]) -> usize {
        match (self, offender) {
            (Why::Continuation, _) => 1,
            // Leads of UTF-8 that are good by themselves: E0 is overlong only before 80 to 9F.
            (Why::Overlong | Why::Surrogate | Why::OutOfRange, [0xC2..=0xF4]) => 1,
            _ => 0,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Truncated => "the input ends inside it",
            Why::Continuation => "continuation byte expected",
            Why::Stray => "no character begins so",
            Why::Unassigned => "no character has this code",
            Why::Escape => "unknown shift sequence",
            Why::Doubled => "shift sequence directly behind another",
            Why::Overlong => "overlong form",
            Why::Surrogate | Why::SurrogateValue(_) => "surrogate",
            Why::Unpaired => "unpaired surrogate",
            Why::OutOfRange => "value too high",
            Why::Shift => "nothing to shift follows",
            Why::Padding => "padding bits are not zero",
            Why::Leftover => "bits left that make no character",
            Why::Unclosed => "'-' expected",
            Why::NullShift => "run directly behind a run",
            Why::Needless => "must not be in base64",
            Why::Control => "control character in a word",
            Why::CutByWord => "the word ends inside a character",
            Why::NotBase64 => "a word that is not base64",
            Why::NotQ => "a word with '=' but no two digits",
            Why::NotOfCharset => "a word that is not of its charset",
            Why::Beyond(_) => "above U+10FFFF",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_byte_behind_is_shown_where_it_makes_the_offender_wrong() {
        for (offender, why, behind) in [
            (&b"\xE9"[..], Why::Continuation, 1),
            (b"\xF0\x9F", Why::Continuation, 1),
            (b"\xE0", Why::Overlong, 1),
            (b"\xED", Why::Surrogate, 1),
            (b"\xF4", Why::OutOfRange, 1),
            (b"\xC0", Why::Overlong, 0),
            (b"\xF5", Why::OutOfRange, 0),
            (b"\xD8\x00", Why::Surrogate, 0),
            (b"G", Why::Overlong, 0),
            (b"\xFF", Why::Stray, 0),
        ] {
            assert_eq!(why.telltale(offender), behind, "{offender:02X?} {why:?}");
        }
    }
}
