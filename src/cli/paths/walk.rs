//! Recursive directory walk.
//!
//! The walk skips hidden files unless requested, and files excluded by the ignore rules of the
//! directory and its parents, even outside of a repository. The user's global git configuration
//! does not apply, so that the same tree has the same files for every user. Symbolic links are not
//! followed, and special files are skipped.
//!
//! Each directory is opened relative to its parent, so that a process with write access to the tree
//! cannot lead the walk out of it. Few directories are open at a time: a directory whose descriptor
//! was closed is reopened as the parent of its child, or else from the root of the walk, and must
//! have the same file ID. Memory does not grow with the tree: only some of the names in a large
//! directory, and in its parents, are kept.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use crate::cli::fs::directory::{Directory, FileEntry};
use crate::cli::fs::output::is_temp_file_name;
use crate::cli::quote::Quoted;
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::{FileKind, file_name};
use anyhow::{Result, anyhow};

use super::ignore_files::{IgnoreRules, path_bytes};
use super::listing::{DirectoryListing, EntryKind};
use super::path_error::PathError;
use super::patterns::{IgnorePatterns, PatternMatch, validate_line};
use crate::cli::shared_args::PathArgs;

/// Limits on the memory and descriptors of a walk.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkLimits {
    /// Bytes of the names in one directory.
    pub(super) listing: usize,
    /// Bytes of the names in the current directory and its parents.
    pub(super) listings: usize,
    /// Open directories besides the root and the current one.
    pub(super) directories: usize,
    /// Bytes in a path.
    pub(super) path: usize,
}

pub(super) const DEFAULT_LIMITS: WalkLimits =
    WalkLimits { listing: 3 << 20, listings: 6 << 20, directories: 2, path: 256 << 10 };

/// An iterator over the files below a directory, which finds them as they are requested.
#[derive(Debug)]
pub(super) struct DirectoryWalk {
    filter: PathFilter,
    limits: WalkLimits,
    /// The directories from the root to the current one.
    frames: Vec<DirectoryFrame>,
    /// The path of the current entry.
    path: Vec<u8>,
    /// The length of the path of the root.
    root_len: usize,
    rules: IgnoreRules,
    /// The size of all listings in bytes.
    listings_size: usize,
    /// The error of opening the root, which is returned first.
    root_error: Option<PathError>,
}

/// A directory between the root and the current entry.
#[derive(Debug)]
struct DirectoryFrame {
    /// None if the descriptor was closed.
    directory: Option<Directory>,
    file_id: FileId,
    listing: ListingState,
    /// The length of the path.
    path_len: usize,
    /// The number of parent directories with ignore rules.
    rules_depth: usize,
}

/// The names in a directory after the current entry.
#[derive(Debug)]
enum ListingState {
    Unread,
    Listed(Box<DirectoryListing>),
    Done,
}

impl DirectoryWalk {
    pub(super) fn new(root: &Path, filter: PathFilter, limits: WalkLimits) -> DirectoryWalk {
        let mut walk = DirectoryWalk {
            filter,
            limits,
            frames: Vec::new(),
            path: Vec::new(),
            root_len: 0,
            rules: IgnoreRules::default(),
            listings_size: 0,
            root_error: None,
        };
        walk.root_error = walk.open_root(root).err();
        walk
    }

    fn open_root(&mut self, root: &Path) -> Result<(), PathError> {
        let path_error = |error: io::Error| PathError::from_io(root, &error);
        let directory = Directory::open(root).map_err(path_error)?;
        let file_id = directory.file_id().map_err(path_error)?;
        let path = fs::canonicalize(root).map_err(path_error)?;
        if let Some((_, excluded)) =
            self.filter.excluded.as_ref().filter(|it| path.starts_with(&it.1))
        {
            let is_same = *excluded == path;
            let message = if is_same { "is" } else { "is in" };
            return Err(PathError::new(root, format!("{message} the output directory")));
        }
        self.path.extend_from_slice(&path_bytes(&path));
        self.root_len = self.path.len();
        if !self.filter.no_ignore {
            self.rules = IgnoreRules::from_ancestors(&directory, &path)?;
        }
        self.enter(directory, file_id)
    }

    /// Makes the directory at the current path the current one.
    fn enter(&mut self, directory: Directory, file_id: FileId) -> Result<(), PathError> {
        let rules_depth = self.rules.depth();
        if !self.filter.no_ignore {
            self.rules.enter_directory(&directory, self.path.len())?;
        }
        self.frames.push(DirectoryFrame {
            directory: Some(directory),
            file_id,
            listing: ListingState::Unread,
            path_len: self.path.len(),
            rules_depth,
        });
        // The root stays open.
        let index = self.frames.len().saturating_sub(self.limits.directories + 2);
        if index > 0 {
            self.frames[index].directory = None;
        }
        Ok(())
    }

    /// Enters the directory that is the current entry.
    fn enter_child(&mut self) -> Result<(), PathError> {
        let Some((directory, name)) = self.current_entry() else { return Ok(()) };
        let path = directory.path().join(&name);
        if self.path.len() > self.limits.path {
            let message = format!("its path exceeds {} KiB", self.limits.path >> 10);
            return Err(PathError::new(&path, message));
        }
        let open = || {
            let directory = directory.open_child(&name)?;
            let file_id = directory.file_id()?;
            Ok((directory, file_id))
        };
        let (directory, file_id) = open().map_err(|error| PathError::from_io(&path, &error))?;
        if self.filter.excluded.as_ref().is_some_and(|(excluded, _)| *excluded == file_id) {
            return Ok(());
        }
        self.enter(directory, file_id)
    }

    /// Returns the current directory and the name of the current entry.
    fn current_entry(&self) -> Option<(&Directory, Cow<'_, OsStr>)> {
        let frame = self.frames.last()?;
        let name = self.path.get(frame.path_len + 1..).unwrap_or_default();
        Some((frame.directory.as_ref()?, file_name::from_bytes(name)))
    }

    /// Makes the parent of the current directory the current one.
    fn leave_directory(&mut self) -> Result<(), PathError> {
        let Some(child) = self.frames.pop() else { return Ok(()) };
        self.path.truncate(child.path_len);
        self.rules.leave_to_depth(child.rules_depth);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if frame.directory.is_none() {
            let parent = child.directory.and_then(|directory| directory.open_parent().ok());
            frame.directory = parent.filter(|parent| parent.file_id().ok() == Some(frame.file_id));
        }
        if frame.directory.is_some() || matches!(frame.listing, ListingState::Done) {
            return Ok(());
        }
        let reopened = self.reopen();
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match reopened {
            Ok(directory) => frame.directory = Some(directory),
            Err(error) => {
                if let ListingState::Listed(listing) =
                    std::mem::replace(&mut frame.listing, ListingState::Done)
                {
                    self.listings_size -= listing.size();
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Opens the current directory again, starting at the root.
    fn reopen(&self) -> Result<Directory, PathError> {
        let mut frames = self.frames.iter();
        let root = frames.next().and_then(|root| root.directory.clone());
        let mut directory = root.ok_or_else(|| self.moved_error())?;
        for frame in frames {
            let path = &self.path[..frame.path_len];
            let name = memchr::memrchr(b'/', path).map_or(path, |slash| &path[slash + 1..]);
            let child = directory.open_child(&file_name::from_bytes(name));
            directory = child.map_err(|_| self.moved_error())?;
            if directory.file_id().ok() != Some(frame.file_id) {
                return Err(self.moved_error());
            }
        }
        Ok(directory)
    }

    fn moved_error(&self) -> PathError {
        let end = self.frames.last().map_or(self.root_len, |frame| frame.path_len);
        let relative = &self.path[self.root_len..end];
        let relative = file_name::from_bytes(relative.strip_prefix(b"/").unwrap_or(relative));
        let root = self.frames.first().and_then(|root| root.directory.as_ref());
        let path = root.map_or(Path::new("").to_owned(), |root| root.path().join(&relative));
        PathError::new(&path, "was moved or removed by another process before all of it was found")
    }

    /// Advances to the next name in the current directory. Returns its kind, or `None` if no name is
    /// listed.
    fn next_name(&mut self) -> Result<Option<EntryKind>, PathError> {
        self.read_listing()?;
        let Some(frame) = self.frames.last_mut() else { return Ok(None) };
        let ListingState::Listed(listing) = &mut frame.listing else { return Ok(None) };
        let size = listing.size();
        let kind = listing.next().map(|(kind, name)| {
            self.path.truncate(frame.path_len);
            self.path.push(b'/');
            self.path.extend_from_slice(name);
            kind
        });
        if listing.is_empty() {
            self.listings_size -= size;
            frame.listing =
                if listing.is_complete() { ListingState::Done } else { ListingState::Unread };
        }
        Ok(kind)
    }

    /// Reads names in the current directory unless some are listed already. Drops the listings of
    /// parents if all listings together exceed the limit.
    fn read_listing(&mut self) -> Result<(), PathError> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if !matches!(frame.listing, ListingState::Unread) {
            return Ok(());
        }
        let Some(directory) = &frame.directory else {
            frame.listing = ListingState::Done;
            return Ok(());
        };
        let after = self.path.get(frame.path_len + 1..).unwrap_or_default();
        let matches_name = |name: &[u8]| self.filter.matches_name(name);
        match DirectoryListing::read(directory, after, self.limits.listing, matches_name) {
            Ok(listing) => {
                self.listings_size += listing.size();
                frame.listing = ListingState::Listed(Box::new(listing));
            }
            Err(error) => {
                frame.listing = ListingState::Done;
                return Err(PathError::from_io(directory.path(), &error));
            }
        }
        let parents = self.frames.len() - 1;
        for frame in &mut self.frames[..parents] {
            if self.listings_size <= self.limits.listings {
                break;
            }
            if let ListingState::Listed(listing) = &frame.listing {
                self.listings_size -= listing.size();
                frame.listing = ListingState::Unread;
            }
        }
        Ok(())
    }

    /// Returns the kind of the current entry, or `None` for a symbolic link or special file.
    fn resolve_kind(&self, kind: EntryKind) -> Result<Option<EntryKind>, PathError> {
        let (EntryKind::Unknown, Some((directory, name))) = (kind, self.current_entry()) else {
            return Ok(Some(kind));
        };
        let path_error = |error| PathError::from_io(&directory.path().join(&name), &error);
        Ok(match directory.kind_of(&name).map_err(path_error)? {
            FileKind::Directory => Some(EntryKind::Directory),
            FileKind::File => Some(EntryKind::File),
            FileKind::Symlink | FileKind::Other => None,
        })
    }

    /// Advances by one name. Returns an entry if it is a selected file.
    fn step(&mut self) -> Result<Option<FileEntry>, PathError> {
        let Some(kind) = self.next_name()? else {
            let done =
                self.frames.last().is_some_and(|frame| matches!(frame.listing, ListingState::Done));
            return if done { self.leave_directory().map(|()| None) } else { Ok(None) };
        };
        let Some(kind) = self.resolve_kind(kind)? else { return Ok(None) };
        let is_directory = kind == EntryKind::Directory;
        let Some((directory, name)) = self.current_entry() else { return Ok(None) };
        let selected = self.filter.matches(&self.path[self.root_len + 1..], &name, is_directory)
            && !self.rules.is_ignored(&self.path, is_directory);
        match () {
            () if !selected => Ok(None),
            () if is_directory => self.enter_child().map(|()| None),
            () => {
                let path_error = |error| PathError::from_io(&directory.path().join(&name), &error);
                directory.entry(&name).map(Some).map_err(path_error)
            }
        }
    }
}

impl Iterator for DirectoryWalk {
    type Item = Result<FileEntry, PathError>;

    fn next(&mut self) -> Option<Result<FileEntry, PathError>> {
        if let Some(error) = self.root_error.take() {
            return Some(Err(error));
        }
        while !self.frames.is_empty() {
            if let Some(found) = self.step().transpose() {
                return Some(found);
            }
        }
        None
    }
}

/// The directories with the data of version control systems.
const VERSION_CONTROL: [&[u8]; 7] = [b".git", b".hg", b".svn", b".bzr", b".jj", b"_darcs", b"CVS"];

/// A filter for the names of files in directories.
#[derive(Debug, Clone)]
pub(super) struct PathFilter {
    globs: Arc<IgnorePatterns>,
    hidden: bool,
    no_ignore: bool,
    suffix: Option<OsString>,
    /// The identity and the canonical path of a directory that is not entered.
    excluded: Option<(FileId, PathBuf)>,
}

impl PathFilter {
    /// Returns the filter that the options describe. `--exclude` overrides `--glob`.
    ///
    /// # Errors
    ///
    /// Returns an error for an invalid glob.
    pub(super) fn from_args(args: &PathArgs) -> Result<PathFilter> {
        let patterns = |option: &'static str, values: &[OsString], prefix: &str| {
            let pattern = |glob: &OsString| {
                let bytes = [prefix.as_bytes(), glob.as_encoded_bytes()].concat();
                let invalid = |error| anyhow!("{option}: \"{}\": {error}", Quoted::new(glob));
                validate_line(&bytes).map_err(invalid)?;
                Ok(bytes)
            };
            values.iter().map(pattern).collect::<Result<Vec<_>>>()
        };
        let mut globs = patterns("--glob", &args.glob, "")?;
        globs.extend(patterns("--exclude", &args.exclude, "!")?);
        Ok(PathFilter {
            globs: Arc::new(IgnorePatterns::from_lines(globs.iter().rev().map(Vec::as_slice))),
            hidden: args.hidden,
            no_ignore: args.no_ignore,
            suffix: None,
            excluded: None,
        })
    }

    /// Excludes files whose names end with `suffix`.
    pub(super) fn exclude_suffix(&mut self, suffix: &OsStr) {
        self.suffix = Some(suffix.to_owned());
    }

    /// Excludes a directory with everything in it.
    pub(super) fn exclude_directory(&mut self, directory: &Directory) -> io::Result<()> {
        self.excluded = Some((directory.file_id()?, fs::canonicalize(directory.path())?));
        Ok(())
    }

    /// Returns true if a file or directory of this name is not excluded as hidden.
    pub(super) fn matches_name(&self, name: &[u8]) -> bool {
        (self.hidden || !name.starts_with(b".")) && !VERSION_CONTROL.contains(&name)
    }

    /// Returns true if a file is selected, or a directory is entered. `path` is relative to the root
    /// of the walk.
    pub(super) fn matches(&self, path: &[u8], name: &OsStr, is_directory: bool) -> bool {
        let is_selected = match self.globs.match_path(path, is_directory) {
            Some(result) => result == PatternMatch::Ignored,
            // A directory may contain matching files.
            None => is_directory || self.globs.is_only_negated(),
        };
        let suffix = self.suffix.as_ref().map(|suffix| suffix.as_encoded_bytes());
        let is_backup = suffix.is_some_and(|suffix| name.as_encoded_bytes().ends_with(suffix));
        is_selected && (is_directory || !is_backup && !is_temp_file_name(name))
    }
}
