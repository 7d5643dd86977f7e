//! Encoded text decodes to itself, and unmappable characters are reported correctly.

use charpipe::internals::codec::State;
use charpipe::internals::conversion_error::MalformedReason;

use crate::cases::variants;
use crate::codec_pair::{CodecCase, CodecKind, ErrorReason};
use crate::counted_driver::{Transcript, drive, single_chunk};
use crate::non_roundtrip;
use crate::rfc2044;
use crate::runner::{TestBench, check_all};

/// The text without the characters that the transcript names as unmappable.
fn mappable_text(text: &[u8], transcript: &Transcript) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut at = 0;
    for found in &transcript.errors {
        kept.extend_from_slice(&text[at..found.input_offset]);
        at = found.input_offset + found.next;
    }
    kept.extend_from_slice(&text[at..]);
    kept
}

/// Returns the text that a decoder of this stage decodes without errors.
fn decode_without_errors(stage: &CodecCase, bytes: &[u8]) -> Option<Vec<u8>> {
    let transcript =
        drive(&mut stage.create()?, bytes, &single_chunk(), &mut |_, _| Ok(())).ok()?;
    transcript.errors.is_empty().then_some(transcript.out)
}

/// Options may be for the encoder alone (how lines are folded) or for the decoder alone (which
/// forms are refused), so that some other options of the same encoding have to read the text.
/// Without options, an encoding reads what it writes.
fn check_round_trip(bench: &mut TestBench, decoder: CodecKind, text: &[u8]) -> Result<(), String> {
    let transcript = bench.reference(text)?;
    let wanted = mappable_text(text, &transcript);
    let own = bench.stage.with_kind(decoder);
    if std::str::from_utf8(&wanted)
        .is_ok_and(|text| non_roundtrip::may_not_round_trip(&own.case, text))
    {
        return Ok(());
    }
    let read = decode_without_errors(&own, &transcript.out);
    if read.as_ref() == Some(&wanted) {
        return Ok(());
    }
    let bytes = transcript.out.escape_ascii();
    let others = variants(own.case.encoding)
        .into_iter()
        .map(|subject| CodecCase { case: subject, kind: decoder });
    let set = !own.case.options.is_empty();
    if set
        && others
            .into_iter()
            .any(|other| decode_without_errors(&other, &transcript.out).as_ref() == Some(&wanted))
    {
        return Ok(());
    }
    let read = read.map(|read| read.escape_ascii().to_string());
    Err(format!("comes out as b\"{bytes}\", which is read as {read:?}"))
}

#[test]
fn encoded_text_round_trips() {
    check_all(&[CodecKind::Encoder], |bench, text| {
        check_round_trip(bench, CodecKind::Decoder, text)
    });
}

#[test]
fn wide_values_round_trip() {
    check_all(&[CodecKind::WideEncoder], |bench, text| {
        check_round_trip(bench, CodecKind::WideDecoder, text)
    });
}

#[test]
fn characters_are_unmappable_independent_of_context() {
    check_all(&[CodecKind::Encoder], |bench, text| {
        let in_text = bench.reference(text)?.errors;
        let text = std::str::from_utf8(text).expect("encoders are given text");
        for (at, character) in text.char_indices() {
            let alone = bench.reference(character.to_string().as_bytes())?.errors;
            let here = in_text.iter().find(|found| found.input_offset == at);
            if here.map(|found| found.reason) != alone.first().map(|found| found.reason) {
                return Err(format!("{here:?} at {at}, but alone {alone:?}"));
            }
            if here.is_some_and(|found| found.reason != ErrorReason::Unmappable(character)) {
                return Err(format!("{here:?} instead of {character:?}"));
            }
        }
        Ok(())
    });
}

/// The transcript with values above U+10FFFF as output instead of errors.
fn expected_wide_result(narrow: Transcript) -> (Vec<u8>, Vec<(usize, usize, ErrorReason)>) {
    let (mut out, mut found, mut done) = (Vec::new(), Vec::new(), 0);
    for one in narrow.errors {
        out.extend_from_slice(&narrow.out[done..one.output_offset]);
        done = one.output_offset;
        match one.reason {
            ErrorReason::Malformed(MalformedReason::AboveUnicode(value)) => {
                out.extend(rfc2044::byte_ranges(value))
            }
            why => found.push((one.input_offset, one.len, why)),
        }
    }
    out.extend_from_slice(&narrow.out[done..]);
    (out, found)
}

#[test]
fn wide_decoder_extends_the_narrow_decoder() {
    check_all(&[CodecKind::WideDecoder], |bench, bytes| {
        let wide = bench.reference(bytes)?;
        let wide: (_, Vec<_>) = (
            wide.out,
            wide.errors.iter().map(|found| (found.input_offset, found.len, found.reason)).collect(),
        );
        let narrow = &mut bench
            .stage
            .with_kind(CodecKind::Decoder)
            .create()
            .expect("every encoding decodes");
        narrow.restore_state(State::INITIAL);
        let narrow =
            expected_wide_result(drive(narrow, bytes, &single_chunk(), &mut |_, _| Ok(()))?);
        if wide == narrow { Ok(()) } else { Err(format!("wide {wide:X?}, narrow {narrow:X?}")) }
    });
}

#[test]
fn wide_encoder_matches_the_narrow_encoder() {
    check_all(&[CodecKind::WideEncoder], |bench, text| {
        if std::str::from_utf8(text).is_err() {
            return Ok(());
        }
        let wide = bench.reference(text)?;
        let narrow = &mut bench
            .stage
            .with_kind(CodecKind::Encoder)
            .create()
            .expect("every encoding encodes");
        let narrow = drive(narrow, text, &single_chunk(), &mut |_, _| Ok(()))?;
        if wide.out == narrow.out && wide.errors.len() == narrow.errors.len() {
            return Ok(());
        }
        Err(format!("wide {wide:X?}, narrow {narrow:X?}"))
    });
}
