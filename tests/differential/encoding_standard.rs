//! The encodings of the Encoding Standard, both ways, are what encoding_rs makes of them.
//!
//! Both ways with what the standard writes for an error: U+FFFD for bytes, a reference of XML for a
//! character. `fuzz/src/web.rs` has longer inputs, but no encoders.

use std::ops::RangeInclusive;

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};
use charpipe::internals::encoding::{EncodingOptions, for_label};
use encoding_rs::{Encoding, ISO_2022_JP};

#[path = "../../fuzz/src/encodings.rs"]
mod encodings;

use charpipe_test_support::XorShift;
use encodings::ENCODINGS;

/// The encodings that charpipe writes as the standard does: all but UTF-16, in place of which the
/// standard writes UTF-8. For `replacement` charpipe does that too.
fn written_encodings() -> impl Iterator<Item = &'static Encoding> {
    ENCODINGS.iter().copied().filter(|encoding| !encoding.name().starts_with("UTF-16"))
}

/// Bytes that begin, end or break something in ISO-2022-JP.
const INFORMATIVE_LABELS: &[u8] = b"\x1B$(BJI@\x0E\x0F\x21\x7E\x80\xA1\xFF\na";

/// The same in pieces of which longer inputs are made.
const PIECES: &[&[u8]] = &[
    b"\x1B$B", b"\x1B$@", b"\x1B(B", b"\x1B(J", b"\x1B(I", b"\x1B", b"\x1B$", b"\x1B(", b"$", b"(",
    b"B", b"\x0E", b"\x0F", b"!", b"$\"", b"\\~", b"1", b"a", b" ", b"\n", b"\xA1", b"\x80",
    b"\xFF",
];

/// Characters that lead from one set of ISO-2022-JP to another, or have no code there.
const CHARACTERS: &str = "a\\~ \n\x0E\x0F\x1B\u{A5}\u{203E}\u{3042}\u{4E00}\u{FF71}\u{FF9F}\u{2212}\u{FF0D}\
    \u{E9}\u{1F600}\u{2170}\u{FFE2}";

/// Characters that are encoded at a time: few, to be shown where they are wrong.
const BATCH: usize = 16;

fn is_whole() -> bool {
    charpipe_test_support::is_exhaustive()
}

/// The number of random inputs. `CHARPIPE_TEST_EXHAUSTIVE=1` tries ten times as many.
fn random_inputs() -> usize {
    if is_whole() { 1_000_000 } else { 100_000 }
}

/// The scalar values that are encoded: all of the BMP, and one in 64 of the other planes unless
/// `CHARPIPE_TEST_EXHAUSTIVE=1` requests all.
fn scalar_values() -> impl Iterator<Item = char> {
    let step = if is_whole() { 1 } else { 64 };
    ('\0'..='\u{FFFF}').chain(('\u{10000}'..=char::MAX).step_by(step))
}

fn encoding_of(standard: &'static Encoding) -> &'static charpipe::internals::encoding::Encoding {
    for_label(&format!("whatwg:{}", standard.name())).expect("an encoding of the standard")
}

fn decoded(decoder: &mut dyn DecodeStage, input: &[u8]) -> String {
    decoder.restore_state(State::INITIAL);
    let (mut read, mut text, mut space) = (0, Vec::new(), [0; 256]);
    loop {
        let progress = decoder.decode(&input[read..], &mut space, true);
        read += progress.read;
        text.extend_from_slice(&space[..progress.written]);
        match progress.status {
            Status::InputEmpty => return String::from_utf8(text).expect("UTF-8 comes out"),
            Status::OutputFull => {}
            Status::Error(error) => {
                read += error.resume_len;
                decoder.restore_state(error.resume_state);
                text.extend_from_slice("\u{FFFD}".as_bytes());
            }
        }
    }
}

fn encoded(encoder: &mut dyn EncodeStage, text: &str) -> Vec<u8> {
    encoder.restore_state(State::INITIAL);
    let (mut read, mut out, mut space) = (0, Vec::new(), [0; 256]);
    loop {
        let progress = encoder.encode(&text[read..], &mut space, true);
        read += progress.read;
        out.extend_from_slice(&space[..progress.written]);
        match progress.status {
            Status::InputEmpty => return out,
            Status::OutputFull => {}
            Status::Error(error) => {
                read += error.character.len_utf8();
                let reference = format!("&#{};", error.code_point());
                let progress = encoder.encode(&reference, &mut space, false);
                assert_eq!(progress.read, reference.len());
                out.extend_from_slice(&space[..progress.written]);
            }
        }
    }
}

fn agree_on_bytes(encoding: &'static Encoding, decoder: &mut dyn DecodeStage, input: &[u8]) {
    let (theirs, _) = encoding.decode_without_bom_handling(input);
    assert_eq!(decoded(decoder, input), theirs, "{} {}", encoding.name(), input.escape_ascii());
}

fn agree_on_text(encoding: &'static Encoding, encoder: &mut dyn EncodeStage, text: &str) {
    let (theirs, _, _) = encoding.encode(text);
    let ours = encoded(encoder, text);
    assert!(
        ours == *theirs,
        "{} {}: {} is not {}",
        encoding.name(),
        text.escape_unicode(),
        ours.escape_ascii(),
        theirs.escape_ascii()
    );
}

/// All sequences of this length of these.
fn sequences(of: &[u8], lengths: RangeInclusive<u32>, mut visit: impl FnMut(&[u8])) {
    let mut sequence = Vec::new();
    for length in lengths {
        for mut number in 0..of.len().pow(length) {
            sequence.clear();
            for _ in 0..length {
                sequence.push(of[number % of.len()]);
                number /= of.len();
            }
            visit(&sequence);
        }
    }
}

#[test]
fn byte_pairs_decode_as_in_the_standard() {
    let all: Vec<u8> = (0..=0xFF).collect();
    assert_eq!(ENCODINGS.len(), 40);
    for encoding in ENCODINGS {
        let mut decoder = encoding_of(encoding).decoder(&EncodingOptions::default());
        sequences(&all, 0..=2, |input| agree_on_bytes(encoding, &mut *decoder, input));
    }
}

#[test]
fn malformed_iso_2022_jp_decodes_as_in_the_standard() {
    let mut decoder = encoding_of(ISO_2022_JP).decoder(&EncodingOptions::default());
    sequences(INFORMATIVE_LABELS, 0..=4, |input| agree_on_bytes(ISO_2022_JP, &mut *decoder, input));
    let mut random = XorShift::new(2022);
    for _ in 0..random_inputs() {
        let input = random.some(16, PIECES).concat();
        agree_on_bytes(ISO_2022_JP, &mut *decoder, &input);
    }
}

#[test]
fn scalar_values_encode_as_in_the_standard() {
    for encoding in written_encodings() {
        let mut encoder = encoding_of(encoding).encoder(&EncodingOptions::default());
        let all: Vec<char> = scalar_values().collect();
        for some in all.chunks(BATCH) {
            agree_on_text(encoding, &mut *encoder, &some.iter().collect::<String>());
        }
    }
}

#[test]
fn iso_2022_jp_encodes_as_in_the_standard() {
    let mut encoder = encoding_of(ISO_2022_JP).encoder(&EncodingOptions::default());
    let characters: Vec<char> = CHARACTERS.chars().collect();
    let mut random = XorShift::new(2022);
    for _ in 0..random_inputs() {
        let text: String = random.some(12, &characters).into_iter().collect();
        agree_on_text(ISO_2022_JP, &mut *encoder, &text);
    }
}
