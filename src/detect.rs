//! Finds out what a file is: text, and in which encoding, or no text at all.
//!
//! ```
//! use charpipe::detect::{self, Confidence};
//!
//! let found = detect::of(&mut &b"caf\xC3\xA9\r\n"[..])?;
//! let best = found.best().expect("this is text");
//! assert_eq!((best.encoding.name, best.confidence), ("UTF-8", Confidence::Certain));
//! assert_eq!(found.line_ends.to_string(), "crlf");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! The whole input is looked at, in pieces of any size, and memory is bounded. What is found does
//! not depend on the pieces.

use std::fmt;
use std::io::{self, Read};

use crate::encoding::Encoding;
use crate::options::EncodingSpec;

mod detector;
mod escape_sequences;
mod legacy;
mod line_endings;
mod prober;
mod text_stats;
mod utf16_utf32;
mod utf8_sniffer;
mod word_shape;

pub use detector::Detector;
pub(crate) use text_stats::TextStats;
pub use utf8_sniffer::Utf8Sniffer;
pub(crate) use word_shape::WordShape;

/// Bytes that are read at a time.
const READ_BUFFER_SIZE: usize = 64 * 1024;

/// What an input is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// Whether it is text.
    pub content: Content,
    /// The encodings that it may be in, the best first. None if it is no text, or if there is nothing
    /// in it.
    pub candidates: Vec<Candidate>,
    /// Whether it begins with a byte order mark.
    pub has_bom: bool,
    /// How its lines end.
    pub line_endings: LineEndings,
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
    /// The encoding.
    pub encoding: &'static Encoding,
    /// How much there is to it.
    pub confidence: Confidence,
    /// What speaks for it.
    pub evidence: Evidence,
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
pub enum Evidence {
    /// A byte order mark at the beginning.
    Bom,
    /// There is nothing but ASCII.
    Ascii,
    /// All is valid UTF-8, and there is more than ASCII.
    Utf8,
    /// Almost all is valid UTF-8.
    MostlyUtf8,
    /// Read in 16 or 32 bits a character it is text.
    Utf16OrUtf32,
    /// Escape sequences, or what does for them.
    EscapeSequences,
    /// How often which bytes occur.
    ByteFrequency,
    /// The letters make words.
    WordShape,
}

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEndings {
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
pub fn detect_reader(input: &mut dyn Read) -> io::Result<Detection> {
    let mut detector = Detector::new();
    let mut buffer = vec![0; READ_BUFFER_SIZE];
    while !detector.is_done() {
        match input.read(&mut buffer)? {
            0 => break,
            count => detector.feed(&buffer[..count]),
        }
    }
    Ok(detector.finish())
}

/// What an input is that begins like this.
pub fn detect_prefix(bytes: &[u8]) -> Detection {
    let mut detector = Detector::new();
    detector.feed(bytes);
    detector.finish_truncated()
}

impl Detection {
    /// The best candidate.
    pub fn best(&self) -> Option<Candidate> {
        self.candidates.first().copied()
    }

    /// Whether there is text in an encoding that is not known.
    pub fn is_unknown_encoding(&self) -> bool {
        self.content == Content::Text && self.candidates.is_empty()
    }
}

impl Evidence {
    /// Whether it is only more probable than others.
    fn is_statistical(self) -> bool {
        matches!(self, Evidence::ByteFrequency | Evidence::WordShape)
    }
}

impl Candidate {
    /// The encoding to convert from: UTF-8 for ASCII, as part of it.
    pub fn encoding_spec(&self) -> Option<EncodingSpec> {
        let name = if self.evidence == Evidence::Ascii { "UTF-8" } else { self.encoding.name };
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

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Evidence::Bom => "byte order mark",
            Evidence::Ascii => "nothing but ASCII",
            Evidence::Utf8 => "valid UTF-8",
            Evidence::MostlyUtf8 => "mostly valid UTF-8",
            Evidence::Utf16OrUtf32 => "text if read so",
            Evidence::EscapeSequences => "shift sequences",
            Evidence::ByteFrequency => "frequencies",
            Evidence::WordShape => "words",
        })
    }
}

impl fmt::Display for LineEndings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            LineEndings::None => "none",
            LineEndings::Lf => "lf",
            LineEndings::CrLf => "crlf",
            LineEndings::Cr => "cr",
            LineEndings::Mixed => "mixed",
        })
    }
}
