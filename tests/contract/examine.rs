//! Runs a check over all inputs of all stages, and says what failed where.

use std::panic::{AssertUnwindSafe, catch_unwind};

use charpipe::charset::{ALL, Charset};
use charpipe::codec::State;

use crate::half::{Half, Part, Stage, stages};
use crate::walk::{Plan, Transcript, at_once, walk};
use crate::{octets, texts};

/// So many failures of a stage are shown; the rest are counted.
const SHOWN: usize = 3;

/// One of so many inputs is enough for a charset that shares its engine with another.
const KIN: usize = 97;

/// One of this number of inputs of middle length is a sample.
const SAMPLE: usize = 5;

/// Bytes from which on it may matter that a decoder was made ready.
const LONG: usize = 16;

/// A stage under examination: its codec, and another one of the same kind to compare it with.
pub struct Bench {
    pub stage: Stage,
    pub half: Half,
    pub twin: Half,
}

impl Bench {
    pub fn new(stage: &Stage) -> Bench {
        let make = || stage.make().expect("only stages that exist are listed");
        Bench { stage: stage.clone(), half: make(), twin: make() }
    }

    /// What the codec makes of the input when nothing gets in its way.
    pub fn reference(&mut self, input: &[u8]) -> Result<Transcript, String> {
        self.half.resume(State::START);
        walk(&mut self.half, input, &at_once(), &mut |_, _| Ok(()))
    }
}

/// Holds every stage of these parts to a check, with all its inputs, and fails with a list.
pub fn every(parts: &[Part], check: impl Fn(&mut Bench, &[u8]) -> Result<(), String>) {
    let mut failed = Vec::new();
    for stage in stages(parts) {
        let inputs = match stage.part {
            Part::Encoder | Part::WideEncoder => texts::inputs(stage.part),
            Part::Decoder | Part::Prepared | Part::WideDecoder => &octets::inputs(&stage),
        };
        failed.extend(failures(&stage, &thinned(&stage, inputs), &check));
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
}

/// All inputs, or a part of them.
///
/// Of inputs that are neither very short nor long a sample is given, unless the whole is requested. For a
/// variant it is every fourth even then: what an option changes shows in the short or in the long ones. Where another charset has been looked at whole and only
/// the table differs, it is every so many: tables are compared elsewhere. What a decoder is made ready
/// for is not short: there it is what it was.
fn thinned<'a>(stage: &Stage, inputs: &'a [Vec<u8>]) -> Vec<&'a [u8]> {
    let is_variant = !stage.subject.settings.is_empty();
    let is_kin = is_kin(stage.subject.charset);
    let is_whole = std::env::var_os("CHARPIPE_TEST_WHOLE").is_some();
    let wanted = |(index, input): &(usize, &Vec<u8>)| match input.len() {
        0..LONG if stage.part == Part::Prepared => false,
        _ if is_kin => index % KIN == 0,
        3..=32 if !is_whole => index % SAMPLE == 0,
        3..=32 => !is_variant || index % 4 == 0,
        _ => true,
    };
    inputs.iter().enumerate().filter(wanted).map(|(_, input)| &input[..]).collect()
}

/// Whether an earlier charset of the registry has the same engine. One that was asked for by name is
/// nobody's kin.
fn is_kin(charset: &Charset) -> bool {
    let engine = charset.codecs.engine();
    let first = ALL.iter().find(|other| other.codecs.engine() == engine);
    let alone = engine.is_none() || std::env::var_os("CHARSET").is_some();
    !alone && !first.is_some_and(|first| std::ptr::eq(*first, charset))
}

fn failures(
    stage: &Stage,
    inputs: &[&[u8]],
    check: &impl Fn(&mut Bench, &[u8]) -> Result<(), String>,
) -> Vec<String> {
    let mut bench = Bench::new(stage);
    let mut failures = Vec::new();
    for input in inputs {
        let held = catch_unwind(AssertUnwindSafe(|| check(&mut bench, input)));
        if let Err(why) = held.unwrap_or_else(|_| Err("panics".to_owned())) {
            failures.push(format!("{stage}: b\"{}\": {why}", input.escape_ascii()));
            bench = Bench::new(stage);
        }
    }
    let more = failures.len().saturating_sub(SHOWN);
    failures.truncate(SHOWN);
    if more > 0 {
        failures.push(format!("{stage}: and {more} inputs more"));
    }
    failures
}

/// Checks that a plan leads to the same transcript as the reference.
pub fn agrees(
    half: &mut Half,
    input: &[u8],
    plan: &Plan,
    reference: &Transcript,
) -> Result<(), String> {
    half.resume(State::START);
    let transcript = walk(half, input, plan, &mut |_, _| Ok(()))
        .map_err(|why| format!("{why} when handed over as {plan:?}"))?;
    if transcript == *reference {
        return Ok(());
    }
    Err(format!("{transcript:X?} when handed over as {plan:?}, but at once {reference:X?}"))
}
