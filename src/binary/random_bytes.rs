//! Short content that looks like random bytes.
//!
//! In content of some hundred bytes a random file has control characters. In a shorter one there may be
//! none. Then two things are left that text has and random bytes do not: letters that make words, and
//! bytes that repeat, as few letters make up most of a text.

use crate::detect::WordShape;

/// Bytes that are too few to decide.
const MIN_RANDOM_LEN: usize = 12;

/// The longest content that is looked at; with more of it control characters decide.
pub(crate) const MAX_RANDOM_LEN: usize = 256;

/// Random bytes have at least one in this number beyond ASCII.
const BYTES_PER_NON_ASCII: u64 = 4;

/// One in this number of these is where no word has it.
const CHARS_PER_ANOMALY: u64 = 6;

/// Of this number of pairs of bytes fewer than one are two of the same; text has more than twice as many.
const PAIRS_PER_REPETITION: usize = 50;

/// Returns whether content looks like random bytes. `text` is what it decodes to: one character for each
/// byte, or else the encoding alone shows whether it is text.
pub(crate) fn looks_random(bytes: &[u8], text: &str) -> bool {
    if !has_few_repetitions(bytes) || text.chars().count() != bytes.len() {
        return false;
    }
    let shape = WordShape::from_text(text);
    shape.non_ascii * BYTES_PER_NON_ASCII >= bytes.len() as u64
        && shape.anomalies * CHARS_PER_ANOMALY >= shape.non_ascii
}

/// Returns whether the bytes of short content repeat less often than those of text.
pub(crate) fn has_few_repetitions(bytes: &[u8]) -> bool {
    let length = bytes.len();
    if !(MIN_RANDOM_LEN..=MAX_RANDOM_LEN).contains(&length) {
        return false;
    }
    let mut counts = [0_usize; 256];
    bytes.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
    let equal_pairs: usize = counts.iter().map(|count| count * count.saturating_sub(1) / 2).sum();
    equal_pairs * PAIRS_PER_REPETITION < length * (length - 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcode;

    #[test]
    fn short_text_in_wrong_encoding_does_not_look_random() {
        for text in [
            "Съешь ещё этих мягких булок",
            "Grüße",
            "à côté d’où naît l’été",
            "± ½ § µ × ÷ ° ² ³ ¼ ¾ ¶ ·",
            "│ Файл │ Правка │ Вид │",
        ] {
            for name in ["CP1251", "KOI8-R", "IBM866", "ISO-8859-1", "IBM437"] {
                let Ok(bytes) = transcode("UTF-8", name, text.as_bytes()) else { continue };
                for read_as in [name, "IBM850"] {
                    let read = transcode(read_as, "UTF-8", &bytes).unwrap();
                    let read = std::str::from_utf8(&read).unwrap();
                    assert!(!looks_random(&bytes, read), "{text} in {name}, read as {read_as}");
                }
            }
        }
    }

    #[test]
    fn enough_random_bytes_look_random() {
        let bytes = b"\x9D\xE2B\xF6\x8D\xB3)\xC7\xD8o\x84\xEEq\xFA\xA5[\xBF\x96\xCDx";
        let noise = |bytes: &[u8]| {
            let text = transcode("KOI8-R", "UTF-8", bytes).unwrap();
            looks_random(bytes, std::str::from_utf8(&text).unwrap())
        };
        assert!(noise(bytes));
        assert!(!noise(&bytes[..MIN_RANDOM_LEN - 1]));
        assert!(!noise(&bytes.repeat(3)));
    }
}
