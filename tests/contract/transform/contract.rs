//! The clauses of the contract, for every registered transform.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use charpipe::internals::codec::State;
use charpipe::internals::transform;

use charpipe_test_support::sample_stride;

use crate::call_clauses::{self as clauses, describe_call, fail_if};
use crate::codec_driver::TestCodec;
use crate::counted_driver::{Chunking, CodecCall, OutputSpace, drive, single_chunk};
use crate::transform::driver::{TransformCase, all_cases, split_chunkings};
use crate::transform::inputs;

/// The maximum number of failures shown for a case.
const MAX_FAILURES_SHOWN: usize = 3;

/// One of this number of inputs is a sample. `CHARPIPE_TEST_EXHAUSTIVE=1` gives all.
const SAMPLE_STRIDE: usize = 5;

/// Inputs up to this length are divided in every way.
const SHORT_INPUT: usize = 160;

/// Applies a check to all inputs of all cases, and fails with a list.
fn check_all(check: impl Fn(&TransformCase, &mut TestCodec, &[u8]) -> Result<(), String>) {
    let mut failed = Vec::new();
    for case in all_cases() {
        let create = || case.create().expect("only codecs that exist are listed");
        let mut codec = create();
        let mut shown = 0;
        for input in inputs::inputs(&case, &codec).into_iter().step_by(sample_stride(SAMPLE_STRIDE))
        {
            codec.restore_state(State::INITIAL);
            let result = catch_unwind(AssertUnwindSafe(|| check(&case, &mut codec, &input)));
            if let Err(why) = result.unwrap_or_else(|_| Err("panics".to_owned())) {
                shown += 1;
                failed.push(format!("{case}: b\"{}\": {why}", input.escape_ascii()));
                codec = create();
            }
            if shown == MAX_FAILURES_SHOWN {
                break;
            }
        }
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

fn few_chunkings(codec: &TestCodec, input: &[u8]) -> Vec<Chunking> {
    let cuts: Vec<usize> = (0..=input.len()).filter(|at| codec.may_cut(input, *at)).collect();
    let middle = vec![cuts[cuts.len() / 2]];
    let small = OutputSpace::Fixed(codec.max_lookahead());
    [
        (Vec::new(), OutputSpace::Ample),
        (Vec::new(), small),
        (middle, small),
        (cuts.clone(), small),
        (cuts, OutputSpace::Ample),
    ]
    .map(|(cuts, output_space)| Chunking { cuts, output_space })
    .into()
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for transform in transform::all() {
        for name in transform.aliases.iter().chain([&transform.name]) {
            assert!(seen.insert(name.to_ascii_lowercase()), "{name} is the name of two transforms");
            let found = transform::for_name(name).expect("a registered name");
            assert!(std::ptr::eq(found, transform), "{name}");
        }
    }
}

#[test]
fn lookahead_is_1_to_4096_bytes() {
    for case in all_cases() {
        let max = case.create().expect("a codec that exists").max_lookahead();
        assert!((1..=4096).contains(&max), "{case}: lookahead of {max} bytes");
    }
}

fn text_is_read_and_written_in_whole_characters(
    codec: &TestCodec,
    call: &CodecCall,
) -> Result<(), String> {
    if !matches!(codec, TestCodec::TextTransform(_)) {
        return Ok(());
    }
    let src = std::str::from_utf8(call.src).expect("cut between characters");
    fail_if(!src.is_char_boundary(call.progress.read), "reads a part of a character")?;
    fail_if(std::str::from_utf8(call.out).is_err(), "writes a part of a character")
}

#[test]
fn every_call_keeps_the_clauses_and_a_repeated_end_has_no_effect() {
    check_all(|case, codec, input| {
        let mut second = case.create().expect("as the first one");
        if case.transform.name == "vcard" {
            // The decoders are created when they are first needed.
            for codec in [&mut *codec, &mut second] {
                drive(codec, input, &single_chunk(), &mut |_, _| Ok(()))?;
            }
        }
        for chunking in few_chunkings(codec, input) {
            codec.restore_state(State::INITIAL);
            drive(codec, input, &chunking, &mut |codec, call| {
                let space = codec.max_lookahead();
                text_is_read_and_written_in_whole_characters(codec, call)
                    .and_then(|()| clauses::each_clause(codec, &mut second, call, space))
                    .map_err(|why| format!("{why}, {}", describe_call(call)))
            })?;
            clauses::repeated_end_has_no_effect(codec)?;
        }
        Ok(())
    });
}

#[test]
fn encoder_of_bytes_reports_no_errors() {
    check_all(|case, codec, input| {
        // Text may have a line that is not a domain name, or is too long; that of vCards is read.
        let may_fail = matches!(case.transform.name, "idna" | "punycode" | "ldif" | "vcard");
        if case.direction == crate::transform::driver::Direction::Decode || may_fail {
            return Ok(());
        }
        let transcript = drive(codec, input, &single_chunk(), &mut |_, _| Ok(()))?;
        fail_if(!transcript.errors.is_empty(), "reports an error")
    });
}

#[test]
fn codec_in_the_initial_state_is_like_new() {
    check_all(|case, codec, input| {
        let used = drive(codec, input, &single_chunk(), &mut |_, _| Ok(()))?;
        let mut new = case.create().expect("as the first one");
        fail_if(new.state() != State::INITIAL, "does not start in the initial state")?;
        codec.restore_state(State::INITIAL);
        let again = drive(codec, input, &single_chunk(), &mut |_, _| Ok(()))?;
        let new = drive(&mut new, input, &single_chunk(), &mut |_, _| Ok(()))?;
        fail_if(new != used || again != used, "gives another result when used before")
    });
}

#[test]
fn result_is_independent_of_chunks_and_output_space() {
    check_all(|_, codec, input| {
        let whole = drive(codec, input, &single_chunk(), &mut |_, _| Ok(()))?;
        let mut chunkings =
            if input.len() <= SHORT_INPUT { split_chunkings(codec, input) } else { Vec::new() };
        chunkings.extend(few_chunkings(codec, input));
        let max_lookahead = codec.max_lookahead();
        let spaces =
            (max_lookahead..max_lookahead + 20).chain([100, 101, 1000]).map(OutputSpace::Fixed);
        let spaces = spaces.filter(|space| match space {
            OutputSpace::Fixed(space) => *space >= max_lookahead,
            _ => true,
        });
        let unless_stuck = (0..max_lookahead.min(10)).map(OutputSpace::FixedUnlessStuck);
        let growing = (max_lookahead <= 64).then_some(OutputSpace::Growing);
        let spaces = spaces.chain(unless_stuck).chain(growing);
        chunkings.extend(spaces.map(|output_space| Chunking { cuts: Vec::new(), output_space }));
        for chunking in chunkings {
            codec.restore_state(State::INITIAL);
            let split = drive(codec, input, &chunking, &mut |_, _| Ok(()))
                .map_err(|why| format!("{why} as {chunking:?}"))?;
            if split != whole {
                return Err(format!("{split:X?} as {chunking:?}, but at once {whole:X?}"));
            }
        }
        Ok(())
    });
}
