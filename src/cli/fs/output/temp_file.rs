//! Temporary files and the registry of their names.
//!
//! Where the system supports it, a temporary file has no name until it is complete: nothing is left of
//! it, however the process ends. Elsewhere, and immediately before the rename, it has an unpredictable
//! name in the directory of its target. These names are registered, so that a signal handler can remove
//! the files.

use std::ffi::{OsStr, OsString};
use std::fs::{File, FileTimes};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read, Seek};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use crate::cli::fs::directory::FileEntry;
use crate::cli::sys::CreateMode;
use crate::cli::sys::directory::{is_link_unsupported, sync_file};
use crate::cli::sys::file_name::{self, NAME_MAX};
use crate::cli::sys::preserve::Preserve;
use crate::cli::sys::status::{FileStatus, copy_metadata};

/// The part of a temporary file's name between the name of its target and the random characters.
const INFIX: &[u8] = b".charpipe-";

/// The number of random characters of a name.
const RANDOM_LEN: usize = 6;

const ALPHANUMERIC: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// The number of names to try before giving up.
const MAX_ATTEMPTS: usize = 100;

/// The temporary files that have a name. Clones share the list.
#[derive(Debug, Clone, Default)]
pub struct TempFileRegistry {
    entries: Arc<Mutex<Vec<FileEntry>>>,
    disable_unnamed: bool,
}

impl TempFileRegistry {
    /// Returns an empty registry. With `always_named` its files have a name from the start, as on file
    /// systems that do not support unnamed files.
    pub fn new(always_named: bool) -> TempFileRegistry {
        TempFileRegistry { disable_unnamed: always_named, ..TempFileRegistry::default() }
    }

    /// Removes all registered files. Threads that need a name afterward block forever. For a process
    /// that is about to exit.
    pub fn remove_all(&self) {
        let entries = self.lock();
        for entry in &*entries {
            // This fails if the file has been renamed.
            let _ = entry.remove();
        }
        std::mem::forget(entries);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<FileEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `None` if another thread is replacing a file.
    fn try_lock(&self) -> Option<MutexGuard<'_, Vec<FileEntry>>> {
        match self.entries.try_lock() {
            Ok(entries) => Some(entries),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// Creates a named file in the directory of `target`.
fn create_registered(
    entries: &mut Vec<FileEntry>,
    target: &FileEntry,
    mode: CreateMode,
) -> io::Result<(File, FileEntry)> {
    let create = |entry: &FileEntry| entry.directory.handle().create_file(&entry.name, mode);
    with_unique_name(entries, target, create)
        .map_err(|error| target.directory.creation_error(error))
}

/// Calls `create` with random names in the directory of `target` until one does not exist, and registers
/// that one.
fn with_unique_name<T>(
    entries: &mut Vec<FileEntry>,
    target: &FileEntry,
    create: impl Fn(&FileEntry) -> io::Result<T>,
) -> io::Result<(T, FileEntry)> {
    for _ in 0..MAX_ATTEMPTS {
        let entry = target.directory.entry_unchecked(temp_name(&target.name));
        match create(&entry) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(created) => {
                entries.push(entry.clone());
                return Ok((created, entry));
            }
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A file that is removed when dropped, unless it has been renamed to its target.
#[derive(Debug)]
pub(crate) struct TempFile {
    pub(crate) file: File,
    /// Its status before it gets other metadata, once it has been looked up.
    status: Option<Box<FileStatus>>,
    target: FileEntry,
    /// Whether its target must not exist.
    is_new: bool,
    /// Its temporary name, if it has one.
    entry: Option<FileEntry>,
    registry: TempFileRegistry,
}

impl TempFile {
    /// Creates a file in the directory of its target with this mode.
    pub(crate) fn create(
        target: FileEntry,
        mode: CreateMode,
        registry: &TempFileRegistry,
    ) -> io::Result<TempFile> {
        let unnamed = match registry.disable_unnamed {
            true => None,
            false => target.directory.handle().create_unnamed(mode),
        };
        match unnamed {
            Some(file) => Ok(TempFile::new(file, target, None, registry)),
            None => TempFile::create_named(&mut registry.lock(), target, mode, registry),
        }
    }

    fn create_named(
        entries: &mut Vec<FileEntry>,
        target: FileEntry,
        mode: CreateMode,
        registry: &TempFileRegistry,
    ) -> io::Result<TempFile> {
        let (file, entry) = create_registered(entries, &target, mode)?;
        Ok(TempFile::new(file, target, Some(entry), registry))
    }

    fn new(
        file: File,
        target: FileEntry,
        entry: Option<FileEntry>,
        registry: &TempFileRegistry,
    ) -> TempFile {
        TempFile { file, status: None, target, is_new: false, entry, registry: registry.clone() }
    }

    /// Creates a file in the directory of its target, calls `fill` with it, syncs it and renames it as
    /// [`persist`](TempFile::persist) does.
    ///
    /// It has a name from the start, which is faster than to link it to one, with the registry locked all the time, so at
    /// most one such file is left however the process ends. While another thread is replacing a file, what needs no
    /// name is done without one.
    pub(crate) fn create_and_persist(
        target: FileEntry,
        mode: CreateMode,
        registry: &TempFileRegistry,
        fill: impl FnOnce(&mut TempFile) -> io::Result<()>,
        before_rename: impl FnOnce(&mut TempFile) -> io::Result<()>,
    ) -> io::Result<TempFile> {
        // Locks the registry when it is dropped after an error, so it is declared before the guard.
        let mut file;
        let Some(mut entries) = registry.try_lock() else {
            file = TempFile::create(target, mode, registry)?;
            fill(&mut file)?;
            if file.is_named() {
                sync_file(&file.file)?;
            }
            file.persist(before_rename)?;
            return Ok(file);
        };
        file = TempFile::create_named(&mut entries, target, mode, registry)?;
        fill(&mut file)?;
        sync_file(&file.file)?;
        file.rename(&mut entries, before_rename)?;
        Ok(file)
    }

    /// Makes it an error if the target exists by the time of the rename.
    pub(crate) fn set_new(&mut self) {
        self.is_new = true;
    }

    /// Returns the status of the file before it got other metadata.
    pub(crate) fn status(&mut self) -> io::Result<&FileStatus> {
        let status = match self.status.take() {
            Some(status) => status,
            None => Box::new(FileStatus::of(&self.file)?),
        };
        Ok(self.status.insert(status))
    }

    /// Gives the file the metadata of another one, as far as they are to be preserved.
    pub(crate) fn copy_metadata(
        &mut self,
        (old, old_status): (&File, &FileStatus),
        preserve: Preserve,
    ) -> io::Result<()> {
        let status = self.status()?.clone();
        copy_metadata((&self.file, &status), (old, old_status), preserve)
    }

    /// Returns whether the file has a name already.
    pub(crate) fn is_named(&self) -> bool {
        self.entry.is_some()
    }

    /// Renames the file to its target, replacing it. A file that gets its name here is synced first. Calls
    /// `before_rename` immediately before with the file, which may be another one than before.
    /// The registry is locked meanwhile, so of the files without a name at most one is left however the process
    /// ends.
    pub(crate) fn persist(
        &mut self,
        before_rename: impl FnOnce(&mut TempFile) -> io::Result<()>,
    ) -> io::Result<()> {
        let registry = self.registry.clone();
        let mut entries = registry.lock();
        if self.entry.is_none() {
            self.assign_name(&mut entries)?;
        }
        self.rename(&mut entries, before_rename)
    }

    fn rename(
        &mut self,
        entries: &mut Vec<FileEntry>,
        before_rename: impl FnOnce(&mut TempFile) -> io::Result<()>,
    ) -> io::Result<()> {
        before_rename(self)?;
        let Some(entry) = &self.entry else { return Err(io::ErrorKind::NotFound.into()) };
        let FileEntry { directory, name } = &self.target;
        match self.is_new {
            true => directory.rename_new(&mut self.file, &entry.name, name)?,
            false => directory.handle().replace(&mut self.file, &entry.name, name)?,
        }
        unregister(entries, entry);
        self.entry = None;
        Ok(())
    }

    /// Links an unnamed file to a name in the directory of its target. Where the system does not permit
    /// the link, the file is replaced by a named copy.
    fn assign_name(&mut self, entries: &mut Vec<FileEntry>) -> io::Result<()> {
        let link = |entry: &FileEntry| entry.link(&self.file, None);
        let linked = with_unique_name(entries, &self.target, link);
        let entry = match linked {
            Ok(((), entry)) => entry,
            Err(error) if is_link_unsupported(&error) => {
                let (copy, entry) = create_registered(entries, &self.target, CreateMode::Private)?;
                let mut unnamed = std::mem::replace(&mut self.file, copy);
                self.status = None;
                self.entry = Some(entry);
                unnamed.rewind()?;
                let status = FileStatus::of(&unnamed)?;
                return copy_file(&unnamed, (&unnamed, &status), self, Preserve::default());
            }
            Err(error) => return Err(self.target.directory.creation_error(error)),
        };
        self.entry = Some(entry);
        // Synced before, with a link count of zero, the file would be deleted together with this name by a
        // file system without a journal after a crash.
        sync_file(&self.file)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            let mut entries = self.registry.lock();
            let _ = entry.remove();
            unregister(&mut entries, &entry);
        }
    }
}

fn unregister(entries: &mut Vec<FileEntry>, entry: &FileEntry) {
    entries.retain(|registered| !registered.is_same(entry));
}

/// Copies content, metadata as far as they are to be preserved, and modification time into the empty file
/// `new`, and syncs it.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn copy_file(
    mut content: impl Read,
    (old, old_status): (&File, &FileStatus),
    new: &mut TempFile,
    preserve: Preserve,
) -> io::Result<()> {
    io::copy(&mut content, &mut new.file)?;
    new.copy_metadata((old, old_status), preserve)?;
    new.file.set_times(FileTimes::new().set_modified(old_status.modified()?))?;
    sync_file(&new.file)
}

/// Returns `.NAME.charpipe-` and random characters.
fn temp_name(name: &OsStr) -> OsString {
    let mut result = b".".to_vec();
    let max_len = NAME_MAX - 1 - INFIX.len() - RANDOM_LEN;
    result.extend_from_slice(truncate_name(name.as_encoded_bytes(), max_len));
    result.extend_from_slice(INFIX);
    // The keys of a new hasher are random.
    let mut random = RandomState::new().build_hasher().finish();
    for _ in 0..RANDOM_LEN {
        result.push(ALPHANUMERIC[(random % 62) as usize]);
        random /= 62;
    }
    file_name::from_bytes(&result).into_owned()
}

/// Returns whether a file name is that of a temporary file, perhaps left by a crash.
pub fn is_temp_file_name(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    let suffix_start = name.len().saturating_sub(RANDOM_LEN);
    name.starts_with(b".")
        && name[..suffix_start].ends_with(INFIX)
        && name[suffix_start..].iter().all(u8::is_ascii_alphanumeric)
}

/// Truncates a name to at most `max_len` bytes, between characters.
fn truncate_name(name: &[u8], max_len: usize) -> &[u8] {
    let mut end = name.len().min(max_len);
    while name.get(end).is_some_and(|byte| (0x80..0xC0).contains(byte)) && end > 0 {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_name_is_truncated_between_characters() {
        assert_eq!(truncate_name(b"abcdef", 4), b"abcd");
        assert_eq!(truncate_name(b"abcdef", 40), b"abcdef");
        assert_eq!(truncate_name("ééé".as_bytes(), 5), "éé".as_bytes());
    }

    #[test]
    fn temp_name_is_random_and_not_too_long() {
        for name in ["a", &"x".repeat(255)] {
            let (one, other) = (temp_name(OsStr::new(name)), temp_name(OsStr::new(name)));
            assert!(is_temp_file_name(&one) && one.len() <= NAME_MAX, "{one:?}");
            assert_ne!(one, other);
        }
    }

    #[test]
    fn temp_file_is_recognized_by_name() {
        for (name, temporary) in [
            (".a.txt.charpipe-aB3dE6", true),
            ("..charpipe-aB3dE6", true),
            (".a.txt.charpipe-aB3dE", false),
            (".a.txt.charpipe-aB3d-6", false),
            ("a.txt.charpipe-aB3dE6", false),
            (".charpipe", false),
            ("", false),
        ] {
            assert_eq!(is_temp_file_name(OsStr::new(name)), temporary, "{name}");
        }
    }
}
