//! The classes of characters that the language models distinguish besides the letters of a language.
//!
//! The trainer of the models includes this file, so it uses nothing else of the crate.

/// A group of characters that a language model has one class for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Group {
    /// The start and the end of a line.
    Newline,
    /// Space and tab.
    Space,
    Digit,
    /// `.`, `,`, `;`, `:`, `!` and `?`.
    Stop,
    /// `'` and its typographic form, which words contain.
    Apostrophe,
    Hyphen,
    /// ASCII brackets and quotation marks.
    Bracket,
    /// All other ASCII punctuation.
    Markup,
    /// Quotation marks, dashes, no-break space and so on.
    Punctuation,
    /// Signs such as `°`, `²`, `§` and `€`.
    Symbol,
    /// Box drawing and block elements.
    Box,
    /// ASCII letters in a language with another script.
    Ascii,
    /// Other letters of the script of the language.
    SameScript,
    /// Non-ASCII letters of another script.
    OtherScript,
    Han,
    Hangul,
    Kana,
    /// Combining marks.
    Mark,
    /// Control characters, private use and unassigned code points, and malformed sequences.
    Invalid,
}

/// The number of groups.
pub const GROUP_COUNT: usize = Group::Invalid as usize + 1;

/// A script that the models distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Script {
    Latin,
    Greek,
    Cyrillic,
    Armenian,
    Hebrew,
    Arabic,
    Thai,
    Georgian,
    Han,
    Hangul,
    Kana,
    Other,
}

/// The number of scripts.
pub const SCRIPT_COUNT: usize = Script::Other as usize + 1;

/// The case of a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// Not a letter, or in a script without case.
    None,
    Lower,
    Upper,
}

/// What a character is, regardless of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Letter(Script),
    Group(Group),
}

/// Returns the lowercase form of a character, and its case.
pub fn fold(character: char) -> (char, Case) {
    match character {
        'a'..='z' => return (character, Case::Lower),
        'A'..='Z' => return (character.to_ascii_lowercase(), Case::Upper),
        '\0'..='\x7F' | 'ª' | 'º' | 'µ' | '\u{3000}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' => {
            return (character, Case::None);
        }
        _ => {}
    }
    let lower = match character {
        // Romanian is written with either form, and no other language uses those with a comma.
        'ș' | 'Ș' => 'ş',
        'ț' | 'Ț' => 'ţ',
        _ => character.to_lowercase().next().unwrap_or(character),
    };
    let is_upper = lower != character && character.is_uppercase();
    match is_upper {
        true => (lower, Case::Upper),
        false if lower.is_lowercase() => (lower, Case::Lower),
        false => (lower, Case::None),
    }
}

pub fn kind(character: char) -> Kind {
    use Group::{
        Apostrophe, Box, Bracket, Digit, Hyphen, Invalid, Mark, Markup, Newline, Punctuation,
        Space, Stop, Symbol,
    };
    match character {
        '\u{3400}'..='\u{9FFF}' => return Kind::Letter(Script::Han),
        '\u{AC00}'..='\u{D7A3}' => return Kind::Letter(Script::Hangul),
        _ => {}
    }
    let group = match character {
        '\n' | '\r' => Newline,
        ' ' | '\t' | '\x0C' => Space,
        '0'..='9' => Digit,
        'a'..='z' | 'A'..='Z' => return Kind::Letter(Script::Latin),
        '.' | ',' | ';' | ':' | '!' | '?' => Stop,
        '\'' | '’' => Apostrophe,
        '-' => Hyphen,
        '"' | '(' | ')' | '[' | ']' | '{' | '}' => Bracket,
        '\x1B' | '\x07' | '\x08' | '\x0B' | '!'..='~' => Markup,
        '\u{85}' => Newline,
        '\0'..='\u{9F}' => Invalid,
        'ª' | 'º' | 'µ' => Symbol,
        '\u{A0}' | '\u{AD}' | '¡' | '¿' | '«' | '»' | '·' | '\u{2000}'..='\u{2027}' => {
            Punctuation
        }
        '\u{202F}' | '‹' | '›' | '\u{3000}'..='\u{3003}' => Punctuation,
        '\u{3008}'..='\u{301F}' | '\u{FF01}' | '\u{FF08}' | '\u{FF09}' | '\u{FF0C}' => Punctuation,
        '\u{FF0E}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}' | '・' => Punctuation,
        '،' | '؛' | '؟' | '٪' | '٫' | '٬' | '״' | '׳' | '־' | '։' | '՝' | '՞' | '՛' => {
            Punctuation
        }
        '\u{A1}'..='\u{BF}' | '×' | '÷' => Symbol,
        '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5C7}' | '\u{64B}'..='\u{65F}' => Mark,
        '\u{2500}'..='\u{259F}' => Box,
        '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}' => return Kind::Letter(Script::Other),
        '\u{E000}'..='\u{F8FF}' | '\u{FFF0}'.. => Invalid,
        '\u{2028}'..='\u{2BFF}' | '\u{3004}'..='\u{3007}' | '\u{3020}'..='\u{303F}' => Symbol,
        '\u{3200}'..='\u{33FF}' | '\u{FE10}'..='\u{FE6F}' | '\u{FF00}'..='\u{FF0F}' => Symbol,
        '\u{FF1A}'..='\u{FF20}' | '\u{FFE0}'..='\u{FFEF}' | '฿' => Symbol,
        '\u{FF10}'..='\u{FF19}' | '\u{660}'..='\u{669}' | '\u{6F0}'..='\u{6F9}' => Digit,
        '๐'..='๙' => Digit,
        '\u{2C2}'..='\u{2DF}' | '΄' | '΅' => Symbol,
        _ => return Kind::Letter(script(character)),
    };
    Kind::Group(group)
}

fn script(character: char) -> Script {
    match character {
        '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' | '\u{FF21}'..='\u{FF5A}' => Script::Latin,
        '\u{250}'..='\u{2AF}' | '\u{FB00}'..='\u{FB06}' => Script::Latin,
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Script::Greek,
        '\u{400}'..='\u{52F}' => Script::Cyrillic,
        '\u{531}'..='\u{58F}' => Script::Armenian,
        '\u{5D0}'..='\u{5F4}' => Script::Hebrew,
        '\u{600}'..='\u{6FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => Script::Arabic,
        '\u{E00}'..='\u{E7F}' => Script::Thai,
        '\u{10A0}'..='\u{10FF}' => Script::Georgian,
        '\u{3040}'..='\u{30FF}' | '\u{FF66}'..='\u{FF9F}' => Script::Kana,
        '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}' => {
            Script::Han
        }
        '\u{AC00}'..='\u{D7A3}' => Script::Hangul,
        _ => Script::Other,
    }
}

/// Returns the group of a letter that a language with this script does not have in its alphabet.
pub fn group_of_foreign(character: char, script: Script, own: Script) -> Group {
    match script {
        _ if character.is_ascii() => Group::Ascii,
        Script::Han => Group::Han,
        Script::Hangul => Group::Hangul,
        Script::Kana => Group::Kana,
        _ if script == own => Group::SameScript,
        _ => Group::OtherScript,
    }
}

/// What precedes a sign or follows it: an ASCII letter, another letter, or a group.
pub const CONTEXT_COUNT: usize = 26 + 1 + GROUP_COUNT;

/// Returns the context that a character of this kind is for signs.
pub fn sign_context(folded: char, kind: Kind) -> usize {
    match (folded, kind) {
        ('a'..='z', _) => folded as usize - 'a' as usize,
        (_, Kind::Letter(_)) => 26,
        (_, Kind::Group(group)) => 27 + group as usize,
    }
}

/// What the case of a letter depends on.
pub const CASE_CONTEXT_COUNT: usize = 24;

/// The state before a letter: what the previous character is.
pub fn case_state(folded: char, case: Case) -> u8 {
    match (case, folded) {
        (Case::Upper, _) => 1,
        (Case::Lower, _) => 2,
        (Case::None, '\n' | '\r') => 3,
        (Case::None, ' ' | '\t') => 4,
        (Case::None, _) => 5,
    }
}

/// Returns the context of the case of a letter: the state before it, whether the two characters before it are both
/// uppercase, and whether the previous character and the letter are ASCII.
#[inline]
pub fn case_context(
    state: u8,
    follows_two_capitals: bool,
    previous_is_ascii: bool,
    is_ascii: bool,
) -> usize {
    let state = if follows_two_capitals { 0 } else { usize::from(state) };
    state * 4 + usize::from(previous_is_ascii) * 2 + usize::from(is_ascii)
}
