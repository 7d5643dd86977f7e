//! Which mutant is active. The copy of the tree that is mutated has this file as a package.
//!
//! Tests count the allocations of codecs, so nothing here allocates but at the start of the program.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The number of the active mutant.
static ACTIVE: LazyLock<Option<u32>> =
    LazyLock::new(|| std::env::var("CHARPIPE_TEST_MUTANT").ok()?.parse().ok());

/// Records which mutants are reached.
static RECORDER: LazyLock<Option<Recorder>> = LazyLock::new(|| {
    let path = std::env::var_os("CHARPIPE_TEST_MUTANTS_REACHED")?;
    let file = OpenOptions::new().append(true).open(path).ok()?;
    let reached = std::iter::repeat_with(|| AtomicBool::new(false)).take(0x1_0000).collect();
    Some(Recorder { file, reached })
});

struct Recorder {
    file: File,
    reached: Vec<AtomicBool>,
}

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = {
    extern "C" fn start() {
        LazyLock::force(&ACTIVE);
        LazyLock::force(&RECORDER);
    }
    start
};

/// Returns whether a mutant is active, and records that it was reached.
pub fn active(number: u32) -> bool {
    if let Some(recorder) = &*RECORDER {
        if !recorder.reached[number as usize].swap(true, Ordering::Relaxed) {
            let mut line = [0; 16];
            let mut rest = &mut line[..];
            writeln!(rest, "{number}").unwrap();
            let len = 16 - rest.len();
            (&recorder.file).write_all(&line[..len]).unwrap();
        }
    }
    *ACTIVE == Some(number)
}
