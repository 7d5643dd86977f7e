//! Files that are converted in parts and as a whole.

use std::io::Cursor;

use charpipe::internals::codec::{DecodeStage, EncodeStage, State, Status};
use charpipe::internals::encoding::{ALL, Encoding, EncodingOptions, lookup_label};
use charpipe::internals::transcode::split::{SplitPoints, SplitTarget, context, safe_offset};

use crate::split::exploration::decode;
use crate::split::offsets::reference;
use crate::split::ranges::TARGETS;
use crate::split::texts;
use charpipe_test_support::XorShift;

/// Encodes text from a state, with `?` for each unmappable character.
fn encode(encoder: &mut dyn EncodeStage, state: State, text: &str, end: bool) -> (State, Vec<u8>) {
    encoder.restore_state(state);
    let (mut text, mut bytes, mut buffer) = (text.to_owned(), Vec::new(), [0; 256]);
    loop {
        let progress = encoder.encode(&text, &mut buffer, end);
        bytes.extend_from_slice(&buffer[..progress.written]);
        text.drain(..progress.read);
        match progress.status {
            Status::InputEmpty => return (encoder.save_state(), bytes),
            Status::OutputFull => {}
            Status::Error(error) => {
                text.drain(..error.character.len_utf8());
                if error.character != '?' {
                    text.insert(0, '?');
                }
            }
        }
    }
}

/// Converts the bytes from `start` to `end`.
fn convert_part(
    (decoder, encoder): (&mut dyn DecodeStage, &mut dyn EncodeStage),
    points: &SplitPoints,
    target: SplitTarget,
    input: &[u8],
    (start, end): (usize, usize),
) -> Vec<u8> {
    if start == end {
        return Vec::new();
    }
    let (mut decoder_state, mut encoder_state) = (State::INITIAL, State::INITIAL);
    if start > 0 {
        let context = context(&mut Cursor::new(input), points, start as u64).unwrap();
        let (state, read, _) = decode(decoder, State::INITIAL, &context, false);
        assert_eq!(read, context.len());
        decoder_state = state;
        if target != SplitTarget::AnyCharacter {
            (encoder_state, _) = encode(encoder, State::INITIAL, "\n", false);
        }
    }
    let (_, _, text) = decode(decoder, decoder_state, &input[start..end], true);
    encode(encoder, encoder_state, &String::from_utf8(text).unwrap(), true).1
}

/// Returns a random file in an encoding, which may be corrupted.
pub fn random_file(
    rng: &mut XorShift,
    encoding: &Encoding,
    encoder: &mut dyn EncodeStage,
    encodable: &[char],
) -> Vec<u8> {
    let len = 10 + rng.below(25);
    let text = texts::random_text(rng, encodable, len);
    let mut bytes = encode_file(rng, encoding, encoder, &text);
    let count = rng.below(2) * rng.below(8);
    corrupt(rng, &mut bytes, count);
    bytes
}

/// Returns a text in an encoding, in any byte order.
pub fn encode_file(
    rng: &mut XorShift,
    encoding: &Encoding,
    encoder: &mut dyn EncodeStage,
    text: &str,
) -> Vec<u8> {
    let (_, mut bytes) = encode(encoder, State::INITIAL, text, true);
    let is_wide = matches!(encoding.split_rule().source, SplitPoints::AfterLineFeedUnit { .. });
    if is_wide && rng.below(2) == 0 && encoding.name().starts_with("U") {
        // The other byte order, with its byte order mark.
        let width = if encoding.name().contains("32") { 4 } else { 2 };
        bytes.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
    bytes
}

/// Inserts, removes or changes `count` bytes.
pub fn corrupt(rng: &mut XorShift, bytes: &mut Vec<u8>, count: usize) {
    for _ in 0..count {
        let at = rng.below(bytes.len() + 1);
        let byte = match rng.below(3) {
            0 => rng.byte(),
            1 => b'\n',
            _ => rng.one(b"\x0E\x0F\x1B~+-&\x00\xD8\xFE\xFF\x81\xE0\xF0$)(B"),
        };
        match rng.below(3) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ if at < bytes.len() => bytes[at] = byte,
            _ => {}
        }
    }
}

/// Compares all splits of random files with the conversion of the whole, and returns the first
/// difference and the number of split points.
fn check_encoding(encoding: &'static Encoding, rounds: usize) -> (Option<String>, usize) {
    let options = EncodingOptions::default();
    let (mut decoder, mut own_encoder) = (encoding.decoder(&options), encoding.encoder(&options));
    let encodable = texts::encodable(&mut *own_encoder, &texts::characters());
    let mut rng = XorShift::new(encoding.name().len() as u64 * 97 + 1);
    let mut split_count = 0;
    for label in TARGETS {
        let to = lookup_label(label).unwrap();
        let target = to.split_rule().target;
        let points = encoding.split_rule().source.for_target(target);
        let mut encoder = to.encoder(&options);
        for _ in 0..rounds {
            let input = random_file(&mut rng, encoding, &mut *own_encoder, &encodable);
            let mut convert =
                |part| convert_part((&mut *decoder, &mut *encoder), &points, target, &input, part);
            let whole = convert((0, input.len()));
            let mut offsets: Vec<usize> = Vec::new();
            for offset in 0..=input.len() {
                let safe = safe_offset(&mut Cursor::new(&input), &points, offset as u64).unwrap();
                let safe = usize::try_from(safe).unwrap();
                assert_eq!(safe, reference(&input, &points, offset), "{encoding:?} {input:02X?}");
                if offsets.last() != Some(&safe) {
                    offsets.push(safe);
                    let halves = [convert((0, safe)), convert((safe, input.len()))].concat();
                    if halves != whole {
                        let difference = format!("{encoding:?} to {label}: {input:02X?} at {safe}");
                        return (Some(difference), split_count);
                    }
                }
            }
            let parts: Vec<Vec<u8>> =
                offsets.windows(2).map(|part| convert((part[0], part[1]))).collect();
            if parts.concat() != whole {
                return (Some(format!("{encoding:?} to {label}: {input:02X?}")), split_count);
            }
            split_count += offsets.len().saturating_sub(2);
        }
    }
    (None, split_count)
}

#[test]
fn parts_of_files_in_all_encodings_are_the_whole() {
    let results =
        texts::in_parallel(ALL, |encoding| (encoding.name(), check_encoding(encoding, 4)));
    let wrong: Vec<_> =
        results.iter().filter_map(|(_, (difference, _))| difference.as_deref()).collect();
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(10)].join("\n")
    );
    // UTF-7-IMAP has split points only where it is malformed.
    for (name, (_, split_count)) in results.into_iter().filter(|(name, _)| *name != "UTF-7-IMAP") {
        let rule = lookup_label(name).unwrap().split_rule();
        let is_split = !matches!(rule.source, SplitPoints::None { .. });
        assert_eq!(split_count > 0, is_split, "{name} was split {split_count} times");
    }
}
