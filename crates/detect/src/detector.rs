//! The detector: runs all probers on the input and combines their results.

use std::fmt;

use super::declared::DeclarationProber;
use super::line_endings::LineEndingScanner;
use super::prober::{DecoderProber, EscapeProber, Utf16Utf32Prober};
use super::statistical::{ASCII_CONTEXT_LEN, StatisticalDetector};
use super::text_stats::ControlCharCounter;
use super::utf8_sniffer::Utf8Sniffer;
use super::{Candidate, Confidence, Content, Detection, DetectionHints, Evidence, LineEndings};
use crate::binary::{self, LENIENT_CHARS_PER_CONTROL, MAX_RANDOM_LEN, STRICT_CHARS_PER_CONTROL};
use charpipe_encoding::encoding;

/// The number of leading bytes that decide whether to probe UTF-16 and UTF-32.
const UTF16_SNIFF_LEN: usize = 4096;

/// The number of bytes that all probers examine before the next bytes.
const FEED_LEN: usize = 16 * 1024;

/// Detects the encoding of an input that arrives in chunks.
///
/// ```
/// let mut detector = charpipe::detect::Detector::new();
/// for chunk in [&b"caf\xC3"[..], b"\xA9"] {
///     detector.feed(chunk);
/// }
/// assert_eq!(detector.finish().best().unwrap().encoding, charpipe::UTF_8);
/// ```
#[derive(Default)]
pub struct Detector {
    hints: DetectionHints,
    /// The first bytes, until [`UTF16_SNIFF_LEN`] have been collected.
    head: Vec<u8>,
    /// Whether the UTF-16 and UTF-32 probers have been started, if they are needed.
    started: bool,
    /// The format whose signature the input begins with.
    signature: Option<&'static str>,
    utf8_sniffer: Utf8Sniffer,
    control_chars: ControlCharCounter,
    line_endings: LineEndingScanner,
    utf16_utf32: Utf16Utf32Prober,
    escapes: EscapeProber,
    statistical: StatisticalDetector,
    declared: DeclarationProber,
}

impl Detector {
    /// Returns a detector of a new input.
    pub fn new() -> Detector {
        Detector::default()
    }

    /// Returns a detector of a new input of which something is known.
    pub fn with_hints(hints: &DetectionHints) -> Detector {
        Detector { hints: *hints, ..Detector::default() }
    }

    /// Examines the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        // Each part stays in the processor's cache.
        bytes.chunks(FEED_LEN).for_each(|part| self.feed_part(part));
    }

    fn feed_part(&mut self, bytes: &[u8]) {
        self.utf8_sniffer.feed(bytes);
        self.line_endings.feed(bytes);
        // With NUL, it is UTF-16, UTF-32 or binary whatever else is in it.
        if !self.utf8_sniffer.has_nul() {
            self.control_chars.feed(bytes);
            self.escapes.feed(bytes);
            self.statistical.feed(match self.escapes.has_non_ascii {
                true => bytes,
                // All that it keeps.
                false => &bytes[bytes.len().saturating_sub(ASCII_CONTEXT_LEN)..],
            });
        }
        self.declared.feed(bytes);
        if self.started {
            return self.utf16_utf32.feed(bytes);
        }
        if self.head.is_empty() && bytes.len() >= UTF16_SNIFF_LEN {
            return self.start_probers(bytes);
        }
        self.head.extend_from_slice(bytes);
        if self.head.len() >= UTF16_SNIFF_LEN {
            self.start_with_head();
        }
    }

    /// Returns whether further input cannot change the result.
    pub fn is_done(&self) -> bool {
        let is_binary = self.utf16_utf32.is_exhausted()
            && self.utf8_sniffer.has_nul()
            && self.bom_encoding().is_none();
        self.started && (is_binary || self.signature.is_some())
    }

    /// Ends the input and returns the result.
    pub fn finish(mut self) -> Detection {
        if !self.started {
            self.start_with_head();
        }
        self.utf8_sniffer.finish();
        self.utf16_utf32.finish();
        self.escapes.finish();
        self.declared.finish(false);
        self.result()
    }

    /// Returns the result for an input of which only the beginning was examined: an incomplete sequence
    /// at the end is not an error.
    pub fn finish_truncated(mut self) -> Detection {
        if !self.started {
            self.start_with_head();
        }
        self.declared.finish(true);
        self.result()
    }

    fn start_with_head(&mut self) {
        let head = std::mem::take(&mut self.head);
        self.start_probers(&head);
    }

    /// Starts the UTF-16 and UTF-32 probers, if they are needed, and passes them the first bytes.
    fn start_probers(&mut self, head: &[u8]) {
        self.started = true;
        self.signature = binary::detect_signature(head);
        let wide_bom = self.bom_encoding().filter(|name| *name != "UTF-8");
        // Only the first bytes decide, so the result does not depend on the chunks.
        let mut control_chars = ControlCharCounter::default();
        control_chars.feed(&head[..head.len().min(UTF16_SNIFF_LEN)]);
        if wide_bom.is_some() || control_chars.has_any() {
            self.utf16_utf32.start(wide_bom);
            self.utf16_utf32.feed(head);
        }
    }

    fn bom_encoding(&self) -> Option<&'static str> {
        self.utf8_sniffer.bom_encoding()
    }

    /// Returns the result of the bytes, or the declared encoding if the bytes confirm it. A byte order
    /// mark and UTF-8, with a few errors too, take precedence.
    fn result(&self) -> Detection {
        let mut detection = self.result_of_bytes();
        let has_nul = self.utf8_sniffer.has_nul();
        let accepted = self.declared.accepted(has_nul).filter(|_| self.signature.is_none());
        let best = detection.best();
        let is_utf8 = accepted.is_some_and(|accepted| encoding::is_utf8(accepted.encoding));
        let confirmed = accepted.filter(|accepted| match best {
            Some(Candidate {
                evidence: Evidence::Bom | Evidence::Utf8 | Evidence::MostlyUtf8,
                encoding,
                ..
            }) => encoding == accepted.encoding,
            // Valid UTF-8 that is not text is binary, whatever it declares.
            None => !is_utf8,
            _ => true,
        });
        detection.declaration = self.declared.declaration(confirmed.is_some());
        let has_evidence = match best.map(|best| best.evidence) {
            Some(Evidence::Bom | Evidence::Utf8) => true,
            Some(Evidence::Ascii) => is_utf8,
            _ => false,
        };
        if let (Some(accepted), Some(declaration), false) =
            (confirmed, &detection.declaration, has_evidence)
        {
            let (encoding, confidence) = (accepted.encoding, Confidence::Certain);
            let evidence = Evidence::Declaration(declaration.kind);
            detection.content = Content::Text;
            detection.line_endings = accepted.line_endings.unwrap_or(detection.line_endings);
            detection.candidates.retain(|other| other.encoding != encoding);
            detection.candidates.insert(0, Candidate::new(encoding, confidence, evidence));
        }
        detection
    }

    fn result_of_bytes(&self) -> Detection {
        let text = |candidates, line_endings| Detection {
            content: Content::Text,
            candidates,
            has_bom: self.bom_encoding().is_some(),
            line_endings,
            declaration: None,
        };
        let not_text = |content| Detection {
            content,
            candidates: Vec::new(),
            has_bom: false,
            line_endings: LineEndings::None,
            declaration: None,
        };
        if self.utf8_sniffer.is_empty() {
            return not_text(Content::Empty);
        }
        if self.signature.is_some() {
            return not_text(Content::Binary);
        }
        if let Some(prober) = self.utf16_utf32.bom_prober() {
            return text(vec![bom_candidate(prober)], prober.stats.line_endings.result());
        }
        let lines = self.line_endings.result();
        if self.bom_encoding().is_some() {
            return text(self.utf8_candidates(Evidence::Bom), lines);
        }
        if self.utf8_sniffer.has_nul() || self.has_too_many_controls() {
            let probers = self.utf16_utf32.ranked_probers();
            let is_ebcdic = || !self.utf8_sniffer.has_nul() && self.statistical.is_ebcdic();
            return match probers.first().filter(|_| !is_ebcdic()) {
                Some(best) => {
                    let lines = best.stats.line_endings.result();
                    text(probers.into_iter().map(bomless_candidate).collect(), lines)
                }
                // EBCDIC and short UTF-16 without ASCII have control characters of ASCII.
                None if !self.utf8_sniffer.has_nul() && self.escapes.has_non_ascii => {
                    match self.statistical.candidates_with_controls(&self.hints) {
                        candidates if candidates.is_empty() => not_text(Content::Binary),
                        candidates => text(candidates, lines),
                    }
                }
                None => not_text(Content::Binary),
            };
        }
        let candidates = match (self.escapes.has_non_ascii, self.utf8_sniffer.is_valid_utf8()) {
            (false, _) => self.seven_bit_candidates(),
            (true, true) => self.utf8_candidates(Evidence::Utf8),
            (true, false) => self.statistical.candidates(&self.hints),
        };
        let is_short = self.control_chars.chars <= MAX_RANDOM_LEN as u64;
        let best = candidates.first().filter(|best| is_short && best.evidence.is_statistical());
        if best.is_some_and(|best| self.statistical.looks_random(best)) {
            return not_text(Content::Binary);
        }
        text(candidates, lines)
    }

    /// Returns whether there are more control characters than text contains. Only seven-bit encodings use
    /// SO and SI as shifts.
    fn has_too_many_controls(&self) -> bool {
        let per_control = if self.utf8_sniffer.is_valid_utf8() {
            LENIENT_CHARS_PER_CONTROL
        } else {
            STRICT_CHARS_PER_CONTROL
        };
        if self.escapes.has_non_ascii {
            return self.control_chars.including_all().exceeds_threshold(per_control);
        }
        self.control_chars.exceeds_threshold(per_control)
    }

    fn seven_bit_candidates(&self) -> Vec<Candidate> {
        let ascii = new_candidate("US-ASCII", Confidence::Certain, Evidence::Ascii);
        let escaped = |prober: &DecoderProber, confidence| {
            Candidate::new(prober.encoding, confidence, Evidence::EscapeSequences)
        };
        match (self.escapes.best_iso_2022_or_hz(), self.escapes.utf7()) {
            (Some(prober), _) => vec![escaped(prober, Confidence::Likely)],
            (None, utf7) => {
                let utf7 = utf7.map(|prober| escaped(prober, Confidence::Guess));
                ascii.into_iter().chain(utf7).collect()
            }
        }
    }

    fn utf8_candidates(&self, evidence: Evidence) -> Vec<Candidate> {
        let valid = self.utf8_sniffer.is_valid_utf8();
        let confidence = if valid { Confidence::Certain } else { Confidence::Likely };
        new_candidate("UTF-8", confidence, evidence).into_iter().collect()
    }
}

fn new_candidate(name: &str, confidence: Confidence, evidence: Evidence) -> Option<Candidate> {
    encoding::for_label(name).map(|encoding| Candidate::new(encoding, confidence, evidence))
}

/// Returns the candidate declared by a byte order mark. Other data may begin like one by chance, but is
/// not valid then.
fn bom_candidate(prober: &DecoderProber) -> Candidate {
    let valid = prober.is_alive() && !prober.truncated;
    let confidence = if valid { Confidence::Certain } else { Confidence::Likely };
    Candidate::new(prober.encoding, confidence, Evidence::Bom)
}

fn bomless_candidate(prober: &DecoderProber) -> Candidate {
    let unsure = prober.truncated || prober.stats.is_too_short();
    let confidence = if unsure { Confidence::Guess } else { Confidence::Likely };
    Candidate::new(prober.encoding, confidence, Evidence::Utf16OrUtf32)
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detector")
            .field("evidence", &self.utf8_sniffer)
            .field("controls", &self.control_chars)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::encode;

    fn describe_detection(chunks: &mut dyn Iterator<Item = &[u8]>) -> String {
        let mut detector = Detector::new();
        for chunk in chunks {
            detector.feed(chunk);
            if detector.is_done() {
                break;
            }
        }
        let Detection { content, candidates, has_bom, line_endings, .. } = detector.finish();
        let names: Vec<_> = candidates
            .iter()
            .map(|found| (found.encoding.name(), found.confidence, found.evidence))
            .collect();
        format!("{content:?} {has_bom} {line_endings} {names:?}")
    }

    #[test]
    fn result_does_not_depend_on_chunk_size() {
        let long = "Всё это – только начало.\r\n".repeat(400);
        let converted = |to| encode(to, &long.replace('–', "-")).unwrap();
        let latin = encode("latin1", &"naïve café\r".repeat(3)).unwrap();
        for bytes in [
            converted("CP1251"),
            converted("UTF-16LE"),
            converted("UTF-32"),
            converted("UTF-7"),
            converted("CP10007"),
            latin,
            long.clone().into_bytes(),
            [long.as_bytes(), b"\xFF", long.as_bytes()].concat(),
            ["x".repeat(5000).as_bytes(), &converted("KOI8-R")].concat(),
            ["x".repeat(4095).as_bytes(), b"\0\0", &converted("UTF-16BE")].concat(),
            b"\x1B$B0!\x1B(B\n".repeat(3),
        ] {
            let whole = describe_detection(&mut [bytes.as_slice()].into_iter());
            for size in [1, 2, 3, 7, 4095, 4096, 4097] {
                assert_eq!(describe_detection(&mut bytes.chunks(size)), whole, "{size}");
            }
        }
    }

    #[test]
    fn candidates_are_sorted_by_probability() {
        // Text that fits no encoding.
        for bytes in [&b"aaaaaaaaaaaaaaaaaaaa\x8E\xA2"[..], b"caf\xE9"] {
            let candidates = crate::detect(bytes).candidates;
            let probabilities: Vec<_> = candidates.iter().map(|found| found.probability).collect();
            assert!(probabilities.is_sorted_by(|one, other| one >= other), "{probabilities:?}");
        }
    }

    #[test]
    fn prefix_may_split_a_character() {
        for (bytes, name, confidence) in [
            (&b"ab\xE2\x82"[..], "UTF-8", Confidence::Certain),
            (b"a\0b\0c\0d\0e", "UTF-16LE", Confidence::Likely),
            (b"\xFF\xFEa", "UTF-16", Confidence::Certain),
        ] {
            let best = crate::detect_prefix(bytes).best().unwrap();
            assert_eq!((best.encoding.name(), best.confidence), (name, confidence), "{bytes:?}");
        }
    }
}
