//! The ways in which an input is handed over.

use crate::codec_pair::TestCodec;
use crate::counted_driver::{Chunking, OutputSpace};

/// Inputs up to `.0` bytes, and those from `.1` bytes on, are given every output space up to 64 bytes; there
/// are too many of those between.
const SHORT_INPUT: usize = 1;
const LONG_INPUT: usize = 100;

/// Returns the positions at which this input may be cut.
pub fn cut_positions(codec: &TestCodec, input: &[u8]) -> Vec<usize> {
    (0..=input.len()).filter(|at| codec.may_cut(input, *at)).collect()
}

/// Every split into two; the split into single bytes, also with empty pieces between and with
/// little space. A cut after the last byte has the end come late.
pub fn split_chunkings(half: &TestCodec, input: &[u8]) -> Vec<Chunking> {
    let positions = cut_positions(half, input);
    let small = OutputSpace::Fixed(half.max_lookahead());
    let twice: Vec<usize> = positions.iter().flat_map(|at| [*at, *at]).collect();
    let two =
        positions.iter().map(|at| Chunking { cuts: vec![*at], output_space: OutputSpace::Ample });
    let mut chunkings: Vec<Chunking> = two.collect();
    chunkings.push(Chunking { cuts: positions.clone(), output_space: OutputSpace::Ample });
    chunkings.push(Chunking { cuts: positions, output_space: small });
    chunkings.push(Chunking { cuts: twice, output_space: small });
    chunkings
}

/// Output spaces from the lookahead of the codec up to 64 bytes, with the input at once.
pub fn output_space_chunkings(half: &TestCodec, input: &[u8]) -> Vec<Chunking> {
    let window = half.max_lookahead();
    let every = input.len() <= SHORT_INPUT || input.len() >= LONG_INPUT;
    let wanted = |space: &usize| every || *space <= window + 3 || space.is_multiple_of(16);
    let fixed = (window..=64).filter(wanted).map(OutputSpace::Fixed);
    fixed.map(|spaces| Chunking { cuts: Vec::new(), output_space: spaces }).collect()
}

/// Output spaces below the lookahead, where a call need not get anywhere: the input at once, and in single
/// bytes.
pub fn growing_space_chunkings(half: &TestCodec, input: &[u8]) -> Vec<Chunking> {
    [Vec::new(), cut_positions(half, input)]
        .map(|cuts| Chunking { cuts, output_space: OutputSpace::Growing })
        .into()
}

/// A few of all these, for what is looked at in each single call.
pub fn few_chunkings(half: &TestCodec, input: &[u8]) -> Vec<Chunking> {
    let positions = cut_positions(half, input);
    let middle = vec![positions[positions.len() / 2]];
    let small = OutputSpace::Fixed(half.max_lookahead());
    [
        (Vec::new(), OutputSpace::Ample),
        (positions.clone(), small),
        (Vec::new(), small),
        (middle, OutputSpace::Growing),
        (positions, OutputSpace::Ample),
    ]
    .map(|(cuts, spaces)| Chunking { cuts, output_space: spaces })
    .into()
}
