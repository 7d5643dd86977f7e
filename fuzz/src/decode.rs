//! A decoder does the same whatever the pieces and the space, and writes nothing but UTF-8.
//!
//! Input: four bytes for the encoding and its options, one for the space, three for the sizes of
//! pieces, one for how often it is repeated, then what is decoded.

use super::cases::{EncodingCase, choose_case};
use super::driver::{Chunking, TestCodec, drive};
use super::params::FuzzInput;

/// Bytes that are decoded at the most.
const MAX_INPUT_LEN: usize = 4096;

pub fn check(input: &[u8]) {
    let mut bytes = FuzzInput::new(input);
    let subject = choose_case(&mut bytes);
    let manner = Chunking::from_input(&mut bytes);
    let raw_bytes = bytes.repeated();
    let raw_bytes = &raw_bytes[..raw_bytes.len().min(MAX_INPUT_LEN)];
    check_narrow(subject, raw_bytes, manner);
    check_wide(subject, raw_bytes, manner);
}

fn check_narrow(subject: &EncodingCase, bytes: &[u8], manner: Chunking) {
    let encoding = &subject.encoding;
    let mut decoder = TestCodec::Decoder(encoding.encoding.decoder(&encoding.options));
    let whole = drive(&mut decoder, bytes, Chunking::WHOLE);
    assert!(std::str::from_utf8(&whole.out).is_ok(), "{encoding}: {:X?}", whole.out);
    assert_eq!(drive(&mut decoder, bytes, manner), whole, "{encoding} {manner:?}");
    let bytewise = drive(&mut decoder, bytes, Chunking::bytewise(1));
    assert_eq!(bytewise, whole, "{encoding} in single bytes");
    // Tables are filled in when they are needed, which must not show.
    let mut fresh = TestCodec::Decoder(encoding.encoding.decoder(&encoding.options));
    assert_eq!(drive(&mut fresh, bytes, manner), whole, "{encoding} at first, {manner:?}");
}

/// The 31-bit way, for encodings that have it: errors apart from those that it is there for, the
/// same ones as the ordinary way.
fn check_wide(subject: &EncodingCase, bytes: &[u8], manner: Chunking) {
    let encoding = &subject.encoding;
    let wide = encoding.encoding.ucs4.as_ref().filter(|wide| (wide.is_enabled)(&encoding.options));
    let Some(wide) = wide else { return };
    let mut decoder = TestCodec::Transform((wide.decoder)(&encoding.options));
    let whole = drive(&mut decoder, bytes, Chunking::WHOLE);
    assert_eq!(drive(&mut decoder, bytes, manner), whole, "{encoding}, wide, {manner:?}");
    let mut encoder = TestCodec::Transform((wide.encoder)(&encoding.options));
    let back = drive(&mut encoder, &whole.out, Chunking::WHOLE);
    assert_eq!(drive(&mut encoder, &whole.out, manner), back, "{encoding}, wide, back, {manner:?}");
    assert_eq!(back.errors, [], "{encoding} has every value that it has read");
}
