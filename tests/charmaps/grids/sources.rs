//! What part of a map a directory comes from.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::archive;
use crate::map::{Code, Map};

/// The origin of one directory.
pub struct Source {
    /// Its file, without `.rows`.
    pub file: &'static str,
    /// The map.
    pub map: &'static str,
    /// Which part of it.
    pub part: Part,
    /// How its two-byte codes are built.
    pub shape: Shape,
    /// Whether ASCII bytes that are themselves need no entry.
    pub ascii: bool,
    /// Codes that are never encoded, first and last.
    pub decode_only: &'static [(u32, u32)],
}

/// Which codes of a map make a directory.
#[derive(Clone, Copy, PartialEq)]
pub enum Part {
    /// All of the first state.
    Whole,
    /// Those of one and two bytes.
    Short,
    /// Those of one byte.
    Single,
    /// Those of two bytes, without their high bits.
    Seven,
    /// Those behind this prefix, from this first byte on.
    Shifted(&'static [u8], u8),
    /// The same, and only those that characters are encoded to.
    Encoded(&'static [u8]),
}

/// The cells of a part.
pub struct Table {
    pub decode: BTreeMap<Code, String>,
    pub encode: BTreeMap<char, Code>,
}

/// What is written in place of a character that has no code. To write that unasked would be a loss
/// that nobody is told of.
const SUBSTITUTE: &str = "\u{1A}";

/// Tag characters, which converters drop.
const TAGS: RangeInclusive<char> = '\u{E0000}'..='\u{E007F}';

impl Source {
    pub fn table(&self) -> Table {
        let map = archive::map(self.map);
        let decode: BTreeMap<Code, String> = match self.part {
            Part::Shifted(prefix, _) | Part::Encoded(prefix) => shifted(&map, prefix),
            _ => map.decode.iter().cloned().collect(),
        };
        let substitute = |code: &Code| decode.get(code).is_some_and(|text| text == SUBSTITUTE);
        let good = |character: &char, code: &Code| {
            let lost = substitute(code) && *character != '\u{1A}';
            !(code.is_empty() || lost || TAGS.contains(character))
        };
        let one_way = |character: char, code: &Code| {
            self.part == Part::Short
                && decode.get(code).is_none_or(|text| !text.contains(character))
        };
        let encoded = map.encode.iter().filter(|(character, code)| good(character, code));
        let encode: BTreeMap<char, Code> = encoded
            .filter_map(|(character, code)| {
                let whole = one_way(*character, code).then(|| code.clone());
                Some((*character, whole.or_else(|| self.part.code(code, true))?))
            })
            .collect();
        let decoded = decode.iter().filter_map(|(code, text)| {
            let code = self.part.code(code, false)?;
            (self.part.takes(&code, &encode)).then(|| (code, text.clone()))
        });
        Table { decode: decoded.collect(), encode }
    }

    /// Whether characters that the map does not encode are not encoded, rather than elsewhere.
    pub fn is_whole(&self) -> bool {
        matches!(self.part, Part::Whole | Part::Short)
    }

    pub fn is_decode_only(&self, code: &[u8]) -> bool {
        let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        self.decode_only.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }
}

fn shifted(map: &Map, prefix: &[u8]) -> BTreeMap<Code, String> {
    let cells = map.shifted.iter().filter(|cell| cell.prefix == prefix);
    // A converter that does not know a prefix passes it on as text.
    let known = cells.filter(|cell| !cell.text.starts_with('\u{1B}'));
    known.map(|cell| (cell.code.clone(), cell.text.clone())).collect()
}

impl Part {
    /// The code within this part, of a code of the map. That of an encoder may have shifts around it.
    fn code(self, code: &[u8], encoded: bool) -> Option<Code> {
        let within = match self {
            Part::Whole => code,
            Part::Short => Some(code).filter(|code| code.len() <= 2)?,
            Part::Single => Some(code).filter(|code| code.len() == 1)?,
            Part::Seven => {
                let [lead @ 0xA1..=0xFE, trail] = code else { return None };
                return Some(vec![lead & 0x7F, trail & 0x7F]);
            }
            Part::Shifted(prefix, _) | Part::Encoded(prefix) if encoded => {
                let rest = code.strip_prefix(prefix)?;
                let mut behind = 1..rest.len();
                let end = behind.find(|at| matches!(rest[*at], 0x0F | 0x1B));
                &rest[..end.unwrap_or(rest.len())]
            }
            Part::Shifted(..) | Part::Encoded(_) => code,
        };
        Some(within.to_vec())
    }

    fn takes(self, code: &Code, encode: &BTreeMap<char, Code>) -> bool {
        match self {
            Part::Shifted(_, 0) => code[0].is_ascii(),
            Part::Shifted(_, 0x21) => matches!(code[0], 0x21..=0x7E),
            Part::Shifted(_, least) => code[0] >= least,
            Part::Encoded(_) => encode.values().any(|known| known == code),
            _ => true,
        }
    }
}

/// Which bytes lead and which trail in the two-byte codes of a charset.
pub struct Shape {
    pub leads: &'static [RangeInclusive<u8>],
    pub trails: &'static [RangeInclusive<u8>],
}
