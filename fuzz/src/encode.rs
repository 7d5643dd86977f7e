//! An encoder does the same whatever the pieces and the room, and what it writes reads back.
//!
//! Input: four bytes for the charset and its options, one for the room, three for the sizes of
//! pieces, one for how often it is repeated, then the text.

use std::cell::RefCell;
use std::collections::HashMap;

use charpipe::charset::Mark;
use charpipe::plan::Encoding;

use super::bytes::Bytes;
use super::subject::subject;
use super::walk::{Codec, Manner, Transcript};

/// Bytes of text that are encoded at the most.
const LONGEST: usize = 4096;

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let encoding = &subject(&mut bytes).encoding;
    let manner = Manner::chosen(&mut bytes);
    let mut text = String::from_utf8_lossy(&bytes.repeated()).into_owned();
    text.truncate(text.floor_char_boundary(LONGEST));
    with_encoder(encoding, |encoder| {
        let whole = encoder.walk(text.as_bytes(), Manner::WHOLE);
        assert_eq!(encoder.walk(text.as_bytes(), manner), whole, "{encoding} {manner:?}");
        if promises_to_come_back(encoding, &text) {
            comes_back(encoding, encoder, &text, &whole);
        }
    });
}

/// To make an encoder may mean to build its tables, so each is made once.
fn with_encoder(encoding: &Encoding, run: impl FnOnce(&mut Codec)) {
    thread_local! {
        static ENCODERS: RefCell<HashMap<String, Codec>> = RefCell::default();
    }
    ENCODERS.with_borrow_mut(|encoders| {
        let make = || Codec::Encoder(encoding.charset.encoder(&encoding.settings));
        run(encoders.entry(encoding.to_string()).or_insert_with(make));
    });
}

/// A charset, and the characters that may be read as others beside their neighbours.
type Joining = (&'static str, fn(char) -> bool);

/// Charsets in which characters that each come back alone may be read as another one together: a
/// letter or a sign and the mark behind it are composed, a sign goes to the letter that it stands next
/// to, or the text looks like an escape. One has private characters that are read as others even
/// alone: libiconv 1.19, from which it is, writes them in rows that it reads as those of IBM.
const JOINING: &[Joining] = &[
    ("CP1255", is_mark),
    ("libiconv:CP1255", is_mark),
    ("CP1258", is_mark),
    ("TCVN5712-1", is_mark),
    ("libiconv:TCVN", is_mark),
    ("TSCII", |character| matches!(character, '\u{BBE}'..='\u{BD7}')),
    ("C99", |character| character == '\\'),
    ("JAVA", |character| character == '\\'),
    ("ISO-2022-JP-MS", |character| matches!(character, '\u{E178}'..='\u{E2EF}')),
];

/// Marks that composing charsets have: of Latin script and of Hebrew.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{5B0}'..='\u{5C7}')
}

/// Options may be for the encoder alone, such as how lines are folded, or for the decoder alone.
/// Header words are folded, and have a target of their own.
fn promises_to_come_back(encoding: &Encoding, text: &str) -> bool {
    let name = encoding.charset.name;
    let joins = JOINING.iter().any(|(joining, joined)| *joining == name && text.contains(*joined));
    encoding.settings.is_empty() && name != "RFC2047" && !joins
}

/// What was written has no fault, and reads as characters that are written in the same way. Where
/// each character by itself reads as it was, so does the text.
fn comes_back(encoding: &Encoding, encoder: &mut Codec, text: &str, whole: &Transcript) {
    let mut decoder = Codec::Decoder(encoding.charset.decoder(&encoding.settings));
    let read = decoder.walk(&whole.out, Manner::WHOLE);
    assert_eq!(read.found, [], "{encoding} reads {:X?}", whole.out);
    let kept = mappable(text, whole);
    // What is read as a mark is dropped, and not every charset that does so writes one.
    if encoding.charset.mark == Mark::Obeyed && kept.starts_with('\u{FEFF}') {
        return;
    }
    let again = encoder.walk(&read.out, Manner::WHOLE);
    assert_eq!(again.out, whole.out, "{encoding} {text:?} written again");
    let mut faithful = |character: char| {
        let mut space = [0; 4];
        let alone = character.encode_utf8(&mut space).as_bytes();
        let octets = encoder.walk(alone, Manner::WHOLE).out;
        decoder.walk(&octets, Manner::WHOLE).out == alone
    };
    if kept.chars().all(&mut faithful) {
        assert_eq!(String::from_utf8_lossy(&read.out), kept, "{encoding} {:X?}", whole.out);
    }
}

/// The text without the characters that the transcript names as unmappable.
fn mappable(text: &str, transcript: &Transcript) -> String {
    let mut kept = String::new();
    let mut at = 0;
    for found in &transcript.found {
        kept.push_str(&text[at..found.at]);
        at = found.at + found.next;
    }
    kept + &text[at..]
}
