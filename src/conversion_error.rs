//! Errors as values: what is wrong, with which bytes or which character, and at which position.
//!
//! An error is no error. It is found in the data, a [policy](crate::policy) decides what becomes of
//! it, and only a policy that says stop turns it into an [`Error`](crate::Error).

use std::fmt;

use crate::codec::State;

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

// What can be wrong with bytes.

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

// The bytes of an offender, as a message shows them.

/// The first bytes of an offender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Excerpt {
    bytes: [u8; Excerpt::MAX_LEN],
    len: u8,
    is_truncated: bool,
    /// Whether a reader knows the bytes by their characters, as in header words.
    is_ascii: bool,
}

impl Excerpt {
    /// Bytes shown at the most.
    pub const MAX_LEN: usize = 24;

    /// Bytes shown at the most in hexadecimal digits.
    const MAX_HEX_LEN: usize = 8;

    /// The first bytes of these, to be shown in hexadecimal digits.
    pub fn hex(all: &[u8]) -> Excerpt {
        Excerpt::truncated(all, Self::MAX_HEX_LEN, false)
    }

    /// The first bytes of these, to be shown as characters of ASCII.
    pub fn ascii(all: &[u8]) -> Excerpt {
        Excerpt::truncated(all, Self::MAX_LEN, true)
    }

    fn truncated(all: &[u8], max: usize, text: bool) -> Excerpt {
        let len = all.len().min(max);
        let mut bytes = [0; Self::MAX_LEN];
        bytes[..len].copy_from_slice(&all[..len]);
        Excerpt { bytes, len: len as u8, is_truncated: all.len() > len, is_ascii: text }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_ascii {
            let more = if self.is_truncated { " …" } else { "" };
            return write!(f, "\"{}\"{more}", self.bytes().escape_ascii());
        }
        for (index, byte) in self.bytes().iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{byte:02X}")?;
        }
        f.write_str(if self.is_truncated { " …" } else { "" })
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

    #[test]
    fn long_excerpts_end_with_an_ellipsis() {
        assert_eq!(Excerpt::hex(b"\x01\xFF").to_string(), "01 FF");
        assert_eq!(Excerpt::hex(b"12345678").to_string(), "31 32 33 34 35 36 37 38");
        assert_eq!(Excerpt::hex(b"123456789").to_string(), "31 32 33 34 35 36 37 38 …");
        assert_eq!(Excerpt::ascii(b"=E9\xFF\x1B").to_string(), r#""=E9\xff\x1b""#);
        assert_eq!(Excerpt::ascii(&[b'a'; 25]).to_string(), format!("\"{}\" …", "a".repeat(24)));
    }
}
