//! Detection of the encoding of a file.

use charpipe::detect::{Candidate, Detection, Detector};
use charpipe::internals::detect::Content;
use wasm_bindgen::prelude::wasm_bindgen;

/// A detector of a file that arrives in chunks.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct FileDetector {
    detector: Detector,
}

/// What was detected.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug, Clone)]
pub struct DetectionResult {
    /// `text`, `binary` or `empty`.
    pub content: String,
    /// Whether one of the candidates is more than a possibility.
    pub is_known: bool,
    /// Whether the file begins with a byte order mark.
    pub has_bom: bool,
    /// The line endings: `lf`, `crlf`, `cr`, `mixed` or `none`.
    pub line_endings: String,
    /// What the file says about its encoding, if the bytes say otherwise.
    pub declaration: Option<String>,
    /// The candidates, the most probable one first.
    pub candidates: Vec<CandidateEntry>,
}

/// A possible encoding.
#[wasm_bindgen(getter_with_clone)]
#[derive(Debug, Clone)]
pub struct CandidateEntry {
    /// The name of the encoding to convert from.
    pub encoding: String,
    /// The description of the encoding.
    pub description: String,
    /// `certain`, `likely`, `guess` or `uncertain`.
    pub confidence: String,
    /// The probability, from 0 to 1.
    pub probability: f64,
    /// The code of the language, or nothing.
    pub language: Option<String>,
    /// The evidence, as in `byte order mark`.
    pub evidence: String,
}

#[wasm_bindgen]
impl FileDetector {
    /// Returns a detector of a new file.
    #[wasm_bindgen(constructor)]
    pub fn new() -> FileDetector {
        FileDetector::default()
    }

    /// Examines the next bytes. Returns whether further bytes cannot change the result.
    pub fn feed(&mut self, bytes: &[u8]) -> bool {
        self.detector.feed(bytes);
        self.detector.is_done()
    }

    /// Ends the input, which is the whole file or only its beginning.
    pub fn finish(self, is_whole: bool) -> DetectionResult {
        result(&match is_whole {
            true => self.detector.finish(),
            false => self.detector.finish_truncated(),
        })
    }
}

fn result(detection: &Detection) -> DetectionResult {
    let content = match detection.content {
        Content::Empty => "empty",
        Content::Text => "text",
        Content::Binary => "binary",
    };
    let unconfirmed = detection.declaration.as_ref().filter(|found| !found.is_confirmed);
    DetectionResult {
        content: content.to_owned(),
        is_known: detection.best().is_some(),
        has_bom: detection.has_bom,
        line_endings: detection.line_endings.to_string(),
        declaration: unconfirmed.map(|found| format!("{} says {}", found.kind, found.label)),
        candidates: detection.candidates.iter().map(entry).collect(),
    }
}

fn entry(candidate: &Candidate) -> CandidateEntry {
    let encoding = candidate.source_encoding();
    CandidateEntry {
        encoding: encoding.name().to_owned(),
        description: encoding.description().to_owned(),
        confidence: candidate.confidence.to_string(),
        probability: candidate.probability.into(),
        language: candidate.language.map(|language| language.code().to_owned()),
        evidence: candidate.evidence.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(bytes: &[u8]) -> DetectionResult {
        let mut detector = FileDetector::new();
        detector.feed(bytes);
        detector.finish(true)
    }

    #[test]
    fn the_result_has_what_the_page_shows() {
        let found = detect("\u{FEFF}café\r\n".as_bytes());
        assert_eq!((&*found.content, found.is_known, found.has_bom), ("text", true, true));
        assert_eq!((&*found.line_endings, found.declaration), ("crlf", None));
        let best = &found.candidates[0];
        assert_eq!((&*best.encoding, &*best.confidence), ("UTF-8", "certain"));
        assert_eq!((best.probability, &*best.evidence), (1.0, "byte order mark"));
    }

    #[test]
    fn a_declaration_that_the_bytes_contradict_is_shown() {
        let found = detect("<?xml version='1.0' encoding='koi8-r'?><a>café — Füße</a>".as_bytes());
        assert_eq!(found.declaration.as_deref(), Some("XML declaration says koi8-r"));
    }

    #[test]
    fn other_content_than_text_has_no_candidates() {
        let binary = detect(b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0");
        assert_eq!((&*binary.content, binary.candidates.len()), ("binary", 0));
        assert_eq!(detect(b"").content, "empty");
    }
}
