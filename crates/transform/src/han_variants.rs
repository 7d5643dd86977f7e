//! Between the traditional and the simplified forms of Chinese characters.
//!
//! Where one simplified character is the form of several traditional ones, rows of `data/hans-hant.tsv` for
//! words select one, and a row for the character alone is the most frequent of them: 头发 is 頭髮, 出发
//! is 出發. Proper names can need others. The tables convert characters, not vocabulary:
//! 软件 is 軟件, which is 軟體 in Taiwan. Quotation marks are converted too, “” and 「」.

use super::transliteration::{Scheme, Transliterator, transliteration};
use super::{Transform, TransformCodecs};

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
