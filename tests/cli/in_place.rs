//! `-i`: files that are converted where they stand.

mod binary;
mod content;
mod likeness;
mod links;
mod mappings;
mod names;
mod refusals;
mod restart;
mod selection;
mod summary;
mod system;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use assert_cmd::assert::Assert;

use crate::command::{charpipe, told};

/// Runs `charpipe -i` with these words in a folder.
fn in_place<S: AsRef<OsStr>>(folder: &Path, words: &[S]) -> Assert {
    charpipe().current_dir(folder).arg("-i").args(words).assert()
}

/// What a run has told, without `charpipe: ` and the line that sums up.
fn lines(run: &Assert) -> Vec<String> {
    let mut lines = told(run);
    lines.pop();
    lines.iter().map(|line| line.strip_prefix("charpipe: ").unwrap().to_owned()).collect()
}

/// The line that sums up.
fn summary(run: &Assert) -> String {
    told(run).pop().unwrap_or_default()
}

fn read(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap()
}
