//! The rules about single characters: ASCII only, and confusing characters.
//!
//! Whether a character is confusing depends on the characters before it, of which a small state is kept,
//! and for some of them on the next one, for which they wait if the text ends there.

use std::fmt;

use unicode_script::{Script, UnicodeScript};

use charpipe_encoding::bom::BOM;
use charpipe_kernel::ascii;

/// Why a character is confusing.
///
/// ```
/// use charpipe_check::{CheckOptions, Confusion, FindingKind, check};
///
/// let mut options = CheckOptions::new(charpipe::UTF_8);
/// options.confusing = true;
/// let findings = check("p\u{430}ypal".as_bytes(), &options)?;
/// let confusion = Confusion::MixedScripts("Latin");
/// assert_eq!(findings[0].kind, FindingKind::Confusing { code_point: 0x430, confusion });
/// assert_eq!(findings[0].display("UTF-8").to_string(), "U+0430 is in a word with Latin letters");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Confusion {
    /// It changes the direction of the text, so that the text is displayed in another order.
    Bidi,
    /// It is not displayed.
    Invisible,
    /// It is displayed as a space.
    Space,
    /// It is a C1 control character, U+0080 to U+009F. In most texts it is a character of a Windows code page
    /// that was decoded as ISO-8859-1.
    Control,
    /// It separates lines or paragraphs, but most programs do not end a line there.
    LineSeparator,
    /// It is a Latin, Cyrillic or Greek letter in a word that began in another of these scripts, whose
    /// name follows.
    MixedScripts(&'static str),
}

impl fmt::Display for Confusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Confusion::Bidi => f.write_str("changes the direction of the text"),
            Confusion::Invisible => f.write_str("is invisible"),
            Confusion::Control => {
                f.write_str("is a control character (Windows text read as ISO-8859-1?)")
            }
            Confusion::Space => f.write_str("looks like a space"),
            Confusion::LineSeparator => f.write_str("is not a line ending for most programs"),
            Confusion::MixedScripts(script) => write!(f, "is in a word with {script} letters"),
        }
    }
}

/// A character that violates a rule, or may violate one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CharacterCandidate {
    /// The index in the text.
    pub index: usize,
    /// The length in the text.
    pub len: usize,
    pub code_point: u32,
    /// Whether it violates the rule that the text is ASCII.
    pub is_not_ascii: bool,
    pub verdict: Verdict,
}

/// Whether a character is confusing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Harmless,
    Confusing(Confusion),
    /// The character at the end of the text is confusing unless the next one is of this kind.
    UnlessBefore(Neighbor, Confusion),
}

/// The characters before which another one is not confusing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Neighbor {
    /// An emoji, after a ZERO WIDTH JOINER.
    Emoji,
    /// A closing guillemet, after a no-break space.
    Guillemet,
    /// French punctuation, a digit or a closing guillemet, after a narrow no-break space.
    FrenchPunctuation,
    /// Chinese, Japanese or Korean text, after an ideographic space.
    EastAsian,
}

impl Neighbor {
    pub(super) fn matches(self, next: u32) -> bool {
        let Some(next) = char::from_u32(next) else { return false };
        match self {
            Neighbor::Emoji => is_emoji(next),
            Neighbor::Guillemet => matches!(next, '»' | '›'),
            Neighbor::FrenchPunctuation => {
                matches!(next, '»' | '›' | ':' | ';' | '!' | '?' | '%' | '€')
                    || next.is_ascii_digit()
            }
            Neighbor::EastAsian => next == IDEOGRAPHIC_SPACE || is_east_asian(next),
        }
    }
}

/// Finds characters that violate the rules in text that arrives in chunks.
#[derive(Debug, Clone)]
pub(super) struct CharacterChecker {
    ascii_only: bool,
    confusing: bool,
    /// Whether the next character is the first of the file.
    at_start: bool,
    context: CharacterContext,
}

/// What the characters so far mean for the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CharacterContext {
    /// The last character, U+0000 at the start.
    previous: char,
    /// The script of the last character that is not a combining mark or joiner.
    script: Script,
    /// The script of the letters of the current word.
    word: WordScript,
    /// Whether the line contains a letter of a script that is written from right to left.
    is_rtl_line: bool,
    /// The number of tag characters that may follow: those of the flag of a region.
    tags_left: u8,
}

impl CharacterContext {
    const START: CharacterContext = CharacterContext {
        previous: '\0',
        script: Script::Common,
        word: WordScript::None,
        is_rtl_line: false,
        tags_left: 0,
    };
}

/// The script of the letters of a word, of those with similar letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordScript {
    /// There are no such letters.
    None,
    Latin,
    Cyrillic,
    Greek,
    /// Several, which has been reported.
    Mixed,
}

impl WordScript {
    /// Returns the script, if it is one of those with similar letters.
    fn of(script: Script) -> Option<WordScript> {
        match script {
            Script::Latin => Some(WordScript::Latin),
            Script::Cyrillic => Some(WordScript::Cyrillic),
            Script::Greek => Some(WordScript::Greek),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            WordScript::Latin => "Latin",
            WordScript::Cyrillic => "Cyrillic",
            WordScript::Greek => "Greek",
            WordScript::None | WordScript::Mixed => "other",
        }
    }
}

const IDEOGRAPHIC_SPACE: char = '\u{3000}';
const BLACK_FLAG: char = '\u{1F3F4}';
/// The maximum number of tags in the flag of a region: six letters and digits and the end.
const MAX_FLAG_TAGS: u8 = 7;

/// Greek letters that do not look like Latin ones. They are symbols in many words: Δt, μs, kΩ.
const DISTINCT_GREEK: &str = "ΓΔΘΛΞΠΣΦΨΩβδεζθλμξπςστφψω\u{2126}";

impl CharacterChecker {
    pub(super) fn new(ascii_only: bool, confusing: bool) -> CharacterChecker {
        CharacterChecker { ascii_only, confusing, at_start: true, context: CharacterContext::START }
    }

    /// Returns whether there is a rule to check.
    pub(super) fn is_enabled(&self) -> bool {
        self.ascii_only || self.confusing
    }

    /// Returns whether confusing characters are reported.
    pub(super) fn is_confusing_enabled(&self) -> bool {
        self.confusing
    }

    /// Prepares for the next file.
    pub(super) fn reset(&mut self) {
        (self.at_start, self.context) = (true, CharacterContext::START);
    }

    /// Returns what the characters so far mean for the next one.
    pub(super) fn context(&self) -> CharacterContext {
        self.context
    }

    /// Continues after the start of a file.
    pub(super) fn resume(&mut self, context: CharacterContext) {
        (self.at_start, self.context) = (false, context);
    }

    /// Begins after the start of a file, at the start of a line.
    pub(super) fn begin_line(&mut self) {
        (self.at_start, self.context) = (false, CharacterContext::START);
    }

    /// Continues after a malformed sequence, which ends a word.
    pub(super) fn skip_malformed(&mut self) {
        (self.at_start, self.context) = (false, CharacterContext::START);
    }

    /// Returns the first character at `start` or after it that violates a rule or may violate one.
    pub(super) fn next_candidate(
        &mut self,
        text: &[u8],
        start: usize,
    ) -> Option<CharacterCandidate> {
        let mut index = start;
        while self.is_enabled() && index < text.len() {
            let skipped = self.skip_ascii(&text[index..]);
            index += skipped;
            self.at_start &= skipped == 0;
            let Some((code_point, len)) = decode_first(&text[index..]) else { break };
            let is_bom = std::mem::take(&mut self.at_start) && text.starts_with(BOM.as_bytes());
            let verdict = match char::from_u32(code_point) {
                Some(character) if self.confusing && !is_bom => {
                    let next = decode_first(&text[index + len..]).map(|(next, _)| next);
                    decide(self.examine(character), next)
                }
                _ => Verdict::Harmless,
            };
            let is_not_ascii = self.ascii_only && code_point > 0x7F && !is_bom;
            if is_not_ascii || verdict != Verdict::Harmless {
                return Some(CharacterCandidate { index, len, code_point, is_not_ascii, verdict });
            }
            index += len;
        }
        None
    }

    /// Skips the ASCII characters at the start of the text that are harmless, and returns their number.
    fn skip_ascii(&mut self, text: &[u8]) -> usize {
        if matches!(self.context.word, WordScript::Cyrillic | WordScript::Greek) {
            return 0;
        }
        let len = ascii::prefix_len(text);
        let [.., last] = text[..len] else { return 0 };
        if self.confusing {
            self.context.previous = char::from(last);
            self.context.script = Script::Common;
            self.context.tags_left = 0;
            self.context.is_rtl_line &= memchr::memchr(b'\n', &text[..len]).is_none();
            let end = text[..len].iter().rposition(|byte| !byte.is_ascii_alphanumeric());
            let word = &text[end.map_or(0, |end| end + 1)..len];
            let before = if end.is_none() { self.context.word } else { WordScript::None };
            let has_letter = word.iter().any(u8::is_ascii_alphabetic);
            self.context.word = match before {
                WordScript::None if has_letter => WordScript::Latin,
                before => before,
            };
        }
        len
    }

    /// Examines a character, and updates the context.
    fn examine(&mut self, character: char) -> Verdict {
        let before = self.context;
        let script = character.script();
        let context = &mut self.context;
        context.previous = character;
        if script != Script::Inherited {
            context.script = script;
        }
        context.is_rtl_line = character != '\n' && (before.is_rtl_line || is_rtl(script));
        context.tags_left = match character {
            BLACK_FLAG => MAX_FLAG_TAGS,
            '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' => {
                before.tags_left.saturating_sub(1)
            }
            _ => 0,
        };
        let letter_script = WordScript::of(script).filter(|_| !DISTINCT_GREEK.contains(character));
        let mixed_with = match (before.word, letter_script) {
            (WordScript::None, Some(script)) => {
                context.word = script;
                None
            }
            (WordScript::Mixed, Some(_)) => None,
            (word, Some(script)) => (word != script).then_some(word),
            (_, None) => {
                if script != Script::Inherited && !character.is_alphanumeric() {
                    context.word = WordScript::None;
                }
                None
            }
        };
        if let Some(word) = mixed_with {
            context.word = WordScript::Mixed;
            return Verdict::Confusing(Confusion::MixedScripts(word.name()));
        }
        if character.is_ascii() { Verdict::Harmless } else { before.examine_invisible(character) }
    }
}

impl CharacterContext {
    /// Returns whether a character that is invisible or looks like a space is confusing here.
    fn examine_invisible(&self, character: char) -> Verdict {
        use Verdict::{Confusing, Harmless, UnlessBefore};
        let unless = |harmless, confusion| if harmless { Harmless } else { Confusing(confusion) };
        let previous = self.previous;
        match character {
            '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Confusing(Confusion::Bidi),
            '\u{200E}' | '\u{200F}' | '\u{61C}' => unless(self.is_rtl_line, Confusion::Bidi),
            '\u{85}' | '\u{2028}' | '\u{2029}' => Confusing(Confusion::LineSeparator),
            '\u{80}'..='\u{9F}' => Confusing(Confusion::Control),
            '\u{A0}' if matches!(previous, '«' | '‹') => Harmless,
            '\u{A0}' => UnlessBefore(Neighbor::Guillemet, Confusion::Space),
            '\u{202F}' if matches!(previous, '«' | '‹') => Harmless,
            '\u{202F}' => UnlessBefore(Neighbor::FrenchPunctuation, Confusion::Space),
            IDEOGRAPHIC_SPACE if is_east_asian(previous) => Harmless,
            IDEOGRAPHIC_SPACE => UnlessBefore(Neighbor::EastAsian, Confusion::Space),
            '\u{1680}' => unless(self.script == Script::Ogham, Confusion::Space),
            '\u{2800}' => unless(self.script == Script::Braille, Confusion::Space),
            '\u{2000}'..='\u{200A}' | '\u{205F}' => Confusing(Confusion::Space),
            '\u{200B}' => unless(is_written_without_spaces(self.script), Confusion::Invisible),
            '\u{200C}' => unless(uses_joiners(self.script), Confusion::Invisible),
            '\u{200D}' if uses_joiners(self.script) => Harmless,
            '\u{200D}' if is_emoji(previous) || is_emoji_modifier(previous) => {
                UnlessBefore(Neighbor::Emoji, Confusion::Invisible)
            }
            '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
                unless(has_variants(previous, character), Confusion::Invisible)
            }
            '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}' => {
                unless(self.tags_left > 1, Confusion::Invisible)
            }
            '\u{E007F}' => {
                let in_flag = self.tags_left > 0 && self.tags_left < MAX_FLAG_TAGS;
                unless(in_flag, Confusion::Invisible)
            }
            '\u{180B}'..='\u{180F}' => {
                unless(self.script == Script::Mongolian, Confusion::Invisible)
            }
            '\u{1BCA0}'..='\u{1BCA3}' => {
                unless(self.script == Script::Duployan, Confusion::Invisible)
            }
            '\u{AD}'
            | '\u{34F}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{200D}'
            | '\u{2060}'..='\u{206F}'
            | '\u{3164}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{1D173}'..='\u{1D17A}'
            | '\u{E0000}'..='\u{E0FFF}' => Confusing(Confusion::Invisible),
            _ => Harmless,
        }
    }
}

/// Decides a verdict, if the next character is known.
fn decide(verdict: Verdict, next: Option<u32>) -> Verdict {
    match (verdict, next) {
        (Verdict::UnlessBefore(neighbor, _), Some(next)) if neighbor.matches(next) => {
            Verdict::Harmless
        }
        (Verdict::UnlessBefore(_, confusion), Some(_)) => Verdict::Confusing(confusion),
        _ => verdict,
    }
}

/// Returns the first character of a text in UTF-8, or in its longer form of RFC 2044, and its length.
pub(super) fn decode_first(text: &[u8]) -> Option<(u32, usize)> {
    let first = *text.first()?;
    let len = (first.leading_ones() as usize).max(1);
    let value = u32::from(first & (0xFF_u16 >> len.min(7)) as u8 & 0x7F);
    let continued = text.get(1..len).unwrap_or_default();
    Some((continued.iter().fold(value, |value, byte| value << 6 | u32::from(byte & 0x3F)), len))
}

/// Returns whether a script is written from right to left.
fn is_rtl(script: Script) -> bool {
    matches!(
        script,
        Script::Hebrew
            | Script::Arabic
            | Script::Syriac
            | Script::Thaana
            | Script::Nko
            | Script::Samaritan
            | Script::Mandaic
            | Script::Adlam
            | Script::Hanifi_Rohingya
            | Script::Mende_Kikakui
    )
}

/// Returns whether a script has no spaces between words, which a ZERO WIDTH SPACE separates.
fn is_written_without_spaces(script: Script) -> bool {
    matches!(
        script,
        Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
            | Script::Tai_Le
            | Script::New_Tai_Lue
            | Script::Tai_Tham
            | Script::Tai_Viet
            | Script::Balinese
            | Script::Javanese
    )
}

/// Returns whether joiners select letter forms in a script.
fn uses_joiners(script: Script) -> bool {
    matches!(
        script,
        Script::Arabic
            | Script::Syriac
            | Script::Nko
            | Script::Mandaic
            | Script::Adlam
            | Script::Mongolian
            | Script::Phags_Pa
            | Script::Hanifi_Rohingya
            | Script::Devanagari
            | Script::Bengali
            | Script::Gurmukhi
            | Script::Gujarati
            | Script::Oriya
            | Script::Tamil
            | Script::Telugu
            | Script::Kannada
            | Script::Malayalam
            | Script::Sinhala
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan
            | Script::Balinese
            | Script::Javanese
            | Script::Grantha
            | Script::Tirhuta
            | Script::Newa
            | Script::Kaithi
            | Script::Sharada
            | Script::Modi
            | Script::Brahmi
            | Script::Chakma
            | Script::Meetei_Mayek
    )
}

/// Returns whether the previous character has a variant that this selector selects.
fn has_variants(previous: char, selector: char) -> bool {
    let script = previous.script();
    match selector {
        '\u{FE0E}' | '\u{FE0F}' => is_emoji(previous) || matches!(previous, '#' | '*' | '0'..='9'),
        '\u{E0100}'..='\u{E01EF}' => script == Script::Han,
        _ => {
            let is_symbol = matches!(
                previous,
                '0' | '\u{2018}'..='\u{201D}'
                    | '\u{2200}'..='\u{22FF}'
                    | '\u{2A00}'..='\u{2AFF}'
                    | '\u{3001}' | '\u{3002}'
                    | '\u{FF01}'..='\u{FF1F}'
            );
            is_symbol
                || matches!(
                    script,
                    Script::Han
                        | Script::Myanmar
                        | Script::Phags_Pa
                        | Script::Manichaean
                        | Script::Egyptian_Hieroglyphs
                )
        }
    }
}

/// Returns whether a character is an emoji or a symbol that is one with a variation selector.
fn is_emoji(character: char) -> bool {
    matches!(
        character,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
            | '\u{2194}'..='\u{21AA}'
            | '\u{231A}'..='\u{23FF}'
            | '\u{24C2}'
            | '\u{25AA}'..='\u{27BF}'
            | '\u{2934}' | '\u{2935}'
            | '\u{2B05}'..='\u{2B55}'
            | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
            | '\u{1F000}'..='\u{1FAFF}'
    )
}

/// Returns whether a character is part of the emoji before it.
fn is_emoji_modifier(character: char) -> bool {
    matches!(character, '\u{FE0F}' | '\u{20E3}' | '\u{E007F}')
}

/// Returns whether a character is a letter or punctuation of Chinese, Japanese or Korean.
fn is_east_asian(character: char) -> bool {
    let is_punctuation = matches!(character, '\u{3001}'..='\u{303F}' | '\u{FF01}'..='\u{FF60}');
    is_punctuation
        || matches!(
            character.script(),
            Script::Han | Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Hangul
        )
}
