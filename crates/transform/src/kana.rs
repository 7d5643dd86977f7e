//! Kana to Latin letters by the modified Hepburn system (ANSI Z39.11-1972, as in Kenkyusha's
//! dictionary).
//!
//! `data/kana-hepburn.tsv` has the syllables; the rows for doubled consonants and long vowels are
//! derived from them here. Particles are written as they are spelled (は is ha), because that depends on
//! words. For the same reason おう and うう are always long vowels, also in 思う, which Hepburn writes omou.
//! A long い is written ii, and a vowel before ー has a macron. ん before a vowel or y is n'. っ that
//! doubles no consonant is an apostrophe. Other characters are copied.

use super::transliteration::{Row, Scheme, Transliterator, transliteration};
use super::{Transform, TransformCodecs};

transliteration!(
    /// Kana by Hepburn.
    KANA_HEPBURN,
    Scheme::derived(include_str!("data/kana-hepburn.tsv"), derive),
    "kana-hepburn",
    "Hepburn",
    "Kana to Latin, with macrons for long vowels (modified Hepburn)"
);

/// Long vowels: the last letter of a syllable, the kana that lengthen it, and the long vowel.
const LONG_VOWELS: [(char, &str, &str); 5] = [
    ('a', "あー", "ā"),
    ('i', "ー", "ī"),
    ('u', "うー", "ū"),
    ('e', "えー", "ē"),
    ('o', "うおー", "ō"),
];

/// The first letters of syllables before which ん is n'.
const NEEDS_APOSTROPHE: [char; 6] = ['a', 'i', 'u', 'e', 'o', 'y'];

/// Returns the rows for Hiragana and Katakana from those of syllables in Hiragana.
fn derive(syllables: Vec<Row>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut vowels = String::new();
    for Row { source, target, .. } in &syllables {
        let doubled = match target.as_bytes().first() {
            Some(_) if target.starts_with("ch") => Some(format!("t{target}")),
            Some(first) if !target.starts_with(NEEDS_APOSTROPHE) => {
                Some(format!("{}{target}", char::from(*first)))
            }
            _ => None,
        };
        vowels.extend(source.chars().next().filter(|_| target.starts_with(NEEDS_APOSTROPHE)));
        let doubled = doubled.map(|target| (format!("っ{source}"), target));
        for (source, target) in doubled.into_iter().chain([(source.clone(), target.clone())]) {
            let last = target.chars().next_back();
            let long = LONG_VOWELS.iter().find(|(vowel, ..)| Some(*vowel) == last);
            if let Some((_, kana, vowel)) = long {
                let stem = &target[..target.len() - 1];
                rows.extend(
                    kana.chars()
                        .map(|kana| Row::new(format!("{source}{kana}"), format!("{stem}{vowel}"))),
                );
            }
            rows.push(Row::new(source, target));
        }
    }
    rows.push(Row { following: Some(vowels), ..Row::new("ん".into(), "n'".into()) });
    rows.push(Row::new("ん".into(), "n".into()));
    rows.push(Row::new("っ".into(), "'".into()));
    let katakana = rows.clone().into_iter().map(|row| Row {
        source: to_katakana(&row.source),
        following: row.following.map(|following| to_katakana(&following)),
        ..row
    });
    rows.extend(katakana.collect::<Vec<_>>());
    rows
}

fn to_katakana(hiragana: &str) -> String {
    let convert = |character| match character {
        'ぁ'..='ゖ' => char::from_u32(u32::from(character) + 0x60).unwrap_or(character),
        _ => character,
    };
    hiragana.chars().map(convert).collect()
}
