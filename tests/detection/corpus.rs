//! Samples of texts in many languages and encodings.

use charpipe::transcode;

use crate::text::TEXTS;

/// The names of the sample lengths and their numbers of lines.
pub const LENGTHS: [(&str, usize); 3] = [("line", 1), ("paragraph", 6), ("page", 40)];

/// The minimum number of characters in a line of a sample.
const MIN_CHARACTERS: usize = 30;

/// The encodings in use for each language.
const ENCODINGS: [(&str, &str); 14] = [
    ("en", "US-ASCII UTF-16LE UTF-16BE UTF-32LE"),
    ("fr", "UTF-8 ISO-8859-1 CP1252 ISO-8859-15 MACINTOSH IBM850 UTF-16LE"),
    ("de", "UTF-8 ISO-8859-1 CP1252 MACINTOSH IBM850"),
    ("es", "ISO-8859-1 CP1252 MACINTOSH IBM850"),
    ("cs", "UTF-8 CP1250 ISO-8859-2 IBM852 MAC-CENTRALEUROPE"),
    ("vi", "UTF-8 CP1258 VISCII UTF-16LE"),
    ("el", "UTF-8 CP1253 ISO-8859-7 CP737 MacGreek UTF-16BE"),
    ("ru", "UTF-8 CP1251 KOI8-R ISO-8859-5 IBM866 CP10007 UTF-16LE UTF-32BE"),
    ("ar", "UTF-8 CP1256 ISO-8859-6 UTF-16LE"),
    ("he", "UTF-8 CP1255 ISO-8859-8 IBM862 UTF-16LE"),
    ("hi", "UTF-8 UTF-16LE"),
    ("ko", "UTF-8 EUC-KR UHC JOHAB ISO-2022-KR UTF-16LE"),
    ("ja", "UTF-8 SJIS CP932 EUC-JP ISO-2022-JP UTF-16LE UTF-16BE"),
    ("zh", "UTF-8 EUC-CN GBK GB18030 HZ ISO-2022-CN UTF-16LE"),
];

/// Samples of a language in an encoding.
pub struct LanguageSamples {
    pub language: &'static str,
    pub encoding: &'static str,
    /// The samples of each length.
    pub samples: [Vec<Vec<u8>>; LENGTHS.len()],
}

/// Returns the samples of every language in every supported encoding.
pub fn language_samples() -> Vec<LanguageSamples> {
    let mut pairs = Vec::new();
    for (language, encodings) in ENCODINGS {
        let (_, text) = TEXTS.iter().find(|(name, _)| *name == language).unwrap();
        for encoding in encodings.split(' ') {
            let samples = LENGTHS.map(|(_, lines)| samples(text, lines, encoding));
            pairs.push(LanguageSamples { language, encoding, samples });
        }
    }
    pairs
}

/// Returns samples of the given number of lines. Samples with unmappable characters are omitted, as
/// are ASCII-only samples of languages other than English.
fn samples(text: &str, lines: usize, encoding: &str) -> Vec<Vec<u8>> {
    let has_more = !text.is_ascii();
    let long: Vec<&str> =
        text.lines().filter(|line| line.chars().count() >= MIN_CHARACTERS).collect();
    let parts = long.chunks(lines).filter(|part| part.len() == lines);
    let parts = parts.map(|part| part.join("\n") + "\n");
    let parts = parts.filter(|part| !(has_more && part.is_ascii()));
    parts.filter_map(|part| transcode("UTF-8", encoding, part.as_bytes()).ok()).collect()
}
