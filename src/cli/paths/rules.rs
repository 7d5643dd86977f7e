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
use charpipe::source::Source;
use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

use super::Lost;
use super::patterns::{Patterns, Verdict};
use crate::cli::exit::reason;

/// The largest file of rules.
const LARGEST: u64 = 1 << 20;

/// The memory that all rules may take that apply to one file.
const MOST: usize = 4 << 20;

/// The rules in one directory.
#[derive(Debug)]
struct Level {
    /// The length of its path.
    base: usize,
    ignore: Patterns,
    exclude: Patterns,
    /// Whether it contains `.git`, so that the rules of directories above it do not apply.
    is_repository: bool,
}

/// The rules of a directory and of those above it.
#[derive(Debug, Default)]
pub(super) struct Rules {
    /// Only directories that have any.
    levels: Vec<Level>,
    size: usize,
}

impl Rules {
    /// Reads the rules above a directory. `path` is its path without symbolic links.
    ///
    /// # Errors
    ///
    /// Returns the file that cannot be read.
    pub(super) fn above(directory: &Directory, path: &Path) -> Result<Rules, Lost> {
        let mut levels = Vec::new();
        if git(directory)?.is_none() {
            for above in path.ancestors().skip(1) {
                let directory = Directory::open(above).map_err(|error| lost(above, &error))?;
                let base = super::walk::bytes_of(above).len();
                levels.extend(Level::read(&directory, base)?);
                if levels.last().is_some_and(|level| level.is_repository) {
                    break;
                }
            }
        }
        let mut rules = Rules::default();
        for level in levels.into_iter().rev() {
            rules.add(level, directory)?;
        }
        Ok(rules)
    }

    /// Adds the rules of a directory with a path of this length, below all others so far.
    ///
    /// # Errors
    ///
    /// Returns the file that cannot be read.
    pub(super) fn enter(&mut self, directory: &Directory, base: usize) -> Result<(), Lost> {
        Level::read(directory, base)?.map_or(Ok(()), |level| self.add(level, directory))
    }

    fn add(&mut self, level: Level, directory: &Directory) -> Result<(), Lost> {
        let size = level.size();
        if self.size + size > MOST {
            let reason = format!("the ignore rules that apply to it exceed {} MiB", MOST >> 20);
            return Err(Lost::new(directory.path(), reason));
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
    pub(super) fn leave(&mut self, depth: usize) {
        for level in self.levels.drain(depth..) {
            self.size -= level.size();
        }
    }

    /// Whether the rules leave out a file, whose path is whole. Any `.gitignore` takes precedence
    /// over any `.git/info/exclude`, and below each other the deepest.
    pub(super) fn leave_out(&self, path: &[u8], is_directory: bool) -> bool {
        let mut excluded = None;
        for level in self.levels.iter().rev() {
            let below = &path[level.base + 1..];
            if let Some(verdict) = level.ignore.verdict(below, is_directory) {
                return verdict == Verdict::Ignored;
            }
            excluded = excluded.or_else(|| level.exclude.verdict(below, is_directory));
            if level.is_repository {
                break;
            }
        }
        excluded == Some(Verdict::Ignored)
    }
}

impl Level {
    /// Reads the rules in a directory; none if there are none.
    fn read(directory: &Directory, base: usize) -> Result<Option<Level>, Lost> {
        let ignore = patterns(directory, ".gitignore")?.unwrap_or_default();
        let git = git(directory)?;
        let (is_repository, mut exclude) = (git.is_some(), Patterns::default());
        if git == Some(FileType::Directory)
            && let Some(git) = child(directory, ".git")?
            && let Some(info) = child(&git, "info")?
        {
            exclude = patterns(&info, "exclude")?.unwrap_or_default();
        }
        let matters = is_repository || ignore.size() + exclude.size() > 0;
        Ok(matters.then_some(Level { base, ignore, exclude, is_repository }))
    }

    fn size(&self) -> usize {
        size_of::<Level>() + self.ignore.size() + self.exclude.size()
    }
}

/// What `.git` is in a directory. Whatever it is, the directory is the top of a repository, a
/// submodule or a worktree.
fn git(directory: &Directory) -> Result<Option<FileType>, Lost> {
    kind(directory, ".git").map_err(|error| lost(&directory.path().join(".git"), &error))
}

/// What kind of file has this name; none if there is no such file.
fn kind(directory: &Directory, name: &str) -> io::Result<Option<FileType>> {
    match statat(directory, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        found => Ok(Some(FileType::from_raw_mode(found?.st_mode))),
    }
}

/// A directory in another; none if there is no such directory.
fn child(directory: &Directory, name: &str) -> Result<Option<Directory>, Lost> {
    let open = || match kind(directory, name)? {
        Some(FileType::Directory) => directory.child(OsStr::new(name)).map(Some),
        _ => Ok(None),
    };
    open().map_err(|error| lost(&directory.path().join(name), &error))
}

/// The patterns in a file; none if there is no such file, or a directory or a symbolic link.
fn patterns(directory: &Directory, name: &str) -> Result<Option<Patterns>, Lost> {
    let read = || match kind(directory, name)? {
        None | Some(FileType::Directory | FileType::Symlink) => Ok(None),
        Some(_) => {
            let mut text = Vec::new();
            let file = directory.entry(OsStr::new(name))?.open()?;
            Source::File(file).take(LARGEST + 1).read_to_end(&mut text)?;
            if text.len() as u64 > LARGEST {
                let reason = format!("exceeds {} MiB", LARGEST >> 20);
                return Err(io::Error::other(reason));
            }
            Ok(Some(Patterns::parse(&text)))
        }
    };
    read().map_err(|error| lost(&directory.path().join(name), &error))
}

fn lost(path: &Path, error: &io::Error) -> Lost {
    Lost::new(path, format!("{}, so its directory is skipped", reason(error)))
}
