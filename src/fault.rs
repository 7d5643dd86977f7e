//! Faults as values: what is wrong, with which bytes or which character, and at which place.
//!
//! A fault is no error. It is found in the data, a [policy](crate::policy) decides what becomes of
//! it, and only a policy that says stop turns it into an [`Error`](crate::Error).

use std::fmt;

use crate::codec::State;

/// Bytes that are no character of the charset, and how to go on behind them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// Bytes of the offender, counted from where the call stopped reading. Nought where something
    /// is missing rather than wrong.
    pub len: usize,
    /// What is wrong with them.
    pub why: Why,
    /// Bytes to step over to go on. Less than `len` where the last byte carries bits of the next
    /// character as well, as in UTF-7.
    pub next: usize,
    /// The state in which to go on.
    pub then: State,
}

impl Malformed {
    /// An offender of `len` bytes, behind which decoding goes on in the state `then`.
    pub const fn new(len: usize, why: Why, then: State) -> Malformed {
        Malformed { len, why, next: len, then }
    }

    /// The same, going on `next` bytes after the offender's first byte.
    pub const fn stepping(self, next: usize) -> Malformed {
        Malformed { next, ..self }
    }
}

/// A character that the target charset has no code for. The encoder goes on behind it in the
/// state it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmappable {
    /// The character.
    pub character: char,
}

/// What is wrong with a [`Malformed`] sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The input ends inside a character or a shift sequence.
    Truncated,
    /// A lead byte without the continuation that it calls for.
    Continuation,
    /// A byte that begins no character.
    Stray,
    /// A form longer than the shortest one.
    Overlong,
    /// The code of a surrogate where only scalar values may stand.
    Surrogate,
    /// Half of a surrogate pair.
    Unpaired,
    /// A value above the highest of the charset (U+10FFFF or 7FFFFFFF).
    OutOfRange,
    /// A position of the charset that holds no character.
    Unassigned,
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
    /// A 31-bit value above U+10FFFF: a character of the source that no Unicode charset has.
    Beyond(u32),
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
            Why::Beyond(_) => Kind::Unencodable,
            _ => Kind::IllFormed,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Why::Truncated => "the input ends inside it",
            Why::Continuation => "continuation byte expected",
            Why::Stray => "no character begins so",
            Why::Overlong => "overlong form",
            Why::Surrogate => "surrogate",
            Why::Unpaired => "unpaired surrogate",
            Why::OutOfRange => "value too high",
            Why::Unassigned => "unassigned",
            Why::Shift => "nothing to shift follows",
            Why::Padding => "padding bits are not zero",
            Why::Leftover => "bits left that make no character",
            Why::Unclosed => "'-' expected",
            Why::NullShift => "run directly behind a run",
            Why::Needless => "must not be in base64",
            Why::Beyond(_) => "above U+10FFFF",
        })
    }
}
