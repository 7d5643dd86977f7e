//! Multi-byte encodings against their maps: every code, every malformed sequence, every character.

use std::collections::{BTreeMap, BTreeSet};

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};
use charpipe::internals::encoding::{EncodingOptions, for_label};

use charpipe_test_support::sample_stride;
use xtask::archive;
use xtask::map::{CodeBytes, EncodingMap};

/// One of this number of encodings is compared by default: that their tables are those of the maps is tested elsewhere,
/// too. `CHARPIPE_TEST_EXHAUSTIVE=1` compares all.
const ENCODING_STRIDE: usize = 5;

/// An encoding and the map that it must match.
pub const ENCODINGS: &[(&str, &str)] = &[
    ("EUC-JP", "glibc/EUC-JP"),
    ("EUC-JP-MS", "glibc/EUC-JP-MS"),
    ("EUC-JISX0213", "glibc/EUC-JISX0213"),
    ("EUC-JISX0213", "libiconv/EUC-JISX0213"),
    ("DEC-KANJI", "libiconv/DEC-KANJI"),
    ("SJIS", "glibc/SJIS"),
    ("CP932", "glibc/CP932"),
    ("IBM932", "glibc/IBM932"),
    ("IBM943", "glibc/IBM943"),
    ("Shift_JISX0213", "glibc/Shift_JISX0213"),
    ("whatwg:EUC-JP", "whatwg/EUC-JP"),
    ("whatwg:Shift_JIS", "whatwg/Shift_JIS"),
    ("libiconv:EUC-JP", "libiconv/EUC-JP"),
    ("libiconv:SHIFT_JIS", "libiconv/SHIFT_JIS"),
    ("libiconv:CP932", "libiconv/CP932"),
    ("libiconv:CP943", "libiconv/CP943"),
    ("libiconv:SHIFT_JISX0213", "libiconv/SHIFT_JISX0213"),
    ("EUC-KR", "glibc/EUC-KR"),
    ("UHC", "glibc/UHC"),
    ("JOHAB", "glibc/JOHAB"),
    ("JOHAB", "libiconv/JOHAB"),
    ("whatwg:EUC-KR", "whatwg/EUC-KR"),
    ("libiconv:EUC-KR", "libiconv/EUC-KR"),
    ("libiconv:CP949", "libiconv/CP949"),
    ("EUC-CN", "glibc/EUC-CN"),
    ("EUC-CN", "libiconv/EUC-CN"),
    ("GBK", "glibc/GBK"),
    ("CP936", "libiconv/CP936"),
    ("GB18030", "glibc-2.43/GB18030"),
    ("GB18030", "libiconv/GB18030:2022"),
    ("libiconv:GB18030", "libiconv/GB18030"),
    ("GB18030:2005", "glibc/GB18030"),
    ("whatwg:GBK", "whatwg/GBK"),
    ("whatwg:gb18030", "whatwg/gb18030"),
    ("libiconv:GBK", "libiconv/GBK"),
    ("BIG5", "glibc/BIG5"),
    ("BIG5-2003", "libiconv/BIG5-2003"),
    ("CP950", "libiconv/CP950"),
    ("BIG5HKSCS", "glibc/BIG5HKSCS"),
    ("BIG5-HKSCS:2004", "libiconv/BIG5-HKSCS:2004"),
    ("BIG5-HKSCS:2001", "libiconv/BIG5-HKSCS:2001"),
    ("BIG5-HKSCS:1999", "libiconv/BIG5-HKSCS:1999"),
    ("EUC-TW", "glibc/EUC-TW"),
    ("DEC-HANYU", "libiconv/DEC-HANYU"),
    ("whatwg:Big5", "whatwg/Big5"),
    ("libiconv:BIG5", "libiconv/BIG5"),
    ("libiconv:BIG5-HKSCS", "libiconv/BIG5-HKSCS"),
    ("libiconv:EUC-TW", "libiconv/EUC-TW"),
    ("JIS_X0208", "libiconv/JIS_X0208"),
    ("JIS_X0212", "libiconv/JIS_X0212"),
    ("GB_2312-80", "libiconv/GB_2312-80"),
    ("KSC_5601", "libiconv/KSC_5601"),
    ("ibm-971_P100-1995", "icu/ibm-971_P100-1995"),
    ("ISO-IR-165", "libiconv/ISO-IR-165"),
];

/// Decodes these bytes as a whole. Returns `None` for malformed bytes, and if they are only the
/// beginning of something.
pub fn decoded(decoder: &mut dyn DecodeStage, code: &[u8]) -> Option<String> {
    let mut dst = [0; 32];
    decoder.restore_state(State::INITIAL);
    let progress = decoder.decode(code, &mut dst, true);
    let text = || std::str::from_utf8(&dst[..progress.written]).expect("UTF-8").to_owned();
    (progress.status == Status::InputEmpty).then(text)
}

/// Whether [`decoded`] returns this text.
fn decodes_to(decoder: &mut dyn DecodeStage, code: &[u8], text: Option<&str>) -> bool {
    let mut dst = [0; 32];
    decoder.restore_state(State::INITIAL);
    let progress = decoder.decode(code, &mut dst, true);
    let found = (progress.status == Status::InputEmpty).then_some(&dst[..progress.written]);
    found == text.map(str::as_bytes)
}

pub fn encoded(encoder: &mut dyn EncodeStage, text: &str) -> Option<Vec<u8>> {
    let mut dst = [0; 32];
    encoder.restore_state(State::INITIAL);
    let progress = encoder.encode(text, &mut dst, true);
    (progress.status == Status::InputEmpty).then(|| dst[..progress.written].to_vec())
}

/// The bytes of a code of at most seven bytes as a number, with a 1 before them: compared a hundred times as fast as
/// slices are without optimization.
pub fn code_number(code: &[u8]) -> u64 {
    code.iter().fold(1, |number, byte| number << 8 | u64::from(*byte))
}

/// The texts of codes by the number of the code.
type CodeCells<'a> = BTreeMap<u64, &'a str>;

/// A walk through all codes and what lies between them.
struct CodeWalk<'a> {
    cells: &'a CodeCells<'a>,
    /// What longer codes begin with.
    prefixes: BTreeSet<u64>,
    /// The bytes that are tried at each position of a code: all at the first two, then those of some
    /// code and their neighbors.
    candidates: [Vec<u8>; 4],
}

impl<'a> CodeWalk<'a> {
    fn new(codes: &'a [(CodeBytes, String)], cells: &'a CodeCells<'a>) -> CodeWalk<'a> {
        let tried = std::array::from_fn(|position| {
            let known: BTreeSet<u8> =
                codes.iter().filter_map(|(code, _)| code.get(position).copied()).collect();
            let near = |byte: &u8| {
                (byte.saturating_sub(1)..=byte.saturating_add(1)).any(|b| known.contains(&b))
            };
            (0..=0xFF).filter(|byte| position < 2 || near(byte)).collect()
        });
        let prefixes =
            codes.iter().flat_map(|(code, _)| (1..code.len()).map(|len| code_number(&code[..len])));
        CodeWalk { cells, prefixes: prefixes.collect(), candidates: tried }
    }

    /// Tries every byte after these, and goes on after those that begin a longer code, or may.
    fn walk(&self, lead: &[u8], check: &mut dyn FnMut(&[u8], Option<&str>)) {
        let Some(tried) = self.candidates.get(lead.len()) else { return };
        for byte in tried {
            let code = [lead, &[*byte]].concat();
            let text = self.cells.get(&code_number(&code)).copied();
            check(&code, text);
            if text.is_none() && (self.prefixes.contains(&code_number(&code)) || lead.is_empty()) {
                self.walk(&code, check);
            }
        }
    }
}

/// The mappings that charpipe omits: replacements that a converter writes.
pub fn is_substitute(cells: &CodeCells, character: char, code: &[u8]) -> bool {
    code.is_empty() || character != '\u{1A}' && cells.get(&code_number(code)) == Some(&"\u{1A}")
}

fn wrong_codes(decoder: &mut dyn DecodeStage, map: &EncodingMap, cells: &CodeCells) -> Vec<String> {
    let mut wrong = Vec::new();
    CodeWalk::new(&map.decode, cells).walk(&[], &mut |code, text| {
        if !decodes_to(decoder, code, text) {
            let made = decoded(decoder, code);
            wrong.push(format!("{code:02X?} {made:?} for {text:?}"));
        }
    });
    wrong
}

/// Returns every character that is mapped, the first of each plane, such as tags, and a sample of the rest: more of the
/// planes that tables map. `CHARPIPE_TEST_EXHAUSTIVE=1` returns all.
pub fn scalars_to_encode(map: &EncodingMap) -> impl Iterator<Item = char> + '_ {
    let (step, far_step) = (sample_stride(37) as u32, sample_stride(251) as u32);
    let mut mapped = map.encode.keys().copied().peekable();
    ('\0'..=char::MAX).filter(move |character| {
        let code = u32::from(*character);
        let is_mapped = mapped.next_if_eq(character).is_some();
        code % 0x1_0000 < 0x100
            || code.is_multiple_of(if code < 0x3_0000 { step } else { far_step })
            || is_mapped
    })
}

fn wrong_characters(
    encoder: &mut dyn EncodeStage,
    map: &EncodingMap,
    cells: &CodeCells,
) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut codes = map.encode.iter().peekable();
    for character in scalars_to_encode(map) {
        let mapped = codes.next_if(|(mapped, _)| **mapped == character).map(|(_, code)| code);
        let mapped = mapped.filter(|code| !is_substitute(cells, character, code));
        let made = encoded(encoder, character.encode_utf8(&mut [0; 4]));
        if made.as_ref() != mapped {
            wrong.push(format!("{character:?} {made:02X?} for {mapped:02X?}"));
        }
    }
    for (text, code) in &map.sequences {
        let made = encoded(encoder, text);
        if made.as_ref() != Some(code) {
            wrong.push(format!("{text:?} {made:02X?} for {code:02X?}"));
        }
    }
    wrong
}

#[test]
fn codes_and_characters_match_the_maps() {
    for (name, truth) in ENCODINGS.iter().step_by(sample_stride(ENCODING_STRIDE)) {
        let encoding = for_label(name).unwrap_or_else(|| panic!("{name} is not supported"));
        let options = EncodingOptions::default();
        let map = archive::map(truth);
        let cells = map.decode.iter().map(|(code, text)| (code_number(code), &text[..])).collect();
        let codes = wrong_codes(&mut *encoding.decoder(&options), &map, &cells);
        let characters = wrong_characters(&mut *encoding.encoder(&options), &map, &cells);
        for (wrong, what) in [(codes, "codes"), (characters, "characters")] {
            let shown = &wrong[..wrong.len().min(10)];
            assert!(wrong.is_empty(), "{name} {truth}: {} {what} wrong, {shown:?}", wrong.len());
        }
    }
}
