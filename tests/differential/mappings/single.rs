//! Single-byte encodings: every byte, every pair of bytes if they may compose, and every scalar value.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use charpipe::internals::codec::{DecodeStage, Status};
use charpipe::internals::encoding::{Encoding, EncodingOptions, for_label};

use charpipe_test_support::sample_stride;
use xtask::archive;
use xtask::encodings::{self, Section, SectionKind};
use xtask::map::{CodeBytes, EncodingMap};

/// The stride of scalar values above U+FFFF for an encoding whose codec another has tested.
const SUPPLEMENTARY_STRIDE: usize = 251;

/// Decoded text, or malformed bytes of this length.
pub type DecodedPieces = Vec<Result<String, usize>>;

fn sections() -> Vec<Section> {
    let sections = encodings::single_byte().unwrap();
    assert!(sections.len() > 292);
    sections
}

/// Returns the map of an encoding: that of another converter, else the mapping in the data file, which
/// then names its source.
fn expected_map(section: &Section) -> EncodingMap {
    archive::reference_map(&section.name).unwrap_or_else(|| section.mapping.to_map())
}

fn for_each_map(check: impl Fn(&str, &'static Encoding, &EncodingMap)) {
    for section in sections() {
        let name = &section.name[..];
        let encoding = for_label(name).unwrap_or_else(|| panic!("{name} is not known"));
        assert_eq!(encoding.name(), name);
        check(name, encoding, &expected_map(&section));
    }
}

#[test]
fn data_files_match_the_maps_of_other_converters() {
    let mut compared = 0;
    for Section { name, kind, source, mapping, .. } in sections() {
        let own = mapping.to_map();
        let Some(map) = archive::reference_map(&name) else {
            assert!(kind == SectionKind::Encoding && source.is_some(), "{name} names no source");
            continue;
        };
        compared += 1;
        assert!(source.is_none(), "{name}: the map says where the mapping comes from");
        let sorted = |codes: &[(CodeBytes, String)]| BTreeSet::from_iter(codes.to_vec());
        assert_eq!(sorted(&own.decode), sorted(&map.decode), "{name}");
        assert_eq!(sorted(&own.composed), sorted(&map.composed), "{name}");
        assert_eq!(own.encode, map.encode, "{name}");
    }
    assert!(compared > 292);
}

#[test]
fn bytes_decode_as_mapped() {
    for_each_map(|name, encoding, map| {
        let codes = codes(map);
        let mut decoder = encoding.decoder(&EncodingOptions::default());
        for byte in 0..=0xFF {
            let expected = reference_decode(&codes, &[byte]);
            assert_eq!(decoded(&mut *decoder, &[byte]), expected, "{name} {byte:02X}");
        }
        // In a long text, where bytes are decoded in bulk.
        let all: Vec<u8> = (0..=0xFF).chain((0..=0xFF).rev()).collect();
        assert_eq!(decoded(&mut *decoder, &all), reference_decode(&codes, &all), "{name}");
    });
}

#[test]
fn combining_marks_compose_as_mapped() {
    for_each_map(|name, encoding, map| {
        let codes = codes(map);
        if codes.keys().all(|code| code.len() == 1) {
            return;
        }
        let mut decoder = encoding.decoder(&EncodingOptions::default());
        let two = (0..=0xFFFF_u16).map(|two| two.to_be_bytes().to_vec());
        let marks: BTreeSet<u8> = codes.keys().filter_map(|code| code.get(1).copied()).collect();
        let more = codes
            .keys()
            .flat_map(|code| marks.iter().map(|mark| [&code[..], &[*mark, b'A'], code].concat()));
        for input in two.chain(more) {
            let expected = reference_decode(&codes, &input);
            assert_eq!(decoded(&mut *decoder, &input), expected, "{name} {input:02X?}");
        }
    });
}

#[test]
fn scalar_values_encode_as_mapped() {
    let engines = RefCell::new(BTreeSet::new());
    for_each_map(|name, encoding, map| {
        let mut encoder = encoding.encoder(&EncodingOptions::default());
        let mut utf8 = [0; 4];
        let mut space = [0; 8];
        // No table has characters above U+FFFF, so these depend on the codec only.
        let is_first = engines.borrow_mut().insert(encoding.factory.engine());
        let above = ('\u{10000}'..=char::MAX).step_by(if is_first {
            sample_stride(7)
        } else {
            SUPPLEMENTARY_STRIDE
        });
        for character in ('\0'..='\u{FFFF}').chain(above) {
            let text = character.encode_utf8(&mut utf8);
            let progress = encoder.encode(text, &mut space, true);
            let encoded = match progress.status {
                Status::InputEmpty => Some(&space[..progress.written]),
                _ => None,
            };
            let expected = map.encode.get(&character).map(|code| &code[..]);
            assert_eq!(encoded, expected, "{name} U+{:04X}", u32::from(character));
        }
    });
}

#[test]
fn whole_repertoire_is_encoded_in_one_call() {
    for_each_map(|name, encoding, map| {
        let mut encoder = encoding.encoder(&EncodingOptions::default());
        let text: String = map.encode.keys().chain(map.encode.keys().rev()).collect();
        let expected =
            text.chars().map(|character| &map.encode[&character][..]).collect::<Vec<_>>();
        let mut space = vec![0; text.len() * 3];
        let progress = encoder.encode(&text, &mut space, true);
        assert_eq!(progress.status, Status::InputEmpty, "{name}");
        assert_eq!(space[..progress.written], expected.concat(), "{name}");
    });
}

/// Returns everything that decodes, sequences with accents and combining marks included.
pub fn codes(map: &EncodingMap) -> BTreeMap<&[u8], &str> {
    let all = map.decode.iter().chain(&map.composed);
    all.map(|(code, text)| (&code[..], &text[..])).collect()
}

/// The reference decoder: takes the longest code, else one malformed byte.
pub fn reference_decode(codes: &BTreeMap<&[u8], &str>, mut bytes: &[u8]) -> DecodedPieces {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        let longest = (1..=bytes.len().min(3)).rev().find(|len| codes.contains_key(&bytes[..*len]));
        pieces.push(longest.map(|len| codes[&bytes[..len]].to_owned()).ok_or(1));
        bytes = &bytes[longest.unwrap_or(1)..];
    }
    join_text(pieces)
}

/// Returns what a decoder makes of the bytes.
pub fn decoded(decoder: &mut dyn DecodeStage, mut bytes: &[u8]) -> DecodedPieces {
    let mut pieces = Vec::new();
    let mut space = vec![0; bytes.len() * 12];
    loop {
        let progress = decoder.decode(bytes, &mut space, true);
        pieces.push(Ok(String::from_utf8(space[..progress.written].to_vec()).unwrap()));
        bytes = &bytes[progress.read..];
        match progress.status {
            Status::Error(error) => {
                pieces.push(Err(error.len));
                bytes = &bytes[error.resume_len..];
            }
            _ => break,
        }
    }
    assert!(bytes.is_empty(), "bytes are left at the end");
    join_text(pieces)
}

/// Joins adjacent texts.
fn join_text(pieces: DecodedPieces) -> DecodedPieces {
    let mut joined: DecodedPieces = Vec::new();
    for piece in pieces.into_iter().filter(|piece| *piece != Ok(String::new())) {
        match (joined.last_mut(), piece) {
            (Some(Ok(text)), Ok(more)) => text.push_str(&more),
            (_, piece) => joined.push(piece),
        }
    }
    joined
}
