//! The clauses of the contract.

use charpipe::internals::codec::State;

use crate::call_clauses::{self as clauses, describe_call, fail_if};
use crate::counted_driver::{Chunking, OutputSpace, drive};
use crate::mixed::inputs::{LISTS, decoder, long_inputs, short_inputs, window_inputs};

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

#[test]
fn lookahead_is_at_most_4096_bytes() {
    for label in LISTS {
        assert!((1..=4096).contains(&decoder(label).max_lookahead()), "{label}");
    }
}

/// The lookahead is up to 4,096 bytes, but no output needs more space than that of one encoding.
const SUFFICIENT_SPACE: usize = 64;

#[test]
fn every_call_keeps_the_clauses_and_a_repeated_end_has_no_effect() {
    for (seed, label) in (1..).zip(LISTS) {
        let (mut codec, mut second) = (decoder(label), decoder(label));
        let mut inputs = short_inputs(60, seed);
        inputs.extend(long_inputs(1, seed));
        inputs.extend(window_inputs().into_iter().skip(seed as usize % 7).step_by(61));
        for input in inputs {
            for chunking in few_chunkings(&input) {
                codec.restore_state(State::INITIAL);
                let result = drive(&mut codec, &input, &chunking, &mut |codec, call| {
                    let is_text = std::str::from_utf8(call.out).is_ok();
                    fail_if(!is_text, "writes a part of a character")
                        .and_then(|()| {
                            clauses::each_clause(codec, &mut second, call, SUFFICIENT_SPACE)
                        })
                        .map_err(|why| format!("{why}, {}", describe_call(call)))
                });
                let result = result.and_then(|_| clauses::repeated_end_has_no_effect(&mut codec));
                if let Err(why) = result {
                    panic!("{label} b\"{}\" {chunking:?}: {why}", input.escape_ascii());
                }
            }
        }
    }
}
