//! Statistical detection of legacy encodings: collects a sample of the input, which the language models score.
//!
//! The sample begins before the first non-ASCII byte. After [`SAMPLE_SIZE`] bytes, only the surroundings of
//! bytes are added that the sample does not have: a euro sign far from the start excludes ISO-8859-1.

use super::ebcdic::EbcdicShape;
use super::hints::DetectionHints;
use super::sample::ByteSet;
use super::scorer::{self, Ranking};
use super::{Candidate, Confidence, Evidence};
use crate::binary;
use charpipe_encoding::encoding::{self, constants};

/// The size of the sample in bytes, from its first non-ASCII byte on.
const SAMPLE_SIZE: usize = 64 * 1024;

/// The number of ASCII bytes before the sample that show the language.
pub(super) const ASCII_CONTEXT_LEN: usize = 1024;

/// The number of bytes to add before and from a byte that the sample does not have.
const NOVELTY_CONTEXT_LEN: usize = 16;
const NOVELTY_LEN: usize = 16;

/// The minimum number of valid non-ASCII characters per malformed sequence in UTF-8 with errors.
const MIN_VALID_PER_MALFORMED: usize = 5;

/// If this number of malformed sequences are more than the valid characters before them, the input is not UTF-8.
const MAX_MALFORMED: usize = 512;

/// The maximum number of candidates.
const MAX_CANDIDATES: usize = 10;

/// The minimum probability that an input with control characters is text in which they are something else.
const MIN_PROBABILITY_WITH_CONTROLS: f64 = 0.9;

/// The minimum probability of a candidate other than the best one.
const MIN_PROBABILITY: f64 = 1e-7;

/// Collects a sample of the input and detects its encoding.
#[derive(Default)]
pub(super) struct StatisticalDetector {
    sample: Vec<u8>,
    /// The length of the ASCII text at the start of the sample.
    context_len: usize,
    started: bool,
    /// What follows the sample.
    rest: Option<Rest>,
}

/// The input after the sample.
struct Rest {
    /// Whether the sample is not UTF-8, so that the encoding has to be found.
    is_relevant: bool,
    seen: ByteSet,
    /// The last bytes.
    tail: Vec<u8>,
    /// The number of bytes to add.
    missing: usize,
}

impl StatisticalDetector {
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
            self.context_len = self.sample.len();
            bytes = &bytes[start..];
        }
        if self.rest.is_none() {
            let missing = self.context_len + SAMPLE_SIZE - self.sample.len();
            let (head, tail) = bytes.split_at(missing.min(bytes.len()));
            if self.sample.len() > self.context_len {
                // More than a short input: allocate once.
                self.sample.reserve_exact(missing);
            }
            self.sample.extend_from_slice(head);
            bytes = tail;
        }
        if bytes.is_empty() {
            return;
        }
        let sample = &mut self.sample;
        self.rest.get_or_insert_with(|| Rest::new(sample)).feed(bytes, sample);
    }

    /// Returns the candidates, the best one first.
    pub(super) fn candidates(&self, hints: &DetectionHints) -> Vec<Candidate> {
        let ranking = scorer::rank(&self.sample, hints);
        let (valid, malformed) = self.utf8_counts();
        // Other text hardly ever has valid sequences, but a few of them may be a coincidence.
        let is_utf8 = valid > 0
            && (valid >= malformed * MIN_VALID_PER_MALFORMED
                || valid >= malformed && ranking.confidence() < Confidence::Likely);
        let utf8 = encoding::for_label("UTF-8").filter(|_| is_utf8);
        let utf8 = utf8.map(|utf8| Candidate::new(utf8, Confidence::Likely, Evidence::MostlyUtf8));
        utf8.into_iter().chain(ranked_candidates(&ranking, is_utf8)).collect()
    }

    /// Returns the candidates of an input with control characters: those in which they are something else.
    pub(super) fn candidates_with_controls(&self, hints: &DetectionHints) -> Vec<Candidate> {
        let ranking = scorer::rank(&self.sample, hints);
        let without_controls = ranking.ranked.iter().filter(|(scored, _)| {
            let controls = [0x02, 0x15, 0x25];
            let decoded = scored.resolved.encoding.decode_strict(&controls);
            !decoded.is_ok_and(|text| text.as_bytes() == controls)
        });
        let probability: f64 = without_controls.map(|(_, probability)| probability).sum();
        match ranking.is_ebcdic || probability >= MIN_PROBABILITY_WITH_CONTROLS && ranking.fits() {
            true => ranked_candidates(&ranking, false),
            false => Vec::new(),
        }
    }

    /// Returns whether a short input with this best candidate looks like random bytes. The characters of an
    /// uncertain candidate say nothing about the bytes, so that each byte is taken for a character.
    pub(super) fn looks_random(&self, best: &Candidate) -> bool {
        if self.is_ebcdic() {
            return false;
        }
        let is_uncertain = best.confidence == Confidence::Uncertain;
        let encoding = if is_uncertain { constants::ISO_8859_1 } else { best.encoding };
        let text = encoding.decode_strict(&self.sample).unwrap_or_default();
        binary::looks_random(&self.sample, &text)
    }

    /// Returns whether the input is EBCDIC by its structure.
    pub(super) fn is_ebcdic(&self) -> bool {
        EbcdicShape::new(&self.sample).is_certain
    }

    /// Returns the numbers of non-ASCII characters and malformed sequences in UTF-8.
    fn utf8_counts(&self) -> (usize, usize) {
        let (mut valid, mut malformed) = (0, 0);
        let mut chunks = self.sample.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
            let incomplete = chunks.peek().is_none() && is_incomplete_utf8(chunk.invalid());
            malformed += usize::from(!chunk.invalid().is_empty() && !incomplete);
            if malformed >= MAX_MALFORMED && malformed > valid {
                break;
            }
        }
        (valid, malformed)
    }
}

/// Returns the candidates that the models have ranked, which are unlikely if the input is UTF-8.
fn ranked_candidates(ranking: &Ranking, is_utf8: bool) -> Vec<Candidate> {
    let mut candidates: Vec<Candidate> = Vec::new();
    for (scored, probability) in ranking.ranked.iter().take(MAX_CANDIDATES) {
        if *probability < MIN_PROBABILITY && !candidates.is_empty() {
            break;
        }
        let probability = if is_utf8 { probability * 0.01 } else { *probability };
        let confidence = match candidates.is_empty() && !is_utf8 {
            true => ranking.confidence(),
            false => Confidence::Uncertain,
        };
        candidates.push(Candidate {
            encoding: scored.resolved.encoding,
            confidence,
            probability: probability as f32,
            language: Some(scored.language),
            evidence: Evidence::LanguageModel,
        });
    }
    candidates
}

impl Rest {
    fn new(sample: &[u8]) -> Rest {
        let mut seen = ByteSet::default();
        seen.add_ascii();
        seen.add(sample);
        let is_relevant =
            std::str::from_utf8(sample).is_err_and(|error| error.error_len().is_some());
        let tail = sample[sample.len().saturating_sub(NOVELTY_CONTEXT_LEN)..].to_vec();
        Rest { is_relevant, seen, tail, missing: 0 }
    }

    /// Adds what is around bytes that have not been seen to the sample.
    fn feed(&mut self, mut bytes: &[u8], sample: &mut Vec<u8>) {
        if !self.is_relevant {
            return;
        }
        while !bytes.is_empty() {
            if self.missing > 0 {
                let (head, rest) = bytes.split_at(self.missing.min(bytes.len()));
                sample.extend_from_slice(head);
                self.seen.add(head);
                self.missing -= head.len();
                self.keep_tail(head);
                bytes = rest;
                continue;
            }
            let novelty = self.seen.find_other(bytes);
            let (head, rest) = bytes.split_at(novelty.unwrap_or(bytes.len()));
            self.keep_tail(head);
            if novelty.is_some() {
                sample.push(b'\n');
                sample.extend_from_slice(&self.tail);
                self.missing = NOVELTY_LEN;
            }
            bytes = rest;
        }
    }

    fn keep_tail(&mut self, bytes: &[u8]) {
        let start = bytes.len().saturating_sub(NOVELTY_CONTEXT_LEN);
        self.tail.extend_from_slice(&bytes[start..]);
        let surplus = self.tail.len().saturating_sub(NOVELTY_CONTEXT_LEN);
        self.tail.drain(..surplus);
    }
}

/// Returns whether these bytes are the beginning of a UTF-8 sequence.
fn is_incomplete_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::encode;

    #[test]
    fn what_is_kept_of_a_long_input_is_bounded() {
        let mut detector = StatisticalDetector::default();
        for _ in 0..200_000 {
            detector.feed(b"caf\xE9 au lait\n");
        }
        assert!(detector.rest.unwrap().tail.len() <= NOVELTY_CONTEXT_LEN);
    }

    #[test]
    fn controls_may_be_letters_of_vietnamese() {
        // VISCII (RFC 1456) has Ẳ at 02.
        let text = "TẤT CẢ MỌI NGƯỜI SINH RA ĐỀU ĐƯỢC TỰ DO VÀ BÌNH ĐẲNG VỀ NHÂN PHẨM VÀ QUYỀN LỢI. \
                    MỌI NGƯỜI ĐỀU BÌNH ĐẲNG TRƯỚC PHÁP LUẬT.\n";
        let mut detector = StatisticalDetector::default();
        detector.feed(&encode("VISCII", text).unwrap());
        let candidates = detector.candidates_with_controls(&DetectionHints::default());
        assert_eq!(candidates[0].encoding.name(), "VISCII");
    }

    #[test]
    fn short_text_in_utf_16_needs_no_byte_order_mark() {
        for (label, text) in [("UTF-16LE", "日本語の文字"), ("UTF-16BE", "日本語の文字")]
        {
            let mut detector = StatisticalDetector::default();
            detector.feed(&encode(label, text).unwrap());
            let candidates = detector.candidates(&DetectionHints::default());
            assert_eq!(candidates[0].encoding.name(), label);
        }
    }
}
