//! All questions to an input at once, and the order in which the answers count.

use std::fmt;

use super::evidence::Evidence;
use super::legacy::Legacy;
use super::line_ends::Count;
use super::shifted::Shifted;
use super::trial::Trial;
use super::wide::Wide;
use super::{Candidate, Confidence, Content, Detection, LineEnds, Reason};
use crate::binary::{self, Controls, LENIENT, STRICT};
use crate::charset;

/// Bytes that are gathered before it is decided whether to look for UTF-16 and UTF-32.
const HEAD: usize = 4096;

/// Finds out what an input is whose bytes come in pieces.
#[derive(Default)]
pub struct Detector {
    /// The first bytes, until there are enough of them.
    head: Vec<u8>,
    begun: bool,
    /// The format whose signature the input begins with.
    signature: Option<&'static str>,
    evidence: Evidence,
    controls: Controls,
    lines: Count,
    wide: Wide,
    shifted: Shifted,
    legacy: Legacy,
}

impl Detector {
    /// A detector that has seen nothing yet.
    pub fn new() -> Detector {
        Detector::default()
    }

    /// Looks at the next bytes.
    pub fn add(&mut self, bytes: &[u8]) {
        self.evidence.add(bytes);
        self.controls.add(bytes);
        self.lines.add(bytes);
        self.shifted.add(bytes);
        self.legacy.add(bytes);
        if self.begun {
            return self.wide.add(bytes);
        }
        self.head.extend_from_slice(bytes);
        if self.head.len() >= HEAD {
            self.begin();
        }
    }

    /// Whether nothing that follows can change what has been found.
    pub fn is_settled(&self) -> bool {
        let binary = self.wide.is_over() && self.evidence.has_nul() && self.mark().is_none();
        self.begun && (binary || self.signature.is_some())
    }

    /// What the input is, which ends here.
    pub fn finish(mut self) -> Detection {
        if !self.begun {
            self.begin();
        }
        self.evidence.end();
        self.wide.end();
        self.shifted.end();
        self.verdict()
    }

    /// What the input is, of which this was the beginning: what it cuts off counts for nothing.
    pub fn finish_prefix(mut self) -> Detection {
        if !self.begun {
            self.begin();
        }
        self.legacy.cut();
        self.verdict()
    }

    /// Decides what to look for, and looks at the bytes that have been kept for that.
    fn begin(&mut self) {
        self.begun = true;
        let head = std::mem::take(&mut self.head);
        self.signature = binary::signature(&head);
        let wide_mark = self.mark().filter(|mark| *mark != "UTF-8");
        // The first bytes decide, not all that have come with them.
        let mut controls = Controls::default();
        controls.add(&head[..head.len().min(HEAD)]);
        if wide_mark.is_some() || controls.any() {
            self.wide.begin(wide_mark);
            self.wide.add(&head);
        }
    }

    fn mark(&self) -> Option<&'static str> {
        self.evidence.mark()
    }

    fn verdict(&self) -> Detection {
        let text = |candidates, line_ends| Detection {
            content: Content::Text,
            candidates,
            marked: self.mark().is_some(),
            line_ends,
        };
        let other = |content| Detection {
            content,
            candidates: Vec::new(),
            marked: false,
            line_ends: LineEnds::None,
        };
        if self.controls.is_empty() {
            return other(Content::Empty);
        }
        if self.signature.is_some() {
            return other(Content::Binary);
        }
        if let Some(trial) = self.wide.marked() {
            return text(vec![marked(trial)], trial.sight.lines.kind());
        }
        let lines = self.lines.kind();
        if self.mark().is_some() {
            return text(self.utf_8(Reason::Mark), lines);
        }
        if self.evidence.has_nul() || self.has_controls() {
            let fitting = self.wide.unmarked();
            return match fitting.first() {
                Some(best) => {
                    let lines = best.sight.lines.kind();
                    text(fitting.into_iter().map(unmarked).collect(), lines)
                }
                None => other(Content::Binary),
            };
        }
        let candidates = match (self.shifted.is_eight_bit(), self.evidence.is_utf_8()) {
            (false, _) => self.seven_bit(),
            (true, true) => self.utf_8(Reason::Utf8),
            (true, false) => self.legacy.candidates(),
        };
        let short = self.controls.chars() <= binary::LONGEST_NOISE as u64;
        let best = candidates.first().filter(|best| short && best.reason.is_statistical());
        if best.is_some_and(|best| self.legacy.is_noise(best.charset)) {
            return other(Content::Binary);
        }
        text(candidates, lines)
    }

    /// Whether there are more control characters than text has. Only encodings of seven bits have shifts.
    fn has_controls(&self) -> bool {
        let per_control = if self.evidence.is_utf_8() { LENIENT } else { STRICT };
        if self.shifted.is_eight_bit() {
            return self.controls.with_shifts().exceed(per_control);
        }
        self.controls.exceed(per_control)
    }

    fn seven_bit(&self) -> Vec<Candidate> {
        let ascii = || candidate("US-ASCII", Confidence::Certain, Reason::Ascii);
        let shifted = |trial: &Trial, confidence| Candidate {
            charset: trial.charset,
            confidence,
            reason: Reason::Shifts,
        };
        match (self.shifted.charset(), self.shifted.utf_7()) {
            (Some(trial), _) => vec![shifted(trial, Confidence::Likely)],
            (None, utf_7) => {
                let utf_7 = utf_7.map(|trial| shifted(trial, Confidence::Guess));
                ascii().into_iter().chain(utf_7).collect()
            }
        }
    }

    fn utf_8(&self, reason: Reason) -> Vec<Candidate> {
        let valid = self.evidence.is_utf_8();
        let confidence = if valid { Confidence::Certain } else { Confidence::Likely };
        candidate("UTF-8", confidence, reason).into_iter().collect()
    }
}

fn candidate(name: &str, confidence: Confidence, reason: Reason) -> Option<Candidate> {
    charset::find(name).map(|charset| Candidate { charset, confidence, reason })
}

/// What a mark calls for. Something else may begin so by chance, but then it is no text.
fn marked(trial: &Trial) -> Candidate {
    let sound = trial.stands() && !trial.is_cut();
    let confidence = if sound { Confidence::Certain } else { Confidence::Likely };
    Candidate { charset: trial.charset, confidence, reason: Reason::Mark }
}

fn unmarked(trial: &Trial) -> Candidate {
    let unsure = trial.is_cut() || trial.sight.is_short();
    let confidence = if unsure { Confidence::Guess } else { Confidence::Likely };
    Candidate { charset: trial.charset, confidence, reason: Reason::Units }
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detector")
            .field("evidence", &self.evidence)
            .field("controls", &self.controls)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pieces: &mut dyn Iterator<Item = &[u8]>) -> String {
        let mut detector = Detector::new();
        for piece in pieces {
            detector.add(piece);
            if detector.is_settled() {
                break;
            }
        }
        let Detection { content, candidates, marked, line_ends } = detector.finish();
        let names: Vec<_> = candidates
            .iter()
            .map(|found| (found.charset.name, found.confidence, found.reason))
            .collect();
        format!("{content:?} {marked} {line_ends} {names:?}")
    }

    #[test]
    fn what_is_found_does_not_depend_on_the_pieces() {
        let long = "Всё это – только начало.\r\n".repeat(400);
        let converted =
            |to| crate::convert("UTF-8", to, long.replace('–', "-").as_bytes()).unwrap();
        let latin = crate::convert("UTF-8", "latin1", "naïve café\r".repeat(3).as_bytes()).unwrap();
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
            let whole = found(&mut [bytes.as_slice()].into_iter());
            for size in [1, 2, 3, 7, 4095, 4096, 4097] {
                assert_eq!(found(&mut bytes.chunks(size)), whole, "{size}");
            }
        }
    }

    #[test]
    fn a_prefix_may_cut_a_character_and_go_on_otherwise() {
        for (bytes, name, confidence) in [
            (&b"ab\xE2\x82"[..], "UTF-8", Confidence::Certain),
            (b"a\0b\0c\0d\0e", "UTF-16LE", Confidence::Likely),
            (b"\xFF\xFEa", "UTF-16", Confidence::Certain),
        ] {
            let best = crate::detect::of_prefix(bytes).best().unwrap();
            assert_eq!((best.charset.name, best.confidence), (name, confidence), "{bytes:?}");
        }
    }
}
