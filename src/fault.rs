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
    /// Whether it is the place that has no code for it: the charset might.
    pub misplaced: bool,
}

impl Unmappable {
    /// A character that the charset lacks.
    pub const fn new(character: char) -> Unmappable {
        Unmappable { character, misplaced: false }
    }

    /// A character that may not stand where it does.
    pub const fn misplaced(character: char) -> Unmappable {
        Unmappable { character, misplaced: true }
    }
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
    /// Other text was written in its place.
    Replaced,
    /// It was written as it stands.
    Kept,
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

/// The first bytes of an offender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Excerpt {
    bytes: [u8; Excerpt::LONGEST],
    len: u8,
    more: bool,
    /// Whether a reader knows the bytes by their characters, as in header words.
    text: bool,
}

impl Excerpt {
    /// Bytes shown at the most.
    pub const LONGEST: usize = 24;

    /// Bytes shown at the most in hexadecimal digits.
    const HEX: usize = 8;

    /// The first bytes of these, to be shown in hexadecimal digits.
    pub fn of(all: &[u8]) -> Excerpt {
        Excerpt::front(all, Self::HEX, false)
    }

    /// The first bytes of these, to be shown as characters of ASCII.
    pub fn of_text(all: &[u8]) -> Excerpt {
        Excerpt::front(all, Self::LONGEST, true)
    }

    fn front(all: &[u8], most: usize, text: bool) -> Excerpt {
        let len = all.len().min(most);
        let mut bytes = [0; Self::LONGEST];
        bytes[..len].copy_from_slice(&all[..len]);
        Excerpt { bytes, len: len as u8, more: all.len() > len, text }
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text {
            let more = if self.more { " …" } else { "" };
            return write!(f, "\"{}\"{more}", self.bytes().escape_ascii());
        }
        for (index, byte) in self.bytes().iter().enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{byte:02X}")?;
        }
        f.write_str(if self.more { " …" } else { "" })
    }
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

    #[test]
    fn an_excerpt_says_where_it_leaves_something_out() {
        assert_eq!(Excerpt::of(b"\x01\xFF").to_string(), "01 FF");
        assert_eq!(Excerpt::of(b"12345678").to_string(), "31 32 33 34 35 36 37 38");
        assert_eq!(Excerpt::of(b"123456789").to_string(), "31 32 33 34 35 36 37 38 …");
        assert_eq!(Excerpt::of_text(b"=E9\xFF\x1B").to_string(), r#""=E9\xff\x1b""#);
        assert_eq!(Excerpt::of_text(&[b'a'; 25]).to_string(), format!("\"{}\" …", "a".repeat(24)));
    }

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
