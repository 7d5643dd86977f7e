//! The files in a directory and below it.
//!
//! Left out are hidden files unless requested, and what the ignore rules there and above name, also
//! where there is no repository. A user's global git configuration does not count: the same tree
//! has the same files for everybody. Symbolic links are not followed, and what is not a regular
//! file is passed over.
//!
//! Each directory is opened from the one that contains it, so that nobody who may write in the tree
//! can lead the walk out of it. Few of them are open at a time: a directory whose descriptor has
//! been given up is opened again as the parent of the one below it, or else from the top, and must
//! be the same one. Memory does not grow with the tree: of a large directory, and of those above,
//! only some of the names are held.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fs, io};

use charpipe::directory::{Directory, FileEntry};
use charpipe::file_id::FileId;
use rustix::fs::{AtFlags, FileType, statat};

use super::PathError;
use super::filter::PathFilter;
use super::ignore_files::IgnoreRules;
use super::listing::{DirectoryListing, EntryKind};
use crate::cli::exit::io_message;

/// What a walk may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkLimits {
    /// Bytes of the names of one directory.
    pub(super) listing: usize,
    /// The same of all directories on the way.
    pub(super) listings: usize,
    /// Open directories, beside the first and the current one.
    pub(super) directories: usize,
    /// Bytes of a path.
    pub(super) path: usize,
}

pub(super) const DEFAULT_LIMITS: WalkLimits =
    WalkLimits { listing: 3 << 20, listings: 6 << 20, directories: 2, path: 256 << 10 };

/// The files of a directory, found as they are requested.
#[derive(Debug)]
pub(super) struct DirectoryWalk {
    filter: PathFilter,
    limits: WalkLimits,
    /// The directories from the first to the current one.
    frames: Vec<DirectoryFrame>,
    /// The path of the current directory and the last name in it.
    path: Vec<u8>,
    /// The length of the path of the first directory.
    root_len: usize,
    rules: IgnoreRules,
    /// Bytes of all listings.
    listings_size: usize,
    /// Reported before anything else.
    root_error: Option<PathError>,
}

/// A directory on the way.
#[derive(Debug)]
struct DirectoryFrame {
    /// None if its descriptor has been given up.
    directory: Option<Directory>,
    identity: FileId,
    listing: ListingState,
    /// The length of its path.
    path_len: usize,
    /// How many directories above it have rules.
    rules_depth: usize,
}

/// The names in a directory that come after the last one.
#[derive(Debug)]
enum ListingState {
    Unread,
    Listed(Box<DirectoryListing>),
    Done,
}

impl DirectoryWalk {
    pub(super) fn new(root: &Path, filter: PathFilter, limits: WalkLimits) -> DirectoryWalk {
        let mut walk = DirectoryWalk {
            filter: filter,
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
        let path_error = |error: io::Error| PathError::new(root, io_message(&error));
        let directory = Directory::open(root).map_err(path_error)?;
        let identity = directory.file_id().map_err(path_error)?;
        let path = fs::canonicalize(root).map_err(path_error)?;
        self.path.extend_from_slice(path_bytes(&path));
        self.root_len = self.path.len();
        self.rules = IgnoreRules::from_ancestors(&directory, &path)?;
        self.enter(directory, identity)
    }

    /// Makes a directory the current one, which the path leads to.
    fn enter(&mut self, directory: Directory, identity: FileId) -> Result<(), PathError> {
        let rules_depth = self.rules.depth();
        self.rules.enter_directory(&directory, self.path.len())?;
        let path = self.path.len();
        let listing = ListingState::Unread;
        self.frames.push(DirectoryFrame {
            directory: Some(directory),
            identity,
            listing: listing,
            path_len: path,
            rules_depth: rules_depth,
        });
        let depth = self.frames.len();
        if let Some(far) = depth.checked_sub(self.limits.directories + 2)
            && far > 0
        {
            self.frames[far].directory = None;
        }
        Ok(())
    }

    /// Enters a directory in the current one by the last name.
    fn enter_child(&mut self) -> Result<(), PathError> {
        let Some((directory, name)) = self.current_entry() else { return Ok(()) };
        let path = directory.path().join(name);
        if self.path.len() > self.limits.path {
            let reason = format!("its path exceeds {} KiB", self.limits.path >> 10);
            return Err(PathError::new(&path, reason));
        }
        let open = || {
            let directory = directory.open_child(name)?;
            let identity = directory.file_id()?;
            Ok((directory, identity))
        };
        let (directory, identity) =
            open().map_err(|error: io::Error| PathError::new(&path, io_message(&error)))?;
        self.enter(directory, identity)
    }

    /// The current directory, and the last name in it.
    fn current_entry(&self) -> Option<(&Directory, &OsStr)> {
        let frame = self.frames.last()?;
        let name = self.path.get(frame.path_len + 1..).unwrap_or_default();
        Some((frame.directory.as_ref()?, OsStr::from_bytes(name)))
    }

    /// Makes the directory above the current one.
    fn leave_directory(&mut self) -> Result<(), PathError> {
        let Some(left) = self.frames.pop() else { return Ok(()) };
        self.path.truncate(left.path_len);
        self.rules.leave_to_depth(left.rules_depth);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if frame.directory.is_none() {
            let above = left.directory.and_then(|directory| directory.open_parent().ok());
            frame.directory = above.filter(|above| above.file_id().ok() == Some(frame.identity));
        }
        if frame.directory.is_some() || matches!(frame.listing, ListingState::Done) {
            return Ok(());
        }
        let reopened = self.reopen();
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match reopened {
            Ok(directory) => frame.directory = Some(directory),
            Err(lost) => {
                if let ListingState::Listed(listing) =
                    std::mem::replace(&mut frame.listing, ListingState::Done)
                {
                    self.listings_size -= listing.size();
                }
                return Err(lost);
            }
        }
        Ok(())
    }

    /// Opens the current directory again, from the first one on.
    fn reopen(&self) -> Result<Directory, PathError> {
        let mut frames = self.frames.iter();
        let first = frames.next().and_then(|first| first.directory.clone());
        let mut directory = first.ok_or_else(|| self.moved_error())?;
        for frame in frames {
            // It begins with the slash after the path of the one above.
            let name =
                memchr::memrchr(b'/', &self.path[..frame.path_len]).map_or(0, |slash| slash + 1);
            let child = directory.open_child(OsStr::from_bytes(&self.path[name..frame.path_len]));
            directory = child.map_err(|_| self.moved_error())?;
            if directory.file_id().ok() != Some(frame.identity) {
                return Err(self.moved_error());
            }
        }
        Ok(directory)
    }

    fn moved_error(&self) -> PathError {
        let relative = &self.path
            [self.root_len..self.frames.last().map_or(self.root_len, |frame| frame.path_len)];
        let below = OsStr::from_bytes(relative.strip_prefix(b"/").unwrap_or(relative));
        let first = self.frames.first().and_then(|first| first.directory.as_ref());
        let path = first.map_or(Path::new("").to_owned(), |first| first.path().join(below));
        PathError::new(&path, "was moved or removed by another process before all of it was found")
    }

    /// Makes the next name of the current directory the last one, and says what the directory
    /// says that it is; none after the last name.
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

    /// Reads the names in the current directory unless some are held. Gives up those of
    /// directories above where they are too many together.
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
                return Err(PathError::new(directory.path(), io_message(&error)));
            }
        }
        let above = self.frames.len() - 1;
        for frame in &mut self.frames[..above] {
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

    /// What the last name is. A symbolic link and what is neither file nor directory is nothing.
    fn resolve_kind(&self, kind: EntryKind) -> Result<Option<EntryKind>, PathError> {
        let (EntryKind::Unknown, Some((directory, name))) = (kind, self.current_entry()) else {
            return Ok(Some(kind));
        };
        let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
        let found = found.map_err(|error| {
            PathError::new(&directory.path().join(name), io_message(&io::Error::from(error)))
        })?;
        Ok(match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => Some(EntryKind::Directory),
            FileType::RegularFile => Some(EntryKind::File),
            _ => None,
        })
    }

    fn step(&mut self) -> Result<Option<FileEntry>, PathError> {
        let Some(kind) = self.next_name()? else {
            let done =
                self.frames.last().is_some_and(|frame| matches!(frame.listing, ListingState::Done));
            return if done { self.leave_directory().map(|()| None) } else { Ok(None) };
        };
        let Some(kind) = self.resolve_kind(kind)? else { return Ok(None) };
        let is_directory = kind == EntryKind::Directory;
        let Some((directory, name)) = self.current_entry() else { return Ok(None) };
        let selected = self.filter.matches(&self.path[self.root_len + 1..], name, is_directory)
            && !self.rules.is_ignored(&self.path, is_directory);
        match () {
            () if !selected => Ok(None),
            () if is_directory => self.enter_child().map(|()| None),
            () => {
                let entry = directory.entry(name);
                let path_error =
                    |error| PathError::new(&directory.path().join(name), io_message(&error));
                entry.map(Some).map_err(path_error)
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

/// The bytes of a path that begins at the root, which is empty itself.
pub(super) fn path_bytes(path: &Path) -> &[u8] {
    let bytes = path.as_os_str().as_bytes();
    bytes.strip_suffix(b"/").unwrap_or(bytes)
}
