//! The page `docs/detection.md`.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::{LENGTHS, LanguageSamples};
use crate::detectors::{CHARDETNG, CHARPIPE, DetectorFn, FILE, UCHARDET, version};
use crate::{DetectionScore, confidences, score};

pub const PAGE: &str = "docs/detection.md";

const INTRODUCTION: &str = "\
# Detection

Accuracy of `charpipe detect`, compared with other detectors.
`CHARPIPE_BLESS=1 cargo test --test detection` measures it and writes this page.

The texts are the translations of the Universal Declaration of Human Rights in `benches/text`, converted to each
encoding by charpipe, in samples of one line (of at least 30 characters), one paragraph (6 lines) and one page (40
lines). Samples that contain unmappable characters are omitted, and so are samples in ASCII, except for English. A
result is correct if converting the sample from the detected encoding restores the text: so `whatwg:windows-1252` is
correct for ISO-8859-1 if no byte makes a difference. All detectors are given only the bytes.

The languages are those of that directory, so the page says nothing about Polish, Turkish or Thai. The texts are of
one kind, and the rules for DOS and Macintosh encodings were developed with these texts: results for other texts will
differ. Encodings that no detector supports are included because such files exist.

Each cell has the percentage of lines, paragraphs and pages that were detected correctly.

";

fn page_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)
}

/// Returns the percentage of correct results for each sample length, or a dash without samples.
pub fn cell(score: &DetectionScore) -> String {
    let percent = |(correct, all): &(usize, usize)| match all {
        0 => "–".to_owned(),
        all => (correct * 100 / all).to_string(),
    };
    score.iter().map(percent).collect::<Vec<_>>().join(" ")
}

/// Returns the column of charpipe by language and encoding.
pub fn rows() -> HashMap<String, String> {
    let page = fs::read_to_string(page_path()).unwrap_or_default();
    let cells = page.lines().filter_map(|line| {
        let cells: Vec<&str> = line.strip_prefix("| ")?.split(" | ").collect();
        (cells.len() > 4).then(|| (format!("{} | {}", cells[0], cells[1]), cells[2].to_owned()))
    });
    cells.collect()
}

/// Measures all installed detectors and writes the page.
pub fn write(pairs: &[LanguageSamples]) {
    let mut columns: Vec<(String, Option<DetectorFn>)> =
        vec![("charpipe".to_owned(), Some(CHARPIPE))];
    for (name, detector) in [("uchardet", UCHARDET), ("file", FILE)] {
        match version(name) {
            Some(version) => columns.push((format!("{name} {version}"), Some(detector))),
            None => {
                println!("skipped: {name} is not installed");
                columns.push((name.to_owned(), None));
            }
        }
    }
    columns.push(("chardetng alone".to_owned(), Some(CHARDETNG)));
    fs::write(page_path(), page(pairs, &columns)).unwrap();
}

fn page(pairs: &[LanguageSamples], columns: &[(String, Option<DetectorFn>)]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let names: Vec<_> = columns.iter().map(|(name, _)| name.as_str()).collect();
    let _ = writeln!(page, "| language | encoding | {} |", names.join(" | "));
    let _ = writeln!(page, "|---|---|{}", "---|".repeat(columns.len()));
    let mut totals = vec![DetectionScore::default(); columns.len()];
    for pair in pairs {
        let _ = write!(page, "| {} | {} |", pair.language, pair.encoding);
        for ((_, detector), total) in columns.iter().zip(&mut totals) {
            let score = detector.map(|detector| score(&detector, pair));
            let _ = write!(page, " {} |", score.as_ref().map_or("–".to_owned(), cell));
            for (total, part) in total.iter_mut().zip(score.unwrap_or_default()) {
                *total = (total.0 + part.0, total.1 + part.1);
            }
        }
        page.push('\n');
    }
    let totals: Vec<_> = totals.iter().map(cell).collect();
    let _ = writeln!(page, "| all samples | | {} |", totals.join(" | "));
    page + &confidence_table(pairs)
}

/// Returns the accuracy of each confidence level.
fn confidence_table(pairs: &[LanguageSamples]) -> String {
    let counts = LENGTHS.iter().enumerate().map(|(length, (name, _))| {
        let samples = pairs.iter().map(|pair| pair.samples[length].len()).sum::<usize>();
        format!("{samples} of one {name}")
    });
    let counts: Vec<_> = counts.collect();
    let mut page = format!("\nSamples: {}.\n\n## Accuracy by confidence\n\n", counts.join(", "));
    page.push_str("| confidence | results | correct |\n|---|---|---|\n");
    for (word, (right, all)) in confidences(pairs) {
        let _ = writeln!(page, "| {word} | {all} | {}% |", right * 100 / all);
    }
    page
}
