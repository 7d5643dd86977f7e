//! Eight-bit text that is not UTF-8: what the frequencies of its bytes say.
//!
//! The frequencies are those of the crate chardetng, the detector of Firefox. It answers with the
//! one encoding of the Encoding Standard that fits best. How sure it is it does not say, but it can
//! be told from which country a page comes: an answer that stands whatever it is told is likely to be
//! right, and other answers are other candidates.

use std::collections::BTreeMap;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

use super::words::Words;
use super::{Candidate, Confidence, Reason};
use crate::binary;
use crate::charset::{self, Charset};
use crate::convert;

/// Bytes from the first that is not ASCII on that are looked at.
const SAMPLE: usize = 256 * 1024;

/// Bytes of ASCII in front that matter, as in Spanish `n.º`.
const BEFORE: usize = 2;

/// A country for each habit that the crate knows, none first. That of one where each of the encodings
/// is at home.
const COUNTRIES: [Option<&[u8]>; 18] = [
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

/// So many well-formed characters for each sequence that is not make UTF-8 with a fault in it.
const PER_FAULT: usize = 10;

/// Charsets of DOS and the Macintosh, and one of Vietnamese, that browsers have no name for. The
/// crate takes their text for something else, in which its words are none.
const FOREIGN: [&str; 14] = [
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

/// So many times fewer characters are out of place in a charset that is to win over the answer of
/// the crate; and to be likely.
const BETTER: u64 = 3;
const FAR_BETTER: u64 = 8;

/// Bytes beyond ASCII that are too few for frequencies to say much.
const FEW_BYTES: usize = 6;

/// Characters beyond ASCII that are too few to be sure of a foreign charset.
const FEW: u64 = 12;

/// The beginning of what is not ASCII.
#[derive(Default)]
pub(super) struct Legacy {
    sample: Vec<u8>,
    begun: bool,
    /// Whether there is more than the sample.
    more: bool,
}

impl Legacy {
    /// Looks at the next bytes.
    pub(super) fn add(&mut self, mut bytes: &[u8]) {
        if !self.begun {
            let first = bytes.iter().position(|byte| !byte.is_ascii());
            self.begun = first.is_some();
            let from = first.unwrap_or(bytes.len());
            let near = &bytes[from.saturating_sub(BEFORE)..from];
            self.sample.extend_from_slice(near);
            let surplus = self.sample.len().saturating_sub(BEFORE);
            self.sample.drain(..surplus);
            bytes = &bytes[from..];
        }
        let room = (SAMPLE - self.sample.len()).min(bytes.len());
        self.sample.extend_from_slice(&bytes[..room]);
        self.more |= room < bytes.len();
    }

    /// The input goes on behind what has been seen.
    pub(super) fn cut(&mut self) {
        self.more = true;
    }

    /// The candidates, the best first.
    pub(super) fn candidates(&self) -> Vec<Candidate> {
        let mut candidates: Vec<Candidate> = self.utf_8().into_iter().collect();
        let guesses = self.guesses();
        if let (Some((first, _)), true) = (guesses.first(), candidates.is_empty()) {
            candidates.extend(self.foreign(first));
        }
        for (charset, confidence) in guesses {
            if candidates.iter().all(|known| known.charset != charset) {
                // Where another is better, this is not likely.
                let confidence = if candidates.is_empty() { confidence } else { Confidence::Guess };
                candidates.push(Candidate { charset, confidence, reason: Reason::Frequencies });
            }
        }
        candidates
    }

    /// Whether a short input, read so, looks like random bytes.
    pub(super) fn is_noise(&self, charset: &Charset) -> bool {
        let text = convert(charset.name, "UTF-8", &self.sample).unwrap_or_default();
        binary::is_noise(&self.sample, std::str::from_utf8(&text).unwrap_or_default())
    }

    /// UTF-8, if it is almost that.
    fn utf_8(&self) -> Option<Candidate> {
        let (mut good, mut bad) = (0, 0);
        let mut chunks = self.sample.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            good += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
            let cut = chunks.peek().is_none() && is_cut(chunk.invalid());
            bad += usize::from(!chunk.invalid().is_empty() && !cut);
        }
        let enough = good > 0 && good >= bad * PER_FAULT;
        let charset = charset::find("UTF-8").filter(|_| enough)?;
        Some(Candidate { charset, confidence: Confidence::Likely, reason: Reason::MostlyUtf8 })
    }

    /// A charset that makes better words than the answer of the crate does, if there is one.
    fn foreign(&self, answer: &Charset) -> Option<Candidate> {
        let known = Words::of(answer, &self.sample)?;
        if known.are_fine() {
            return None;
        }
        let mut best: Option<(&'static Charset, Words)> = None;
        for charset in FOREIGN.into_iter().filter_map(charset::find) {
            let Some(words) = Words::of(charset, &self.sample) else { continue };
            if best.is_none_or(|(_, best)| words.misplaced < best.misplaced) {
                best = Some((charset, words));
            }
        }
        let (charset, words) = best.filter(|(_, words)| words.are_better(BETTER, known))?;
        let sure = words.beyond_ascii >= FEW
            && words.are_better(FAR_BETTER, known)
            && !binary::repeats_too_little(&self.sample);
        let confidence = if sure { Confidence::Likely } else { Confidence::Guess };
        Some(Candidate { charset, confidence, reason: Reason::Words })
    }

    fn guesses(&self) -> Vec<(&'static Charset, Confidence)> {
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(&self.sample, !self.more);
        let guess = |country| charset_of(detector.guess(country, Utf8Detection::Deny).name());
        let first = guess(None);
        let mut voices: BTreeMap<&str, (usize, &'static Charset)> = BTreeMap::new();
        for charset in COUNTRIES.into_iter().filter_map(guess) {
            voices.entry(charset.name).or_insert((0, charset)).0 += 1;
        }
        let mut voices: Vec<_> = voices.into_values().collect();
        voices.sort_by_key(|(count, charset)| (Some(*charset) != first, COUNTRIES.len() - count));
        let enough = self.sample.iter().filter(|byte| !byte.is_ascii()).count() >= FEW_BYTES;
        let sure = |charset, count| {
            let agreed = enough && Some(charset) == first && count * 3 >= COUNTRIES.len() * 2;
            if agreed { Confidence::Likely } else { Confidence::Guess }
        };
        voices.into_iter().map(|(count, charset)| (charset, sure(charset, count))).collect()
    }
}

/// Whether these bytes may go on as a character of UTF-8.
fn is_cut(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

/// The charset that browsers mean by the name of an encoding. But of Vietnamese they leave letters and
/// tones apart, and nobody writes text like that.
fn charset_of(name: &str) -> Option<&'static Charset> {
    match name {
        "windows-1258" => charset::find("CP1258"),
        _ => charset::find(&format!("whatwg:{name}")),
    }
}
