//! The character of a name.

use std::fmt::{self, Write};
use std::sync::OnceLock;

use super::{
    CONTROL_NAMES, CharacterName, LEADING_CONSONANTS, TRAILING_CONSONANTS, VOWELS,
    algorithmic_prefix, table,
};

/// Finds characters by their names.
#[derive(Debug, Clone, Copy)]
pub struct NameIndex {
    /// The hashes of the names in the table, in order, with their code points.
    names: &'static [(u32, u32)],
}

impl NameIndex {
    /// Returns the index. The first call makes it, in some milliseconds.
    pub fn new() -> NameIndex {
        static NAMES: OnceLock<Vec<(u32, u32)>> = OnceLock::new();
        let names = NAMES.get_or_init(|| {
            let mut names = Vec::new();
            table::for_each(|code_point, name| names.push((hash(name), code_point)));
            names.sort_unstable();
            names
        });
        NameIndex { names }
    }

    /// Returns the character with this name, in any case of letters: that of the Unicode Character Database, or the
    /// alias of a control character. Does not allocate.
    ///
    /// ```
    /// let index = charpipe_transform::character_name::NameIndex::new();
    /// assert_eq!(index.lookup("EURO SIGN"), Some('€'));
    /// assert_eq!(index.lookup("no such character"), None);
    /// ```
    pub fn lookup(self, name: &str) -> Option<char> {
        let hash = hash(&name);
        let start = self.names.partition_point(|(other, _)| *other < hash);
        let candidates = self.names[start..].iter().take_while(|(other, _)| *other == hash);
        let mut code_points = candidates.map(|(_, code_point)| *code_point);
        code_points
            .find(|code_point| is_name(name, &CharacterName(*code_point)))
            .or_else(|| algorithmic(name))
            .or_else(|| hangul_syllable(name))
            .or_else(|| control(name))
            .and_then(char::from_u32)
    }
}

impl Default for NameIndex {
    fn default() -> NameIndex {
        NameIndex::new()
    }
}

/// Returns the hash of a name in any case (FNV-1a).
fn hash(name: &impl fmt::Display) -> u32 {
    struct Hasher(u32);
    impl Write for Hasher {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            for byte in text.bytes() {
                self.0 = (self.0 ^ u32::from(byte.to_ascii_uppercase())).wrapping_mul(0x0100_0193);
            }
            Ok(())
        }
    }
    let mut hasher = Hasher(0x811C_9DC5);
    // A hasher accepts everything.
    let _ = write!(hasher, "{name}");
    hasher.0
}

/// Returns whether a value displays as this name, in any case.
fn is_name(name: &str, value: &impl fmt::Display) -> bool {
    struct Rest<'a>(&'a str);
    impl Write for Rest<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let (start, rest) = self.0.split_at_checked(text.len()).ok_or(fmt::Error)?;
            self.0 = rest;
            if start.eq_ignore_ascii_case(text) { Ok(()) } else { Err(fmt::Error) }
        }
    }
    let mut rest = Rest(name);
    write!(rest, "{value}").is_ok() && rest.0.is_empty()
}

/// Returns the code point of a name that ends with it.
fn algorithmic(name: &str) -> Option<u32> {
    let (_, digits) = name.rsplit_once('-')?;
    let code_point = u32::from_str_radix(digits, 16).ok()?;
    algorithmic_prefix(code_point).filter(|_| is_name(name, &CharacterName(code_point)))?;
    Some(code_point)
}

/// Returns the syllable of a name, which consists of the short names of its letters.
fn hangul_syllable(name: &str) -> Option<u32> {
    const PREFIX: &str = "HANGUL SYLLABLE ";
    let (prefix, letters) = name.split_at_checked(PREFIX.len())?;
    if !prefix.eq_ignore_ascii_case(PREFIX) {
        return None;
    }
    let strip = |text: &str, letter: &str| {
        let start = text.get(..letter.len())?;
        start.eq_ignore_ascii_case(letter).then_some(letter.len())
    };
    for (leading, consonant) in LEADING_CONSONANTS.iter().enumerate() {
        let Some(len) = strip(letters, consonant) else { continue };
        let after = &letters[len..];
        for (vowel, name) in VOWELS.iter().enumerate() {
            let Some(len) = strip(after, name) else { continue };
            let is_last = |last: &str| after[len..].eq_ignore_ascii_case(last);
            if let Some(trailing) = TRAILING_CONSONANTS.iter().position(|last| is_last(last)) {
                let index = (leading * VOWELS.len() + vowel) * TRAILING_CONSONANTS.len() + trailing;
                return Some(0xAC00 + index as u32);
            }
        }
    }
    None
}

/// Returns the control character with this alias.
fn control(name: &str) -> Option<u32> {
    let is_alias = |alias: &str| !alias.is_empty() && alias.eq_ignore_ascii_case(name);
    let index = CONTROL_NAMES.iter().position(|alias| is_alias(alias))? as u32;
    Some(if index < 0x20 { index } else { index - 0x20 + 0x7F })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_nothing_else() {
        let index = NameIndex::new();
        for character in '\0'..=char::MAX {
            let name = CharacterName(u32::from(character)).to_string();
            let expected = Some(character).filter(|_| !name.starts_with('<'));
            assert_eq!(index.lookup(&name), expected, "{name}");
        }
        for (name, expected) in [
            ("latin small letter E with ACUTE", Some('é')),
            ("hangul syllable gag", Some('각')),
            ("cjk unified ideograph-4e00", Some('一')),
            ("line feed", Some('\n')),
            ("", None),
            ("LATIN SMALL LETTER", None),
            ("LATIN SMALL LETTER A ", None),
            ("HANGUL SYLLABLE ", None),
            ("HANGUL SYLLABLE GAGX", None),
            ("CJK UNIFIED IDEOGRAPH-04E00", None),
            ("CJK UNIFIED IDEOGRAPH-41", None),
            ("X-4E00", None),
            ("é", None),
        ] {
            assert_eq!(index.lookup(name), expected, "{name}");
        }
    }
}
