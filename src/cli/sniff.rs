//! The encoding of an input: given by the user, or determined from its bytes.

use std::io::{self, Read};

use crate::detect::{self, Confidence, Content, Detection, Utf8Sniffer};
use crate::encoding;
use crate::options::{BomPolicy, EncodingSpec, TranscodeOptions};

mod expected;

pub use expected::{ExpectedEncoding, OtherEncoding};

/// How the encoding of an input is determined.
#[derive(Debug, Clone)]
pub enum InputEncoding {
    /// It is given.
    Fixed(EncodingSpec),
    /// From a BOM or valid UTF-8; otherwise the given default.
    Auto(Option<EncodingSpec>),
    /// By the [detector](crate::detect).
    Detect,
    /// From the encoding that it should be in.
    Expected(ExpectedEncoding),
}

/// The result of determining the encoding of an input.
#[derive(Debug, Clone)]
pub enum Resolution {
    /// The encoding, and the confidence if it was detected.
    Encoding(EncodingSpec, Option<Confidence>),
    /// The encoding could not be determined.
    Unknown,
    /// The input is binary.
    Binary,
}

/// The number of bytes of a stream that its encoding is determined from.
pub const SNIFF_LEN: usize = 64 * 1024;

impl InputEncoding {
    /// Returns whether the encoding depends on the bytes of the input.
    pub fn needs_sniffing(&self) -> bool {
        !matches!(self, InputEncoding::Fixed(_))
    }

    /// Returns the options for an input in the encoding `from`. If the encoding was determined from the
    /// bytes, a BOM of UTF-8 is stripped like that of UTF-16, unless the options set a BOM policy.
    pub fn options_for(&self, options: &TranscodeOptions, from: EncodingSpec) -> TranscodeOptions {
        let bom = match options.bom {
            BomPolicy::Default if self.needs_sniffing() && encoding::is_utf8(from.encoding) => {
                BomPolicy::Strip
            }
            other => other,
        };
        TranscodeOptions { from, bom, ..options.clone() }
    }

    /// Determines the encoding of a whole input.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading.
    pub fn resolve(&self, input: &mut dyn Read) -> io::Result<Resolution> {
        Ok(match self {
            InputEncoding::Fixed(encoding) => Resolution::Encoding(encoding.clone(), None),
            InputEncoding::Auto(default) => {
                resolve_by_evidence(&Utf8Sniffer::from_reader(input)?, default)
            }
            InputEncoding::Detect => resolve_by_detection(&detect::detect_reader(input)?),
            InputEncoding::Expected(expected) => expected.resolve(input)?,
        })
    }

    /// Determines the encoding of an input from its first bytes.
    pub fn resolve_prefix(&self, bytes: &[u8]) -> Resolution {
        match self {
            InputEncoding::Fixed(encoding) => Resolution::Encoding(encoding.clone(), None),
            InputEncoding::Auto(default) => {
                resolve_by_evidence(&Utf8Sniffer::from_prefix(bytes), default)
            }
            InputEncoding::Detect => resolve_by_detection(&detect::detect_prefix(bytes)),
            InputEncoding::Expected(expected) => expected.resolve_prefix(bytes),
        }
    }
}

fn resolve_by_evidence(evidence: &Utf8Sniffer, default: &Option<EncodingSpec>) -> Resolution {
    match evidence.encoding().or_else(|| default.clone()) {
        Some(encoding) => Resolution::Encoding(encoding, None),
        None if evidence.has_nul() => Resolution::Binary,
        None => Resolution::Unknown,
    }
}

fn resolve_by_detection(found: &Detection) -> Resolution {
    let best = found.best().and_then(|best| Some((best.encoding_spec()?, best.confidence)));
    match (found.content, best) {
        (Content::Binary, _) => Resolution::Binary,
        (Content::Text, Some((encoding, confidence))) => {
            Resolution::Encoding(encoding, Some(confidence))
        }
        (Content::Text, None) => Resolution::Unknown,
        // Empty input is valid in any encoding.
        (Content::Empty, _) => resolve_by_evidence(&Utf8Sniffer::default(), &None),
    }
}
