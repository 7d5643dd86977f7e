//! Makes every system call of a run fail, and checks that the exit code and the messages are true.
//!
//! `strace` makes one call fail in each run, or that call and all later ones of its kind, as on a disk that is
//! full. Whatever fails: an exit code of 0 means that everything was done, any other comes with a message, and a
//! file that was to be replaced is the old one or the new one. By default a sample of the calls of each kind
//! fails; with `CHARPIPE_TEST_EXHAUSTIVE=1` each of them does.

mod checks;
mod errors;
mod scenario;
pub mod strace;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use charpipe_test_support::{is_exhaustive, sample_stride};
use scenario::{SCENARIOS, Scenario};

/// One call of a scene, and how it fails.
struct ErrorCase {
    scenario: usize,
    /// Several are joined by commas.
    call: String,
    error: &'static str,
    number: usize,
    /// Whether all later ones fail as well.
    is_lasting: bool,
}

impl ErrorCase {
    fn inject(&self) -> String {
        let ErrorCase { call, error, number, is_lasting: lasts, .. } = self;
        format!("{call}:error={error}:when={number}{}", if *lasts { "+" } else { "" })
    }
}

/// One of this number of cases is tried by default. Scenarios have the calls in common, so each fails in some of them.
const SAMPLE_STRIDE: usize = 7;

#[test]
fn failed_system_calls_are_survived_or_reported() {
    if !strace::is_permitted() {
        return;
    }
    let quiet: Vec<_> = SCENARIOS.iter().map(Scenario::run_undisturbed).collect();
    for (scene, (ending, _)) in SCENARIOS.iter().zip(&quiet) {
        assert_eq!(ending.exit_code, Some(scene.exit_code), "{}: {}", scene.name, ending.messages);
    }
    let cases: Vec<ErrorCase> =
        quiet.iter().enumerate().flat_map(|(scene, (_, calls))| cases(scene, calls)).collect();
    let (next, disturbed, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(vec![]));
    let workers = std::thread::available_parallelism().map_or(2, Into::into);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                    let inject = case.inject();
                    let ending = SCENARIOS[case.scenario].run_disturbed(&inject);
                    disturbed.fetch_add(usize::from(ending.disturbed), Relaxed);
                    if let Err(what) = checks::check_result(
                        &case.call,
                        case.error,
                        &quiet[case.scenario].0,
                        &ending,
                    ) {
                        let scene = SCENARIOS[case.scenario].name;
                        let messages = ending.messages.trim_end();
                        wrong.lock().unwrap().push(format!(
                            "{scene}: {inject}: {what} (code {:?}, {messages:?})",
                            ending.exit_code
                        ));
                    }
                }
            });
        }
    });
    let (disturbed, wrong) = (disturbed.into_inner(), wrong.into_inner().unwrap());
    println!("{} runs, {disturbed} of them disturbed", cases.len());
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    // The number of calls that threads make varies a little.
    assert!(disturbed * 10 >= cases.len() * 9, "{disturbed} of {} happened", cases.len());
}

fn cases(scene: usize, calls: &strace::Calls) -> Vec<ErrorCase> {
    let mut cases = Vec::new();
    let mut add = |call: &str, error: &'static str, range: (usize, usize), lasts| {
        // At other positions for another error.
        let numbers = sample_cases(range, scene + error.len());
        let case = |number| ErrorCase {
            scenario: scene,
            call: call.to_owned(),
            error,
            number,
            is_lasting: lasts,
        };
        cases.extend(numbers.into_iter().map(case));
    };
    for (call, range) in calls {
        errors::errors_of(call).iter().for_each(|error| add(call, error, *range, false));
        errors::lasting_errors(call).for_each(|error| add(call, error, *range, true));
    }
    for together in errors::ALL_CALLS {
        let made = together.iter().filter_map(|call| calls.get(*call));
        if let Some(last) = made.map(|(_, last)| *last).max() {
            ["EIO", "EROFS"]
                .iter()
                .for_each(|error| add(&together.join(","), error, (1, last), true));
        }
    }
    let stride = sample_stride(SAMPLE_STRIDE);
    cases.into_iter().skip(scene % stride).step_by(stride).collect()
}

/// The numbers from the first to the last, or one of them, at another position for another error and scenario.
fn sample_cases((first, last): (usize, usize), skip: usize) -> Vec<usize> {
    if is_exhaustive() {
        return (first..=last).collect();
    }
    vec![first + skip % (last + 1 - first)]
}
