//! Names of characters.

use std::fmt;

mod lookup;
mod table;

pub use lookup::NameIndex;
use table::TableName;

/// The name of a code point in the Unicode Character Database: that of the character, the alias of a
/// control character, or a label such as `<private-use-E000>` (The Unicode Standard, section 4.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CharacterName(pub u32);

impl fmt::Display for CharacterName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code_point = self.0;
        let Some(character) = char::from_u32(code_point) else {
            return match code_point {
                0xD800..=0xDFFF => write!(f, "<surrogate-{code_point:04X}>"),
                _ => write!(f, "<not-in-Unicode-{code_point:04X}>"),
            };
        };
        if let Some(name) = control_name(character) {
            return f.write_str(name);
        }
        if let Some(prefix) = algorithmic_prefix(code_point) {
            return write!(f, "{prefix}{code_point:04X}");
        }
        if let 0xAC00..=0xD7A3 = code_point {
            return write_hangul_syllable(code_point as usize - 0xAC00, f);
        }
        match TableName::of(code_point) {
            Some(name) => write!(f, "{name}"),
            None => write!(f, "<{}-{code_point:04X}>", label(code_point)),
        }
    }
}

/// Returns what a code point without a name is.
fn label(code_point: u32) -> &'static str {
    match code_point {
        0x80..=0x9F => "control",
        0xE000..=0xF8FF | 0xF_0000..=0xF_FFFD | 0x10_0000..=0x10_FFFD => "private-use",
        0xFDD0..=0xFDEF => "noncharacter",
        _ if code_point & 0xFFFE == 0xFFFE => "noncharacter",
        _ => "reserved",
    }
}

/// Returns the prefix of the names that consist of one and the code point (The Unicode Standard 17.0, table 4-8).
fn algorithmic_prefix(code_point: u32) -> Option<&'static str> {
    Some(match code_point {
        0x3400..=0x4DBF
        | 0x4E00..=0x9FFF
        | 0x2_0000..=0x2_A6DF
        | 0x2_A700..=0x2_B81D
        | 0x2_B820..=0x2_CEAD
        | 0x2_CEB0..=0x2_EBE0
        | 0x2_EBF0..=0x2_EE5D
        | 0x3_0000..=0x3_134A
        | 0x3_1350..=0x3_3479 => "CJK UNIFIED IDEOGRAPH-",
        0xF900..=0xFA6D | 0xFA70..=0xFAD9 | 0x2_F800..=0x2_FA1D => "CJK COMPATIBILITY IDEOGRAPH-",
        0x1_3460..=0x1_43FA => "EGYPTIAN HIEROGLYPH-",
        0x1_7000..=0x1_87FF | 0x1_8D00..=0x1_8D1E => "TANGUT IDEOGRAPH-",
        0x1_8B00..=0x1_8CD5 | 0x1_8CFF => "KHITAN SMALL SCRIPT CHARACTER-",
        0x1_B170..=0x1_B2FB => "NUSHU CHARACTER-",
        _ => return None,
    })
}

/// Writes the name of a syllable, which consists of the short names of its letters (section 3.12).
fn write_hangul_syllable(index: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let leading = LEADING_CONSONANTS[index / TRAILING_CONSONANTS.len() / VOWELS.len()];
    let vowel = VOWELS[index / TRAILING_CONSONANTS.len() % VOWELS.len()];
    let trailing = TRAILING_CONSONANTS[index % TRAILING_CONSONANTS.len()];
    write!(f, "HANGUL SYLLABLE {leading}{vowel}{trailing}")
}

const LEADING_CONSONANTS: [&str; 19] = [
    "G", "GG", "N", "D", "DD", "R", "M", "B", "BB", "S", "SS", "", "J", "JJ", "C", "K", "T", "P",
    "H",
];

const VOWELS: [&str; 21] = [
    "A", "AE", "YA", "YAE", "EO", "E", "YEO", "YE", "O", "WA", "WAE", "OE", "YO", "U", "WEO", "WE",
    "WI", "YU", "EU", "YI", "I",
];

const TRAILING_CONSONANTS: [&str; 28] = [
    "", "G", "GG", "GS", "N", "NJ", "NH", "D", "L", "LG", "LM", "LB", "LS", "LT", "LP", "LH", "M",
    "B", "BS", "S", "SS", "NG", "J", "C", "K", "T", "P", "H",
];

/// Returns the alias of a control character (`NameAliases.txt`), which has no name.
fn control_name(character: char) -> Option<&'static str> {
    let index = match character {
        '\0'..='\x1F' => u32::from(character),
        '\x7F'..='\u{9F}' => u32::from(character) - 0x7F + 0x20,
        _ => return None,
    };
    Some(CONTROL_NAMES[index as usize]).filter(|name| !name.is_empty())
}

/// The aliases of U+0000 to U+001F and U+007F to U+009F. Three of them have none.
const CONTROL_NAMES: [&str; 65] = [
    "NULL",
    "START OF HEADING",
    "START OF TEXT",
    "END OF TEXT",
    "END OF TRANSMISSION",
    "ENQUIRY",
    "ACKNOWLEDGE",
    "ALERT",
    "BACKSPACE",
    "CHARACTER TABULATION",
    "LINE FEED",
    "LINE TABULATION",
    "FORM FEED",
    "CARRIAGE RETURN",
    "SHIFT OUT",
    "SHIFT IN",
    "DATA LINK ESCAPE",
    "DEVICE CONTROL ONE",
    "DEVICE CONTROL TWO",
    "DEVICE CONTROL THREE",
    "DEVICE CONTROL FOUR",
    "NEGATIVE ACKNOWLEDGE",
    "SYNCHRONOUS IDLE",
    "END OF TRANSMISSION BLOCK",
    "CANCEL",
    "END OF MEDIUM",
    "SUBSTITUTE",
    "ESCAPE",
    "INFORMATION SEPARATOR FOUR",
    "INFORMATION SEPARATOR THREE",
    "INFORMATION SEPARATOR TWO",
    "INFORMATION SEPARATOR ONE",
    "DELETE",
    "",
    "",
    "BREAK PERMITTED HERE",
    "NO BREAK HERE",
    "INDEX",
    "NEXT LINE",
    "START OF SELECTED AREA",
    "END OF SELECTED AREA",
    "CHARACTER TABULATION SET",
    "CHARACTER TABULATION WITH JUSTIFICATION",
    "LINE TABULATION SET",
    "PARTIAL LINE FORWARD",
    "PARTIAL LINE BACKWARD",
    "REVERSE LINE FEED",
    "SINGLE SHIFT TWO",
    "SINGLE SHIFT THREE",
    "DEVICE CONTROL STRING",
    "PRIVATE USE ONE",
    "PRIVATE USE TWO",
    "SET TRANSMIT STATE",
    "CANCEL CHARACTER",
    "MESSAGE WAITING",
    "START OF GUARDED AREA",
    "END OF GUARDED AREA",
    "START OF STRING",
    "",
    "SINGLE CHARACTER INTRODUCER",
    "CONTROL SEQUENCE INTRODUCER",
    "STRING TERMINATOR",
    "OPERATING SYSTEM COMMAND",
    "PRIVACY MESSAGE",
    "APPLICATION PROGRAM COMMAND",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_point_has_a_name_or_label() {
        for (code_point, name) in [
            (0, "NULL"),
            (0xA, "LINE FEED"),
            (0x1F, "INFORMATION SEPARATOR ONE"),
            (0x41, "LATIN CAPITAL LETTER A"),
            (0x7F, "DELETE"),
            (0x80, "<control-0080>"),
            (0x81, "<control-0081>"),
            (0x85, "NEXT LINE"),
            (0x99, "<control-0099>"),
            (0x9F, "APPLICATION PROGRAM COMMAND"),
            (0xA0, "NO-BREAK SPACE"),
            (0xE9, "LATIN SMALL LETTER E WITH ACUTE"),
            (0x378, "<reserved-0378>"),
            (0x4E00, "CJK UNIFIED IDEOGRAPH-4E00"),
            (0x9FFF, "CJK UNIFIED IDEOGRAPH-9FFF"),
            (0xAC00, "HANGUL SYLLABLE GA"),
            (0xD7A3, "HANGUL SYLLABLE HIH"),
            (0xD800, "<surrogate-D800>"),
            (0xE000, "<private-use-E000>"),
            (0xF900, "CJK COMPATIBILITY IDEOGRAPH-F900"),
            (0xFDD0, "<noncharacter-FDD0>"),
            (0xFEFF, "ZERO WIDTH NO-BREAK SPACE"),
            (0xFFFE, "<noncharacter-FFFE>"),
            (0x1_7000, "TANGUT IDEOGRAPH-17000"),
            (0x1_8800, "TANGUT COMPONENT-001"),
            (0x1_8B00, "KHITAN SMALL SCRIPT CHARACTER-18B00"),
            (0x1_B170, "NUSHU CHARACTER-1B170"),
            (0x1_F600, "GRINNING FACE"),
            (0x2_0000, "CJK UNIFIED IDEOGRAPH-20000"),
            (0x3_134A, "CJK UNIFIED IDEOGRAPH-3134A"),
            (0xE_0041, "TAG LATIN CAPITAL LETTER A"),
            (0x10_FFFD, "<private-use-10FFFD>"),
            (0x10_FFFF, "<noncharacter-10FFFF>"),
            (0x11_0000, "<not-in-Unicode-110000>"),
        ] {
            assert_eq!(CharacterName(code_point).to_string(), name, "{code_point:04X}");
        }
    }

    #[test]
    fn names_are_those_of_another_package() {
        let tangut = |code_point| matches!(code_point, 0x1_7000..=0x1_87FF | 0x1_8D00..=0x1_8D1E);
        let mut count = 0;
        for character in '\0'..=char::MAX {
            let code_point = u32::from(character);
            // The package has no names of Tangut ideographs.
            let expected = match unicode_names2::name(character) {
                Some(name) => name.to_string(),
                None if tangut(code_point) => format!("TANGUT IDEOGRAPH-{code_point:04X}"),
                None => match control_name(character) {
                    Some(name) => name.to_owned(),
                    None => format!("<{}-{code_point:04X}>", label(code_point)),
                },
            };
            assert_eq!(CharacterName(code_point).to_string(), expected, "{code_point:04X}");
            count += usize::from(!expected.starts_with('<'));
        }
        assert!(count > 150_000, "{count}");
    }
}
