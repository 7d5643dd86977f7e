//! A registered transform with options in one direction, and the shared driver of codecs.
#![allow(dead_code, reason = "each kind of transform needs a part of it")]

use std::fmt;

use charpipe::internals::codec::State;
use charpipe::internals::conversion_error::MalformedReason;
use charpipe::internals::encoding::EncodingOptions;
use charpipe::internals::transform::{self, Transform, TransformCodecs};

use crate::codec_driver::{ErrorReason, TestCodec};
use crate::counted_driver::{Chunking, OutputSpace, Transcript, drive, single_chunk};
use crate::encoding_options::variants_of;

/// Which codec of a transform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Decode,
    Encode,
}

/// A transform with options, and which codec of it.
#[derive(Clone)]
pub struct TransformCase {
    pub transform: &'static Transform,
    pub options: EncodingOptions,
    pub direction: Direction,
}

impl fmt::Display for TransformCase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} {:?}", self.transform.name, self.options, self.direction)
    }
}

impl TransformCase {
    /// Returns the case of a label such as `base64:line=76`.
    pub fn new(label: &str, direction: Direction) -> TransformCase {
        let (name, options) = label.split_once(':').unwrap_or((label, ""));
        let transform = transform::for_name(name).unwrap_or_else(|| panic!("no transform {name}"));
        let options = EncodingOptions::parse(options, transform.options)
            .unwrap_or_else(|error| panic!("{label} is rejected: {error}"));
        TransformCase { transform, options, direction }
    }

    /// Returns a new codec, unless the transform has none in this direction.
    pub fn create(&self) -> Option<TestCodec> {
        Some(match (self.transform.codecs, self.direction) {
            (TransformCodecs::Bytes { decoder, .. }, Direction::Decode) => {
                TestCodec::Transform(decoder(&self.options))
            }
            (TransformCodecs::Bytes { encoder, .. }, Direction::Encode) => {
                TestCodec::Transform(encoder(&self.options))
            }
            (TransformCodecs::Text { decoder, .. }, Direction::Decode) => {
                TestCodec::TextTransform(decoder?(&self.options))
            }
            (TransformCodecs::Text { encoder, .. }, Direction::Encode) => {
                TestCodec::TextTransform(encoder(&self.options))
            }
        })
    }

    /// Returns the result of a whole input.
    pub fn convert(&self, input: &[u8]) -> Transcript {
        let mut codec = self.create().expect("the transform has this direction");
        drive(&mut codec, input, &single_chunk(), &mut |_, _| Ok(()))
            .unwrap_or_else(|why| panic!("{self}: b\"{}\": {why}", input.escape_ascii()))
    }

    /// Returns the result of a whole input, and checks that every split of it gives the same, with
    /// all and with the least output space.
    pub fn convert_every_split(&self, input: &[u8]) -> Transcript {
        let whole = self.convert(input);
        let mut codec = self.create().expect("the transform has this direction");
        for chunking in split_chunkings(&codec, input) {
            codec.restore_state(State::INITIAL);
            let split = drive(&mut codec, input, &chunking, &mut |_, _| Ok(()));
            let shown = input.escape_ascii();
            assert_eq!(split, Ok(whole.clone()), "{self}: b\"{shown}\" as {chunking:?}");
        }
        whole
    }
}

/// Converts a whole input with the transform of a label such as `base64:line=76`.
pub fn convert(label: &str, direction: Direction, input: &[u8]) -> Transcript {
    TransformCase::new(label, direction).convert(input)
}

/// Returns the output for an input without errors, the same for every split.
pub fn converted(label: &str, direction: Direction, input: &[u8]) -> Vec<u8> {
    let Transcript { out, errors } =
        TransformCase::new(label, direction).convert_every_split(input);
    assert_eq!(errors, [], "{label} {direction:?}: b\"{}\"", input.escape_ascii());
    out
}

/// Returns the output, and the offset, length and reason of each error.
pub fn decoded_with_errors(
    label: &str,
    input: &[u8],
) -> (Vec<u8>, Vec<(usize, usize, MalformedReason)>) {
    let case = TransformCase::new(label, Direction::Decode);
    let Transcript { out, errors } = case.convert_every_split(input);
    let errors = errors.into_iter().map(|error| match error.reason {
        ErrorReason::Malformed(reason) => (error.input_offset, error.len, reason),
        ErrorReason::Unmappable(_) => unreachable!("a transform has no character set"),
    });
    (out, errors.collect())
}

/// Every registered transform with each value of each option, in both directions. `TRANSFORM=name`
/// in the environment leaves only the one of that name.
pub fn all_cases() -> Vec<TransformCase> {
    let only = std::env::var("TRANSFORM").ok();
    let wanted = |transform: &&Transform| only.as_ref().is_none_or(|name| transform.name == name);
    let of = |transform: &'static Transform| {
        let with = move |direction| {
            variants_of(transform.name, transform.options)
                .into_iter()
                .map(move |options| TransformCase { transform, options, direction })
        };
        [Direction::Decode, Direction::Encode].into_iter().flat_map(with)
    };
    transform::all().filter(wanted).flat_map(of).filter(|case| case.create().is_some()).collect()
}

/// Every split into two, and into single bytes with all and with the least output space.
pub fn split_chunkings(codec: &TestCodec, input: &[u8]) -> Vec<Chunking> {
    let cuts: Vec<usize> = (0..=input.len()).filter(|at| codec.may_cut(input, *at)).collect();
    let small = OutputSpace::Fixed(codec.max_lookahead());
    let ample = OutputSpace::Ample;
    let mut chunkings: Vec<Chunking> =
        cuts.iter().map(|at| Chunking { cuts: vec![*at], output_space: ample }).collect();
    chunkings.push(Chunking { cuts: Vec::new(), output_space: small });
    chunkings.push(Chunking { cuts: cuts.clone(), output_space: ample });
    chunkings.push(Chunking { cuts, output_space: small });
    chunkings
}
