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

use charpipe::directory::{Directory, Entry};
use charpipe::identity::Identity;
use rustix::fs::{AtFlags, FileType, statat};

use super::Lost;
use super::listing::{Kind, Listing};
use super::rules::Rules;
use super::sieve::Sieve;
use crate::cli::exit::reason;

/// What a walk may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes of the names of one directory.
    pub(super) listing: usize,
    /// The same of all directories on the way.
    pub(super) listings: usize,
    /// Open directories, beside the first and the current one.
    pub(super) directories: usize,
    /// Bytes of a path.
    pub(super) path: usize,
}

pub(super) const LIMITS: Limits =
    Limits { listing: 3 << 20, listings: 6 << 20, directories: 2, path: 256 << 10 };

/// The files of a directory, found as they are requested.
#[derive(Debug)]
pub(super) struct Walk {
    sieve: Sieve,
    limits: Limits,
    /// The directories from the first to the current one.
    frames: Vec<Frame>,
    /// The path of the current directory and the last name in it.
    path: Vec<u8>,
    /// The length of the path of the first directory.
    top: usize,
    rules: Rules,
    /// Bytes of all listings.
    size: usize,
    /// Reported before anything else.
    lost: Option<Lost>,
}

/// A directory on the way.
#[derive(Debug)]
struct Frame {
    /// None if its descriptor has been given up.
    directory: Option<Directory>,
    identity: Identity,
    names: Names,
    /// The length of its path.
    path: usize,
    /// How many directories above it have rules.
    rules: usize,
}

/// The names in a directory that come after the last one.
#[derive(Debug)]
enum Names {
    Unread,
    Listed(Box<Listing>),
    Done,
}

impl Walk {
    pub(super) fn new(root: &Path, sieve: Sieve, limits: Limits) -> Walk {
        let mut walk = Walk {
            sieve,
            limits,
            frames: Vec::new(),
            path: Vec::new(),
            top: 0,
            rules: Rules::default(),
            size: 0,
            lost: None,
        };
        walk.lost = walk.begin(root).err();
        walk
    }

    fn begin(&mut self, root: &Path) -> Result<(), Lost> {
        let lost = |error: io::Error| Lost::new(root, reason(&error));
        let directory = Directory::open(root).map_err(lost)?;
        let identity = directory.identity().map_err(lost)?;
        let path = fs::canonicalize(root).map_err(lost)?;
        self.path.extend_from_slice(bytes_of(&path));
        self.top = self.path.len();
        self.rules = Rules::above(&directory, &path)?;
        self.enter(directory, identity)
    }

    /// Makes a directory the current one, which the path leads to.
    fn enter(&mut self, directory: Directory, identity: Identity) -> Result<(), Lost> {
        let rules = self.rules.depth();
        self.rules.enter(&directory, self.path.len())?;
        let path = self.path.len();
        let names = Names::Unread;
        self.frames.push(Frame { directory: Some(directory), identity, names, path, rules });
        let depth = self.frames.len();
        if let Some(far) = depth.checked_sub(self.limits.directories + 2)
            && far > 0
        {
            self.frames[far].directory = None;
        }
        Ok(())
    }

    /// Enters a directory in the current one by the last name.
    fn descend(&mut self) -> Result<(), Lost> {
        let Some((directory, name)) = self.current() else { return Ok(()) };
        let whole = directory.path().join(name);
        if self.path.len() > self.limits.path {
            let reason = format!("its path exceeds {} KiB", self.limits.path >> 10);
            return Err(Lost::new(&whole, reason));
        }
        let open = || {
            let directory = directory.child(name)?;
            let identity = directory.identity()?;
            Ok((directory, identity))
        };
        let (directory, identity) =
            open().map_err(|error: io::Error| Lost::new(&whole, reason(&error)))?;
        self.enter(directory, identity)
    }

    /// The current directory, and the last name in it.
    fn current(&self) -> Option<(&Directory, &OsStr)> {
        let frame = self.frames.last()?;
        let name = self.path.get(frame.path + 1..).unwrap_or_default();
        Some((frame.directory.as_ref()?, OsStr::from_bytes(name)))
    }

    /// Makes the directory above the current one.
    fn ascend(&mut self) -> Result<(), Lost> {
        let Some(left) = self.frames.pop() else { return Ok(()) };
        self.path.truncate(left.path);
        self.rules.leave(left.rules);
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if frame.directory.is_none() {
            let above = left.directory.and_then(|directory| directory.parent().ok());
            frame.directory = above.filter(|above| above.identity().ok() == Some(frame.identity));
        }
        if frame.directory.is_some() || matches!(frame.names, Names::Done) {
            return Ok(());
        }
        let reopened = self.reopen();
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        match reopened {
            Ok(directory) => frame.directory = Some(directory),
            Err(lost) => {
                if let Names::Listed(listing) = std::mem::replace(&mut frame.names, Names::Done) {
                    self.size -= listing.size();
                }
                return Err(lost);
            }
        }
        Ok(())
    }

    /// Opens the current directory anew, from the first one on.
    fn reopen(&self) -> Result<Directory, Lost> {
        let mut frames = self.frames.iter();
        let first = frames.next().and_then(|first| first.directory.clone());
        let mut directory = first.ok_or_else(|| self.moved())?;
        for frame in frames {
            // It begins with the slash after the path of the one above.
            let name = memchr::memrchr(b'/', &self.path[..frame.path]).map_or(0, |slash| slash + 1);
            let child = directory.child(OsStr::from_bytes(&self.path[name..frame.path]));
            directory = child.map_err(|_| self.moved())?;
            if directory.identity().ok() != Some(frame.identity) {
                return Err(self.moved());
            }
        }
        Ok(directory)
    }

    fn moved(&self) -> Lost {
        let below = &self.path[self.top..self.frames.last().map_or(self.top, |frame| frame.path)];
        let below = OsStr::from_bytes(below.strip_prefix(b"/").unwrap_or(below));
        let first = self.frames.first().and_then(|first| first.directory.as_ref());
        let path = first.map_or(Path::new("").to_owned(), |first| first.path().join(below));
        Lost::new(&path, "was moved or removed by another process before all of it was found")
    }

    /// Makes the next name of the current directory the last one, and says what the directory
    /// says that it is; none after the last name.
    fn advance(&mut self) -> Result<Option<Kind>, Lost> {
        self.list()?;
        let Some(frame) = self.frames.last_mut() else { return Ok(None) };
        let Names::Listed(listing) = &mut frame.names else { return Ok(None) };
        let size = listing.size();
        let kind = listing.next().map(|(kind, name)| {
            self.path.truncate(frame.path);
            self.path.push(b'/');
            self.path.extend_from_slice(name);
            kind
        });
        if listing.is_empty() {
            self.size -= size;
            frame.names = if listing.is_complete() { Names::Done } else { Names::Unread };
        }
        Ok(kind)
    }

    /// Reads the names in the current directory unless some are held. Gives up those of
    /// directories above where they are too many together.
    fn list(&mut self) -> Result<(), Lost> {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        if !matches!(frame.names, Names::Unread) {
            return Ok(());
        }
        let Some(directory) = &frame.directory else {
            frame.names = Names::Done;
            return Ok(());
        };
        let after = self.path.get(frame.path + 1..).unwrap_or_default();
        let takes = |name: &[u8]| self.sieve.takes_name(name);
        match Listing::read(directory, after, self.limits.listing, takes) {
            Ok(listing) => {
                self.size += listing.size();
                frame.names = Names::Listed(Box::new(listing));
            }
            Err(error) => {
                frame.names = Names::Done;
                return Err(Lost::new(directory.path(), reason(&error)));
            }
        }
        let above = self.frames.len() - 1;
        for frame in &mut self.frames[..above] {
            if self.size <= self.limits.listings {
                break;
            }
            if let Names::Listed(listing) = &frame.names {
                self.size -= listing.size();
                frame.names = Names::Unread;
            }
        }
        Ok(())
    }

    /// What the last name is. A symbolic link and what is neither file nor directory is nothing.
    fn look(&self, kind: Kind) -> Result<Option<Kind>, Lost> {
        let (Kind::Unknown, Some((directory, name))) = (kind, self.current()) else {
            return Ok(Some(kind));
        };
        let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW);
        let found = found.map_err(|error| {
            Lost::new(&directory.path().join(name), reason(&io::Error::from(error)))
        })?;
        Ok(match FileType::from_raw_mode(found.st_mode) {
            FileType::Directory => Some(Kind::Directory),
            FileType::RegularFile => Some(Kind::File),
            _ => None,
        })
    }

    fn step(&mut self) -> Result<Option<Entry>, Lost> {
        let Some(kind) = self.advance()? else {
            let done = self.frames.last().is_some_and(|frame| matches!(frame.names, Names::Done));
            return if done { self.ascend().map(|()| None) } else { Ok(None) };
        };
        let Some(kind) = self.look(kind)? else { return Ok(None) };
        let is_directory = kind == Kind::Directory;
        let Some((directory, name)) = self.current() else { return Ok(None) };
        let taken = self.sieve.takes(&self.path[self.top + 1..], name, is_directory)
            && !self.rules.leave_out(&self.path, is_directory);
        match () {
            () if !taken => Ok(None),
            () if is_directory => self.descend().map(|()| None),
            () => {
                let entry = directory.entry(name);
                let lost = |error| Lost::new(&directory.path().join(name), reason(&error));
                entry.map(Some).map_err(lost)
            }
        }
    }
}

impl Iterator for Walk {
    type Item = Result<Entry, Lost>;

    fn next(&mut self) -> Option<Result<Entry, Lost>> {
        if let Some(lost) = self.lost.take() {
            return Some(Err(lost));
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
pub(super) fn bytes_of(path: &Path) -> &[u8] {
    let bytes = path.as_os_str().as_bytes();
    bytes.strip_suffix(b"/").unwrap_or(bytes)
}
