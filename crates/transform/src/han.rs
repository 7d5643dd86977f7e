//! Han characters to their readings in Mandarin, in pinyin with tone marks.
//!
//! `data/han-latin.tsv` has the readings: a row is a reading, and the characters that have it. Before a
//! certain character some have another reading (重庆 is chóng qìng). A character has one reading otherwise;
//! which one of several applies in a sentence depends on words.
//!
//! A space separates a reading from a letter or another Han character beside it, from punctuation that ends
//! something before it, and from an opening bracket or quotation mark after it. All other characters are
//! copied. The state is the [`Kind`] of the character before the call.

use std::sync::OnceLock;

use super::{Transform, TransformCodecs};
use charpipe_encoding::codec::{Checkpoint, Progress, State, TextTransform};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_kernel::{ascii, bulk_copy};

/// Han by readings in Mandarin.
pub static HAN_LATIN: Transform = Transform {
    name: "han-latin",
    aliases: &["pinyin"],
    title: "pinyin",
    description: "Han characters to their Mandarin readings (pinyin with tone marks), as in CLDR",
    options: &[],
    codecs: TransformCodecs::Text { decoder: None, encoder: |_| Box::new(HanTransform::new()) },
};

const ROWS: &str = include_str!("data/han-latin.tsv");

/// The length of the longest reading with a space, such as "zhuǎng", and space for another character.
const MAX_UNIT: usize = 16;

/// The number of code points that have a common part of the index.
const PAGE: usize = 0x100;

/// The number of pages, up to the end of plane 3.
const PAGES: usize = 0x4_0000 / PAGE;

/// The readings of all characters.
#[derive(Debug)]
struct Readings {
    /// Each reading, at the number of its row, from 1.
    texts: Vec<&'static str>,
    /// The page of each group of code points; the first page is empty.
    page_of: [u16; PAGES],
    /// For each code point the row of its reading, or 0.
    pages: Vec<[u16; PAGE]>,
    /// The row of the reading of a character before another one.
    before: Vec<(char, char, u16)>,
}

impl Readings {
    fn get() -> &'static Readings {
        static READINGS: OnceLock<Readings> = OnceLock::new();
        READINGS.get_or_init(Readings::new)
    }

    fn new() -> Readings {
        let mut readings = Readings {
            texts: vec![""],
            page_of: [0; PAGES],
            pages: vec![[0; PAGE]],
            before: Vec::new(),
        };
        let rows = ROWS.lines().filter(|line| !line.starts_with('#'));
        for (text, characters) in rows.filter_map(|line| line.split_once('\t')) {
            let row = readings.texts.len() as u16;
            readings.texts.push(text);
            match characters.split_once('|') {
                Some((character, next)) => {
                    let pair = character.chars().zip(next.chars());
                    readings.before.extend(pair.map(|(character, next)| (character, next, row)));
                }
                None => characters.chars().for_each(|character| readings.insert(character, row)),
            }
        }
        readings
    }

    fn insert(&mut self, character: char, row: u16) {
        let code_point = character as usize;
        let page = &mut self.page_of[code_point / PAGE];
        if *page == 0 {
            *page = self.pages.len() as u16;
            self.pages.push([0; PAGE]);
        }
        self.pages[usize::from(*page)][code_point % PAGE] = row;
    }

    /// Returns the row of the reading of a character, or 0.
    #[inline]
    fn row(&self, character: char) -> u16 {
        let code_point = character as usize;
        match self.page_of.get(code_point / PAGE) {
            Some(page) => self.pages[usize::from(*page)][code_point % PAGE],
            None => 0,
        }
    }
}

/// What decides on spaces beside a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Neither of the others.
    Other,
    Letter,
    Han,
    /// Punctuation that ends a part of a sentence, a parenthesis or a quotation.
    Closing,
    /// Punctuation that opens a parenthesis or a quotation.
    Opening,
    /// A mark, which belongs to the character before it.
    Mark,
}

impl Kind {
    const ALL: [Kind; 6] =
        [Kind::Other, Kind::Letter, Kind::Han, Kind::Closing, Kind::Opening, Kind::Mark];

    /// Returns the kind of a character that has no reading.
    fn of(character: char) -> Kind {
        match character {
            'a'..='z' | 'A'..='Z' => Kind::Letter,
            '\u{3006}' | '\u{3021}'..='\u{3029}' | '\u{3038}'..='\u{303A}' => Kind::Han,
            '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' => {
                Kind::Han
            }
            '\u{2_0000}'..='\u{3_FFFD}' => Kind::Han,
            '.' | ',' | ':' | ';' | '?' | '!' | '，' | '：' | '；' | '？' | '！' | '．' | '、'
            | '。' | '｡' | '､' => Kind::Closing,
            ')' | ']' | '}' | '»' | '’' | '”' | '›' | '〉' | '》' | '」' | '』' | '】' | '〕'
            | '〗' | '〙' | '〛' | '〞' | '〟' | '）' | '］' | '｝' | '｠' | '｣' => {
                Kind::Closing
            }
            '(' | '[' | '{' | '«' | '‘' | '‚' | '‛' | '“' | '„' | '‟' | '‹' | '〈' | '《'
            | '「' | '『' | '【' | '〔' | '〖' | '〘' | '〚' | '〝' | '（' | '［' | '｛' | '｟'
            | '｢' => Kind::Opening,
            '\u{300}'..='\u{36F}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
                Kind::Mark
            }
            _ if character.is_alphabetic() => Kind::Letter,
            _ => Kind::Other,
        }
    }

    /// Returns whether a space separates this character from the one before it.
    fn is_separate(self, before: Kind) -> bool {
        match self {
            Kind::Han => matches!(before, Kind::Han | Kind::Letter | Kind::Closing),
            Kind::Letter | Kind::Opening => before == Kind::Han,
            _ => false,
        }
    }
}

/// Writes readings for Han characters.
#[derive(Debug)]
struct HanTransform {
    readings: &'static Readings,
    /// The kind of the last character that is not a mark.
    last: Kind,
}

impl HanTransform {
    fn new() -> HanTransform {
        HanTransform { readings: Readings::get(), last: Kind::Other }
    }

    /// Returns the row of the reading of a character, or `None` if that depends on the next one, which has
    /// not arrived.
    #[inline]
    fn row(&self, character: char, rest: &str, end: bool) -> Option<u16> {
        let row = self.readings.row(character);
        let mut others = self.readings.before.iter().filter(|(first, ..)| *first == character);
        if others.clone().next().is_none() {
            return Some(row);
        }
        match rest.chars().next() {
            None if !end => None,
            next => Some(others.find(|(_, then, _)| Some(*then) == next).map_or(row, |it| it.2)),
        }
    }
}

impl Checkpoint for HanTransform {
    fn save_state(&self) -> State {
        State::new(self.last as u64)
    }

    fn restore_state(&mut self, state: State) {
        self.last = Kind::ALL.get(state.bits() as usize).copied().unwrap_or(Kind::Other);
    }

    fn max_lookahead(&self) -> usize {
        MAX_UNIT
    }
}

impl TextTransform for HanTransform {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        while let Some(character) = src[read..].chars().next() {
            if character.is_ascii() && self.last != Kind::Han {
                let len = ascii::prefix_len(&src.as_bytes()[read..]).min(dst.len() - written);
                if len == 0 {
                    return Progress::output_full(read, written);
                }
                let run = &src.as_bytes()[read..][..len];
                bulk_copy::copy(run, &mut dst[written..]);
                self.last = Kind::of(char::from(run[len - 1]));
                read += len;
                written += len;
                continue;
            }
            let len = character.len_utf8();
            let Some(row) = self.row(character, &src[read + len..], end) else {
                return Progress::input_empty(read, written);
            };
            let (kind, text) = match row {
                0 => (Kind::of(character), &src[read..][..len]),
                _ => (Kind::Han, self.readings.texts[usize::from(row)]),
            };
            let is_separate = kind.is_separate(self.last);
            let total = usize::from(is_separate) + text.len();
            let Some(to) = dst.get_mut(written..written + total) else {
                return Progress::output_full(read, written);
            };
            if is_separate {
                to[0] = b' ';
            }
            to[total - text.len()..].copy_from_slice(text.as_bytes());
            if kind != Kind::Mark {
                self.last = kind;
            }
            read += len;
            written += total;
        }
        Progress::input_empty(read, written)
    }
}

#[cfg(test)]
mod tests {
    use super::super::text_testing::encode_every_way;
    use super::*;

    #[test]
    fn every_character_has_one_reading() {
        let rows = ROWS.lines().filter(|line| !line.starts_with('#') && !line.contains('|'));
        let mut characters: Vec<char> =
            rows.flat_map(|line| line.split_once('\t').unwrap().1.chars()).collect();
        let count = characters.len();
        characters.sort_unstable();
        characters.dedup();
        assert_eq!(characters.len(), count);
        let longest = Readings::get().texts.iter().map(|text| text.len()).max().unwrap();
        assert!(longest < MAX_UNIT, "{longest}");
    }

    #[test]
    fn spaces_are_beside_letters_and_han() {
        for (text, expected) in [
            ("北京 abc中3天é中", "běi jīng abc zhōng3tiān é zhōng"),
            ("汉字，漢字（中）中", "hàn zì， hàn zì （zhōng） zhōng"),
            ("don’t f(x) a,b", "don’t f(x) a,b"),
            ("e\u{301}中\u{FE00}x", "e\u{301} zhōng\u{FE00} x"),
            ("重庆 重要 重", "chóng qìng zhòng yào zhòng"),
            ("カ中か 한中", "カ zhōng か 한 zhōng"),
        ] {
            assert_eq!(encode_every_way("han-latin", text), expected);
        }
    }
}
