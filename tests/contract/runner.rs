//! Runs a check over all inputs of all stages, and says what failed where.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use charpipe::internals::codec::State;
use charpipe::internals::encoding::{ALL, Encoding};

use charpipe_test_support::is_exhaustive;

use crate::codec_pair::{CodecCase, CodecKind, TestCodec, codec_cases};
use crate::counted_driver::{Chunking, Transcript, drive, single_chunk};
use crate::{byte_inputs, texts};

/// The maximum number of failures shown for a stage; the rest are counted.
const MAX_FAILURES_SHOWN: usize = 3;

/// One input in this number is enough for an encoding that shares its implementation with another.
const SAME_ENGINE_STRIDE: usize = 97;

/// One of this number of inputs of middle length is a sample.
const SAMPLE_STRIDE: usize = 61;

/// One of this number of inputs of two bytes is a sample.
const PAIR_STRIDE: usize = 7;

/// A stage under examination: its codec, and another one of the same kind to compare it with.
pub struct TestBench {
    pub stage: CodecCase,
    pub codec: TestCodec,
    pub second: TestCodec,
}

impl TestBench {
    pub fn new(stage: &CodecCase) -> TestBench {
        let make = || stage.create().expect("only stages that exist are listed");
        TestBench { stage: stage.clone(), codec: make(), second: make() }
    }

    /// The result of the codec for the whole input with ample output space.
    pub fn reference(&mut self, input: &[u8]) -> Result<Transcript, String> {
        self.codec.restore_state(State::INITIAL);
        drive(&mut self.codec, input, &single_chunk(), &mut |_, _| Ok(()))
    }
}

/// Holds every stage of these parts to a check, with all its inputs, and fails with a list.
pub fn check_all(parts: &[CodecKind], check: impl Fn(&mut TestBench, &[u8]) -> Result<(), String>) {
    let mut failed = Vec::new();
    for stage in codec_cases(parts) {
        failed.extend(match stage.kind {
            CodecKind::Encoder | CodecKind::WideEncoder => {
                failures(&stage, sample_inputs(&stage, texts::inputs(stage.kind)), &check)
            }
            CodecKind::Decoder | CodecKind::WideDecoder => {
                failures(&stage, decoder_inputs(&stage).iter(), &check)
            }
        });
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// Inputs of which several tests have the same.
type SharedInputs = Arc<Vec<Vec<u8>>>;

/// Returns the bytes that the decoders of an encoding are given. They are made once for all tests.
fn decoder_inputs(stage: &CodecCase) -> SharedInputs {
    static INPUTS: Mutex<Option<HashMap<String, SharedInputs>>> = Mutex::new(None);
    let name = stage.case.to_string();
    let known = |inputs: &HashMap<_, SharedInputs>| inputs.get(&name).cloned();
    if let Some(inputs) = INPUTS.lock().unwrap().as_ref().and_then(known) {
        return inputs;
    }
    let all = byte_inputs::inputs(stage);
    let inputs = Arc::new(sample_inputs(stage, &all).cloned().collect());
    INPUTS.lock().unwrap().get_or_insert_default().insert(name, Arc::clone(&inputs));
    inputs
}

/// All inputs, or a part of them.
///
/// Of inputs that are neither very short nor long a sample is given, unless the whole is requested. For a
/// variant it is every fourth even then: what an option changes shows in the short or in the long ones. Where another encoding has been looked at whole and only
/// the table differs, it is one input in [`SHARED_STEP`]: tables are compared elsewhere.
fn sample_inputs<'a>(
    stage: &CodecCase,
    inputs: &'a [Vec<u8>],
) -> impl Iterator<Item = &'a Vec<u8>> {
    let is_variant = !stage.case.options.is_empty();
    let is_kin = shares_engine(stage.case.encoding);
    let wanted = move |(index, input): &(usize, &Vec<u8>)| match input.len() {
        _ if is_kin => index % SAME_ENGINE_STRIDE == 0,
        2 if !is_exhaustive() => index % PAIR_STRIDE == 0,
        3..=32 if !is_exhaustive() => index % SAMPLE_STRIDE == 0,
        3..=32 => !is_variant || index % 4 == 0,
        _ => true,
    };
    inputs.iter().enumerate().filter(wanted).map(|(_, input)| input)
}

/// Whether an earlier encoding of the registry has the same engine. One that was requested by name is
/// never shares one.
fn shares_engine(encoding: &Encoding) -> bool {
    let engine = encoding.factory.engine();
    let first = ALL.iter().find(|other| other.factory.engine() == engine);
    let alone = engine.is_none() || std::env::var_os("ENCODING").is_some();
    !alone && !first.is_some_and(|first| std::ptr::eq(*first, encoding))
}

fn failures<'a>(
    stage: &CodecCase,
    inputs: impl Iterator<Item = &'a Vec<u8>>,
    check: &impl Fn(&mut TestBench, &[u8]) -> Result<(), String>,
) -> Vec<String> {
    let mut bench = TestBench::new(stage);
    let mut failures = Vec::new();
    for input in inputs {
        let held = catch_unwind(AssertUnwindSafe(|| check(&mut bench, input)));
        if let Err(why) = held.unwrap_or_else(|_| Err("panics".to_owned())) {
            failures.push(format!("{stage}: b\"{}\": {why}", input.escape_ascii()));
            bench = TestBench::new(stage);
        }
    }
    let more = failures.len().saturating_sub(MAX_FAILURES_SHOWN);
    failures.truncate(MAX_FAILURES_SHOWN);
    if more > 0 {
        failures.push(format!("{stage}: and {more} inputs more"));
    }
    failures
}

/// Checks that each chunking leads to the same transcript as a single chunk.
pub fn check_against_reference(
    half: &mut TestCodec,
    input: &[u8],
    options: &Chunking,
    reference: &Transcript,
) -> Result<(), String> {
    half.restore_state(State::INITIAL);
    let transcript = drive(half, input, options, &mut |_, _| Ok(()))
        .map_err(|why| format!("{why} when handed over as {options:?}"))?;
    if transcript == *reference {
        return Ok(());
    }
    Err(format!("{transcript:X?} when handed over as {options:?}, but at once {reference:X?}"))
}
