//! The verdict on an input does not depend on the pieces in which it comes, and holds together. More of the same text, or of
//! ASCII, does not change what is certain without language models.
//!
//! Input: three bytes for the sizes of pieces, two for the length of the input, then the input.

use charpipe::Encoding;
use charpipe::internals::detect::binary::{self, BinaryScanner};
use charpipe::internals::detect::{
    Candidate, Confidence, Content, Detection, Detector, Evidence, detect, detect_prefix,
};

use super::params::FuzzInput;

/// The factor of the length of each chunk, so that the limits of the detector are reached
/// in pieces too.
const SCALES: [usize; 4] = [1, 16, 100, 1000];

/// Encodings in which content is looked at for signs that it is binary.
const ENCODINGS: [&str; 6] = ["ISO-8859-1", "IBM037", "UTF-8", "UTF-16", "GB18030", "ISO-2022-KR"];

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let sizes: [u8; 3] = bytes.array();
    let content = bytes.with_ascii_prefix();
    let scale = SCALES[usize::from(sizes[0] >> 6)];
    let pieces = sizes.iter().map(|size| 1 + scale * usize::from(size & 0x3F));
    let whole = detect_chunks(&content, [usize::MAX].into_iter());
    let cut = detect_chunks(&content, pieces.clone());
    assert_eq!(format!("{whole:?}"), format!("{cut:?}"), "{sizes:?}");
    check_consistency(&whole, &content);
    let encoding = ENCODINGS[usize::from(sizes[1]) % ENCODINGS.len()];
    let whole = reason(&content, encoding, [usize::MAX].into_iter());
    assert_eq!(whole, reason(&content, encoding, pieces), "{encoding} {sizes:?}");
    check_consistency(&detect_prefix(&content), &content);
    check_more_text(&content);
}

fn detect_chunks(content: &[u8], sizes: impl Iterator<Item = usize> + Clone) -> Detection {
    let (mut detector, mut rest) = (Detector::new(), content);
    for size in sizes.cycle() {
        if rest.is_empty() || detector.is_done() {
            break;
        }
        let (piece, after) = rest.split_at(size.min(rest.len()));
        detector.feed(piece);
        rest = after;
    }
    detector.finish()
}

fn reason(
    content: &[u8],
    encoding: &str,
    sizes: impl Iterator<Item = usize> + Clone,
) -> Option<binary::BinaryReason> {
    let encoding = Encoding::lookup(encoding).expect("it is a known label");
    let (mut scan, mut rest) = (BinaryScanner::new(Some(encoding)), content);
    for size in sizes.cycle() {
        if rest.is_empty() || scan.is_done() {
            break;
        }
        let (piece, after) = rest.split_at(size.min(rest.len()));
        scan.feed(piece);
        rest = after;
    }
    scan.finish()
}

/// Binary data has no encoding, and the statements about text are true.
fn check_consistency(found: &Detection, content: &[u8]) {
    assert_eq!(found.content == Content::Empty, content.is_empty());
    if found.content != Content::Text {
        assert!(found.candidates.is_empty(), "{found:?}");
    }
    let ranks =
        found.candidates.iter().map(|candidate| (candidate.confidence, candidate.probability));
    assert!(ranks.clone().is_sorted_by(|a, b| a.0 >= b.0 && a.1 >= b.1), "{found:?}");
    assert!(ranks.clone().all(|(_, probability)| (0.0..=1.0).contains(&probability)), "{found:?}");
    for (index, candidate) in found.candidates.iter().enumerate() {
        let others = &found.candidates[..index];
        assert!(others.iter().all(|other| other.encoding != candidate.encoding), "{found:?}");
        let label = candidate.source_encoding().name();
        assert!(Encoding::lookup(label).is_ok(), "{candidate:?} can be converted from");
        match candidate.evidence {
            Evidence::Ascii => assert!(content.is_ascii(), "{found:?}"),
            Evidence::Utf8 => assert!(!content.is_ascii(), "{found:?}"),
            _ => {}
        }
    }
}

/// Checks that a text whose encoding is certain has it if the text is repeated, and if ASCII follows or precedes it.
fn check_more_text(content: &[u8]) {
    let Some(best) = certain(content) else { return };
    // Two byte order marks are no text, and for bytes that are none the models promise nothing.
    if matches!(best.evidence, Evidence::Bom | Evidence::LanguageModel) {
        return;
    }
    // Parts of escape sequences may become whole ones.
    if best.evidence == Evidence::Ascii && content.iter().any(|byte| b"\x1B\x0E~+".contains(byte)) {
        return;
    }
    let line = b"\nA few words.\n";
    let with_more = [[content, line, content], [content, line, line], [line, line, content]];
    for more in with_more.map(|parts| parts.concat()) {
        let found = certain(&more);
        // Before a declaration there may be only a few lines.
        let is_weaker = match best.evidence {
            Evidence::Ascii | Evidence::Utf8 => false,
            _ => found.is_none(),
        };
        let is_same = found.is_some_and(|found| {
            let [one, other] = [found, best].map(|found| found.encoding.decode_strict(&more));
            found.encoding == best.encoding || one.is_ok() && one.ok() == other.ok()
        });
        assert!(is_weaker || is_same, "{best:?} becomes {:?}", detect(&more));
    }
}

/// Returns the best candidate if it is certain.
fn certain(content: &[u8]) -> Option<Candidate> {
    let best = detect(content).best();
    best.filter(|best| best.confidence == Confidence::Certain)
}
