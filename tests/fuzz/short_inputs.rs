//! Every encoding with each of its options over all inputs of one and of two bytes, and of three and
//! four where its tables go that far.
//!
//! Encodings that share an engine and differ in their tables share the work as well: the first of
//! each implementation is given all pairs, the others a sample. `CHARPIPE_TEST_EXHAUSTIVE=1` gives all of
//! them all pairs in all modes, and longer inputs: some minutes of two processors.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use charpipe::Error;
use charpipe::ErrorAction;
use charpipe::ErrorEvent;
use charpipe::{EncodingSpec, TranscodeOptions};
use charpipe::{ErrorReporter, Transcoder};

use charpipe_test_support::sample_stride;

use crate::promises::cases::{EncodingCase, encoding_cases};
use crate::promises::conversion::ACTIONS;
use crate::promises::driver::{Chunking, TestCodec, Transcript, drive};

/// Of all pairs, those that an encoding is given whose engine another one has gone through.
const EVERY: usize = 61;

/// The same of an encoding that is the first of its engine, in the test of policies.
const POLICIES_STRIDE: usize = 19;

/// The same in the test of single bytes.
const PAIR_STRIDE: usize = 5;

/// Bytes that begin, go on with or end something somewhere, for inputs of more than two.
const INFORMATIVE: &[u8] = &[
    0x00, 0x0A, 0x0E, 0x0F, 0x1B, 0x24, 0x28, 0x2B, 0x30, 0x41, 0x7E, 0x80, 0x81, 0x8E, 0x8F, 0xA1,
    0xC2, 0xD8, 0xED, 0xF0, 0xFE, 0xFF,
];

fn whole() -> bool {
    charpipe_test_support::is_exhaustive()
}

/// Whether a code of this encoding may have more than two bytes: not where its engine goes from
/// byte to byte.
fn goes_on(encoding: &EncodingSpec) -> bool {
    !encoding.encoding.factory.engine().is_some_and(|engine| engine.starts_with("single-byte"))
}

/// Runs a check over a share of all subjects in each of two threads, and says which do not hold.
/// The check is called with whether a case is given all pairs.
fn every_subject(check: impl Fn(&EncodingSpec, bool) + Sync) {
    let mut engines = HashSet::new();
    let first = |encoding: &EncodingSpec| match encoding.encoding.factory.engine() {
        Some(engine) => engines.insert(engine),
        None => true,
    };
    let firsts: Vec<bool> = encoding_cases().iter().map(|it| &it.encoding).map(first).collect();
    let of = |parity: usize| {
        let shared = encoding_cases().iter().zip(&firsts).skip(parity).step_by(2);
        let breaks = |(subject, first): &(&EncodingCase, &bool)| {
            let run = || check(&subject.encoding, **first || whole());
            catch_unwind(AssertUnwindSafe(run)).is_err()
        };
        shared.filter(breaks).map(|(subject, _)| subject.encoding.to_string()).collect::<Vec<_>>()
    };
    let broken = std::thread::scope(|scope| {
        let other = scope.spawn(|| of(1));
        [of(0), other.join().expect("what panics is caught")].concat()
    });
    assert!(broken.is_empty(), "{broken:?}");
}

/// All inputs of up to one byte, and one pair of `step`.
fn inputs(step: usize, visit: &mut dyn FnMut(&[u8])) {
    visit(&[]);
    (0..=0xFF).for_each(|byte| visit(&[byte]));
    (0..=0xFFFF_u16).step_by(step).for_each(|pair| visit(&pair.to_be_bytes()));
}

/// All pairs after each informative byte, and some of them after each two.
fn longer(visit: &mut dyn FnMut(&[u8])) {
    for one in INFORMATIVE {
        for pair in 0..=0xFFFF_u16 {
            let [two, three] = pair.to_be_bytes();
            visit(&[*one, two, three]);
        }
        for two in INFORMATIVE {
            for pair in (0..=0xFFFF_u16).step_by(EVERY) {
                let [three, four] = pair.to_be_bytes();
                visit(&[*one, *two, three, four]);
            }
        }
    }
}

#[test]
fn every_short_input_is_decoded_in_single_bytes_as_at_once() {
    every_subject(|encoding, all| {
        let registered = encoding.encoding;
        let mut decoder = TestCodec::Decoder(registered.decoder(&encoding.options));
        let mut visit = |input: &[u8]| {
            // The walk looks at what the contract says of each call, UTF-8 for one.
            let at_once = drive(&mut decoder, input, Chunking::WHOLE);
            let shown = input.escape_ascii();
            assert_eq!(
                drive(&mut decoder, input, Chunking::bytewise(1)),
                at_once,
                "{encoding} {shown}"
            );
            ends_with_its_input(&at_once, input);
        };
        inputs(if all { sample_stride(PAIR_STRIDE) } else { EVERY }, &mut visit);
        if whole() && goes_on(encoding) {
            longer(&mut visit);
        }
    });
}

/// Errors follow one another, within the input.
fn ends_with_its_input(transcript: &Transcript, input: &[u8]) {
    let ends =
        transcript.errors.iter().map(|found| (found.input_offset, found.input_offset + found.next));
    let last = ends.fold(0, |last, (at, end)| {
        assert!(last <= at);
        end
    });
    assert!(last <= input.len());
}

/// Counts the errors.
#[derive(Default)]
struct Count(usize);

impl ErrorReporter for Count {
    fn wants_position(&self) -> bool {
        false
    }

    fn error(&mut self, _: &ErrorEvent) {
        self.0 += 1;
    }
}

/// A transcoder from this encoding to UTF-8, under a policy. Blocks are small, as inputs are.
fn transcoder(from: &EncodingSpec, action: &str) -> Transcoder {
    let mut options = TranscodeOptions::new(from.clone(), charpipe::UTF_8);
    options.error_policy.malformed = action.parse().unwrap();
    options.error_policy.unmappable = match &options.error_policy.malformed {
        action if action.is_for_bytes_only() => ErrorAction::Replace(None),
        action => action.clone(),
    };
    options.buffer_size = 8;
    options.build().unwrap()
}

/// Returns the output of a file, the number of errors, and whether one of them stopped the run.
fn file(transcoder: &mut Transcoder, input: &[u8]) -> (Vec<u8>, usize, bool) {
    let (mut out, mut count) = (Vec::new(), Count::default());
    transcoder.input_buffer()[..input.len()].copy_from_slice(input);
    let filled = transcoder.process(input.len(), &mut out, &mut count);
    let ended = filled.and_then(|()| transcoder.finish_input(&mut out, &mut count));
    let stopped = match ended {
        Ok(()) => false,
        Err(Error::Conversion(_)) => true,
        Err(other) => panic!("{other}"),
    };
    (out, count.0, stopped)
}

/// The same under an action that writes text.
fn text(transcoder: &mut Transcoder, input: &[u8]) -> (String, usize, bool) {
    let (out, count, stopped) = file(transcoder, input);
    (String::from_utf8(out).expect("UTF-8 comes out"), count, stopped)
}

#[test]
fn policies_differ_in_nothing_but_what_they_write_for_an_error() {
    every_subject(|encoding, all| {
        let others = ACTIONS.iter().filter(|word| !["stop", "skip", "replace"].contains(word));
        let mut others: Vec<Transcoder> = others.map(|word| transcoder(encoding, word)).collect();
        let [mut stop, mut skip, mut replace] =
            ["stop", "skip", "replace"].map(|word| transcoder(encoding, word));
        let has_all_pairs = all && (whole() || encoding.options.is_empty());
        let step = if has_all_pairs { sample_stride(POLICIES_STRIDE) } else { EVERY };
        inputs(step, &mut |input| {
            let shown = input.escape_ascii();
            let (skipped, errors, _) = text(&mut skip, input);
            let (replaced, same, _) = text(&mut replace, input);
            assert_eq!(same, errors, "{encoding} {shown}");
            let marks = |text: &str| text.matches('\u{FFFD}').count();
            assert_eq!(marks(&replaced), marks(&skipped) + errors, "{encoding} {shown}");
            let unmarked = |text: &str| text.replace('\u{FFFD}', "");
            assert_eq!(unmarked(&replaced), unmarked(&skipped), "{encoding} {shown}");
            let (stopped, reported, ended) = text(&mut stop, input);
            assert_eq!((reported, ended), (errors.min(1), errors > 0), "{encoding} {shown}");
            assert!(skipped.starts_with(&stopped), "{encoding} {shown}");
            if ended {
                // After an error a transcoder is of no more use.
                stop = transcoder(encoding, "stop");
            }
            if whole() || input.len() < 2 {
                for other in &mut others {
                    assert_eq!(file(other, input).1, errors, "{encoding} {shown}");
                }
            }
        });
    });
}
