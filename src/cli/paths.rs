//! Which files are meant: operands, the names of a list, and what directories hold.
//!
//! What is named is always meant, whatever `.gitignore` and `--glob` say of it; they choose among
//! the files that are found in a directory. One file is looked for at a time, so that a tree or a
//! list may be as large as it likes.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::vec;

use anyhow::{Result, bail};
use charpipe::directory::FileEntry;
use charpipe::input::InputStream;

use super::args::PathArgs;
use super::config::{Input, input_from_arg, inputs_from_args};
use super::convert;

mod files_from;
mod filter;
mod ignore_files;
mod listing;
mod patterns;
#[cfg(test)]
mod tests;
mod walk;
mod wildmatch;

use files_from::FilesFrom;
use filter::PathFilter;
use walk::{DEFAULT_LIMITS, DirectoryWalk};

/// What a command line says about the files to work on.
#[derive(Debug, Clone)]
pub struct Selection {
    operands: Vec<Input>,
    /// Whether the only operand is the standard input, because nothing was named.
    implied_stdin: bool,
    files_from: Option<Input>,
    /// What ends a name in the list: NUL or a line feed.
    terminator: u8,
    /// What is taken from a directory; nothing where directories are not gone into.
    filter: Option<PathFilter>,
}

/// A file to work on, or what cannot be worked on.
pub type FoundFile = Result<SelectedFile, PathError>;

/// A file to work on.
#[derive(Debug, Clone)]
pub struct SelectedFile {
    pub input: Input,
    /// Where a walk has found it; none for a file that is named itself.
    pub entry: Option<FileEntry>,
}

impl SelectedFile {
    fn from_operand(input: Input) -> SelectedFile {
        SelectedFile { input, entry: None }
    }

    fn from_entry(entry: FileEntry) -> SelectedFile {
        SelectedFile { input: Input::File(entry.path()), entry: Some(entry) }
    }

    /// Opens it. What a walk has found is opened where it was found, and not by its path.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub fn open(&self) -> io::Result<InputStream> {
        match &self.entry {
            Some(entry) => entry.open().map(InputStream::File),
            None => convert::open_input(&self.input),
        }
    }
}

/// Something that was named and cannot be worked on. The reason is safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    pub input: Input,
    pub message: String,
}

impl PathError {
    fn new(path: &Path, reason: impl Into<String>) -> PathError {
        PathError { input: Input::File(path.to_owned()), message: reason.into() }
    }
}

impl Selection {
    /// # Errors
    ///
    /// A glob that is none, and words that say nothing without another.
    pub fn new(operands: Vec<Input>, args: &PathArgs) -> Result<Selection> {
        let filter =
            args.recursive.then(|| PathFilter::new(&args.glob, args.hidden)).transpose()?;
        let files_from = args.files_from.as_deref().map(input_from_arg);
        if files_from == Some(Input::Stdin) && operands.contains(&Input::Stdin) {
            bail!("the standard input cannot be both a file and the list of files");
        }
        let terminator = if args.null { b'\0' } else { b'\n' };
        Ok(Selection {
            operands,
            implied_stdin: false,
            files_from: files_from,
            terminator: terminator,
            filter: filter,
        })
    }

    /// The files that a subcommand is to look at. With nothing named: the standard input, or with `-r`
    /// this directory.
    ///
    /// # Errors
    ///
    /// As [`new`](Selection::new).
    pub fn from_args(paths: &[OsString], args: &PathArgs) -> Result<Selection> {
        let no_paths = paths.is_empty() && args.files_from.is_none();
        let operands = match (no_paths, args.recursive) {
            (true, true) => vec![Input::File(".".into())],
            (false, _) if paths.is_empty() => Vec::new(),
            _ => inputs_from_args(paths),
        };
        let implied_stdin = no_paths && !args.recursive;
        Ok(Selection { implied_stdin, ..Selection::new(operands, args)? })
    }

    /// The same, but files in directories whose names end so are not meant: the backups of an
    /// earlier run.
    pub fn exclude_suffix(mut self, suffix: &OsStr) -> Selection {
        if let Some(filter) = &mut self.filter {
            filter.exclude_suffix(suffix);
        }
        self
    }

    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty() && self.files_from.is_none()
    }

    /// Whether the standard input is read because nothing was named.
    pub fn is_implied_stdin(&self) -> bool {
        self.implied_stdin
    }

    /// Whether the standard input is named as a file to work on.
    pub fn operands_include_stdin(&self) -> bool {
        self.operands.contains(&Input::Stdin)
    }

    /// Whether the standard input is the list of names.
    pub fn files_from_stdin(&self) -> bool {
        self.files_from == Some(Input::Stdin)
    }

    /// The files: the operands first, then the names of the list, in their order; the files of a
    /// directory in the order of their names.
    pub fn files(&self) -> SelectedFiles {
        SelectedFiles {
            operands: self.operands.clone().into_iter(),
            files_from: self.files_from.clone().map(|list| FilesFrom::new(list, self.terminator)),
            filter: self.filter.clone(),
            walk: None,
        }
    }
}

/// The files of a [`Selection`], found as they are requested.
pub struct SelectedFiles {
    operands: vec::IntoIter<Input>,
    files_from: Option<FilesFrom>,
    filter: Option<PathFilter>,
    /// The directory whose files come next.
    walk: Option<DirectoryWalk>,
}

impl SelectedFiles {
    fn next_named(&mut self) -> Option<Result<Input, PathError>> {
        self.operands.next().map(Ok).or_else(|| self.files_from.as_mut()?.next())
    }
}

impl Iterator for SelectedFiles {
    type Item = FoundFile;

    fn next(&mut self) -> Option<FoundFile> {
        loop {
            if let Some(found) = self.walk.as_mut().and_then(Iterator::next) {
                return Some(found.map(SelectedFile::from_entry));
            }
            self.walk = None;
            let named = self.next_named()?;
            let path = match &named {
                Ok(Input::File(path)) if is_directory(path) => path,
                _ => return Some(named.map(SelectedFile::from_operand)),
            };
            match &self.filter {
                Some(sieve) => {
                    self.walk = Some(DirectoryWalk::new(path, sieve.clone(), DEFAULT_LIMITS))
                }
                None => return Some(Err(PathError::new(path, "is a directory (use -r)"))),
            }
        }
    }
}

/// What cannot be looked at is reported when it is opened.
fn is_directory(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}
