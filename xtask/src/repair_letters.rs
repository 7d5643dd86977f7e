//! Counts the letters of languages for the repair of mojibake: `cargo xtask train-repair DIR`.
//!
//! The directory `DIR/train` holds the training texts of the detector. The result is
//! `crates/transform/src/repair/letters.bin`; `letters.rs` beside it documents its format.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::training::text_lines;

/// The path of the file from the root of the repository.
const LETTERS: &str = "crates/transform/src/repair/letters.bin";

/// The languages with Latin letters outside ASCII.
const LANGUAGES: [&str; 49] = [
    "af", "ast", "az", "br", "ca", "cs", "cy", "da", "de", "en", "eo", "es", "et", "eu", "fi",
    "fil", "fr", "fy", "ga", "gd", "gl", "hr", "hsb", "hu", "id", "is", "it", "kmr-Latn", "lt",
    "lv", "ms", "mt", "nb", "nl", "nn", "nso", "oc", "pl", "pt", "ro", "sk", "sl", "sq", "sr-Latn",
    "sv", "tk", "tr", "uz", "vi",
];

/// The classes of characters: others than letters, the letters of ASCII, and other letters.
const CLASS_COUNT: usize = 28;
const OTHER_LETTER: usize = CLASS_COUNT - 1;

/// The minimum frequency of a letter of a language.
const MIN_FREQUENCY: f64 = 3e-5;

/// The minimum frequency of a letter in the texts of all languages together.
const MIN_COMMON_FREQUENCY: f64 = 1e-6;

/// What is added to each count.
const SMOOTHING: f64 = 0.3;

/// Counts the letters and writes the file.
///
/// # Errors
///
/// If a text cannot be read or the file cannot be written.
pub fn train(directory: &Path) -> Result<()> {
    let mut all = LetterCounts::default();
    let mut file = vec![LANGUAGES.len() as u8 + 1];
    for language in LANGUAGES {
        let lines = text_lines(directory, language).context(language)?;
        let counts = LetterCounts::count(&lines);
        println!("{language}: {} letters", counts.letters);
        all.add_language(&counts);
        file.extend(counts.to_bytes(MIN_FREQUENCY));
    }
    file.extend(all.to_bytes(MIN_COMMON_FREQUENCY));
    fs::write(crate::root().join(LETTERS), &file).context(LETTERS)?;
    println!("{LETTERS}: {} bytes", file.len());
    Ok(())
}

/// The numbers of pairs of characters in the texts of a language.
#[derive(Default)]
struct LetterCounts {
    /// By class.
    pairs: BTreeMap<(usize, usize), f64>,
    first: [f64; CLASS_COUNT],
    letters: f64,
    /// For each letter outside ASCII those of the classes before and after it.
    neighbors: HashMap<char, [[f64; CLASS_COUNT]; 2]>,
}

impl LetterCounts {
    fn count(lines: &[String]) -> LetterCounts {
        let mut counts = LetterCounts::default();
        for line in lines {
            let mut previous = '\n';
            for character in line.chars().chain(['\n']) {
                let character = fold(character);
                counts.add(previous, character);
                previous = character;
            }
        }
        counts
    }

    fn add(&mut self, previous: char, character: char) {
        let (before, class) = (class(previous), class(character));
        self.letters += f64::from(u8::from(class != 0));
        if before == 0 && class == 0 {
            return;
        }
        *self.pairs.entry((before, class)).or_default() += 1.0;
        self.first[before] += 1.0;
        if class == OTHER_LETTER {
            self.neighbors.entry(character).or_default()[0][before] += 1.0;
        }
        if before == OTHER_LETTER {
            self.neighbors.entry(previous).or_default()[1][class] += 1.0;
        }
    }

    /// Adds the counts of a language, as if its texts were as long as those of others.
    fn add_language(&mut self, language: &LetterCounts) {
        let weight = 1e6 / language.letters;
        for (pair, count) in &language.pairs {
            *self.pairs.entry(*pair).or_default() += count * weight;
        }
        for (sum, count) in self.first.iter_mut().zip(language.first) {
            *sum += count * weight;
        }
        for (letter, counts) in &language.neighbors {
            let sums = self.neighbors.entry(*letter).or_default().as_flattened_mut();
            for (sum, count) in sums.iter_mut().zip(counts.as_flattened()) {
                *sum += count * weight;
            }
        }
        self.letters += 1e6;
    }

    /// Returns the costs of the letters with a minimum frequency.
    fn to_bytes(&self, min_frequency: f64) -> Vec<u8> {
        let min = min_frequency * self.letters;
        let is_latin = |own: char| matches!(own, '\u{DF}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}');
        let mut letters: Vec<char> = self.neighbors.keys().copied().collect();
        letters.retain(|own| is_latin(*own) && self.neighbors[own][0].iter().sum::<f64>() > min);
        letters.sort_unstable();
        let mut bytes = vec![letters.len() as u8];
        bytes.extend(letters.iter().flat_map(|own| (u32::from(*own) as u16).to_le_bytes()));
        let mut costs: Vec<u8> = (0..OTHER_LETTER)
            .flat_map(|before| (0..OTHER_LETTER).map(move |class| (before, class)))
            .map(|pair| self.pair_cost(pair))
            .collect();
        costs.push(0);
        bytes.extend(costs.chunks_exact(2).map(|pair| pair[0] | pair[1] << 4));
        for letter in letters {
            let [before, after] = &self.neighbors[&letter];
            let count: f64 = before.iter().sum();
            let all = before.iter().zip(self.first);
            bytes.extend(all.map(|(own, first)| cost(*own, first + 20.0, 8.0, 255.0)));
            bytes.extend(after.iter().map(|own| cost(*own, count + 9.0, 8.0, 255.0)));
        }
        bytes
    }

    fn pair_cost(&self, pair: (usize, usize)) -> u8 {
        let count = self.pairs.get(&pair).copied().unwrap_or_default();
        cost(count, self.first[pair.0] + 9.0, 2.0, 15.0)
    }
}

/// Returns the negative logarithm of a probability in parts of a nat.
fn cost(count: f64, all: f64, units: f64, max: f64) -> u8 {
    (-((count + SMOOTHING) / all).ln() * units).round().clamp(0.0, max) as u8
}

fn fold(character: char) -> char {
    match character {
        'ș' | 'Ș' => 'ş',
        'ț' | 'Ț' => 'ţ',
        other => other.to_lowercase().next().unwrap_or(other),
    }
}

fn class(folded: char) -> usize {
    match folded {
        'a'..='z' => folded as usize - 'a' as usize + 1,
        other if other.is_alphabetic() => OTHER_LETTER,
        _ => 0,
    }
}
