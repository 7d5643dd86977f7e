//! Ignore rules: `.gitignore` and `.git/info/exclude`.
//!
//! They are opened relative to their directory, like everything that a walk finds: never through a
//! symbolic link (git does not follow one for a `.gitignore` either), only regular files, and only up
//! to a maximum size. The directory named by a `.git` file is not read. If rules cannot be read,
//! their directory is skipped: a tool that rewrites files must not convert files that are ignored. Above
//! the start directory, rules of other owners are not read.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use crate::cli::fs::directory::{Directory, ends_with_separator};
use crate::cli::fs::input::InputStream;
use crate::cli::messages::print_message;
use crate::cli::sys::status::FileStatus;
use crate::cli::sys::{FileKind, file_name};

use super::path_error::PathError;
use super::patterns::{IgnorePatterns, PatternMatch};
use super::trusted_owners::TrustedOwners;
use crate::cli::exit::io_message;

/// The maximum size of a file with ignore rules, in bytes.
const MAX_IGNORE_FILE_SIZE: u64 = 1 << 20;

/// The maximum memory size of all rules that apply to one file, in bytes.
const MAX_RULES_SIZE: usize = 4 << 20;

/// The rules of one directory.
#[derive(Debug)]
struct DirectoryRules {
    /// The length of the path of the directory.
    base_len: usize,
    ignore: IgnorePatterns,
    exclude: IgnorePatterns,
    /// Whether the directory contains `.git`, so that the rules of its parents do not apply.
    is_repository: bool,
}

/// The rules of a directory and its parents.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules {
    /// The directories with rules, the deepest last.
    levels: Vec<DirectoryRules>,
    size: usize,
}

impl IgnoreRules {
    /// Reads the rules of the parents of a directory. `path` is its path without symbolic links.
    ///
    /// # Errors
    ///
    /// Returns an error for a file that cannot be read.
    pub(super) fn from_ancestors(
        directory: &Directory,
        path: &Path,
    ) -> Result<IgnoreRules, PathError> {
        let mut levels = Vec::new();
        let owners = TrustedOwners::of_start(path);
        if dot_git_type(directory)?.is_none() {
            for parent in path.ancestors().skip(1) {
                let directory =
                    Directory::open(parent).map_err(|error| path_error(parent, &error))?;
                let base_len = path_bytes(parent).len();
                levels.extend(DirectoryRules::read(&directory, base_len, Some(owners))?);
                if levels.last().is_some_and(|level| level.is_repository) {
                    break;
                }
            }
        }
        let mut rules = IgnoreRules::default();
        for level in levels.into_iter().rev() {
            rules.push(level, directory)?;
        }
        Ok(rules)
    }

    /// Adds the rules of a subdirectory whose path has `base_len` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error for a file that cannot be read, and if the rules are too large.
    pub(super) fn enter_directory(
        &mut self,
        directory: &Directory,
        base_len: usize,
    ) -> Result<(), PathError> {
        DirectoryRules::read(directory, base_len, None)?
            .map_or(Ok(()), |level| self.push(level, directory))
    }

    fn push(&mut self, level: DirectoryRules, directory: &Directory) -> Result<(), PathError> {
        let size = level.size();
        if self.size + size > MAX_RULES_SIZE {
            let message =
                format!("the ignore rules that apply to it exceed {} MiB", MAX_RULES_SIZE >> 20);
            return Err(PathError::new(directory.path(), message));
        }
        self.size += size;
        self.levels.push(level);
        Ok(())
    }

    /// Returns the number of directories with rules.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Removes the rules of all directories after the first `depth`.
    pub(super) fn leave_to_depth(&mut self, depth: usize) {
        for level in self.levels.drain(depth..) {
            self.size -= level.size();
        }
    }

    /// Returns true if the rules exclude the file at an absolute path. Any `.gitignore` takes
    /// precedence over any `.git/info/exclude`, and a deeper directory over its parents.
    pub(super) fn is_ignored(&self, path: &[u8], is_directory: bool) -> bool {
        let mut excluded = None;
        for level in self.levels.iter().rev() {
            let relative = &path[level.base_len + 1..];
            if let Some(result) = level.ignore.match_path(relative, is_directory) {
                return result == PatternMatch::Ignored;
            }
            excluded = excluded.or_else(|| level.exclude.match_path(relative, is_directory));
            if level.is_repository {
                break;
            }
        }
        excluded == Some(PatternMatch::Ignored)
    }
}

impl DirectoryRules {
    /// Reads the rules of a directory, above the start directory only those of trusted owners. Returns
    /// `None` if there are no rules.
    fn read(
        directory: &Directory,
        base_len: usize,
        owners: Option<TrustedOwners>,
    ) -> Result<Option<DirectoryRules>, PathError> {
        let ignore = read_patterns(directory, ".gitignore", owners)?.unwrap_or_default();
        let dot_git = dot_git_type(directory)?;
        let is_repository = dot_git.is_some();
        let git = match dot_git {
            Some(FileKind::Directory) if is_trusted(directory, ".git", owners) => {
                open_child(directory, ".git", owners)?
            }
            _ => None,
        };
        let info = git.map_or(Ok(None), |git| open_child(&git, "info", owners))?;
        let exclude = info.map_or(Ok(None), |info| read_patterns(&info, "exclude", owners))?;
        let exclude = exclude.unwrap_or_default();
        let has_rules = is_repository || ignore.size() + exclude.size() > 0;
        Ok(has_rules.then_some(DirectoryRules { base_len, ignore, exclude, is_repository }))
    }

    fn size(&self) -> usize {
        size_of::<DirectoryRules>() + self.ignore.size() + self.exclude.size()
    }
}

/// Returns the file type of `.git` in a directory. If it exists, the directory is the root of a
/// repository, a submodule or a worktree, whatever the type.
fn dot_git_type(directory: &Directory) -> Result<Option<FileKind>, PathError> {
    entry_type(directory, ".git")
        .map_err(|error| path_error(&directory.path().join(".git"), &error))
}

/// Returns the file type of a directory entry, or `None` if it does not exist.
fn entry_type(directory: &Directory, name: &str) -> io::Result<Option<FileKind>> {
    use io::ErrorKind::{NotADirectory, NotFound};
    match directory.kind_of(OsStr::new(name)) {
        Err(error) if matches!(error.kind(), NotFound | NotADirectory) => Ok(None),
        kind => kind.map(Some),
    }
}

/// Opens a subdirectory. Returns `None` if it does not exist, or is private to another user.
fn open_child(
    directory: &Directory,
    name: &str,
    owners: Option<TrustedOwners>,
) -> Result<Option<Directory>, PathError> {
    let open = || match entry_type(directory, name)? {
        Some(FileKind::Directory) => directory.open_child(OsStr::new(name)).map(Some),
        _ => Ok(None),
    };
    ignore_private(open(), directory, name, owners)
}

/// Returns the result of opening an entry. One above the start directory that the user may not read is ignored
/// with a note if it belongs to another user.
fn ignore_private<T>(
    result: io::Result<Option<T>>,
    directory: &Directory,
    name: &str,
    owners: Option<TrustedOwners>,
) -> Result<Option<T>, PathError> {
    let path = directory.path().join(name);
    result.or_else(|error| match owners {
        Some(owners)
            if error.kind() == io::ErrorKind::PermissionDenied && owners.is_private(&path) =>
        {
            print_message(TrustedOwners::note(&path).as_str());
            Ok(None)
        }
        _ => Err(path_error(&path, &error)),
    })
}

/// Returns whether an entry is read: whether it has one of these owners, if there are any. Prints a note if it
/// does not.
fn is_trusted(directory: &Directory, name: &str, owners: Option<TrustedOwners>) -> bool {
    let Some(owners) = owners else { return true };
    let path = directory.path().join(name);
    // If the status is unknown, opening it fails too, which is reported.
    let is_trusted = FileStatus::at(&path).map_or(true, |status| owners.own(&status));
    if !is_trusted {
        print_message(TrustedOwners::note(&path).as_str());
    }
    is_trusted
}

/// Reads the patterns in a file. Returns `None` if it does not exist, is a directory or symbolic
/// link, is not trusted, or is private to another user.
fn read_patterns(
    directory: &Directory,
    name: &str,
    owners: Option<TrustedOwners>,
) -> Result<Option<IgnorePatterns>, PathError> {
    let read = || match entry_type(directory, name)? {
        None | Some(FileKind::Directory | FileKind::Symlink) => Ok(None),
        Some(_) if !is_trusted(directory, name, owners) => Ok(None),
        Some(_) => {
            let mut text = Vec::new();
            let file = InputStream::File(directory.entry(OsStr::new(name))?.open()?);
            file.reject_output()?;
            file.take(MAX_IGNORE_FILE_SIZE + 1).read_to_end(&mut text)?;
            if text.len() as u64 > MAX_IGNORE_FILE_SIZE {
                let reason = format!("exceeds {} MiB", MAX_IGNORE_FILE_SIZE >> 20);
                return Err(io::Error::other(reason));
            }
            Ok(Some(IgnorePatterns::parse(&text)))
        }
    };
    ignore_private(read(), directory, name, owners)
}

fn path_error(path: &Path, error: &io::Error) -> PathError {
    PathError::new(path, format!("{}, so its directory is skipped", io_message(error)))
}

/// Returns the bytes of an absolute path without a trailing slash: empty for the root directory.
pub(super) fn path_bytes(path: &Path) -> Cow<'_, [u8]> {
    let bytes = path.as_os_str().as_encoded_bytes();
    file_name::with_slashes(&bytes[..bytes.len() - usize::from(ends_with_separator(path))])
}
