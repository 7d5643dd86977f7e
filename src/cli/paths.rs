//! Which files are meant: operands, the names of a list, and what folders hold.
//!
//! What is named is always meant, whatever `.gitignore` and `--glob` say of it; they choose among
//! the files that are found in a folder. One file is looked for at a time, so that a tree or a
//! list may be as large as it likes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::vec;

use anyhow::{Result, bail};
use charpipe::directory::Entry;
use charpipe::source::Source;

use super::args::Which;
use super::job::{Input, input, inputs};
use super::run;

mod list;
mod listing;
mod patterns;
mod rules;
mod sieve;
#[cfg(test)]
mod tests;
mod walk;
mod wildmatch;

use list::List;
use sieve::Sieve;
use walk::{LIMITS, Walk};

/// What a command line says about the files to work on.
#[derive(Debug, Clone)]
pub struct Selection {
    operands: Vec<Input>,
    /// Whether the only operand is the standard input, because nothing was named.
    implied_stdin: bool,
    list: Option<Input>,
    /// What ends a name in the list: NUL or a line feed.
    end: u8,
    /// What is taken from a folder; nothing where folders are not gone into.
    sieve: Option<Sieve>,
}

/// A file to work on, or what cannot be worked on.
pub type Found = Result<Selected, Lost>;

/// A file to work on.
#[derive(Debug, Clone)]
pub struct Selected {
    pub input: Input,
    /// Where a walk has found it; none for a file that is named itself.
    pub entry: Option<Entry>,
}

impl Selected {
    fn named(input: Input) -> Selected {
        Selected { input, entry: None }
    }

    fn found(entry: Entry) -> Selected {
        Selected { input: Input::File(entry.path()), entry: Some(entry) }
    }

    /// Opens it. What a walk has found is opened where it was found, and not by its path.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub fn open(&self) -> io::Result<Source> {
        match &self.entry {
            Some(entry) => entry.open().map(Source::File),
            None => run::open(&self.input),
        }
    }
}

/// Something that was named and cannot be worked on. The reason is safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    pub input: Input,
    pub reason: String,
}

impl Lost {
    fn new(path: &Path, reason: impl Into<String>) -> Lost {
        Lost { input: Input::File(path.to_owned()), reason: reason.into() }
    }
}

impl Selection {
    /// # Errors
    ///
    /// A glob that is none, and words that say nothing without another.
    pub fn new(operands: Vec<Input>, which: &Which) -> Result<Selection> {
        for (given, word, needed) in [
            (!which.glob.is_empty() && !which.recursive, "--glob", "--recursive"),
            (which.hidden && !which.recursive, "--hidden", "--recursive"),
            (which.null && which.files_from.is_none(), "--null", "--files-from"),
        ] {
            if given {
                bail!("{word} says nothing without {needed}");
            }
        }
        let sieve = which.recursive.then(|| Sieve::new(&which.glob, which.hidden)).transpose()?;
        let list = which.files_from.as_deref().map(input);
        if list == Some(Input::Stdin) && operands.contains(&Input::Stdin) {
            bail!("the standard input cannot be both a file and the list of files");
        }
        let end = if which.null { b'\0' } else { b'\n' };
        Ok(Selection { operands, implied_stdin: false, list, end, sieve })
    }

    /// The files that a verb is to look at. With nothing named: the standard input, or with `-r`
    /// this folder.
    ///
    /// # Errors
    ///
    /// As [`new`](Selection::new).
    pub fn of(paths: &[OsString], which: &Which) -> Result<Selection> {
        let nothing = paths.is_empty() && which.files_from.is_none();
        let operands = match (nothing, which.recursive) {
            (true, true) => vec![Input::File(".".into())],
            (false, _) if paths.is_empty() => Vec::new(),
            _ => inputs(paths),
        };
        let implied_stdin = nothing && !which.recursive;
        Ok(Selection { implied_stdin, ..Selection::new(operands, which)? })
    }

    /// The same, but files in folders whose names end so are not meant: the backups of an
    /// earlier run.
    pub fn without(mut self, suffix: &OsStr) -> Selection {
        if let Some(sieve) = &mut self.sieve {
            sieve.leave_out(suffix);
        }
        self
    }

    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty() && self.list.is_none()
    }

    /// Whether the standard input is read because nothing was named.
    pub fn is_implied_stdin(&self) -> bool {
        self.implied_stdin
    }

    /// Whether the standard input is named as a file to work on.
    pub fn names_stdin(&self) -> bool {
        self.operands.contains(&Input::Stdin)
    }

    /// Whether the standard input is the list of names.
    pub fn reads_stdin(&self) -> bool {
        self.list == Some(Input::Stdin)
    }

    /// The files: the operands first, then the names of the list, in their order; the files of a
    /// folder in the order of their names.
    pub fn files(&self) -> Files {
        Files {
            operands: self.operands.clone().into_iter(),
            list: self.list.clone().map(|list| List::new(list, self.end)),
            sieve: self.sieve.clone(),
            walk: None,
        }
    }
}

/// The files of a [`Selection`], found as they are asked for.
pub struct Files {
    operands: vec::IntoIter<Input>,
    list: Option<List>,
    sieve: Option<Sieve>,
    /// The directory whose files come next.
    walk: Option<Walk>,
}

impl Files {
    fn named(&mut self) -> Option<Result<Input, Lost>> {
        self.operands.next().map(Ok).or_else(|| self.list.as_mut()?.next())
    }
}

impl Iterator for Files {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if let Some(found) = self.walk.as_mut().and_then(Iterator::next) {
                return Some(found.map(Selected::found));
            }
            self.walk = None;
            let named = self.named()?;
            let path = match &named {
                Ok(Input::File(path)) if is_directory(path) => path,
                _ => return Some(named.map(Selected::named)),
            };
            match &self.sieve {
                Some(sieve) => self.walk = Some(Walk::new(path, sieve.clone(), LIMITS)),
                None => return Some(Err(Lost::new(path, "is a directory (use -r)"))),
            }
        }
    }
}

/// What cannot be looked at is reported when it is opened.
fn is_directory(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_dir())
}
