//! What packages contain besides the program: manual pages, completions, and the files that describe
//! packages. Not in the published crate.

mod action;
mod completions;
mod install;
mod man_pages;
mod release;

use std::path::Path;

const REPOSITORY_ROOT: &str = env!("CARGO_MANIFEST_DIR");
const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// Returns whether a program is installed; prints that a test is skipped if not.
fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_found = std::env::split_paths(&path).any(|directory| directory.join(program).exists());
    if !is_found {
        println!("skipped: {program} is not installed");
    }
    is_found
}

/// Reads a file of the repository.
fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(REPOSITORY_ROOT).join(path)).unwrap()
}
