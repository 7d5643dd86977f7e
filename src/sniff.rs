//! Where the encoding of an input is taken from: from the user, or from its own bytes.

use std::io::{self, Read};

use crate::detect::{self, Confidence, Content, Detection, Utf8Sniffer};
use crate::encoding;
use crate::options::{BomPolicy, EncodingSpec, TranscodeOptions};

/// Where the encoding of an input is taken from.
#[derive(Debug, Clone)]
pub enum InputEncoding {
    /// It is this one.
    Fixed(EncodingSpec),
    /// From its bytes as far as they leave no doubt; this one where they do.
    Auto(Option<EncodingSpec>),
    /// From its bytes, by the word of the [detector](crate::detect).
    Detect,
}

/// What is made of an input.
#[derive(Debug, Clone)]
pub enum Resolution {
    /// It is in this encoding. A detector adds how sure it is.
    Encoding(EncodingSpec, Option<Confidence>),
    /// It is not known in which.
    Unknown,
    /// It is no text.
    Binary,
}

/// Bytes that are looked at of a stream, which cannot be looked at as a whole.
pub const SNIFF_LEN: usize = 64 * 1024;

impl InputEncoding {
    /// Whether the bytes of an input have to be looked at.
    pub fn needs_sniffing(&self) -> bool {
        !matches!(self, InputEncoding::Fixed(_))
    }

    /// The options for an input in this encoding. A byte order mark by which UTF-8 has been recognized
    /// is removed as that of UTF-16 is, unless the options says what to do about it.
    pub fn options_for(&self, options: &TranscodeOptions, from: EncodingSpec) -> TranscodeOptions {
        let bom = match options.bom {
            BomPolicy::Default if self.needs_sniffing() && encoding::is_utf8(from.encoding) => {
                BomPolicy::Strip
            }
            other => other,
        };
        TranscodeOptions { from, bom, ..options.clone() }
    }

    /// What is made of a whole input.
    ///
    /// # Errors
    ///
    /// What reading answers.
    pub fn resolve(&self, input: &mut dyn Read) -> io::Result<Resolution> {
        Ok(match self {
            InputEncoding::Fixed(encoding) => Resolution::Encoding(encoding.clone(), None),
            InputEncoding::Auto(default) => {
                resolve_by_evidence(&Utf8Sniffer::from_reader(input)?, default)
            }
            InputEncoding::Detect => resolve_by_detection(&detect::detect_reader(input)?),
        })
    }

    /// What is made of an input that begins like this.
    pub fn resolve_prefix(&self, bytes: &[u8]) -> Resolution {
        match self {
            InputEncoding::Fixed(encoding) => Resolution::Encoding(encoding.clone(), None),
            InputEncoding::Auto(default) => {
                resolve_by_evidence(&Utf8Sniffer::from_prefix(bytes), default)
            }
            InputEncoding::Detect => resolve_by_detection(&detect::detect_prefix(bytes)),
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
        // Nothing is nothing in any encoding.
        (Content::Empty, _) => resolve_by_evidence(&Utf8Sniffer::default(), &None),
    }
}
