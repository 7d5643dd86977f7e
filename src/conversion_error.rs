//! Errors as values: what is wrong, with which bytes or which character, and at which position.
//!
//! An error is no error. It is found in the data, a [policy](crate::policy) decides what becomes of
//! it, and only a policy that says stop turns it into an [`Error`](crate::Error).

use std::fmt;

use crate::codec::State;

mod excerpt;
mod malformed;

pub use excerpt::Excerpt;
pub use malformed::{ErrorClass, MalformedReason};

/// Bytes that are no character of the encoding, and how to go on after them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// Bytes of the offender, counted from where the call stopped reading. Zero where something
    /// is missing rather than wrong.
    pub len: usize,
    /// What is wrong with them.
    pub reason: MalformedReason,
    /// Bytes to step over to go on. Less than `len` where the last byte carries bits of the next
    /// character as well, as in UTF-7.
    pub resume_len: usize,
    /// The state in which to go on.
    pub resume_state: State,
}

impl Malformed {
    /// An offender of `len` bytes, after which decoding goes on in the state `then`.
    pub const fn new(len: usize, reason: MalformedReason, then: State) -> Malformed {
        Malformed { len, reason: reason, resume_len: len, resume_state: then }
    }

    /// The same, going on `next` bytes after the offender's first byte.
    pub const fn with_resume_len(self, next: usize) -> Malformed {
        Malformed { resume_len: next, ..self }
    }
}

/// A character that the target encoding has no code for. The encoder goes on after it in the
/// state it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unmappable {
    /// The character.
    pub character: char,
    /// Whether it is the position that has no code for it: the encoding might.
    pub not_allowed_here: bool,
    /// Whether error actions are to see U+FFFD in its position.
    pub is_escape_forbidden: bool,
}

impl Unmappable {
    /// A character that the encoding lacks.
    pub const fn new(character: char) -> Unmappable {
        Unmappable { character, not_allowed_here: false, is_escape_forbidden: false }
    }

    /// A character that may not stand where it does.
    pub const fn not_allowed_here(character: char) -> Unmappable {
        Unmappable { character, not_allowed_here: true, is_escape_forbidden: false }
    }

    /// A character that must not come back by way of an escape of its number.
    pub const fn without_escape(character: char) -> Unmappable {
        Unmappable { character, not_allowed_here: false, is_escape_forbidden: true }
    }

    /// The code point that error actions see.
    pub const fn code_point(&self) -> u32 {
        if self.is_escape_forbidden {
            char::REPLACEMENT_CHARACTER as u32
        } else {
            self.character as u32
        }
    }
}

/// An error that was met, and what was done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorEvent {
    /// What was met.
    pub kind: ErrorKind,
    /// What was done about it.
    pub action_taken: ActionTaken,
    /// Where it was met, if the [report](crate::transcoder::Report) wanted to know.
    pub position: Option<Position>,
    /// The first bytes of the offender, if the report wanted its position. Empty for a character.
    pub excerpt: Excerpt,
}

/// What was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// Bytes that are no character.
    Malformed {
        /// How many bytes.
        len: usize,
        /// What is wrong with them.
        reason: MalformedReason,
    },
    /// A character that the target cannot express.
    Unmappable(char),
    /// A character that the target may not have in this position: one beyond ASCII where no header
    /// word may stand.
    NotAllowedHere(char),
}

impl ErrorKind {
    /// What an encoder has met.
    pub(crate) const fn from_unmappable(error: Unmappable) -> ErrorKind {
        match error.not_allowed_here {
            true => ErrorKind::NotAllowedHere(error.character),
            false => ErrorKind::Unmappable(error.character),
        }
    }
}

/// What was done about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionTaken {
    /// The run ended there.
    Stopped,
    /// Nothing was written in its position.
    Skipped,
    /// Other text was written in its position: a replacement, or an escape for malformed bytes.
    Replaced,
    /// Its bytes were written unchanged.
    PassedThrough,
    /// An equivalent of the character was written, as the policy says. Not an error.
    Transliterated,
    /// The character was written as an escape, as the policy says. Not an error.
    Escaped,
}

impl ActionTaken {
    /// Whether what was met counts as an error: the input was malformed, or a character was lost.
    pub const fn is_error(self) -> bool {
        !matches!(self, ActionTaken::Transliterated | ActionTaken::Escaped)
    }
}

/// Where in its file something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes before it.
    pub offset: u64,
    /// Its line, counted from 1; lines end with U+000A.
    pub line: u64,
    /// Its column, counted from 1 in characters; an ill-formed sequence counts as one. In header
    /// words, where a line end may be no text, lines are those of the file, and columns its bytes.
    pub column: u64,
}

impl ErrorEvent {
    /// The family of this error.
    pub const fn class(&self) -> ErrorClass {
        match self.kind {
            ErrorKind::Malformed { reason, .. } => reason.class(),
            ErrorKind::Unmappable(_) | ErrorKind::NotAllowedHere(_) => ErrorClass::Unmappable,
        }
    }

    /// The error in words, for a conversion between the encodings of these names.
    pub fn display<'a>(&'a self, from: &'a str, to: &'a str) -> impl fmt::Display + 'a {
        fmt::from_fn(move |f| match self.kind {
            ErrorKind::Unmappable(character) => {
                write!(f, "U+{:04X} is not in {to}", u32::from(character))
            }
            ErrorKind::NotAllowedHere(character) => {
                write!(f, "U+{:04X} may not stand here in {to}", u32::from(character))
            }
            ErrorKind::Malformed {
                reason:
                    why @ (MalformedReason::AboveUnicode(value)
                    | MalformedReason::SurrogateCodePoint(value)),
                ..
            } => {
                write!(f, "U+{value:04X} is not in {to} ({why})")
            }
            ErrorKind::Malformed { len: 0, reason: MalformedReason::Truncated } => {
                write!(f, "this is cut short: the input ends too early")
            }
            ErrorKind::Malformed { reason: MalformedReason::Truncated, .. } => {
                write!(f, "{} is cut short: the input ends inside a character", self.excerpt)
            }
            ErrorKind::Malformed { len: 0, reason: why } => write!(f, "this is not {from} ({why})"),
            ErrorKind::Malformed { reason: why, .. } => {
                write!(f, "{} is not {from} ({why})", self.excerpt)
            }
        })
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: byte {}", self.line, self.column, self.offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_with_and_without_bytes() {
        for (bytes, reason, described) in [
            (
                &b"\xE9"[..],
                MalformedReason::InvalidLeadByte,
                "E9 is not A (no character begins so)",
            ),
            (b"", MalformedReason::MissingShiftOut, "this is not A ('-' expected)"),
            (
                b"\xE9",
                MalformedReason::Truncated,
                "E9 is cut short: the input ends inside a character",
            ),
            (b"", MalformedReason::Truncated, "this is cut short: the input ends too early"),
            (
                b"\xFF",
                MalformedReason::AboveUnicode(0x11_0000),
                "U+110000 is not in B (above U+10FFFF)",
            ),
            (
                b"\xFF",
                MalformedReason::SurrogateCodePoint(0xDC00),
                "U+DC00 is not in B (surrogate)",
            ),
        ] {
            let kind = ErrorKind::Malformed { len: bytes.len(), reason };
            let excerpt = Excerpt::hex(bytes);
            let error = ErrorEvent {
                kind: kind,
                action_taken: ActionTaken::Skipped,
                position: None,
                excerpt,
            };
            assert_eq!(error.display("A", "B").to_string(), described);
        }
    }
}
