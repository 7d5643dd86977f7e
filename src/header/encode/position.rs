//! Where in the syntax of its field a character stands (RFC 5322, sections 3.2 and 3.4).

use super::sight::{Here, Sight, TOKEN};
use crate::header::field::Field;

/// The rules of the record, and what is open in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    pub field: Field,
    /// Parentheses that are open.
    pub depth: u16,
    pub bracket: Bracket,
    /// Whether a quoted-string is open.
    pub quoted: bool,
    /// Whether an `@` stands before this, but for white space.
    pub after_at: bool,
}

/// The bracket of an address that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bracket {
    None,
    /// `<…>`, around a whole address.
    Angle,
    /// `[…]`, around a domain.
    Square,
}

/// What rules hold at a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// Of an unstructured field, or of a bare value.
    Text,
    /// Of a list of addresses, where a display name may stand.
    Phrase,
    /// Within parentheses.
    Comment,
    /// Within the brackets of an address.
    Address,
    /// Of a field in which no word may stand.
    Verbatim,
}

/// The next piece of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit {
    /// Its bytes.
    pub length: usize,
    pub kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What stands for itself, but for so many bytes before it.
    Content(usize),
    /// A mark that opens or closes a quoted-string.
    Quote,
    /// A line end within a quoted-string.
    Fold,
    /// No piece: the token ends here.
    End,
}

impl Position {
    /// The beginning of a record.
    pub fn new(field: Field) -> Position {
        let bracket = Bracket::None;
        Position { field, depth: 0, bracket, quoted: false, after_at: false }
    }

    pub fn zone(&self) -> Zone {
        match (self.field, self.bracket) {
            (Field::Text, _) => Zone::Text,
            (Field::Verbatim, _) => Zone::Verbatim,
            (Field::Addresses, Bracket::None) if self.depth > 0 => Zone::Comment,
            (Field::Addresses, Bracket::None) => Zone::Phrase,
            (Field::Addresses, _) => Zone::Address,
        }
    }

    /// Whether this character is no part of a token here.
    pub fn is_special(&self, byte: u8) -> bool {
        match self.zone() {
            Zone::Text | Zone::Verbatim => false,
            Zone::Phrase => match byte {
                b'(' | b')' | b'<' | b'>' | b',' | b';' | b':' | b'@' => true,
                b'[' => self.after_at,
                _ => false,
            },
            Zone::Comment => matches!(byte, b'(' | b')'),
            Zone::Address if self.bracket == Bracket::Square => byte == b']',
            Zone::Address => byte == b'>',
        }
    }

    /// The position after a special character.
    pub fn after_special(mut self, byte: u8) -> Position {
        match byte {
            b'(' => self.depth = self.depth.saturating_add(1),
            b')' => self.depth = self.depth.saturating_sub(1),
            b'<' => self.bracket = Bracket::Angle,
            b'[' => self.bracket = Bracket::Square,
            b'>' | b']' => self.bracket = Bracket::None,
            _ => {}
        }
        if !matches!(byte, b'(' | b')') {
            self.after_at = byte == b'@';
        }
        self
    }

    /// The position after a piece of a token.
    pub fn after(mut self, unit: Unit) -> Position {
        self.quoted ^= unit.kind == Kind::Quote;
        self.after_at = false;
        self
    }

    /// The next piece of the token at a position in the text.
    pub fn unit(&self, sight: &Sight<'_>, at: usize) -> Option<Unit> {
        // Nearly all that comes by has no part in the syntax of any field.
        if let Some(length) = sight.bytes().get(at).and_then(|byte| plain_length(*byte)) {
            return Some(content(0, length));
        }
        let end = Unit { length: 0, kind: Kind::End };
        match sight.here(at)? {
            Here::RecordEnd(_) => return Some(end),
            Here::Fold(length) if self.quoted => return Some(Unit { length, kind: Kind::Fold }),
            Here::Blank if self.quoted => return Some(content(0, 1)),
            Here::Fold(_) | Here::Blank => return Some(end),
            Here::Other => {}
        }
        let byte = sight.bytes()[at];
        let quotes = matches!(self.zone(), Zone::Phrase | Zone::Address);
        match byte {
            b'"' if quotes && (self.quoted || closes(sight, at)?) => {
                Some(Unit { length: 1, kind: Kind::Quote })
            }
            b'\\' if self.quoted || self.zone() == Zone::Comment => pair(sight, at, 1),
            b'\\' if quotes => pair(sight, at, 0),
            _ if !self.quoted && self.is_special(byte) => Some(end),
            _ => Some(content(0, sight.character(at).map_or(1, char::len_utf8))),
        }
    }
}

/// Bytes of the character that begins with this byte, if it never is part of the syntax: a letter,
/// a digit, or one that is not ASCII.
fn plain_length(byte: u8) -> Option<usize> {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => Some(1),
        0xC2..=0xDF => Some(2),
        0xE0..=0xEF => Some(3),
        0xF0.. => Some(4),
        _ => None,
    }
}

fn content(hidden: usize, shown: usize) -> Unit {
    Unit { length: hidden + shown, kind: Kind::Content(hidden) }
}

/// A backslash, with the character after it if that can be quoted. `hidden` says whether the
/// backslash is no part of the content: outside of quotes it has no meaning, and stays.
fn pair(sight: &Sight<'_>, at: usize, hidden: usize) -> Option<Unit> {
    Some(match sight.here(at + 1)? {
        Here::Other => match sight.character(at + 1).map_or(0, char::len_utf8) {
            1 => Unit { length: 2, kind: Kind::Content(hidden) },
            length if hidden > 0 => content(hidden, length),
            _ => content(0, 1),
        },
        Here::Blank if hidden > 0 => content(hidden, 1),
        _ => content(0, 1),
    })
}

/// Whether the quoted-string that opens here is closed before the record ends. One that is longer
/// than what is looked at counts as closed.
fn closes(sight: &Sight<'_>, at: usize) -> Option<bool> {
    let mut next = at + 1;
    while next < at + TOKEN {
        match (sight.here(next)?, sight.bytes().get(next)) {
            (Here::RecordEnd(_), _) => return Some(false),
            (Here::Fold(length), _) => next += length,
            (_, Some(b'"')) => return Some(true),
            (_, Some(b'\\')) if matches!(sight.here(next + 1)?, Here::Other | Here::Blank) => {
                next += 2;
            }
            _ => next += 1,
        }
    }
    Some(true)
}
