//! What packages contain besides the program: manual pages, completions, and the files that describe
//! packages.

mod action;
mod completions;
mod install;
mod man_pages;
mod release;

use std::path::Path;

const REPOSITORY_ROOT: &str = env!("CARGO_MANIFEST_DIR");
const CHARPIPE: &str = env!("CARGO_BIN_EXE_charpipe");

/// Reads a file of the repository.
fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(REPOSITORY_ROOT).join(path)).unwrap()
}
