//! Fullwidth and halfwidth forms (The Unicode Standard, section 18.5), as `nkf -X` and `nkf -Z` convert
//! them.
//!
//! | nkf | transform |
//! |---|---|
//! | `-X` | `fullwidth`: halfwidth katakana become katakana, with their sound marks |
//! | `-x` | none |
//! | `-Z`, `-Z0` | `halfwidth:punctuation` |
//! | `-Z1` | `halfwidth:punctuation,space=one` |
//! | `-Z2` | `halfwidth:punctuation,space=two` |
//! | `-Z3` | `halfwidth:punctuation,entities` |
//! | `-Z4` | `halfwidth:punctuation,katakana` |
//!
//! `halfwidth` without options converts U+FF01 to U+FF5E to ASCII. nkf leaves three of these, `＂ ＇ ～`,
//! because they are not in JIS X 0208; it converts `´ ‘ ’ “ ” — ― − 〈 〉` too, which `punctuation` does.
//! A halfwidth sound mark after a letter is combined with it if Unicode has the combination; nkf does not
//! know `ヷ` and `ヺ`.
//!
//! With `all` the two convert all characters with a `<wide>` or `<narrow>` decomposition in the Unicode
//! Character Database, hangul letters and symbols included, and their counterparts. That is what the
//! transforms `Halfwidth-Fullwidth` and `Fullwidth-Halfwidth` of ICU do, except that ICU writes
//! conjoining jamo for hangul letters.

use super::item_transform::{Item, ItemFormat, ItemTransform};
use super::{Transform, TransformCodecs};
use charpipe_encoding::encoding::{EncodingOptions, OptionSpec, OptionValues};
use charpipe_kernel::special_bytes::SpecialBytes;

const ALL: &str = "all";
const ASCII: &str = "ascii";
const ENTITIES: &str = "entities";
const KATAKANA: &str = "katakana";
const PUNCTUATION: &str = "punctuation";
const SPACE: &str = "space";

const fn flag(name: &'static str, description: &'static str) -> OptionSpec {
    OptionSpec { name, values: OptionValues::Flag, description }
}

/// Halfwidth characters to fullwidth ones.
pub static FULLWIDTH: Transform = Transform {
    name: "fullwidth",
    aliases: &["halfwidth-fullwidth"],
    title: "fullwidth",
    description: "Halfwidth katakana to fullwidth ones (The Unicode Standard, section 18.5; nkf -X)",
    options: &[
        flag(ASCII, "also ASCII characters except the space"),
        flag(SPACE, "also the space, to U+3000"),
        flag(ALL, "all characters that have a fullwidth form"),
    ],
    codecs: TransformCodecs::Text {
        decoder: None,
        encoder: |options| Box::new(ItemTransform::new(Widener::new(options))),
    },
};

/// Fullwidth characters to halfwidth ones.
pub static HALFWIDTH: Transform = Transform {
    name: "halfwidth",
    aliases: &["fullwidth-halfwidth"],
    title: "halfwidth",
    description: "Fullwidth ASCII characters to ASCII (The Unicode Standard, section 18.5; nkf -Z)",
    options: &[
        flag(KATAKANA, "also katakana and their punctuation"),
        OptionSpec {
            name: SPACE,
            values: OptionValues::Choice(&["keep", "one", "two"]),
            description: "what U+3000 becomes: itself, one space or two",
        },
        flag(PUNCTUATION, "also quotation marks, dashes and angle brackets, to ASCII"),
        flag(ENTITIES, "fullwidth < > & \" become character references"),
        flag(ALL, "all characters that have a halfwidth form"),
    ],
    codecs: TransformCodecs::Text {
        decoder: None,
        encoder: |options| Box::new(ItemTransform::new(Narrower::new(options))),
    },
};

/// The distance of U+FF01 and its neighbors from ASCII.
const ASCII_OFFSET: u32 = 0xFEE0;

/// U+FF61 to U+FF9F in their fullwidth forms.
const KATAKANA_FORMS: [char; 63] = [
    '。', '「', '」', '、', '・', 'ヲ', 'ァ', 'ィ', 'ゥ', 'ェ', 'ォ', 'ャ', 'ュ', 'ョ', 'ッ', 'ー',
    'ア', 'イ', 'ウ', 'エ', 'オ', 'カ', 'キ', 'ク', 'ケ', 'コ', 'サ', 'シ', 'ス', 'セ', 'ソ', 'タ',
    'チ', 'ツ', 'テ', 'ト', 'ナ', 'ニ', 'ヌ', 'ネ', 'ノ', 'ハ', 'ヒ', 'フ', 'ヘ', 'ホ', 'マ', 'ミ',
    'ム', 'メ', 'モ', 'ヤ', 'ユ', 'ヨ', 'ラ', 'リ', 'ル', 'レ', 'ロ', 'ワ', 'ン', '゛', '゜',
];

const FIRST_KATAKANA: char = '\u{FF61}';
const VOICED_MARK: char = '\u{FF9E}';
const SEMI_VOICED_MARK: char = '\u{FF9F}';

/// Halfwidth hangul letters as first, last and the first of the fullwidth ones.
const HANGUL_RANGES: [(char, char, char); 6] = [
    ('\u{FFA0}', '\u{FFA0}', '\u{3164}'),
    ('\u{FFA1}', '\u{FFBE}', '\u{3131}'),
    ('\u{FFC2}', '\u{FFC7}', '\u{314F}'),
    ('\u{FFCA}', '\u{FFCF}', '\u{3155}'),
    ('\u{FFD2}', '\u{FFD7}', '\u{315B}'),
    ('\u{FFDA}', '\u{FFDC}', '\u{3161}'),
];

/// Other halfwidth characters with their fullwidth forms.
const SYMBOLS: [(char, char); 16] = [
    ('¢', '￠'),
    ('£', '￡'),
    ('¬', '￢'),
    ('¯', '￣'),
    ('¦', '￤'),
    ('¥', '￥'),
    ('₩', '￦'),
    ('⦅', '｟'),
    ('⦆', '｠'),
    ('￨', '│'),
    ('￩', '←'),
    ('￪', '↑'),
    ('￫', '→'),
    ('￬', '↓'),
    ('￭', '■'),
    ('￮', '○'),
];

/// Punctuation that `nkf -Z` converts to ASCII.
const PUNCTUATION_FORMS: [(char, &str); 10] = [
    ('´', "'"),
    ('‘', "`"),
    ('’', "'"),
    ('“', "\""),
    ('”', "\""),
    ('—', "-"),
    ('―', "-"),
    ('−', "-"),
    ('〈', "<"),
    ('〉', ">"),
];

fn offset(first: char, distance: u32) -> char {
    char::from_u32(u32::from(first) + distance).unwrap_or(first)
}

/// Returns the katakana letter with a sound mark, or none if Unicode does not have it.
fn with_sound_mark(letter: char, mark: char) -> Option<char> {
    match (letter, mark) {
        ('ウ', VOICED_MARK) => Some('ヴ'),
        ('ワ', VOICED_MARK) => Some('ヷ'),
        ('ヲ', VOICED_MARK) => Some('ヺ'),
        ('カ'..='ヂ', VOICED_MARK) if u32::from(letter) % 2 == 1 => Some(offset(letter, 1)),
        ('ツ' | 'テ' | 'ト', VOICED_MARK) => Some(offset(letter, 1)),
        ('ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ', VOICED_MARK) => Some(offset(letter, 1)),
        ('ハ' | 'ヒ' | 'フ' | 'ヘ' | 'ホ', SEMI_VOICED_MARK) => Some(offset(letter, 2)),
        _ => None,
    }
}

/// Writes fullwidth forms.
struct Widener {
    special: SpecialBytes,
    /// Whether all characters are converted.
    all: bool,
}

impl Widener {
    fn new(options: &EncodingOptions) -> Widener {
        let all = options.flag(ALL);
        let (ascii, space) = (all || options.flag(ASCII), all || options.flag(SPACE));
        let special = SpecialBytes::new(|byte| match byte {
            b'!'..=b'~' => ascii,
            b' ' => space,
            0xEF => true,
            0xC2 | 0xE2 => all,
            _ => false,
        });
        Widener { special, all }
    }
}

impl ItemFormat for Widener {
    const MAX_LEN: usize = 8;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], end: bool, _state: &mut u64) -> Item {
        let mut characters = src.chars();
        let character = characters.next().unwrap_or_default();
        let len = character.len_utf8();
        let wide = match character {
            ' ' => '\u{3000}',
            '!'..='~' => offset(character, ASCII_OFFSET),
            FIRST_KATAKANA..=SEMI_VOICED_MARK => {
                let letter =
                    KATAKANA_FORMS[(u32::from(character) - u32::from(FIRST_KATAKANA)) as usize];
                let Some(mark) = characters.next() else {
                    let may_combine = with_sound_mark(letter, VOICED_MARK).is_some();
                    if may_combine && !end {
                        return Item::NeedMore;
                    }
                    return Item::char(len, letter, dst);
                };
                match with_sound_mark(letter, mark) {
                    Some(combined) => return Item::char(2 * len, combined, dst),
                    None => letter,
                }
            }
            _ if self.all => wide_form(character).unwrap_or(character),
            _ => character,
        };
        Item::char(len, wide, dst)
    }
}

/// Returns the fullwidth form of a hangul letter or a symbol.
fn wide_form(character: char) -> Option<char> {
    let hangul =
        HANGUL_RANGES.iter().find(|(first, last, _)| (*first..=*last).contains(&character));
    if let Some((first, _, wide)) = hangul {
        return Some(offset(*wide, u32::from(character) - u32::from(*first)));
    }
    SYMBOLS.iter().find(|(narrow, _)| *narrow == character).map(|(_, wide)| *wide)
}

/// Returns the halfwidth form of a hangul letter or a symbol.
fn narrow_form(character: char) -> Option<char> {
    let narrow = HANGUL_RANGES.iter().find_map(|(first, last, wide)| {
        let distance = u32::from(character).checked_sub(u32::from(*wide))?;
        (distance <= u32::from(*last) - u32::from(*first)).then(|| offset(*first, distance))
    });
    narrow.or_else(|| SYMBOLS.iter().find(|(_, wide)| *wide == character).map(|(own, _)| *own))
}

/// Writes halfwidth forms.
struct Narrower {
    special: SpecialBytes,
    katakana: bool,
    /// What U+3000 becomes.
    space: &'static str,
    punctuation: bool,
    entities: bool,
    /// Whether all characters are converted.
    all: bool,
}

impl Narrower {
    fn new(options: &EncodingOptions) -> Narrower {
        let all = options.flag(ALL);
        let (katakana, punctuation) = (all || options.flag(KATAKANA), options.flag(PUNCTUATION));
        let space = match () {
            () if options.is_choice(SPACE, "two") => "  ",
            () if all || options.is_choice(SPACE, "one") => " ",
            () => "\u{3000}",
        };
        let special = SpecialBytes::new(|byte| match byte {
            0xEF => true,
            0xE2 => all || punctuation,
            0xE3 => katakana || punctuation || space != "\u{3000}",
            0xC2 => punctuation,
            _ => false,
        });
        let entities = options.flag(ENTITIES);
        Narrower { special, katakana, space, punctuation, entities, all }
    }

    /// Returns the result for an ASCII character that replaces a character of `len` bytes.
    fn ascii(&self, len: usize, text: &str, dst: &mut [u8]) -> Item {
        let text = match text {
            "<" if self.entities => "&lt;",
            ">" if self.entities => "&gt;",
            "&" if self.entities => "&amp;",
            "\"" if self.entities => "&quot;",
            _ => text,
        };
        Item::text(len, text, dst)
    }
}

impl ItemFormat for Narrower {
    const MAX_LEN: usize = 8;

    fn plain_len(&self, src: &[u8], _state: u64) -> usize {
        self.special.prefix_len(src)
    }

    fn convert_item(&self, src: &str, dst: &mut [u8], _end: bool, _state: &mut u64) -> Item {
        let character = src.chars().next().unwrap_or_default();
        let len = character.len_utf8();
        match character {
            '\u{3000}' => return Item::text(len, self.space, dst),
            '\u{FF01}'..='\u{FF5E}' => {
                let ascii = (u32::from(character) - ASCII_OFFSET) as u8;
                return self.ascii(len, char::from(ascii).encode_utf8(&mut [0; 4]), dst);
            }
            _ => {}
        }
        let as_punctuation = PUNCTUATION_FORMS.iter().find(|(own, _)| *own == character);
        if let (true, Some((_, text))) = (self.punctuation, as_punctuation) {
            return self.ascii(len, text, dst);
        }
        let narrow = if self.katakana { narrow_katakana(character) } else { None };
        match narrow {
            Some((letter, None)) => return Item::char(len, letter, dst),
            Some((letter, Some(mark))) => {
                let mut text = [0; 8];
                let letter_len = letter.encode_utf8(&mut text).len();
                let text_len = letter_len + mark.encode_utf8(&mut text[letter_len..]).len();
                let text = std::str::from_utf8(&text[..text_len]).unwrap_or_default();
                return Item::text(len, text, dst);
            }
            None => {}
        }
        let narrow = if self.all { narrow_form(character) } else { None };
        Item::char(len, narrow.unwrap_or(character), dst)
    }
}

/// Returns the halfwidth form of a katakana letter or its punctuation, and its sound mark.
fn narrow_katakana(character: char) -> Option<(char, Option<char>)> {
    let (letter, mark) = match character {
        '\u{3099}' => return Some((VOICED_MARK, None)),
        '\u{309A}' => return Some((SEMI_VOICED_MARK, None)),
        'ヴ' => ('ウ', Some(VOICED_MARK)),
        'ヷ' => ('ワ', Some(VOICED_MARK)),
        'ヺ' => ('ヲ', Some(VOICED_MARK)),
        'ガ'..='ポ' => {
            let before = |distance| char::from_u32(u32::from(character) - distance);
            let found = [(1, VOICED_MARK), (2, SEMI_VOICED_MARK)].into_iter().find_map(
                |(distance, mark)| {
                    let letter = before(distance)?;
                    (with_sound_mark(letter, mark) == Some(character)).then_some((letter, mark))
                },
            );
            found.map_or((character, None), |(letter, mark)| (letter, Some(mark)))
        }
        _ => (character, None),
    };
    let index = KATAKANA_FORMS.iter().position(|own| *own == letter)?;
    Some((offset(FIRST_KATAKANA, index as u32), mark))
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::encode_every_way;

    #[test]
    fn fullwidth_combines_sound_marks() {
        for (label, text, expected) in [
            ("fullwidth", "ｶﾞｷﾞﾊﾟﾊﾞｳﾞﾜﾞｱﾞﾞﾅﾟﾎﾟﾁﾞﾂﾞｶ", "ガギパバヴヷア゛゛ナ゜ポヂヅカ"),
            ("fullwidth", "｡｢｣､･ｰＡabc 漢ｶ", "。「」、・ーＡabc 漢カ"),
            ("fullwidth:ascii", "~a! ｱ\n", "～ａ！ ア\n"),
            ("fullwidth:space", "a b", "a\u{3000}b"),
            ("fullwidth:all", "a ￦₩¢ﾡￜ￮⦆é€", "ａ\u{3000}￦￦￠ㄱㅣ○｠é€"),
        ] {
            assert_eq!(encode_every_way(label, text), expected, "{label}");
        }
    }

    #[test]
    fn halfwidth_has_the_forms_of_nkf() {
        for (label, text, expected) in [
            ("halfwidth", "ＡＺ！～＂＇\u{3000}ガ“−", "AZ!~\"'\u{3000}ガ“−"),
            ("halfwidth:space=one", "ａ\u{3000}ｂ", "a b"),
            ("halfwidth:space=two", "ａ\u{3000}ｂ", "a  b"),
            ("halfwidth:punctuation", "´‘’“”—―−〈〉…、", "'`'\"\"---<>…、"),
            ("halfwidth:punctuation,entities", "＜＞＆＂“〈<&", "&lt;&gt;&amp;&quot;&quot;&lt;<&"),
            ("halfwidth:katakana", "ガパヴヷアー。、゛\u{3099}ヮヰヵッ", "ｶﾞﾊﾟｳﾞﾜﾞｱｰ｡､ﾞﾞヮヰヵｯ"),
            ("halfwidth:all", "ａ\u{3000}￦￠ㄱㅣ○｠é€", "a ₩¢ﾡￜ￮⦆é€"),
        ] {
            assert_eq!(encode_every_way(label, text), expected, "{label}");
        }
    }
}
