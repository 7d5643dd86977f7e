//! The transforms of text that `charpipe fix` applies, and what they change.

/// The transforms that keep a text what it is: those that remove or replace characters, and normalization.
pub const TEXT_FIXES: [&str; 11] = [
    REMOVE_ZERO_WIDTH,
    REMOVE_BIDI_CONTROLS,
    REMOVE_SOFT_HYPHENS,
    REMOVE_CONTROLS,
    NBSP_TO_SPACE,
    "ascii-punctuation",
    "windows-c1",
    "nfc",
    "nfd",
    "nfkc",
    "nfkd",
];

const REMOVE_ZERO_WIDTH: &str = "remove-zero-width";
const REMOVE_BIDI_CONTROLS: &str = "remove-bidi-controls";
const REMOVE_SOFT_HYPHENS: &str = "remove-soft-hyphens";
const REMOVE_CONTROLS: &str = "remove-controls";
const NBSP_TO_SPACE: &str = "nbsp-to-space";

/// Returns the transform that removes a confusing character or replaces it by a space.
pub fn fix_of(code_point: u32) -> Option<&'static str> {
    Some(match char::from_u32(code_point)? {
        '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' => REMOVE_ZERO_WIDTH,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => {
            REMOVE_BIDI_CONTROLS
        }
        '\u{AD}' => REMOVE_SOFT_HYPHENS,
        '\u{A0}' | '\u{2007}' | '\u{202F}' => NBSP_TO_SPACE,
        '\t' | '\n' | '\r' | '\u{C}' | '\u{85}' => return None,
        character if character.is_control() => REMOVE_CONTROLS,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{TEXT_FIXES, fix_of};
    use charpipe_encoding::UTF_8;
    use charpipe_transcode::options::TranscodeOptions;

    #[test]
    fn each_character_is_changed_by_its_fix_alone() {
        // The other transforms change characters that are not confusing.
        let names = TEXT_FIXES.into_iter().take(5);
        for name in names {
            let options = TranscodeOptions::new(UTF_8, UTF_8).via(name.parse().unwrap());
            for character in ('\0'..='\u{FFFF}').filter(|character| *character != '\u{FEFF}') {
                let text = character.to_string();
                let is_changed = options.transcode(text.as_bytes()).unwrap() != text.as_bytes();
                let fix = fix_of(u32::from(character));
                assert_eq!(is_changed, fix == Some(name), "{name} {character:?}");
            }
        }
    }
}
