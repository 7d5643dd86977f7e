//! Finds out what a file is: text, and in which encoding, or no text at all.
//!
//! ```
//! use charpipe::detect::{self, Confidence};
//!
//! let found = detect::of(&mut &b"caf\xC3\xA9\r\n"[..])?;
//! let best = found.best().expect("this is text");
//! assert_eq!((best.charset.name, best.confidence), ("UTF-8", Confidence::Certain));
//! assert_eq!(found.line_ends.to_string(), "crlf");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The whole input is looked at, in pieces of any size, and memory is bounded. What is found does
//! not depend on the pieces.

use std::fmt;
use std::io::{self, Read};

use crate::charset::Charset;
use crate::plan::Encoding;

mod detector;
mod evidence;
mod legacy;
mod line_ends;
mod shifted;
mod sight;
mod trial;
mod wide;
mod words;

pub use detector::Detector;
pub use evidence::Evidence;
pub(crate) use sight::Sight;
pub(crate) use words::Words;

/// Bytes that are read at a time.
const BLOCK: usize = 64 * 1024;

/// What an input is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// Whether it is text.
    pub content: Content,
    /// The encodings that it may be in, the best first. None if it is no text, or if there is nothing
    /// in it.
    pub candidates: Vec<Candidate>,
    /// Whether it begins with a byte order mark.
    pub marked: bool,
    /// How its lines end.
    pub line_ends: LineEnds,
}

/// Whether an input is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// There is nothing in it.
    Empty,
    /// It is text.
    Text,
    /// It is something else.
    Binary,
}

/// An encoding that an input may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The charset.
    pub charset: &'static Charset,
    /// How much there is to it.
    pub confidence: Confidence,
    /// What speaks for it.
    pub reason: Reason,
}

/// How much there is to an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// It may well be another.
    Guess,
    /// It would be a surprise if it were another.
    Likely,
    /// The input says so itself, or next to nothing else looks like it.
    Certain,
}

/// What speaks for an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// A byte order mark at the beginning.
    Mark,
    /// There is nothing but ASCII.
    Ascii,
    /// All is valid UTF-8, and there is more than ASCII.
    Utf8,
    /// Almost all is valid UTF-8.
    MostlyUtf8,
    /// Read in 16 or 32 bits a character it is text.
    Units,
    /// Escape sequences, or what does for them.
    Shifts,
    /// How often which bytes occur.
    Frequencies,
    /// The letters make words.
    Words,
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// There is no line end.
    None,
    /// With U+000A.
    Lf,
    /// With U+000D U+000A.
    CrLf,
    /// With U+000D.
    Cr,
    /// Some so, some otherwise.
    Mixed,
}

/// What a whole input is.
///
/// # Errors
///
/// What reading answers.
pub fn of(input: &mut dyn Read) -> io::Result<Detection> {
    let mut detector = Detector::new();
    let mut space = vec![0; BLOCK];
    while !detector.is_settled() {
        match input.read(&mut space)? {
            0 => break,
            count => detector.add(&space[..count]),
        }
    }
    Ok(detector.finish())
}

/// What an input is that begins like this.
pub fn of_prefix(bytes: &[u8]) -> Detection {
    let mut detector = Detector::new();
    detector.add(bytes);
    detector.finish_prefix()
}

impl Detection {
    /// The best candidate.
    pub fn best(&self) -> Option<Candidate> {
        self.candidates.first().copied()
    }

    /// Whether there is text in an encoding that is not known.
    pub fn is_unknown(&self) -> bool {
        self.content == Content::Text && self.candidates.is_empty()
    }
}

impl Reason {
    /// Whether it is only more probable than others.
    fn is_statistical(self) -> bool {
        matches!(self, Reason::Frequencies | Reason::Words)
    }
}

impl Candidate {
    /// The encoding to convert from: UTF-8 for ASCII, as part of it.
    pub fn encoding(&self) -> Option<Encoding> {
        let name = if self.reason == Reason::Ascii { "UTF-8" } else { self.charset.name };
        name.parse().ok()
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Confidence::Guess => "guess",
            Confidence::Likely => "likely",
            Confidence::Certain => "certain",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Mark => "byte order mark",
            Reason::Ascii => "nothing but ASCII",
            Reason::Utf8 => "valid UTF-8",
            Reason::MostlyUtf8 => "mostly valid UTF-8",
            Reason::Units => "text if read so",
            Reason::Shifts => "shift sequences",
            Reason::Frequencies => "frequencies",
            Reason::Words => "words",
        })
    }
}

impl fmt::Display for LineEnds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineEnds::None => "none",
            LineEnds::Lf => "lf",
            LineEnds::CrLf => "crlf",
            LineEnds::Cr => "cr",
            LineEnds::Mixed => "mixed",
        })
    }
}
