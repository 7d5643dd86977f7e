//! The 8-bit charsets, whole: every byte, every two bytes where one may change the other, and every
//! scalar value.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use charpipe::charset::{self, Settings};
use charpipe::codec::{Decoder, Stop};

use crate::map::Map;
use crate::sheet;

/// One of so many scalar values above U+FFFF is enough for a charset that shares its engine.
const SPARSELY: usize = 251;

/// What bytes are: text, or an offender of so many bytes.
pub type Pieces = Vec<Result<String, usize>>;

fn every(check: impl Fn(&str, &'static charset::Charset, &Map)) {
    let mut names = sheet::names();
    assert!(names.len() > 290);
    names.extend(["US-ASCII".to_owned(), "ISO-8859-1".to_owned()]);
    for name in names {
        let charset = charset::find(&name).unwrap_or_else(|| panic!("{name} is not known"));
        assert_eq!(charset.name, name);
        check(&name, charset, &sheet::truth(&name));
    }
}

#[test]
fn every_byte_decodes_to_what_the_truth_has_and_no_other_byte_decodes() {
    every(|name, charset, map| {
        let codes = codes(map);
        let mut decoder = charset.decoder(&Settings::default());
        for byte in 0..=0xFF {
            let expected = pieces(&codes, &[byte]);
            assert_eq!(decoded(&mut *decoder, &[byte]), expected, "{name} {byte:02X}");
        }
        // In a long text, where bytes are decoded in bulk.
        let all: Vec<u8> = (0..=0xFF).chain((0..=0xFF).rev()).collect();
        assert_eq!(decoded(&mut *decoder, &all), pieces(&codes, &all), "{name}");
    });
}

#[test]
fn accents_and_marks_join_with_what_the_truth_joins_them_with_and_nothing_else() {
    every(|name, charset, map| {
        let codes = codes(map);
        if codes.keys().all(|code| code.len() == 1) {
            return;
        }
        let mut decoder = charset.decoder(&Settings::default());
        let two = (0..=0xFFFF_u16).map(|two| two.to_be_bytes().to_vec());
        let marks: BTreeSet<u8> = codes.keys().filter_map(|code| code.get(1).copied()).collect();
        let more = codes
            .keys()
            .flat_map(|code| marks.iter().map(|mark| [&code[..], &[*mark, b'A'], code].concat()));
        for input in two.chain(more) {
            let expected = pieces(&codes, &input);
            assert_eq!(decoded(&mut *decoder, &input), expected, "{name} {input:02X?}");
        }
    });
}

#[test]
fn every_scalar_value_is_encoded_as_the_truth_has_it_or_not_at_all() {
    let engines = RefCell::new(BTreeSet::new());
    every(|name, charset, map| {
        let mut encoder = charset.encoder(&Settings::default());
        let mut utf8 = [0; 4];
        let mut room = [0; 8];
        // No table goes beyond U+FFFF, so what is above is the engine's alone.
        let is_first = engines.borrow_mut().insert(charset.codecs.engine());
        let above = ('\u{10000}'..=char::MAX).step_by(if is_first { 1 } else { SPARSELY });
        for character in ('\0'..='\u{FFFF}').chain(above) {
            let text = character.encode_utf8(&mut utf8);
            let progress = encoder.encode(text, &mut room, true);
            let encoded = match progress.stop {
                Stop::Input => Some(&room[..progress.written]),
                _ => None,
            };
            let expected = map.encode.get(&character).map(|code| &code[..]);
            assert_eq!(encoded, expected, "{name} U+{:04X}", u32::from(character));
        }
    });
}

#[test]
fn all_that_a_charset_has_is_encoded_in_one_go() {
    every(|name, charset, map| {
        let mut encoder = charset.encoder(&Settings::default());
        let text: String = map.encode.keys().chain(map.encode.keys().rev()).collect();
        let expected =
            text.chars().map(|character| &map.encode[&character][..]).collect::<Vec<_>>();
        let mut room = vec![0; text.len() * 3];
        let progress = encoder.encode(&text, &mut room, true);
        assert_eq!(progress.stop, Stop::Input, "{name}");
        assert_eq!(room[..progress.written], expected.concat(), "{name}");
    });
}

/// Everything that means something, accents and marks included.
pub fn codes(map: &Map) -> BTreeMap<&[u8], &str> {
    let all = map.decode.iter().chain(&map.composed);
    all.map(|(code, text)| (&code[..], &text[..])).collect()
}

/// The slow, obvious decoder: the longest code that stands next, else one bad byte.
pub fn pieces(codes: &BTreeMap<&[u8], &str>, mut bytes: &[u8]) -> Pieces {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let longest = (1..=bytes.len().min(3)).rev().find(|len| codes.contains_key(&bytes[..*len]));
        pieces.push(longest.map(|len| codes[&bytes[..len]].to_owned()).ok_or(1));
        bytes = &bytes[longest.unwrap_or(1)..];
    }
    joined(pieces)
}

/// What a decoder makes of the same.
pub fn decoded(decoder: &mut dyn Decoder, mut bytes: &[u8]) -> Pieces {
    let mut pieces = Vec::new();
    let mut room = vec![0; bytes.len() * 12];
    loop {
        let progress = decoder.decode(bytes, &mut room, true);
        pieces.push(Ok(String::from_utf8(room[..progress.written].to_vec()).unwrap()));
        bytes = &bytes[progress.read..];
        match progress.stop {
            Stop::Fault(fault) => {
                pieces.push(Err(fault.len));
                bytes = &bytes[fault.next..];
            }
            _ => break,
        }
    }
    assert!(bytes.is_empty(), "leaves something unread at the end");
    joined(pieces)
}

/// Texts that stand side by side as one.
fn joined(pieces: Pieces) -> Pieces {
    let mut joined: Pieces = Vec::new();
    for piece in pieces.into_iter().filter(|piece| *piece != Ok(String::new())) {
        match (joined.last_mut(), piece) {
            (Some(Ok(text)), Ok(more)) => text.push_str(&more),
            (_, piece) => joined.push(piece),
        }
    }
    joined
}
