//! The file `accuracy.tsv`: language, encoding, and the percentage of lines, paragraphs and pages that
//! were detected correctly.

use std::collections::HashMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::corpus::LanguageSamples;
use crate::detectors::CHARPIPE;
use crate::{DetectionScore, score};

pub const FILE: &str = "tests/detection/accuracy.tsv";

fn file_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE)
}

/// Returns the percentage of correct results for each sample length, or a dash without samples.
pub fn cell(score: &DetectionScore) -> String {
    let percent = |(correct, all): &(usize, usize)| match all {
        0 => "–".to_owned(),
        all => (correct * 100 / all).to_string(),
    };
    score.iter().map(percent).collect::<Vec<_>>().join(" ")
}

/// Returns the percentages by language and encoding.
pub fn rows() -> HashMap<String, String> {
    let file = fs::read_to_string(file_path()).unwrap_or_default();
    let row = |line: &str| {
        let (pair, cell) = line.rsplit_once('\t')?;
        Some((pair.to_owned(), cell.to_owned()))
    };
    file.lines().filter_map(row).collect()
}

/// Measures and writes the file.
pub fn write(pairs: &[LanguageSamples]) {
    let mut file = String::new();
    for pair in pairs {
        let cell = cell(&score(&CHARPIPE, pair));
        let _ = writeln!(file, "{}\t{}\t{cell}", pair.language, pair.encoding);
    }
    fs::write(file_path(), file).unwrap();
}
