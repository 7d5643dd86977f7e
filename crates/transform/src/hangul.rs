//! Hangul to Latin letters: the transliteration of the Revised Romanization of Korean (Ministry of Culture and
//! Tourism, notice 2000-8), as in `Latin-ConjoiningJamo` of CLDR.
//!
//! It transliterates what is written (독립 is doglib), and can be reversed: a hyphen separates letters of two
//! syllables that would otherwise be read as others, as in gabs-i for 값이. Syllables are decomposed by
//! arithmetic (section 3.12 of the Unicode Standard). All other characters are copied. The state is the last
//! three characters of the output, on which hyphens depend.

use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_kernel::{ascii, bulk_copy};

/// Hangul by the Revised Romanization.
pub static HANGUL_LATIN: Transform = Transform {
    name: "hangul-latin",
    aliases: &[],
    title: "Hangul-Latin",
    description: "Hangul to Latin: transliteration of the Revised Romanization, as in CLDR",
    options: &[],
    codecs: TransformCodecs::Text { decoder: None, encoder: |_| Box::new(Romanizer::default()) },
};

/// Initial consonants from U+1100 on. One is not pronounced.
const INITIALS: [&str; 19] = [
    "g", "kk", "n", "d", "tt", "l", "m", "b", "pp", "s", "ss", "", "j", "jj", "ch", "k", "t", "p",
    "h",
];

/// Vowels from U+1161 on.
const VOWELS: [&str; 21] = [
    "a", "ae", "ya", "yae", "eo", "e", "yeo", "ye", "o", "wa", "wae", "oe", "yo", "u", "wo", "we",
    "wi", "yu", "eu", "ui", "i",
];

/// Final consonants from U+11A8 on.
const FINALS: [&str; 27] = [
    "g", "kk", "gs", "n", "nj", "nh", "d", "l", "lg", "lm", "lb", "ls", "lt", "lp", "lh", "m", "b",
    "bs", "s", "ss", "ng", "j", "ch", "k", "t", "p", "h",
];

/// Consonants from U+3131 on that are not part of a syllable: initials, and finals that are not initials.
const CONSONANTS: [Jamo; 30] = {
    use Jamo::{Final, Initial};
    [
        Initial(0),
        Initial(1),
        Final(2),
        Initial(2),
        Final(4),
        Final(5),
        Initial(3),
        Initial(4),
        Initial(5),
        Final(8),
        Final(9),
        Final(10),
        Final(11),
        Final(12),
        Final(13),
        Final(14),
        Initial(6),
        Initial(7),
        Initial(8),
        Final(17),
        Initial(9),
        Initial(10),
        Initial(11),
        Initial(12),
        Initial(13),
        Initial(14),
        Initial(15),
        Initial(16),
        Initial(17),
        Initial(18),
    ]
};

/// The maximum number of bytes of a syllable: its jamo with hyphens.
const MAX_UNIT: usize = 12;

/// A letter of Hangul, by its number.
#[derive(Debug, Clone, Copy)]
enum Jamo {
    Initial(usize),
    Vowel(usize),
    Final(usize),
}

impl Jamo {
    /// Returns the jamo of a character that is not a syllable.
    fn of(character: char) -> Option<Jamo> {
        let code_point = character as usize;
        Some(match character {
            '\u{1100}'..='\u{1112}' => Jamo::Initial(code_point - 0x1100),
            '\u{1161}'..='\u{1175}' => Jamo::Vowel(code_point - 0x1161),
            '\u{11A8}'..='\u{11C2}' => Jamo::Final(code_point - 0x11A8),
            'ㄱ'..='ㅎ' => CONSONANTS[code_point - 0x3131],
            'ㅏ'..='ㅣ' => Jamo::Vowel(code_point - 0x314F),
            _ => return None,
        })
    }

    fn letters(self) -> &'static str {
        match self {
            Jamo::Initial(number) => INITIALS[number],
            Jamo::Vowel(number) => VOWELS[number],
            Jamo::Final(number) => FINALS[number],
        }
    }
}

/// The letters of a character.
#[derive(Default)]
struct Letters {
    bytes: [u8; MAX_UNIT],
    len: usize,
}

/// Transliterates Hangul.
#[derive(Debug, Default)]
struct Romanizer {
    /// The last characters of the output, the last one first; 0 is a character that is not ASCII.
    tail: [u8; 3],
}

impl Romanizer {
    fn push(&mut self, byte: u8) {
        self.tail = [byte, self.tail[0], self.tail[1]];
    }

    /// Returns whether a hyphen precedes a jamo, which a vowel follows or does not.
    fn is_separate(&self, jamo: Jamo, before_vowel: bool) -> bool {
        let is_vowel = |letter| matches!(letter, b'a' | b'e' | b'i' | b'o' | b'u');
        let [last, second, third] = self.tail;
        match jamo {
            Jamo::Initial(number) => {
                // The consonants after the last vowel.
                let ending: &[u8] = match (is_vowel(second), is_vowel(third)) {
                    (true, _) => &[last],
                    (_, true) => &[second, last],
                    _ => return false,
                };
                let initial = INITIALS[number];
                match (ending, initial) {
                    (b"ng", "") => before_vowel,
                    (_, "") => before_vowel && FINALS.iter().any(|it| it.as_bytes() == ending),
                    (b"j", "j") | (b"s", "s") => before_vowel,
                    (b"s", "ss")
                    | (b"bs" | b"gs" | b"ls", "s" | "ss")
                    | (b"nj", "j" | "jj")
                    | (b"k", "k" | "kk")
                    | (b"lg" | b"ng", "g")
                    | (b"lb", "b")
                    | (b"p" | b"lp", "p")
                    | (b"t" | b"lt", "t")
                    | (b"c", "h") => true,
                    _ => false,
                }
            }
            Jamo::Vowel(number) => match (last, VOWELS[number]) {
                (b'a', "e" | "eo" | "eu") => true,
                (b'e', "o" | "oe") => !matches!(second, b'a' | b'o' | b'w'),
                (b'e', "u" | "ui") => !matches!(second, b'a' | b'o' | b'w' | b'y'),
                (b'o', "e" | "eo" | "eu") => !matches!(second, b'e' | b'y'),
                (b'u', "i") => second != b'y',
                _ => false,
            },
            Jamo::Final(_) => false,
        }
    }

    /// Writes a jamo.
    fn write(&mut self, jamo: Jamo, before_vowel: bool, letters: &mut Letters) {
        let separator = if self.is_separate(jamo, before_vowel) { "-" } else { "" };
        for byte in separator.bytes().chain(jamo.letters().bytes()) {
            letters.bytes[letters.len] = byte;
            letters.len += 1;
            self.push(byte);
        }
    }

    /// Writes a syllable or jamo. Returns `None` if it is neither, or an initial whose next character has not
    /// arrived.
    fn convert(&mut self, character: char, rest: &str, end: bool) -> Option<Letters> {
        let mut letters = Letters::default();
        if let '가'..='힣' = character {
            let index = character as usize - '가' as usize;
            let (initial, vowel) = (index / (21 * 28), index / 28 % 21);
            self.write(Jamo::Initial(initial), true, &mut letters);
            self.write(Jamo::Vowel(vowel), false, &mut letters);
            if let Some(last) = (index % 28).checked_sub(1) {
                self.write(Jamo::Final(last), false, &mut letters);
            }
            return Some(letters);
        }
        let jamo = Jamo::of(character)?;
        let next = rest.chars().next();
        if matches!(jamo, Jamo::Initial(_)) && next.is_none() && !end {
            return None;
        }
        let before_vowel = matches!(next.and_then(Jamo::of), Some(Jamo::Vowel(_)));
        self.write(jamo, before_vowel, &mut letters);
        Some(letters)
    }
}

/// Returns whether a character is a syllable or jamo of today's Korean.
fn is_hangul(character: char) -> bool {
    matches!(character, '가'..='힣') || Jamo::of(character).is_some()
}

impl Checkpoint for Romanizer {
    fn save_state(&self) -> State {
        let [last, second, third] = self.tail.map(u64::from);
        State::new(last | second << 8 | third << 16)
    }

    fn restore_state(&mut self, state: State) {
        let [last, second, third, ..] = state.bits().to_le_bytes();
        self.tail = [last, second, third];
    }

    fn max_lookahead(&self) -> usize {
        MAX_UNIT
    }
}

impl TextTransform for Romanizer {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while let Some(character) = src[read..].chars().next() {
            let bytes = &src.as_bytes()[read..];
            let len = character.len_utf8();
            if character.is_ascii() {
                let len = ascii::prefix_len(bytes).min(dst.len() - written);
                if len == 0 {
                    return Progress::output_full(read, written);
                }
                bulk_copy::copy(&bytes[..len], &mut dst[written..]);
                bytes[len.saturating_sub(3)..len].iter().for_each(|byte| self.push(*byte));
                read += len;
                written += len;
                continue;
            }
            let tail = self.tail;
            let letters = self.convert(character, &src[read + len..], end);
            let text = match &letters {
                Some(letters) => &letters.bytes[..letters.len],
                None if is_hangul(character) => return Progress::input_empty(read, written),
                None => {
                    self.push(0);
                    &bytes[..len]
                }
            };
            let Some(to) = dst.get_mut(written..written + text.len()) else {
                self.tail = tail;
                return Progress::output_full(read, written);
            };
            to.copy_from_slice(text);
            read += len;
            written += text.len();
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::encode_every_way;

    #[test]
    fn hyphens_separate_syllables_that_would_be_read_as_others() {
        // As ICU has them.
        for (text, expected) in [("각게", "gagge"), ("값이", "gabs-i"), ("강가", "gang-ga")] {
            assert_eq!(encode_every_way("hangul-latin", text), expected);
        }
        for (text, expected) in [
            ("가에 아에오 ab아", "ga-e a-e-o ab-a"),
            ("ㅋㅋㅋ ㅄ ㅏㅣ", "kkk bs ai"),
            ("\u{1100}\u{1161}\u{11A8}\u{110B}\u{1175} \u{110B}", "gag-i "),
        ] {
            assert_eq!(encode_every_way("hangul-latin", text), expected);
        }
    }
}
