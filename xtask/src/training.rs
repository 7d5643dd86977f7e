//! Trains the language models of the detector: `cargo xtask train-detection DIR`.
//!
//! The directory `DIR/train` holds plain text in UTF-8, a sentence or paragraph a line, in files `SOURCE/LANGUAGE.txt`.
//! The result is `crates/detect/src/model.bin`; `crates/detect/src/model.rs` documents its format. It depends on nothing
//! but the text.
//!
//! A model predicts the class of a character from the classes of the two before it. Classes are the letters of
//! the language and the groups of all other characters. The probabilities of the characters of a group are
//! those of all languages together.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

#[path = "../../crates/detect/src/model/character.rs"]
mod character;
mod smoothing;
mod texts;

use character::{
    CASE_CONTEXT_COUNT, CONTEXT_COUNT, Case, GROUP_COUNT, Group, Kind, SCRIPT_COUNT, Script,
    case_context, case_state, fold, kind, sign_context,
};
use smoothing::LanguageTables;
pub(crate) use texts::lines as text_lines;
use texts::{LanguageText, SIGN_LINES};

/// The path of the model from the root of the repository.
pub const MODEL: &str = "crates/detect/src/model.bin";

/// The languages with a model, the name of their files, and their script.
const LANGUAGES: [(&str, &str, Script); LANGUAGE_COUNT] = [
    ("af", "af", Script::Latin),
    ("ar", "ar", Script::Arabic),
    ("az", "az", Script::Latin),
    ("be", "be", Script::Cyrillic),
    ("bg", "bg", Script::Cyrillic),
    ("br", "br", Script::Latin),
    ("ca", "ca", Script::Latin),
    ("cs", "cs", Script::Latin),
    ("cy", "cy", Script::Latin),
    ("da", "da", Script::Latin),
    ("de", "de", Script::Latin),
    ("el", "el", Script::Greek),
    ("en", "en", Script::Latin),
    ("eo", "eo", Script::Latin),
    ("es", "es", Script::Latin),
    ("et", "et", Script::Latin),
    ("eu", "eu", Script::Latin),
    ("fa", "fa", Script::Arabic),
    ("fi", "fi", Script::Latin),
    ("fr", "fr", Script::Latin),
    ("ga", "ga", Script::Latin),
    ("gd", "gd", Script::Latin),
    ("gl", "gl", Script::Latin),
    ("he", "he", Script::Hebrew),
    ("hr", "hr", Script::Latin),
    ("hu", "hu", Script::Latin),
    ("hy", "hy", Script::Armenian),
    ("id", "id", Script::Latin),
    ("is", "is", Script::Latin),
    ("it", "it", Script::Latin),
    ("ja", "ja", Script::Kana),
    ("ka", "ka", Script::Georgian),
    ("kk", "kk", Script::Cyrillic),
    ("ko", "ko", Script::Hangul),
    ("ky", "ky", Script::Cyrillic),
    ("lt", "lt", Script::Latin),
    ("lv", "lv", Script::Latin),
    ("mk", "mk", Script::Cyrillic),
    ("mn", "mn", Script::Cyrillic),
    ("ms", "ms", Script::Latin),
    ("mt", "mt", Script::Latin),
    ("nb", "nb", Script::Latin),
    ("nl", "nl", Script::Latin),
    ("pl", "pl", Script::Latin),
    ("pt", "pt", Script::Latin),
    ("ro", "ro", Script::Latin),
    ("ru", "ru", Script::Cyrillic),
    ("sk", "sk", Script::Latin),
    ("sl", "sl", Script::Latin),
    ("sq", "sq", Script::Latin),
    ("sr", "sr-Cyrl", Script::Cyrillic),
    ("sr-Latn", "sr-Latn", Script::Latin),
    ("sv", "sv", Script::Latin),
    ("tg", "tg", Script::Cyrillic),
    ("th", "th", Script::Thai),
    ("tl", "fil", Script::Latin),
    ("tr", "tr", Script::Latin),
    ("uk", "uk", Script::Cyrillic),
    ("ur", "ur", Script::Arabic),
    ("uz", "uz", Script::Latin),
    ("vi", "vi", Script::Latin),
    ("zh-Hans", "zh-Hans", Script::Han),
    ("zh-Hant", "zh-Hant", Script::Han),
];

const LANGUAGE_COUNT: usize = 63;

/// The minimum frequency of a letter of the alphabet of a language.
const MIN_LETTER_FREQUENCY: f64 = 3e-5;

/// The maximum number of letters of an alphabet, and of the frequent characters of scripts without one.
const MAX_LETTERS: usize = 100;
const MAX_FREQUENT_CHARACTERS: usize = 64;

/// The maximum number of trigrams of a model.
const MAX_TRIGRAMS: usize = 2800;

/// The maximum number of characters with a probability of their own.
const MAX_CHARACTERS: usize = 1600;

/// Costs are in sixteenths of a nat: negative natural logarithms of probabilities.
const COST_UNITS: f64 = 16.0;

/// The code points of the tables of Han characters, and of Hangul syllables.
const HAN: std::ops::RangeInclusive<u32> = 0x4E00..=0x9FFF;
const HANGUL: std::ops::RangeInclusive<u32> = 0xAC00..=0xD7A3;

/// A character of a text, with the weight of its word.
#[derive(Debug, Clone, Copy)]
struct Item {
    folded: char,
    case: Case,
    weight: f32,
}

/// Trains the models and writes the file.
///
/// # Errors
///
/// If a text cannot be read or the model cannot be written.
pub fn train(directory: &Path) -> Result<()> {
    let mut texts = Vec::new();
    let english = texts::lines(directory, "en")?;
    let english: HashSet<&str> = english.iter().map(String::as_str).collect();
    for (code, file, script) in LANGUAGES {
        let text = LanguageText::read(directory, file, script, &english)
            .with_context(|| format!("text in {code}"))?;
        println!("{code}: {} lines, {} characters", text.lines.len(), text.len());
        ensure!(text.len() > 20_000, "too little text in {code}");
        texts.push(text);
    }
    let pool = Pool::count(&texts);
    let mut file = pool.to_bytes();
    let mut parts = Vec::new();
    for ((code, _, script), text) in LANGUAGES.iter().zip(&texts) {
        let model = LanguageTables::count(*script, text, &pool);
        let bytes = model.to_bytes(&pool);
        println!("{code}: {} bytes, {} letters", bytes.len(), model.letters.len());
        file.extend((bytes.len() as u32).to_le_bytes());
        parts.extend(bytes);
    }
    file.extend(parts);
    fs::write(crate::root().join(MODEL), &file).context(MODEL)?;
    println!("{MODEL}: {} bytes", file.len());
    Ok(())
}

/// The statistics of all languages together.
#[derive(Debug)]
struct Pool {
    /// The non-ASCII characters with a probability of their own, in the order of their code points.
    characters: Vec<char>,
    /// The index of each character.
    index: HashMap<char, usize>,
    /// The cost of each character among the letters of its script or the characters of its group, and among
    /// all non-ASCII letters.
    costs: Vec<(u8, u8)>,
    /// The signs among the characters: those that are not letters.
    signs: Vec<char>,
    sign_index: HashMap<char, usize>,
    /// For each sign and each context before it, the cost of the sign in its group.
    before: Vec<u8>,
    /// For each sign and each context after it, the cost compared with that of the group, plus 128.
    after: Vec<u8>,
    /// The probability of each sign in its group.
    sign_probability: Vec<f64>,
    /// The probability of each group after each context.
    group_after: Vec<[f64; GROUP_COUNT]>,
    /// For each context the cost of an uppercase and a lowercase letter.
    case_costs: [(u8, u8); CASE_CONTEXT_COUNT],
}

/// Returns the cost of a probability.
fn cost(probability: f64) -> u8 {
    (-probability.ln() * COST_UNITS).round().clamp(0.0, 255.0) as u8
}

/// Returns a signed cost as a byte: the logarithm of a ratio, plus 128.
fn signed_cost(ratio: f64) -> u8 {
    (128.0 - ratio.ln() * COST_UNITS).round().clamp(0.0, 255.0) as u8
}

fn is_sign(character: char) -> bool {
    let known = |group| !matches!(group, Group::Invalid | Group::Digit | Group::Space);
    !character.is_ascii() && matches!(kind(character), Kind::Group(group) if known(group))
}

impl Pool {
    fn count(texts: &[LanguageText]) -> Pool {
        let (counts, case_counts) = (Pool::character_counts(texts), Pool::case_counts(texts));
        let mut ranked: Vec<(char, f64)> =
            counts.iter().map(|(key, count)| (*key, *count)).collect();
        ranked.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        let mut characters: Vec<char> =
            ranked.iter().take(MAX_CHARACTERS).map(|(character, _)| *character).collect();
        characters.sort_unstable();
        let index: HashMap<char, usize> =
            characters.iter().enumerate().map(|(index, key)| (*key, index)).collect();
        let mut script_sums = [0.0; SCRIPT_COUNT];
        let (mut group_sums, mut letter_sum) = ([0.0; GROUP_COUNT], 0.0);
        for character in &characters {
            match kind(*character) {
                Kind::Letter(script) => {
                    script_sums[script as usize] += counts[character];
                    letter_sum += counts[character];
                }
                Kind::Group(group) => group_sums[group as usize] += counts[character],
            }
        }
        let of = |character: &char| match kind(*character) {
            Kind::Letter(script) => (
                cost(counts[character] / script_sums[script as usize]),
                cost(counts[character] / letter_sum),
            ),
            Kind::Group(group) => {
                let own = cost(counts[character] / group_sums[group as usize]);
                (own, own)
            }
        };
        let costs = characters.iter().map(of).collect();
        let signs: Vec<char> = characters.iter().copied().filter(|key| is_sign(*key)).collect();
        let sign_index: HashMap<char, usize> =
            signs.iter().enumerate().map(|(index, key)| (*key, index)).collect();
        let sign_probability = signs
            .iter()
            .map(|sign| match kind(*sign) {
                Kind::Group(group) => counts[sign] / group_sums[group as usize],
                Kind::Letter(_) => 0.0,
            })
            .collect();
        let mut pool = Pool {
            characters,
            index,
            costs,
            signs,
            sign_index,
            before: Vec::new(),
            after: Vec::new(),
            sign_probability,
            group_after: Vec::new(),
            case_costs: case_counts,
        };
        pool.count_contexts(texts);
        pool
    }

    /// Returns the frequency of each non-ASCII character, as the sum of its frequencies in the languages.
    fn character_counts(texts: &[LanguageText]) -> BTreeMap<char, f64> {
        let mut counts: BTreeMap<char, f64> = BTreeMap::new();
        for text in texts {
            let mut own: BTreeMap<char, f64> = BTreeMap::new();
            let mut sum = 0.0;
            text.each_line(|items| {
                for item in items {
                    sum += f64::from(item.weight);
                    let counted = !item.folded.is_ascii()
                        && !matches!(
                            kind(item.folded),
                            Kind::Letter(Script::Han | Script::Hangul | Script::Other)
                                | Kind::Group(Group::Invalid)
                        );
                    if counted {
                        *own.entry(item.folded).or_default() += f64::from(item.weight);
                    }
                }
            });
            for (character, count) in own {
                *counts.entry(character).or_default() += count / sum;
            }
        }
        // Characters that the texts do not have.
        for (range, prior) in texts::KNOWN_RANGES {
            for character in range.filter_map(char::from_u32) {
                let (folded, _) = fold(character);
                let known = !matches!(
                    kind(folded),
                    Kind::Letter(Script::Han | Script::Hangul | Script::Other)
                        | Kind::Group(Group::Invalid)
                );
                if known {
                    *counts.entry(folded).or_default() += prior;
                }
            }
        }
        for line in SIGN_LINES {
            for character in line.chars().filter(|character| is_sign(*character)) {
                *counts.entry(fold(character).0).or_default() += 2e-4;
            }
        }
        counts
    }

    fn case_counts(texts: &[LanguageText]) -> [(u8, u8); CASE_CONTEXT_COUNT] {
        let mut counts = [(3.0_f64, 3.0_f64); CASE_CONTEXT_COUNT];
        for text in texts {
            let scale = 100_000.0 / text.len() as f64;
            let mut number = 0_u64;
            text.each_line(|items| {
                // Some lines are headings in capitals.
                number += 1;
                let is_heading = number.is_multiple_of(50);
                let mut previous = ('\n', Case::None);
                let mut before = false;
                for item in items {
                    let upper = is_heading && item.case == Case::Lower;
                    let case = if upper { Case::Upper } else { item.case };
                    if case != Case::None {
                        let context = case_context(
                            case_state(previous.0, previous.1),
                            before && previous.1 == Case::Upper,
                            previous.0.is_ascii(),
                            item.folded.is_ascii(),
                        );
                        let weight = f64::from(item.weight) * scale;
                        match case {
                            Case::Upper => counts[context].0 += weight,
                            _ => counts[context].1 += weight,
                        }
                    }
                    before = previous.1 == Case::Upper;
                    previous = (item.folded, case);
                }
            });
        }
        counts.map(|(upper, lower)| {
            let sum = upper + lower;
            (cost(upper / sum), cost(lower / sum))
        })
    }

    /// Counts what is before and after signs.
    fn count_contexts(&mut self, texts: &[LanguageText]) {
        let sign_count = self.signs.len();
        let mut before = vec![0.0; sign_count * CONTEXT_COUNT];
        let mut after = vec![0.0; sign_count * CONTEXT_COUNT];
        let mut groups = vec![[0.0; GROUP_COUNT]; CONTEXT_COUNT];
        let mut totals = vec![0.0; CONTEXT_COUNT];
        let mut add = |items: &[Item], scale: f64| {
            let mut previous = '\n';
            for item in items {
                let context = sign_context(previous, kind(previous));
                let weight = f64::from(item.weight) * scale;
                totals[context] += weight;
                if let Kind::Group(group) = kind(item.folded) {
                    groups[context][group as usize] += weight;
                }
                // Apostrophes are not in their ASCII form.
                if let Some(sign) = self.sign_index.get(&item.folded) {
                    before[sign * CONTEXT_COUNT + context] += weight;
                }
                if let Some(sign) = self.sign_index.get(&previous) {
                    after[sign * CONTEXT_COUNT + sign_context(item.folded, kind(item.folded))] +=
                        weight;
                }
                previous = item.folded;
            }
        };
        for text in texts {
            let scale = 200_000.0 / text.len() as f64;
            text.each_line(|items| add(items, scale));
        }
        let scale = texts.len() as f64;
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
        // The probability of a sign in its group, given the context before it.
        let group_of = |sign: usize| match kind(self.signs[sign]) {
            Kind::Group(group) => group as usize,
            Kind::Letter(_) => 0,
        };
        let mut group_before = vec![0.0; GROUP_COUNT * CONTEXT_COUNT];
        let mut group_next = vec![0.0; GROUP_COUNT * CONTEXT_COUNT];
        for sign in 0..sign_count {
            for context in 0..CONTEXT_COUNT {
                let index = group_of(sign) * CONTEXT_COUNT + context;
                group_before[index] += before[sign * CONTEXT_COUNT + context];
                group_next[index] += after[sign * CONTEXT_COUNT + context];
            }
        }
        let sum_of = |table: &[f64], row: usize| -> f64 {
            table[row * CONTEXT_COUNT..][..CONTEXT_COUNT].iter().sum()
        };
        for sign in 0..sign_count {
            let group = group_of(sign);
            let (sign_sum, group_sum) = (sum_of(&after, sign), sum_of(&group_next, group));
            for context in 0..CONTEXT_COUNT {
                let prior = self.sign_probability[sign];
                let own = before[sign * CONTEXT_COUNT + context];
                let all = group_before[group * CONTEXT_COUNT + context];
                self.before.push(cost((own + 30.0 * prior) / (all + 30.0)));
                let all = (group_next[group * CONTEXT_COUNT + context] + 1.0)
                    / (group_sum + CONTEXT_COUNT as f64);
                let own = (after[sign * CONTEXT_COUNT + context] + 30.0 * all) / (sign_sum + 30.0);
                self.after.push(signed_cost(own / all));
            }
        }
        for (counts, total) in groups.iter_mut().zip(&totals) {
            counts.iter_mut().for_each(|count| *count = (*count + 0.02) / (total + 1.0));
        }
        self.group_after = groups;
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let number = |bytes: &mut Vec<u8>, value: usize| {
            bytes.extend(u16::try_from(value).expect("a small number").to_le_bytes());
        };
        number(&mut bytes, LANGUAGE_COUNT);
        number(&mut bytes, self.characters.len());
        number(&mut bytes, self.signs.len());
        for character in &self.characters {
            number(&mut bytes, *character as usize);
        }
        bytes.extend(self.costs.iter().map(|(own, _)| *own));
        bytes.extend(self.costs.iter().map(|(_, all)| *all));
        for sign in &self.signs {
            number(&mut bytes, self.index[sign]);
        }
        bytes.extend(&self.before);
        bytes.extend(&self.after);
        bytes.extend(self.case_costs.iter().flat_map(|(upper, lower)| [*upper, *lower]));
        bytes
    }
}
