//! Every Unicode scalar value that an encoding can express comes back from it, in one long text and
//! alone; and so does every byte of an 8-bit encoding. The encodings of tables are not asked: they are
//! compared with the truth (`tests/mappings`), which does not promise as much.

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};

use charpipe_test_support::sample_stride;

use crate::cases::{self, EncodingCase, variants};
use crate::non_roundtrip;

/// One of this number of scalar values is tried alone with each option set.
const OPTIONS_STRIDE: usize = 1009;

/// The same without options. `CHARPIPE_TEST_EXHAUSTIVE=1` tries all.
const STRIDE: usize = 389;

/// Bytes of output that one call is given.
const OUTPUT_SIZE: usize = 1 << 16;

fn all_cases() -> Vec<EncodingCase> {
    let all = cases::encoding_cases().into_iter();
    all.filter(|subject| subject.encoding.factory.engine().is_none()).collect()
}

/// Returns the characters of the planes in use, of each plane the first and the last 256, and a sample of the others.
/// `CHARPIPE_TEST_EXHAUSTIVE=1` returns all.
fn scalars() -> impl Iterator<Item = char> {
    let stride = sample_stride(17) as u32;
    ('\0'..=char::MAX).filter(move |character| {
        let code = u32::from(*character);
        code < 0x4_0000
            || code % 0x1_0000 < 0x100
            || code % 0x1_0000 >= 0xFF00
            || code.is_multiple_of(stride)
    })
}

/// Puts into `out` what the encoder writes without the characters that it has no code for, and
/// gives those.
fn encode(encoder: &mut dyn EncodeStage, text: &str, out: &mut Vec<u8>) -> Vec<char> {
    encoder.restore_state(State::INITIAL);
    let (mut missing, mut read, mut written) = (Vec::new(), 0, 0);
    loop {
        out.resize(written + OUTPUT_SIZE.min(8 * (text.len() - read) + 64), 0);
        let progress = encoder.encode(&text[read..], &mut out[written..], true);
        read += progress.read;
        written += progress.written;
        match progress.status {
            Status::InputEmpty => {
                out.truncate(written);
                return missing;
            }
            Status::OutputFull => {}
            Status::Error(error) => {
                missing.push(error.character);
                read += error.character.len_utf8();
            }
        }
    }
}

/// Puts into `out` what the decoder reads, and says whether it found no error.
fn decode(decoder: &mut dyn DecodeStage, bytes: &[u8], out: &mut Vec<u8>) -> bool {
    decoder.restore_state(State::INITIAL);
    let (mut read, mut written) = (0, 0);
    loop {
        out.resize(written + OUTPUT_SIZE.min(8 * (bytes.len() - read) + 64), 0);
        let progress = decoder.decode(&bytes[read..], &mut out[written..], true);
        read += progress.read;
        written += progress.written;
        if progress.status != Status::OutputFull {
            out.truncate(written);
            return progress.status == Status::InputEmpty;
        }
    }
}

fn decoder(subject: &EncodingCase) -> Box<dyn DecodeStage> {
    subject.encoding.decoder(&subject.options)
}

fn encoder(subject: &EncodingCase) -> Box<dyn EncodeStage> {
    subject.encoding.encoder(&subject.options)
}

/// Options may be for one of the two halves alone, so other options of the encoding may read
/// what was written. Without options, an encoding reads what it writes.
fn round_trips(subject: &EncodingCase, bytes: &[u8], text: &str) -> bool {
    let reads = |by: &EncodingCase| {
        let mut out = Vec::new();
        decode(&mut *decoder(by), bytes, &mut out) && out == text.as_bytes()
    };
    non_roundtrip::may_not_round_trip(subject, text)
        || reads(subject)
        || !subject.options.is_empty() && variants(subject.encoding).iter().any(reads)
}

#[test]
fn scalar_values_round_trip_together_and_alone() {
    let all: String = scalars().collect();
    let mut bytes = Vec::new();
    for subject in all_cases() {
        let missing = encode(&mut *encoder(&subject), &all, &mut bytes);
        let mut absent = missing.iter().copied().peekable();
        let text: String = scalars().filter(|one| absent.next_if_eq(one).is_none()).collect();
        assert!(round_trips(&subject, &bytes, &text), "{subject}");
        check_round_trip_alone(&subject, &missing);
    }
}

fn check_round_trip_alone(subject: &EncodingCase, missing: &[char]) {
    let (mut encoder, mut decoder) = (encoder(subject), decoder(subject));
    let (mut bytes, mut out) = (Vec::new(), Vec::new());
    let stride = sample_stride(if subject.options.is_empty() { STRIDE } else { OPTIONS_STRIDE });
    let mut absent = missing.iter().copied().peekable();
    for character in scalars().step_by(stride) {
        while absent.next_if(|one| *one < character).is_some() {}
        if non_roundtrip::needs_letter(subject, character) {
            continue;
        }
        let mut buffer = [0; 4];
        let text: &str = character.encode_utf8(&mut buffer);
        let refused = encode(&mut *encoder, text, &mut bytes);
        let expected = absent.peek() == Some(&character);
        assert_eq!(refused == [character], expected, "{subject}: {character:?} in a text");
        let back = decode(&mut *decoder, &bytes, &mut out) && out == text.as_bytes();
        assert!(
            expected || back || round_trips(subject, &bytes, text),
            "{subject}: {character:?} is b\"{}\", which is b\"{}\"",
            bytes.escape_ascii(),
            out.escape_ascii()
        );
    }
}

/// Whether the encoding writes each character of its small repertoire as one byte.
fn is_single_byte(subject: &EncodingCase) -> bool {
    let mut bytes = Vec::new();
    // Long enough for eight septets that are packed into seven bytes.
    let text = "A\u{E9}\u{3A9}\u{416}\u{5D0}\u{905}\u{985}\u{3042}".repeat(8);
    let missing = encode(&mut *encoder(subject), &text, &mut bytes);
    missing.len() > 1 && bytes.len() + missing.len() == text.chars().count()
}

#[test]
fn single_byte_encodings_round_trip_every_byte() {
    for subject in all_cases().iter().filter(|subject| is_single_byte(subject)) {
        let (mut encoder, mut decoder) = (encoder(subject), decoder(subject));
        let (mut bytes, mut out) = (Vec::new(), Vec::new());
        for byte in 0..=0xFF {
            if decode(&mut *decoder, &[byte], &mut out) {
                let text = str::from_utf8(&out).expect("a decoder writes UTF-8");
                assert_eq!(text.chars().count(), 1, "{subject}: {byte:02X} is {text:?}");
                let refused = encode(&mut *encoder, text, &mut bytes);
                assert_eq!((&bytes[..], refused), (&[byte][..], vec![]), "{subject}: {text:?}");
            }
        }
    }
}

#[test]
fn single_byte_encodings_map_characters_to_distinct_bytes() {
    let all: String = scalars().collect();
    for subject in all_cases().iter().filter(|subject| is_single_byte(subject)) {
        let mut bytes = Vec::new();
        encode(&mut *encoder(subject), &all, &mut bytes);
        let distinct: std::collections::BTreeSet<u8> = bytes.iter().copied().collect();
        assert_eq!(bytes.len(), distinct.len(), "{subject}");
    }
}
