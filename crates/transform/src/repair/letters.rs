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

use std::cell::LazyCell;
use std::ops::Range;
use std::sync::LazyLock;

use super::omitted::OmittedAscii;

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

static MODELS: LazyLock<Models> = LazyLock::new(|| Models::read(LETTER_BYTES));

/// The costs in all languages.
struct Models {
    language_count: usize,
    /// The costs of each pair of ASCII characters in the languages, in halves of a nat.
    pairs: Vec<[u8; MAX_LANGUAGES]>,
    /// The letters outside ASCII of the languages, sorted.
    letters: Vec<LanguageLetter>,
}

/// The costs of a text in all languages.
type Costs = [i32; MAX_LANGUAGES];

/// A letter of a language outside ASCII.
struct LanguageLetter {
    letter: u16,
    language: usize,
    /// The costs of the letter after each class, and of each class after it.
    after: &'static [u8],
    before: &'static [u8],
}

impl Models {
    fn read(file: &'static [u8]) -> Models {
        let (count, mut rest) = (usize::from(file[0]), &file[1..]);
        let mut take = |len: usize| {
            let (part, after) = rest.split_at(len);
            rest = after;
            part
        };
        let mut pairs = vec![[0; MAX_LANGUAGES]; ASCII_CLASS_COUNT * ASCII_CLASS_COUNT];
        let mut letters = Vec::new();
        for language in 0..count {
            let letter_count = usize::from(take(1)[0]);
            let own_letters = take(2 * letter_count).chunks_exact(2);
            let costs = take(PAIRS_LEN);
            for (pair, row) in pairs.iter_mut().enumerate().skip(1) {
                row[language] = costs[pair / 2] >> (pair % 2 * 4) & 0xF;
            }
            for letter in own_letters {
                let letter = u16::from_le_bytes([letter[0], letter[1]]);
                let (after, before) = (take(CLASS_COUNT), take(CLASS_COUNT));
                letters.push(LanguageLetter { letter, language, after, before });
            }
        }
        letters.sort_by_key(|own| own.letter);
        Models { language_count: count, pairs, letters }
    }

    /// Returns the languages that have a letter, in order.
    fn letter(&self, letter: Letter) -> &[LanguageLetter] {
        let start = self.letters.partition_point(|own| own.letter < letter.folded);
        let rest = &self.letters[start..];
        let len = rest.iter().position(|own| own.letter != letter.folded);
        &rest[..len.unwrap_or(rest.len())]
    }

    /// Adds the cost of a character after another one.
    fn add(&self, costs: &mut Costs, [previous, character]: [Letter; 2]) {
        match [previous.class, character.class] {
            [before @ ..ASCII_CLASS_COUNT, class @ ..ASCII_CLASS_COUNT] => {
                let row = &self.pairs[before * ASCII_CLASS_COUNT + class];
                let sums = costs.iter_mut().zip(row);
                sums.for_each(|(sum, cost)| *sum += i32::from(*cost) * PAIR_UNITS);
            }
            [_, class @ ..ASCII_CLASS_COUNT] => {
                for own in self.letter(previous) {
                    costs[own.language] += i32::from(own.before[class]);
                }
            }
            [before, _] => {
                let foreign = if character.is_latin { FOREIGN_COST } else { OTHER_COST };
                costs.iter_mut().for_each(|sum| *sum += foreign);
                let languages = self.letter(character);
                for own in languages {
                    costs[own.language] += i32::from(own.after[before]) - foreign;
                }
                if before == ASCII_CLASS_COUNT && !languages.is_empty() {
                    for own in self.letter(previous) {
                        if languages.iter().any(|other| other.language == own.language) {
                            costs[own.language] += i32::from(own.before[ASCII_CLASS_COUNT]) / 2;
                        }
                    }
                }
            }
        }
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

/// Reads the frequencies, so that a comparison allocates nothing.
pub fn prepare() {
    LazyLock::force(&MODELS);
}

/// Where texts are whose letters are compared.
pub struct TextContext<'a> {
    pub before: char,
    pub after: char,
    pub omitted: &'a OmittedAscii,
}

/// The start of a text.
struct Whole {
    buffer: [char; MAX_LEN],
    len: usize,
}

impl Whole {
    fn chars(&self) -> &[char] {
        &self.buffer[..self.len]
    }
}

impl TextContext<'_> {
    /// Returns by how much the cost of the first text, in the language in which it is lowest, is higher than that of the
    /// second. If this is not in `range`, returns a number on the same side of it.
    pub fn cost_difference(&self, texts: [&[char]; 2], range: Range<i32>) -> i32 {
        let wholes = texts.map(|text| LazyCell::new(move || self.whole(text)));
        let [one, other] = [0, 1].map(|index| match self.has_case(texts[index]) {
            true => case_cost(self.before, wholes[index].chars()),
            false => 0,
        });
        let case_difference = one - other;
        let costs = [0, 1].map(|index| match self.omitted.whole_len(texts[index]) {
            // What is omitted is not beside other characters.
            ..=MAX_LEN => self.letter_costs(texts[index], false),
            _ => self.letter_costs(wholes[index].chars(), false),
        });
        let is_same_shape = texts[0].len() == texts[1].len()
            && texts[0].iter().zip(texts[1]).all(|(a, b)| a.is_ascii() == b.is_ascii());
        let count = MODELS.language_count;
        if is_same_shape {
            // The costs of the ASCII are the same.
            let differences = costs[0].iter().zip(&costs[1]).map(|(one, other)| one - other);
            let differences = differences.take(count);
            let least = differences.clone().min().unwrap_or(0) + case_difference;
            let most = differences.max().unwrap_or(0) + case_difference;
            if least >= range.end {
                return least;
            }
            if most < range.start {
                return most;
            }
        }
        let [one, other] = [0, 1].map(|index| {
            let ascii = self.letter_costs(wholes[index].chars(), true);
            let sums = ascii.iter().zip(costs[index]).map(|(ascii, foreign)| ascii + foreign);
            sums.take(count).min().unwrap_or(0)
        });
        one - other + case_difference
    }

    /// Returns the start of a text with what was omitted.
    fn whole(&self, text: &[char]) -> Whole {
        let mut whole = Whole { buffer: ['\0'; MAX_LEN], len: 0 };
        let parts = self.omitted.parts(text);
        let chars = parts.flat_map(|(part, ascii)| {
            part.iter().copied().chain(ascii.iter().map(|byte| char::from(*byte)))
        });
        for (own, character) in whole.buffer.iter_mut().zip(chars) {
            *own = character;
            whole.len += 1;
        }
        whole
    }

    /// Returns whether a text has capitals outside ASCII, or small letters at the starts of words.
    fn has_case(&self, text: &[char]) -> bool {
        let previous = [self.before].into_iter().chain(text.iter().copied());
        text.iter().zip(previous).any(|(own, previous)| {
            !own.is_ascii()
                && (own.is_uppercase() || own.is_lowercase() && !previous.is_alphabetic())
        })
    }

    /// Returns the costs of the pairs of ASCII characters, or of the other pairs.
    fn letter_costs(&self, text: &[char], is_ascii: bool) -> Costs {
        let mut costs = [0; MAX_LANGUAGES];
        let mut previous = self.before;
        for &character in text.iter().chain([&self.after]) {
            if (previous.is_ascii() && character.is_ascii()) == is_ascii {
                MODELS.add(&mut costs, [previous, character].map(Letter::new));
            }
            previous = character;
        }
        costs
    }
}

/// Returns the cost of the capitals and small letters outside ASCII, which is the same in all languages.
fn case_cost(before: char, text: &[char]) -> i32 {
    let words = || {
        text.chunk_by(|one, other| one.is_alphabetic() == other.is_alphabetic())
            .filter(|word| word[0].is_alphabetic())
    };
    let (mut is_first, mut previous) = (before == '\n', before);
    // In names and headings each word has a capital.
    let later_words = words().skip(usize::from(is_first));
    let is_title = LazyCell::new(|| {
        let (mut count, mut capital_count) = (0, 0);
        for word in later_words {
            count += 1;
            capital_count += usize::from(word[0].is_uppercase());
        }
        2 * capital_count > count
    });
    let mut total = 0;
    for word in words() {
        if word.iter().all(char::is_ascii) {
            (is_first, previous) = (false, ' ');
            continue;
        }
        let has_small = previous.is_lowercase() || word.iter().any(|own| own.is_lowercase());
        for (at, &character) in word.iter().enumerate() {
            let is_inner = at != 0 || previous.is_alphabetic();
            total += match character {
                '\0'..='\x7F' => 0,
                _ if is_inner && character.is_uppercase() && has_small => INNER_CAPITAL_COST,
                _ if is_inner => 0,
                _ if character.is_uppercase() && !is_first && !*is_title => CASE_COST,
                _ if character.is_lowercase() && (is_first || *is_title) => CASE_COST,
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
        let omitted = OmittedAscii::new(0);
        let context = TextContext { before: '\n', after: '\n', omitted: &omitted };
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
            let [one, other] = [right, wrong].map(|text| text.chars().collect::<Vec<_>>());
            let difference = |range| context.cost_difference([&one, &other], range);
            let exact = difference(i32::MIN..i32::MAX);
            assert!(exact < 0, "{right} {wrong}");
            for start in -300..0 {
                let rough = difference(start..start + 20);
                match exact {
                    _ if exact < start => assert!(rough < start),
                    _ if exact >= start + 20 => assert!(rough >= start + 20),
                    _ => assert_eq!(rough, exact),
                }
            }
        }
    }
}
