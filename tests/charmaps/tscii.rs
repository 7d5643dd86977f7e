//! TSCII, whole: every two octets and what may go on behind them, every character, and every text that
//! has a code.

use std::collections::{BTreeMap, BTreeSet};

use charpipe::charset::{Charset, Settings, find};

use crate::archive;
use crate::codes::encoded;
use crate::map::Map;
use crate::single::{codes, decoded, pieces};

/// Letters that glibc writes without looking at what follows the last of them, which no map shows.
const APART: (&str, &[u8]) = ("\u{BB8}\u{BCD}\u{BB0}", b"\x8A\xC3");

fn tscii() -> (&'static Charset, Map) {
    (find("TSCII").expect("it is known"), archive::map("glibc/TSCII"))
}

/// What is encoded, and how.
fn texts(map: &Map) -> BTreeMap<String, Vec<u8>> {
    let single = map.encode.iter().map(|(character, code)| (character.to_string(), code.clone()));
    let composed = map.composed.iter().map(|(code, text)| (text.clone(), code.clone()));
    let sequences = map.sequences.iter().cloned();
    let apart = (APART.0.to_owned(), APART.1.to_vec());
    composed.chain(sequences).chain(single).chain([apart]).collect()
}

/// The slow, obvious encoder: the longest text that stands next.
fn written(texts: &BTreeMap<String, Vec<u8>>, text: &str) -> Option<Vec<u8>> {
    let mut octets = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let ends = (1..=rest.len()).rev().filter(|end| rest.is_char_boundary(*end));
        let (end, code) = ends.filter_map(|end| Some((end, texts.get(&rest[..end])?))).next()?;
        octets.extend_from_slice(code);
        rest = &rest[end..];
    }
    Some(octets)
}

#[test]
fn the_longest_code_that_the_map_has_is_decoded_and_no_other_octet_is() {
    let (charset, map) = tscii();
    let codes = codes(&map);
    let mut decoder = charset.decoder(&Settings::default());
    let two = (0..=0xFFFF_u16).map(|two| two.to_be_bytes().to_vec());
    let more = codes.keys().filter(|code| code.len() > 1);
    let three = more.flat_map(|code| (0..=0xFF).map(|byte| [code, &[byte][..]].concat()));
    for octets in two.chain(three) {
        assert_eq!(decoded(&mut *decoder, &octets), pieces(&codes, &octets), "{octets:02X?}");
    }
}

#[test]
fn every_character_is_encoded_as_the_map_has_it_or_not_at_all() {
    let (charset, map) = tscii();
    let mut encoder = charset.encoder(&Settings::default());
    for character in '\0'..=char::MAX {
        let made = encoded(&mut *encoder, character.encode_utf8(&mut [0; 4]));
        assert_eq!(made.as_ref(), map.encode.get(&character), "{character:?}");
    }
}

#[test]
fn the_longest_text_that_the_map_has_is_encoded_whatever_follows() {
    let (charset, map) = tscii();
    let texts = texts(&map);
    let mut encoder = charset.encoder(&Settings::default());
    let characters: BTreeSet<char> = map.encode.keys().copied().filter(|c| *c > 'y').collect();
    for (text, code) in &texts {
        assert_eq!(encoded(&mut *encoder, text).as_ref(), Some(code), "{text:?}");
        for character in &characters {
            let more = format!("{text}{character}");
            assert_eq!(encoded(&mut *encoder, &more), written(&texts, &more), "{more:?}");
        }
    }
}
