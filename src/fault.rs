//! Faults as values: what is wrong, with which bytes or which character, and at which place.
//!
//! A fault is no error. It is found in the data, a [policy](crate::policy) decides what becomes of
//! it, and only a policy that says stop turns it into an [`Error`](crate::Error).

use std::fmt;

use crate::codec::State;

mod excerpt;
mod why;

pub use excerpt::Excerpt;
pub use why::{Kind, Why};

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
    /// Whether it is the place that has no code for it: the charset might.
    pub misplaced: bool,
    /// Whether error actions are to see U+FFFD in its place.
    pub hidden: bool,
}

impl Unmappable {
    /// A character that the charset lacks.
    pub const fn new(character: char) -> Unmappable {
        Unmappable { character, misplaced: false, hidden: false }
    }

    /// A character that may not stand where it does.
    pub const fn misplaced(character: char) -> Unmappable {
        Unmappable { character, misplaced: true, hidden: false }
    }

    /// A character that must not come back by way of an escape of its number.
    pub const fn hidden(character: char) -> Unmappable {
        Unmappable { character, misplaced: false, hidden: true }
    }

    /// The code point that error actions see.
    pub const fn value(&self) -> u32 {
        if self.hidden { char::REPLACEMENT_CHARACTER as u32 } else { self.character as u32 }
    }
}

/// A fault that was met, and what was done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What was met.
    pub what: What,
    /// What was done about it.
    pub done: Done,
    /// Where it was met, if the [report](crate::pump::Report) wanted to know.
    pub place: Option<Place>,
    /// The first bytes of the offender, if the report wanted its place. Empty for a character.
    pub excerpt: Excerpt,
}

/// What was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Bytes that are no character.
    Malformed {
        /// How many bytes.
        len: usize,
        /// What is wrong with them.
        why: Why,
    },
    /// A character that the target cannot express.
    Unmappable(char),
    /// A character that the target may not have in this place: one beyond ASCII where no header
    /// word may stand.
    Misplaced(char),
}

impl What {
    /// What an encoder has met.
    pub(crate) const fn unmappable(fault: Unmappable) -> What {
        match fault.misplaced {
            true => What::Misplaced(fault.character),
            false => What::Unmappable(fault.character),
        }
    }
}

/// What was done about a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Done {
    /// The run ended there.
    Stopped,
    /// Nothing was written in its place.
    Skipped,
    /// Other text was written in its place: a replacement, or an escape for malformed bytes.
    Replaced,
    /// Its bytes were written unchanged.
    Kept,
    /// An equivalent of the character was written, as the policy says. Not an error.
    Transliterated,
    /// The character was written as an escape, as the policy says. Not an error.
    Escaped,
}

impl Done {
    /// Whether what was met counts as an error: the input was malformed, or a character was lost.
    pub const fn is_error(self) -> bool {
        !matches!(self, Done::Transliterated | Done::Escaped)
    }
}

/// Where in its file something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Bytes before it.
    pub offset: u64,
    /// Its line, counted from 1; lines end with U+000A.
    pub line: u64,
    /// Its column, counted from 1 in characters; an ill-formed sequence counts as one. In header
    /// words, where a line end may be no text, lines are those of the file, and columns its bytes.
    pub column: u64,
}

impl Fault {
    /// The family of this fault.
    pub const fn kind(&self) -> Kind {
        match self.what {
            What::Malformed { why, .. } => why.kind(),
            What::Unmappable(_) | What::Misplaced(_) => Kind::Unencodable,
        }
    }

    /// The fault in words, for a conversion between the charsets of these names.
    pub fn describe<'a>(&'a self, from: &'a str, to: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| match self.what {
            What::Unmappable(character) => {
                write!(f, "U+{:04X} is not in {to}", u32::from(character))
            }
            What::Misplaced(character) => {
                write!(f, "U+{:04X} may not stand here in {to}", u32::from(character))
            }
            What::Malformed {
                why: why @ (Why::Beyond(value) | Why::SurrogateValue(value)),
                ..
            } => {
                write!(f, "U+{value:04X} is not in {to} ({why})")
            }
            What::Malformed { len: 0, why: Why::Truncated } => {
                write!(f, "this is cut short: the input ends too early")
            }
            What::Malformed { why: Why::Truncated, .. } => {
                write!(f, "{} is cut short: the input ends inside a character", self.excerpt)
            }
            What::Malformed { len: 0, why } => write!(f, "this is not {from} ({why})"),
            What::Malformed { why, .. } => write!(f, "{} is not {from} ({why})", self.excerpt),
        })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: byte {}", self.line, self.column, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_described_whether_or_not_it_has_bytes() {
        for (bytes, why, described) in [
            (&b"\xE9"[..], Why::Stray, "E9 is not A (no character begins so)"),
            (b"", Why::Unclosed, "this is not A ('-' expected)"),
            (b"\xE9", Why::Truncated, "E9 is cut short: the input ends inside a character"),
            (b"", Why::Truncated, "this is cut short: the input ends too early"),
            (b"\xFF", Why::Beyond(0x11_0000), "U+110000 is not in B (above U+10FFFF)"),
            (b"\xFF", Why::SurrogateValue(0xDC00), "U+DC00 is not in B (surrogate)"),
        ] {
            let what = What::Malformed { len: bytes.len(), why };
            let excerpt = Excerpt::of(bytes);
            let fault = Fault { what, done: Done::Skipped, place: None, excerpt };
            assert_eq!(fault.describe("A", "B").to_string(), described);
        }
    }
}
