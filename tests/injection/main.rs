//! Every system call of a run fails once in every way it may, and the run still tells the truth.
//!
//! `strace` lets one call answer with an error, run by run. Whatever fails: an exit of 0 means that
//! all was done, any other comes with a message, and a file that was to be replaced is the old one
//! or the new one. Without more words only some of the calls of each kind are tried;
//! `CHARPIPE_TEST_WHOLE=1` tries every one.

mod errors;
mod scene;
mod strace;
mod verdict;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use scene::{SCENES, Scene};

/// One call of a scene, and how it fails.
struct Case {
    scene: usize,
    call: String,
    error: &'static str,
    number: usize,
}

/// Cases of which that many or fewer differ only in the number of the call are all tried.
const FEW: usize = 2;

#[test]
fn whatever_fails_the_run_ends_with_the_truth() {
    if !strace::is_permitted() {
        return;
    }
    let quiet: Vec<_> = SCENES.iter().map(Scene::quiet).collect();
    for (scene, (ending, _)) in SCENES.iter().zip(&quiet) {
        assert_eq!(ending.code, Some(scene.code), "{}: {}", scene.name, ending.told);
    }
    let cases: Vec<Case> =
        quiet.iter().enumerate().flat_map(|(scene, (_, calls))| cases(scene, calls)).collect();
    let (next, disturbed, wrong) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(vec![]));
    let workers = std::thread::available_parallelism().map_or(2, Into::into);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Relaxed)) {
                    let Case { call, error, number, .. } = case;
                    let ending =
                        SCENES[case.scene].disturbed(&format!("{call}:error={error}:when={number}"));
                    disturbed.fetch_add(usize::from(ending.disturbed), Relaxed);
                    if let Err(what) = verdict::judge(&case.call, case.error, &quiet[case.scene].0, &ending) {
                        let scene = SCENES[case.scene].name;
                        let told = ending.told.trim_end();
                        wrong.lock().unwrap().push(format!(
                            "{scene}: {call} #{number} answers {error}: {what} (code {:?}, {told:?})",
                            ending.code
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

fn cases(scene: usize, calls: &strace::Calls) -> Vec<Case> {
    let whole = std::env::var_os("CHARPIPE_TEST_WHOLE").is_some();
    let mut cases = Vec::new();
    for (call, (first, last)) in calls {
        for error in errors::of(call) {
            let mut numbers: Vec<usize> = (*first..=*last).collect();
            if !whole && numbers.len() > FEW {
                // Spread over the run, at other places for another error.
                let step = numbers.len() / FEW;
                let skip = (scene + error.len()) % step.max(1);
                numbers = numbers.into_iter().skip(skip).step_by(step).collect();
            }
            let case = |number| Case { scene, call: call.clone(), error, number };
            cases.extend(numbers.into_iter().map(case));
        }
    }
    cases
}
