//! The inputs of the contract: short ones, the seeds of each transform, what its other codec makes
//! of them, and these with random changes.

use crate::codec_driver::TestCodec;
use crate::transform::driver::{Direction, TransformCase};
use crate::transform::{bytes, text, unicode};
use charpipe_test_support::XorShift;

/// Texts for the transforms of these names. They are inputs in both directions.
pub type Seeds = &'static [(&'static str, &'static [&'static str])];

/// Inputs for every transform.
const COMMON: &[&str] = &[
    "",
    "Hello, world!",
    "one\ntwo\r\nthree\rfour\n",
    "a line of text that is longer than 76 bytes, so that any encoding with lines has to break it\n",
    "Ærøskøbing, 日本語, 🎂 e\u{301}\n",
    "=3D&amp;\\u00E9%20+~{}\t \n",
];

/// The number of changed inputs for each input.
const CHANGES: usize = 6;

/// Returns the inputs of a case. Those of a codec that reads text are UTF-8.
pub fn inputs(case: &TransformCase, codec: &TestCodec) -> Vec<Vec<u8>> {
    let seeds = [bytes::SEEDS, text::SEEDS, unicode::SEEDS].into_iter().flatten();
    let own = seeds.filter(|(name, _)| *name == case.transform.name).flat_map(|(_, texts)| *texts);
    let mut inputs: Vec<Vec<u8>> =
        COMMON.iter().chain(own).map(|text| text.as_bytes().to_vec()).collect();
    let mut random = XorShift::new(0x2545_F491_4F6C_DD1D);
    let other = match case.direction {
        Direction::Decode => Direction::Encode,
        Direction::Encode => Direction::Decode,
    };
    let other = TransformCase { direction: other, ..case.clone() };
    if other.create().is_some() {
        inputs.extend(inputs.clone().iter().map(|input| other.convert(input).out));
    }
    for input in inputs.clone() {
        inputs.extend((0..CHANGES).map(|_| changed(&mut random, &input)));
    }
    inputs.extend((0..=255).map(|byte| vec![byte]));
    if codec.reads_text() {
        let to_text = |input: Vec<u8>| String::from_utf8_lossy(&input).into_owned().into_bytes();
        inputs = inputs.into_iter().map(to_text).collect();
    }
    inputs.sort();
    inputs.dedup();
    inputs
}

/// Returns an input with one or two bytes inserted, removed, replaced or repeated, or truncated.
fn changed(random: &mut XorShift, input: &[u8]) -> Vec<u8> {
    let mut input = input.to_vec();
    for _ in 0..=random.below(2) {
        let at = random.below(input.len() + 1);
        let byte = random.byte();
        match random.below(5) {
            0 => input.insert(at, byte),
            1 => input.truncate(at),
            2 if at < input.len() => input[at] = byte,
            3 if at < input.len() => drop(input.remove(at)),
            _ if at < input.len() => input.insert(at, input[at]),
            _ => input.push(byte),
        }
    }
    input
}
