//! Files that are on their way to another name, and the list of their names.
//!
//! Where the system can, a file has no name at all until it is whole: then nothing is left of it
//! however the process ends. Elsewhere, and in the instant before the rename, it has one beside its
//! target that nobody can guess. These names stand in a list, so that a signal can have them
//! removed.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Seek};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, Mode, OFlags, openat, renameat, unlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::dir_entry::DirEntryRef;
use super::file_metadata;

/// The longest file name that file systems commonly take, in bytes.
const NAME_MAX: usize = 255;
const INFIX: &[u8] = b".charpipe-";
/// Characters of a name that are drawn by lot.
const RANDOM_LEN: usize = 6;
const ALPHANUMERIC: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Names that are tried before it is said that none is free.
const MAX_ATTEMPTS: usize = 100;

/// The temporary files that have a name at this moment. Copies are the same list.
#[derive(Debug, Clone, Default)]
pub struct TempFileRegistry {
    entries: Arc<Mutex<Vec<DirEntryRef>>>,
    disable_unnamed: bool,
}

impl TempFileRegistry {
    /// An empty list, for files that have a name from the start, as on file systems that can do
    /// no other.
    pub fn always_named() -> TempFileRegistry {
        TempFileRegistry { disable_unnamed: true, ..TempFileRegistry::default() }
    }

    /// Removes all of them and lets no file get a name any more: whoever wants one waits for
    /// ever. For a process that is about to end.
    pub fn remove_all(&self) {
        let entries = self.lock();
        for entry in &*entries {
            // It may have been renamed by now, and then there is nothing to remove.
            let _ = unlinkat(&entry.directory, &entry.name, AtFlags::empty());
        }
        std::mem::forget(entries);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<DirEntryRef>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a file that has a name beside `target`.
    fn create_named(&self, target: &DirEntryRef, mode: Mode) -> io::Result<(OwnedFd, DirEntryRef)> {
        create_registered(&mut self.lock(), target, mode)
    }
}

fn create_registered(
    entries: &mut Vec<DirEntryRef>,
    target: &DirEntryRef,
    mode: Mode,
) -> io::Result<(OwnedFd, DirEntryRef)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let make =
        |entry: &DirEntryRef| retry_on_intr(|| openat(&entry.directory, &entry.name, flags, mode));
    with_unique_name(entries, target, make).map_err(|error| target.directory.creation_error(error))
}

/// Draws names for a file beside `target` until `make` finds one free, and lists that.
fn with_unique_name<T>(
    entries: &mut Vec<DirEntryRef>,
    target: &DirEntryRef,
    make: impl Fn(&DirEntryRef) -> rustix::io::Result<T>,
) -> rustix::io::Result<(T, DirEntryRef)> {
    for _ in 0..MAX_ATTEMPTS {
        let name = temp_name(&target.name);
        let entry = DirEntryRef { directory: Arc::clone(&target.directory), name };
        match make(&entry) {
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
            Ok(made) => {
                entries.push(entry.clone());
                return Ok((made, entry));
            }
        }
    }
    Err(Errno::EXIST)
}

/// A file that goes away unless it gets the name of its target.
#[derive(Debug)]
pub(crate) struct TempFile {
    pub(crate) file: File,
    target: DirEntryRef,
    /// The name that it has meanwhile, if any.
    entry: Option<DirEntryRef>,
    registry: TempFileRegistry,
}

impl TempFile {
    /// Creates a file in the directory of its target with these permissions.
    pub(crate) fn create(
        target: DirEntryRef,
        mode: Mode,
        registry: &TempFileRegistry,
    ) -> io::Result<TempFile> {
        let file = if registry.disable_unnamed { None } else { create_unnamed(&target, mode) };
        let (file, entry) = match file {
            Some(file) => (file, None),
            None => {
                let (file, position) = registry.create_named(&target, mode)?;
                (file, Some(position))
            }
        };
        Ok(TempFile { file: file.into(), target, entry: entry, registry: registry.clone() })
    }

    /// Gives the file the name of its target, whatever has it now. `first` is called just
    /// before with the file, which may be another one than until now.
    /// No signal gets in between, and no other file: of those that had no name, at most one is
    /// left after however the process ends.
    pub(crate) fn persist(
        &mut self,
        before_rename: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let registry = self.registry.clone();
        let mut entries = registry.lock();
        let entry = match &self.entry {
            Some(position) => position.clone(),
            None => self.assign_name(&mut entries)?,
        };
        before_rename(&self.file)?;
        renameat(&entry.directory, &entry.name, &self.target.directory, &self.target.name)?;
        unregister(&mut entries, &entry);
        self.entry = None;
        Ok(())
    }

    /// Gives a file without a name one beside its target; or gives it to a copy of the file, where
    /// the system has links but permits none.
    fn assign_name(&mut self, entries: &mut Vec<DirEntryRef>) -> io::Result<DirEntryRef> {
        let entry =
            match with_unique_name(entries, &self.target, |position| link_fd(&self.file, position))
            {
                Ok(((), position)) => position,
                Err(error) if is_link_unsupported(error) => {
                    let (copy, position) =
                        create_registered(entries, &self.target, Mode::from_raw_mode(0o600))?;
                    let mut unnamed = std::mem::replace(&mut self.file, copy.into());
                    self.entry = Some(position.clone());
                    unnamed.rewind()?;
                    let metadata = unnamed.metadata()?;
                    file_metadata::copy_file(&unnamed, (&unnamed, &metadata), &self.file)?;
                    return Ok(position);
                }
                Err(error) => return Err(self.target.directory.creation_error(error)),
            };
        self.entry = Some(entry.clone());
        // What was synced is a file without names. A file system without a journal would clear it
        // away after a crash, and this name with it.
        self.file.sync_all()?;
        Ok(entry)
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            let mut entries = self.registry.lock();
            let _ = unlinkat(&entry.directory, &entry.name, AtFlags::empty());
            unregister(&mut entries, &entry);
        }
    }
}

fn unregister(entries: &mut Vec<DirEntryRef>, entry: &DirEntryRef) {
    entries.retain(|listed| {
        listed.name != entry.name || !Arc::ptr_eq(&listed.directory, &entry.directory)
    });
}

/// A file without a name, if the system can give it one later.
#[cfg(target_os = "linux")]
fn create_unnamed(target: &DirEntryRef, mode: Mode) -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = retry_on_intr(|| openat(&target.directory, ".", flags, mode)).ok()?;
    rustix::fs::access(proc_fd_path(&file), rustix::fs::Access::EXISTS).ok()?;
    Some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &DirEntryRef, _: Mode) -> Option<OwnedFd> {
    None
}

/// Gives an open file one more name, which must be free.
pub(crate) fn link_fd(file: &File, entry: &DirEntryRef) -> rustix::io::Result<()> {
    let path = proc_fd_path(file);
    rustix::fs::linkat(
        rustix::fs::CWD,
        path,
        &entry.directory,
        &entry.name,
        AtFlags::SYMLINK_FOLLOW,
    )
}

/// Whether this is the error of a system that has no hard links, no more of them, none for open files,
/// or permits none.
pub(crate) fn is_link_unsupported(error: Errno) -> bool {
    use Errno as E;
    [E::PERM, E::ACCESS, E::NOTSUP, E::NOSYS, E::MLINK, E::XDEV, E::NOENT].contains(&error)
}

fn proc_fd_path(file: &impl std::os::fd::AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// `.NAME.charpipe-` and characters drawn by lot.
fn temp_name(name: &OsStr) -> OsString {
    let mut result = b".".to_vec();
    result
        .extend_from_slice(truncate_name(name.as_bytes(), NAME_MAX - 1 - INFIX.len() - RANDOM_LEN));
    result.extend_from_slice(INFIX);
    // The keys of a new hasher come from the system's source of randomness.
    let mut random = RandomState::new().build_hasher().finish();
    for _ in 0..RANDOM_LEN {
        result.push(ALPHANUMERIC[(random % 62) as usize]);
        random /= 62;
    }
    OsString::from_vec(result)
}

/// Whether a file with this name is a temporary one, or what a crash has left of one.
pub fn is_temp_file_name(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let suffix_start = name.len().saturating_sub(RANDOM_LEN);
    name.starts_with(b".")
        && name[..suffix_start].ends_with(INFIX)
        && name[suffix_start..].iter().all(u8::is_ascii_alphanumeric)
}

/// The beginning of a name, in whole characters.
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
