//! How odd text is: characters that rarely occur, and neighbors that rarely occur together.
//!
//! A repair is accepted only if the text is much less odd afterwards. The classes are coarse on purpose:
//! they distinguish text from garbled text, not languages from each other.

use std::sync::LazyLock;

/// What kind of character it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// A space, a control, or the end of the text.
    Space,
    /// A no-break space or a soft hyphen.
    NoBreak,
    Digit,
    /// ASCII punctuation.
    Ascii,
    /// A dash, an ellipsis, a middle dot: common in many positions.
    Common,
    /// A quotation mark. Languages disagree on which ones open and which ones close.
    Quote,
    /// A mark at the start of a sentence in Spanish.
    Inverted,
    /// A low quotation mark, which only opens.
    LowQuote,
    Currency,
    /// A sign that belongs to numbers, such as × or ½.
    Numeric,
    /// A sign beside words, such as § or ™.
    Sign,
    /// A sign that text hardly ever has, such as ¦ or ˜.
    Rare,
    Math,
    Box,
    C1,
    AsciiLower,
    AsciiUpper,
    LatinLower,
    LatinUpper,
    GreekLower,
    GreekUpper,
    CyrillicLower,
    CyrillicUpper,
    /// A letter of another script; which block it is in decides whether two belong together.
    Letter,
    Mark,
    Symbol,
}

use Class::*;

/// The classes of the characters below [`TABLE_LEN`], which nearly all garbled text consists of.
static CLASSES: LazyLock<Vec<Class>> =
    LazyLock::new(|| ('\0'..TABLE_LEN).map(find_class).collect());

const TABLE_LEN: char = '\u{2600}';

fn classify(character: char) -> Class {
    match CLASSES.get(character as usize) {
        Some(class) => *class,
        None if is_common_asian(character) => Letter,
        None => find_class(character),
    }
}

fn find_class(character: char) -> Class {
    match character {
        'a'..='z' => AsciiLower,
        'A'..='Z' => AsciiUpper,
        '0'..='9' => Digit,
        '\0'..=' ' | '\x7F' => Space,
        '!'..='~' => Ascii,
        '\u{80}'..='\u{9F}' => C1,
        '\u{A0}' | '\u{AD}' | '\u{202F}' => NoBreak,
        '·' | '–' | '—' | '―' | '…' | '•' => Common,
        '‘' | '’' | '“' | '”' | '«' | '»' | '‹' | '›' => Quote,
        '¡' | '¿' => Inverted,
        '‚' | '„' => LowQuote,
        '¢' | '£' | '¥' | '€' | '₧' | '₽' => Currency,
        '±' | '²' | '³' | '¹' | '¼' | '½' | '¾' | '×' | '÷' | '°' | 'µ' | '⁄' => {
            Numeric
        }
        'ª' | 'º' | '§' | '¶' | '©' | '®' | '™' | '†' | '‡' | '‰' | '№' => Sign,
        '¤' | '¦' | '¨' | '¬' | '¯' | '´' | '¸' | 'ƒ' | 'ˆ' | 'ˇ' | '˘' | '˙' | '˚' | '˛' | '˜'
        | '˝' | '⌐' | '◊' | '΄' | '΅' | '\u{FFFD}' => Rare,
        // The letters of apostrophes are parts of Latin words.
        'ﬁ' | 'ﬂ' | '\u{2BB}' | '\u{2BC}' => LatinLower,
        '\u{2200}'..='\u{22FF}' | '⌠' | '⌡' => Math,
        '\u{2500}'..='\u{259F}' | '■' => Box,
        '\u{300}'..='\u{36F}' | '\u{FE00}'..='\u{FE0F}' => Mark,
        '\u{C0}'..='\u{2AF}' | '\u{1E00}'..='\u{1EFF}' => {
            if character.is_uppercase() {
                LatinUpper
            } else {
                LatinLower
            }
        }
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => {
            if character.is_uppercase() {
                GreekUpper
            } else {
                GreekLower
            }
        }
        '\u{400}'..='\u{52F}' => {
            if character.is_uppercase() {
                CyrillicUpper
            } else {
                CyrillicLower
            }
        }
        // Digits and marks of scripts, too.
        '\u{530}'..='\u{1FFF}' | '\u{A4D0}'..='\u{ABFF}' => Letter,
        _ if character.is_alphabetic() => Letter,
        _ => Symbol,
    }
}

impl Class {
    fn is_letter(self) -> bool {
        (AsciiLower..=Letter).contains(&self)
    }

    fn is_lower(self) -> bool {
        matches!(self, AsciiLower | LatinLower | GreekLower | CyrillicLower)
    }

    fn is_upper(self) -> bool {
        matches!(self, AsciiUpper | LatinUpper | GreekUpper | CyrillicUpper)
    }

    fn is_accented(self) -> bool {
        matches!(self, LatinLower | LatinUpper)
    }

    /// The script of a letter, as far as two neighbors are compared.
    fn script(self, character: char) -> u32 {
        match self {
            AsciiLower | AsciiUpper | LatinLower | LatinUpper => 1,
            GreekLower | GreekUpper => 2,
            CyrillicLower | CyrillicUpper => 3,
            // Han, kana, Hangul, Bopomofo: written together.
            _ if matches!(character, '\u{1100}'..='\u{11FF}' | '\u{2E80}'..='\u{A4CF}'
                | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}' | '\u{FF00}'..='\u{FFEF}'
                | '\u{20000}'..='\u{3FFFF}') =>
            {
                4
            }
            _ if matches!(character, '\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}'
                | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}') =>
            {
                5
            }
            _ if matches!(character, '\u{590}'..='\u{5FF}') => 6,
            // The blocks of India's scripts have 128 characters.
            _ => 0x1000 + (u32::from(character) >> 7),
        }
    }
}

/// Returns how odd a character is by itself.
fn rarity(character: char) -> i32 {
    match u32::from(character) {
        0x17F => 5,
        // Letters of languages of Africa.
        0x186 | 0x189 | 0x190 | 0x194 | 0x199 | 0x1B2 | 0x1B4 => 1,
        0x253..=0x254 | 0x256..=0x257 | 0x25B | 0x263 | 0x272 | 0x28B => 1,
        // Esperanto, breves on other vowels than "a" and "u", the tilde on "i", and the like.
        0x108..=0x109 | 0x114..=0x115 | 0x11C..=0x11D | 0x124..=0x125 | 0x128..=0x129 => 1,
        0x12C..=0x12D | 0x132..=0x135 | 0x138 | 0x13F..=0x140 | 0x149 | 0x14E..=0x14F => 1,
        0x154..=0x157 | 0x15C..=0x15D | 0x166..=0x167 => 1,
        0..=0x17E
        | 0x18F
        | 0x192
        | 0x1A0..=0x1A1
        | 0x1AF..=0x1B0
        | 0x1CD..=0x1DC
        | 0x218..=0x21B
        | 0x259
        | 0x2BB..=0x2BC
        | 0x2C6..=0x2C7
        | 0x2D8..=0x2DD => 0,
        0x180..=0x2FF => 3,
        // The ones of decomposed Latin letters.
        0x300..=0x304 | 0x306..=0x30C | 0x31B | 0x323 | 0x327..=0x328 => 1,
        0x300..=0x36F => 3,
        0x370..=0x373 | 0x376..=0x37D | 0x37F | 0x3CF..=0x3FF => 3,
        0x400..=0x45F | 0x490..=0x493 | 0x49A..=0x4B9 | 0x4D8..=0x4E9 => 0,
        0x460..=0x4FF => 2,
        0x500..=0x52F => 4,
        0x530..=0x58F => 1,
        // Marks of Hebrew and of the Koran.
        0x591..=0x5BD | 0x610..=0x61A | 0x6D6..=0x6ED => 2,
        0x700..=0x8FF => 3,
        0x1100..=0x11FF | 0x1300..=0x177F | 0x1800..=0x1DFF => 2,
        0x2070..=0x209F | 0x20D0..=0x20FF | 0x2400..=0x245F => 1,
        0x2C00..=0x2DFF | 0xA000..=0xABFF => 3,
        0xD7B0..=0xF8FE | 0xFDD0..=0xFDEF | 0xFFF0..=0xFFFC | 0xFFFE..=0xFFFF => 5,
        0xF900..=0xFAFF | 0xFB13..=0xFDFF => 1,
        0x1F000..=0x1FAFF => 0,
        0x2800..=0x28FF => 3,
        0x3400..=0x4DBF | 0x20000..=0x2FFFF => 3,
        0x10000.. => 4,
        _ => 0,
    }
}

/// Returns how odd it is that `next` follows `previous`, which follows `first`.
fn triple_oddness(first: char, previous: char, next: char) -> i32 {
    let (x, a, b) = (classify(first), classify(previous), classify(next));
    let quotes = a == Quote && previous != '’' || matches!(a, Inverted | LowQuote);
    let (first_is_letter, next_is_letter) = (x.is_letter(), b.is_letter());
    match (previous, next) {
        // Quotation marks are at the ends of words.
        _ if first_is_letter && quotes && next_is_letter => 3,
        _ if x.is_accented() && a == Sign && next_is_letter => 3,
        _ if x.is_accented() && a == Common && b.is_accented() => 2,
        _ if first_is_letter && a == Box && b == Box => 2,
        // "à" has a no-break space. Text in capitals may end with "Ã".
        ('\u{A0}', _) if first == 'Ã' && b == AsciiLower => 3,
        ('\u{A0}', _) if first == 'Ã' && b == Space => 2,
        _ if x.is_lower() && a == LatinUpper && b == NoBreak => 2,
        _ if x.is_lower() && a.is_upper() && b.is_upper() && (a, b) != (AsciiUpper, AsciiUpper) => {
            2
        }
        ('Ã', '™') => 2,
        ('Ä', 'ì' | 'î' | 'ï' | 'ò' | 'ô' | 'ù' | 'ú' | 'û' | '†' | '¢') if first == '‚' => {
            3
        }
        ('»', '‘' | '“') if first_is_letter => 2,
        ('Ã' | 'Â', _) if x.is_upper() || next_is_letter || matches!(b, Space | Digit | Ascii) => {
            0
        }
        ('Ã' | 'Â', _) => 1,
        ('√', _) if first_is_letter && b == Math => 3,
        ('ƒ', _) if first_is_letter && b.is_accented() => 2,
        _ => 0,
    }
}

/// Returns how odd it is that `next` follows `previous`.
fn pair_oddness(previous: char, next: char) -> i32 {
    let (a, b) = (classify(previous), classify(next));
    match (a, b) {
        (_, C1) => 4,
        (Space | NoBreak, Mark) => 2,
        (_, Mark) | (Mark, _) => 0,
        _ if a.is_letter() && b.is_letter() => match a.script(previous) == b.script(next) {
            true => same_script_oddness((previous, a), (next, b)),
            false => script_change_oddness((previous, a), (next, b)),
        },
        (Rare, Space) | (Space, Rare) => 0,
        (Rare, Digit | Ascii | NoBreak) | (Digit | Ascii | NoBreak, Rare) => 1,
        (Rare, Rare) => 1,
        (Rare, AsciiLower | AsciiUpper) | (AsciiLower | AsciiUpper, Rare) => 1,
        // A letter of Ewe, before a vowel.
        (Rare, LatinLower) if previous == 'ƒ' && "áàéèíìóòúùãẽĩõũ".contains(next) => {
            1
        }
        (Rare, _) | (_, Rare) => 4,
        (Box, Space | Ascii | Box | Digit) | (Space | Ascii | Digit, Box) => 0,
        (Box, AsciiLower | AsciiUpper) | (AsciiLower | AsciiUpper, Box) => 1,
        (Box, _) | (_, Box) => 4,
        (Math, Math) if previous == '√' && next != '∞' => 3,
        (Math, Space | Ascii | Digit | Math) | (Space | Ascii | Digit, Math) => 0,
        (Math, AsciiLower | AsciiUpper | GreekLower | GreekUpper | Symbol) => 0,
        (AsciiLower | AsciiUpper, Math) => 1,
        (GreekLower | GreekUpper | Symbol, Math) => 0,
        (Math, _) if previous == '√' || previous == '≈' => 4,
        (Math, _) | (_, Math) => 2,
        _ => sign_oddness((previous, a), (next, b)),
    }
}

/// Returns how odd it is that a letter follows one of another script.
fn script_change_oddness((previous, a): (char, Class), (next, b): (char, Class)) -> i32 {
    let is_latin = |class| matches!(class, AsciiLower | AsciiUpper);
    // Words of Latin letters in Chinese, Japanese and Korean text.
    let is_cjk_beside_latin =
        is_latin(a) && b.script(next) == 4 || is_latin(b) && a.script(previous) == 4;
    // Greek letters are in names of genes and units.
    let is_greek_beside_latin = is_latin(a) && b == GreekLower || a == GreekLower && is_latin(b);
    if is_cjk_beside_latin || is_greek_beside_latin { 1 } else { 3 }
}

/// Returns how odd it is that a letter follows one of the same script.
fn same_script_oddness((previous, a): (char, Class), (next, b): (char, Class)) -> i32 {
    match (previous, next) {
        _ if (a, b) == (AsciiLower, AsciiUpper) => 0,
        (_, 'Œ' | 'œ') if a.is_accented() => 3,
        ('Ã' | 'Â' | 'Å' | 'Ä', 'š' | 'ž') => 3,
        ('Ã' | 'Â' | 'Å', 'Š' | 'Ž' | 'Ÿ') => 3,
        // Romanian or Slovak before Polish, Slovak or Czech.
        ('Ă', _) if "ĄĽŁŠŤąľłšť".contains(next) => 3,
        ('Ĺ', _) if "ĄĽŁŠąľłš".contains(next) => 3,
        ('Ć', 'Ø' | 'ø' | 'Æ' | 'æ') | ('Г', 'Ґ' | 'Ў') => 3,
        // Letters of Serbian, Macedonian and Ukrainian that are rare as capitals.
        (_, 'Ђ' | 'Ѓ' | 'Љ' | 'Њ' | 'Ќ' | 'Ћ' | 'Џ' | 'Ґ') if a.is_lower() => 3,
        _ if a.is_lower() && b == LatinUpper => 3,
        _ if a.is_lower() && b.is_upper() => 2,
        _ => 0,
    }
}

/// Returns how odd it is that two characters follow each other of which at least one is not a letter.
fn sign_oddness((previous, a): (char, Class), (next, b): (char, Class)) -> i32 {
    let is_greek_or_cyrillic = |class| (GreekLower..=CyrillicUpper).contains(class);
    match (a, b) {
        // An accented letter before a sign.
        _ if a.is_accented() && matches!(b, Inverted | LowQuote | Currency | Numeric) => 4,
        _ if a.is_accented() && matches!(next, '®' | '™') => 1,
        _ if a.is_accented() && b == Sign => 4,
        _ if b.is_accented() && matches!(a, Currency | Numeric) => 2,
        _ if b.is_accented() && a == Sign => 1,
        _ if (a.is_letter() || a == Digit) && matches!(b, Inverted | LowQuote) => 2,
        _ if previous == '‡' && b == Common => 2,
        (_, Currency | Numeric | Sign) if is_greek_or_cyrillic(&a) => 3,
        (Currency | Numeric | Sign, _) if is_greek_or_cyrillic(&b) => 2,
        (Numeric, Quote) => 0,
        (Currency | Numeric | Sign, Quote | LowQuote | Inverted | Currency | Sign) => 2,
        (Quote | LowQuote, Currency | Numeric | Sign) => 1,
        (Numeric, Numeric) => 1,
        (Quote, LowQuote) | (LowQuote, Quote) => 2,
        (AsciiLower | AsciiUpper, Currency) => 1,
        (AsciiLower | AsciiUpper, _) => 0,
        (Sign | Currency | Numeric, AsciiLower) => 1,
        (NoBreak, Space) => 1,
        _ => 0,
    }
}

/// Returns whether a character commonly is beside text in another encoding: quotation marks, dashes,
/// no-break spaces.
pub fn is_separator(character: char) -> bool {
    matches!(classify(character), Quote | Common | NoBreak)
}

/// The binary logarithm of the number of entries of an [`OddnessCache`].
const CACHE_BITS: u32 = 12;

/// How odd text is.
#[derive(Debug)]
pub struct OddnessCache {
    /// Three characters, and how odd the last one is after the others.
    entries: Vec<(u64, i32)>,
}

impl Default for OddnessCache {
    fn default() -> OddnessCache {
        OddnessCache { entries: vec![(0, 0); 1 << CACHE_BITS] }
    }
}

/// The number of bits of a character.
const CHAR_BITS: u32 = 21;

impl OddnessCache {
    /// Returns how odd `text` is after two characters and before another one.
    pub fn of(&mut self, before: [char; 2], text: &[char], after: char) -> i32 {
        self.up_to(i32::MAX, before, text, after)
    }

    /// Returns how odd `text` is after two characters and before another one, or a lower number of at least `limit`.
    pub fn up_to(&mut self, limit: i32, before: [char; 2], text: &[char], after: char) -> i32 {
        let [mut first, mut previous] = before;
        let (mut total, mut script) = (0, plain_script(previous));
        let mut key = u64::from(first) << CHAR_BITS | u64::from(previous);
        for &character in text {
            let character = usual_symbol(character);
            key = (key << CHAR_BITS | u64::from(character)) & ((1 << (3 * CHAR_BITS)) - 1);
            let previous_script = std::mem::replace(&mut script, plain_script(character));
            // Nothing is odd about ASCII.
            let is_plain = script != 0 && script == previous_script
                || previous.is_ascii() && character.is_ascii();
            if !is_plain {
                let slot = key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - CACHE_BITS);
                let (known, oddness) = &mut self.entries[slot as usize];
                if *known != key {
                    *known = key;
                    *oddness = neighbor_oddness(first, previous, character) + rarity(character);
                }
                total += *oddness;
                if total >= limit {
                    return total;
                }
            }
            (first, previous) = (previous, character);
        }
        total + neighbor_oddness(first, previous, after)
    }
}

/// Returns how odd it is that a character follows two others.
fn neighbor_oddness(first: char, previous: char, next: char) -> i32 {
    pair_oddness(previous, next) + triple_oddness(first, previous, next)
}

/// Returns a symbol of the table that is as odd as emoji and dingbats, and other characters as they are.
fn usual_symbol(character: char) -> char {
    match character {
        '\u{2600}'..='\u{27BF}' | '\u{1F300}'..='\u{1FAFF}' => '⌚',
        _ => character,
    }
}

/// Returns a number of the script of a letter if no such letter of the script is odd after another one, whatever is before
/// them, and 0 for other characters. There are too many for the cache.
#[inline]
fn plain_script(character: char) -> u32 {
    match character {
        '\0'..='\u{3AB}' => 0,
        'а'..='я' => 2,
        '\u{3041}'.. => 5 * u32::from(is_common_asian(character)),
        '\u{900}'..='\u{10FF}' => u32::from(character) >> 7,
        '\u{3AC}'..='\u{3CE}' => 1,
        '\u{5D0}'..='\u{5EA}' => 3,
        '\u{621}'..='\u{64A}' => 4,
        _ => 0,
    }
}

/// Returns whether a character is a letter of Chinese, Japanese or Korean.
fn is_common_asian(character: char) -> bool {
    matches!(character, '\u{3041}'..='\u{3096}' | '\u{30A1}'..='\u{30FA}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{AC00}'..='\u{D7A3}')
}

/// Returns what it is worth that two or more characters of two bytes are letters of one script, not Latin:
/// most sequences of valid bytes are of several. Ignores ASCII: `repaired` has `repaired_count` characters outside it.
pub fn coherence_bonus(garbled: &[char], repaired: &[char], repaired_count: usize) -> i32 {
    let Some(first) = foreign(repaired).next() else { return 0 };
    let script = classify(first).script(first);
    let is_coherent = script != 1
        && garbled.len() == repaired.len() + repaired_count
        && foreign(repaired).all(|letter| {
            let class = classify(letter);
            class.is_letter() && class.script(letter) == script
        });
    if !is_coherent {
        return 0;
    }
    let is_drawing = || foreign(garbled).all(|character| classify(character) == Box);
    let distinct = distinct_count(repaired) - 1;
    if distinct > 1 || !is_drawing() { distinct.min(2) * 2 } else { 0 }
}

/// Returns whether a text is an ideograph alone among other characters, which is valid by chance.
pub fn is_lone_ideograph(before: char, text: &[char], after: char) -> bool {
    let is_cjk = |character: char| {
        classify(character) == Letter && Letter.script(character) == 4
            || matches!(character, '\u{3000}'..='\u{303F}')
    };
    let mut foreign = foreign(text);
    let is_han = |character| matches!(character, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}');
    foreign.next().is_some_and(is_han)
        && foreign.next().is_none()
        && !is_cjk(before)
        && !is_cjk(after)
}

/// Returns whether a text has a control character that windows-1252 has no character for.
pub fn has_impossible_control(text: &[char]) -> bool {
    text.iter().any(|own| matches!(own, '\u{81}' | '\u{8D}' | '\u{8F}' | '\u{90}' | '\u{9D}'))
}

/// Returns the characters outside ASCII.
fn foreign(text: &[char]) -> impl Iterator<Item = char> {
    text.iter().copied().filter(|character| !character.is_ascii())
}

/// Returns the number of different characters outside ASCII, at most 5.
fn distinct_count(text: &[char]) -> i32 {
    let mut known = ['\0'; 5];
    let mut count = 0;
    for character in foreign(text) {
        if !known[..count].contains(&character) {
            known[count] = character;
            count += 1;
        }
        if count == known.len() {
            break;
        }
    }
    count as i32
}

/// What an odd pair of a garbled line is worth if it has nothing else outside ASCII than pairs.
const PAIR_BONUS: i32 = 3;

/// What the pairs of a garbled line are worth at most.
const MAX_PAIR_BONUS: i32 = 4;

/// What is known of a garbled line.
#[derive(Debug, Default)]
pub struct GarbledLine {
    /// The number of characters.
    pub len: usize,
    /// How odd it is, or a lower number of at least a limit.
    pub oddness: i32,
    /// What it is worth how odd its pairs are if it has nothing else outside ASCII.
    pair_bonus: i32,
    foreign_count: i32,
    /// Whether the characters outside ASCII are Russian words.
    pub is_russian: bool,
}

impl GarbledLine {
    pub fn new(
        before: [char; 2],
        text: &[char],
        limit: i32,
        oddness: &mut OddnessCache,
    ) -> GarbledLine {
        let mut pair_bonus = 0;
        for (at, pair) in text.windows(2).enumerate() {
            if starts_lone_pair(pair[0]) {
                let previous = if at == 0 { before[1] } else { text[at - 1] };
                let after = text.get(at + 2).copied().unwrap_or('\n');
                if is_odd_lone_pair(previous, pair[0], pair[1], after) {
                    pair_bonus = (pair_bonus + PAIR_BONUS).min(MAX_PAIR_BONUS);
                }
                if pair_bonus == MAX_PAIR_BONUS {
                    break;
                }
            }
        }
        GarbledLine {
            len: text.len(),
            oddness: oddness.up_to(limit, before, text, '\n'),
            pair_bonus,
            foreign_count: foreign(text).count() as i32,
            is_russian: is_russian(text),
        }
    }

    /// Returns what it is worth that everything outside ASCII in the line is valid. `garbled` is its text.
    pub fn bonus(&self, garbled: &[char], decoded: &[char]) -> i32 {
        if self.oddness + self.pair_bonus == 0 {
            return 0;
        }
        let count = self.foreign_count - (garbled.len() - decoded.len()) as i32;
        let distinct = distinct_count(decoded) - 1;
        // Many different ones are hardly valid by accident, whatever they look like.
        let length = if distinct > 1 { (count - 3).max(0) } else { 0 };
        let shape = (2 * self.foreign_count - 4 * count).min(4);
        let coherence = coherence_bonus(garbled, decoded, count as usize);
        self.pair_bonus + shape + distinct + length + coherence
    }
}

/// Returns whether a pair that starts with a character may be odd: a Latin letter, or a multiplication sign.
fn starts_lone_pair(first: char) -> bool {
    first >= '\u{C0}' && (first <= '\u{2AF}' || matches!(first, '\u{1E00}'..='\u{1EFF}'))
}

/// Returns whether a pair is odd in a line that has nothing else outside ASCII than such pairs.
fn is_odd_lone_pair(before: char, first: char, second: char, after: char) -> bool {
    let a = classify(first);
    if a != LatinUpper && first != '×' {
        return false;
    }
    let (x, b, c) = (classify(before), classify(second), classify(after));
    let is_sign = matches!(
        b,
        Quote | LowQuote | Inverted | Sign | Numeric | Currency | Common | NoBreak | Rare
    );
    match first {
        // The plural of a letter.
        _ if second == '’' && c.is_letter() => false,
        'Ã' | 'Â' | 'Ă' | 'Ć' | 'Ā' | 'Î' | 'Ð' if is_sign && !x.is_letter() => true,
        'Â' if matches!(second, '«' | '»' | '®' | '©' | '°' | '·') => true,
        'Ã' if second == '\u{AD}' && (x.is_lower() || c.is_lower()) => true,
        '×' => (is_sign || b == LatinLower) && x != Digit,
        _ if is_sign && !x.is_letter() && c.is_letter() => true,
        _ => second == '•' && x.is_upper() && c.is_upper(),
    }
}

/// Returns whether the characters outside ASCII are Russian words: in CP866, these can be UTF-8.
pub fn is_russian(text: &[char]) -> bool {
    let mut previous = Space;
    text.iter().all(|&character| {
        let class = classify(character);
        let is_usual = match character {
            'а'..='я' => true,
            'А'..='Я' => previous != CyrillicLower,
            _ => character.is_ascii(),
        };
        previous = class;
        is_usual
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ascii_is_not_odd() {
        let ascii = || '\0'..='\x7F';
        for previous in ascii() {
            for next in ascii() {
                assert_eq!(pair_oddness(previous, next), 0, "{previous:?} {next:?}");
                for first in ('\0'..='\u{2FF}').chain("ЖΩ‚’½中🙂".chars()) {
                    let odd = triple_oddness(first, previous, next);
                    assert_eq!(odd, 0, "{first:?} {previous:?} {next:?}");
                }
            }
            assert_eq!(rarity(previous), 0);
        }
    }

    #[test]
    fn marks_of_the_koran_are_rarer_than_arabic_letters_but_not_than_syriac() {
        // Unicode Standard, section 9.2: honorifics and annotation signs of the Koran. Section 9.1: accents of Hebrew.
        let koran = ('\u{610}'..='\u{61A}').chain('\u{6D6}'..='\u{6ED}');
        for mark in koran.chain('\u{591}'..='\u{5AF}') {
            assert!(rarity(mark) > rarity('\u{627}'), "{mark:?}");
            assert!(rarity(mark) < rarity('\u{710}'), "{mark:?}");
        }
    }

    #[test]
    fn multiplication_sign_is_odd_before_a_sign_except_after_a_number() {
        // The Hebrew letter shin in UTF-8 is D7 A9, which is this in CP1252.
        assert!(is_odd_lone_pair(' ', '×', '©', ' '));
        assert!(is_odd_lone_pair('a', '×', '©', 'b'));
        assert!(!is_odd_lone_pair('3', '×', '½', ' '));
    }

    #[test]
    fn plain_letters_are_not_odd() {
        let letters: Vec<char> = ('\0'..'\u{E000}').filter(|own| plain_script(*own) != 0).collect();
        assert!(letters.len() > 30_000);
        // Letters of all scripts, and some of Asia.
        let step = |at: &usize| letters[*at] < '\u{3000}' || at % 997 == 0;
        for next in (0..letters.len()).filter(step).map(|at| letters[at]) {
            assert_eq!(rarity(next), 0, "{next:?}");
            for previous in (0..letters.len()).filter(step).map(|at| letters[at]) {
                if plain_script(previous) == plain_script(next) {
                    for first in "\n aÉéЖжΩ‚’½Ã©中🙂".chars() {
                        assert_eq!(neighbor_oddness(first, previous, next), 0, "{previous}{next}");
                    }
                }
            }
        }
    }

    #[test]
    fn emoji_are_as_odd_as_the_symbol_instead_of_them() {
        for emoji in ('\u{2600}'..='\u{27BF}').chain('\u{1F300}'..='\u{1FAFF}') {
            assert_eq!(find_class(emoji), find_class(usual_symbol(emoji)));
            assert_eq!(rarity(emoji), rarity(usual_symbol(emoji)));
        }
        let mut cache = OddnessCache::default();
        for neighbor in "a é Ã中Ж©½ 🙂𝒜".chars() {
            let text = ['🙂', neighbor, '🙂', '🎉', neighbor];
            let same = text.map(usual_symbol);
            assert_eq!(cache.of(['\n'; 2], &text, '\n'), cache.of(['\n'; 2], &same, '\n'));
        }
    }

    #[test]
    fn letters_of_rare_languages_are_odder_than_common_ones() {
        let common = rarity('é').max(rarity('ő')).max(rarity('ş'));
        // Slovak and Old Latvian, Esperanto, Northern Sami.
        for character in "ŔŕŖŗŜŝŦŧ".chars() {
            assert!(rarity(character) > common, "{character}");
        }
    }
}
