//! The old content of a file under another name.
//!
//! It is the old file itself, by one more link, so that nothing of it can be lost on the way. Only
//! where a file system has no such links it is copied.

use std::cell::Cell;
use std::ffi::OsStr;
use std::io;

use rustix::fs::{AtFlags, Mode, unlinkat};
use rustix::io::Errno;

use super::error::InPlaceError;
use super::locked_file::LockedFile;
use crate::output::dir_entry::DirEntryRef;
use crate::output::file_metadata;
use crate::output::temp_file::{TempFile, TempFileRegistry, is_link_unsupported, link_fd};

/// The backup of a file, yet to be made.
pub(super) struct Backup<'a> {
    file: &'a LockedFile,
    entry: DirEntryRef,
    /// Whether it may replace an older one.
    overwrite: bool,
    created: Cell<bool>,
}

impl<'a> Backup<'a> {
    /// The backup of a file, by its name with a suffix.
    pub(super) fn new(file: &'a LockedFile, suffix: &OsStr, overwrite: bool) -> Backup<'a> {
        let entry = file.entry.with_suffix(suffix);
        Backup { file: file, entry: entry, overwrite: overwrite, created: Cell::new(false) }
    }

    /// Whether it is there already, because an interrupted run has made it.
    pub(super) fn already_exists(&self) -> bool {
        self.file.is_at(&self.entry)
    }

    /// Refuses a name that there cannot be, and to replace another backup, unless told to.
    pub(super) fn check_available(&self) -> Result<(), InPlaceError> {
        match self.entry.stat() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(InPlaceError::Write(error)),
            Ok(_) if self.overwrite || self.already_exists() => Ok(()),
            Ok(_) => Err(InPlaceError::BackupExists(self.entry.name.clone())),
        }
    }

    /// Makes it, on disk when this returns: the file itself may lose its old content after that.
    pub(super) fn create(&self) -> io::Result<()> {
        if !self.already_exists() {
            self.link_or_copy()?;
        }
        self.entry.directory.sync(&self.file.file)
    }

    fn link_or_copy(&self) -> io::Result<()> {
        let mut linked = link_fd(&self.file.file, &self.entry);
        if linked == Err(Errno::EXIST) && self.overwrite {
            unlinkat(&self.entry.directory, &self.entry.name, AtFlags::empty())?;
            linked = link_fd(&self.file.file, &self.entry);
        }
        match linked {
            Err(error) if is_link_unsupported(error) => self.copy()?,
            made => made?,
        }
        self.created.set(true);
        Ok(())
    }

    /// Removes it if it has been made, because the file itself could not be replaced.
    pub(super) fn remove(&self) {
        if self.created.get() {
            let _ = unlinkat(&self.entry.directory, &self.entry.name, AtFlags::empty());
        }
    }

    /// The copy gets its name when it is whole. It stands in a list of its own: who makes a backup
    /// holds the other, and no signal comes in between.
    fn copy(&self) -> io::Result<()> {
        let (entry, registry) = (self.entry.clone(), TempFileRegistry::always_named());
        let mut copy = TempFile::create(entry, Mode::from_raw_mode(0o600), &registry)?;
        let LockedFile { file, metadata, .. } = self.file;
        file_metadata::copy_file(self.file.reader(), (file, metadata), &copy.file)?;
        copy.persist(|_| match self.entry.stat() {
            Ok(_) if !self.overwrite => Err(Errno::EXIST.into()),
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
    fn copy_keeps_mode_size_and_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, vec![b'x'; 100_000]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let then = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().write(true).open(&path).unwrap().set_modified(then).unwrap();
        let source = LockedFile::open_path(&path).unwrap();
        Backup::new(&source, OsStr::new("~"), false).copy().unwrap();
        let (old, kept) = (source.metadata, fs::metadata(directory.path().join("a~")).unwrap());
        assert_ne!(old.ino(), kept.ino());
        assert_eq!((old.mode(), old.size()), (kept.mode(), kept.size()));
        assert_eq!(kept.modified().unwrap(), then);
    }

    #[test]
    fn only_a_created_backup_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let (path, kept) = (directory.path().join("a"), directory.path().join("a~"));
        fs::write(&path, "x").unwrap();
        let source = LockedFile::open_path(&path).unwrap();
        let backup = Backup::new(&source, OsStr::new("~"), false);
        backup.create().unwrap();
        assert!(kept.exists() && backup.already_exists());
        backup.remove();
        assert!(!kept.exists());
        fs::hard_link(&path, &kept).unwrap();
        let backup = Backup::new(&source, OsStr::new("~"), false);
        backup.create().unwrap();
        backup.remove();
        assert!(kept.exists());
    }
}
