//! The part of a map that a trie is made from.

use std::collections::{BTreeMap, HashSet};
use std::ops::RangeInclusive;

use crate::archive;
use crate::map::{CodeBytes, EncodingMap};

/// The source of one trie.
pub struct TableSource {
    /// The file, without `.trie`.
    pub file: &'static str,
    /// The map.
    pub map: &'static str,
    /// Which part of it.
    pub part: MapPart,
    /// How its two-byte codes are built.
    pub shape: CodeShape,
    /// Whether ASCII bytes that are themselves need no entry.
    pub ascii: bool,
    /// Codes that are never encoded, first and last.
    pub decode_only: &'static [(u32, u32)],
}

/// The codes of a map that a trie holds.
#[derive(Clone, Copy, PartialEq)]
pub enum MapPart {
    /// All of the first state.
    AllCodes,
    /// Those of one and two bytes.
    UpToTwoBytes,
    /// Those of one byte.
    OneByte,
    /// Those of two bytes, without their high bits.
    SevenBit,
    /// Those after this prefix, from this first byte on.
    Shifted(&'static [u8], u8),
    /// The same, and only those that characters are encoded to.
    Encoded(&'static [u8]),
}

/// The cells of a part.
pub struct CodeTable {
    pub decode: BTreeMap<CodeBytes, String>,
    pub encode: BTreeMap<char, CodeBytes>,
}

/// The substitute that converters write for an unmappable character. Writing it without being asked
/// would lose text silently.
const SUBSTITUTE: &str = "\u{1A}";

/// Tag characters, which converters drop.
const TAGS: RangeInclusive<char> = '\u{E0000}'..='\u{E007F}';

impl TableSource {
    pub fn table(&self) -> CodeTable {
        let map = match self.part {
            MapPart::UpToTwoBytes => archive::map_of_short_codes(self.map, 2),
            _ => archive::map(self.map),
        };
        let decode = match self.part {
            MapPart::Shifted(prefix, _) | MapPart::Encoded(prefix) => shifted_codes(&map, prefix),
            _ => map.decode,
        };
        let text_of = |code: &CodeBytes| {
            let at = decode.binary_search_by_key(&order(code), |(code, _)| order(code));
            at.ok().map(|at| decode[at].1.as_str())
        };
        let encoded = map.encode.iter().filter_map(|(character, code)| {
            let text = text_of(code);
            let is_lost = text == Some(SUBSTITUTE) && *character != '\u{1A}';
            if code.is_empty() || is_lost || TAGS.contains(character) {
                return None;
            }
            let is_one_way = self.part == MapPart::UpToTwoBytes
                && text.is_none_or(|text| !text.contains(*character));
            let whole = is_one_way.then(|| code.clone());
            Some((*character, whole.or_else(|| self.part.code(code, true))?))
        });
        let encode: BTreeMap<char, CodeBytes> = encoded.collect();
        let codes: HashSet<&CodeBytes> = encode.values().collect();
        let decoded = decode.iter().filter_map(|(code, text)| {
            let code = self.part.code(code, false)?;
            self.part.includes(&code, &codes).then(|| (code, text.clone()))
        });
        CodeTable { decode: decoded.collect(), encode }
    }

    /// Whether characters that the map does not encode are not encoded, rather than elsewhere.
    pub fn is_complete(&self) -> bool {
        matches!(self.part, MapPart::AllCodes | MapPart::UpToTwoBytes)
    }

    pub fn is_decode_only(&self, code: &[u8]) -> bool {
        let number = code.iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
        self.decode_only.iter().any(|(first, last)| (*first..=*last).contains(&number))
    }
}

/// The order of the codes in a map.
fn order(code: &CodeBytes) -> (usize, &CodeBytes) {
    (code.len(), code)
}

/// Returns the codes after a prefix, in the order of a map.
fn shifted_codes(map: &EncodingMap, prefix: &[u8]) -> Vec<(CodeBytes, String)> {
    let cells = map.shifted.iter().filter(|cell| cell.prefix == prefix);
    // A converter that does not know a prefix passes it on as text.
    let known = cells.filter(|cell| !cell.text.starts_with('\u{1B}'));
    let codes: BTreeMap<_, _> = known.map(|cell| (order(&cell.code), &cell.text)).collect();
    codes.into_iter().map(|((_, code), text)| (code.clone(), text.clone())).collect()
}

impl MapPart {
    /// The code within this part, of a code of the map. That of an encoder may have shifts around it.
    fn code(self, code: &[u8], encoded: bool) -> Option<CodeBytes> {
        let within = match self {
            MapPart::AllCodes => code,
            MapPart::UpToTwoBytes => Some(code).filter(|code| code.len() <= 2)?,
            MapPart::OneByte => Some(code).filter(|code| code.len() == 1)?,
            MapPart::SevenBit => {
                let [lead @ 0xA1..=0xFE, trail] = code else { return None };
                return Some(vec![lead & 0x7F, trail & 0x7F]);
            }
            MapPart::Shifted(prefix, _) | MapPart::Encoded(prefix) if encoded => {
                let rest = code.strip_prefix(prefix)?;
                let mut after = 1..rest.len();
                let end = after.find(|at| matches!(rest[*at], 0x0F | 0x1B));
                &rest[..end.unwrap_or(rest.len())]
            }
            MapPart::Shifted(..) | MapPart::Encoded(_) => code,
        };
        Some(within.to_vec())
    }

    fn includes(self, code: &CodeBytes, encoded: &HashSet<&CodeBytes>) -> bool {
        match self {
            MapPart::Shifted(_, 0) => code[0].is_ascii(),
            MapPart::Shifted(_, 0x21) => matches!(code[0], 0x21..=0x7E),
            MapPart::Shifted(_, least) => code[0] >= least,
            MapPart::Encoded(_) => encoded.contains(code),
            _ => true,
        }
    }
}

/// Which bytes lead and which trail in the two-byte codes of an encoding.
pub struct CodeShape {
    pub leads: &'static [RangeInclusive<u8>],
    pub trails: &'static [RangeInclusive<u8>],
}
