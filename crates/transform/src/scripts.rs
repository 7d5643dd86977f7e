//! Hebrew, Arabic, Devanagari and Thai to Latin letters, and forms of Chinese characters, as in CLDR.
//!
//! Letters with points and marks are matched in NFC, and results are in NFC if the text is; presentation
//! forms have to be converted by NFKC first. Vowels that are not written are not added: مرحبا is mrḥbạ.
//! Thai vowels before a consonant follow it, as they are spoken; spaces between words are not added, which
//! depends on a dictionary.
//!
//! Where one simplified character is the form of several traditional ones, rows of `data/hans-hant.tsv` for
//! words select one, and a row for the character alone is the most frequent of them: 头发 is 頭髮, 出发
//! is 出發. Proper names can need others. The tables convert characters, not vocabulary:
//! 软件 is 軟件, which is 軟體 in Taiwan. Quotation marks are converted too, “” and 「」.

use super::transliteration::{Row, Scheme, Transliterator, transliteration};
use super::{Transform, TransformCodecs};

transliteration!(
    /// Hebrew by CLDR.
    HEBREW_LATIN,
    Scheme::with_letters(include_str!("data/hebrew-latin.tsv"), char::is_alphabetic),
    "hebrew-latin",
    "Hebrew-Latin",
    "Hebrew to Latin with diacritics, as in CLDR"
);

transliteration!(
    /// Arabic by CLDR.
    ARABIC_LATIN,
    Scheme::with_letters(include_str!("data/arabic-latin.tsv"), char::is_alphabetic),
    "arabic-latin",
    "Arabic-Latin",
    "Arabic to Latin with diacritics, as in CLDR"
);

transliteration!(
    /// Devanagari by ISO 15919.
    DEVANAGARI_LATIN,
    Scheme::with_letters(include_str!("data/devanagari-latin.tsv"), carries_vowel_sign),
    "devanagari-latin",
    "Devanagari-Latin",
    "Devanagari to Latin (ISO 15919), as in CLDR"
);

transliteration!(
    /// Thai by ISO 11940.
    THAI_LATIN,
    Scheme::derived(include_str!("data/thai-latin.tsv"), derive_thai),
    "thai-latin",
    "Thai-Latin",
    "Thai to Latin (ISO 11940), as in CLDR, without spaces between words"
);

transliteration!(
    /// Traditional to simplified characters.
    HANT_HANS,
    Scheme::with_letters(include_str!("data/hant-hans.tsv"), char::is_alphabetic),
    "hant-hans",
    "Hant-Hans",
    "Traditional to simplified Chinese characters, as in CLDR"
);

transliteration!(
    /// Simplified to traditional characters.
    HANS_HANT,
    Scheme::with_letters(include_str!("data/hans-hant.tsv"), char::is_alphabetic),
    "hans-hant",
    "Hans-Hant",
    "Simplified to traditional Chinese characters, by words, as in CLDR"
);

/// Returns whether a vowel sign after a character belongs to it: after letters and their signs.
fn carries_vowel_sign(character: char) -> bool {
    character.is_alphabetic() || matches!(character, '\u{93C}' | '\u{94D}')
}

/// Thai vowels that are written before the consonant that they follow in speech.
const VOWELS_BEFORE: [char; 5] = ['เ', 'แ', 'โ', 'ใ', 'ไ'];

/// Returns the rows with those for vowels before another character, in reverse order. The rows of a vowel
/// with a mark are for a character between the two.
fn derive_thai(mut rows: Vec<Row>) -> Vec<Row> {
    let (mut vowels, mut others) = (Vec::new(), Vec::new());
    for row in &rows {
        let mut source = row.source.chars();
        let vowel = source.next().filter(|first| VOWELS_BEFORE.contains(first));
        match (vowel, source.as_str()) {
            (Some(vowel), mark) => vowels.push((vowel, mark, &row.target)),
            (None, "") => others.push((&row.source, &row.target)),
            _ => {}
        }
    }
    let mut derived = Vec::new();
    for (vowel, mark, vowel_target) in &vowels {
        derived.extend(others.iter().map(|(other, target)| {
            Row::new(format!("{vowel}{other}{mark}"), format!("{target}{vowel_target}"))
        }));
    }
    rows.retain(|row| row.source.chars().count() == 1 || !row.source.starts_with(VOWELS_BEFORE));
    rows.extend(derived);
    rows
}
