//! The encoding of an input: given by the user, or determined from its bytes.

use std::io::{self, Read};

use charpipe_detect::{self as detect, AutoSniffer, Confidence, DetectionHints, Detector};
use charpipe_encoding::encoding;
use charpipe_transcode::options::{BomPolicy, EncodingSpec, TranscodeOptions};

mod expected;
mod resolution;

use resolution::resolve_by_detection;

pub use expected::{EncodingEvidence, ExpectedEncoding, OtherEncoding};
pub use resolution::{DetectedEncoding, Resolution, ResolvedInput};

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
    pub fn resolve(&self, input: &mut dyn Read) -> io::Result<ResolvedInput> {
        Ok(match self {
            InputEncoding::Fixed(encoding) => ResolvedInput::fixed(encoding),
            InputEncoding::Auto(default) => {
                let mut sniffer = AutoSniffer::default();
                detect::read_chunks(input, |chunk| {
                    sniffer.feed(chunk);
                    false
                })?;
                ResolvedInput::from_auto(sniffer.finish(false), default.as_ref())
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
    pub fn resolve_prefix(&self, bytes: &[u8]) -> ResolvedInput {
        match self {
            InputEncoding::Fixed(encoding) => ResolvedInput::fixed(encoding),
            InputEncoding::Auto(default) => {
                let mut sniffer = AutoSniffer::default();
                sniffer.feed(bytes);
                ResolvedInput::from_auto(sniffer.finish(true), default.as_ref())
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

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_detect::Confidence;

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
