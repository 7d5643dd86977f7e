//! What is in sight of the text, and where white space and line ends stand in it.
//!
//! Whoever asks for what is not in sight is told `None`: more text must be seen before anything is
//! decided. At the end of all text there is always an answer.

/// Bytes of a token that are looked at to tell whether it has to be encoded, from its first one.
pub const TOKEN: usize = 4 * 1024;

/// Bytes of white space that are looked at to tell what stands after it.
pub const GAP: usize = 1024;

/// The text from where the encoder stands.
#[derive(Debug, Clone, Copy)]
pub struct Sight<'a> {
    text: &'a str,
    /// Whether nothing follows.
    end: bool,
}

/// What stands at a position, as far as lines and white space go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Here {
    /// SP or TAB.
    Blank,
    /// A line end of so many bytes that a blank follows: the record goes on.
    Fold(usize),
    /// The end of the record: the end of the text, or a line end of so many bytes.
    RecordEnd(usize),
    /// Anything else.
    Other,
}

/// White space, and what ends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Where it ends.
    pub end: usize,
    /// Where its first line ends.
    pub first: usize,
    /// Where its last line begins; zero if it has no fold.
    pub last: usize,
    /// Whether the record ends after it.
    pub closes: bool,
    /// Whether it goes on for [`GAP`] bytes, so that nobody knows what ends it.
    pub long: bool,
}

impl<'a> Sight<'a> {
    pub fn new(text: &'a str, end: bool) -> Sight<'a> {
        Sight { text, end }
    }

    pub fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Whether nothing follows what is in sight.
    pub fn end(&self) -> bool {
        self.end
    }

    /// The byte at a position; within, nothing at the end of all text.
    pub fn byte(&self, at: usize) -> Option<Option<u8>> {
        match self.bytes().get(at) {
            None if !self.end => None,
            byte => Some(byte.copied()),
        }
    }

    /// The character that begins at a position.
    pub fn character(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|rest| rest.chars().next())
    }

    /// Bytes of the line end at a position, LF or CR LF; zero if there is none. CR alone is a
    /// control character.
    pub fn line_end(&self, at: usize) -> Option<usize> {
        Some(match self.byte(at)? {
            Some(b'\n') => 1,
            Some(b'\r') if self.byte(at + 1)? == Some(b'\n') => 2,
            _ => 0,
        })
    }

    pub fn here(&self, at: usize) -> Option<Here> {
        Some(match self.byte(at)? {
            None => Here::RecordEnd(0),
            Some(b' ' | b'\t') => Here::Blank,
            Some(b'\r' | b'\n') => match self.line_end(at)? {
                0 => Here::Other,
                length => match self.byte(at + length)? {
                    Some(b' ' | b'\t') => Here::Fold(length),
                    _ => Here::RecordEnd(length),
                },
            },
            _ => Here::Other,
        })
    }

    /// The white space at a position, which may be none.
    pub fn gap(&self, at: usize) -> Option<Gap> {
        let mut gap = Gap { end: at, first: at, last: at, closes: false, long: false };
        if matches!(self.bytes().get(at), Some(b'!'..)) {
            return Some(gap);
        }
        let mut folds = false;
        loop {
            gap.long = gap.end - at >= GAP;
            match if gap.long { Here::Other } else { self.here(gap.end)? } {
                Here::Blank => gap.end += 1,
                Here::Fold(length) => {
                    gap.first = if folds { gap.first } else { gap.end };
                    folds = true;
                    gap.end += length;
                    gap.last = gap.end;
                }
                here => {
                    gap.closes = matches!(here, Here::RecordEnd(_));
                    gap.first = if folds { gap.first } else { gap.end };
                    return Some(gap);
                }
            }
        }
    }

    /// Where the white space at the start ends that is in sight within `most` bytes. A line end
    /// belongs to it only if what follows is in sight too.
    pub fn blanks(&self, most: usize) -> usize {
        let mut at = 0;
        while at < most {
            match self.here(at) {
                Some(Here::Blank) => at += 1,
                Some(Here::Fold(length)) => at += length,
                _ => break,
            }
        }
        at
    }
}

impl Gap {
    /// Whether there is a line end in it, seen from `at`.
    pub fn folds(&self, at: usize) -> bool {
        self.last > at
    }
}
