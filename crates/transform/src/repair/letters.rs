//! How probable the letters of a text are in languages with Latin letters, and in all of them together.
//!
//! Two encodings may garble different letters as the same characters: `Ăź` is ß that was read as windows-1250, or ü
//! as ISO-8859-2. The letters beside it, and the language of the words, decide.
//!
//! `cargo xtask train-repair` makes `letters.bin` from the training texts of the detector. Costs are negative
//! logarithms of probabilities. It has the number of languages, of which the last one is all of them together, and for each
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
const CASE_COST: i32 = 28;

/// The cost of a capital outside ASCII in the middle of a word with small letters.
const INNER_CAPITAL_COST: i32 = 48;

/// The number of units of cost that are worth as much as 1 of oddness.
pub const UNITS_PER_ODDNESS: i32 = 16;

/// The number of characters of a text that are examined.
const MAX_LEN: usize = 400;

/// The maximum number of languages, so that the compiler makes vector operations of sums.
const MAX_LANGUAGES: usize = 64;

static LANGUAGES: LazyLock<Vec<Language>> = LazyLock::new(|| Language::read_all(LETTER_BYTES));

/// The costs of each pair of ASCII characters in all languages, in halves of a nat.
static PAIR_ROWS: LazyLock<Vec<[u8; MAX_LANGUAGES]>> = LazyLock::new(|| {
    assert!(LANGUAGES.len() <= MAX_LANGUAGES);
    let pairs = (0..ASCII_CLASS_COUNT * ASCII_CLASS_COUNT).map(|pair| {
        let cost = |language: &Language| language.pairs[pair / 2] >> (pair % 2 * 4) & 0xF;
        std::array::from_fn(|index| LANGUAGES.get(index).map_or(0, cost))
    });
    let mut rows: Vec<_> = pairs.collect();
    rows[0] = [0; MAX_LANGUAGES];
    rows
});

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

    /// Returns the cost of a character after another one, of which at least one is outside ASCII.
    fn cost(&self, [previous, character]: [Letter; 2]) -> i32 {
        if character.class < ASCII_CLASS_COUNT {
            let row = self.letter_row(previous);
            return row.map_or(0, |row| i32::from(row[CLASS_COUNT + character.class]));
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
            // Letters that are used as apostrophes, too.
            '\0'..='\x7F' | '\u{2BB}' | '\u{2BC}' => 0,
            _ => ASCII_CLASS_COUNT,
        };
        let is_latin = matches!(folded, '\u{DF}'..='\u{17E}' | '\u{1A0}'..='\u{1A1}'
            | '\u{1AF}'..='\u{1B0}' | '\u{1CD}'..='\u{1DC}' | '\u{1E00}'..='\u{1EFF}');
        Letter { folded: u16::try_from(u32::from(folded)).unwrap_or(0), class, is_latin }
    }
}

/// Reads the frequencies, so that [`cost`] allocates nothing.
pub fn prepare() {
    LazyLock::force(&PAIR_ROWS);
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
    let (mut pair_costs, mut letter_costs) = ([0_u16; MAX_LANGUAGES], [0_i32; MAX_LANGUAGES]);
    for pair in letters.windows(2) {
        let classes = [pair[0].class, pair[1].class];
        if let [previous @ ..ASCII_CLASS_COUNT, class @ ..ASCII_CLASS_COUNT] = classes {
            let row = &PAIR_ROWS[previous * ASCII_CLASS_COUNT + class];
            pair_costs.iter_mut().zip(row).for_each(|(sum, cost)| *sum += u16::from(*cost));
        } else {
            let languages = letter_costs.iter_mut().zip(&*LANGUAGES);
            languages.for_each(|(sum, language)| *sum += language.cost([pair[0], pair[1]]));
        }
    }
    let sums = pair_costs.iter().zip(letter_costs).take(LANGUAGES.len());
    let costs = sums.map(|(pairs, letters)| i32::from(*pairs) * PAIR_UNITS + letters);
    costs.min().unwrap_or(0) + case_cost(before, text)
}

/// Returns the cost of the capitals and small letters outside ASCII, which is the same in all languages.
fn case_cost(before: char, text: &[char]) -> i32 {
    let words = || {
        text.chunk_by(|one, other| one.is_alphabetic() == other.is_alphabetic())
            .filter(|word| word[0].is_alphabetic())
    };
    let (mut is_first, mut previous) = (before == '\n', before);
    // In names and headings each word has a capital.
    let later_words = || words().skip(usize::from(is_first));
    let capital_count = later_words().filter(|word| word[0].is_uppercase()).count();
    let is_title = 2 * capital_count > later_words().count();
    let mut total = 0;
    for word in words() {
        let has_small = previous.is_lowercase() || word.iter().any(|own| own.is_lowercase());
        for (at, &character) in word.iter().enumerate() {
            let is_inner = at != 0 || previous.is_alphabetic();
            total += match character {
                '\0'..='\x7F' => 0,
                _ if is_inner && character.is_uppercase() && has_small => INNER_CAPITAL_COST,
                _ if is_inner => 0,
                _ if character.is_uppercase() && !is_first && !is_title => CASE_COST,
                _ if character.is_lowercase() && (is_first || is_title) => CASE_COST,
                _ => 0,
            };
        }
        (is_first, previous) = (false, ' ');
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
            ("Böhm", "BÜhm"),
            ("Köögis", "KÜÜgis"),
            ("Traducerea în limba", "Traducerea În limba"),
        ] {
            assert!(text(right) < text(wrong), "{right} {wrong}");
        }
    }
}
