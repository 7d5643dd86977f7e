//! Detection of legacy eight-bit and multi-byte encodings.
//!
//! The byte frequencies are those of the crate chardetng, the detector of Firefox. It returns the single
//! best encoding of the Encoding Standard, without a confidence, but accepts the top-level domain of a
//! page as a hint: a result that does not depend on the hint is likely to be right, and the other results
//! are further candidates.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::text_stats::WordShape;
use super::{Candidate, Confidence, DetectionHints, Evidence};
use crate::detect::binary;
use crate::encoding::{self, Encoding};
use crate::transcode;

/// The size of the sample in bytes, which begins with the first non-ASCII byte.
const SAMPLE_SIZE: usize = 256 * 1024;

/// The number of ASCII bytes before the sample that matter, as in Spanish `n.º`.
const ASCII_CONTEXT_LEN: usize = 2;

/// One top-level domain for each class that the crate distinguishes, where the encodings of the class
/// are common.
const TLD_HINTS: [&str; 17] = [
    "fr", "cz", "hu", "lt", "is", "tr", "vn", "ru", "gr", "il", "eg", "th", "cn", "tw", "jp", "kr",
    "eu",
];

/// The minimum number of valid non-ASCII characters per malformed sequence in UTF-8 with errors.
const MIN_VALID_PER_INVALID: usize = 10;

/// Encodings of DOS and the Macintosh, and of Vietnamese, that browsers do not support. The crate detects
/// their text as another encoding, in which its words are implausible.
const NON_WEB_ENCODINGS: [&str; 14] = [
    "IBM850",
    "IBM852",
    "MACINTOSH",
    "MAC-CENTRALEUROPE",
    "CP10007",
    "CP737",
    "MacGreek",
    "IBM857",
    "MacTurkish",
    "IBM862",
    "IBM775",
    "IBM865",
    "VISCII",
    "TCVN5712-1",
];

/// How many times fewer anomalies an encoding must have to be preferred to the result of the crate.
const MIN_IMPROVEMENT: u64 = 3;

/// How many times fewer anomalies an encoding must have to be likely.
const LIKELY_IMPROVEMENT: u64 = 8;

/// The minimum number of non-ASCII bytes for frequencies to be reliable.
const MIN_NON_ASCII_BYTES: usize = 6;

/// The minimum number of non-ASCII characters for an encoding of DOS or the Macintosh to be likely.
const MIN_NON_ASCII_CHARS: u64 = 12;

/// Collects a sample of the input from its first non-ASCII byte on, and detects its encoding.
#[derive(Default)]
pub(super) struct LegacyDetector {
    sample: Vec<u8>,
    started: bool,
    /// Whether the input continues after the sample.
    pub(super) truncated: bool,
}

impl LegacyDetector {
    /// Adds the next bytes to the sample.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        if !self.started {
            let first = bytes.iter().position(|byte| !byte.is_ascii());
            self.started = first.is_some();
            let start = first.unwrap_or(bytes.len());
            let context = &bytes[start.saturating_sub(ASCII_CONTEXT_LEN)..start];
            self.sample.extend_from_slice(context);
            let surplus = self.sample.len().saturating_sub(ASCII_CONTEXT_LEN);
            self.sample.drain(..surplus);
            bytes = &bytes[start..];
        }
        let len = (SAMPLE_SIZE - self.sample.len()).min(bytes.len());
        self.sample.extend_from_slice(&bytes[..len]);
        self.truncated |= len < bytes.len();
    }

    /// Returns the candidates, the best one first.
    pub(super) fn candidates(&self, _hints: &DetectionHints) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = self.mostly_utf8_candidate().into_iter().collect();
        let guesses = self.ranked_guesses();
        if let (Some((first, _)), true) = (guesses.first(), candidates.is_empty()) {
            candidates.extend(self.better_non_web(first));
        }
        for (encoding, confidence) in guesses {
            if candidates.iter().all(|known| known.encoding != encoding) {
                let confidence = if candidates.is_empty() { confidence } else { Confidence::Guess };
                candidates.push(Candidate::new(encoding, confidence, Evidence::LanguageModel));
            }
        }
        candidates
    }

    /// Returns whether a short input looks like random bytes when decoded in this encoding.
    pub(super) fn looks_random(&self, encoding: &Encoding) -> bool {
        let text = transcode(encoding.name, "UTF-8", &self.sample).unwrap_or_default();
        binary::looks_random(&self.sample, std::str::from_utf8(&text).unwrap_or_default())
    }

    /// Returns UTF-8 as a candidate if the sample has only a few malformed sequences.
    fn mostly_utf8_candidate(&self) -> Option<Candidate> {
        let (mut valid, mut invalid) = (0, 0);
        let mut chunks = self.sample.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
            let incomplete = chunks.peek().is_none() && is_incomplete_utf8(chunk.invalid());
            invalid += usize::from(!chunk.invalid().is_empty() && !incomplete);
        }
        let enough = valid > 0 && valid >= invalid * MIN_VALID_PER_INVALID;
        let encoding = encoding::for_label("UTF-8").filter(|_| enough)?;
        let (confidence, evidence) = (Confidence::Likely, Evidence::MostlyUtf8);
        Some(Candidate::new(encoding, confidence, evidence))
    }

    /// Returns the encoding not supported by browsers in which the words are most plausible, if they are
    /// clearly more plausible than in `web_encoding`.
    fn better_non_web(&self, web_encoding: &Encoding) -> Option<Candidate> {
        let web_shape = WordShape::from_bytes(web_encoding, &self.sample)?;
        if web_shape.is_acceptable() {
            return None;
        }
        let mut best: Option<(&'static Encoding, WordShape)> = None;
        for encoding in NON_WEB_ENCODINGS.into_iter().filter_map(encoding::for_label) {
            let Some(shape) = WordShape::from_bytes(encoding, &self.sample) else { continue };
            if best.is_none_or(|(_, best)| shape.anomalies < best.anomalies) {
                best = Some((encoding, shape));
            }
        }
        let (encoding, shape) =
            best.filter(|(_, shape)| shape.is_better_than(MIN_IMPROVEMENT, web_shape))?;
        let is_likely = shape.non_ascii >= MIN_NON_ASCII_CHARS
            && shape.is_better_than(LIKELY_IMPROVEMENT, web_shape)
            && !binary::has_few_repetitions(&self.sample);
        let confidence = if is_likely { Confidence::Likely } else { Confidence::Guess };
        Some(Candidate::new(encoding, confidence, Evidence::LanguageModel))
    }

    /// Returns the results of chardetng without a hint and with each hint: the one without a hint first, then by the number
    /// of hints that result in them.
    fn ranked_guesses(&self) -> Vec<(&'static Encoding, Confidence)> {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(&self.sample, !self.truncated);
        let guess = |tld| encoding_for_web_name(detector.guess(tld, Utf8Detection::Deny).name());
        let first = guess(None);
        let mut votes: BTreeMap<&str, (usize, &'static Encoding)> = BTreeMap::new();
        let hints = TLD_HINTS.map(|domain| Some(domain.as_bytes()));
        for encoding in hints.into_iter().chain([None]).filter_map(guess) {
            votes.entry(encoding.name).or_insert((0, encoding)).0 += 1;
        }
        let mut ranked: Vec<_> = votes.into_values().collect();
        ranked.sort_by_key(|(count, encoding)| (Some(*encoding) != first, Reverse(*count)));
        let enough =
            self.sample.iter().filter(|byte| !byte.is_ascii()).count() >= MIN_NON_ASCII_BYTES;
        let confidence = |encoding, count| {
            let agreed =
                enough && Some(encoding) == first && count * 3 >= (TLD_HINTS.len() + 1) * 2;
            if agreed { Confidence::Likely } else { Confidence::Guess }
        };
        let with_confidence = |(count, encoding)| (encoding, confidence(encoding, count));
        ranked.into_iter().map(with_confidence).collect()
    }
}

/// Returns whether these bytes are the beginning of a UTF-8 sequence.
fn is_incomplete_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// Returns the encoding that browsers use for this name. For windows-1258, browsers do not compose letters
/// and tone marks, so the ordinary encoding is returned.
fn encoding_for_web_name(name: &str) -> Option<&'static Encoding> {
    match name {
        "windows-1258" => encoding::for_label("CP1258"),
        _ => encoding::for_label(&format!("whatwg:{name}")),
    }
}
