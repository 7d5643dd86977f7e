//! Whether the rules that leave files out can be read.
//!
//! The walk takes a `.gitignore` that it cannot read for one that says nothing. For a tool that
//! rewrites files that is the greater evil: what the rules leave out would be converted. So each is
//! looked at before, and where that fails its folder is left alone.

use std::fs::{self, File};
use std::io::ErrorKind::{NotADirectory, NotFound};
use std::io::{self, Read};
use std::path::Path;

use super::Lost;
use crate::cli::exit::reason;

const RULES: [&str; 2] = [".gitignore", ".git/info/exclude"];
/// Bytes of rules beyond which the memory to hold them would not be bounded.
const LARGEST: u64 = 1 << 20;

/// The rules for a folder that cannot be read, if there are such.
pub(super) fn unreadable(folder: &Path) -> Option<Lost> {
    RULES.iter().find_map(|name| {
        let path = folder.join(name);
        let error = look(&path).err()?;
        Some(Lost::new(&path, format!("{}, so its folder is left alone", reason(&error))))
    })
}

/// The same of a folder and those above it. The walk reads their rules too, even where a
/// repository in between makes them void.
pub(super) fn unreadable_down_to(folder: &Path) -> Option<Lost> {
    match fs::canonicalize(folder) {
        Ok(whole) => unreadable(folder).or_else(|| whole.ancestors().skip(1).find_map(unreadable)),
        Err(error) => Some(Lost::new(folder, reason(&error))),
    }
}

/// Reads the beginning of what is there. That nothing is there, or a folder, is no error. What
/// would have to be waited for, or has no end, is one.
fn look(path: &Path) -> io::Result<()> {
    let found = match fs::metadata(path) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => return Ok(()),
        found => found?,
    };
    match () {
        () if found.is_dir() => Ok(()),
        () if !found.is_file() => Err(io::Error::other("is not a regular file")),
        () if found.len() > LARGEST => Err(io::Error::other("is too long for a list of rules")),
        () => File::open(path)?.take(1).read_to_end(&mut Vec::new()).map(drop),
    }
}
