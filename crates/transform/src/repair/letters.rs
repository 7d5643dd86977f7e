//! How probable the letters of a text are in the languages with Latin letters.
//!
//! Two encodings may garble different letters as the same characters: `Ăź` is ß that was read as windows-1250, or ü
//! as ISO-8859-2. The letters beside it, and the language of the words, decide.
//!
//! `cargo xtask train-repair` makes `letters.bin` from the training texts of the detector. Costs are negative
//! logarithms of probabilities. It has the number of languages, and for each of them
//!
//! * the number of its letters outside ASCII, and their code points, 16-bit little-endian,
//! * the costs of each class of ASCII characters after each, in halves of a nat, two in a byte,
//! * for each of its letters the costs after each class of characters, and of each class after it, in eighths of a nat.
//!
//! The classes are characters other than letters, the letters of ASCII without case, and other letters.

use std::sync::LazyLock;

static LETTER_BYTES: &[u8] = include_bytes!("letters.bin");

/// The number of classes, of which the last one is that of letters outside ASCII.
const CLASS_COUNT: usize = 28;
const ASCII_CLASS_COUNT: usize = CLASS_COUNT - 1;

/// The number of bytes of the costs of pairs of ASCII characters.
const PAIRS_LEN: usize = (ASCII_CLASS_COUNT * ASCII_CLASS_COUNT).div_ceil(2);

/// The units of half a nat that pairs of ASCII characters are in.
const PAIR_UNITS: i32 = 4;

/// The cost of a letter that the language does not have, and of other characters outside ASCII.
const FOREIGN_COST: i32 = 120;
const OTHER_COST: i32 = 200;

/// The cost of a capital outside ASCII in the middle of a sentence, and of a small letter at the start of a line.
const CASE_COST: i32 = 16;

/// The number of units of cost that are worth as much as 1 of oddness.
pub const UNITS_PER_ODDNESS: i32 = 16;

/// The number of characters of a text that are examined.
const MAX_LEN: usize = 400;

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| Language::read_all(LETTER_BYTES));

struct Language {
    letters: Vec<u16>,
    pairs: &'static [u8],
    letter_costs: &'static [u8],
}

impl Language {
    fn read_all(file: &'static [u8]) -> Vec<Language> {
        let (count, mut rest) = (file[0], &file[1..]);
        let mut take = |len: usize| {
            let (part, after) = rest.split_at(len);
            rest = after;
            part
        };
        let mut languages = Vec::new();
        for _ in 0..count {
            let letter_count = usize::from(take(1)[0]);
            let letters = take(2 * letter_count).chunks_exact(2);
            let letters = letters.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
            let pairs = take(PAIRS_LEN);
            let letter_costs = take(letter_count * 2 * CLASS_COUNT);
            languages.push(Language { letters, pairs, letter_costs });
        }
        languages
    }

    /// Returns the cost of a character after another one.
    fn cost(&self, [previous, character]: [Letter; 2]) -> i32 {
        if character.class < ASCII_CLASS_COUNT {
            return match previous.class < ASCII_CLASS_COUNT {
                true => self.pair_cost(previous.class, character.class),
                false => self
                    .letter_row(previous)
                    .map_or(0, |row| i32::from(row[CLASS_COUNT + character.class])),
            };
        }
        let after_letter = match self.letter_row(previous) {
            Some(row) if previous.class >= ASCII_CLASS_COUNT => {
                i32::from(row[CLASS_COUNT + ASCII_CLASS_COUNT]) / 2
            }
            _ => 0,
        };
        match self.letter_row(character) {
            Some(row) => i32::from(row[previous.class]) + after_letter,
            None if character.is_latin => FOREIGN_COST,
            None => OTHER_COST,
        }
    }

    fn pair_cost(&self, previous: usize, class: usize) -> i32 {
        if previous == 0 && class == 0 {
            return 0;
        }
        let index = previous * ASCII_CLASS_COUNT + class;
        let cost = self.pairs[index / 2] >> (index % 2 * 4) & 0xF;
        i32::from(cost) * PAIR_UNITS
    }

    /// Returns the costs of a letter of the language outside ASCII.
    fn letter_row(&self, letter: Letter) -> Option<&[u8]> {
        let index = self.letters.binary_search(&letter.folded).ok()?;
        Some(&self.letter_costs[index * 2 * CLASS_COUNT..][..2 * CLASS_COUNT])
    }
}

/// A character, without case.
#[derive(Debug, Clone, Copy)]
struct Letter {
    folded: u16,
    class: usize,
    is_latin: bool,
}

impl Letter {
    fn new(character: char) -> Letter {
        let folded = match character {
            'ș' | 'Ș' => 'ş',
            'ț' | 'Ț' => 'ţ',
            other => other.to_lowercase().next().unwrap_or(other),
        };
        let class = match folded {
            'a'..='z' => folded as usize - 'a' as usize + 1,
            '\0'..='\x7F' => 0,
            _ => ASCII_CLASS_COUNT,
        };
        let is_latin = matches!(folded, '\u{DF}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}');
        Letter { folded: u16::try_from(u32::from(folded)).unwrap_or(0), class, is_latin }
    }
}

/// Reads the frequencies, so that [`cost`] allocates nothing.
pub fn prepare() {
    LazyLock::force(&LANGUAGES);
}

/// Returns the cost of a text between two characters in the language in which it is lowest.
pub fn cost(before: char, text: &[char], after: char) -> i32 {
    let text = &text[..text.len().min(MAX_LEN)];
    let mut letters = [Letter::new(after); MAX_LEN + 2];
    let characters = [before].into_iter().chain(text.iter().copied());
    for (letter, character) in letters.iter_mut().zip(characters) {
        *letter = Letter::new(character);
    }
    let letters = &letters[..text.len() + 2];
    let cost = |language: &Language| -> i32 {
        letters.windows(2).map(|pair| language.cost([pair[0], pair[1]])).sum()
    };
    LANGUAGES.iter().map(cost).min().unwrap_or(0) + case_cost(before, text)
}

/// Returns the cost of the capitals and small letters outside ASCII, which is the same in all languages.
fn case_cost(before: char, text: &[char]) -> i32 {
    let (mut previous, mut total) = (before, 0);
    for (index, &character) in text.iter().enumerate() {
        let is_first = previous == '\n';
        let next_is_small = text.get(index + 1).is_some_and(|next| next.is_lowercase());
        let is_odd = match character.is_uppercase() {
            true if previous.is_alphabetic() => next_is_small || !previous.is_uppercase(),
            true => !is_first,
            false => is_first && character.is_lowercase(),
        };
        total += if is_odd && !character.is_ascii() { CASE_COST } else { 0 };
        previous = character;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_and_language_decide_between_letters() {
        let text = |text: &str| cost('\n', &text.chars().collect::<Vec<_>>(), '\n');
        for (right, wrong) in [
            ("ursprünglich zurückkehren", "ursprßnglich zurßckkehren"),
            ("die Straße", "die Straüe"),
            ("güneş", "günež"),
            ("może", "moşe"),
            ("pajenn-mañ", "pajenn-maù"),
            ("Månad ikkje", "Mánad ikkje"),
        ] {
            assert!(text(right) < text(wrong), "{right} {wrong}");
        }
    }
}
