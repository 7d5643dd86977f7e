//! TSCII, whole: every two bytes and what may go on after them, every character, and every text that
//! has a code.

use std::collections::{BTreeMap, BTreeSet};

use charpipe::internals::encoding::{Encoding, EncodingOptions, for_label};

use crate::mappings::multi_byte::encoded;
use crate::mappings::single::{codes, decoded, reference_decode};
use xtask::archive;
use xtask::map::EncodingMap;

/// Letters that glibc writes without looking at what follows the last of them, which no map shows.
const EXCLUDED_SEQUENCE: (&str, &[u8]) = ("\u{BB8}\u{BCD}\u{BB0}", b"\x8A\xC3");

fn tscii() -> (&'static Encoding, EncodingMap) {
    (for_label("TSCII").expect("it is known"), archive::map("glibc/TSCII"))
}

/// Texts and their codes.
fn encodable_texts(map: &EncodingMap) -> BTreeMap<String, Vec<u8>> {
    let single = map.encode.iter().map(|(character, code)| (character.to_string(), code.clone()));
    let composed = map.composed.iter().map(|(code, text)| (text.clone(), code.clone()));
    let sequences = map.sequences.iter().cloned();
    let apart = (EXCLUDED_SEQUENCE.0.to_owned(), EXCLUDED_SEQUENCE.1.to_vec());
    composed.chain(sequences).chain(single).chain([apart]).collect()
}

/// The reference encoder: takes the longest text.
fn reference_encode(texts: &BTreeMap<String, Vec<u8>>, text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let ends = (1..=rest.len()).rev().filter(|end| rest.is_char_boundary(*end));
        let (end, code) = ends.filter_map(|end| Some((end, texts.get(&rest[..end])?))).next()?;
        bytes.extend_from_slice(code);
        rest = &rest[end..];
    }
    Some(bytes)
}

#[test]
fn longest_mapped_codes_are_decoded() {
    let (encoding, map) = tscii();
    let codes = codes(&map);
    let mut decoder = encoding.decoder(&EncodingOptions::default());
    let two = (0..=0xFFFF_u16).map(|two| two.to_be_bytes().to_vec());
    let more = codes.keys().filter(|code| code.len() > 1);
    let three = more.flat_map(|code| (0..=0xFF).map(|byte| [code, &[byte][..]].concat()));
    for bytes in two.chain(three) {
        assert_eq!(
            decoded(&mut *decoder, &bytes),
            reference_decode(&codes, &bytes),
            "{bytes:02X?}"
        );
    }
}

#[test]
fn characters_encode_as_mapped() {
    let (encoding, map) = tscii();
    let mut encoder = encoding.encoder(&EncodingOptions::default());
    for character in '\0'..=char::MAX {
        let made = encoded(&mut *encoder, character.encode_utf8(&mut [0; 4]));
        assert_eq!(made.as_ref(), map.encode.get(&character), "{character:?}");
    }
}

#[test]
fn longest_mapped_sequence_is_encoded() {
    let (encoding, map) = tscii();
    let texts = encodable_texts(&map);
    let mut encoder = encoding.encoder(&EncodingOptions::default());
    let characters: BTreeSet<char> = map.encode.keys().copied().filter(|c| *c > 'y').collect();
    for (text, code) in &texts {
        assert_eq!(encoded(&mut *encoder, text).as_ref(), Some(code), "{text:?}");
        for character in &characters {
            let more = format!("{text}{character}");
            assert_eq!(encoded(&mut *encoder, &more), reference_encode(&texts, &more), "{more:?}");
        }
    }
}
