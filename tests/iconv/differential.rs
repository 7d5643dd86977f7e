//! Vectors through both programs: one in [`SAMPLE_STRIDE`], or every one with `CHARPIPE_TEST_EXHAUSTIVE=1`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, thread};

use crate::differences;
use crate::program::{Outcome, Program, fixtures, generated_locales};
use crate::recorded;
use crate::vectors::{self, Vector};
use charpipe_test_support::{missing, sample_stride};

/// One of this number of vectors is run by default.
const SAMPLE_STRIDE: usize = 31;

/// The standard input of every run.
const STDIN: &[u8] = b"in\xC3\xA9\n";

#[test]
fn every_vector_has_the_result_of_glibc() {
    let Some(glibc) = Program::glibc() else { return };
    let locales = generated_locales();
    if locales.is_none() {
        missing("localedef and the sources of locales");
    }
    let mut vectors = vectors::all();
    vectors.retain(|vector| locales.is_some() || !vector.is_localized());
    let stored = recorded::outcomes();
    let blesses = env::var_os("CHARPIPE_BLESS").is_some();
    let stored = if blesses { HashMap::new() } else { stored };
    let stride = if blesses { 1 } else { sample_stride(SAMPLE_STRIDE) };
    let vectors: Vec<_> = vectors.into_iter().step_by(stride).collect();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                let shared = fixtures();
                while let Some(vector) = vectors.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = |program: &Program| run(program, vector, shared.path());
                    let expected = match stored.get(vector.to_string().as_str()) {
                        Some(stored) => stored.clone(),
                        None => run(&glibc),
                    };
                    let found = run(&if blesses {
                        Program::system().unwrap()
                    } else {
                        Program::charpipe()
                    });
                    results.lock().unwrap().push((vector, expected, found));
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    if blesses {
        bless(results);
        return;
    }
    let total = results.len();
    let mut intended: BTreeMap<&str, usize> = BTreeMap::new();
    let mut failures = Vec::new();
    for (vector, expected, found) in results {
        if expected == found {
            continue;
        }
        match differences::reason(vector, &expected, &found) {
            Some(reason) => *intended.entry(reason).or_default() += 1,
            None => failures.push((vector, expected, found)),
        }
    }
    println!("{total} vectors; intended differences: {intended:#?}");
    failures.sort_by_key(|(vector, ..)| *vector);
    // One example of each kind.
    let mut kinds: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for failure @ (_, expected, found) in &failures {
        let text =
            |stderr: &[u8]| String::from_utf8_lossy(stderr).chars().take(40).collect::<String>();
        let kind = (expected.status, text(&expected.stderr), found.status, text(&found.stderr));
        kinds.entry(kind).or_default().push(failure);
    }
    for examples in kinds.values() {
        println!("{} times as these:", examples.len());
        for (vector, expected, found) in examples.iter().take(4) {
            println!("{vector}\n  glibc:    {}\n  charpipe: {}", show(expected), show(found));
        }
    }
    assert!(failures.is_empty(), "{} of {total} vectors differ", failures.len());
}

fn run(program: &Program, vector: &Vector, shared: &std::path::Path) -> Outcome {
    let mut environment = vector.environment.clone();
    if let (true, Some(locales)) = (vector.is_localized(), generated_locales()) {
        environment.push(("LOCPATH".to_owned(), locales.to_str().unwrap().to_owned()));
    }
    environment.push(("LANGUAGE".to_owned(), "C".to_owned()));
    environment.push(("LC_MESSAGES".to_owned(), "C".to_owned()));
    let own = vector.writes().then(fixtures);
    let directory = own.as_ref().map_or(shared, |own| own.path());
    program.run(directory, &environment, &vector.arguments, STDIN)
}

fn show(outcome: &Outcome) -> String {
    let Outcome { status, stdout, stderr, files } = outcome;
    let files: Vec<_> =
        files.iter().map(|(name, content)| format!("{name}={}", content.escape_ascii())).collect();
    format!("{status} [{}] [{}] {files:?}", stdout.escape_ascii(), stderr.escape_ascii())
}

/// Writes the results of the named program that differ from those of the system's.
fn bless(mut results: Vec<(&Vector, Outcome, Outcome)>) {
    results.sort_by_key(|(vector, ..)| *vector);
    let differing = results.into_iter().filter(|(_, newer, system)| newer != system);
    let rows: Vec<_> = differing.map(|(vector, newer, _)| (vector.to_string(), newer)).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/iconv/glibc-2.41.tsv");
    fs::write(path, recorded::glibc_page(&rows)).unwrap();
}
