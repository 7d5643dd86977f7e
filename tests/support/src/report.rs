//! Lines about tests that are seen although the tests pass.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Mutex;

/// Prints a line about the running test, once and also where the test harness captures the output, and appends
/// it to the file that `CHARPIPE_TEST_REPORT` names.
///
/// # Panics
///
/// If the file cannot be written.
pub fn report(what: &str) {
    static REPORTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let line = format!("{}: {what}\n", thread.name().unwrap_or("a thread"));
    if !REPORTED.lock().unwrap().insert(line.clone()) {
        return;
    }
    // The macros that print are captured.
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(path) = std::env::var_os("CHARPIPE_TEST_REPORT") {
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}
