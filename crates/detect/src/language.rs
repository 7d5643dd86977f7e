//! The languages that the detector has models of.

use std::fmt;

/// A language that the detector can identify.
///
/// ```
/// use charpipe::detect::Language;
///
/// let german = Language::for_code("de-AT").unwrap();
/// assert_eq!(german.code(), "de");
/// assert_eq!(Language::for_code("zh-TW").unwrap().code(), "zh-Hant");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Language(u8);

/// The BCP 47 tags of the languages. The index is that of the model.
pub(super) const CODES: [&str; 63] = [
    "af", "ar", "az", "be", "bg", "br", "ca", "cs", "cy", "da", "de", "el", "en", "eo", "es", "et",
    "eu", "fa", "fi", "fr", "ga", "gd", "gl", "he", "hr", "hu", "hy", "id", "is", "it", "ja", "ka",
    "kk", "ko", "ky", "lt", "lv", "mk", "mn", "ms", "mt", "nb", "nl", "pl", "pt", "ro", "ru", "sk",
    "sl", "sq", "sr", "sr-Latn", "sv", "tg", "th", "tl", "tr", "uk", "ur", "uz", "vi", "zh-Hans",
    "zh-Hant",
];

/// Tags that are not in [`CODES`], and the tags of the models to use for them.
const SYNONYMS: [(&str, &str); 16] = [
    ("no", "nb"),
    ("nn", "nb"),
    ("fil", "tl"),
    ("iw", "he"),
    ("bs", "hr"),
    ("in", "id"),
    ("sh", "sr-Latn"),
    ("cnr", "sr-Latn"),
    ("zh", "zh-Hans"),
    ("cmn", "zh-Hans"),
    ("yue", "zh-Hant"),
    ("zh-tw", "zh-Hant"),
    ("zh-hk", "zh-Hant"),
    ("zh-mo", "zh-Hant"),
    ("mo", "ro"),
    ("prs", "fa"),
];

impl Language {
    /// Returns the language of a BCP 47 tag, or of the longest prefix of it that is known. Case is
    /// ignored, and `_` is the same as `-`.
    pub fn for_code(code: &str) -> Option<Language> {
        let code = code.to_ascii_lowercase().replace('_', "-");
        // A locale name may have a codeset and a modifier.
        let mut tag = code.split(['.', '@']).next().unwrap_or_default();
        loop {
            let synonym = SYNONYMS.iter().find(|(other, _)| *other == tag).map(|(_, tag)| *tag);
            let name = synonym.unwrap_or(tag);
            if let Some(index) = CODES.iter().position(|code| code.eq_ignore_ascii_case(name)) {
                return Some(Language(index as u8));
            }
            tag = tag.rsplit_once('-')?.0;
        }
    }

    /// Returns the BCP 47 tag, such as `de` or `zh-Hans`.
    pub fn code(self) -> &'static str {
        CODES[usize::from(self.0)]
    }

    /// Returns all languages, in the order of their tags.
    pub fn all() -> impl Iterator<Item = Language> {
        (0..CODES.len() as u8).map(Language)
    }

    /// Returns the index of the language in [`CODES`].
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_locale_names_are_found() {
        for (code, expected) in [
            ("de", "de"),
            ("DE-at", "de"),
            ("pl_PL.UTF-8", "pl"),
            ("sr_RS@latin", "sr"),
            ("sr-Latn-RS", "sr-Latn"),
            ("zh", "zh-Hans"),
            ("zh-HK", "zh-Hant"),
            ("zh_Hant_TW", "zh-Hant"),
            ("no-NO", "nb"),
        ] {
            assert_eq!(Language::for_code(code).map(Language::code), Some(expected), "{code}");
        }
        assert_eq!(Language::for_code("tlh"), None);
        assert_eq!(Language::for_code(""), None);
    }

    #[test]
    fn every_language_is_found_by_its_tag() {
        assert!(CODES.is_sorted());
        for language in Language::all() {
            assert_eq!(Language::for_code(language.code()), Some(language));
            assert_eq!(CODES[language.index()], language.code());
        }
    }
}
