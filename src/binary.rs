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

use crate::detect::{Evidence, Sight};
use crate::header;
use crate::plan::Encoding;

mod controls;
mod noise;
mod reading;
mod signatures;

pub(crate) use controls::Controls;
pub(crate) use noise::{LONGEST as LONGEST_NOISE, is_noise, repeats_too_little};
use reading::Reading;
pub(crate) use signatures::{LONGEST as LONGEST_SIGNATURE, signature};

/// Characters of a text among which one control character makes it binary.
pub const STRICT: u64 = 256;

/// The same for ASCII and valid UTF-8.
pub const LENIENT: u64 = 16;

/// Bytes that are read at a time.
const BLOCK: usize = 64 * 1024;

/// Bytes at the beginning that are kept.
const HEAD: usize =
    if LONGEST_SIGNATURE > LONGEST_NOISE { LONGEST_SIGNATURE } else { LONGEST_NOISE };

/// Why content is considered binary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// It begins with the signature of this format.
    Signature(&'static str),
    /// It contains NUL.
    Nul,
    /// It contains control characters that text does not have.
    Controls,
    /// It looks like random bytes.
    Noise,
}

/// Examines content that arrives in pieces of any size.
pub struct Scan {
    /// Decodes the content. Without it the bytes are examined.
    reading: Option<Reading>,
    /// Whether text in the encoding contains NUL bytes, as in UTF-16.
    wide: bool,
    head: Vec<u8>,
    /// Text decoded from the head, up to a limit.
    text: String,
    length: u64,
    evidence: Evidence,
    controls: Controls,
    sight: Sight,
}

/// Examines a whole input.
///
/// # Errors
///
/// Errors from reading.
pub fn of(input: &mut dyn Read, encoding: Option<&Encoding>) -> io::Result<Option<Reason>> {
    let mut scan = Scan::new(encoding);
    let mut space = vec![0; BLOCK];
    while !scan.is_settled() {
        match input.read(&mut space)? {
            0 => break,
            count => scan.add(&space[..count]),
        }
    }
    Ok(scan.finish())
}

impl Scan {
    /// A scan of text in this encoding, or in an unknown superset of ASCII.
    pub fn new(encoding: Option<&Encoding>) -> Scan {
        // Encoded-words are ASCII, and mail may contain anything.
        let decoded = encoding.filter(|encoding| !header::is_header(encoding.charset));
        Scan {
            reading: decoded.map(Reading::new),
            wide: encoding.is_some_and(Encoding::writes_nul),
            head: Vec::new(),
            text: String::new(),
            length: 0,
            evidence: Evidence::default(),
            controls: Controls::default(),
            sight: Sight::default(),
        }
    }

    /// Examines the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        let missing = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        self.evidence.add(bytes);
        self.decode(bytes, false);
    }

    /// Returns whether nothing that follows can change the result.
    pub fn is_settled(&self) -> bool {
        let known = signature(&self.head).is_some() || !self.wide && self.evidence.has_nul();
        known && self.head.len() == HEAD
    }

    /// The result for the content, which ends here.
    pub fn finish(mut self) -> Option<Reason> {
        self.evidence.end();
        self.decode(&[], true);
        if let Some(format) = signature(&self.head) {
            return Some(Reason::Signature(format));
        }
        if !self.wide && self.evidence.has_nul() {
            return Some(Reason::Nul);
        }
        let strict = !self.wide && !self.evidence.is_utf_8();
        let controls = if strict { self.controls.with_shifts() } else { self.controls };
        if controls.exceed(if strict { STRICT } else { LENIENT }) {
            return Some(Reason::Controls);
        }
        let unlike_text = match self.wide {
            // A byte order mark is evidence enough.
            true => self.evidence.mark().is_none() && self.length > 0 && !self.sight.may_be_text(),
            false => {
                strict && self.length <= LONGEST_NOISE as u64 && is_noise(&self.head, &self.text)
            }
        };
        unlike_text.then_some(Reason::Noise)
    }

    fn decode(&mut self, bytes: &[u8], end: bool) {
        let Scan { reading, wide, text: kept, controls, sight, .. } = self;
        let Some(reading) = reading else { return controls.add(bytes) };
        reading.decode(bytes, end, |text| {
            controls.add_text(text);
            if *wide {
                sight.add(text);
            } else if kept.len() <= LONGEST_NOISE {
                kept.extend(text.chars().take(LONGEST_NOISE));
            }
        });
    }
}

impl fmt::Debug for Scan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scan")
            .field("evidence", &self.evidence)
            .field("controls", &self.controls)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Signature(format) => write!(f, "{format} signature"),
            Reason::Nul => f.write_str("contains NUL"),
            Reason::Controls => f.write_str("contains control characters"),
            Reason::Noise => f.write_str("looks like random bytes"),
        }
    }
}

#[cfg(test)]
mod tests;
