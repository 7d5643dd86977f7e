//! Validates the options for detection.

use anyhow::{Result, bail};

use super::args::{DetectionArgs, HintArgs};
use crate::cli::quote::Quoted;
use charpipe_detect::{Confidence, DetectionHints, Language};

/// The English names of languages, by the tag.
const LANGUAGE_NAMES: [(&str, &str); 63] = [
    ("af", "Afrikaans"),
    ("ar", "Arabic"),
    ("az", "Azerbaijani"),
    ("be", "Belarusian"),
    ("bg", "Bulgarian"),
    ("br", "Breton"),
    ("ca", "Catalan"),
    ("cs", "Czech"),
    ("cy", "Welsh"),
    ("da", "Danish"),
    ("de", "German"),
    ("el", "Greek"),
    ("en", "English"),
    ("eo", "Esperanto"),
    ("es", "Spanish"),
    ("et", "Estonian"),
    ("eu", "Basque"),
    ("fa", "Persian"),
    ("fi", "Finnish"),
    ("fr", "French"),
    ("ga", "Irish"),
    ("gd", "Scottish Gaelic"),
    ("gl", "Galician"),
    ("he", "Hebrew"),
    ("hr", "Croatian"),
    ("hu", "Hungarian"),
    ("hy", "Armenian"),
    ("id", "Indonesian"),
    ("is", "Icelandic"),
    ("it", "Italian"),
    ("ja", "Japanese"),
    ("ka", "Georgian"),
    ("kk", "Kazakh"),
    ("ko", "Korean"),
    ("ky", "Kyrgyz"),
    ("lt", "Lithuanian"),
    ("lv", "Latvian"),
    ("mk", "Macedonian"),
    ("mn", "Mongolian"),
    ("ms", "Malay"),
    ("mt", "Maltese"),
    ("nb", "Norwegian"),
    ("nl", "Dutch"),
    ("pl", "Polish"),
    ("pt", "Portuguese"),
    ("ro", "Romanian"),
    ("ru", "Russian"),
    ("sk", "Slovak"),
    ("sl", "Slovenian"),
    ("sq", "Albanian"),
    ("sr", "Serbian"),
    ("sr-Latn", "Serbian in Latin script"),
    ("sv", "Swedish"),
    ("tg", "Tajik"),
    ("th", "Thai"),
    ("tl", "Tagalog"),
    ("tr", "Turkish"),
    ("uk", "Ukrainian"),
    ("ur", "Urdu"),
    ("uz", "Uzbek"),
    ("vi", "Vietnamese"),
    ("zh-Hans", "Chinese, simplified"),
    ("zh-Hant", "Chinese, traditional"),
];

/// The minimum length of the beginning of a name that is recognized.
const MIN_PREFIX_LEN: usize = 3;

/// Returns the English name of a language.
pub fn language_name(language: Language) -> &'static str {
    let mut names = LANGUAGE_NAMES.iter();
    names.find(|(code, _)| *code == language.code()).map_or("", |(_, name)| name)
}

impl HintArgs {
    /// Returns the hints for the detector.
    ///
    /// # Errors
    ///
    /// Returns an error for an unknown language or an invalid domain.
    pub fn hints(&self) -> Result<DetectionHints> {
        let mut hints = DetectionHints::new();
        for code in &self.lang {
            hints = hints.with_language(parse_language(code)?);
        }
        match &self.tld {
            Some(domain) => Ok(hints.with_top_level_domain(top_level_domain(domain)?)),
            None => Ok(hints),
        }
    }
}

impl DetectionArgs {
    /// Returns an option that is given and has an effect only if encodings are detected.
    pub fn given_option(&self) -> Option<&'static str> {
        let given = [
            (self.min_confidence.is_some(), "--min-confidence"),
            (self.accept_guess, "--accept-guess"),
            (!self.hints.lang.is_empty(), "--lang"),
            (self.hints.tld.is_some(), "--tld"),
        ];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// Returns the minimum confidence in a detected encoding, if one is given.
    pub fn min_confidence(&self) -> Option<Confidence> {
        if self.accept_guess {
            return Some(Confidence::Uncertain);
        }
        let level = self.min_confidence.as_deref()?;
        let levels = [Confidence::Guess, Confidence::Likely, Confidence::Certain];
        levels.into_iter().find(|known| known.to_string() == level)
    }
}

fn parse_language(code: &str) -> Result<Language> {
    let Some(language) = Language::for_code(code) else {
        let quoted = Quoted::new(code);
        let similar = similar_languages(code);
        if similar.is_empty() {
            let known: Vec<_> = Language::all().map(Language::code).collect();
            bail!("--lang: unknown language \"{quoted}\" (known languages: {})", known.join(", "));
        }
        bail!("--lang: unknown language \"{quoted}\" (did you mean {}?)", similar.join(" or "));
    };
    Ok(language)
}

/// Returns the tags of the languages whose English name begins with this word.
fn similar_languages(word: &str) -> Vec<&'static str> {
    let begins = |language: &Language| {
        let start = language_name(*language).get(..word.len());
        word.len() >= MIN_PREFIX_LEN && start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    Language::all().filter(begins).map(Language::code).collect()
}

/// Returns the last label of a domain name.
fn top_level_domain(domain: &str) -> Result<&str> {
    let name = domain.strip_suffix('.').unwrap_or(domain);
    let name = name.strip_prefix('.').unwrap_or(name);
    let is_valid = |label: &str| {
        !label.is_empty()
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if !name.split('.').all(is_valid) {
        bail!("--tld: \"{}\" is not a domain name, as jp or example.co.jp", Quoted::new(domain));
    }
    Ok(name.rsplit('.').next().unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_a_name() {
        let named = LANGUAGE_NAMES.map(|(code, _)| code);
        assert_eq!(Language::all().map(Language::code).collect::<Vec<_>>(), named);
    }

    #[test]
    fn english_names_are_suggested() {
        for (word, expected) in [
            ("Polish", &["pl"][..]),
            ("jap", &["ja"]),
            ("chinese", &["zh-Hans", "zh-Hant"]),
            ("x", &[]),
            ("ru-", &[]),
            ("klingon", &[]),
            ("日本", &[]),
        ] {
            assert_eq!(similar_languages(word), expected, "{word}");
        }
    }

    #[test]
    fn top_level_domain_is_the_last_label() {
        for (domain, expected) in [
            ("jp", Some("jp")),
            (".jp", Some("jp")),
            ("example.co.jp", Some("jp")),
            ("example.jp.", Some("jp")),
            ("xn--p1ai", Some("xn--p1ai")),
            ("", None),
            (".", None),
            ("a..jp", None),
            ("https://example.jp/", None),
            ("рф", None),
        ] {
            assert_eq!(top_level_domain(domain).ok(), expected, "{domain}");
        }
    }
}
