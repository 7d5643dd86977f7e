//! The encoding of an input: given by the user, or determined from its bytes.

use std::fmt;
use std::io::{self, Read};

use charpipe_detect::{
    self as detect, AutoResult, AutoSniffer, Confidence, Content, Declaration, Detection,
    DetectionHints, Detector,
};
use charpipe_encoding::encoding;
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

mod expected;

pub use expected::{EncodingEvidence, ExpectedEncoding, OtherEncoding};

/// How the encoding of an input is determined.
#[derive(Debug, Clone)]
pub enum InputEncoding {
    /// It is given.
    Fixed(EncodingSpec),
    /// From a BOM, valid UTF-8 or a declaration; otherwise the given default.
    Auto(Option<EncodingSpec>),
    /// By the [detector](charpipe_detect), with these hints.
    Detect(DetectionHints),
    /// From the encoding that it should be in.
    Expected(ExpectedEncoding),
}

/// The result of determining the encoding of an input.
#[derive(Debug, Clone)]
pub enum Resolution {
    /// The encoding.
    Encoding(EncodingSpec),
    /// The encoding is that of the detector.
    Detected(Box<DetectedEncoding>),
    /// The encoding could not be determined.
    Unknown,
    /// The input is binary.
    Binary,
}

/// The best candidate of the detector.
#[derive(Debug, Clone)]
pub struct DetectedEncoding {
    pub encoding: EncodingSpec,
    pub confidence: Confidence,
    /// The names of the next candidates.
    pub alternatives: Vec<&'static str>,
}

/// The maximum number of [alternatives](DetectedEncoding::alternatives).
const MAX_ALTERNATIVES: usize = 2;

impl DetectedEncoding {
    /// Returns a clause with the confidence, for advice.
    pub fn summary(&self) -> String {
        format!("{} is {}", self.encoding, self.confidence)
    }
}

impl fmt::Display for DetectedEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DetectedEncoding { encoding, confidence, alternatives } = self;
        let best = encoding.to_string();
        let mut names = alternatives.clone();
        match confidence {
            Confidence::Uncertain => {
                f.write_str("encoding is uncertain")?;
                names.insert(0, &best);
            }
            _ => write!(f, "detected {best} ({confidence})")?,
        }
        match names.split_last() {
            None => Ok(()),
            Some((last, [])) => write!(f, ", perhaps {last}"),
            Some((last, first)) => write!(f, ", perhaps {} or {last}", first.join(", ")),
        }
    }
}

/// The result, and a declaration that the bytes contradict.
#[derive(Debug, Clone)]
pub struct Resolved {
    pub resolution: Resolution,
    pub ignored_declaration: Option<Declaration>,
}

impl Resolved {
    fn fixed(encoding: &EncodingSpec) -> Resolved {
        Resolution::Encoding(encoding.clone()).into()
    }
}

impl From<Resolution> for Resolved {
    fn from(resolution: Resolution) -> Resolved {
        Resolved { resolution, ignored_declaration: None }
    }
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
            // The mark of another encoding is kept only where text may not be recognized without it.
            BomPolicy::Keep
                if matches!(self, InputEncoding::Expected(_))
                    && from.encoding.name() != options.to.encoding.name()
                    && !expected::is_byte_order_of(from.encoding.name(), options.to.encoding)
                    && !options.to.can_contain_nul() =>
            {
                BomPolicy::Strip
            }
            other => other,
        };
        let mut options = options.clone();
        if matches!(self, InputEncoding::Expected(_))
            && expected::is_byte_order_of(from.encoding.name(), options.to.encoding)
        {
            options.to = from.clone();
        }
        (options.from, options.bom) = (from, bom);
        options
    }

    /// Determines the encoding of a whole input.
    ///
    /// # Errors
    ///
    /// Returns the errors of reading.
    pub fn resolve(&self, input: &mut dyn Read) -> io::Result<Resolved> {
        Ok(match self {
            InputEncoding::Fixed(encoding) => Resolved::fixed(encoding),
            InputEncoding::Auto(default) => {
                let mut sniffer = AutoSniffer::default();
                detect::read_chunks(input, |chunk| {
                    sniffer.feed(chunk);
                    false
                })?;
                Resolved::from_auto(sniffer.finish(false), default.as_ref())
            }
            InputEncoding::Detect(hints) => {
                let mut detector = Detector::with_hints(hints);
                detect::read_chunks(input, |chunk| {
                    detector.feed(chunk);
                    detector.is_done()
                })?;
                resolve_by_detection(detector.finish())
            }
            InputEncoding::Expected(expected) => expected.resolve(input)?.into(),
        })
    }

    /// Determines the encoding of an input from its first bytes.
    pub fn resolve_prefix(&self, bytes: &[u8]) -> Resolved {
        match self {
            InputEncoding::Fixed(encoding) => Resolved::fixed(encoding),
            InputEncoding::Auto(default) => {
                let mut sniffer = AutoSniffer::default();
                sniffer.feed(bytes);
                Resolved::from_auto(sniffer.finish(true), default.as_ref())
            }
            InputEncoding::Detect(hints) => {
                let mut detector = Detector::with_hints(hints);
                detector.feed(bytes);
                resolve_by_detection(detector.finish_truncated())
            }
            InputEncoding::Expected(expected) => expected.resolve_prefix(bytes).into(),
        }
    }
}

impl Resolved {
    /// Returns the encoding that was found, or the default if nothing determines it.
    fn from_auto(found: AutoResult, default: Option<&EncodingSpec>) -> Resolved {
        let encoding = found.encoding.map(EncodingSpec::from).or_else(|| default.cloned());
        let resolution = match encoding {
            Some(encoding) => Resolution::Encoding(encoding),
            None if found.has_nul => Resolution::Binary,
            None => Resolution::Unknown,
        };
        Resolved { resolution, ignored_declaration: found.ignored_declaration }
    }
}

/// Returns the encoding of an input that the detector finds, if it is not UTF-8 and at least likely, for advice.
pub fn likely_encoding(input: &mut dyn Read) -> Option<Box<DetectedEncoding>> {
    let resolved = InputEncoding::Detect(DetectionHints::default()).resolve(input).ok()?;
    match resolved.resolution {
        Resolution::Detected(found)
            if found.confidence >= Confidence::Likely
                && !encoding::is_utf8(found.encoding.encoding) =>
        {
            Some(found)
        }
        _ => None,
    }
}

fn resolve_by_detection(found: Detection) -> Resolved {
    let resolution = match found.content {
        Content::Binary => Resolution::Binary,
        Content::Text => detected_encoding(&found)
            .map_or(Resolution::Unknown, |detected| Resolution::Detected(Box::new(detected))),
        // Empty input is valid in any encoding.
        Content::Empty => Resolution::Encoding(encoding::utf8().into()),
    };
    let ignored_declaration = found.declaration.filter(|declaration| !declaration.is_confirmed);
    Resolved { resolution, ignored_declaration }
}

/// Returns the best candidate, however uncertain, and the next ones.
fn detected_encoding(found: &Detection) -> Option<DetectedEncoding> {
    let (best, others) = found.candidates.split_first()?;
    let alternatives = others.iter().take(MAX_ALTERNATIVES);
    Some(DetectedEncoding {
        encoding: best.source_encoding().into(),
        confidence: best.confidence,
        alternatives: alternatives.map(|other| other.encoding.name()).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_listed() {
        for (confidence, alternatives, expected) in [
            (Confidence::Likely, &[][..], "detected CP1252 (likely)"),
            (Confidence::Guess, &["A"], "detected CP1252 (guess), perhaps A"),
            (Confidence::Guess, &["A", "B"], "detected CP1252 (guess), perhaps A or B"),
            (Confidence::Uncertain, &[], "encoding is uncertain, perhaps CP1252"),
            (Confidence::Uncertain, &["A"], "encoding is uncertain, perhaps CP1252 or A"),
            (Confidence::Uncertain, &["A", "B"], "encoding is uncertain, perhaps CP1252, A or B"),
        ] {
            let encoding = charpipe_encoding::CP1252.into();
            let alternatives = alternatives.to_vec();
            let detected = DetectedEncoding { encoding, confidence, alternatives };
            assert_eq!(detected.to_string(), expected);
        }
    }
}
