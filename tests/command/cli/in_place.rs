//! `-i`: files that are converted in place.

mod binary;
#[cfg(unix)]
mod concurrency;
#[cfg(unix)]
mod content;
#[cfg(unix)]
mod links;
#[cfg(unix)]
mod mappings;
#[cfg(unix)]
mod metadata;
#[cfg(unix)]
mod names;
#[cfg(unix)]
mod rejected;
mod restart;
mod selection;
mod summary;

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use assert_cmd::assert::Assert;

use crate::cli::command::{charpipe, messages_of};

/// Runs `charpipe -i` with these words in a directory.
fn in_place<S: AsRef<OsStr>>(directory: &Path, words: &[S]) -> Assert {
    charpipe().current_dir(directory).arg("-i").args(words).assert()
}

/// Returns the messages of a run, without `charpipe: ` and the summary.
fn lines(run: &Assert) -> Vec<String> {
    let mut lines = messages_of(run);
    lines.pop();
    lines.iter().map(|line| line.strip_prefix("charpipe: ").unwrap().to_owned()).collect()
}

/// Returns the last message, which is the summary.
fn summary(run: &Assert) -> String {
    messages_of(run).pop().unwrap_or_default()
}

fn read(directory: &Path, name: &str) -> Vec<u8> {
    fs::read(directory.join(name)).unwrap()
}
