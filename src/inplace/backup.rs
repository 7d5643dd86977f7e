//! The old content of a file under another name.
//!
//! It is the old file itself, by one more link, so that nothing of it can be lost on the way. Only
//! where a file system has no such links it is copied.

use std::cell::Cell;
use std::ffi::OsStr;
use std::io;

use rustix::fs::{AtFlags, Mode, unlinkat};
use rustix::io::Errno;

use super::failure::Failure;
use super::source::Source;
use crate::sink::likeness;
use crate::sink::place::Place;
use crate::sink::temporary::{Temporaries, Temporary, give_name, lacks_links};

/// The backup of a file, yet to be made.
pub(super) struct Backup<'a> {
    source: &'a Source,
    place: Place,
    /// Whether it may replace an older one.
    replace: bool,
    made: Cell<bool>,
}

impl<'a> Backup<'a> {
    /// The backup of a file, by its name with a suffix.
    pub(super) fn new(source: &'a Source, suffix: &OsStr, replace: bool) -> Backup<'a> {
        let place = source.place.with_suffix(suffix);
        Backup { source, place, replace, made: Cell::new(false) }
    }

    /// Whether it is there already, because an interrupted run has made it.
    pub(super) fn is_made(&self) -> bool {
        self.source.is_at(&self.place)
    }

    /// Refuses a name that there cannot be, and to replace another backup, unless told to.
    pub(super) fn is_free(&self) -> Result<(), Failure> {
        match self.place.look() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Failure::Write(error)),
            Ok(_) if self.replace || self.is_made() => Ok(()),
            Ok(_) => Err(Failure::BackedUp(self.place.name.clone())),
        }
    }

    /// Makes it, on disk when this returns: the file itself may lose its old content after that.
    pub(super) fn make(&self) -> io::Result<()> {
        if !self.is_made() {
            self.link_or_copy()?;
        }
        self.place.folder.sync(&self.source.file)
    }

    fn link_or_copy(&self) -> io::Result<()> {
        let mut made = give_name(&self.source.file, &self.place);
        if made == Err(Errno::EXIST) && self.replace {
            unlinkat(&self.place.folder, &self.place.name, AtFlags::empty())?;
            made = give_name(&self.source.file, &self.place);
        }
        match made {
            Err(error) if lacks_links(error) => self.copy()?,
            made => made?,
        }
        self.made.set(true);
        Ok(())
    }

    /// Removes it if it has been made, because the file itself could not be replaced.
    pub(super) fn take_back(&self) {
        if self.made.get() {
            let _ = unlinkat(&self.place.folder, &self.place.name, AtFlags::empty());
        }
    }

    /// The copy gets its name when it is whole. It stands in a list of its own: who makes a backup
    /// holds the other, and no signal comes in between.
    fn copy(&self) -> io::Result<()> {
        let (place, list) = (self.place.clone(), Temporaries::always_named());
        let mut copy = Temporary::create(place, Mode::from_raw_mode(0o600), &list)?;
        let Source { file, metadata, .. } = self.source;
        likeness::copy(self.source.content(), (file, metadata), &copy.file)?;
        copy.take_place(|_| match self.place.look() {
            Ok(_) if !self.replace => Err(Errno::EXIST.into()),
            _ => Ok(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_copy_is_like_the_file_where_there_are_no_links() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, vec![b'x'; 100_000]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        let source = Source::open(&path).unwrap();
        Backup::new(&source, OsStr::new("~"), false).copy().unwrap();
        let (old, kept) = (source.metadata, fs::metadata(folder.path().join("a~")).unwrap());
        assert_ne!(old.ino(), kept.ino());
        assert_eq!((old.mode(), old.size()), (kept.mode(), kept.size()));
        assert_eq!(kept.modified().unwrap(), then);
    }

    #[test]
    fn one_that_was_made_in_vain_is_taken_back_and_one_that_was_there_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let (path, kept) = (folder.path().join("a"), folder.path().join("a~"));
        fs::write(&path, "x").unwrap();
        let source = Source::open(&path).unwrap();
        let backup = Backup::new(&source, OsStr::new("~"), false);
        backup.make().unwrap();
        assert!(kept.exists() && backup.is_made());
        backup.take_back();
        assert!(!kept.exists());
        fs::hard_link(&path, &kept).unwrap();
        let backup = Backup::new(&source, OsStr::new("~"), false);
        backup.make().unwrap();
        backup.take_back();
        assert!(kept.exists());
    }
}
