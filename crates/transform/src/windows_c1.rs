//! C1 control characters of text that was decoded as ISO-8859-1 instead of windows-1252.
//!
//! ISO-8859-1 has control characters at 80–9F (ISO/IEC 6429), where windows-1252 has quotation marks, dashes
//! and letters. U+0085 (next line, as EBCDIC text has) and U+009B (which starts control sequences of
//! terminals) are in use as controls and therefore kept, as are the five that windows-1252 does not have.

use memchr::memchr_iter;

use super::item_transform::{Item, ItemFormat, ItemTransform};
use super::{Transform, TransformCodecs};
use charpipe_encoding::encoding::constants::CP1252;

/// C1 controls to the characters of windows-1252.
pub static WINDOWS_C1: Transform = Transform {
    name: "windows-c1",
    aliases: &[],
    title: "C1 control",
    description: "U+0080 to U+009F, except U+0085 and U+009B, to the characters of windows-1252",
    options: &[],
    codecs: TransformCodecs::Text {
        decoder: None,
        encoder: |_| Box::new(ItemTransform::new(C1Replacer::new())),
    },
};

/// The first byte of the C1 controls in UTF-8.
const LEAD: u8 = 0xC2;

/// The characters of C1 controls in windows-1252.
struct C1Replacer {
    characters: [char; 32],
}

impl C1Replacer {
    fn new() -> C1Replacer {
        let character = |index: usize| {
            let byte = 0x80 + index as u8;
            let control = char::from(byte);
            if matches!(byte, 0x85 | 0x9B) {
                return control;
            }
            let bytes = [byte];
            let (text, had_errors) = CP1252.decode(&bytes);
            text.chars().next().filter(|_| !had_errors).unwrap_or(control)
        };
        C1Replacer { characters: std::array::from_fn(character) }
    }
}

impl ItemFormat for C1Replacer {
    const MAX_LEN: usize = 4;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        let is_control = |at: &usize| matches!(src.get(at + 1), None | Some(0x80..=0x9F));
        memchr_iter(LEAD, src).find(is_control).unwrap_or(src.len())
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        match src.chars().next() {
            Some(control @ '\u{80}'..='\u{9F}') => {
                let index = u32::from(control) as usize - 0x80;
                Item::char(control.len_utf8(), self.characters[index], dst)
            }
            Some(other) => Item::unchanged(other.len_utf8(), src, dst),
            None => Item::NeedMore,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::encode_every_way;

    /// The characters are those of the code page (Unicode Consortium, CP1252.TXT).
    #[test]
    fn controls_become_characters_of_windows_1252() {
        for (text, expected) in [
            ("", ""),
            ("plain é \u{A0}", "plain é \u{A0}"),
            ("\u{93}x\u{94}", "“x”"),
            ("it\u{92}s 5 \u{80} \u{96} ok", "it’s 5 € – ok"),
            ("\u{8A}\u{8E}\u{9F}\u{8C}", "ŠŽŸŒ"),
            ("a\u{85}b\u{9B}31mc", "a\u{85}b\u{9B}31mc"),
            ("\u{81}\u{8D}\u{8F}\u{90}\u{9D}", "\u{81}\u{8D}\u{8F}\u{90}\u{9D}"),
            ("\u{93}é\u{C2}\u{82}", "“é\u{C2}‚"),
        ] {
            assert_eq!(encode_every_way("windows-c1", text), expected, "{text:?}");
        }
    }
}
