//! What decoded text looks like: whether it may be text at all.

use super::line_ends::Count;

/// Characters after which it is asked for once and for all whether this may be text.
const TRIAL: u64 = 4096;

/// A character among so many may be one that text hardly has.
const PER_ODD: u64 = 50;

/// One among so many at least is of ASCII, or of the punctuation that East Asian text has: spaces
/// and line ends are in every script. It is not asked for where a script of its own shows.
const PER_ANCHOR: u64 = 100;

/// Of a hundred characters so many are of one script or of none.
const OF_ONE_SCRIPT: u64 = 95;

/// Characters that are too few to show a script.
const FEW: u64 = 4;

/// What has been seen of a text.
#[derive(Debug, Clone)]
pub(crate) struct Sight {
    pub(super) chars: u64,
    pub(super) beyond_ascii: u64,
    pub(super) lines: Count,
    odd: u64,
    /// Odd characters beyond the Basic Multilingual Plane.
    astral: u64,
    anchors: u64,
    common: u64,
    east_asian: u64,
    /// Characters of other scripts, by their blocks of 256.
    scripts: Box<[u64; 256]>,
    hopeless: bool,
}

/// What a character is to the question whether this is text.
enum Kind {
    /// In no text, or next to none.
    Odd,
    /// In text of many scripts.
    Common,
    EastAsian,
    /// Of a script in this block of 256 characters.
    Script(u8),
}

impl Default for Sight {
    fn default() -> Sight {
        Sight {
            chars: 0,
            beyond_ascii: 0,
            lines: Count::default(),
            odd: 0,
            astral: 0,
            anchors: 0,
            common: 0,
            east_asian: 0,
            scripts: Box::new([0; 256]),
            hopeless: false,
        }
    }
}

impl Sight {
    /// Looks at the next characters.
    pub(crate) fn add(&mut self, text: &str) {
        self.lines.add(text.as_bytes());
        for character in text.chars() {
            self.chars += 1;
            self.beyond_ascii += u64::from(!character.is_ascii());
            self.anchors += u64::from(is_anchor(character));
            match kind(character) {
                Kind::Odd => {
                    self.odd += 1;
                    self.astral += u64::from(character > '\u{FFFF}');
                }
                Kind::Common => self.common += 1,
                Kind::EastAsian => self.east_asian += 1,
                Kind::Script(block) => self.scripts[usize::from(block)] += 1,
            }
            // At a place of the text, not of a piece, so that it does not depend on the pieces.
            self.hopeless |= self.chars == TRIAL && !self.is_plausible();
        }
    }

    /// Whether there is no need to look further: this is no text.
    pub(super) fn is_hopeless(&self) -> bool {
        self.hopeless
    }

    /// Whether nothing is odd at all.
    pub(super) fn is_spotless(&self) -> bool {
        self.odd == 0
    }

    /// Whether this looks like text of some language.
    pub(super) fn is_plausible(&self) -> bool {
        let script = self.scripts.iter().copied().max().unwrap_or(0);
        let own = script.max(self.east_asian);
        if self.is_short() {
            return self.odd == 0 && self.anchors * 2 > self.chars;
        }
        let shows_script = script > self.east_asian;
        self.odd * PER_ODD <= self.chars
            && (self.common + own) * 100 >= self.chars * OF_ONE_SCRIPT
            && (self.anchors * PER_ANCHOR >= self.chars || shows_script)
    }

    /// Whether this may be text in an encoding that the user has named. Text may mix scripts, but then it
    /// has spaces and line ends; and it may be in scripts that are rare.
    pub(crate) fn may_be_text(&self) -> bool {
        let script = self.scripts.iter().copied().max().unwrap_or(0);
        let own = script.max(self.east_asian);
        let of_one_script = (self.common + own) * 100 >= self.chars * OF_ONE_SCRIPT;
        self.odd * PER_ODD <= self.chars
            && (self.anchors * PER_ANCHOR >= self.chars || of_one_script)
    }

    /// Which of several readings of the same bytes looks most like text: that with the most.
    pub(super) fn anchors(&self) -> u64 {
        self.anchors
    }

    /// Whether there is too little of it to be sure of anything.
    pub(super) fn is_short(&self) -> bool {
        self.chars < FEW
    }
}

fn is_anchor(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='~' | '\u{3000}'..='\u{3002}' | '\u{FF0C}')
}

fn kind(character: char) -> Kind {
    match u32::from(character) {
        0x09..=0x0D | 0x1A | 0x1B | 0x20..=0x7E => Kind::Common,
        0..=0x1F | 0x7F..=0x9F => Kind::Odd,
        // Latin, combining marks, punctuation and symbols.
        0xA0..=0x36F | 0x1E00..=0x1EFF | 0x2000..=0x2BFF | 0xFEFF => Kind::Common,
        0x2E80..=0x9FFF | 0xAC00..=0xD7FF | 0xF900..=0xFAFF | 0xFE30..=0xFE4F => Kind::EastAsian,
        0xFF00..=0xFFEF | 0x2_0000..=0x3_FFFD => Kind::EastAsian,
        0xE000..=0xF8FF | 0xFDD0..=0xFDEF | 0xFFF0..=0xFFFF => Kind::Odd,
        // Signs and pictures, emoji among them.
        0x1_D000..=0x1_FBFF => Kind::Common,
        value @ 0..=0xFFFF => Kind::Script((value >> 8) as u8),
        _ => Kind::Odd,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sight(text: &str) -> Sight {
        let mut sight = Sight::default();
        sight.add(text);
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
            assert!(sight(text).is_plausible(), "{text}");
        }
    }

    #[test]
    fn what_no_text_has_is_not_plausible() {
        for text in ["", "\0\0\0\0", "\u{1}\u{2}abc", "\u{E000}\u{E001}", "慢獨捡", "aЖשก"] {
            assert!(!sight(text).is_plausible(), "{text:?}");
        }
    }
}
