//! The result of determining the encoding of an input.

use std::fmt;

use charpipe_detect::{AutoResult, Confidence, Content, Declaration, Detection};
use charpipe_encoding::encoding;
use charpipe_transcode::options::EncodingSpec;

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
pub struct ResolvedInput {
    pub resolution: Resolution,
    pub ignored_declaration: Option<Declaration>,
}

impl ResolvedInput {
    pub fn fixed(encoding: &EncodingSpec) -> ResolvedInput {
        Resolution::Encoding(encoding.clone()).into()
    }

    /// Returns the encoding that was found, or the default if nothing determines it.
    pub fn from_auto(found: AutoResult, default: Option<&EncodingSpec>) -> ResolvedInput {
        let encoding = found.encoding.map(EncodingSpec::from).or_else(|| default.cloned());
        let resolution = match encoding {
            Some(encoding) => Resolution::Encoding(encoding),
            None if found.has_nul => Resolution::Binary,
            None => Resolution::Unknown,
        };
        ResolvedInput { resolution, ignored_declaration: found.ignored_declaration }
    }
}

impl From<Resolution> for ResolvedInput {
    fn from(resolution: Resolution) -> ResolvedInput {
        ResolvedInput { resolution, ignored_declaration: None }
    }
}

/// Returns the result of the detector.
pub fn resolve_by_detection(found: Detection) -> ResolvedInput {
    let resolution = match found.content {
        Content::Binary => Resolution::Binary,
        Content::Text => detected_encoding(&found)
            .map_or(Resolution::Unknown, |detected| Resolution::Detected(Box::new(detected))),
        // Empty input is valid in any encoding.
        Content::Empty => Resolution::Encoding(encoding::utf8().into()),
    };
    let ignored_declaration = found.declaration.filter(|declaration| !declaration.is_confirmed);
    ResolvedInput { resolution, ignored_declaration }
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
