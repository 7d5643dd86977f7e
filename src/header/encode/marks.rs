//! Facts about charsets and characters that words need: names, and marks that must not be alone.

use crate::encoding::alias::{self, Alias, MIME};
use crate::encoding::{self, BomHandling, Encoding};

/// The name of a charset in mail: the one that IANA prefers there, if it knows the charset.
pub fn mime_name(charset: &Encoding) -> &'static str {
    let preferred = |known: &Alias| known.encoding == charset.name && known.sources & MIME != 0;
    alias::all().find(preferred).map_or(charset.name, |known| known.name)
}

/// A big-endian charset without byte order marks in place of one with them. Readers join the bytes
/// of adjacent encoded-words, where a mark is a character, and take what has none for big-endian.
pub fn unmarked(charset: &'static Encoding) -> &'static Encoding {
    match charset.bom_handling {
        BomHandling::DetectAndWrite | BomHandling::Detect => {
            encoding::for_label(&format!("{}BE", charset.name)).unwrap_or(charset)
        }
        _ => charset,
    }
}

/// The joiner that makes one emoji of several.
const ZWJ: char = '\u{200D}';

/// Characters that change the one before them: combining marks of general use, variation
/// selectors, skin tones and tags (the blocks of the Unicode Standard of these names).
const MARKS: [(char, char); 9] = [
    ('\u{0300}', '\u{036F}'),
    ('\u{1AB0}', '\u{1AFF}'),
    ('\u{1DC0}', '\u{1DFF}'),
    ('\u{20D0}', '\u{20FF}'),
    ('\u{3099}', '\u{309A}'),
    ('\u{FE00}', '\u{FE0F}'),
    ('\u{FE20}', '\u{FE2F}'),
    ('\u{1F3FB}', '\u{1F3FF}'),
    ('\u{E0020}', '\u{E01EF}'),
];

/// Whether two characters side by side should not be parted. A reader that decodes word by word
/// would still show them aright; one that shows words by themselves would not.
pub fn belong_together(before: char, after: char) -> bool {
    let is_mark = MARKS.iter().any(|(first, last)| (*first..=*last).contains(&after));
    is_mark || before == ZWJ || after == ZWJ
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_belong_to_what_stands_before_them_and_a_joiner_to_both_sides() {
        for (before, after, together) in [
            ('e', '\u{301}', true),
            ('\u{301}', 'e', false),
            ('\u{2764}', '\u{FE0F}', true),
            ('\u{1F44D}', '\u{1F3FD}', true),
            ('\u{1F469}', ZWJ, true),
            (ZWJ, '\u{1F467}', true),
            ('\u{304B}', '\u{3099}', true),
            ('a', 'b', false),
            ('\u{4E2D}', '\u{6587}', false),
        ] {
            assert_eq!(belong_together(before, after), together, "{before:?} {after:?}");
        }
    }
}
