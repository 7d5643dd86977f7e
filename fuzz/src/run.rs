//! Runs a whole plan over an input, and notes all that can be seen of it.

use charpipe::Error;
use charpipe::fault::{Done, Excerpt, Fault, Kind, Place, What};
use charpipe::plan::Plan;
use charpipe::policy::Action;
use charpipe::pump::Report;

use super::bytes::Bytes;

/// A fault as it was told, but for what was done about it.
pub type Told = (What, Place, Excerpt);

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    pub out: Vec<u8>,
    pub told: Vec<Told>,
    /// How many faults of each sort there were.
    pub sums: Sums,
    /// Whether a fault ended it.
    pub stopped: bool,
}

/// How many faults of each kind were met about which the same was done.
#[derive(Debug, Clone, Default)]
pub struct Sums(Vec<(Kind, Done, u64)>);

impl Sums {
    fn add(&mut self, fault: &Fault, count: u64) {
        let (kind, done) = (fault.kind(), fault.done);
        match self.0.iter_mut().find(|sum| (sum.0, sum.1) == (kind, done)) {
            Some(sum) => sum.2 += count,
            None => self.0.push((kind, done, count)),
        }
    }
}

/// The order in which the sorts were met does not count.
impl PartialEq for Sums {
    fn eq(&self, other: &Sums) -> bool {
        self.0.len() == other.0.len() && self.0.iter().all(|sum| other.0.contains(sum))
    }
}

impl Eq for Sums {}

/// Notes so many faults, and of all others the number.
struct Notes {
    most: usize,
    told: Vec<Told>,
    sums: Sums,
}

impl Report for Notes {
    fn wants_place(&self) -> bool {
        self.told.len() < self.most
    }

    fn fault(&mut self, fault: &Fault) {
        if self.wants_place() {
            let place = fault.place.expect("a report that wants a place gets one");
            self.told.push((fault.what, place, fault.excerpt));
        }
        self.sums.add(fault, 1);
    }

    fn only_counts(&self) -> bool {
        !self.wants_place()
    }

    fn faults(&mut self, fault: &Fault, count: u64) {
        assert!(self.only_counts() && count > 0, "rows are told to who counts");
        self.sums.add(fault, count);
    }
}

/// The outcome of a plan; none for a plan that cannot be carried out.
pub fn run(plan: &Plan, input: &[u8]) -> Option<Outcome> {
    run_files(plan, &[input], usize::MAX)
}

/// The outcome over some files, when `most` faults are told one by one and the others counted.
pub fn run_files(plan: &Plan, files: &[&[u8]], most: usize) -> Option<Outcome> {
    let mut pump = plan.pump().ok()?;
    let (mut out, mut notes) = (Vec::new(), Notes { most, told: vec![], sums: Sums::default() });
    let mut pour = || {
        for file in files {
            let mut rest = *file;
            while !rest.is_empty() {
                let space = pump.space();
                let count = space.len().min(rest.len());
                space[..count].copy_from_slice(&rest[..count]);
                pump.filled(count, &mut out, &mut notes)?;
                rest = &rest[count..];
            }
            pump.end_of_file(&mut out, &mut notes)?;
        }
        pump.finish(&mut out, &mut notes)
    };
    let stopped = match pour() {
        Ok(()) => false,
        Err(Error::Stopped(_)) => true,
        Err(other) => panic!("{other}"),
    };
    Some(Outcome { out, told: notes.told, sums: notes.sums, stopped })
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

/// Sets what becomes of both kinds of error as the next bytes choose. What cannot be kept is kept
/// as text, or replaced.
pub fn choose_policy(plan: &mut Plan, bytes: &mut Bytes<'_>) {
    for action in [&mut plan.policy.invalid, &mut plan.policy.unmappable] {
        *action = bytes.one(ACTIONS).parse().expect("a word of the vocabulary");
    }
    if plan.policy.unmappable == Action::Keep {
        plan.policy.unmappable = Action::Replace(None);
    }
    if plan.policy.invalid == Action::Keep && matches!(plan.pump(), Err(Error::KeepsNoBytes { .. }))
    {
        plan.policy.invalid = Action::KeepText;
    }
}
