//! Transliterations, as `iconv -t ENCODING//TRANSLIT` of the GNU C library writes them.
//!
//! In glibc they depend on the locale; charpipe uses those of `C.UTF-8` unless it is called as `iconv`.
//! A character may have
//! several candidates, and the first that the target encoding has is written. The table is a text
//! file, which is parsed on first use in about a tenth of a millisecond.
use std::collections::BTreeMap;
use std::ops::RangeBounds;
use std::sync::LazyLock;

use super::ErrorAction;
use charpipe_encoding::codec::EncodeStage;
use charpipe_encoding::encoder::first_unmappable;
use charpipe_encoding::encoding::{Encoding, EncodingOptions};

/// Transliterations of languages, in the order of the languages.
const LANGUAGES_TEXT: &str = include_str!("translit_languages.tsv");

/// Languages with the transliterations of another one.
const LANGUAGE_SYNONYMS: [(&str, &str); 2] = [("nn", "nb"), ("no", "nb")];

/// Returns the language, the code point and the candidates of each row.
fn language_rows() -> impl Iterator<Item = (&'static str, u32, &'static str)> {
    let row = |line: &'static str| {
        let (language, rest) = line.split_once('\t')?;
        let (code_point, candidates) = rest.split_once('\t')?;
        Some((language, u32::from_str_radix(code_point, 16).ok()?, candidates))
    };
    LANGUAGES_TEXT.lines().filter(|line| !line.starts_with('#')).filter_map(row)
}

const TABLE_TEXT: &str = include_str!("translit.tsv");

/// A parsed table. Code points are in a separate array so that a search touches few cache lines.
#[derive(Debug)]
pub struct TransliterationTable {
    code_points: Vec<u32>,
    /// The candidates for each code point, separated by tabs.
    candidates: Vec<&'static str>,
}
impl TransliterationTable {
    /// Returns a table with the candidates for each code point, separated by tabs. The rows are
    /// sorted; candidates that are too long are dropped. The texts are never freed, since a process
    /// uses one table.
    pub fn leak(rows: BTreeMap<u32, Vec<String>>) -> &'static TransliterationTable {
        let joined = |candidates: Vec<String>| {
            let short = |text: &&String| {
                text.len() <= TargetTransliterator::MAX_LEN && !text.contains('\t')
            };
            let kept: Vec<&str> = candidates.iter().filter(short).map(String::as_str).collect();
            (!kept.is_empty()).then(|| &*Box::leak(kept.join("\t").into_boxed_str()))
        };
        let rows = rows.into_iter();
        let (code_points, candidates) = rows
            .filter_map(|(code_point, candidates)| Some((code_point, joined(candidates)?)))
            .unzip();
        Box::leak(Box::new(TransliterationTable { code_points, candidates }))
    }

    /// Returns the table of a language, such as `de` or `uk-UA`, in which German `ä` is `ae`, or `None` if it has no
    /// transliterations of its own. Each call returns another table, which is never freed.
    pub fn for_language(tag: &str) -> Option<&'static TransliterationTable> {
        let subtag = tag.split(['-', '_', '.']).next()?.to_ascii_lowercase();
        let language = LANGUAGE_SYNONYMS.iter().find(|(other, _)| *other == subtag);
        let language = language.map_or(subtag.as_str(), |(_, language)| language);
        let own: Vec<_> = language_rows().filter(|(of, ..)| *of == language).collect();
        if own.is_empty() {
            return None;
        }
        let mut rows: BTreeMap<u32, Vec<String>> = Self::default_rows(..).collect();
        for (_, code_point, candidates) in own {
            rows.insert(code_point, candidates.split('\t').map(str::to_owned).collect());
        }
        Some(TransliterationTable::leak(rows))
    }

    /// The languages that have transliterations of their own, in order.
    pub const LANGUAGES: [&str; 13] =
        ["da", "de", "hr", "hu", "lb", "mn", "nb", "ro", "sr", "sv", "tk", "uk", "uz"];

    /// Returns the rows of `C.UTF-8` for code points in `range`.
    pub fn default_rows(range: impl RangeBounds<u32>) -> impl Iterator<Item = (u32, Vec<String>)> {
        let table = &*TRANSLITERATIONS;
        let rows = table.code_points.iter().zip(&table.candidates);
        rows.filter(move |(code_point, _)| range.contains(code_point)).map(|(code_point, texts)| {
            (*code_point, texts.split('\t').map(str::to_owned).collect())
        })
    }
}

/// How `//TRANSLIT` works, if not as by default.
#[derive(Debug, Clone)]
pub struct TranslitRules {
    /// The table of a locale; `None` for that of `C.UTF-8`.
    pub table: Option<&'static TransliterationTable>,
    /// The text for characters without a transliteration, if the target has it, instead of the default replacement.
    pub missing: Option<&'static str>,
    /// The action for characters without a transliteration, instead of that text.
    pub untransliterable: Option<ErrorAction>,
}

static TRANSLITERATIONS: LazyLock<TransliterationTable> = LazyLock::new(|| {
    let rows = TABLE_TEXT.lines().filter(|line| !line.starts_with('#'));
    let rows = rows.filter_map(|line| line.split_once('\t'));
    let rows = rows
        .filter_map(|(code, candidates)| Some((u32::from_str_radix(code, 16).ok()?, candidates)));
    let (codes, candidates) = rows.unzip();
    TransliterationTable { code_points: codes, candidates }
});

/// Finds transliterations that one target encoding has.
#[allow(missing_debug_implementations, reason = "it contains an encoder")]
pub struct TargetTransliterator {
    encoding: &'static Encoding,
    options: EncodingOptions,
    ascii_only: bool,
    table: &'static TransliterationTable,
    /// An encoder of the target encoding, which candidates are tried with, once it was needed.
    encoder: Option<Box<dyn EncodeStage>>,
    /// The latest results: that of a character is at the index of its lowest bits. Empty until the first
    /// lookup.
    recent: Vec<Option<(char, Option<&'static str>)>>,
}

/// The number of results that are kept, a power of two.
const RECENT_COUNT: usize = 256;

impl TargetTransliterator {
    /// The length of the longest candidate, in bytes.
    pub(crate) const MAX_LEN: usize = 18;

    /// Returns a transliterator for a target encoding with these options. With `ascii_only` all
    /// transliterations are ASCII, for targets that do not allow other characters in all positions.
    pub(crate) fn new(
        encoding: &'static Encoding,
        options: EncodingOptions,
        ascii_only: bool,
    ) -> TargetTransliterator {
        let table = &*TRANSLITERATIONS;
        TargetTransliterator {
            encoding,
            options,
            ascii_only,
            table,
            encoder: None,
            recent: Vec::new(),
        }
    }

    /// Returns the same transliterator with another table.
    pub(crate) fn with_table(self, table: &'static TransliterationTable) -> TargetTransliterator {
        TargetTransliterator { table, ..self }
    }

    /// Returns the first candidate for `character` that can be encoded.
    pub(super) fn transliterate(&mut self, character: char) -> Option<&'static str> {
        if self.recent.is_empty() {
            self.recent.resize(RECENT_COUNT, None);
        }
        let index = u32::from(character) as usize % RECENT_COUNT;
        match self.recent[index] {
            Some((known, result)) if known == character => result,
            _ => {
                let result = self.find(character);
                self.recent[index] = Some((character, result));
                result
            }
        }
    }

    fn find(&mut self, character: char) -> Option<&'static str> {
        let row = self.table.code_points.binary_search(&character.into()).ok()?;
        self.table.candidates[row].split('\t').find(|text| self.can_encode(text))
    }

    fn can_encode(&mut self, text: &str) -> bool {
        let encoder = self.encoder.get_or_insert_with(|| self.encoding.encoder(&self.options));
        (!self.ascii_only || text.is_ascii()) && first_unmappable(&mut **encoder, text).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::EncodingSpec;

    #[test]
    fn languages_have_rows_of_their_own() {
        let mut languages: Vec<_> = language_rows().map(|(language, ..)| language).collect();
        languages.dedup();
        assert_eq!(languages, TransliterationTable::LANGUAGES);
        let ascii = crate::options::EncodingSpec::from(charpipe_encoding::US_ASCII);
        for (tag, character, expected) in [
            ("de", 'ä', Some("ae")),
            ("de-AT", 'Ö', Some("OE")),
            ("sv_SE.UTF-8", 'å', Some("aa")),
            ("nn", 'ø', Some("oe")),
            ("DE", 'é', Some("e")),
            ("uk", 'є', Some("ye")),
            ("de", 'є', None),
        ] {
            let table = TransliterationTable::for_language(tag).unwrap();
            let transliterator =
                TargetTransliterator::new(ascii.encoding, ascii.options.clone(), true);
            let found = transliterator.with_table(table).transliterate(character);
            assert_eq!(found, expected, "{tag} {character}");
        }
        for tag in ["", "xx", "en", "d", "-de"] {
            assert!(TransliterationTable::for_language(tag).is_none(), "{tag}");
        }
    }

    #[test]
    fn table_is_sorted_and_candidates_are_short() {
        let TransliterationTable { code_points: codes, candidates } = &*TRANSLITERATIONS;
        assert_eq!(codes.len(), TABLE_TEXT.lines().filter(|line| !line.starts_with('#')).count());
        assert!(codes.is_sorted_by(|one, next| one < next));
        let longest = candidates.iter().flat_map(|row| row.split('\t')).map(str::len).max();
        assert_eq!(longest, Some(TargetTransliterator::MAX_LEN));
    }

    #[test]
    fn first_candidate_that_the_target_encodes_is_chosen() {
        for (target, character, text) in [
            ("us-ascii", 'é', Some("e")),
            ("us-ascii", '€', Some("EUR")),
            ("us-ascii", 'я', None),
            ("us-ascii", '\u{2032}', None),
            ("us-ascii", '\u{301}', Some("")),
            ("us-ascii", '½', Some(" 1/2 ")),
            ("latin1", '\u{2032}', Some("´")),
            ("latin1", '\u{2033}', Some("´´")),
            ("latin1", '\u{2103}', Some("°C")),
            ("latin1", '\u{3395}', Some("µl")),
            ("DIN_66003", '\u{2225}', None),
        ] {
            let target: EncodingSpec = target.parse().unwrap();
            let mut transliterator =
                TargetTransliterator::new(target.encoding, target.options.clone(), false);
            for _ in 0..2 {
                assert_eq!(transliterator.transliterate(character), text, "{target} {character}");
            }
        }
    }
}
