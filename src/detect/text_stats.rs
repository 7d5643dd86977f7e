//! What decoded text looks like: whether it may be text at all.

use super::line_endings::LineEndingCounter;

/// Characters after which it is requested once and for all whether this may be text.
const DECISION_POINT: u64 = 4096;

/// A character among so many may be one that text hardly has.
const CHARS_PER_SUSPICIOUS: u64 = 50;

/// One among so many at least is of ASCII, or of the punctuation that East Asian text has: spaces
/// and line ends are in every script. It is not requested where a script of its own shows.
const CHARS_PER_ASCII_OR_CJK_PUNCT: u64 = 100;

/// Of a hundred characters so many are of one script or of none.
const MIN_SINGLE_SCRIPT_PERCENT: u64 = 95;

/// Characters that are too few to show a script.
const MIN_CHARS: u64 = 4;

/// What has been seen of a text.
#[derive(Debug, Clone)]
pub(crate) struct TextStats {
    pub(super) chars: u64,
    pub(super) non_ascii: u64,
    pub(super) line_endings: LineEndingCounter,
    suspicious: u64,
    /// Odd characters beyond the Basic Multilingual Plane.
    suspicious_astral: u64,
    ascii_or_cjk_punct: u64,
    common: u64,
    east_asian: u64,
    /// Characters of other scripts, by their blocks of 256.
    scripts: Box<[u64; 256]>,
    rejected: bool,
}

/// What a character is to the question whether this is text.
enum CharClass {
    /// In no text, or next to none.
    Suspicious,
    /// In text of many scripts.
    Common,
    EastAsian,
    /// Of a script in this block of 256 characters.
    Script(u8),
}

impl Default for TextStats {
    fn default() -> TextStats {
        TextStats {
            chars: 0,
            non_ascii: 0,
            line_endings: LineEndingCounter::default(),
            suspicious: 0,
            suspicious_astral: 0,
            ascii_or_cjk_punct: 0,
            common: 0,
            east_asian: 0,
            scripts: Box::new([0; 256]),
            rejected: false,
        }
    }
}

impl TextStats {
    /// Looks at the next characters.
    pub(crate) fn feed(&mut self, text: &str) {
        self.line_endings.feed(text.as_bytes());
        for character in text.chars() {
            self.chars += 1;
            self.non_ascii += u64::from(!character.is_ascii());
            self.ascii_or_cjk_punct += u64::from(is_ascii_or_cjk_punct(character));
            match classify(character) {
                CharClass::Suspicious => {
                    self.suspicious += 1;
                    self.suspicious_astral += u64::from(character > '\u{FFFF}');
                }
                CharClass::Common => self.common += 1,
                CharClass::EastAsian => self.east_asian += 1,
                CharClass::Script(block) => self.scripts[usize::from(block)] += 1,
            }
            // At a position of the text, not of a piece, so that it does not depend on the pieces.
            self.rejected |= self.chars == DECISION_POINT && !self.is_plausible();
        }
    }

    /// Whether there is no need to look further: this is no text.
    pub(super) fn is_rejected(&self) -> bool {
        self.rejected
    }

    /// Whether nothing is odd at all.
    pub(super) fn has_no_suspicious_chars(&self) -> bool {
        self.suspicious == 0
    }

    /// Whether this looks like text of some language.
    pub(super) fn is_plausible(&self) -> bool {
        let script = self.scripts.iter().copied().max().unwrap_or(0);
        let dominant = script.max(self.east_asian);
        if self.is_too_short() {
            return self.suspicious == 0 && self.ascii_or_cjk_punct * 2 > self.chars;
        }
        let shows_script = script > self.east_asian;
        self.suspicious * CHARS_PER_SUSPICIOUS <= self.chars
            && (self.common + dominant) * 100 >= self.chars * MIN_SINGLE_SCRIPT_PERCENT
            && (self.ascii_or_cjk_punct * CHARS_PER_ASCII_OR_CJK_PUNCT >= self.chars
                || shows_script)
    }

    /// Whether this may be text in an encoding that the user has named. Text may mix scripts, but then it
    /// has spaces and line ends; and it may be in scripts that are rare.
    pub(crate) fn may_be_text(&self) -> bool {
        let script = self.scripts.iter().copied().max().unwrap_or(0);
        let dominant = script.max(self.east_asian);
        let of_one_script =
            (self.common + dominant) * 100 >= self.chars * MIN_SINGLE_SCRIPT_PERCENT;
        self.suspicious * CHARS_PER_SUSPICIOUS <= self.chars
            && (self.ascii_or_cjk_punct * CHARS_PER_ASCII_OR_CJK_PUNCT >= self.chars
                || of_one_script)
    }

    /// Which of several readings of the same bytes looks most like text: that with the most.
    pub(super) fn anchors(&self) -> u64 {
        self.ascii_or_cjk_punct
    }

    /// Whether there is too little of it to be sure of anything.
    pub(super) fn is_too_short(&self) -> bool {
        self.chars < MIN_CHARS
    }
}

fn is_ascii_or_cjk_punct(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='~' | '\u{3000}'..='\u{3002}' | '\u{FF0C}')
}

fn classify(character: char) -> CharClass {
    match u32::from(character) {
        0x09..=0x0D | 0x1A | 0x1B | 0x20..=0x7E => CharClass::Common,
        0..=0x1F | 0x7F..=0x9F => CharClass::Suspicious,
        // Latin, combining marks, punctuation and symbols.
        0xA0..=0x36F | 0x1E00..=0x1EFF | 0x2000..=0x2BFF | 0xFEFF => CharClass::Common,
        0x2E80..=0x9FFF | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFE30..=0xFE4F => {
            CharClass::EastAsian
        }
        0xFF00..=0xFFEF | 0x2_0000..=0x3_FFFD => CharClass::EastAsian,
        0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xFFF0..=0xFFFF => CharClass::Suspicious,
        // Signs and pictures, emoji among them.
        0x1_D000..=0x1_FBFF => CharClass::Common,
        value @ 0..=0xFFFF => CharClass::Script((value >> 8) as u8),
        _ => CharClass::Suspicious,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats_of(text: &str) -> TextStats {
        let mut sight = TextStats::default();
        sight.feed(text);
        sight
    }

    #[test]
    fn text_of_every_script_is_plausible() {
        for text in [
            "a",
            "Plain words.\r\n",
            "Grüße aus Köln",
            "Привет",
            "Ελληνικά κείμενα",
            "שלום לכולם",
            "हिन्दी में पाठ",
            "日本語の文。",
            "한국어 문장.",
            "Tiếng Việt",
            "ok 👍🏽",
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
}
