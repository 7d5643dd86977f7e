//! Carries out a plan over files at hand, and keeps all that came of it.

use charpipe::Error;
use charpipe::fault::Fault;
use charpipe::plan::Plan;
use charpipe::policy::Policy;
use charpipe::pump::Report;

/// What was written, the faults with their places, and whether one of them ended the run.
#[derive(Default, Debug, PartialEq, Eq, Clone)]
pub struct Outcome {
    pub output: Vec<u8>,
    pub faults: Vec<Fault>,
    pub stopped: bool,
}

struct Told<'a>(&'a mut Vec<Fault>);

impl Report for Told<'_> {
    fn wants_place(&self) -> bool {
        true
    }

    fn fault(&mut self, fault: &Fault) {
        self.0.push(*fault);
    }
}

pub fn plan(from: &str, to: &str, invalid: &str, unmappable: &str) -> Plan {
    let mut plan = Plan::new(from.parse().unwrap(), to.parse().unwrap());
    let (invalid, unmappable) = (invalid.parse().unwrap(), unmappable.parse().unwrap());
    plan.policy = Policy { invalid, unmappable };
    plan
}

pub fn run(plan: &Plan, files: &[&[u8]]) -> Outcome {
    let mut outcome = Outcome::default();
    match feed(plan, files, &mut outcome.output, &mut Told(&mut outcome.faults)) {
        Ok(()) => {}
        Err(Error::Stopped(_)) => outcome.stopped = true,
        Err(error) => panic!("{error}"),
    }
    outcome
}

/// Carries out a plan and tells this report of the faults.
pub fn feed(
    plan: &Plan,
    files: &[&[u8]],
    output: &mut Vec<u8>,
    report: &mut dyn Report,
) -> Result<(), Error> {
    let mut pump = plan.pump()?;
    for file in files {
        let mut rest = *file;
        while !rest.is_empty() {
            let space = pump.space();
            let count = space.len().min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            pump.filled(count, output, report)?;
            rest = &rest[count..];
        }
        pump.end_of_file(output, report)?;
    }
    pump.finish(output, report)
}
