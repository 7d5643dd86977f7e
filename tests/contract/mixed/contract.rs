//! The clauses of the contract.

use charpipe::internals::codec::State;

use crate::call_clauses::{self as clauses, describe_call, fail_if};
use crate::codec_driver::TestCodec;
use crate::counted_driver::{Chunking, CodecCall, OutputSpace, drive};
use crate::mixed::inputs::{LISTS, decoder, long_inputs, short_inputs, window_inputs};

/// Applies a check to each call of a few divisions of every input. The second codec decodes the same list,
/// in any state.
fn check_every_call(
    check: impl Fn(&mut TestCodec, &mut TestCodec, &CodecCall) -> Result<(), String>,
) {
    for (seed, label) in (1..).zip(LISTS) {
        let (mut codec, mut second) = (decoder(label), decoder(label));
        let mut inputs = short_inputs(60, seed);
        inputs.extend(long_inputs(1, seed));
        inputs.extend(window_inputs().into_iter().skip(seed as usize % 7).step_by(61));
        for input in inputs {
            for chunking in few_chunkings(&input) {
                codec.restore_state(State::INITIAL);
                let result = drive(&mut codec, &input, &chunking, &mut |codec, call| {
                    check(codec, &mut second, call)
                        .map_err(|why| format!("{why}, {}", describe_call(call)))
                });
                if let Err(why) = result {
                    panic!("{label} b\"{}\" {chunking:?}: {why}", input.escape_ascii());
                }
            }
        }
    }
}

fn few_chunkings(input: &[u8]) -> Vec<Chunking> {
    let step = 1 + input.len() / 100;
    let cuts: Vec<usize> = (0..=input.len()).step_by(step).collect();
    [
        (Vec::new(), OutputSpace::Ample),
        (Vec::new(), OutputSpace::Fixed(64)),
        (vec![input.len() / 2], OutputSpace::FixedUnlessStuck(5)),
        (cuts.clone(), OutputSpace::Fixed(64)),
        (cuts, OutputSpace::Ample),
    ]
    .map(|(cuts, output_space)| Chunking { cuts, output_space })
    .into()
}

/// The lookahead is up to 4,096 bytes, but no output needs more space than that of one encoding.
#[test]
fn call_with_space_for_64_bytes_makes_progress() {
    check_every_call(|_, _, call| clauses::makes_progress_with_space(call, 64));
}

#[test]
fn state_is_unchanged_without_progress() {
    check_every_call(|_, _, call| clauses::state_is_unchanged_without_progress(call));
}

#[test]
fn unread_input_is_at_most_the_lookahead() {
    check_every_call(|codec, _, call| clauses::unread_input_is_at_most_the_lookahead(codec, call));
}

#[test]
fn lookahead_is_at_most_4096_bytes() {
    for label in LISTS {
        assert!((1..=4096).contains(&decoder(label).max_lookahead()), "{label}");
    }
}

#[test]
fn decoder_writes_whole_characters() {
    check_every_call(|_, _, call| {
        fail_if(std::str::from_utf8(call.out).is_err(), "writes a part of a character")
    });
}

#[test]
fn error_is_not_consumed_and_has_the_resume_position() {
    check_every_call(|codec, _, call| {
        clauses::error_is_not_consumed_and_has_the_resume_position(codec, call)
    });
}

#[test]
fn calls_do_not_allocate() {
    check_every_call(|_, _, call| clauses::does_not_allocate(call));
}

#[test]
fn same_state_and_input_give_the_same_result() {
    check_every_call(|_, second, call| {
        clauses::same_state_and_input_give_the_same_result(second, call)
    });
}

#[test]
fn repeated_end_of_input_has_no_effect() {
    for (seed, label) in (1..).zip(LISTS) {
        let mut codec = decoder(label);
        for input in short_inputs(60, seed) {
            for chunking in few_chunkings(&input) {
                codec.restore_state(State::INITIAL);
                drive(&mut codec, &input, &chunking, &mut |_, _| Ok(())).unwrap();
                clauses::repeated_end_has_no_effect(&mut codec)
                    .unwrap_or_else(|why| panic!("{label} {input:X?}: {why}"));
            }
        }
    }
}
