//! Removes invisible characters, and replaces special spaces and punctuation by ASCII.
//!
//! Each set is a transform of its own, because each has texts that need it: U+200D joins emoji, U+200C
//! separates letters in Persian, bidirectional controls order numbers in Hebrew, U+00A0 keeps a unit beside its number.

use memchr::{memchr_iter, memchr2_iter};

use super::item_transform::{Item, ItemFormat, ItemTransform};
use super::{Transform, TransformCodecs};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};

/// Returns a transform that replaces characters. `set` makes their set from the options.
macro_rules! replacement {
    ($name:literal, $description:literal, $options:expr, $set:expr) => {
        Transform {
            name: $name,
            aliases: &[],
            title: "character",
            description: $description,
            options: $options,
            codecs: TransformCodecs::Text {
                decoder: None,
                encoder: |options| {
                    let set: fn(&EncodingOptions) -> CharacterSet = $set;
                    Box::new(ItemTransform::new(set(options)))
                },
            },
        }
    };
}

/// Zero-width characters.
pub static REMOVE_ZERO_WIDTH: Transform = replacement!(
    "remove-zero-width",
    "Removes U+200B to U+200D, U+2060 to U+2064 and U+FEFF (zero-width characters)",
    &[KEEP_JOINERS],
    |options| match options.flag(KEEP_JOINERS.name) {
        true => CharacterSet::new(&[0xE2, 0xEF], |character| match character {
            '\u{200B}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => Some(""),
            _ => None,
        }),
        false => CharacterSet::new(&[0xE2, 0xEF], |character| match character {
            '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => Some(""),
            _ => None,
        }),
    }
);

const KEEP_JOINERS: OptionSpec = OptionSpec {
    name: "keep-joiners",
    values: OptionValues::Flag,
    description: "leave U+200C and U+200D, which join or separate letters and emoji",
};

/// Controls of the bidirectional algorithm.
pub static REMOVE_BIDI_CONTROLS: Transform = replacement!(
    "remove-bidi-controls",
    "Removes the characters with the property Bidi_Control (UAX #9, section 2)",
    &[],
    |_| CharacterSet::new(&[0xD8, 0xE2], |character| match character {
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' =>
            Some(""),
        _ => None,
    })
);

/// Soft hyphens.
pub static REMOVE_SOFT_HYPHENS: Transform = replacement!(
    "remove-soft-hyphens",
    "Removes U+00AD, a hyphen that only shows at the end of a line",
    &[],
    |_| CharacterSet::new(&[0xC2], |character| (character == '\u{AD}').then_some(""))
);

/// Control characters.
pub static REMOVE_CONTROLS: Transform = replacement!(
    "remove-controls",
    "Removes control characters, except tab, line feed, carriage return, form feed and U+0085 (ISO/IEC 6429)",
    &[],
    |_| CharacterSet::new(&[], |character| match character {
        '\t' | '\n' | '\r' | '\u{C}' | '\u{85}' => None,
        _ => character.is_control().then_some(""),
    })
);

/// No-break spaces.
pub static NBSP_TO_SPACE: Transform = replacement!(
    "nbsp-to-space",
    "U+00A0, U+2007 and U+202F, at which a line does not break, to U+0020",
    &[],
    |_| CharacterSet::new(&[0xC2, 0xE2], |character| match character {
        '\u{A0}' | '\u{2007}' | '\u{202F}' => Some(" "),
        _ => None,
    })
);

/// Typographic punctuation.
pub static ASCII_PUNCTUATION: Transform = replacement!(
    "ascii-punctuation",
    "Quotation marks, apostrophes, dashes, the minus sign and the ellipsis to ASCII",
    &[],
    |_| CharacterSet::new(&[0xCA, 0xE2], |character| match character {
        '‘' | '’' | '‚' | '‛' | '\u{2BC}' => Some("'"),
        '“' | '”' | '„' | '‟' => Some("\""),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some("-"),
        '…' => Some("..."),
        _ => None,
    })
);

/// The characters that a transform replaces.
struct CharacterSet {
    /// The first bytes of the characters in UTF-8, at most two; none for control characters.
    leads: &'static [u8],
    /// Returns what replaces a character, or `None` if it is not in the set.
    replacement: fn(char) -> Option<&'static str>,
}

impl CharacterSet {
    fn new(leads: &'static [u8], replacement: fn(char) -> Option<&'static str>) -> CharacterSet {
        CharacterSet { leads, replacement }
    }

    /// Returns whether the character at `at`, which may be incomplete, may be in the set.
    fn may_contain(&self, src: &[u8], at: usize) -> bool {
        let len = match src[at] {
            0x00..=0x7F => 1,
            0x80..=0xDF => 2,
            _ => 3,
        };
        let character = src.get(at..at + len).and_then(|bytes| std::str::from_utf8(bytes).ok());
        let character = character.and_then(|text| text.chars().next());
        character.is_none_or(|character| (self.replacement)(character).is_some())
    }
}

impl ItemFormat for CharacterSet {
    const MAX_LEN: usize = 4;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        let is_in_set = |at: &usize| self.may_contain(src, *at);
        let found = match *self.leads {
            [one] => memchr_iter(one, src).find(is_in_set),
            [one, two] => memchr2_iter(one, two, src).find(is_in_set),
            _ => src.iter().position(|&byte| {
                byte == 0xC2 || byte.is_ascii_control() && !b"\t\n\x0C\r".contains(&byte)
            }),
        };
        found.unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        let Some(character) = src.chars().next() else { return Item::NeedMore };
        match (self.replacement)(character) {
            Some(text) => Item::text(character.len_utf8(), text, dst),
            None => Item::unchanged(character.len_utf8(), src, dst),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::encode_every_way;
    use super::super::{EncodingOptions, all};
    use super::TransformCodecs;

    #[test]
    fn characters_of_each_set_are_removed_or_replaced() {
        for (name, text, expected) in [
            ("remove-zero-width", "", ""),
            ("remove-zero-width", "a\u{200B}b\u{FEFF}c\u{2060}d€ﬁ", "abcd€ﬁ"),
            ("remove-zero-width", "👩\u{200D}🔬 می\u{200C}خواهم", "👩🔬 میخواهم"),
            ("remove-zero-width:keep-joiners", "a\u{200B}👩\u{200D}🔬", "a👩\u{200D}🔬"),
            ("remove-bidi-controls", "a\u{202E}b\u{2066}c\u{2069}\u{200F}\u{61C}؟", "abc؟"),
            ("remove-soft-hyphens", "Donau\u{AD}dampf\u{AD}schiff é", "Donaudampfschiff é"),
            (
                "remove-controls",
                "a\u{0}b\tc\r\n\u{1B}[1m\u{7F}\u{81}é\u{85}\u{C}\u{B}",
                "ab\tc\r\n[1mé\u{85}\u{C}",
            ),
            ("nbsp-to-space", "5\u{A0}km 1\u{202F}000 «é»", "5 km 1 000 «é»"),
            ("ascii-punctuation", "“it’s” – „né“ — … −5 ″", "\"it's\" - \"né\" - ... -5 ″"),
        ] {
            assert_eq!(encode_every_way(name, text), expected, "{name} {text:?}");
        }
    }

    #[test]
    fn controls_are_those_of_the_character_database() {
        let text: String = ('\0'..='\u{17F}').collect();
        let is_kept = |&character: &char| {
            !character.is_control() || matches!(character, '\t' | '\n' | '\r' | '\u{C}' | '\u{85}')
        };
        let expected: String = text.chars().filter(is_kept).collect();
        assert_eq!(encode_every_way("remove-controls", &text), expected);
    }

    /// In every block of Unicode no more characters change than the descriptions name.
    #[test]
    fn other_characters_are_copied() {
        for (name, changed) in [
            ("remove-zero-width", 9),
            ("remove-bidi-controls", 12),
            ("remove-soft-hyphens", 1),
            ("remove-controls", 60),
            ("nbsp-to-space", 3),
            ("ascii-punctuation", 17),
        ] {
            let transform = all().find(|it| it.name == name).expect("registered");
            let TransformCodecs::Text { encoder, .. } = transform.codecs else { panic!("{name}") };
            let mut codec = encoder(&EncodingOptions::default());
            let count = ('\0'..=char::MAX).filter(|character| {
                let mut bytes = [0; 4];
                let text = character.encode_utf8(&mut bytes);
                let mut output = [0; 8];
                let written = codec.transform_text(text, &mut output, true).written;
                output[..written] != *text.as_bytes()
            });
            assert_eq!(count.count(), changed, "{name}");
        }
    }
}
