//! The language models: how probable a text is in each language.
//!
//! `cargo xtask train-detection` makes `model.bin` from the training texts of `benches/detection/sources.toml`: messages and
//! help pages of Firefox, Thunderbird and LibreOffice (MPL-2.0), TypeScript (Apache-2.0) and CLDR (Unicode-3.0). All
//! numbers in it are bytes or little-endian, of 16 bits but for the lengths. Costs are negative logarithms of probabilities, in
//! sixteenths of a nat; signed costs have 128 added.
//!
//! | part | contents |
//! |---|---|
//! | header | the numbers of languages, characters and signs |
//! | characters | code points; their costs in their script or group; their costs among all letters |
//! | signs | indexes of characters; costs by the context before; signed costs by the context after |
//! | case | the costs of uppercase and lowercase letters by context |
//! | lengths | the length of the part of each language in bytes, 32 bits |
//! | each language | script, number of letters, code points of letters |
//! | | costs of bigrams of classes; signed costs of signs |
//! | | for each first class of trigrams, a bit for each second class, 128 bits |
//! | | for each such pair of classes, the signed cost of other third classes than those of trigrams |
//! | | number of trigrams, 16 bits; of each the third class, and cost / 2, plus 128 for the last of a first and second class |
//! | | 1 and the costs of all Han characters or Hangul syllables, or 0 |
//!
//! The classes of a language are the [groups](Group) and its letters.

use std::sync::{LazyLock, OnceLock};

use super::language::CODES;

pub mod character;

use character::{
    CASE_CONTEXT_COUNT, CONTEXT_COUNT, Case, GROUP_COUNT, Group, Kind, Script, case_context,
    case_state, fold, group_of_foreign, kind, sign_context,
};

/// The number of units of cost in a nat.
pub const COST_UNITS: f64 = 16.0;

/// The cost of each malformed sequence, in addition to that of its class.
const MALFORMED_COST: u16 = 8 * 16;

/// The same for the control characters of ISO 8859, which text does not have: more, so that windows-1252 with a
/// malformed byte is not ISO-8859-1.
const C1_COST: u16 = 9 * 16;

/// The cost of a character that no language has.
const UNKNOWN_COST: u16 = 13 * 16;

/// The costs of characters that are not letters, which do not depend on the language.
const INVALID_COST: u16 = 7 * 16;
const DIGIT_COST: u16 = 37;
const STOP_COST: u16 = 24;
const BRACKET_COST: u16 = 30;
const MARKUP_COST: u16 = 48;

/// The cost of an ASCII letter in a language of another script.
const ASCII_LETTER_COST: u16 = 48;

/// The cost of an ideograph or a Korean syllable in a language without them.
const IDEOGRAPH_COST: u16 = 8 * 16;

/// The cost of a character other than a letter that repeats the two before it.
const REPEATED_COST: u32 = 8;

/// The cost of a letter of another language that has occurred before.
const REPEATED_LETTER_COST: u16 = 4 * 16;

/// The bit of a trigram's cost that is set if no other trigram follows with the same first and second class.
const LAST_OF_PAIR: u8 = 0x80;

static MODEL_BYTES: &[u8] = include_bytes!("model.bin");

pub static MODELS: LazyLock<Models> = LazyLock::new(|| Models::read(MODEL_BYTES));

/// The models of all languages.
pub struct Models {
    /// Code points in ascending order.
    characters: Vec<u16>,
    script_costs: &'static [u8],
    letter_costs: &'static [u8],
    /// The sign that each character is, plus 1.
    sign_of: Vec<u16>,
    sign_count: usize,
    costs_before: &'static [u8],
    costs_after: &'static [u8],
    case_costs: &'static [u8],
    /// The ASCII characters.
    ascii: Vec<Character>,
    languages: Vec<LazyLanguage>,
}

/// The model of a language, which is read when it is used.
struct LazyLanguage {
    /// The part of the file.
    part: &'static [u8],
    /// In a box: the models of few languages are used.
    model: OnceLock<Box<LanguageModel>>,
}

/// The model of a language.
pub struct LanguageModel {
    pub script: Script,
    class_count: usize,
    bigrams: &'static [u8],
    sign_costs: &'static [u8],
    trigrams: Trigrams,
    ideographs: &'static [u8],
    letters: Vec<u16>,
    /// The class of each character of [`Models::characters`].
    classes: Vec<u8>,
    /// The class of each ASCII character.
    ascii: [Symbol; 128],
}

/// The trigrams of a language with a cost of their own, in the order of their classes.
struct Trigrams {
    /// The third class and the cost of each.
    thirds: &'static [u8],
    /// By first class, and by the half of the second classes.
    pairs: Vec<[SecondClasses; 2]>,
    /// For each pair of a first and a second class, the index of its first trigram.
    starts: Vec<u16>,
    /// For each pair, what is added to the cost of a bigram for a third class without a trigram, plus 128.
    backoff: &'static [u8],
}

/// Half of the second classes of the trigrams with a first class.
#[derive(Clone, Copy)]
struct SecondClasses {
    /// A bit for each class.
    bits: u64,
    /// The number of pairs before these.
    pairs_before: u16,
}

/// A character, regardless of the language.
#[derive(Debug, Clone, Copy)]
pub struct Character {
    folded: char,
    pub case: Case,
    kind: Kind,
    /// The index in [`Models::characters`].
    index: Option<u16>,
    /// The sign that it is, plus 1.
    sign: u16,
    context: u8,
    is_malformed: bool,
}

/// A character in a language.
#[derive(Debug, Clone, Copy)]
pub struct Symbol {
    /// The character, to recognize repetition.
    id: u32,
    /// The cost of the character in its class.
    cost: u16,
    class: u8,
    case: Case,
    sign: u16,
    context: u8,
    case_state: u8,
    is_ascii: bool,
}

/// Reads the parts of a file.
struct PartReader(&'static [u8]);

impl PartReader {
    fn bytes(&mut self, len: usize) -> &'static [u8] {
        let (part, rest) = self.0.split_at(len);
        self.0 = rest;
        part
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }

    fn number(&mut self) -> u16 {
        u16::from_le_bytes([self.byte(), self.byte()])
    }

    fn numbers(&mut self, len: usize) -> Vec<u16> {
        let bytes = self.bytes(2 * len).chunks_exact(2);
        bytes.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()
    }

    /// Returns a number of 32 bits.
    fn long_number(&mut self) -> usize {
        usize::from(self.number()) | usize::from(self.number()) << 16
    }
}

const SCRIPTS: [Script; character::SCRIPT_COUNT] = [
    Script::Latin,
    Script::Greek,
    Script::Cyrillic,
    Script::Armenian,
    Script::Hebrew,
    Script::Arabic,
    Script::Thai,
    Script::Georgian,
    Script::Han,
    Script::Hangul,
    Script::Kana,
    Script::Other,
];

impl Models {
    fn read(file: &'static [u8]) -> Models {
        let mut reader = PartReader(file);
        let language_count = usize::from(reader.number());
        assert_eq!(language_count, CODES.len(), "the model is for other languages");
        let character_count = usize::from(reader.number());
        let sign_count = usize::from(reader.number());
        let characters = reader.numbers(character_count);
        let script_costs = reader.bytes(character_count);
        let letter_costs = reader.bytes(character_count);
        let mut sign_of = vec![0; character_count];
        for (number, index) in reader.numbers(sign_count).into_iter().enumerate() {
            sign_of[usize::from(index)] = number as u16 + 1;
        }
        let mut models = Models {
            characters,
            script_costs,
            letter_costs,
            sign_of,
            sign_count,
            costs_before: reader.bytes(sign_count * CONTEXT_COUNT),
            costs_after: reader.bytes(sign_count * CONTEXT_COUNT),
            case_costs: reader.bytes(CASE_CONTEXT_COUNT * 2),
            ascii: Vec::new(),
            languages: Vec::new(),
        };
        models.ascii = (0..128_u8).map(|byte| models.character(Some(byte.into()))).collect();
        let lens: Vec<usize> = (0..language_count).map(|_| reader.long_number()).collect();
        let languages = lens.into_iter().map(|len| reader.bytes(len));
        models.languages =
            languages.map(|part| LazyLanguage { part, model: OnceLock::new() }).collect();
        models
    }

    pub fn language(&self, index: usize) -> &LanguageModel {
        let LazyLanguage { part, model } = &self.languages[index];
        model.get_or_init(|| {
            let parts = LanguageParts::read(&mut PartReader(part), self.sign_count);
            Box::new(LanguageModel::new(parts, self))
        })
    }

    /// Returns the model's symbol of a character; `None` is a malformed sequence.
    pub fn character(&self, character: Option<char>) -> Character {
        let (folded, case) = fold(character.unwrap_or('\u{FFFD}'));
        let index = u16::try_from(u32::from(folded))
            .ok()
            .and_then(|value| self.characters.binary_search(&value).ok());
        let kind = kind(folded);
        Character {
            folded,
            case,
            kind,
            index: index.map(|index| index as u16),
            sign: index.map_or(0, |index| self.sign_of[index]),
            context: sign_context(folded, kind) as u8,
            is_malformed: character.is_none(),
        }
    }

    /// Returns the cost of the third character after the first two.
    #[inline]
    pub fn cost(
        &self,
        model: &LanguageModel,
        first: &Symbol,
        second: &Symbol,
        third: &Symbol,
    ) -> u32 {
        let (a, b, c) =
            (usize::from(first.class), usize::from(second.class), usize::from(third.class));
        let is_repeated = third.id == second.id && second.id == first.id;
        // Malformed sequences are as improbable after others.
        if is_repeated && c < GROUP_COUNT && c != Group::Invalid as usize {
            return REPEATED_COST;
        }
        let classes = model.class_count;
        let mut cost = u32::from(third.cost);
        let is_rare_group = (Group::Punctuation as usize..GROUP_COUNT).contains(&c);
        if is_rare_group {
            cost += u32::from(model.bigrams[b * classes + c]);
        } else {
            let bigram = || u32::from(model.bigrams[b * classes + c]);
            cost += match model.trigrams.pair(a, b) {
                Some(pair) => model.trigrams.cost(pair, c, bigram),
                None => bigram(),
            };
        }
        if third.sign > 0 {
            let sign = usize::from(third.sign - 1);
            let before = self.costs_before[sign * CONTEXT_COUNT + usize::from(second.context)];
            let own = i32::from(before) + i32::from(model.sign_costs[sign]) - 128;
            cost += own.max(0) as u32;
        }
        if second.sign > 0 {
            let row = usize::from(second.sign - 1) * CONTEXT_COUNT;
            let after = i32::from(self.costs_after[row + usize::from(third.context)]) - 128;
            cost = (cost as i32 + after).max(0) as u32;
        }
        if third.case != Case::None {
            let follows_two_capitals = second.case == Case::Upper && first.case == Case::Upper;
            let context = case_context(
                second.case_state,
                follows_two_capitals,
                second.is_ascii,
                third.is_ascii,
            );
            let is_lower = usize::from(third.case == Case::Lower);
            cost += u32::from(self.case_costs[context * 2 + is_lower]);
        }
        cost
    }
}

/// The parts of the file for a language.
struct LanguageParts {
    script: Script,
    letters: &'static [u8],
    class_count: usize,
    bigrams: &'static [u8],
    sign_costs: &'static [u8],
    backoff: &'static [u8],
    second_classes: &'static [u8],
    thirds: &'static [u8],
    ideographs: &'static [u8],
}

impl LanguageParts {
    fn read(reader: &mut PartReader, sign_count: usize) -> LanguageParts {
        let script = SCRIPTS[usize::from(reader.byte())];
        let letter_count = usize::from(reader.byte());
        let class_count = GROUP_COUNT + letter_count;
        let letters = reader.bytes(2 * letter_count);
        let bigrams = reader.bytes(class_count * class_count);
        let sign_costs = reader.bytes(sign_count);
        let second_classes = reader.bytes(class_count * size_of::<u128>());
        let pair_count: u32 = second_classes.iter().map(|bits| bits.count_ones()).sum();
        let backoff = reader.bytes(pair_count as usize);
        let trigram_count = usize::from(reader.number());
        LanguageParts {
            script,
            letters,
            class_count,
            bigrams,
            backoff,
            sign_costs,
            second_classes,
            thirds: reader.bytes(2 * trigram_count),
            ideographs: match (reader.byte(), script) {
                (0, _) => &[][..],
                (_, Script::Hangul) => reader.bytes(11_172),
                _ => reader.bytes(20_992),
            },
        }
    }
}

impl LanguageModel {
    fn new(parts: LanguageParts, models: &Models) -> LanguageModel {
        let LanguageParts { script, class_count, bigrams, sign_costs, .. } = parts;
        let letters = PartReader(parts.letters).numbers(class_count - GROUP_COUNT);
        let mut model = LanguageModel {
            script,
            class_count,
            bigrams,
            sign_costs,
            trigrams: Trigrams::new(parts.second_classes, parts.thirds, parts.backoff),
            ideographs: parts.ideographs,
            letters: letters.clone(),
            classes: vec![0; models.characters.len()],
            ascii: [Symbol::START; 128],
        };
        for (index, value) in letters.iter().enumerate() {
            if let Ok(position) = models.characters.binary_search(value) {
                model.classes[position] = (GROUP_COUNT + index) as u8;
            }
        }
        for (byte, character) in (0..128_u8).zip(&models.ascii) {
            let mut symbol = model.symbol(models, character);
            if byte.is_ascii_alphabetic() {
                let letter = u16::from(byte.to_ascii_lowercase());
                if let Ok(position) = letters.binary_search(&letter) {
                    symbol.class = (GROUP_COUNT + position) as u8;
                    symbol.cost = 0;
                }
            }
            model.ascii[usize::from(byte)] = symbol;
        }
        model
    }

    pub fn ascii(&self, byte: u8) -> &Symbol {
        &self.ascii[usize::from(byte & 0x7F)]
    }

    pub fn symbol(&self, models: &Models, character: &Character) -> Symbol {
        let value = u32::from(character.folded);
        let own = match character.index {
            Some(index) => self.classes[usize::from(index)],
            // Han characters and Hangul syllables.
            None if value <= 0xFFFF => match self.letters.binary_search(&(value as u16)) {
                Ok(letter) => (GROUP_COUNT + letter) as u8,
                Err(_) => 0,
            },
            None => 0,
        };
        let (class, cost) = match (own, character.kind) {
            (1.., _) => (own, 0),
            (_, Kind::Group(group)) => (group as u8, self.group_cost(models, character, group)),
            (_, Kind::Letter(script)) => {
                let group = group_of_foreign(character.folded, script, self.script);
                (group as u8, self.letter_cost(models, character, script, group))
            }
        };
        Symbol {
            id: value,
            cost,
            class,
            case: character.case,
            sign: character.sign,
            context: character.context,
            case_state: case_state(character.folded, character.case),
            is_ascii: character.folded.is_ascii(),
        }
    }

    fn group_cost(&self, models: &Models, character: &Character, group: Group) -> u16 {
        match group {
            _ if character.is_malformed => MALFORMED_COST,
            Group::Invalid if ('\u{80}'..='\u{9F}').contains(&character.folded) => C1_COST,
            Group::Invalid => INVALID_COST,
            Group::Digit if character.folded.is_ascii() => DIGIT_COST,
            Group::Stop => STOP_COST,
            Group::Bracket => BRACKET_COST,
            Group::Markup => MARKUP_COST,
            _ if character.folded.is_ascii() || character.sign > 0 => 0,
            _ => character
                .index
                .map_or(UNKNOWN_COST, |index| u16::from(models.script_costs[usize::from(index)])),
        }
    }

    fn letter_cost(
        &self,
        models: &Models,
        character: &Character,
        script: Script,
        group: Group,
    ) -> u16 {
        let value = u32::from(character.folded);
        match (group, self.script) {
            (Group::Ascii, _) => ASCII_LETTER_COST,
            (Group::Han, Script::Han | Script::Kana) => {
                let index = value.checked_sub(0x4E00).map(|index| index as usize);
                let cost = index.and_then(|index| self.ideographs.get(index));
                cost.map_or(UNKNOWN_COST, |cost| u16::from(*cost))
            }
            (Group::Hangul, Script::Hangul) => {
                let index = value.checked_sub(0xAC00).map(|index| index as usize);
                let cost = index.and_then(|index| self.ideographs.get(index));
                cost.map_or(UNKNOWN_COST, |cost| u16::from(*cost))
            }
            (Group::Han | Group::Hangul, _) => IDEOGRAPH_COST,
            (_, _) if script == Script::Other => UNKNOWN_COST,
            (Group::SameScript | Group::Kana, _) => character
                .index
                .map_or(UNKNOWN_COST, |index| u16::from(models.script_costs[usize::from(index)])),
            _ => character
                .index
                .map_or(UNKNOWN_COST, |index| u16::from(models.letter_costs[usize::from(index)])),
        }
    }
}

impl Trigrams {
    fn new(
        second_classes: &'static [u8],
        thirds: &'static [u8],
        backoff: &'static [u8],
    ) -> Trigrams {
        let mut pairs_before = 0;
        let mut half = |bytes: &[u8]| {
            let bits = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            let classes = SecondClasses { bits, pairs_before };
            pairs_before += bits.count_ones() as u16;
            classes
        };
        let pairs = second_classes.chunks_exact(size_of::<u128>()).map(|bytes| {
            let (low, high) = bytes.split_at(size_of::<u64>());
            [half(low), half(high)]
        });
        let pairs = pairs.collect();
        let mut starts = Vec::with_capacity(usize::from(pairs_before));
        let mut is_first = true;
        for (index, third) in (0..).zip(thirds.chunks_exact(2)) {
            if is_first {
                starts.push(index);
            }
            is_first = third[1] & LAST_OF_PAIR != 0;
        }
        Trigrams { thirds, pairs, starts, backoff }
    }

    /// Returns the index of a pair of a first and a second class if it has trigrams.
    #[inline]
    fn pair(&self, first: usize, second: usize) -> Option<usize> {
        let SecondClasses { bits, pairs_before } = self.pairs[first][second / 64 % 2];
        let bit = 1 << (second % 64);
        if bits & bit == 0 {
            return None;
        }
        Some(usize::from(pairs_before) + (bits & (bit - 1)).count_ones() as usize)
    }

    /// Returns the cost of a class after a pair. `bigram` returns that after the second class alone.
    #[inline]
    fn cost(&self, pair: usize, third: usize, bigram: impl FnOnce() -> u32) -> u32 {
        let start = 2 * usize::from(self.starts[pair]);
        for entry in self.thirds[start..].chunks_exact(2) {
            let (class, cost) = (usize::from(entry[0]), entry[1]);
            if class == third {
                return u32::from(cost & !LAST_OF_PAIR) * 2;
            }
            if cost & LAST_OF_PAIR != 0 {
                break;
            }
        }
        (bigram() + u32::from(self.backoff[pair])).saturating_sub(128)
    }
}

impl Symbol {
    /// Returns how much less a letter that the language does not have costs when it occurs again: a foreign name
    /// is not more evidence each time.
    pub fn repeated_saving(&self) -> u32 {
        let is_foreign = [Group::SameScript as u8, Group::OtherScript as u8].contains(&self.class);
        u32::from(if is_foreign { self.cost.saturating_sub(REPEATED_LETTER_COST) } else { 0 })
    }

    /// The start of a line.
    pub const START: Symbol = Symbol {
        id: '\n' as u32,
        cost: 0,
        class: Group::Newline as u8,
        case: Case::None,
        sign: 0,
        context: 27 + Group::Newline as u8,
        case_state: 3,
        is_ascii: true,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sign_never_costs_less_than_its_group() {
        // No probability is above 1, so no cost is below 0, however frequent a sign is in a language and in a context.
        let (models, mut certain) = (&*MODELS, 0);
        let characters =
            models.characters.iter().filter_map(|value| char::from_u32((*value).into()));
        let signs: Vec<Character> = characters
            .map(|character| models.character(Some(character)))
            .filter(|character| character.sign > 0)
            .collect();
        for language in 0..CODES.len() {
            let model = models.language(language);
            for third in signs.iter().map(|sign| model.symbol(models, sign)) {
                let sign = usize::from(third.sign - 1);
                for second in &model.ascii {
                    let context = sign * CONTEXT_COUNT + usize::from(second.context);
                    let signed = models.costs_before[context].checked_add(model.sign_costs[sign]);
                    if signed.is_some_and(|cost| cost <= 128) {
                        let cost = |third| models.cost(model, &Symbol::START, second, third);
                        assert_eq!(cost(&third), cost(&Symbol { sign: 0, ..third }));
                        certain += 1;
                    }
                }
            }
        }
        assert!(certain > 0);
    }
}
