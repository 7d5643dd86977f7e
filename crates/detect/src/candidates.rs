//! The encodings that the language models decide between.

use std::sync::OnceLock;

use super::language::{CODES, Language};
use charpipe_encoding::codec::Status;
use charpipe_encoding::encoding::{self, Encoding, EncodingOptions};
use charpipe_kernel::count;
use simdutf8::basic::from_utf8;

/// How an encoding is decoded for scoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EncodingFamily {
    /// A superset of ASCII with a character for each byte.
    SingleByte,
    /// Another superset of ASCII. It may use ASCII bytes as the second byte of a character.
    Decoded,
    /// EBCDIC.
    Ebcdic,
    /// UTF-16 without a byte order mark, in a short text without ASCII.
    Wide,
}

/// An encoding that the language models decide between.
#[derive(Debug)]
pub struct CandidateEncoding {
    pub label: &'static str,
    pub family: EncodingFamily,
    /// How common it is: a relative frequency.
    pub weight: f32,
    /// The languages that it is used for, separated by spaces; those after a `/` are mostly written in other
    /// encodings.
    languages: &'static str,
    resolved: OnceLock<Option<Resolved>>,
}

/// An encoding found by its label.
#[derive(Debug)]
pub struct Resolved {
    pub encoding: &'static Encoding,
    pub languages: Vec<Language>,
    /// Those that are mostly written in other encodings.
    secondary: Vec<Language>,
    characters: OnceLock<Vec<Option<char>>>,
}

impl Resolved {
    /// Returns the character that each byte alone is decoded to.
    pub fn characters(&self) -> &[Option<char>] {
        self.characters.get_or_init(|| decode_bytes(self.encoding))
    }
}

const WESTERN: &str = "en fr de es pt it nl sv da nb fi is ca gl eu af sq id ms tl ga et br gd";
const CENTRAL: &str = "pl cs sk hu ro hr sl sr-Latn / sq de en";
const EBCDIC_LANGUAGES: &str = "en fr de es pt it nl sv da nb fi is ca";

const fn single(label: &'static str, weight: f32, languages: &'static str) -> CandidateEncoding {
    candidate(label, EncodingFamily::SingleByte, weight, languages)
}

const fn decoded(label: &'static str, weight: f32, languages: &'static str) -> CandidateEncoding {
    candidate(label, EncodingFamily::Decoded, weight, languages)
}

const fn ebcdic(label: &'static str, weight: f32, languages: &'static str) -> CandidateEncoding {
    candidate(label, EncodingFamily::Ebcdic, weight, languages)
}

const fn wide(label: &'static str, weight: f32, languages: &'static str) -> CandidateEncoding {
    candidate(label, EncodingFamily::Wide, weight, languages)
}

const fn candidate(
    label: &'static str,
    family: EncodingFamily,
    weight: f32,
    languages: &'static str,
) -> CandidateEncoding {
    CandidateEncoding { label, family, weight, languages, resolved: OnceLock::new() }
}

/// All candidates. Of those that decode an input to the same text, the first one is reported.
pub static CANDIDATES: [CandidateEncoding; 99] = [
    single("CP1252", 1.0, WESTERN),
    single("CP1250", 0.5, CENTRAL),
    single("CP1251", 1.0, "ru uk be bg mk sr"),
    single("CP1253", 0.3, "el"),
    single("CP1254", 0.3, "tr / de fr en"),
    single("CP1255", 0.3, "he"),
    single("CP1256", 0.3, "ar fa ur"),
    single("CP1257", 0.3, "lt lv et / pl"),
    single("ISO-8859-1", 0.3, WESTERN),
    single("ISO-8859-2", 0.25, CENTRAL),
    single("ISO-8859-15", 0.1, WESTERN),
    single("ISO-8859-5", 0.05, "ru bg mk sr be uk"),
    single("ISO-8859-7", 0.15, "el"),
    single("ISO-8859-8", 0.1, "he"),
    single("ISO-8859-9", 0.15, "tr / de fr en"),
    single("ISO-8859-6", 0.1, "ar"),
    single("ISO-8859-13", 0.01, "lt lv et / pl"),
    single("ISO-8859-4", 0.02, "lt lv et / da sv nb fi"),
    single("ISO-8859-16", 0.005, "ro hu pl sl hr sq / fr"),
    single("ISO-8859-3", 0.005, "mt eo / tr"),
    single("ISO-8859-10", 0.003, "is sv da nb fi et lt lv"),
    single("ISO-8859-14", 0.003, "cy ga gd br / en"),
    single("KOI8-R", 0.3, "ru bg"),
    single("KOI8-U", 0.05, "uk ru be"),
    single("KOI8-RU", 0.003, "be uk ru"),
    single("KOI8-T", 0.005, "tg"),
    single("IBM866", 0.1, "ru be uk bg"),
    single("CP1125", 0.005, "uk ru"),
    single("IBM855", 0.01, "ru bg sr mk be uk"),
    single("CP10007", 0.02, "ru bg mk sr be uk"),
    single("MAC-UK", 0.01, "uk ru be"),
    single("RK1048", 0.05, "kk"),
    single("PT154", 0.01, "kk ky tg mn az ru"),
    single("IBM850", 0.04, WESTERN),
    single("IBM437", 0.03, "en fr de es it nl sv da fi"),
    single("IBM858", 0.003, WESTERN),
    single("IBM852", 0.03, CENTRAL),
    single("CP775", 0.01, "lt lv et / pl"),
    single("CP737", 0.02, "el"),
    single("IBM869", 0.005, "el"),
    single("IBM857", 0.01, "tr"),
    single("IBM862", 0.02, "he"),
    single("IBM860", 0.001, "pt"),
    single("IBM861", 0.003, "is"),
    single("IBM863", 0.001, "fr"),
    single("IBM865", 0.004, "da nb sv"),
    single("cp720", 0.005, "ar"),
    single("MACINTOSH", 0.02, WESTERN),
    single("MAC-CENTRALEUROPE", 0.01, "pl cs sk hu lt lv et"),
    single("KEYBCS2", 0.003, "cs sk"),
    single("MacCroatian", 0.003, "hr sl sr-Latn"),
    single("MacRomania", 0.002, "ro"),
    single("MacTurkish", 0.005, "tr"),
    single("MacGreek", 0.005, "el"),
    single("MAC-IS", 0.002, "is"),
    single("whatwg:windows-874", 0.3, "th"),
    single("TIS-620", 0.2, "th"),
    single("MacThai", 0.00001, "th"),
    single("VISCII", 0.01, "vi"),
    single("ARMSCII-8", 0.01, "hy"),
    single("GEORGIAN-PS", 0.01, "ka"),
    single("GEORGIAN-ACADEMY", 0.008, "ka"),
    single("HP-ROMAN8", 0.001, "en fr de es it pt sv da nl fi"),
    decoded("CP1258", 0.1, "vi"),
    decoded("TCVN5712-1", 0.01, "vi"),
    decoded("GB18030", 1.0, "zh-Hans"),
    decoded("CP950", 0.6, "zh-Hant"),
    decoded("BIG5HKSCS", 0.00001, "zh-Hant"),
    decoded("CP932", 1.0, "ja"),
    decoded("SJIS", 0.01, "ja"),
    decoded("EUC-JP", 0.3, "ja"),
    decoded("UHC", 0.7, "ko"),
    decoded("EUC-TW", 0.005, "zh-Hant"),
    decoded("JOHAB", 0.005, "ko"),
    ebcdic("IBM037", 0.0080, EBCDIC_LANGUAGES),
    ebcdic("IBM1047", 0.0060, EBCDIC_LANGUAGES),
    ebcdic("IBM500", 0.0060, EBCDIC_LANGUAGES),
    ebcdic("IBM1140", 0.0020, EBCDIC_LANGUAGES),
    ebcdic("IBM1148", 0.0010, EBCDIC_LANGUAGES),
    ebcdic("IBM273", 0.0020, "de en"),
    ebcdic("IBM297", 0.0010, "fr en"),
    ebcdic("IBM285", 0.0010, "en"),
    ebcdic("IBM284", 0.0010, "es en"),
    wide("UTF-16LE", 0.01, "zh-Hans zh-Hant ja ko"),
    wide("UTF-16BE", 0.005, "zh-Hans zh-Hant ja ko"),
    ebcdic("IBM870", 1e-12, "pl cs sk hu ro hr sl"),
    ebcdic("IBM1141", 0.0005, "de en"),
    ebcdic("IBM277", 0.0005, "da nb en"),
    ebcdic("IBM278", 0.0005, "sv fi en"),
    ebcdic("IBM280", 0.0005, "it en"),
    ebcdic("IBM871", 1e-5, "is"),
    ebcdic("IBM1026", 0.0005, "tr"),
    ebcdic("IBM1112", 1e-8, "lt lv"),
    ebcdic("IBM1122", 1e-8, "et"),
    ebcdic("IBM875", 0.0010, "el"),
    ebcdic("IBM424", 0.0010, "he"),
    ebcdic("IBM420", 0.0010, "ar"),
    ebcdic("IBM1025", 0.0010, "ru bg sr mk be"),
    ebcdic("IBM880", 0.0001, "ru bg sr mk be"),
];

impl CandidateEncoding {
    /// Returns the logarithm of how common text in this language and encoding is.
    pub fn prior(&self, language: Language) -> f64 {
        let is_national =
            self.family == EncodingFamily::Ebcdic && !self.languages.starts_with("en");
        let is_secondary =
            || self.resolve().is_some_and(|resolved| resolved.secondary.contains(&language));
        let penalty = match is_national && language.code() == "en" {
            true => NATIONAL_ENGLISH_PENALTY,
            false if is_secondary() => SECONDARY_PENALTY,
            false => 0.0,
        };
        libm::log(f64::from(self.weight)) + language_prior(language) - penalty
    }

    /// Returns the encoding, unless it is not registered.
    pub fn resolve(&self) -> Option<&Resolved> {
        let resolved = self.resolved.get_or_init(|| {
            let encoding = encoding::for_label(self.label)?;
            let languages_of =
                |tags: &str| tags.split(' ').filter_map(Language::for_code).collect();
            let secondary = self.languages.split_once('/').map_or("", |(_, tags)| tags);
            Some(Resolved {
                encoding,
                languages: languages_of(self.languages),
                secondary: languages_of(secondary),
                characters: OnceLock::new(),
            })
        });
        resolved.as_ref()
    }
}

/// Returns the character that each byte alone is decoded to.
fn decode_bytes(encoding: &Encoding) -> Vec<Option<char>> {
    let bytes: [u8; 256] = std::array::from_fn(|byte| byte as u8);
    let text = decode(encoding, &bytes);
    if text.len() == bytes.len() {
        return text;
    }
    // Some bytes are several characters.
    let mut decoder = encoding.decoder(&EncodingOptions::default());
    let initial = decoder.save_state();
    let mut decode_byte = |byte: u8| {
        decoder.restore_state(initial);
        let mut text = [0; 32];
        let progress = decoder.decode(&[byte], &mut text, true);
        match progress.status {
            Status::Error(_) => None,
            _ => std::str::from_utf8(&text[..progress.written]).ok()?.chars().next(),
        }
    };
    (0..=255).map(&mut decode_byte).collect()
}

/// How much less probable English is in a code page of EBCDIC for another language, in nats.
const NATIONAL_ENGLISH_PENALTY: f64 = 4.0;

/// How much less probable a language is in an encoding that it is hardly ever written in, in nats: German text
/// with a foreign name is in windows-1252, unless the name is Polish.
const SECONDARY_PENALTY: f64 = 6.0;

/// How common languages are: relative frequencies. That of all others is [`OTHER_LANGUAGE_WEIGHT`].
const LANGUAGE_WEIGHTS: [(&str, f64); 40] = [
    ("en", 1.0),
    ("zh-Hans", 0.6),
    ("ja", 0.6),
    ("de", 0.5),
    ("fr", 0.5),
    ("es", 0.5),
    ("ru", 0.5),
    ("pt", 0.35),
    ("it", 0.35),
    ("pl", 0.3),
    ("ko", 0.3),
    ("zh-Hant", 0.3),
    ("nl", 0.25),
    ("tr", 0.2),
    ("sv", 0.2),
    ("cs", 0.2),
    ("hu", 0.2),
    ("ar", 0.2),
    ("el", 0.15),
    ("he", 0.15),
    ("th", 0.15),
    ("vi", 0.15),
    ("uk", 0.15),
    ("ro", 0.15),
    ("da", 0.15),
    ("fi", 0.15),
    ("nb", 0.15),
    ("bg", 0.1),
    ("fa", 0.1),
    ("sk", 0.1),
    ("hr", 0.1),
    ("sr", 0.07),
    ("sl", 0.07),
    ("lt", 0.07),
    ("ca", 0.07),
    ("et", 0.06),
    ("lv", 0.06),
    ("is", 0.05),
    ("be", 0.05),
    ("id", 0.05),
];

const OTHER_LANGUAGE_WEIGHT: f64 = 0.03;

/// Returns the logarithm of how common a language is, divided by the weights of its encodings.
fn language_prior(language: Language) -> f64 {
    static PRIORS: [OnceLock<f64>; CODES.len()] = [const { OnceLock::new() }; CODES.len()];
    *PRIORS[language.index()].get_or_init(|| {
        let code = language.code();
        let weight = LANGUAGE_WEIGHTS.iter().find(|(other, _)| *other == code);
        let weight = weight.map_or(OTHER_LANGUAGE_WEIGHT, |(_, weight)| *weight);
        let is_used = |candidate: &&CandidateEncoding| {
            candidate.languages.split(' ').any(|other| other == code)
                && candidate.resolve().is_some()
        };
        let sum: f64 = CANDIDATES.iter().filter(is_used).map(|one| f64::from(one.weight)).sum();
        libm::log(weight / sum.max(1e-9))
    })
}

/// The katakana of half width, and the same of full width.
const HALFWIDTH_START: char = '\u{FF66}';
const KATAKANA: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/// Returns the character that other tables of Shift_JIS have for the same code, which does not show which table it is,
/// and katakana of full width for half width.
pub fn common_form(character: char) -> char {
    match character {
        '\u{2212}' => '\u{FF0D}',
        '\u{301C}' => '\u{FF5E}',
        '\u{2016}' => '\u{2225}',
        '\u{2014}' => '\u{2015}',
        '\u{A2}' => '\u{FFE0}',
        '\u{A3}' => '\u{FFE1}',
        '\u{AC}' => '\u{FFE2}',
        HALFWIDTH_START..='\u{FF9D}' => {
            let index = character as usize - HALFWIDTH_START as usize;
            KATAKANA.chars().nth(index).unwrap_or(character)
        }
        _ => character,
    }
}

/// What a text consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TextCounts {
    pub characters: usize,
    pub malformed: usize,
    /// Whether a malformed sequence precedes all characters but ASCII.
    pub begins_malformed: bool,
    pub ends_malformed: bool,
}

impl TextCounts {
    /// Counts the characters and malformed sequences of bytes in an encoding, as [`decode`] returns them.
    pub fn new(encoding: &Encoding, bytes: &[u8]) -> TextCounts {
        let mut decoder = encoding.decoder(&EncodingOptions::default());
        let mut buffer = [0; 4096];
        let (mut read, mut is_ascii, mut counts) = (0, true, TextCounts::default());
        loop {
            let progress = decoder.decode(&bytes[read..], &mut buffer, false);
            read += progress.read;
            let text = &buffer[..progress.written];
            counts.characters += count::count_chars(text) as usize;
            counts.ends_malformed &= text.is_empty();
            is_ascii = is_ascii && text.is_ascii();
            let is_malformed = match progress.status {
                Status::InputEmpty => read < bytes.len(),
                Status::OutputFull => false,
                Status::Error(_) => true,
            };
            if is_malformed {
                counts.begins_malformed |= is_ascii;
                counts.ends_malformed = true;
                counts.malformed += 1;
            }
            match progress.status {
                Status::InputEmpty => return counts,
                Status::OutputFull => {}
                Status::Error(malformed) => {
                    read += malformed.resume_len;
                    decoder.restore_state(malformed.resume_state);
                }
            }
        }
    }
}

/// A decoded text; `None` is a malformed sequence.
pub type DecodedSample = Vec<Option<char>>;

/// Decodes bytes. An incomplete character at the end is a malformed sequence.
pub fn decode(encoding: &Encoding, bytes: &[u8]) -> DecodedSample {
    let mut decoder = encoding.decoder(&EncodingOptions::default());
    let mut buffer = [0; 4096];
    let (mut read, mut text) = (0, DecodedSample::with_capacity(bytes.len()));
    loop {
        let progress = decoder.decode(&bytes[read..], &mut buffer, false);
        read += progress.read;
        let decoded = from_utf8(&buffer[..progress.written]).unwrap_or_default();
        text.extend(decoded.chars().map(Some));
        match progress.status {
            Status::InputEmpty => {
                // An incomplete character, or none.
                text.extend(bytes[read..].first().map(|_| None));
                return text;
            }
            Status::OutputFull => {}
            Status::Error(malformed) => {
                text.push(None);
                read += malformed.resume_len;
                decoder.restore_state(malformed.resume_state);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_sequences_are_counted_and_found_at_the_ends() {
        let encoding = charpipe_encoding::encoding::for_label("EUC-JP").unwrap();
        for (bytes, begins_malformed, ends_malformed) in [
            (&b"a\xC6\xFC\xC6"[..], false, true),
            (b"a\xC6\xFC\xFF", false, true),
            (b"a\xFF\xC6\xFC", true, false),
            (b"\xC6\xFC\xFFa", false, false),
        ] {
            let counts =
                TextCounts { characters: 2, malformed: 1, begins_malformed, ends_malformed };
            assert_eq!(TextCounts::new(encoding, bytes), counts, "{bytes:02X?}");
        }
    }

    #[test]
    fn characters_of_several_buffers_are_counted_without_malformed_sequences() {
        let encoding = charpipe_encoding::encoding::for_label("EUC-JP").unwrap();
        let counts = TextCounts { characters: 5000, ..TextCounts::default() };
        assert_eq!(TextCounts::new(encoding, &b"\xC6\xFC".repeat(5000)), counts);
    }
}
