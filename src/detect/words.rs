//! Do the words of a text look like words? A wrong charset of eight bits puts capitals, signs and letters
//! of other scripts into their midst.

use crate::charset::Charset;
use crate::convert;

/// What is beyond ASCII in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// Characters beyond ASCII.
    pub(crate) beyond_ascii: u64,
    /// Those among them that stand where no word has them.
    pub(crate) misplaced: u64,
}

impl Words {
    /// The words that these bytes make in a charset; none if they are not all of it.
    pub(super) fn of(charset: &Charset, bytes: &[u8]) -> Option<Words> {
        let text = convert(charset.name, "UTF-8", bytes).ok()?;
        std::str::from_utf8(&text).ok().map(Words::in_text)
    }

    /// The words of a text.
    pub(crate) fn in_text(text: &str) -> Words {
        let mut words = Words::default();
        let mut characters = text.chars().peekable();
        let (mut before, mut small) = (' ', false);
        while let Some(character) = characters.next() {
            small |= character.is_lowercase();
            let behind = characters.peek().copied().unwrap_or(' ');
            if !character.is_ascii() {
                words.beyond_ascii += 1;
                words.misplaced += u64::from(is_misplaced(before, character, behind));
            }
            before = character;
        }
        if !small && text.chars().any(|character| !character.is_ascii() && character.is_uppercase())
        {
            // It may be so, but letters without case often look like it.
            words.misplaced += words.beyond_ascii / 4;
        }
        words
    }

    /// Whether hardly any is misplaced.
    pub(super) fn are_fine(self) -> bool {
        self.misplaced * 100 <= self.beyond_ascii
    }

    /// Whether so many times less is misplaced than in the same bytes read otherwise, of which there
    /// may be fewer beyond ASCII.
    pub(super) fn are_better(self, times: u64, other: Words) -> bool {
        let mine = self.misplaced * times * other.beyond_ascii.max(1);
        other.misplaced > 0 && mine <= other.misplaced * self.beyond_ascii.max(1)
    }
}

/// Whether a character that is not ASCII has no place between these two.
fn is_misplaced(before: char, character: char, behind: char) -> bool {
    let (left, right) = (before.is_alphabetic(), behind.is_alphabetic());
    match character {
        '\u{80}'..='\u{9F}' => true,
        // A space, a soft hyphen, the points of Catalan, ordinals; an apostrophe; combining marks.
        '\u{A0}' | '\u{AD}' | '·' | 'ª' | 'º' | '’' | '\u{300}'..='\u{36F}' => false,
        // Quotation marks and dashes may be at one end of a word.
        '«' | '»' | '\u{2000}'..='\u{206F}' => left && right,
        'ƒ' | 'µ' | '\u{FB00}'..='\u{FB06}' => left || right,
        _ if !character.is_alphabetic() => character < '\u{2C00}' && (left || right),
        _ => {
            let capital_within = before.is_lowercase() && character.is_uppercase();
            let mixed = |other: char| other.is_alphabetic() && script(other) != script(character);
            capital_within || mixed(before) || mixed(behind)
        }
    }
}

/// The scripts that the charsets of eight bits have, by the blocks of their letters.
fn script(letter: char) -> u8 {
    match u32::from(letter) {
        0..=0x36F | 0x1E00..=0x1EFF => 0,
        0x370..=0x3FF | 0x1F00..=0x1FFF => 1,
        0x400..=0x52F => 2,
        0x590..=0x5FF | 0xFB1D..=0xFB4F => 3,
        0x600..=0x6FF | 0xFB50..=0xFEFF => 4,
        0xE00..=0xE7F => 5,
        // East Asian text has words in Latin letters without a space between.
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_script_are_fine() {
        for text in [
            "Grüße aus Köln – „schön“, sagte sie… l’été; 10 €, § 5, © 2020",
            "ÜBER ALLES, Éric, El Niño, n.º 5, paral·lel",
            "Привет, Мир! ПРИВЕТ",
            "Ελληνικά ΚΕΊΜΕΝΑ",
            "שלום לכולם",
            "日本語、English、日本",
        ] {
            let words = Words::in_text(text);
            assert_eq!(words.misplaced, 0, "{text}");
            assert!(words.beyond_ascii > 0);
        }
    }

    #[test]
    fn what_comes_of_a_wrong_charset_is_misplaced() {
        for text in ["gr\u{81}n", "sch”n", "a¤o", "laŸt", "cafι", "доЯ", "la†s"] {
            assert!(Words::in_text(text).misplaced > 0, "{text}");
        }
    }
}
