//! The charsets with tables beside the C library's, whole: what every code decodes to, what every
//! character encodes to, and what nobody has.
//!
//! A code is asked for by itself, in each state of its charset. Codes are found by walking: every
//! octet, and behind what either of the two calls cut short every octet again.

mod cells;
mod rows;
mod shared;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::disagreements::{Direction, Example, Said};
use crate::peers::{Peer, Peers, skipped};

pub use cells::{Difference, Verdict};
pub use rows::{ROWS, Row};
pub use shared::Shared;
use shared::shared;

/// What differs, by charset and direction.
type Differences = BTreeMap<(&'static str, Direction), Vec<Difference>>;

/// Asks for all charsets that the C library has, on all processors. Nothing where it is not here in
/// the measured version: what others have is not known.
fn measured(shared: &[Shared]) -> Differences {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Differences::new());
    let test = thread::current().name().unwrap_or_default().to_owned();
    let work = || {
        let Some(mut peers) = Peers::start() else { return };
        if !peers.is_as_measured(Peer::Glibc) {
            return skipped(&format!("{} is not here", Peer::Glibc));
        }
        while let Some(one) = shared.get(next.fetch_add(1, Ordering::Relaxed)) {
            let both = [
                (Direction::Decode, one.decoding(&mut peers)),
                (Direction::Encode, one.encoding(&mut peers)),
            ];
            let known = both
                .into_iter()
                .filter_map(|(direction, found)| Some(((one.charset.name, direction), found?)));
            all.lock().unwrap().extend(known);
        }
    };
    thread::scope(|scope| {
        let worker = || thread::Builder::new().name(test.clone()).spawn_scoped(scope, work);
        let processors = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..processors).map(|_| worker().unwrap()).collect();
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
    all.into_inner().unwrap()
}

/// The first row that a disagreement is of.
fn row_of(charset: &str, direction: Direction, difference: &Difference) -> Option<usize> {
    let is_about = |row: &Row| {
        row.direction == direction
            && (row.charsets.is_empty() || row.charsets.contains(&charset))
            && (row.is_of)(difference)
    };
    ROWS.iter().position(is_about)
}

#[test]
fn every_code_and_every_character_is_as_the_c_library_has_it() {
    let shared = shared();
    assert!(shared.len() > 250, "{} charsets", shared.len());
    let differences = measured(&shared);
    let mut counts = vec![0; ROWS.len()];
    let mut surprises = Vec::new();
    for ((charset, direction), found) in &differences {
        for difference in found {
            match row_of(charset, *direction, difference) {
                Some(row) => counts[row] += 1,
                None => surprises.push(format!("{charset} {direction:?} {difference:02X?}")),
            }
        }
    }
    let first = surprises[..surprises.len().min(40)].join("\n");
    assert!(surprises.is_empty(), "{} disagree:\n{first}", surprises.len());
    if differences.len() == 2 * shared.len() {
        every_row_holds(&differences, &counts);
    } else if !differences.is_empty() {
        skipped("the C library here lacks some of its tables");
    }
}

/// Whether each row is as large as it says, and has its examples.
fn every_row_holds(differences: &Differences, counts: &[usize]) {
    for (row, count) in ROWS.iter().zip(counts) {
        assert_eq!(row.count, *count, "{}: {}", row.names(), row.inputs);
        let charset = row.charsets.first().copied().unwrap_or("ISO-8859-2");
        let found = &differences[&(charset, row.direction)];
        assert!(row.examples.iter().all(|example| shows(found, example)), "{row:#?}");
    }
}

/// Whether an example is one of these differences.
fn shows(found: &[Difference], example: &Example) -> bool {
    let is_said = |verdict: &Verdict, said| match (verdict, said) {
        (Verdict::Gives(bytes), Said::Gives(said)) => bytes == said,
        (Verdict::Refuses | Verdict::CutShort, Said::Refuses) => true,
        _ => false,
    };
    found.iter().any(|difference| {
        difference.input == example.input
            && is_said(&difference.theirs, example.theirs)
            && is_said(&difference.ours, example.ours)
    })
}
