//! Selection of the files to process: operands, the names in a list, and files found in
//! directories.
//!
//! A named file is always selected; `.gitignore` and `--glob` apply only to files found in a
//! directory. Files are found one at a time, so that memory does not grow with a tree or a list.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::{fs, vec};

use crate::cli::fs::directory::{Directory, FileEntry};
use crate::cli::fs::input::InputStream;
use anyhow::{Result, bail};

use super::closed_stdio::closed_at_start;
use super::exit::io_message;
use super::shared_args::PathArgs;
use super::streams::Input;
use super::sys::file_name;

#[cfg(all(test, unix))]
mod against_git;
#[cfg(all(test, unix))]
pub(crate) mod git_testing;
mod ignore_files;
mod listing;
mod path_error;
pub(crate) mod patterns;
#[cfg(all(test, unix))]
mod tests;
mod trusted_owners;
mod walk;

pub use path_error::PathError;
pub(crate) use trusted_owners::TrustedOwners;
use walk::{DEFAULT_LIMITS, DirectoryWalk, PathFilter};

/// The files that a command line selects.
#[derive(Debug, Clone)]
pub struct Selection {
    operands: Vec<Input>,
    files_from: Option<Input>,
    /// The byte after each name in the list: NUL or a line feed.
    terminator: u8,
    /// The filter for files in directories; none if operands are not entered.
    filter: Option<PathFilter>,
    /// Whether directories in the list are entered.
    enter_listed: bool,
}

/// A selected file, or the reason why a path cannot be processed.
pub type FoundFile = Result<SelectedFile, PathError>;

/// A selected file.
#[derive(Debug, Clone)]
pub struct SelectedFile {
    pub input: Input,
    /// The directory entry found by a walk; none for a named file.
    pub entry: Option<FileEntry>,
    /// The path in an output directory: relative to the directory operand or the name of the operand,
    /// and for a name in a list, that path.
    pub relative_path: PathBuf,
}

impl SelectedFile {
    /// Returns an operand, which is not looked up.
    pub fn from_operand(input: Input) -> SelectedFile {
        SelectedFile::from_named(NamedInput { input, is_in_list: false })
    }

    fn from_named(named: NamedInput) -> SelectedFile {
        let NamedInput { input, is_in_list } = named;
        let relative_path = match &input {
            Input::File(path) if is_in_list => path.clone(),
            Input::File(path) => path.file_name().unwrap_or_default().into(),
            Input::Stdin => PathBuf::new(),
        };
        SelectedFile { input, entry: None, relative_path }
    }

    fn from_entry(entry: FileEntry, root: &NamedInput) -> SelectedFile {
        let path = entry.path();
        let relative_path = match &root.input {
            Input::File(root_path) if !root.is_in_list => path.strip_prefix(root_path),
            _ => Ok(&*path),
        };
        let relative_path = relative_path.unwrap_or(&path).to_owned();
        SelectedFile { input: Input::File(path), entry: Some(entry), relative_path }
    }

    /// Opens the file. A file found by a walk is opened relative to its directory, not by its path.
    ///
    /// # Errors
    ///
    /// Returns the error of `open`.
    pub fn open(&self) -> io::Result<InputStream> {
        match &self.entry {
            Some(entry) => entry.open().map(InputStream::File),
            None => self.input.open(),
        }
    }

    /// Returns the size in bytes, if it is known without reading the file.
    pub fn size(&self) -> Option<u64> {
        match &self.entry {
            // An approximation is good enough, so the path does.
            Some(entry) => {
                Some(fs::symlink_metadata(entry.path()).map_or(0, |status| status.len()))
            }
            None => self.input.size(),
        }
    }
}

impl Selection {
    /// Selects the operands, and the files that the options add.
    ///
    /// # Errors
    ///
    /// Returns an error for an invalid glob, and if the standard input is both a file and the list, or
    /// is the list and closed.
    pub fn new(operands: Vec<Input>, args: &PathArgs) -> Result<Selection> {
        let filter = args.recursive.then(|| PathFilter::from_args(args)).transpose()?;
        let files_from = args.files_from.as_deref().map(Input::from_arg);
        if files_from == Some(Input::Stdin) && operands.contains(&Input::Stdin) {
            bail!(
                "standard input cannot be both a file and the list of files (write the list to a file)"
            );
        }
        if files_from == Some(Input::Stdin) && closed_at_start().stdin {
            bail!("standard input is closed");
        }
        let terminator = if args.null { b'\0' } else { b'\n' };
        let enter_listed = args.recursive;
        Ok(Selection { operands, files_from, terminator, filter, enter_listed })
    }

    /// Selects the files of a subcommand that changes none, which enters directories without `-r`. Without
    /// operands and list: the standard input, or the current directory if that is a terminal or with `-r`.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`new`](Selection::new), and an error for an option about directories if none
    /// can be entered.
    pub fn from_args(paths: &[OsString], args: &PathArgs) -> Result<Selection> {
        let is_terminal = args.files_from.is_none() && io::stdin().is_terminal();
        if let Some(option) =
            args.walk_option().filter(|_| paths.is_empty() && !args.recursive && !is_terminal)
        {
            bail!("{option} requires --recursive or a PATH");
        }
        let operands = match (paths.is_empty(), args.files_from.is_some()) {
            (true, true) => Vec::new(),
            (true, false) if args.recursive || is_terminal => {
                vec![Input::File(".".into())]
            }
            _ => Input::from_args(paths),
        };
        let filter = Some(PathFilter::from_args(args)?);
        Ok(Selection { filter, ..Selection::new(operands, args)? })
    }

    /// Excludes files in directories whose names end with `suffix`: the backups of an earlier run.
    pub fn exclude_suffix(mut self, suffix: &OsStr) -> Selection {
        if let Some(filter) = &mut self.filter {
            filter.exclude_suffix(suffix);
        }
        self
    }

    /// Excludes a directory, and the directories in it also as operands: the one for the output.
    ///
    /// # Errors
    ///
    /// Returns the error of the system.
    pub fn exclude_directory(mut self, directory: &Directory) -> io::Result<Selection> {
        if let Some(filter) = &mut self.filter {
            filter.exclude_directory(directory)?;
        }
        Ok(self)
    }

    pub fn operands(&self) -> &[Input] {
        &self.operands
    }

    /// Returns true if there are no operands and no list.
    pub fn is_empty(&self) -> bool {
        self.operands.is_empty() && self.files_from.is_none()
    }

    /// Returns true if an operand is the standard input.
    pub fn operands_include_stdin(&self) -> bool {
        self.operands.contains(&Input::Stdin)
    }

    /// Returns true if there is a list of names.
    pub fn has_list(&self) -> bool {
        self.files_from.is_some()
    }

    /// Returns true if the files can be listed more than once: if the list of names is a regular file.
    pub fn can_be_repeated(&self) -> bool {
        match &self.files_from {
            None => true,
            Some(Input::Stdin) => false,
            Some(Input::File(list)) => fs::metadata(list).is_ok_and(|status| status.is_file()),
        }
    }

    /// Returns the operands, then the names of the list, in their order; files in a directory are
    /// sorted by name.
    pub fn files(&self) -> SelectedFiles {
        SelectedFiles {
            operands: self.operands.clone().into_iter(),
            files_from: self.files_from.clone().map(|list| FilesFrom::new(list, self.terminator)),
            filter: self.filter.clone(),
            enter_listed: self.enter_listed,
            walk: None,
        }
    }
}

/// An iterator over the files of a [`Selection`], which finds them as they are requested.
pub struct SelectedFiles {
    operands: vec::IntoIter<Input>,
    files_from: Option<FilesFrom>,
    filter: Option<PathFilter>,
    enter_listed: bool,
    /// The walk in progress, and its root.
    walk: Option<(DirectoryWalk, NamedInput)>,
}

/// An operand or a name in a list.
struct NamedInput {
    input: Input,
    is_in_list: bool,
}

impl SelectedFiles {
    fn next_named(&mut self) -> Option<Result<NamedInput, PathError>> {
        if let Some(input) = self.operands.next() {
            return Some(Ok(NamedInput { input, is_in_list: false }));
        }
        let named = self.files_from.as_mut()?.next()?;
        Some(named.map(|input| NamedInput { input, is_in_list: true }))
    }
}

impl Iterator for SelectedFiles {
    type Item = FoundFile;

    fn next(&mut self) -> Option<FoundFile> {
        loop {
            if let Some((walk, root)) = &mut self.walk {
                if let Some(found) = walk.next() {
                    return Some(found.map(|entry| SelectedFile::from_entry(entry, root)));
                }
            }
            self.walk = None;
            let named = match self.next_named()? {
                Ok(named) => named,
                Err(error) => return Some(Err(error)),
            };
            let is_entered = !named.is_in_list || self.enter_listed;
            let path = match &named.input {
                Input::File(path) if is_directory(path) => path,
                _ => return Some(Ok(SelectedFile::from_named(named))),
            };
            match self.filter.as_ref().filter(|_| is_entered) {
                Some(filter) => {
                    let walk = DirectoryWalk::new(path, filter.clone(), DEFAULT_LIMITS);
                    self.walk = Some((walk, named));
                }
                None => return Some(Err(PathError::new(path, "is a directory (use -r)"))),
            }
        }
    }
}

/// Returns true for a directory. The error for an inaccessible path is reported when it is opened.
fn is_directory(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The maximum length of a name in a list, in bytes; far more than a path of Linux can have (4096).
const MAX_NAME_LEN: usize = 64 * 1024;

/// A list of file names, as `find` or `git ls-files` writes it, read as its names are requested.
enum FilesFrom {
    NotOpened(Input, u8),
    Open(Input, u8, BufReader<InputStream>),
    Done,
}

impl FilesFrom {
    fn new(list: Input, terminator: u8) -> FilesFrom {
        FilesFrom::NotOpened(list, terminator)
    }

    fn open(&mut self) -> Result<(), PathError> {
        let FilesFrom::NotOpened(list, terminator) = self else { return Ok(()) };
        // `std::io::stdin` would report the end of the input for a descriptor that cannot be read.
        let source = list.open().map_err(|error| list_error(list, &error))?;
        source.reject_output().map_err(|error| list_error(list, &error))?;
        *self = FilesFrom::Open(list.clone(), *terminator, BufReader::new(source));
        Ok(())
    }

    /// Reads one name. Returns `None` at the end of the list.
    fn read_name(&mut self) -> Result<Option<Vec<u8>>, PathError> {
        self.open()?;
        let FilesFrom::Open(list, terminator, reader) = self else { return Ok(None) };
        let mut name = Vec::new();
        let mut bounded = reader.take(MAX_NAME_LEN as u64);
        bounded.read_until(*terminator, &mut name).map_err(|error| list_error(list, &error))?;
        if name.len() == MAX_NAME_LEN {
            let message = "file name too long (NUL-separated list? use -0)".to_owned();
            return Err(PathError { input: list.clone(), message });
        }
        if name.is_empty() {
            return Ok(None);
        }
        if name.ends_with(&[*terminator]) {
            name.pop();
        }
        Ok(Some(name))
    }
}

impl Iterator for FilesFrom {
    type Item = Result<Input, PathError>;

    /// Returns the next name; empty lines are skipped. The list ends after an error.
    fn next(&mut self) -> Option<Result<Input, PathError>> {
        loop {
            match self.read_name() {
                Ok(Some(name)) if name.is_empty() => {}
                Ok(Some(name)) => return Some(Ok(Input::File(file_name::from_list(name).into()))),
                Ok(None) => {
                    *self = FilesFrom::Done;
                    return None;
                }
                Err(error) => {
                    *self = FilesFrom::Done;
                    return Some(Err(error));
                }
            }
        }
    }
}

fn list_error(list: &Input, error: &io::Error) -> PathError {
    PathError { input: list.clone(), message: io_message(error) }
}
