//! How often the detector is right, measured on texts of known language and encoding.
//!
//! The texts are those of `benches/text`, converted by charpipe. `docs/detection.md` has the
//! result beside that of other detectors. `CHARPIPE_BLESS=1 cargo test --test detection` measures
//! anew and writes the page; without that the test holds our own column to the page. Rows of
//! charsets that are not there are passed over.

mod binary;
mod corpus;
mod detectors;
mod page;
mod splits;
#[path = "../../benches/text/mod.rs"]
mod text;
#[path = "../watch/mod.rs"]
mod watch;

use std::collections::BTreeMap;

use corpus::{Pair, pairs};
use detectors::{CHARPIPE, Detector, right};

/// Right answers among all, for each length of sample.
type Score = [(usize, usize); corpus::LENGTHS.len()];

#[test]
fn the_page_says_how_often_the_detector_is_right() {
    let pairs = pairs();
    assert!(pairs.len() >= 30, "only {} pairs of language and encoding", pairs.len());
    if std::env::var_os("CHARPIPE_BLESS").is_some() {
        page::write(&pairs);
    }
    let rows = page::rows();
    for pair in &pairs {
        let key = format!("{} | {}", pair.language, pair.encoding);
        let own = page::cell(&score(&CHARPIPE, pair));
        assert_eq!(rows.get(&key), Some(&own), "{key}: {} is out of date", page::PAGE);
    }
    assert!(rows.len() >= pairs.len());
}

#[test]
fn what_is_certain_is_right_and_what_is_likely_is_right_more_often_than_a_guess() {
    let pairs = pairs();
    let all = confidences(&pairs);
    let share = |word: &str| all[word].0 as f64 / all[word].1 as f64;
    assert_eq!(all["certain"].0, all["certain"].1);
    assert!(share("likely") > 0.95, "{all:?}");
    assert!(share("likely") > share("guess"), "{all:?}");
}

#[test]
fn no_detector_that_it_is_made_of_is_right_more_often() {
    let pairs = pairs();
    let total = |detector: &Detector| -> usize {
        pairs.iter().flat_map(|pair| score(detector, pair)).map(|(right, _)| right).sum()
    };
    assert!(total(&CHARPIPE) > total(&detectors::CHARDETNG));
}

fn score(detector: &Detector, pair: &Pair) -> Score {
    let count = |samples: &Vec<Vec<u8>>| {
        let answers = detector(samples);
        let right = samples.iter().zip(answers).filter(|(sample, answer)| {
            answer.as_deref().is_some_and(|answer| right(sample, pair.encoding, answer))
        });
        (right.count(), samples.len())
    };
    std::array::from_fn(|length| count(&pair.samples[length]))
}

/// Right answers among all that are called so.
fn confidences(pairs: &[Pair]) -> BTreeMap<String, (usize, usize)> {
    let mut all = BTreeMap::new();
    for pair in pairs {
        for sample in pair.samples.iter().flatten() {
            let found = charpipe::detect::of(&mut sample.as_slice()).unwrap();
            let Some(best) = found.best() else { continue };
            let (good, total) = all.entry(best.confidence.to_string()).or_insert((0, 0));
            *good += usize::from(right(sample, pair.encoding, best.charset.name));
            *total += 1;
        }
    }
    all
}
