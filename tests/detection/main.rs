//! The accuracy of the detector on texts of known language and encoding.
//!
//! The texts are those of `benches/text`, converted by charpipe, and the short ones of `samples.tsv`.
//! `accuracy.tsv` records the results for the former: `CHARPIPE_BLESS=1 cargo test --test detection`
//! writes it. Pairs with unsupported encodings are skipped. `cargo xtask measure-detection` measures
//! with many more texts, compares the results with those of other detectors, and writes
//! `docs/detection.md`.

mod accuracy;
mod binary;
mod chunkings;
mod corpus;
mod declarations;
mod detectors;
mod ebcdic;
mod everyday;
mod facts;
mod short;
#[path = "../../benches/text/mod.rs"]
mod text;
mod unicode;

use std::collections::BTreeMap;

use corpus::{LanguageSamples, language_samples};
use detectors::{CHARPIPE, DetectorFn, detection, is_correct};

/// The numbers of correct results and of samples, for each sample length.
type DetectionScore = [(usize, usize); corpus::LENGTHS.len()];

#[test]
fn recorded_accuracy_is_up_to_date() {
    let pairs = language_samples();
    assert!(pairs.len() >= 30, "only {} pairs of language and encoding", pairs.len());
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        accuracy::write(&pairs);
    }
    let rows = accuracy::rows();
    for pair in &pairs {
        let key = format!("{}\t{}", pair.language, pair.encoding);
        let own = accuracy::cell(&score(&CHARPIPE, pair));
        assert_eq!(rows.get(&key), Some(&own), "{key}: {} is out of date", accuracy::FILE);
    }
    assert!(rows.len() >= pairs.len());
}

#[test]
fn confidence_levels_match_accuracy() {
    let pairs = language_samples();
    let all = confidences(&pairs);
    let accuracy = |level: &str| all[level].0 as f64 / all[level].1 as f64;
    assert_eq!(all["certain"].0, all["certain"].1);
    assert!(accuracy("likely") >= 0.98, "{all:?}");
    assert!(accuracy("guess") >= 0.7, "{all:?}");
}

#[test]
fn detector_is_at_least_as_accurate_as_its_parts() {
    let pairs = language_samples();
    let total = |detector: &DetectorFn| -> usize {
        pairs.iter().flat_map(|pair| score(detector, pair)).map(|(correct, _)| correct).sum()
    };
    assert!(total(&CHARPIPE) > total(&detectors::CHARDETNG));
}

fn score(detector: &DetectorFn, pair: &LanguageSamples) -> DetectionScore {
    let count = |samples: &Vec<Vec<u8>>| {
        let correct = samples.iter().filter(|sample| {
            detector(sample).is_some_and(|name| is_correct(sample, pair.encoding, &name))
        });
        (correct.count(), samples.len())
    };
    std::array::from_fn(|length| count(&pair.samples[length]))
}

/// Returns the numbers of correct and of all results for each confidence.
fn confidences(pairs: &[LanguageSamples]) -> BTreeMap<String, (usize, usize)> {
    let mut all = BTreeMap::new();
    for pair in pairs {
        for sample in pair.samples.iter().flatten() {
            let found = detection(sample);
            let Some(best) = found.best() else { continue };
            let (correct, total) = all.entry(best.confidence.to_string()).or_insert((0, 0));
            *correct += usize::from(is_correct(sample, pair.encoding, best.encoding.name()));
            *total += 1;
        }
    }
    all
}
