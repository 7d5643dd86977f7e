//! Short content that looks like random bytes.
//!
//! In content of some hundred bytes a random file has control characters. In a shorter one there may be
//! none. Then two things are left that text has and random bytes do not: letters that make words, and
//! bytes that repeat, as few letters make up most of a text.

use crate::detect::Words;

/// Bytes that are too few to decide.
const SHORTEST: usize = 12;

/// The longest content that is looked at; with more of it control characters decide.
pub(crate) const LONGEST: usize = 256;

/// Random bytes have at least one in this number beyond ASCII.
const PER_BEYOND_ASCII: u64 = 4;

/// One in this number of these is where no word has it.
const PER_MISPLACED: u64 = 6;

/// Of this number of pairs of bytes fewer than one are two of the same; text has more than twice as many.
const PER_REPETITION: usize = 50;

/// Returns whether content looks like random bytes. `text` is what it decodes to: one character for each
/// byte, or else the encoding alone shows whether it is text.
pub(crate) fn is_noise(bytes: &[u8], text: &str) -> bool {
    if !repeats_too_little(bytes) || text.chars().count() != bytes.len() {
        return false;
    }
    let words = Words::in_text(text);
    words.beyond_ascii * PER_BEYOND_ASCII >= bytes.len() as u64
        && words.misplaced * PER_MISPLACED >= words.beyond_ascii
}

/// Returns whether the bytes of short content repeat less often than those of text.
pub(crate) fn repeats_too_little(bytes: &[u8]) -> bool {
    let length = bytes.len();
    if !(SHORTEST..=LONGEST).contains(&length) {
        return false;
    }
    let mut counts = [0_usize; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let same: usize = counts.iter().map(|count| count * count.saturating_sub(1) / 2).sum();
    same * PER_REPETITION < length * (length - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert;

    #[test]
    fn short_text_is_not_noise_even_in_the_wrong_encoding() {
        for text in [
            "Съешь ещё этих мягких булок",
            "Grüße",
            "à côté d’où naît l’été",
            "± ½ § µ × ÷ ° ² ³ ¼ ¾ ¶ ·",
            "│ Файл │ Правка │ Вид │",
        ] {
            for name in ["CP1251", "KOI8-R", "IBM866", "ISO-8859-1", "IBM437"] {
                let Ok(bytes) = convert("UTF-8", name, text.as_bytes()) else { continue };
                for read_as in [name, "IBM850"] {
                    let read = convert(read_as, "UTF-8", &bytes).unwrap();
                    let read = std::str::from_utf8(&read).unwrap();
                    assert!(!is_noise(&bytes, read), "{text} in {name}, read as {read_as}");
                }
            }
        }
    }

    #[test]
    fn random_bytes_are_noise_if_there_are_enough() {
        let bytes = b"\x9D\xE2B\xF6\x8D\xB3)\xC7\xD8o\x84\xEEq\xFA\xA5[\xBF\x96\xCDx";
        let noise = |bytes: &[u8]| {
            let text = convert("KOI8-R", "UTF-8", bytes).unwrap();
            is_noise(bytes, std::str::from_utf8(&text).unwrap())
        };
        assert!(noise(bytes));
        assert!(!noise(&bytes[..SHORTEST - 1]));
        assert!(!noise(&bytes.repeat(3)));
    }
}
