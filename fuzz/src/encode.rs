//! An encoder does the same whatever the pieces and the space, and what it writes reads back.
//!
//! Input: four bytes for the encoding and its options, one for the space, three for the sizes of
//! pieces, one for how often it is repeated, then the text.

use std::cell::RefCell;
use std::collections::HashMap;

use charpipe::EncodingSpec;
use charpipe::internals::encoding::BomHandling;

use super::cases::choose_case;
use super::driver::{Chunking, TestCodec, Transcript, drive};
use super::params::FuzzInput;

/// Bytes of text that are encoded at the most.
const MAX_TEXT_LEN: usize = 4096;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let encoding = &choose_case(&mut bytes).encoding;
    let manner = Chunking::from_input(&mut bytes);
    let mut text = String::from_utf8_lossy(&bytes.repeated()).into_owned();
    text.truncate(text.floor_char_boundary(MAX_TEXT_LEN));
    with_encoder(encoding, |encoder| {
        let whole = drive(encoder, text.as_bytes(), Chunking::WHOLE);
        assert_eq!(drive(encoder, text.as_bytes(), manner), whole, "{encoding} {manner:?}");
        if must_round_trip(encoding, &text) {
            check_round_trip(encoding, encoder, &text, &whole);
        }
    });
}

/// To make an encoder may mean to build its tables, so each is made once.
fn with_encoder(encoding: &EncodingSpec, run: impl FnOnce(&mut TestCodec)) {
    thread_local! {
        static ENCODERS: RefCell<HashMap<String, TestCodec>> = RefCell::default();
    }
    ENCODERS.with_borrow_mut(|encoders| {
        let make = || TestCodec::Encoder(encoding.encoding.encoder(&encoding.options));
        run(encoders.entry(encoding.to_string()).or_insert_with(make));
    });
}

/// An encoding, and the characters that may be read as others beside their neighbors.
type JoiningEncoding = (&'static str, fn(char) -> bool);

/// Encodings in which characters that each come back alone may be read as another one together: a
/// letter or a sign and the mark after it are composed, a sign goes to the letter that it is next
/// to, or the text looks like an escape. One has private characters that are read as others even
/// alone: libiconv 1.19, from which it is, writes them in rows that it reads as those of IBM.
const JOINING_ENCODINGS: &[JoiningEncoding] = &[
    ("CP1255", is_combining_mark),
    ("libiconv:CP1255", is_combining_mark),
    ("CP1258", is_combining_mark),
    ("TCVN5712-1", is_combining_mark),
    ("libiconv:TCVN", is_combining_mark),
    ("TSCII", |character| matches!(character, '\u{BBE}'..='\u{BD7}')),
    ("C99", |character| character == '\\'),
    ("JAVA", |character| character == '\\'),
    ("ISO-2022-JP-MS", |character| matches!(character, '\u{E178}'..='\u{E2EF}')),
];

/// Marks that composing encodings have: of Latin script and of Hebrew.
fn is_combining_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{5B0}'..='\u{5C7}')
}

/// Options may be for the encoder alone, such as how lines are folded, or for the decoder alone.
/// Header words are folded, and have a target of their own.
fn must_round_trip(encoding: &EncodingSpec, text: &str) -> bool {
    let name = encoding.encoding.name();
    let joins = JOINING_ENCODINGS
        .iter()
        .any(|(joining, joined)| *joining == name && text.contains(*joined));
    encoding.options.is_empty() && name != "RFC2047" && !joins
}

/// The output has no error, and decodes to characters with the same encoding. Where
/// each character by itself reads as it was, so does the text.
fn check_round_trip(
    encoding: &EncodingSpec,
    encoder: &mut TestCodec,
    text: &str,
    whole: &Transcript,
) {
    let mut decoder = TestCodec::Decoder(encoding.encoding.decoder(&encoding.options));
    let read = drive(&mut decoder, &whole.out, Chunking::WHOLE);
    assert_eq!(read.errors, [], "{encoding} reads {:X?}", whole.out);
    let kept = mappable_text(text, whole);
    // A decoded BOM is removed, and not every encoding that removes it writes one.
    if encoding.encoding.bom_handling == BomHandling::Detect && kept.starts_with('\u{FEFF}') {
        return;
    }
    let again = drive(encoder, &read.out, Chunking::WHOLE);
    assert_eq!(again.out, whole.out, "{encoding} {text:?} written again");
    let mut faithful = |character: char| {
        let mut space = [0; 4];
        let alone = character.encode_utf8(&mut space).as_bytes();
        let bytes = drive(encoder, alone, Chunking::WHOLE).out;
        drive(&mut decoder, &bytes, Chunking::WHOLE).out == alone
    };
    if kept.chars().all(&mut faithful) {
        assert_eq!(String::from_utf8_lossy(&read.out), kept, "{encoding} {:X?}", whole.out);
    }
}

/// The text without the characters that the transcript names as unmappable.
fn mappable_text(text: &str, transcript: &Transcript) -> String {
    let mut kept = String::new();
    let mut at = 0;
    for found in &transcript.errors {
        kept.push_str(&text[at..found.input_offset]);
        at = found.input_offset + found.next;
    }
    kept + &text[at..]
}
