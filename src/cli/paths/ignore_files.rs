//! The rules that leave files out: `.gitignore` and `.git/info/exclude`.
//!
//! They are read relative to the directory they are in, as everything that a search finds: never
//! through a symbolic link (git does not follow one for a `.gitignore` either), only from regular
//! files, and only up to a size. What a `.git` that is a file names is not read. Where rules cannot
//! be read their directory is skipped: for a tool that rewrites files it would be worse to convert
//! what they leave out.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use charpipe::directory::Directory;
use charpipe::input::InputStream;
use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

use super::PathError;
use super::patterns::{IgnorePatterns, PatternMatch};
use crate::cli::exit::io_message;

/// The largest file of rules.
const MAX_IGNORE_FILE_SIZE: u64 = 1 << 20;

/// The memory that all rules may take that apply to one file.
const MAX_RULES_SIZE: usize = 4 << 20;

/// The rules in one directory.
#[derive(Debug)]
struct DirectoryRules {
    /// The length of its path.
    base_len: usize,
    ignore: IgnorePatterns,
    exclude: IgnorePatterns,
    /// Whether it contains `.git`, so that the rules of directories above it do not apply.
    is_repository: bool,
}

/// The rules of a directory and of those above it.
#[derive(Debug, Default)]
pub(super) struct IgnoreRules {
    /// Only directories that have any.
    levels: Vec<DirectoryRules>,
    size: usize,
}

impl IgnoreRules {
    /// Reads the rules above a directory. `path` is its path without symbolic links.
    ///
    /// # Errors
    ///
    /// Returns the file that cannot be read.
    pub(super) fn from_ancestors(
        directory: &Directory,
        path: &Path,
    ) -> Result<IgnoreRules, PathError> {
        let mut levels = Vec::new();
        if dot_git_type(directory)?.is_none() {
            for above in path.ancestors().skip(1) {
                let directory =
                    Directory::open(above).map_err(|error| path_error(above, &error))?;
                let base = super::walk::path_bytes(above).len();
                levels.extend(DirectoryRules::read(&directory, base)?);
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

    /// Adds the rules of a directory with a path of this length, below all others so far.
    ///
    /// # Errors
    ///
    /// Returns the file that cannot be read.
    pub(super) fn enter_directory(
        &mut self,
        directory: &Directory,
        base_len: usize,
    ) -> Result<(), PathError> {
        DirectoryRules::read(directory, base_len)?
            .map_or(Ok(()), |level| self.push(level, directory))
    }

    fn push(&mut self, level: DirectoryRules, directory: &Directory) -> Result<(), PathError> {
        let size = level.size();
        if self.size + size > MAX_RULES_SIZE {
            let reason =
                format!("the ignore rules that apply to it exceed {} MiB", MAX_RULES_SIZE >> 20);
            return Err(PathError::new(directory.path(), reason));
        }
        self.size += size;
        self.levels.push(level);
        Ok(())
    }

    /// How many directories have rules.
    pub(super) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Removes the rules below a depth.
    pub(super) fn leave_to_depth(&mut self, depth: usize) {
        for level in self.levels.drain(depth..) {
            self.size -= level.size();
        }
    }

    /// Whether the rules leave out a file, whose path is whole. Any `.gitignore` takes precedence
    /// over any `.git/info/exclude`, and below each other the deepest.
    pub(super) fn is_ignored(&self, path: &[u8], is_directory: bool) -> bool {
        let mut excluded = None;
        for level in self.levels.iter().rev() {
            let relative = &path[level.base_len + 1..];
            if let Some(verdict) = level.ignore.match_path(relative, is_directory) {
                return verdict == PatternMatch::Ignored;
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
    /// Reads the rules in a directory; none if there are none.
    fn read(directory: &Directory, base_len: usize) -> Result<Option<DirectoryRules>, PathError> {
        let ignore = read_patterns(directory, ".gitignore")?.unwrap_or_default();
        let dot_git = dot_git_type(directory)?;
        let (is_repository, mut exclude) = (dot_git.is_some(), IgnorePatterns::default());
        if dot_git == Some(FileType::Directory)
            && let Some(git) = open_child(directory, ".git")?
            && let Some(info) = open_child(&git, "info")?
        {
            exclude = read_patterns(&info, "exclude")?.unwrap_or_default();
        }
        let matters = is_repository || ignore.size() + exclude.size() > 0;
        Ok(matters.then_some(DirectoryRules { base_len: base_len, ignore, exclude, is_repository }))
    }

    fn size(&self) -> usize {
        size_of::<DirectoryRules>() + self.ignore.size() + self.exclude.size()
    }
}

/// What `.git` is in a directory. Whatever it is, the directory is the top of a repository, a
/// submodule or a worktree.
fn dot_git_type(directory: &Directory) -> Result<Option<FileType>, PathError> {
    entry_type(directory, ".git")
        .map_err(|error| path_error(&directory.path().join(".git"), &error))
}

/// What kind of file has this name; none if there is no such file.
fn entry_type(directory: &Directory, name: &str) -> io::Result<Option<FileType>> {
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        found => Ok(Some(FileType::from_raw_mode(found?.st_mode))),
    }
}

/// A directory in another; none if there is no such directory.
fn open_child(directory: &Directory, name: &str) -> Result<Option<Directory>, PathError> {
    let open = || match entry_type(directory, name)? {
        Some(FileType::Directory) => directory.open_child(OsStr::new(name)).map(Some),
        _ => Ok(None),
    };
    open().map_err(|error| path_error(&directory.path().join(name), &error))
}

/// The patterns in a file; none if there is no such file, or a directory or a symbolic link.
fn read_patterns(directory: &Directory, name: &str) -> Result<Option<IgnorePatterns>, PathError> {
    let read = || match entry_type(directory, name)? {
        None | Some(FileType::Directory | FileType::Symlink) => Ok(None),
        Some(_) => {
            let mut text = Vec::new();
            let file = directory.entry(OsStr::new(name))?.open()?;
            InputStream::File(file).take(MAX_IGNORE_FILE_SIZE + 1).read_to_end(&mut text)?;
            if text.len() as u64 > MAX_IGNORE_FILE_SIZE {
                let reason = format!("exceeds {} MiB", MAX_IGNORE_FILE_SIZE >> 20);
                return Err(io::Error::other(reason));
            }
            Ok(Some(IgnorePatterns::parse(&text)))
        }
    };
    read().map_err(|error| path_error(&directory.path().join(name), &error))
}

fn path_error(path: &Path, error: &io::Error) -> PathError {
    PathError::new(path, format!("{}, so its directory is skipped", io_message(error)))
}
