//! A part of [charpipe](https://docs.rs/charpipe); the interface of this crate is not stable.
//!
//! Detection of encodings, of binary files and of line endings.
//!
//! Modules, the lowest first; those on one line may import each other:
//!
//! * `language`, `line_endings`, `utf8_sniffer`, `text_stats`, `prober`, `declared`, `hints`: what is found in text
//! * [`auto`], [`binary`]: what leaves no doubt
//! * `candidates`, `model`, `ebcdic`, `sample`, `scorer`, `statistical`: language models
//! * `detector`

#![forbid(unsafe_code)]

use std::fmt;
use std::io::{self, Read};

use charpipe_encoding::encoding::{self, Encoding};

pub mod auto;
pub mod binary;
mod candidates;
mod declared;
mod detector;
mod ebcdic;
mod hints;
mod language;
mod line_endings;
mod model;
mod prober;
mod sample;
mod scorer;
mod statistical;
mod text_stats;
mod utf8_sniffer;

pub use auto::{AutoResult, AutoSniffer};
pub use charpipe_encoding::line_ending::LineEnding;
pub use charpipe_transform::declaration::DeclarationKind;
pub use declared::Declaration;
pub use detector::Detector;
pub use hints::DetectionHints;
pub use language::Language;
pub use line_endings::LineEndings;
use prober::DecoderProber;
pub(crate) use prober::{ChunkDecoder, DecodedPiece};
pub(crate) use text_stats::{ControlCharCounter, TextStats, WordShape};
pub use utf8_sniffer::Utf8Sniffer;

/// The number of bytes to read first.
const FIRST_READ_SIZE: usize = 4 * 1024;

/// The number of bytes to read at a time after that.
const READ_BUFFER_SIZE: usize = 64 * 1024;

/// The result of a detection.
///
/// ```
/// let detection = charpipe::detect::detect(b"\xEF\xBB\xBFa\n");
/// assert!(detection.has_bom && detection.is_text());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Detection {
    /// Whether the input is text.
    #[doc(hidden)]
    pub content: Content,
    /// The possible encodings, the most probable one first. Empty if the input is empty or not text.
    pub candidates: Vec<Candidate>,
    /// Whether the input begins with a byte order mark.
    pub has_bom: bool,
    /// The line endings of the text.
    #[doc(hidden)]
    pub line_endings: LineEndings,
    /// The declaration of the encoding at the start of the text.
    #[doc(hidden)]
    pub declaration: Option<Declaration>,
}

/// Whether an input is text.
///
/// ```
/// use charpipe_detect::{Content, detect};
///
/// assert_eq!(detect(b"").content, Content::Empty);
/// assert_eq!(detect(b"text").content, Content::Text);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// The input is empty.
    Empty,
    /// The input is text.
    Text,
    /// The input is not text.
    Binary,
}

/// A possible encoding of an input.
///
/// ```
/// let best = charpipe::detect::detect("Füße".as_bytes()).best().unwrap();
/// assert_eq!(best.encoding, charpipe::UTF_8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// The encoding.
    pub encoding: &'static Encoding,
    /// Confidence in this candidate.
    pub confidence: Confidence,
    /// The probability that the text in this encoding is the text that was written.
    pub probability: f32,
    /// The language of the text, if the language model was needed to find the encoding.
    pub language: Option<Language>,
    /// The evidence for this candidate.
    #[doc(hidden)]
    pub evidence: Evidence,
}

/// Confidence in a candidate.
///
/// ```
/// use charpipe::detect::{Confidence, detect};
///
/// let best = detect("Füße".as_bytes()).best().unwrap();
/// assert!(best.confidence >= Confidence::Likely);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Another encoding is as probable, or nearly. [`Detection::best`] ignores such candidates.
    Uncertain,
    /// Another encoding is quite possible.
    Guess,
    /// Another encoding is improbable.
    Likely,
    /// The input declares the encoding, or hardly any text in another encoding looks like it.
    Certain,
}

/// The evidence for a candidate.
///
/// ```
/// use charpipe_detect::{Evidence, detect};
///
/// assert_eq!(detect(b"\xFF\xFEa\0").best().unwrap().evidence, Evidence::Bom);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// A byte order mark.
    Bom,
    /// A declaration in the text, which the bytes confirm.
    Declaration(DeclarationKind),
    /// The input is ASCII.
    Ascii,
    /// The input is valid UTF-8 and not ASCII.
    Utf8,
    /// The input is valid UTF-8 except for a few errors.
    MostlyUtf8,
    /// The input, decoded as UTF-16 or UTF-32, is plausible text.
    Utf16OrUtf32,
    /// Escape sequences, or other sequences that switch between character sets.
    EscapeSequences,
    /// The text is probable in a language.
    LanguageModel,
}

/// Detects the encoding of `bytes`.
///
/// ```
/// assert!(!charpipe::detect::detect(b"\0\0\x01\x02").is_text());
/// ```
pub fn detect(bytes: &[u8]) -> Detection {
    let mut detector = Detector::new();
    detector.feed(bytes);
    detector.finish()
}

/// Detects the encoding of a whole input.
///
/// ```
/// let detection = charpipe::detect::detect_reader(&mut &b"caf\xC3\xA9"[..])?;
/// assert_eq!(detection.best().unwrap().encoding, charpipe::UTF_8);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Returns the error of reading.
pub fn detect_reader(input: &mut dyn Read) -> io::Result<Detection> {
    let mut detector = Detector::new();
    read_chunks(input, |chunk| {
        detector.feed(chunk);
        detector.is_done()
    })?;
    Ok(detector.finish())
}

/// Passes the input to `on_chunk` in chunks, until it ends or `on_chunk` returns `true`.
pub fn read_chunks(
    input: &mut dyn Read,
    mut on_chunk: impl FnMut(&[u8]) -> bool,
) -> io::Result<()> {
    // Most inputs are small, and clearing a large buffer takes longer than examining one.
    let mut buffer = vec![0; FIRST_READ_SIZE];
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(()),
            count if on_chunk(&buffer[..count]) => return Ok(()),
            count if count == buffer.len() => buffer.resize(READ_BUFFER_SIZE, 0),
            _ => {}
        }
    }
}

/// Detects the encoding of an input that begins with these bytes.
///
/// ```
/// // The last character is incomplete.
/// let detection = charpipe::detect::detect_prefix(b"caf\xC3\xA9 \xE2\x82");
/// assert_eq!(detection.best().unwrap().encoding, charpipe::UTF_8);
/// ```
pub fn detect_prefix(bytes: &[u8]) -> Detection {
    let mut detector = Detector::new();
    detector.feed(bytes);
    detector.finish_truncated()
}

impl Detection {
    /// Returns the best candidate, unless its confidence is [`Confidence::Uncertain`]: such candidates are
    /// only in [`candidates`](Detection::candidates).
    ///
    /// ```
    /// assert!(charpipe::detect::detect(b"\0\x01\x02").best().is_none());
    /// ```
    pub fn best(&self) -> Option<Candidate> {
        self.candidates.first().copied().filter(|best| best.confidence > Confidence::Uncertain)
    }

    /// Returns whether the input is text. An empty input is none.
    ///
    /// ```
    /// assert!(charpipe::detect::detect(b"text").is_text());
    /// ```
    pub fn is_text(&self) -> bool {
        self.content == Content::Text
    }

    /// Returns whether the input is text but its encoding could not be detected.
    pub fn is_unknown_encoding(&self) -> bool {
        self.is_text() && self.best().is_none()
    }
}

impl Evidence {
    fn is_statistical(self) -> bool {
        self == Evidence::LanguageModel
    }
}

impl Candidate {
    /// Returns a candidate that no language model was needed for.
    fn new(encoding: &'static Encoding, confidence: Confidence, evidence: Evidence) -> Candidate {
        let probability = match confidence {
            Confidence::Uncertain => 0.3,
            Confidence::Guess => 0.8,
            Confidence::Likely => 0.99,
            Confidence::Certain => 1.0,
        };
        Candidate { encoding, confidence, probability, language: None, evidence }
    }

    /// Returns the encoding to convert from: UTF-8 for ASCII, its subset.
    pub fn source_encoding(&self) -> &'static Encoding {
        if self.evidence == Evidence::Ascii { encoding::utf8() } else { self.encoding }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Confidence::Uncertain => "uncertain",
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
            Evidence::Declaration(kind) => return write!(f, "declared by {kind}"),
            Evidence::Ascii => "only ASCII",
            Evidence::Utf8 => "valid UTF-8",
            Evidence::MostlyUtf8 => "mostly valid UTF-8",
            Evidence::Utf16OrUtf32 => "plausible text",
            Evidence::EscapeSequences => "escape sequences",
            Evidence::LanguageModel => "language model",
        })
    }
}

/// Encodes and decodes text for the tests.
#[cfg(test)]
mod testing {
    use charpipe_encoding::encoding::Encoding;
    use charpipe_encoding::error::ConversionError;

    pub fn encode(label: &str, text: &str) -> Result<Vec<u8>, ConversionError> {
        Encoding::lookup(label).unwrap().encode_strict(text).map(Into::into)
    }

    pub fn decode(label: &str, bytes: &[u8]) -> Result<String, ConversionError> {
        Encoding::lookup(label).unwrap().decode_strict(bytes).map(Into::into)
    }
}
