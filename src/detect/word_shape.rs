//! Do the words of a text look like words? A wrong encoding of eight bits puts capitals, signs and letters
//! of other scripts into their midst.

use crate::encoding::Encoding;
use crate::transcode;

/// What is beyond ASCII in a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WordShape {
    /// Characters beyond ASCII.
    pub(crate) non_ascii: u64,
    /// Those among them that stand where no word has them.
    pub(crate) anomalies: u64,
}

impl WordShape {
    /// The words that these bytes make in an encoding; none if they are not all of it.
    pub(super) fn from_bytes(encoding: &Encoding, bytes: &[u8]) -> Option<WordShape> {
        let text = transcode(encoding.name, "UTF-8", bytes).ok()?;
        std::str::from_utf8(&text).ok().map(WordShape::from_text)
    }

    /// The words of a text.
    pub(crate) fn from_text(text: &str) -> WordShape {
        let mut shape = WordShape::default();
        let mut characters = text.chars().peekable();
        let (mut before, mut has_lowercase) = (' ', false);
        while let Some(character) = characters.next() {
            has_lowercase |= character.is_lowercase();
            let after = characters.peek().copied().unwrap_or(' ');
            if !character.is_ascii() {
                shape.non_ascii += 1;
                shape.anomalies += u64::from(is_anomalous(before, character, after));
            }
            before = character;
        }
        if !has_lowercase
            && text.chars().any(|character| !character.is_ascii() && character.is_uppercase())
        {
            // It may be so, but letters without case often look like it.
            shape.anomalies += shape.non_ascii / 4;
        }
        shape
    }

    /// Whether hardly any is misplaced.
    pub(super) fn is_acceptable(self) -> bool {
        self.anomalies * 100 <= self.non_ascii
    }

    /// Whether so many times less is misplaced than in the same bytes read otherwise, of which there
    /// may be fewer beyond ASCII.
    pub(super) fn is_better_than(self, times: u64, other: WordShape) -> bool {
        let own = self.anomalies * times * other.non_ascii.max(1);
        other.anomalies > 0 && own <= other.anomalies * self.non_ascii.max(1)
    }
}

/// Whether a character that is not ASCII has no position between these two.
fn is_anomalous(before: char, character: char, after: char) -> bool {
    let (left, right) = (before.is_alphabetic(), after.is_alphabetic());
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
            let mixed =
                |other: char| other.is_alphabetic() && script_of(other) != script_of(character);
            capital_within || mixed(before) || mixed(after)
        }
    }
}

/// The scripts that the encodings of eight bits have, by the blocks of their letters.
fn script_of(letter: char) -> u8 {
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
    fn words_of_every_script_have_no_anomalies() {
        for text in [
            "Grüße aus Köln – „schön“, sagte sie… l’été; 10 €, § 5, © 2020",
            "ÜBER ALLES, Éric, El Niño, n.º 5, paral·lel",
            "Привет, Мир! ПРИВЕТ",
            "Ελληνικά ΚΕΊΜΕΝΑ",
            "שלום לכולם",
            "日本語、English、日本",
        ] {
            let shape = WordShape::from_text(text);
            assert_eq!(shape.anomalies, 0, "{text}");
            assert!(shape.non_ascii > 0);
        }
    }

    #[test]
    fn text_decoded_with_wrong_encoding_has_anomalies() {
        for text in ["gr\u{81}n", "sch”n", "a¤o", "laŸt", "cafι", "доЯ", "la†s"] {
            assert!(WordShape::from_text(text).anomalies > 0, "{text}");
        }
    }
}
