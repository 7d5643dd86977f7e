//! Runs a whole plan over an input, and notes all that can be seen of it.

use charpipe::Error;
use charpipe::fault::{Excerpt, Fault, Place, What};
use charpipe::plan::Plan;
use charpipe::pump::Report;

use super::bytes::Bytes;

/// A fault as it was told, but for what was done about it.
pub type Told = (What, Place, Excerpt);

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub out: Vec<u8>,
    pub told: Vec<Told>,
    /// Whether a fault ended it.
    pub stopped: bool,
}

/// Notes every fault.
#[derive(Default)]
struct Notes(Vec<Told>);

impl Report for Notes {
    fn wants_place(&self) -> bool {
        true
    }

    fn fault(&mut self, fault: &Fault) {
        let place = fault.place.expect("a report that wants a place gets one");
        self.0.push((fault.what, place, fault.excerpt));
    }
}

/// The outcome of a plan; none for a plan that cannot be carried out.
pub fn run(plan: &Plan, input: &[u8]) -> Option<Outcome> {
    let mut pump = plan.pump().ok()?;
    let (mut out, mut notes) = (Vec::new(), Notes::default());
    let mut pour = || {
        let mut rest = input;
        while !rest.is_empty() {
            let space = pump.space();
            let count = space.len().min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            pump.filled(count, &mut out, &mut notes)?;
            rest = &rest[count..];
        }
        pump.end_of_file(&mut out, &mut notes)?;
        pump.finish(&mut out, &mut notes)
    };
    let stopped = match pour() {
        Ok(()) => false,
        Err(Error::Stopped(_)) => true,
        Err(other) => panic!("{other}"),
    };
    Some(Outcome { out, told: notes.0, stopped })
}

/// What to do about faults: every word, one text that most targets have and one that few have.
pub const ACTIONS: &[&str] = &[
    "stop",
    "skip",
    "replace",
    "replace=?!",
    "replace=\u{20AC}",
    "translit",
    "keep",
    "backslash",
    "c",
    "java",
    "xml",
    "xml-hex",
    "unicode",
    "percent",
];

/// Sets what becomes of both kinds of fault as the next bytes choose.
pub fn choose_policy(plan: &mut Plan, bytes: &mut Bytes<'_>) {
    for action in [&mut plan.policy.invalid, &mut plan.policy.unmappable] {
        *action = bytes.one(ACTIONS).parse().expect("a word of the vocabulary");
    }
}
