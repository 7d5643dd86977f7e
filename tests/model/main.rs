//! The pump against a slow and obvious model.
//!
//! The model decodes a whole file at once, counts lines one character at a time, puts an answer in
//! the place of every fault, and has the text that comes out encoded in one go. The pump must come
//! to the same output, the same faults and the same places, in blocks and portions of any size.

mod expected;
mod sources;

use charpipe::Error;
use charpipe::fault::{Fault, What};
use charpipe::plan::{Bom, Plan};
use charpipe::policy::Policy;
use charpipe::pump::Report;
use proptest::prelude::*;
use proptest::sample::select;

use expected::{ACTIONS, KEEP, KEEPS, Outcome, Rules, TARGETS};
use sources::{SOURCES, Unit};

impl Report for Outcome {
    fn wants_place(&self) -> bool {
        true
    }

    fn fault(&mut self, fault: &Fault) {
        let (len, character) = match fault.what {
            What::Malformed { len, .. } => (len, None),
            What::Unmappable(character) | What::Misplaced(character) => (0, Some(character)),
        };
        self.met.push((fault.kind(), len, character, fault.done, fault.place.unwrap()));
    }
}

#[derive(Debug)]
struct Case {
    /// Index into [`SOURCES`].
    source: usize,
    rules: Rules,
    files: Vec<Vec<Unit>>,
    /// Bytes that are fed at a time, over and over.
    portions: Vec<usize>,
    block: usize,
    fast: bool,
}

impl Case {
    fn pumped(&self) -> Outcome {
        let (mut output, mut told) = (Vec::new(), Outcome::default());
        let stopped = match self.feed(&mut output, &mut told) {
            Ok(()) => false,
            Err(Error::Stopped(_)) => true,
            Err(error) => panic!("{error}"),
        };
        Outcome { output, stopped, ..told }
    }

    fn feed(&self, output: &mut Vec<u8>, told: &mut Outcome) -> Result<(), Error> {
        let (from, to) = (SOURCES[self.source], TARGETS[self.rules.target].0);
        let mut plan = Plan::new(from.0.parse()?, to.parse()?);
        let (invalid, unmappable) = (self.rules.invalid, self.rules.unmappable);
        let [invalid, unmappable] = [invalid, unmappable].map(|word| word.parse().unwrap());
        plan.policy = Policy { invalid, unmappable };
        (plan.bom, plan.block, plan.fast) = (self.rules.bom, self.block, self.fast);
        let mut pump = plan.pump()?;
        let mut portions = self.portions.iter().cycle();
        for units in &self.files {
            let file = from.1(units).0;
            let mut rest = &file[..];
            while !rest.is_empty() {
                let space = pump.space();
                let count = space.len().min(rest.len()).min(*portions.next().unwrap());
                space[..count].copy_from_slice(&rest[..count]);
                pump.filled(count, output, told)?;
                rest = &rest[count..];
            }
            pump.end_of_file(output, told)?;
        }
        pump.finish(output, told)
    }

    fn modelled(&self) -> Outcome {
        self.rules.outcome(self.files.iter().map(|units| SOURCES[self.source].1(units).1))
    }
}

fn units() -> impl Strategy<Value = Vec<Unit>> {
    let character = select("aabc\n\né€я½\u{301}\u{2033}\u{FEFF}😀".chars().collect::<Vec<_>>());
    let byte = select(b"\x00\x80\xA9\xC3\xD8\xDC\xE2\xED\xF0\xFF".to_vec());
    let one = prop_oneof![
        4 => character.prop_map(|character| vec![Unit::Character(character)]),
        1 => byte.prop_map(|byte| vec![Unit::Byte(byte)]),
        1 => (1..200usize).prop_map(|len| vec![Unit::Character('a'); len]),
    ];
    prop::collection::vec(one, 0..24).prop_map(|parts| parts.concat())
}

fn case() -> impl Strategy<Value = Case> {
    let ends = (0..SOURCES.len(), 0..TARGETS.len());
    let bom = select(vec![Bom::Keep, Bom::Keep, Bom::Strip, Bom::Add]);
    let invalid = prop_oneof![5 => select(ACTIONS.to_vec()), 1 => Just(KEEP)];
    let actions = (invalid, select(ACTIONS.to_vec()));
    let files = prop::collection::vec(units(), 0..4);
    let portions = prop::collection::vec(1..40usize, 1..4);
    let block = select(vec![1, 2, 3, 4, 5, 7, 16, 64, 1000]);
    (ends, bom, actions, files, portions, block, any::<bool>()).prop_map(
        |((source, target), bom, (invalid, unmappable), files, portions, block, fast)| {
            // A mark that the target lacks would be a fault of its own.
            let bom = if TARGETS[target].1 > 0xFEFF { bom } else { Bom::Keep };
            let keeps = KEEPS.contains(&TARGETS[target].0);
            let invalid = if invalid == KEEP && !keeps { "skip" } else { invalid };
            let rules = Rules { target, bom, invalid, unmappable };
            Case { source, rules, files, portions, block, fast }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 5000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_pump_does_what_the_model_does(case in case()) {
        prop_assert_eq!(case.pumped(), case.modelled());
    }
}
