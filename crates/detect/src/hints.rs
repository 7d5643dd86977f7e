//! What the caller knows about an input.

use super::language::{CODES, Language};

/// What the caller knows about an input. It changes how probable the encodings are, and excludes none.
///
/// ```
/// use charpipe::detect::{DetectionHints, Detector, Language};
///
/// let hints = DetectionHints::new().with_top_level_domain("cz");
/// let mut detector = Detector::with_hints(&hints);
/// detector.feed(b"\xB9est");
/// assert_eq!(detector.finish().candidates[0].language, Language::for_code("cs"));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DetectionHints {
    /// A set of indexes of languages.
    languages: u128,
}

const _: () = assert!(CODES.len() <= 128);

/// Top-level domains and the languages that their pages are in besides English.
const DOMAINS: &str = "\
al sq|am hy|at de|az az|ba hr sr-Latn sr|be nl fr de|bg bg|br pt|by be ru|ca fr|cat ca|ch de fr it|cl es|\
cn zh-Hans|co es|cr es|cu es|cy el tr|cz cs|de de|dk da|do es|ec es|ee et ru|eg ar|es es ca eu gl|eus eu|fi fi sv|\
fo da|fr fr|gal gl|ge ka|gr el|gt es|hk zh-Hant|hn es|hr hr|hu hu|id id|ie ga|il he ar|iq ar|ir fa|is is|it it|\
jo ar|jp ja|kg ky ru|kp ko|kr ko|kw ar|kz kk ru|lb ar fr|li de|lt lt|lu fr de|lv lv ru|ly ar|ma ar fr|md ro ru|\
me sr-Latn sr|mk mk sq|mn mn|mo zh-Hant pt|mt mt|mx es|my ms|ni es|nl nl|no nb|om ar|pa es|pe es|ph tl|pk ur|\
pl pl|ps ar|pt pt|py es|qa ar|ro ro|rs sr sr-Latn|ru ru|sa ar|se sv|sg zh-Hans ms|si sl|sk sk|sm it|su ru|\
sv es|sy ar|th th|tj tg ru|tn ar fr|tr tr|tw zh-Hant|ua uk ru|uy es|uz uz ru|va it|ve es|vn vi|ye ar|za af|\
xn--p1ai ru|xn--90ae bg|xn--j1amh uk";

impl DetectionHints {
    /// Returns no hints.
    pub fn new() -> DetectionHints {
        DetectionHints::default()
    }

    /// Adds a language that the input may be in.
    #[must_use]
    pub fn with_language(mut self, language: Language) -> DetectionHints {
        self.languages |= 1 << language.index();
        self
    }

    /// Adds the languages of the country of a top-level domain, such as `pl`. Other domains, such as
    /// `com`, are ignored.
    #[must_use]
    pub fn with_top_level_domain(mut self, domain: &str) -> DetectionHints {
        let domain = domain.trim_start_matches('.').to_ascii_lowercase();
        for entry in DOMAINS.split('|') {
            let mut words = entry.split(' ');
            if words.next() == Some(&domain) {
                self =
                    words.filter_map(Language::for_code).fold(self, DetectionHints::with_language);
            }
        }
        self
    }

    /// Returns whether there are no hints.
    pub fn is_empty(&self) -> bool {
        self.languages == 0
    }

    /// Returns whether the input may be in this language.
    pub fn includes(&self, language: Language) -> bool {
        self.languages & (1 << language.index()) != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_name_known_languages() {
        for entry in DOMAINS.split('|') {
            let (domain, languages) = entry.split_once(' ').unwrap();
            let hints = DetectionHints::new().with_top_level_domain(domain);
            for code in languages.split(' ') {
                let language = Language::for_code(code).unwrap();
                assert_eq!(language.code(), code);
                assert!(hints.includes(language), "{domain}");
            }
        }
        let swiss = DetectionHints::new().with_top_level_domain(".CH");
        let included = Language::all().filter(|language| swiss.includes(*language));
        assert_eq!(included.map(Language::code).collect::<Vec<_>>(), ["de", "fr", "it"]);
        assert!(DetectionHints::new().with_top_level_domain("com").is_empty());
    }
}
