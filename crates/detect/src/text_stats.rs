//! Statistics by which text is distinguished from other data: control characters, scripts, and the shape
//! of words.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use unicode_script::{Script, UnicodeScript};

use super::line_endings::LineEndingScanner;
use charpipe_kernel::special_bytes::SpecialBytes;
use charpipe_kernel::{count, utf8};

/// The number of characters after which implausible text is rejected for good.
const DECISION_POINT: u64 = 4096;

/// At most one in this number of characters is suspicious.
const CHARS_PER_SUSPICIOUS: u64 = 50;

/// At least one in this number of characters is ASCII or East Asian punctuation: every script uses spaces
/// and line endings. Not required if a single script other than an East Asian one is found.
const CHARS_PER_ASCII_OR_CJK_PUNCT: u64 = 100;

/// The minimum percentage of characters that belong to one script or to none.
const MIN_SINGLE_SCRIPT_PERCENT: u64 = 95;

/// At least one in this number of characters is above U+FFFF in text that may mix scripts.
const CHARS_PER_SUPPLEMENTARY: u64 = 10;

/// At least one in this number of characters is ASCII or East Asian punctuation in text that mixes scripts.
const CHARS_PER_ASCII_IN_MIXTURE: u64 = 20;

/// At most one in this number of letters of scripts other than Latin follows one of another script: text
/// mixes scripts by words. Numbers that are no text do so everywhere.
const LETTERS_PER_SCRIPT_CHANGE: u64 = 3;

/// The numbers of characters of a title or name in UTF-32.
const MIN_UTF32_CHARS: u64 = 2;
const MAX_UTF32_TITLE_LEN: u64 = 64;

/// Fewer characters do not show a script.
const MIN_CHARS: u64 = 4;

/// The number of bytes of text that are examined at once.
const PIECE_LEN: usize = 64;

/// Statistics of decoded text.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextStats {
    pub(super) line_endings: LineEndingScanner,
    chars: u64,
    /// The number of characters by class. Empty at the start.
    counts: Vec<u64>,
    /// Characters above U+FFFF. In UTF-16 they are pairs that other data hardly ever has.
    supplementary: u64,
    /// How many letters follow one of another script in the same word, except for Latin ones.
    script_changes: u64,
    /// The class of the last letter of a script other than Latin in this word.
    last_script: Option<CharClass>,
    /// Whether the text is implausible regardless of what follows.
    pub(super) rejected: bool,
}

impl TextStats {
    /// Counts the characters of the next text.
    pub(crate) fn feed(&mut self, text: &str) {
        self.line_endings.feed(text.as_bytes());
        self.counts.resize(CLASS_COUNT, 0);
        if self.chars >= DECISION_POINT {
            return self.count(text);
        }
        // At a fixed position of the text, so the result does not depend on the chunks.
        let before_decision = (DECISION_POINT - self.chars) as usize;
        let end = text.char_indices().nth(before_decision).map_or(text.len(), |(index, _)| index);
        let (start, rest) = text.split_at(end);
        self.count(start);
        self.rejected |= self.chars == DECISION_POINT && !self.is_plausible();
        self.count(rest);
    }

    fn count(&mut self, mut text: &str) {
        let Some(counts) = self.counts.first_chunk_mut::<CLASS_COUNT>() else { return };
        let (mut chars, mut supplementary) = (0, 0);
        let (mut script_changes, mut last_script) = (self.script_changes, self.last_script);
        while !text.is_empty() {
            let (piece, rest) = text.split_at(utf8::floor_char_boundary(text, PIECE_LEN));
            text = rest;
            if piece.bytes().fold(true, |all, byte| all & is_ascii_of_text(byte)) {
                chars += piece.len() as u64;
                counts[usize::from(CharClass::ASCII.0)] += piece.len() as u64;
                last_script = None;
                continue;
            }
            for character in piece.chars() {
                chars += 1;
                supplementary += u64::from(character > '\u{FFFF}');
                let class = CharClass::of(character);
                counts[usize::from(class.0)] += 1;
                if class.is_script() {
                    let last = last_script.replace(class);
                    script_changes += u64::from(last.is_some_and(|last| last != class));
                } else if class.is_ascii_or_cjk_punct() {
                    last_script = None;
                }
            }
        }
        (self.script_changes, self.last_script) = (script_changes, last_script);
        self.chars += chars;
        self.supplementary += supplementary;
    }

    /// Returns the number of characters that are not ASCII.
    pub(super) fn non_ascii(&self) -> u64 {
        let ascii = [CharClass::ASCII, CharClass::ASCII_COMMON, CharClass::ASCII_SUSPICIOUS];
        self.chars - self.count_of(&ascii)
    }

    /// Returns the number of characters that are absent from text or very rare.
    pub(super) fn suspicious(&self) -> u64 {
        self.count_of(&[CharClass::SUSPICIOUS, CharClass::ASCII_SUSPICIOUS])
    }

    /// Returns the number of ASCII characters of text and East Asian punctuation.
    fn ascii_or_cjk_punct(&self) -> u64 {
        self.count_of(&[CharClass::ASCII, CharClass::CJK_PUNCT])
    }

    /// Returns the number of characters that are used with many scripts.
    fn common(&self) -> u64 {
        use CharClass as Class;
        self.count_of(&[Class::COMMON, Class::ASCII, Class::ASCII_COMMON, Class::CJK_PUNCT])
    }

    fn east_asian(&self) -> u64 {
        self.count_of(&[CharClass::EAST_ASIAN])
    }

    fn count_of(&self, classes: &[CharClass]) -> u64 {
        classes.iter().filter_map(|class| self.counts.get(usize::from(class.0))).sum()
    }

    /// Returns whether this looks like text in some language.
    pub(super) fn is_plausible(&self) -> bool {
        if self.is_too_short() {
            let is_pairs = self.supplementary == self.chars && self.chars > 1;
            return self.suspicious() == 0
                && (self.ascii_or_cjk_punct() * 2 > self.chars || is_pairs);
        }
        let shows_script = self.largest_script() > self.east_asian();
        let has_pairs = self.supplementary * CHARS_PER_SUPPLEMENTARY >= self.chars;
        self.has_few_suspicious_chars()
            && (self.is_single_script() || has_pairs || self.mixes_scripts_by_words())
            && (self.has_ascii_or_cjk_punct() || shows_script || has_pairs)
    }

    /// Returns whether this short text is that of UTF-32, which other data hardly ever is by chance: a title or name
    /// in one script, without spaces.
    pub(super) fn is_plausible_utf32(&self) -> bool {
        (MIN_UTF32_CHARS..MAX_UTF32_TITLE_LEN).contains(&self.chars)
            && self.suspicious() == 0
            && self.is_single_script()
            && self.largest_script().max(self.east_asian()) > 0
    }

    /// Returns whether this may be text in an encoding that the user has specified. Such text may mix
    /// scripts if it contains spaces and line endings, and may be in a rare script.
    pub(crate) fn may_be_text(&self) -> bool {
        self.has_few_suspicious_chars()
            && (self.has_ascii_or_cjk_punct() || self.is_single_script())
    }

    /// Returns the score used to rank candidate encodings: higher is more text-like.
    pub(super) fn score(&self) -> u64 {
        self.ascii_or_cjk_punct()
    }

    /// Returns whether there are too few characters for any conclusion.
    pub(super) fn is_too_short(&self) -> bool {
        self.chars < MIN_CHARS
    }

    fn has_few_suspicious_chars(&self) -> bool {
        self.suspicious() * CHARS_PER_SUSPICIOUS <= self.chars
    }

    fn has_ascii_or_cjk_punct(&self) -> bool {
        self.ascii_or_cjk_punct() * CHARS_PER_ASCII_OR_CJK_PUNCT >= self.chars
    }

    fn is_single_script(&self) -> bool {
        let dominant = self.largest_script().max(self.east_asian());
        (self.common() + dominant) * 100 >= self.chars * MIN_SINGLE_SCRIPT_PERCENT
    }

    /// Returns whether the text has several scripts, but not in the same words, and ASCII between them.
    fn mixes_scripts_by_words(&self) -> bool {
        let scripts = self.counts.iter().take(SCRIPT_COUNT).sum::<u64>() + self.east_asian();
        self.ascii_or_cjk_punct() * CHARS_PER_ASCII_IN_MIXTURE >= self.chars
            && self.script_changes * LETTERS_PER_SCRIPT_CHANGE <= scripts
    }

    fn largest_script(&self) -> u64 {
        self.counts.iter().take(SCRIPT_COUNT).copied().max().unwrap_or(0)
    }
}

fn is_ascii_or_cjk_punct(character: char) -> bool {
    u8::try_from(character).is_ok_and(is_ascii_of_text)
        || matches!(character, '\u{3000}'..='\u{3002}' | '\u{FF0C}')
}

/// Returns whether this is a character of ASCII that occurs in all text.
fn is_ascii_of_text(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')
}

/// The number of values of [`CharClass`].
const CLASS_COUNT: usize = 0x100;

/// The number of values of [`CharClass`] for scripts, including unused ones.
const SCRIPT_COUNT: usize = 0xF0;

/// The class of a character: a script plus one, or one of the constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CharClass(u8);

/// The classes of the characters in the Basic Multilingual Plane, 0 until one is needed: looking up the
/// script of every character of a text takes several times as long, and of all characters a millisecond.
static CLASSES: [AtomicU8; 0x10000] = [const { AtomicU8::new(0) }; 0x10000];

impl CharClass {
    /// Absent from text or very rare.
    const SUSPICIOUS: CharClass = CharClass(0xF0);
    /// Used with many scripts.
    const COMMON: CharClass = CharClass(0xF1);
    const EAST_ASIAN: CharClass = CharClass(0xF2);
    /// Common and East Asian.
    const CJK_PUNCT: CharClass = CharClass(0xF3);
    /// The characters of ASCII that occur in all text.
    const ASCII: CharClass = CharClass(0xF4);
    const ASCII_COMMON: CharClass = CharClass(0xF5);
    const ASCII_SUSPICIOUS: CharClass = CharClass(0xF6);

    fn is_script(self) -> bool {
        usize::from(self.0) < SCRIPT_COUNT || self == CharClass::EAST_ASIAN
    }

    fn is_ascii_or_cjk_punct(self) -> bool {
        self == CharClass::ASCII || self == CharClass::CJK_PUNCT
    }

    fn of(character: char) -> CharClass {
        let Some(known) = CLASSES.get(character as usize) else {
            return CharClass::compute(character);
        };
        match known.load(Relaxed) {
            0 => {
                let class = CharClass::compute(character);
                known.store(class.0, Relaxed);
                class
            }
            class => CharClass(class),
        }
    }

    #[cold]
    fn compute(character: char) -> CharClass {
        match character {
            _ if is_ascii_or_cjk_punct(character) => match character.is_ascii() {
                true => CharClass::ASCII,
                false => CharClass::CJK_PUNCT,
            },
            '\t'..='\r' | '\x1A' | '\x1B' => CharClass::ASCII_COMMON,
            '\0'..='\x7F' => CharClass::ASCII_SUSPICIOUS,
            // Noncharacters and specials, including the replacement character.
            '\u{FFF0}'..='\u{FFFF}' => CharClass::SUSPICIOUS,
            _ if character.is_control() => CharClass::SUSPICIOUS,
            _ => match character.script() {
                Script::Common | Script::Inherited | Script::Latin => CharClass::COMMON,
                script if is_east_asian(script) => CharClass::EAST_ASIAN,
                // Private use, noncharacters and unassigned code points.
                Script::Unknown => CharClass::SUSPICIOUS,
                script => CharClass(script as u8 + 1),
            },
        }
    }
}

fn is_east_asian(script: Script) -> bool {
    use Script::{Bopomofo, Han, Hangul, Hiragana, Katakana};
    matches!(script, Bopomofo | Han | Hangul | Hiragana | Katakana)
}

/// The shape of the words of a text: how many of its non-ASCII characters are at an implausible position.
/// Text decoded in a wrong single-byte encoding has capitals, symbols and letters of other scripts in the
/// middle of words.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct WordShape {
    /// The number of non-ASCII characters.
    pub(crate) non_ascii: u64,
    /// The number of those that occur where words do not have them.
    pub(crate) anomalies: u64,
}

impl WordShape {
    pub(crate) fn from_text(text: &str) -> WordShape {
        let mut shape = WordShape::default();
        let mut characters = text.chars().map(WordChar::new).peekable();
        let (mut before, mut has_lowercase) = (WordChar::SPACE, false);
        while let Some(current) = characters.next() {
            has_lowercase |= current.character.is_lowercase();
            if !current.character.is_ascii() {
                let after = characters.peek().copied().unwrap_or(WordChar::SPACE);
                shape.non_ascii += 1;
                shape.anomalies += u64::from(current.is_anomalous(before, after));
            }
            before = current;
        }
        if !has_lowercase
            && text.chars().any(|character| !character.is_ascii() && character.is_uppercase())
        {
            // It may be all capitals, but letters without case often look like that.
            shape.anomalies += shape.non_ascii / 4;
        }
        shape
    }
}

/// A character of a word, and its script if it is a letter.
#[derive(Debug, Clone, Copy)]
struct WordChar {
    character: char,
    script: Option<Script>,
}

impl WordChar {
    const SPACE: WordChar = WordChar { character: ' ', script: None };

    fn new(character: char) -> WordChar {
        let script = || match character.is_ascii() {
            true => Script::Latin,
            false => character.script(),
        };
        WordChar { character, script: character.is_alphabetic().then(script) }
    }

    /// Returns whether this non-ASCII character is at an implausible position between these two.
    fn is_anomalous(self, before: WordChar, after: WordChar) -> bool {
        let (left, right) = (before.script.is_some(), after.script.is_some());
        match self.character {
            '\u{80}'..='\u{9F}' => true,
            // No-break space, soft hyphen, Catalan middle dot, ordinals, apostrophe, combining marks.
            '\u{A0}' | '\u{AD}' | '·' | 'ª' | 'º' | '’' | '\u{300}'..='\u{36F}' => false,
            // Quotation marks and dashes are at one end of a word.
            '«' | '»' | '\u{2000}'..='\u{206F}' => left && right,
            'ƒ' | 'µ' | '\u{FB00}'..='\u{FB06}' => left || right,
            character if self.script.is_none() => character < '\u{2C00}' && (left || right),
            character => {
                let capital_within = before.character.is_lowercase() && character.is_uppercase();
                capital_within || self.is_other_script(before) || self.is_other_script(after)
            }
        }
    }

    /// Returns whether both are letters of scripts that are not mixed in a word. East Asian text contains
    /// Latin words without spaces around them.
    fn is_other_script(self, other: WordChar) -> bool {
        let mixes = |script| {
            is_east_asian(script)
                || matches!(script, Script::Latin | Script::Common | Script::Inherited)
        };
        match (self.script, other.script) {
            (Some(one), Some(other)) => one != other && !(mixes(one) && mixes(other)),
            _ => false,
        }
    }
}

/// The byte that ends a text file of DOS or CP/M, repeated to fill a sector.
const DOS_EOF: u8 = 0x1A;

/// NEL, the line ending of EBCDIC: the only C1 control character that occurs in text.
const NEXT_LINE: u8 = 0x85;

/// Counts control characters in content that arrives in chunks.
#[derive(Debug, Clone, Default)]
pub(crate) struct ControlCharCounter {
    /// The number of characters.
    pub(super) chars: u64,
    controls: u64,
    /// C1 control characters, which UTF-8 that was decoded in another encoding contains.
    c1_controls: u64,
    /// SO and SI, which are text in encodings that use them as shifts.
    shifts: u64,
    /// Bytes 1A at the end of the content so far.
    trailing_eof: u64,
}

impl ControlCharCounter {
    /// Counts the control characters in bytes of an unknown superset of ASCII. SO and SI are counted
    /// separately, because the encoding may use them as shifts.
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.chars += bytes.len() as u64;
        self.count(bytes);
    }

    /// Counts the control characters in decoded text.
    pub(crate) fn feed_text(&mut self, text: &str) {
        let bytes = text.as_bytes();
        self.chars += count::count_chars(bytes);
        self.count(bytes);
        self.controls += std::mem::take(&mut self.shifts);
        // C1 control characters are C2 80 to C2 9F in UTF-8.
        let is_c1 = |first: &usize| {
            bytes.get(first + 1).is_some_and(|byte| *byte < 0xA0 && *byte != NEXT_LINE)
        };
        self.c1_controls += memchr::memchr_iter(0xC2, bytes).filter(is_c1).count() as u64;
    }

    fn count(&mut self, bytes: &[u8]) {
        let end = bytes.iter().rposition(|byte| *byte != DOS_EOF).map_or(0, |index| index + 1);
        if end > 0 {
            self.controls += std::mem::take(&mut self.trailing_eof);
        }
        self.trailing_eof += (bytes.len() - end) as u64;
        static COUNTED: LazyLock<SpecialBytes> =
            LazyLock::new(|| SpecialBytes::new(|byte| is_unusual_control(byte) || is_shift(byte)));
        let mut rest = &bytes[..end];
        while let Some((byte, after)) = rest[COUNTED.prefix_len(rest)..].split_first() {
            self.controls += u64::from(is_unusual_control(*byte));
            self.shifts += u64::from(is_shift(*byte));
            rest = after;
        }
    }

    pub(crate) fn has_any(&self) -> bool {
        self.controls + self.c1_controls > 0
    }

    /// Returns whether more than one in `per_control` characters is a control character.
    pub(crate) fn exceeds_threshold(&self, per_control: u64) -> bool {
        self.controls * per_control > self.chars
    }

    /// Returns a counter for content that is not valid UTF-8. It includes C1 control characters, and SO and SI, because the
    /// encoding cannot use them as shifts.
    pub(crate) fn including_all(&self) -> ControlCharCounter {
        let controls = self.controls + self.c1_controls + self.shifts;
        ControlCharCounter { controls, c1_controls: 0, shifts: 0, ..self.clone() }
    }
}

/// Returns whether text does not contain this control character: all but BEL to CR, ESC and the shifts.
/// Terminals and printers have brought those into text: overstrikes, bells, tabs, page breaks, colors.
fn is_unusual_control(byte: u8) -> bool {
    matches!(byte, 0..=6 | 0x10..=0x1A | 0x1C..=0x1F | 0x7F)
}

/// Returns whether this is SO or SI.
fn is_shift(byte: u8) -> bool {
    matches!(byte, 0x0E | 0x0F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats_of(text: &str) -> TextStats {
        let mut stats = TextStats::default();
        stats.feed(text);
        stats
    }

    #[test]
    fn text_of_every_script_is_plausible() {
        for text in [
            "a",
            "Plain words.\r\n",
            "Grüße aus Köln",
            "Привет",
            "Ελληνικά κείμενα",
            "Ὅλοι οἱ ἄνθρωποι γεννιοῦνται ἐλεύθεροι καὶ ἴσοι στὴν ἀξιοπρέπεια",
            "שלום לכולם",
            "हिन्दी में पाठ",
            "日本語の文。",
            "한국어 문장.",
            "Tiếng Việt",
            "ok 👍🏽",
            "𐌰𐍄𐍄𐌰 𐐔𐐯𐑅𐐨 𒀀𒁀 𐤀𐤁𐤂",
            "𒀀𒁀𐤀𐤁𐤂𐌰𐍄𐍄𐌰",
        ] {
            assert!(stats_of(text).is_plausible(), "{text}");
        }
    }

    #[test]
    fn non_text_is_not_plausible() {
        for text in ["", "\0\0\0\0", "\u{1}\u{2}abc", "\u{E000}\u{E001}", "慢獨捡", "aЖשก"] {
            assert!(!stats_of(text).is_plausible(), "{text:?}");
        }
    }

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

    #[test]
    fn classes_of_scripts_are_not_those_of_other_characters() {
        for character in (0..=0x2FFFF).filter_map(char::from_u32) {
            let script = character.script();
            let class = CharClass::of(character);
            assert_eq!(CharClass::of(character), class);
            if usize::from(class.0) < SCRIPT_COUNT {
                assert_eq!(class, CharClass(script as u8 + 1), "{character:?}");
            }
        }
        assert!((Script::Unknown as usize) > SCRIPT_COUNT);
    }

    #[test]
    fn statistics_do_not_depend_on_chunk_size() {
        let text = "Это текст, a text\u{7F}\t한국어 문장。\u{E000}😀𐌰\u{1}\r\n".repeat(200)
            + &"nothing but ASCII ".repeat(20);
        let summary = |stats: &TextStats| {
            (stats.chars, stats.counts.clone(), stats.supplementary, stats.rejected)
        };
        let whole = stats_of(&text);
        let expected = |of: fn(char) -> bool| text.chars().filter(|c| of(*c)).count() as u64;
        assert_eq!(whole.chars, expected(|_| true));
        assert_eq!(whole.non_ascii(), expected(|c| !c.is_ascii()));
        assert_eq!(whole.suspicious(), expected(|c| matches!(c, '\x01' | '\x7F' | '\u{E000}')));
        assert_eq!(whole.ascii_or_cjk_punct(), expected(is_ascii_or_cjk_punct));
        assert_eq!(whole.supplementary, expected(|c| c > '\u{FFFF}'));
        assert!(whole.rejected);
        for size in [1, 2, 63, 64, 65, 1000] {
            let mut stats = TextStats::default();
            let chars: Vec<char> = text.chars().collect();
            chars.chunks(size).for_each(|chunk| stats.feed(&chunk.iter().collect::<String>()));
            assert_eq!(summary(&stats), summary(&whole), "{size}");
        }
    }

    fn has_controls(text: &[u8]) -> bool {
        let found = |size| {
            let mut counter = ControlCharCounter::default();
            text.chunks(size).for_each(|chunk| counter.feed(chunk));
            counter.has_any()
        };
        let whole = found(text.len());
        assert!((1..text.len()).all(|size| found(size) == whole), "{text:?}");
        whole
    }

    #[test]
    fn text_may_have_the_controls_of_terminals_and_printers() {
        for text in [
            &b"a\tb\r\n\x0C\x0B"[..],
            b"\x1B[1mbold\x1B[0m \x07",
            b"b\x08bo\x08o",
            b"\x1B$B0!\x1B(B",
            b"dos\r\n\x1A",
            b"\x1A\x1A\x1A",
        ] {
            assert!(!has_controls(text), "{text:?}");
        }
    }

    #[test]
    fn text_has_no_other_controls() {
        for byte in (0..32).chain([127]).filter(|byte| !matches!(byte, 7..=15 | 0x1B)) {
            assert!(has_controls(&[byte, b'a']), "{byte:02X}");
        }
    }

    #[test]
    fn c1_controls_except_nel_count_in_decoded_text() {
        for (text, found) in [("a\u{80}", true), ("\u{9F}", true), ("\u{85}\u{A0}é", false)] {
            for before in 0..128 {
                let mut counter = ControlCharCounter::default();
                counter.feed_text(&format!("{:before$}{text}", ""));
                assert_eq!(counter.has_any(), found, "{text:?} {before}");
                assert_eq!(counter.chars, (before + text.chars().count()) as u64);
            }
        }
    }
}
