//! Decides whether content is binary: not text in its encoding.
//!
//! Whatever rewrites a file asks this first, because converting a file that is not text destroys it.
//! [`detect`](crate::detect) uses the same rules. There are four signs, and the first that applies
//! is the [`Reason`]:
//!
//! 1. The content begins with the signature of a binary file format.
//! 2. It contains NUL, and text in its encoding does not.
//! 3. It contains control characters that text hardly has. One in [`STRICT`] characters is enough; but
//!    ASCII and valid UTF-8 may have one in [`LENIENT`], because random bytes hardly ever look like these.
//! 4. It is short, and neither its letters nor the repetition of its bytes look like text.
//!
//! The third and the fourth are asked of the decoded text, so encodings whose letters are elsewhere, such
//! as EBCDIC and UTF-16, need no rules of their own.
//!
//! ```
//! use charpipe::binary::{self, Reason};
//!
//! let latin1 = "latin1".parse()?;
//! assert_eq!(binary::of(&mut &b"caf\xE9\n"[..], Some(&latin1))?, None);
//! assert_eq!(binary::of(&mut &b"\x03\x9C\xE9"[..], Some(&latin1))?, Some(Reason::Controls));
//! assert_eq!(binary::of(&mut &b"a\0"[..], Some(&latin1))?, Some(Reason::Nul));
//! let utf_16 = "utf-16le".parse()?;
//! assert_eq!(binary::of(&mut &b"a\0"[..], Some(&utf_16))?, None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::io::{self, Read};

use crate::detect::{TextStats, Utf8Sniffer};
use crate::options::EncodingSpec;
use crate::rfc2047;

mod control_chars;
mod lenient_decoder;
mod random_bytes;
mod signatures;

pub(crate) use control_chars::ControlCharCounter;
use lenient_decoder::LenientDecoder;
pub(crate) use random_bytes::{MAX_RANDOM_LEN as LONGEST_NOISE, has_few_repetitions, looks_random};
pub(crate) use signatures::{MAX_SIGNATURE_LEN as LONGEST_SIGNATURE, detect_signature};

/// Characters of a text among which one control character makes it binary.
pub const STRICT_CHARS_PER_CONTROL: u64 = 256;

/// The same for ASCII and valid UTF-8.
pub const LENIENT_CHARS_PER_CONTROL: u64 = 16;

/// Bytes that are read at a time.
const READ_BUFFER_SIZE: usize = 64 * 1024;

/// Bytes at the beginning that are kept.
const HEAD_LEN: usize =
    if LONGEST_SIGNATURE > LONGEST_NOISE { LONGEST_SIGNATURE } else { LONGEST_NOISE };

/// Why content is considered binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BinaryReason {
    /// It begins with the signature of this format.
    Signature(&'static str),
    /// It contains NUL.
    Nul,
    /// It contains control characters that text does not have.
    ControlChars,
    /// It looks like random bytes.
    RandomBytes,
}

/// Examines content that arrives in pieces of any size.
pub struct BinaryScanner {
    /// Decodes the content. Without it the bytes are examined.
    decoder: Option<LenientDecoder>,
    /// Whether text in the encoding contains NUL bytes, as in UTF-16.
    nul_is_text: bool,
    head: Vec<u8>,
    /// Text decoded from the head, up to a limit.
    text: String,
    length: u64,
    utf8_sniffer: Utf8Sniffer,
    control_chars: ControlCharCounter,
    text_stats: TextStats,
}

/// Examines a whole input.
///
/// # Errors
///
/// Errors from reading.
pub fn scan_reader(
    input: &mut dyn Read,
    encoding: Option<&EncodingSpec>,
) -> io::Result<Option<BinaryReason>> {
    let mut scanner = BinaryScanner::new(encoding);
    let mut buffer = vec![0; READ_BUFFER_SIZE];
    while !scanner.is_done() {
        match input.read(&mut buffer)? {
            0 => break,
            count => scanner.feed(&buffer[..count]),
        }
    }
    Ok(scanner.finish())
}

impl BinaryScanner {
    /// A scan of text in this encoding, or in an unknown superset of ASCII.
    pub fn new(encoding: Option<&EncodingSpec>) -> BinaryScanner {
        // Encoded-words are ASCII, and mail may contain anything.
        let decoded_encoding = encoding.filter(|encoding| !rfc2047::is_header(encoding.encoding));
        BinaryScanner {
            decoder: decoded_encoding.map(LenientDecoder::new),
            nul_is_text: encoding.is_some_and(EncodingSpec::can_contain_nul),
            head: Vec::new(),
            text: String::new(),
            length: 0,
            utf8_sniffer: Utf8Sniffer::default(),
            control_chars: ControlCharCounter::default(),
            text_stats: TextStats::default(),
        }
    }

    /// Examines the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let head_space = HEAD_LEN.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..head_space]);
        self.utf8_sniffer.feed(bytes);
        self.decode(bytes, false);
    }

    /// Returns whether nothing that follows can change the result.
    pub fn is_done(&self) -> bool {
        let known = detect_signature(&self.head).is_some()
            || !self.nul_is_text && self.utf8_sniffer.has_nul();
        known && self.head.len() == HEAD_LEN
    }

    /// The result for the content, which ends here.
    pub fn finish(mut self) -> Option<BinaryReason> {
        self.utf8_sniffer.finish();
        self.decode(&[], true);
        if let Some(format) = detect_signature(&self.head) {
            return Some(BinaryReason::Signature(format));
        }
        if !self.nul_is_text && self.utf8_sniffer.has_nul() {
            return Some(BinaryReason::Nul);
        }
        let strict = !self.nul_is_text && !self.utf8_sniffer.is_valid_utf8();
        let counter =
            if strict { self.control_chars.including_shifts() } else { self.control_chars };
        if counter.exceeds_threshold(if strict {
            STRICT_CHARS_PER_CONTROL
        } else {
            LENIENT_CHARS_PER_CONTROL
        }) {
            return Some(BinaryReason::ControlChars);
        }
        let unlike_text = match self.nul_is_text {
            // A byte order mark is evidence enough.
            true => {
                self.utf8_sniffer.bom_encoding().is_none()
                    && self.length > 0
                    && !self.text_stats.may_be_text()
            }
            false => {
                strict
                    && self.length <= LONGEST_NOISE as u64
                    && looks_random(&self.head, &self.text)
            }
        };
        unlike_text.then_some(BinaryReason::RandomBytes)
    }

    fn decode(&mut self, bytes: &[u8], end: bool) {
        let BinaryScanner {
            decoder: reading,
            nul_is_text: wide,
            text: kept,
            control_chars: controls,
            text_stats: sight,
            ..
        } = self;
        let Some(reading) = reading else { return controls.feed(bytes) };
        reading.decode(bytes, end, |text| {
            controls.feed_text(text);
            if *wide {
                sight.feed(text);
            } else if kept.len() <= LONGEST_NOISE {
                kept.extend(text.chars().take(LONGEST_NOISE));
            }
        });
    }
}

impl fmt::Debug for BinaryScanner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan")
            .field("evidence", &self.utf8_sniffer)
            .field("controls", &self.control_chars)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for BinaryReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BinaryReason::Signature(format) => write!(f, "{format} signature"),
            BinaryReason::Nul => f.write_str("contains NUL"),
            BinaryReason::ControlChars => f.write_str("contains control characters"),
            BinaryReason::RandomBytes => f.write_str("looks like random bytes"),
        }
    }
}

#[cfg(test)]
mod tests;
