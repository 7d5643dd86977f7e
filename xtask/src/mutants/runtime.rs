//! Which mutant is active. The copy of the tree that is mutated has this file as a package.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of the active mutant.
static ACTIVE: LazyLock<Option<u32>> =
    LazyLock::new(|| std::env::var("CHARPIPE_TEST_MUTANT").ok()?.parse().ok());

/// Records which mutants are reached.
static RECORDER: LazyLock<Option<Recorder>> = LazyLock::new(|| {
    let path = std::env::var_os("CHARPIPE_TEST_MUTANTS_REACHED")?;
    let reached = std::iter::repeat_with(|| AtomicBool::new(false)).take(0x1_0000).collect();
    Some(Recorder { path, reached })
});

struct Recorder {
    path: std::ffi::OsString,
    reached: Vec<AtomicBool>,
}

/// Returns whether a mutant is active, and records that it was reached.
pub fn active(number: u32) -> bool {
    if let Some(recorder) = &*RECORDER {
        if !recorder.reached[number as usize].swap(true, Ordering::Relaxed) {
            let mut file = OpenOptions::new().append(true).open(&recorder.path).unwrap();
            file.write_all(format!("{number}\n").as_bytes()).unwrap();
        }
    }
    *ACTIVE == Some(number)
}
