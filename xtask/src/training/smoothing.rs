//! The tables of one language: its alphabet, and the probabilities of its bigrams and trigrams.

use std::collections::BTreeMap;

use super::character::{
    GROUP_COUNT, Group, Kind, Script, fold, group_of_foreign, kind, sign_context,
};
use super::texts::{LanguageText, SIGN_LINES};
use super::{
    HAN, HANGUL, Item, MAX_FREQUENT_CHARACTERS, MAX_LETTERS, MAX_TRIGRAMS, MIN_LETTER_FREQUENCY,
    Pool, cost, signed_cost,
};

/// The weight of what bigrams and trigrams are smoothed with.
const UNIGRAM_WEIGHT: f64 = 20.0;
const BIGRAM_WEIGHT: f64 = 10.0;

/// The part of the probabilities of groups that comes from all languages.
const POOL_PART: f64 = 0.2;

/// Letters of two scripts in a word are mostly what placeholders leave in the texts.
const MIXED_WORD_PART: f64 = 0.001;
const MIXED_WORD_PROBABILITY: f64 = 1e-6;

/// The bit of a trigram's cost that is set if no other trigram follows with the same first and second class.
const LAST_OF_PAIR: u8 = 0x80;

#[derive(Debug)]
pub struct LanguageTables {
    script: Script,
    /// The letters of the language, in the order of their code points. Their classes follow the groups.
    pub letters: Vec<char>,
    /// By first and second class.
    bigrams: Vec<f64>,
    /// The selected trigrams, and their probabilities.
    trigrams: Vec<([usize; 3], f64)>,
    /// What the probability of a bigram is multiplied by if the trigram is not in the table.
    backoff: Vec<f64>,
    /// The frequencies of the signs.
    sign_counts: BTreeMap<char, f64>,
    /// The costs of Han characters or Hangul syllables.
    ideographs: Vec<u8>,
}

impl LanguageTables {
    pub fn count(script: Script, text: &LanguageText, pool: &Pool) -> LanguageTables {
        let letters = alphabet(script, text);
        let classes = GROUP_COUNT + letters.len();
        let class = |folded: char| class_of(&letters, script, folded);
        let mut unigrams = vec![1e-3; classes];
        let mut bigrams = vec![0.0_f64; classes * classes];
        let mut trigrams = vec![0.0_f32; classes * classes * classes];
        let mut sign_counts: BTreeMap<char, f64> = BTreeMap::new();
        let mut ideographs: BTreeMap<u32, f64> = BTreeMap::new();
        let mut add = |items: &[Item], scale: f32| {
            let start = Group::Newline as usize;
            let (mut first, mut second) = (start, start);
            for item in items {
                let third = class(item.folded);
                let weight = item.weight * scale;
                unigrams[third] += f64::from(weight);
                bigrams[second * classes + third] += f64::from(weight);
                trigrams[(first * classes + second) * classes + third] += weight;
                (first, second) = (second, third);
                if pool.sign_index.contains_key(&item.folded) {
                    *sign_counts.entry(item.folded).or_default() += f64::from(weight);
                }
                if third == Group::Han as usize || third == Group::Hangul as usize {
                    *ideographs.entry(item.folded as u32).or_default() += f64::from(weight);
                }
            }
        };
        text.each_line(|items| add(items, 1.0));
        // A little of what is missing in the text.
        let scale = text.len() as f32 * 4e-6;
        for line in SIGN_LINES {
            let items: Vec<Item> = line
                .chars()
                .chain(['\n'])
                .map(|character| {
                    let (folded, case) = fold(character);
                    Item { folded, case, weight: 1.0 }
                })
                .collect();
            add(&items, scale);
        }
        let ideographs = ideograph_costs(script, &ideographs);
        let mut tables = LanguageTables {
            script,
            letters,
            bigrams: smooth_bigrams(&unigrams, &bigrams),
            trigrams: Vec::new(),
            backoff: Vec::new(),
            sign_counts,
            ideographs,
        };
        tables.mix_with_pool(pool);
        tables.select_trigrams(&trigrams);
        tables
    }

    fn class_count(&self) -> usize {
        GROUP_COUNT + self.letters.len()
    }

    /// Adds a part of the probabilities that groups have in all languages.
    fn mix_with_pool(&mut self, pool: &Pool) {
        let classes = self.class_count();
        let separates_words = self.separates_words();
        for class in 0..classes {
            let context = match class.checked_sub(GROUP_COUNT) {
                Some(letter) => sign_context(self.letters[letter], kind(self.letters[letter])),
                None => 27 + class,
            };
            let pooled = &pool.group_after[context];
            let row = &mut self.bigrams[class * classes..][..classes];
            for group in 0..GROUP_COUNT {
                let is_mixed = group >= Group::Punctuation as usize && group <= Group::Box as usize;
                if is_mixed {
                    row[group] = row[group] * (1.0 - POOL_PART) + pooled[group] * POOL_PART;
                }
            }
            let foreign = [
                (Group::Invalid, 2e-6),
                (Group::OtherScript, 1e-5),
                (Group::SameScript, 1e-4),
                (Group::Ascii, if class < GROUP_COUNT { 1e-3 } else { 2e-5 }),
                (Group::Mark, 1e-6),
                (Group::Han, 3e-6),
                (Group::Kana, 3e-6),
                (Group::Hangul, 3e-6),
            ];
            for (group, minimum) in foreign {
                row[group as usize] = row[group as usize].max(minimum);
            }
            if class == Group::Ascii as usize && separates_words {
                row[GROUP_COUNT..].iter_mut().for_each(|letter| *letter *= MIXED_WORD_PART);
            } else if class >= GROUP_COUNT && separates_words {
                row[Group::Ascii as usize] = MIXED_WORD_PROBABILITY;
            }
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|probability| *probability /= sum);
        }
    }

    /// Returns whether words of the language do not contain letters of another script.
    fn separates_words(&self) -> bool {
        !matches!(self.script, Script::Latin | Script::Han | Script::Kana | Script::Hangul)
    }

    /// Selects the trigrams that change most.
    fn select_trigrams(&mut self, counts: &[f32]) {
        let classes = self.class_count();
        let mut ranked: Vec<(f64, usize, f64)> = Vec::new();
        for context in 0..classes * classes {
            let row = &counts[context * classes..][..classes];
            let sum: f64 = row.iter().map(|count| f64::from(*count)).sum();
            if sum < 0.5 {
                continue;
            }
            for (third, count) in row.iter().enumerate().filter(|(_, count)| **count > 0.0) {
                let is_mixed_word = self.separates_words()
                    && context % classes == Group::Ascii as usize
                    && third >= GROUP_COUNT;
                if (Group::Punctuation as usize..GROUP_COUNT).contains(&third) || is_mixed_word {
                    continue;
                }
                let bigram = self.bigrams[context % classes * classes + third];
                let count = f64::from(*count);
                let trigram = (count + BIGRAM_WEIGHT * bigram) / (sum + BIGRAM_WEIGHT);
                let gain = count * (trigram.ln() - bigram.ln()).abs();
                ranked.push((gain, context * classes + third, trigram));
            }
        }
        ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        ranked.truncate(MAX_TRIGRAMS);
        // What remains for the other trigrams of a context.
        let mut sums = vec![(0.0, 0.0); classes * classes];
        for (_, index, trigram) in &ranked {
            let context = index / classes;
            let third = index % classes;
            sums[context].0 += trigram;
            sums[context].1 += self.bigrams[context % classes * classes + third];
        }
        self.backoff = sums
            .iter()
            .map(|(trigrams, bigrams)| (1.0 - trigrams).max(0.002) / (1.0 - bigrams).max(0.002))
            .collect();
        let classes_of =
            |index: usize| [index / classes / classes, index / classes % classes, index % classes];
        self.trigrams =
            ranked.iter().map(|(_, index, trigram)| (classes_of(*index), *trigram)).collect();
    }

    pub fn to_bytes(&self, pool: &Pool) -> Vec<u8> {
        let mut bytes = vec![self.script as u8, self.letters.len() as u8];
        for letter in &self.letters {
            bytes.extend((*letter as u16).to_le_bytes());
        }
        bytes.extend(self.bigrams.iter().map(|probability| cost(*probability)));
        // How much more frequent a sign is than in all languages.
        let mut sums = [0.0; GROUP_COUNT];
        for (sign, count) in &self.sign_counts {
            if let Kind::Group(group) = kind(*sign) {
                sums[group as usize] += count;
            }
        }
        for (index, sign) in pool.signs.iter().enumerate() {
            let Kind::Group(group) = kind(*sign) else { continue };
            let count = self.sign_counts.get(sign).copied().unwrap_or_default();
            let prior = pool.sign_probability[index];
            let own = (count + 100.0 * prior) / (sums[group as usize] + 100.0);
            bytes.push(signed_cost(own / prior));
        }
        bytes.extend(self.trigram_table());
        bytes.push(u8::from(!self.ideographs.is_empty()));
        bytes.extend(&self.ideographs);
        bytes
    }

    /// Returns the trigrams in the order of their classes: a bit for each pair of a first and a second class, what remains
    /// for other third classes of each pair, then third classes with costs in eighths of a nat.
    fn trigram_table(&self) -> Vec<u8> {
        let mut trigrams = self.trigrams.clone();
        trigrams.sort_unstable_by_key(|(classes, _)| *classes);
        let classes = self.class_count();
        let mut seconds = vec![0_u128; classes];
        assert!(seconds.len() <= 128, "more classes than bits");
        for ([first, second, _], _) in &trigrams {
            seconds[*first] |= 1 << second;
        }
        let mut bytes: Vec<u8> = seconds.iter().flat_map(|bits| bits.to_le_bytes()).collect();
        let mut pairs: Vec<[usize; 2]> =
            trigrams.iter().map(|([first, second, _], _)| [*first, *second]).collect();
        pairs.dedup();
        let backoff = pairs.iter().map(|[first, second]| self.backoff[first * classes + second]);
        bytes.extend(backoff.map(signed_cost));
        bytes.extend((trigrams.len() as u16).to_le_bytes());
        let mut rest = trigrams.iter().peekable();
        while let Some((classes, probability)) = rest.next() {
            let cost = (-probability.ln() * 8.0).round().clamp(0.0, 127.0) as u8;
            let is_last = rest.peek().is_none_or(|(next, _)| next[..2] != classes[..2]);
            bytes.extend([classes[2] as u8, cost | if is_last { LAST_OF_PAIR } else { 0 }]);
        }
        bytes
    }
}

/// Returns the letters that the language uses.
fn alphabet(script: Script, text: &LanguageText) -> Vec<char> {
    let mut counts: BTreeMap<char, f64> = BTreeMap::new();
    let mut sum = 0.0;
    text.each_line(|items| {
        for item in items {
            if let Kind::Letter(_) = kind(item.folded) {
                *counts.entry(item.folded).or_default() += f64::from(item.weight);
                sum += f64::from(item.weight);
            }
        }
    });
    let is_own = |letter: char| match (script, kind(letter)) {
        (Script::Latin, _) if letter.is_ascii() => true,
        (Script::Kana, Kind::Letter(Script::Han)) => true,
        (_, Kind::Letter(own)) => own == script,
        _ => false,
    };
    let mut ranked: Vec<(char, f64)> = counts
        .into_iter()
        .filter(|(letter, count)| {
            is_own(*letter) && (letter.is_ascii() || *count / sum >= MIN_LETTER_FREQUENCY)
        })
        .collect();
    ranked.sort_by(|one, other| {
        (other.0.is_ascii().cmp(&one.0.is_ascii()))
            .then(other.1.total_cmp(&one.1))
            .then(one.0.cmp(&other.0))
    });
    let has_alphabet = !matches!(script, Script::Han | Script::Hangul);
    ranked.truncate(if has_alphabet { MAX_LETTERS } else { MAX_FREQUENT_CHARACTERS });
    let mut letters: Vec<char> = ranked.into_iter().map(|(letter, _)| letter).collect();
    letters.sort_unstable();
    letters
}

/// Returns the class of a character in a language.
fn class_of(letters: &[char], script: Script, folded: char) -> usize {
    if let Ok(index) = letters.binary_search(&folded) {
        return GROUP_COUNT + index;
    }
    match kind(folded) {
        Kind::Group(group) => group as usize,
        Kind::Letter(own) => group_of_foreign(folded, own, script) as usize,
    }
}

/// Returns the probability of each class after each class.
fn smooth_bigrams(unigrams: &[f64], bigrams: &[f64]) -> Vec<f64> {
    let classes = unigrams.len();
    let total: f64 = unigrams.iter().sum();
    let mut smooth = Vec::with_capacity(bigrams.len());
    for row in bigrams.chunks(classes) {
        let sum: f64 = row.iter().sum();
        for (count, unigram) in row.iter().zip(unigrams) {
            let probability = (count + UNIGRAM_WEIGHT * unigram / total) / (sum + UNIGRAM_WEIGHT);
            smooth.push(probability.max(2e-7));
        }
    }
    smooth
}

/// Returns the cost of each Han character or Hangul syllable.
fn ideograph_costs(script: Script, counts: &BTreeMap<u32, f64>) -> Vec<u8> {
    let range = match script {
        Script::Han | Script::Kana => HAN,
        Script::Hangul => HANGUL,
        _ => return Vec::new(),
    };
    let sum: f64 = counts.values().sum();
    let of = |key: u32| {
        let count = counts.get(&key).copied().unwrap_or_default();
        cost((count + 0.05) / (sum + 0.05 * range.clone().count() as f64))
    };
    range.clone().map(of).collect()
}
