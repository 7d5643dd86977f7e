//! A decoder does the same whatever the pieces and the room, and writes nothing but UTF-8.
//!
//! Input: four bytes for the charset and its options, one for the room, three for the sizes of
//! pieces, one for how often it is repeated, then what is decoded.

use super::bytes::Bytes;
use super::subject::{Subject, subject};
use super::walk::{Codec, Manner};

/// Bytes that are decoded at the most.
const LONGEST: usize = 4096;

pub fn holds(input: &[u8]) {
    let mut bytes = Bytes::new(input);
    let subject = subject(&mut bytes);
    let manner = Manner::chosen(&mut bytes);
    let octets = bytes.repeated();
    let octets = &octets[..octets.len().min(LONGEST)];
    narrow(subject, octets, manner);
    wide(subject, octets, manner);
}

fn narrow(subject: &Subject, octets: &[u8], manner: Manner) {
    let encoding = &subject.encoding;
    let mut decoder = Codec::Decoder(encoding.charset.decoder(&encoding.settings));
    let whole = decoder.walk(octets, Manner::WHOLE);
    assert!(std::str::from_utf8(&whole.out).is_ok(), "{encoding}: {:X?}", whole.out);
    assert_eq!(decoder.walk(octets, manner), whole, "{encoding} {manner:?}");
    let bytewise = decoder.walk(octets, Manner::bytewise(1));
    assert_eq!(bytewise, whole, "{encoding} in single bytes");
    let mut ready = encoding.charset.decoder(&encoding.settings);
    ready.prepare();
    let mut ready = Codec::Decoder(ready);
    assert_eq!(ready.walk(octets, Manner::WHOLE), whole, "{encoding} when prepared");
    assert_eq!(ready.walk(octets, manner), whole, "{encoding} when prepared, {manner:?}");
}

/// The 31-bit way, for charsets that have it: faults apart from those that it is there for, the
/// same ones as the ordinary way.
fn wide(subject: &Subject, octets: &[u8], manner: Manner) {
    let encoding = &subject.encoding;
    let wide = encoding.charset.wide.as_ref().filter(|wide| (wide.holds)(&encoding.settings));
    let Some(wide) = wide else { return };
    let mut decoder = Codec::Surface((wide.decoder)(&encoding.settings));
    let whole = decoder.walk(octets, Manner::WHOLE);
    assert_eq!(decoder.walk(octets, manner), whole, "{encoding}, wide, {manner:?}");
    let mut encoder = Codec::Surface((wide.encoder)(&encoding.settings));
    let back = encoder.walk(&whole.out, Manner::WHOLE);
    assert_eq!(encoder.walk(&whole.out, manner), back, "{encoding}, wide, back, {manner:?}");
    assert_eq!(back.found, [], "{encoding} has every value that it has read");
}
