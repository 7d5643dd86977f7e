//! The file that is to be rewritten, open, locked, and known well enough to be known again.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::{Errno, retry_on_intr};

use super::backup::Backup;
use super::content::Content;
use super::failure::Failure;
use crate::identity::Identity;
use crate::sink::place::Place;
use crate::sink::replacement::may_replace;

/// What a file system answers that has no locks, or none for a file that is open for reading.
const NO_LOCKS: [Errno; 5] = [Errno::NOTSUP, Errno::NOSYS, Errno::NOLCK, Errno::INVAL, Errno::BADF];

/// Errors of a file system that cannot sync, or not through a descriptor for reading.
const NO_SYNC: [Errno; 4] = [Errno::INVAL, Errno::NOSYS, Errno::BADF, Errno::ROFS];

/// The largest block, in bytes.
const BLOCK: usize = 64 * 1024;

/// What a file is known by: its inode, and where it is to be parted from its other names, its name
/// in the folder of this inode.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key(pub(super) Identity, pub(super) Option<OsString>);

impl Key {
    /// The key of a file with one name.
    pub(super) fn of(identity: Identity) -> Key {
        Key(identity, None)
    }
}

/// A file to rewrite.
#[derive(Debug)]
pub(super) struct Source {
    pub(super) place: Place,
    pub(super) file: File,
    /// What it was when it was locked.
    pub(super) metadata: Metadata,
    pub(super) identity: Identity,
}

impl Source {
    /// Opens a file. Symbolic links are followed here and never again.
    pub(super) fn open(path: &Path) -> Result<Source, Failure> {
        Source::at(Place::find(path).map_err(Failure::Read)?)
    }

    /// Opens a file in a directory that is held open.
    pub(super) fn at(place: Place) -> Result<Source, Failure> {
        let file = place.open(OFlags::RDONLY).map_err(|error| match error.raw_os_error() {
            // A socket cannot be opened at all.
            Some(code) if code == Errno::NXIO.raw_os_error() => Failure::Irregular,
            _ => Failure::Read(error),
        })?;
        let metadata = file.metadata().map_err(Failure::Read)?;
        if metadata.is_dir() {
            return Err(Failure::Read(Errno::ISDIR.into()));
        }
        let identity = Identity::from_metadata(&metadata).filter(|_| metadata.is_file());
        let identity = identity.ok_or(Failure::Irregular)?;
        Ok(Source { place, file, metadata, identity })
    }

    /// What the file is known by.
    pub(super) fn key(&self, break_links: bool) -> io::Result<Key> {
        if !break_links || self.metadata.nlink() < 2 {
            return Ok(Key::of(self.identity));
        }
        let folder = Identity::from_stat(&rustix::fs::fstat(&self.place.folder)?);
        Ok(Key(folder, Some(self.place.name.clone())))
    }

    /// Keeps out whoever asks for a lock as well, for as long as the file is open, and makes sure
    /// that the file still stands where it was found. What counts as a change is one from here on.
    pub(super) fn lock(&mut self) -> Result<(), Failure> {
        match retry_on_intr(|| flock(&self.file, FlockOperation::NonBlockingLockExclusive)) {
            Err(Errno::WOULDBLOCK) => return Err(Failure::Busy),
            Err(error) if !NO_LOCKS.contains(&error) => return Err(Failure::Read(error.into())),
            _ => {}
        }
        self.metadata = self.file.metadata().map_err(Failure::Read)?;
        self.is_unchanged().map_err(Failure::Write)
    }

    /// Whether it may be replaced: who has made a file read-only means its content, and other
    /// names of the file would keep the old content. A backup that an interrupted run has made is
    /// no such name.
    pub(super) fn may_be_replaced(
        &self,
        break_links: bool,
        backup: Option<&Backup<'_>>,
    ) -> Result<(), Failure> {
        may_replace(&self.place, &self.file, &self.metadata).map_err(Failure::Write)?;
        let links = self.metadata.nlink();
        let ours = backup.is_some_and(Backup::is_made);
        if links > 1 + u64::from(ours) && !break_links {
            return Err(Failure::Linked(links));
        }
        Ok(())
    }

    /// Refuses a file that somebody else has written, changed or put there since it was opened.
    pub(super) fn is_unchanged(&self) -> io::Result<()> {
        self.is_as_before(|of| [of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec()])
    }

    /// The same, after it has got another name from us: that changes one of its times.
    pub(super) fn is_unwritten(&self) -> io::Result<()> {
        self.is_as_before(|of| [of.mtime(), of.mtime_nsec(), 0, 0])
    }

    fn is_as_before(&self, times: fn(&Metadata) -> [i64; 4]) -> io::Result<()> {
        let (was, now) = (&self.metadata, self.file.metadata()?);
        if was.size() == now.size() && times(was) == times(&now) && self.is_at(&self.place) {
            return Ok(());
        }
        Err(changed())
    }

    /// Makes later stores through a shared mapping change the times of the file: pages that are
    /// dirty already can be stored to without that. A small file needs none: between reading it
    /// again and the rename there is no time for a store, but a sync waits for the disk.
    pub(super) fn sync_mappings(&self) -> io::Result<()> {
        if self.metadata.size() <= BLOCK as u64 {
            return Ok(());
        }
        match retry_on_intr(|| rustix::fs::fsync(&self.file)) {
            Err(error) if !NO_SYNC.contains(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Refuses a file that does not hold what was converted. Stores through a shared mapping need
    /// not change its times.
    pub(super) fn has_content(&self, checksum: u32) -> io::Result<()> {
        let mut content = self.content().with_checksum();
        let mut space = self.space();
        while content.read(&mut space)? > 0 {}
        if content.checksum() == checksum { Ok(()) } else { Err(changed()) }
    }

    /// Whether this file stands there.
    pub(super) fn is_at(&self, place: &Place) -> bool {
        place.look().is_ok_and(|stat| Identity::from_stat(&stat) == self.identity)
    }

    /// As many bytes as are dealt with at a time: a small file takes no more than it needs, for it
    /// may be one of many.
    pub(super) fn block(&self) -> usize {
        self.metadata.size().clamp(64, BLOCK as u64) as usize
    }

    /// Room for a block.
    pub(super) fn space(&self) -> Box<[u8]> {
        vec![0; self.block()].into_boxed_slice()
    }

    /// The content from the start.
    pub(super) fn content(&self) -> Content<'_> {
        Content { file: &self.file, at: 0 }
    }
}

fn changed() -> io::Error {
    io::Error::other("another process has changed it meanwhile")
}
