//! Where the encoding of an input is taken from: from the user, or from its own bytes.

use std::io::{self, Read};

use crate::charset;
use crate::detect::{self, Confidence, Content, Detection, Evidence};
use crate::plan::{Bom, Encoding, Plan};

/// Where the encoding of an input is taken from.
#[derive(Debug, Clone)]
pub enum Origin {
    /// It is this one.
    Given(Encoding),
    /// From its bytes as far as they leave no doubt; this one where they do.
    Auto(Option<Encoding>),
    /// From its bytes, by the word of the [detector](crate::detect).
    Detect,
}

/// What is made of an input.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// It is in this encoding. A detector adds how sure it is.
    Is(Encoding, Option<Confidence>),
    /// It is not known in which.
    Unknown,
    /// It is no text.
    Binary,
}

/// Bytes that are looked at of a stream, which cannot be looked at as a whole.
pub const PREFIX: usize = 64 * 1024;

impl Origin {
    /// Whether the bytes of an input have to be looked at.
    pub fn looks(&self) -> bool {
        !matches!(self, Origin::Given(_))
    }

    /// The plan for an input in this encoding. A byte order mark by which UTF-8 has been recognized
    /// is removed as that of UTF-16 is, unless the plan says what to do about it.
    pub fn plan(&self, plan: &Plan, from: Encoding) -> Plan {
        let bom = match plan.bom {
            Bom::Default if self.looks() && charset::is_utf8(from.charset) => Bom::Strip,
            other => other,
        };
        Plan { from, bom, ..plan.clone() }
    }

    /// What is made of a whole input.
    ///
    /// # Errors
    ///
    /// What reading answers.
    pub fn of(&self, input: &mut dyn Read) -> io::Result<Verdict> {
        Ok(match self {
            Origin::Given(encoding) => Verdict::Is(encoding.clone(), None),
            Origin::Auto(fallback) => certain(&Evidence::of(input)?, fallback),
            Origin::Detect => detected(&detect::of(input)?),
        })
    }

    /// What is made of an input that begins like this.
    pub fn of_prefix(&self, bytes: &[u8]) -> Verdict {
        match self {
            Origin::Given(encoding) => Verdict::Is(encoding.clone(), None),
            Origin::Auto(fallback) => certain(&Evidence::of_prefix(bytes), fallback),
            Origin::Detect => detected(&detect::of_prefix(bytes)),
        }
    }
}

fn certain(evidence: &Evidence, fallback: &Option<Encoding>) -> Verdict {
    match evidence.encoding().or_else(|| fallback.clone()) {
        Some(encoding) => Verdict::Is(encoding, None),
        None if evidence.has_nul() => Verdict::Binary,
        None => Verdict::Unknown,
    }
}

fn detected(found: &Detection) -> Verdict {
    let best = found.best().and_then(|best| Some((best.encoding()?, best.confidence)));
    match (found.content, best) {
        (Content::Binary, _) => Verdict::Binary,
        (Content::Text, Some((encoding, confidence))) => Verdict::Is(encoding, Some(confidence)),
        (Content::Text, None) => Verdict::Unknown,
        // Nothing is nothing in any encoding.
        (Content::Empty, _) => certain(&Evidence::default(), &None),
    }
}
