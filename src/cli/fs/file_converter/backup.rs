//! Backups: the old content of a file under another name.
//!
//! A backup is a hard link to the old file, which cannot lose any of its content or metadata. The file is
//! copied only where the file system does not support hard links.

use std::ffi::OsStr;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::error::FileError;
use super::locked_file::LockedFile;
use crate::cli::fs::directory::FileEntry;
use crate::cli::fs::output::temp_file::{TempFile, TempFileRegistry, copy_file};
use crate::cli::sys::CreateMode;
use crate::cli::sys::directory::is_link_unsupported;
use crate::cli::sys::preserve::Preserve;

/// The backup of a file, not yet created.
pub(super) struct Backup<'a> {
    file: &'a LockedFile,
    entry: FileEntry,
    /// Whether it may replace an existing one.
    overwrite: bool,
    /// The metadata that a copy keeps.
    preserve: Preserve,
    created: AtomicBool,
}

impl<'a> Backup<'a> {
    /// Returns the backup whose name is that of the file with a suffix.
    pub(super) fn new(
        file: &'a LockedFile,
        suffix: &OsStr,
        overwrite: bool,
        preserve: Preserve,
    ) -> Backup<'a> {
        let entry = file.entry.with_suffix(suffix);
        Backup { file, entry, overwrite, preserve, created: AtomicBool::new(false) }
    }

    /// Returns whether the backup already exists, created by an interrupted run.
    pub(super) fn already_exists(&self) -> bool {
        self.file.is_at(&self.entry)
    }

    /// Returns an error if the name is not possible, or is that of another file that must not be replaced.
    pub(super) fn check_available(&self) -> Result<(), FileError> {
        match self.entry.file_id() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(FileError::Write(error)),
            Ok(_) if self.overwrite || self.already_exists() => Ok(()),
            Ok(_) => Err(FileError::BackupExists(self.entry.name.clone())),
        }
    }

    /// Creates the backup and syncs its directory, after which the file itself may be replaced.
    pub(super) fn create(&self) -> io::Result<()> {
        if !self.already_exists() {
            self.link_or_copy()?;
        }
        self.entry.directory.sync(&self.file.file)
    }

    fn link_or_copy(&self) -> io::Result<()> {
        let link = || self.entry.link(&self.file.file, Some(&self.file.entry));
        let mut linked = link();
        let exists = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
        if linked.as_ref().is_err_and(exists) && self.overwrite {
            self.entry.remove()?;
            linked = link();
        }
        match linked {
            Err(error) if is_link_unsupported(&error) => self.copy()?,
            result => result?,
        }
        self.created.store(true, Relaxed);
        Ok(())
    }

    /// Removes the backup if it has been created, because the file could not be replaced.
    pub(super) fn remove(&self) {
        if self.created.load(Relaxed) {
            let _ = self.entry.remove();
        }
    }

    /// Copies the file. The copy gets its name when it is complete. It has a registry of its own: the
    /// caller holds the lock of the other one, which delays signals.
    fn copy(&self) -> io::Result<()> {
        let (entry, registry) = (self.entry.clone(), TempFileRegistry::new(true));
        let mut copy = TempFile::create(entry, CreateMode::Private, &registry)?;
        let LockedFile { file, status, .. } = self.file;
        copy_file(self.file.reader(), (file, status), &mut copy, self.preserve)?;
        if !self.overwrite {
            copy.set_new();
        }
        copy.persist(|_| Ok(()))
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File};
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::cli::sys::FileAccess;

    #[test]
    fn copy_keeps_mode_size_and_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        fs::write(&path, vec![b'x'; 100_000]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let mtime = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options().write(true).open(&path).unwrap().set_modified(mtime).unwrap();
        let source = LockedFile::open_path(&path, FileAccess::Convert).unwrap();
        Backup::new(&source, OsStr::new("~"), false, Preserve::default()).copy().unwrap();
        let (old, backup) = (source.file.metadata().unwrap(), directory.path().join("a~"));
        let backup = fs::metadata(backup).unwrap();
        assert_ne!(old.ino(), backup.ino());
        assert_eq!((old.mode(), old.size()), (backup.mode(), backup.size()));
        assert_eq!(backup.modified().unwrap(), mtime);
    }

    #[test]
    fn only_a_created_backup_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let (path, backup_path) = (directory.path().join("a"), directory.path().join("a~"));
        fs::write(&path, "x").unwrap();
        let source = LockedFile::open_path(&path, FileAccess::Convert).unwrap();
        let backup = Backup::new(&source, OsStr::new("~"), false, Preserve::default());
        backup.create().unwrap();
        assert!(backup_path.exists() && backup.already_exists());
        backup.remove();
        assert!(!backup_path.exists());
        fs::hard_link(&path, &backup_path).unwrap();
        let backup = Backup::new(&source, OsStr::new("~"), false, Preserve::default());
        backup.create().unwrap();
        backup.remove();
        assert!(backup_path.exists());
    }
}
