//! Eight-bit text that is not UTF-8: what the frequencies of its bytes say.
//!
//! The frequencies are those of the crate chardetng, the detector of Firefox. It answers with the
//! one encoding of the Encoding Standard that fits best. How sure it is it does not say, but it can
//! be told from which country a page comes: an answer that stands whatever it is told is likely to be
//! right, and other answers are other candidates.

use std::collections::BTreeMap;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::word_shape::WordShape;
use super::{Candidate, Confidence, Evidence};
use crate::binary;
use crate::encoding::{self, Encoding};
use crate::transcode;

/// Bytes from the first that is not ASCII on that are looked at.
const SAMPLE_SIZE: usize = 256 * 1024;

/// Bytes of ASCII in front that matter, as in Spanish `n.º`.
const ASCII_CONTEXT_LEN: usize = 2;

/// A country for each habit that the crate knows, none first. That of one where each of the encodings
/// is at home.
const TLD_HINTS: [Option<&[u8]>; 18] = [
    None,
    Some(b"fr"),
    Some(b"cz"),
    Some(b"hu"),
    Some(b"lt"),
    Some(b"is"),
    Some(b"tr"),
    Some(b"vn"),
    Some(b"ru"),
    Some(b"gr"),
    Some(b"il"),
    Some(b"eg"),
    Some(b"th"),
    Some(b"cn"),
    Some(b"tw"),
    Some(b"jp"),
    Some(b"kr"),
    Some(b"eu"),
];

/// So many well-formed characters for each sequence that is not make UTF-8 with an error in it.
const MIN_VALID_PER_INVALID: usize = 10;

/// Encodings of DOS and the Macintosh, and one of Vietnamese, that browsers have no name for. The
/// crate takes their text for something else, in which its words are none.
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

/// So many times fewer characters are out of position in an encoding that is to win over the answer of
/// the crate; and to be likely.
const MIN_IMPROVEMENT: u64 = 3;
const LIKELY_IMPROVEMENT: u64 = 8;

/// Bytes beyond ASCII that are too few for frequencies to say much.
const MIN_NON_ASCII_BYTES: usize = 6;

/// Characters beyond ASCII that are too few to be sure of a foreign encoding.
const MIN_NON_ASCII_CHARS: u64 = 12;

/// The beginning of what is not ASCII.
#[derive(Default)]
pub(super) struct LegacyDetector {
    sample: Vec<u8>,
    started: bool,
    /// Whether there is more than the sample.
    truncated: bool,
}

impl LegacyDetector {
    /// Looks at the next bytes.
    pub(super) fn feed(&mut self, mut bytes: &[u8]) {
        if !self.started {
            let first = bytes.iter().position(|byte| !byte.is_ascii());
            self.started = first.is_some();
            let from = first.unwrap_or(bytes.len());
            let context = &bytes[from.saturating_sub(ASCII_CONTEXT_LEN)..from];
            self.sample.extend_from_slice(context);
            let surplus = self.sample.len().saturating_sub(ASCII_CONTEXT_LEN);
            self.sample.drain(..surplus);
            bytes = &bytes[from..];
        }
        let len = (SAMPLE_SIZE - self.sample.len()).min(bytes.len());
        self.sample.extend_from_slice(&bytes[..len]);
        self.truncated |= len < bytes.len();
    }

    /// The input goes on after what has been seen.
    pub(super) fn mark_truncated(&mut self) {
        self.truncated = true;
    }

    /// The candidates, the best first.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = self.mostly_utf8_candidate().into_iter().collect();
        let guesses = self.ranked_guesses();
        if let (Some((first, _)), true) = (guesses.first(), candidates.is_empty()) {
            candidates.extend(self.better_non_web(first));
        }
        for (encoding, confidence) in guesses {
            if candidates.iter().all(|known| known.encoding != encoding) {
                // Where another is better, this is not likely.
                let confidence = if candidates.is_empty() { confidence } else { Confidence::Guess };
                candidates.push(Candidate {
                    encoding: encoding,
                    confidence,
                    evidence: Evidence::ByteFrequency,
                });
            }
        }
        candidates
    }

    /// Whether a short input, read so, looks like random bytes.
    pub(super) fn looks_random(&self, encoding: &Encoding) -> bool {
        let text = transcode(encoding.name, "UTF-8", &self.sample).unwrap_or_default();
        binary::looks_random(&self.sample, std::str::from_utf8(&text).unwrap_or_default())
    }

    /// UTF-8, if it is almost that.
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
        Some(Candidate {
            encoding: encoding,
            confidence: Confidence::Likely,
            evidence: Evidence::MostlyUtf8,
        })
    }

    /// An encoding that makes better words than the answer of the crate does, if there is one.
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
        let (encoding, words) =
            best.filter(|(_, words)| words.is_better_than(MIN_IMPROVEMENT, web_shape))?;
        let sure = words.non_ascii >= MIN_NON_ASCII_CHARS
            && words.is_better_than(LIKELY_IMPROVEMENT, web_shape)
            && !binary::has_few_repetitions(&self.sample);
        let confidence = if sure { Confidence::Likely } else { Confidence::Guess };
        Some(Candidate { encoding, confidence, evidence: Evidence::WordShape })
    }

    fn ranked_guesses(&self) -> Vec<(&'static Encoding, Confidence)> {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(&self.sample, !self.truncated);
        let guess = |tld| encoding_for_web_name(detector.guess(tld, Utf8Detection::Deny).name());
        let first = guess(None);
        let mut votes: BTreeMap<&str, (usize, &'static Encoding)> = BTreeMap::new();
        for encoding in TLD_HINTS.into_iter().filter_map(guess) {
            votes.entry(encoding.name).or_insert((0, encoding)).0 += 1;
        }
        let mut voices: Vec<_> = votes.into_values().collect();
        voices.sort_by_key(|(count, encoding)| (Some(*encoding) != first, TLD_HINTS.len() - count));
        let enough =
            self.sample.iter().filter(|byte| !byte.is_ascii()).count() >= MIN_NON_ASCII_BYTES;
        let sure = |encoding, count| {
            let agreed = enough && Some(encoding) == first && count * 3 >= TLD_HINTS.len() * 2;
            if agreed { Confidence::Likely } else { Confidence::Guess }
        };
        voices.into_iter().map(|(count, encoding)| (encoding, sure(encoding, count))).collect()
    }
}

/// Whether these bytes may go on as a character of UTF-8.
fn is_incomplete_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The encoding that browsers mean by the name of an encoding. But of Vietnamese they leave letters and
/// tones apart, and nobody writes text like that.
fn encoding_for_web_name(name: &str) -> Option<&'static Encoding> {
    match name {
        "windows-1258" => encoding::for_label("CP1258"),
        _ => encoding::for_label(&format!("whatwg:{name}")),
    }
}
