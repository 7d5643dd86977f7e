//! Decodes header lines through a plan and its pump, and keeps the faults.

use charpipe::fault::Fault;
use charpipe::plan::Plan;
use charpipe::policy::Action;
use charpipe::pump::Report;

struct Told(Vec<Fault>);

impl Report for Told {
    fn wants_place(&self) -> bool {
        true
    }

    fn fault(&mut self, fault: &Fault) {
        self.0.push(*fault);
    }
}

/// The text in UTF-8 with U+FFFD for each fault, and the faults. `from` is `rfc2047` with or
/// without options; `block` is in bytes.
pub fn decoded(from: &str, input: &[u8], block: usize) -> (String, Vec<Fault>) {
    let mut plan = Plan::new(from.parse().unwrap(), "utf-8".parse().unwrap());
    plan.policy.invalid = Action::Replace(None);
    plan.block = block;
    let (mut output, mut told) = (Vec::new(), Told(Vec::new()));
    let mut pump = plan.pump().unwrap();
    let mut rest = input;
    while !rest.is_empty() {
        let space = pump.space();
        let count = space.len().min(rest.len());
        space[..count].copy_from_slice(&rest[..count]);
        pump.filled(count, &mut output, &mut told).unwrap();
        rest = &rest[count..];
    }
    pump.end_of_file(&mut output, &mut told).unwrap();
    pump.finish(&mut output, &mut told).unwrap();
    (String::from_utf8(output).unwrap(), told.0)
}

pub fn text(from: &str, input: &[u8], block: usize) -> String {
    decoded(from, input, block).0
}
