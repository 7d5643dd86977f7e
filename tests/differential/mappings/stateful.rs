//! Stateful encodings against their maps: every code of every state, every unmapped pair, every
//! character.

use std::collections::{BTreeSet, HashMap};

use charpipe::internals::encoding::{EncodingOptions, for_label};

use crate::mappings::multi_byte::{
    code_number, decoded, encoded, is_substitute, scalars_to_encode,
};
use xtask::archive;
use xtask::map::{EncodingMap, ShiftedCell};

/// An encoding and the map that it must match.
pub const ENCODINGS: &[(&str, &str)] = &[
    ("ISO-2022-JP", "glibc/ISO-2022-JP"),
    ("ISO-2022-JP", "libiconv/ISO-2022-JP"),
    ("ISO-2022-JP-1", "libiconv/ISO-2022-JP-1"),
    ("ISO-2022-JP-2", "glibc/ISO-2022-JP-2"),
    ("ISO-2022-JP-3", "glibc/ISO-2022-JP-3"),
    ("ISO-2022-JP-MS", "libiconv/ISO-2022-JP-MS"),
    ("ISO-2022-KR", "glibc/ISO-2022-KR"),
    ("ISO-2022-CN", "glibc/ISO-2022-CN"),
    ("ISO-2022-CN-EXT", "glibc/ISO-2022-CN-EXT"),
    ("HZ", "libiconv/HZ"),
    ("libiconv:ISO-2022-JP-3", "libiconv/ISO-2022-JP-3"),
    ("libiconv:ISO-2022-KR", "libiconv/ISO-2022-KR"),
    ("libiconv:ISO-2022-CN", "libiconv/ISO-2022-CN"),
    ("libiconv:ISO-2022-CN-EXT", "libiconv/ISO-2022-CN-EXT"),
    ("IBM930", "glibc/IBM930"),
    ("IBM933", "glibc/IBM933"),
    ("IBM935", "glibc/IBM935"),
    ("IBM937", "glibc/IBM937"),
    ("IBM939", "glibc/IBM939"),
    ("IBM1364", "glibc/IBM1364"),
    ("IBM1371", "glibc/IBM1371"),
    ("IBM1388", "glibc/IBM1388"),
    ("IBM1390", "glibc/IBM1390"),
    ("IBM1399", "glibc/IBM1399"),
];

const ESCAPE: u8 = 0x1B;
const SHIFT_OUT: u8 = 0x0E;
const SHIFT_IN: u8 = 0x0F;
const SINGLE_SHIFTS: &[&[u8]] = &[b"\x1BN", b"\x1BO"];

/// Returns whether charpipe leaves a cell out: an unknown escape sequence passed on as text, and bytes with the
/// high bit in a seven-bit encoding.
fn is_excluded(name: &str, code: &[u8], text: &str) -> bool {
    let seven = name.contains("ISO-2022") || name == "HZ";
    text.contains('\u{1B}') || seven && code.iter().any(|byte| *byte >= 0x80)
}

fn wrong_cells(name: &str, map: &EncodingMap) -> Vec<String> {
    let mut decoder = for_label(name).expect("it is known").decoder(&EncodingOptions::default());
    let first = map.decode.iter().map(|(code, text)| (&[][..], code, text));
    let shifted =
        map.shifted.iter().map(|ShiftedCell { prefix, code, text }| (&prefix[..], code, text));
    let mut wrong = Vec::new();
    for (prefix, code, text) in first.chain(shifted) {
        let made = decoded(&mut *decoder, &[prefix, code].concat());
        if !is_excluded(name, code, text) && made.as_ref() != Some(text) {
            wrong.push(format!("{prefix:02X?} {code:02X?} {made:?} for {text:?}"));
        }
    }
    wrong
}

/// Pairs that decode after a prefix of two-byte codes though the map has none.
fn wrong_pairs(name: &str, map: &EncodingMap) -> Vec<String> {
    let mut decoder = for_label(name).expect("it is known").decoder(&EncodingOptions::default());
    let known = |cell: &&ShiftedCell| cell.code.len() == 2 && !cell.text.starts_with('\u{1B}');
    let cells: HashMap<(&[u8], &[u8]), &str> = map
        .shifted
        .iter()
        .filter(known)
        .map(|cell| ((&cell.prefix[..], &cell.code[..]), &cell.text[..]))
        .collect();
    let prefixes: BTreeSet<&[u8]> = cells.keys().map(|(prefix, _)| *prefix).collect();
    let bytes = if name.starts_with("IBM") { 0..=0xFF_u8 } else { 0x21..=0x7E };
    let shift = |byte: u8| matches!(byte, SHIFT_OUT | SHIFT_IN | ESCAPE | b'~');
    let mut wrong = Vec::new();
    for prefix in prefixes {
        for lead in bytes.clone().filter(|byte| !shift(*byte)) {
            for trail in bytes.clone() {
                let made = decoded(&mut *decoder, &[prefix, &[lead, trail]].concat());
                if made.as_deref() != cells.get(&(prefix, &[lead, trail])).copied() {
                    wrong.push(format!("{prefix:02X?} {lead:02X}{trail:02X} {made:?}"));
                }
            }
        }
    }
    wrong
}

/// The bytes that charpipe writes where the map has these, if any.
///
/// A character that begins a sequence has no code, but for HZ's tilde, which RFC 1843 doubles. No SI
/// follows a single shift, which holds for one character.
fn expected_bytes(name: &str, character: char, mapped: Option<&Vec<u8>>) -> Option<Vec<u8>> {
    let mapped = mapped?;
    let last = mapped.strip_suffix(&[SHIFT_IN]);
    let after_four =
        |rest: &[u8], shift: &[u8]| rest.get(4..).is_some_and(|r| r.starts_with(shift));
    let single = last.filter(|rest| SINGLE_SHIFTS.iter().any(|shift| after_four(rest, shift)));
    let shifts: &[char] = match name.trim_start_matches("libiconv:") {
        "ISO-2022-KR" | "ISO-2022-CN" | "ISO-2022-CN-EXT" => &['\u{E}', '\u{F}', '\u{1B}'],
        "HZ" if character == '~' => return Some(b"~~".to_vec()),
        "HZ" if character > '\x7F' && mapped.len() == 1 => return None,
        "HZ" => &[],
        _ if name.contains("ISO-2022") => &['\u{1B}'],
        _ => &['\u{E}', '\u{F}'],
    };
    let tag = matches!(character, '\u{E0000}'..='\u{E007F}');
    let coded = !(tag || shifts.contains(&character));
    coded.then(|| single.unwrap_or(mapped).to_vec())
}

fn wrong_characters(name: &str, map: &EncodingMap) -> Vec<String> {
    let mut encoder = for_label(name).expect("it is known").encoder(&EncodingOptions::default());
    let cells = map.decode.iter().map(|(code, text)| (code_number(code), &text[..])).collect();
    let mut wrong = Vec::new();
    for character in scalars_to_encode(map) {
        let mapped = map.encode.get(&character);
        let mapped = mapped.filter(|code| !is_substitute(&cells, character, code));
        let wanted = expected_bytes(name, character, mapped);
        let made = encoded(&mut *encoder, character.encode_utf8(&mut [0; 4]));
        if made != wanted {
            wrong.push(format!("{character:?} {made:02X?} for {wanted:02X?}"));
        }
    }
    let pairs = map.sequences.iter().filter(|(text, _)| !text.contains('\u{1B}'));
    for (text, code) in pairs {
        let made = encoded(&mut *encoder, text);
        if made.as_ref() != Some(code) {
            wrong.push(format!("{text:?} {made:02X?} for {code:02X?}"));
        }
    }
    wrong
}

fn assert_all_match(wrong: fn(&str, &EncodingMap) -> Vec<String>) {
    let mut failures = Vec::new();
    for (name, truth) in ENCODINGS {
        let wrong = wrong(name, &archive::map(truth));
        if !wrong.is_empty() {
            failures.push(format!(
                "{name} {truth}: {} {:?}",
                wrong.len(),
                &wrong[..wrong.len().min(6)]
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn codes_of_every_state_decode_as_mapped() {
    assert_all_match(wrong_cells);
}

#[test]
fn unmapped_pairs_do_not_decode_in_two_byte_states() {
    assert_all_match(wrong_pairs);
}

#[test]
fn characters_encode_as_mapped_with_their_shifts() {
    assert_all_match(wrong_characters);
}

/// ISO-2022-JP of the Encoding Standard has no map of its own: its index is that of EUC-JP.
#[test]
fn euc_jp_and_iso_2022_jp_share_one_index() {
    let map = archive::map("whatwg/EUC-JP");
    let encoding = for_label("whatwg:ISO-2022-JP").expect("it is known");
    let mut decoder = encoding.decoder(&EncodingOptions::default());
    let mut encoder = encoding.encoder(&EncodingOptions::default());
    let mut pairs = 0;
    for (code, text) in &map.decode {
        let [lead @ 0xA1..=0xFE, trail] = code[..] else { continue };
        let seven = [b"\x1B$B", &[lead & 0x7F, trail & 0x7F][..]].concat();
        assert_eq!(decoded(&mut *decoder, &seven).as_ref(), Some(text), "{code:02X?}");
        let character = text.chars().next().expect("a text is not empty");
        if map.encode.get(&character) == Some(code) {
            let whole = [&seven[..], b"\x1B(B"].concat();
            assert_eq!(encoded(&mut *encoder, text), Some(whole), "{text:?}");
        }
        pairs += 1;
    }
    assert!(pairs > 7000);
}
