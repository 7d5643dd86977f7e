//! The encodings with tables beside the C library's, one in [`SAMPLE_STRIDE`] or all with
//! `CHARPIPE_TEST_EXHAUSTIVE=1`, each whole: what every code decodes to, what every
//! character encodes to, and what no converter has.
//!
//! A code is requested by itself, in each state of its encoding. Codes are found by walking: every
//! byte, and after what either of the two calls truncated every byte again.

mod cells;
mod rows;
mod shared;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::converters::{ConverterProcess, OtherConverter};
use crate::known_differences::{DifferenceExample, Direction, ExpectedResult};
use charpipe_test_support::{missing, sample_stride};

pub use cells::{CellDifference, CellResult};
pub use rows::{KnownTableDifference, TABLE_DIFFERENCES};
pub use shared::SharedTable;
use shared::shared_tables;

/// One of this number of encodings is compared by default.
const SAMPLE_STRIDE: usize = 19;

/// The differences, by encoding and direction.
type TableDifferences = BTreeMap<(&'static str, Direction), Vec<CellDifference>>;

/// Asks for all encodings that the C library has, on all processors. Nothing where it is not here in
/// the measured version: what others have is not known.
fn measure_tables(shared: &[SharedTable]) -> TableDifferences {
    let next = AtomicUsize::new(0);
    let all = Mutex::new(TableDifferences::new());
    let test = thread::current().name().unwrap_or_default().to_owned();
    let work = || {
        let Some(mut converters) = ConverterProcess::start() else { return };
        if !converters.is_as_measured(OtherConverter::Glibc) {
            return missing(&OtherConverter::Glibc.to_string());
        }
        while let Some(one) = shared.get(next.fetch_add(1, Ordering::Relaxed)) {
            let both = [
                (Direction::Decode, one.decoding(&mut converters)),
                (Direction::Encode, one.encoding(&mut converters)),
            ];
            let known = both
                .into_iter()
                .filter_map(|(direction, found)| Some(((one.encoding.name(), direction), found?)));
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
fn known_difference_for(
    encoding: &str,
    direction: Direction,
    difference: &CellDifference,
) -> Option<usize> {
    let is_about = |row: &KnownTableDifference| {
        row.direction == direction
            && (row.encodings.is_empty() || row.encodings.contains(&encoding))
            && (row.applies_to)(difference)
    };
    TABLE_DIFFERENCES.iter().position(is_about)
}

#[test]
fn tables_match_the_c_library() {
    let shared = shared_tables();
    assert!(shared.len() > 250, "{} encodings", shared.len());
    let all = shared.len();
    let shared: Vec<_> = shared.into_iter().step_by(sample_stride(SAMPLE_STRIDE)).collect();
    let differences = measure_tables(&shared);
    let mut counts = vec![0; TABLE_DIFFERENCES.len()];
    let mut surprises = Vec::new();
    for ((encoding, direction), found) in &differences {
        for difference in found {
            match known_difference_for(encoding, *direction, difference) {
                Some(row) => counts[row] += 1,
                None => surprises.push(format!("{encoding} {direction:?} {difference:02X?}")),
            }
        }
    }
    let first = surprises[..surprises.len().min(40)].join("\n");
    assert!(surprises.is_empty(), "{} disagree:\n{first}", surprises.len());
    if differences.len() == 2 * all {
        known_table_differences_still_exist(&differences, &counts);
    } else if differences.len() < 2 * shared.len() && !differences.is_empty() {
        missing("some tables of the C library");
    }
}

/// Whether each row is as large as it says, and has its examples.
fn known_table_differences_still_exist(differences: &TableDifferences, counts: &[usize]) {
    for (row, count) in TABLE_DIFFERENCES.iter().zip(counts) {
        assert_eq!(row.count, *count, "{}: {}", row.names(), row.inputs);
        let encoding = row.encodings.first().copied().unwrap_or("ISO-8859-2");
        let found = &differences[&(encoding, row.direction)];
        assert!(row.examples.iter().all(|example| has_examples(found, example)), "{row:#?}");
    }
}

/// Whether an example is one of these differences.
fn has_examples(found: &[CellDifference], example: &DifferenceExample) -> bool {
    let is_said = |verdict: &CellResult, said| match (verdict, said) {
        (CellResult::Decodes(bytes), ExpectedResult::Converts(said)) => bytes == said,
        (CellResult::Refuses | CellResult::Truncated, ExpectedResult::Refuses) => true,
        _ => false,
    };
    found.iter().any(|difference| {
        difference.input == example.input
            && is_said(&difference.theirs, example.theirs)
            && is_said(&difference.ours, example.ours)
    })
}
