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

use super::likeness;
use super::place::Place;

/// The longest file name that file systems commonly take, in bytes.
const NAME_MAX: usize = 255;
const MARK: &[u8] = b".charpipe-";
/// Characters of a name that are drawn by lot.
const RANDOM: usize = 6;
const LETTERS: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// Names that are tried before it is said that none is free.
const ATTEMPTS: usize = 100;

/// The temporary files that have a name at this moment. Copies are the same list.
#[derive(Debug, Clone, Default)]
pub struct Temporaries {
    names: Arc<Mutex<Vec<Place>>>,
    always_named: bool,
}

impl Temporaries {
    /// An empty list, for files that have a name from the start, as on file systems that can do
    /// no other.
    pub fn always_named() -> Temporaries {
        Temporaries { always_named: true, ..Temporaries::default() }
    }

    /// Removes all of them and lets no file get a name any more: whoever wants one waits for
    /// ever. For a process that is about to end.
    pub fn remove_all(&self) {
        let names = self.lock();
        for place in &*names {
            // It may have been renamed by now, and then there is nothing to remove.
            let _ = unlinkat(&place.folder, &place.name, AtFlags::empty());
        }
        std::mem::forget(names);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Place>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates a file that has a name beside `target`.
    fn create(&self, target: &Place, mode: Mode) -> io::Result<(OwnedFd, Place)> {
        create(&mut self.lock(), target, mode)
    }
}

fn create(names: &mut Vec<Place>, target: &Place, mode: Mode) -> io::Result<(OwnedFd, Place)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let make = |place: &Place| retry_on_intr(|| openat(&place.folder, &place.name, flags, mode));
    named(names, target, make).map_err(|error| target.folder.blamed_for(error))
}

/// Draws names for a file beside `target` until `make` finds one free, and lists that.
fn named<T>(
    names: &mut Vec<Place>,
    target: &Place,
    make: impl Fn(&Place) -> rustix::io::Result<T>,
) -> rustix::io::Result<(T, Place)> {
    for _ in 0..ATTEMPTS {
        let name = beside(&target.name);
        let place = Place { folder: Arc::clone(&target.folder), name };
        match make(&place) {
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
            Ok(made) => {
                names.push(place.clone());
                return Ok((made, place));
            }
        }
    }
    Err(Errno::EXIST)
}

/// A file that goes away unless it gets the name of its target.
#[derive(Debug)]
pub(crate) struct Temporary {
    pub(crate) file: File,
    target: Place,
    /// The name that it has meanwhile, if any.
    place: Option<Place>,
    list: Temporaries,
}

impl Temporary {
    /// Creates a file in the folder of its target with these permissions.
    pub(crate) fn create(target: Place, mode: Mode, list: &Temporaries) -> io::Result<Temporary> {
        let file = if list.always_named { None } else { nameless(&target, mode) };
        let (file, place) = match file {
            Some(file) => (file, None),
            None => {
                let (file, place) = list.create(&target, mode)?;
                (file, Some(place))
            }
        };
        Ok(Temporary { file: file.into(), target, place, list: list.clone() })
    }

    /// Gives the file the name of its target, whatever has it now. `first` is called just
    /// before with the file, which may be another one than until now.
    /// No signal gets in between, and no other file: of those that had no name, at most one is
    /// left behind however the process ends.
    pub(crate) fn take_place(
        &mut self,
        first: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let list = self.list.clone();
        let mut names = list.lock();
        let place = match &self.place {
            Some(place) => place.clone(),
            None => self.get_name(&mut names)?,
        };
        first(&self.file)?;
        renameat(&place.folder, &place.name, &self.target.folder, &self.target.name)?;
        forget(&mut names, &place);
        self.place = None;
        Ok(())
    }

    /// Gives a file without a name one beside its target; or gives it to a copy of the file, where
    /// the system has links but permits none.
    fn get_name(&mut self, names: &mut Vec<Place>) -> io::Result<Place> {
        let place = match named(names, &self.target, |place| give_name(&self.file, place)) {
            Ok(((), place)) => place,
            Err(error) if lacks_links(error) => {
                let (copy, place) = create(names, &self.target, Mode::from_raw_mode(0o600))?;
                let mut nameless = std::mem::replace(&mut self.file, copy.into());
                self.place = Some(place.clone());
                nameless.rewind()?;
                let metadata = nameless.metadata()?;
                likeness::copy(&nameless, (&nameless, &metadata), &self.file)?;
                return Ok(place);
            }
            Err(error) => return Err(self.target.folder.blamed_for(error)),
        };
        self.place = Some(place.clone());
        // What was synced is a file without names. A file system without a journal would clear it
        // away after a crash, and this name with it.
        self.file.sync_all()?;
        Ok(place)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if let Some(place) = self.place.take() {
            let mut names = self.list.lock();
            let _ = unlinkat(&place.folder, &place.name, AtFlags::empty());
            forget(&mut names, &place);
        }
    }
}

fn forget(names: &mut Vec<Place>, place: &Place) {
    names.retain(|listed| listed.name != place.name || !Arc::ptr_eq(&listed.folder, &place.folder));
}

/// A file without a name, if the system can give it one later.
#[cfg(target_os = "linux")]
fn nameless(target: &Place, mode: Mode) -> Option<OwnedFd> {
    let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = retry_on_intr(|| openat(&target.folder, ".", flags, mode)).ok()?;
    rustix::fs::access(descriptor_path(&file), rustix::fs::Access::EXISTS).ok()?;
    Some(file)
}

#[cfg(not(target_os = "linux"))]
fn nameless(_: &Place, _: Mode) -> Option<OwnedFd> {
    None
}

/// Gives an open file one more name, which must be free.
pub(crate) fn give_name(file: &File, place: &Place) -> rustix::io::Result<()> {
    let path = descriptor_path(file);
    rustix::fs::linkat(rustix::fs::CWD, path, &place.folder, &place.name, AtFlags::SYMLINK_FOLLOW)
}

/// Whether this is the error of a system that has no hard links, no more of them, none for open files,
/// or permits none.
pub(crate) fn lacks_links(error: Errno) -> bool {
    use Errno as E;
    [E::PERM, E::ACCESS, E::NOTSUP, E::NOSYS, E::MLINK, E::XDEV, E::NOENT].contains(&error)
}

fn descriptor_path(file: &impl std::os::fd::AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// `.NAME.charpipe-` and characters drawn by lot.
fn beside(name: &OsStr) -> OsString {
    let mut whole = b".".to_vec();
    whole.extend_from_slice(cut(name.as_bytes(), NAME_MAX - 1 - MARK.len() - RANDOM));
    whole.extend_from_slice(MARK);
    // The keys of a new hasher come from the system's source of randomness.
    let mut lot = RandomState::new().build_hasher().finish();
    for _ in 0..RANDOM {
        whole.push(LETTERS[(lot % 62) as usize]);
        lot /= 62;
    }
    OsString::from_vec(whole)
}

/// Whether a file with this name is a temporary one, or what a crash has left of one.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let random = name.len().saturating_sub(RANDOM);
    name.starts_with(b".")
        && name[..random].ends_with(MARK)
        && name[random..].iter().all(u8::is_ascii_alphanumeric)
}

/// The beginning of a name, in whole characters.
fn cut(name: &[u8], bytes: usize) -> &[u8] {
    let mut end = name.len().min(bytes);
    while name.get(end).is_some_and(|byte| (0x80..0xC0).contains(byte)) && end > 0 {
        end -= 1;
    }
    &name[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_cut_between_characters() {
        assert_eq!(cut(b"abcdef", 4), b"abcd");
        assert_eq!(cut(b"abcdef", 40), b"abcdef");
        assert_eq!(cut("ééé".as_bytes(), 5), "éé".as_bytes());
    }

    #[test]
    fn a_temporary_name_is_drawn_by_lot_and_never_too_long() {
        for name in ["a", &"x".repeat(255)] {
            let (one, other) = (beside(OsStr::new(name)), beside(OsStr::new(name)));
            assert!(is_temporary(&one) && one.len() <= NAME_MAX, "{one:?}");
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_temporary_file_is_known_by_its_name() {
        for (name, temporary) in [
            (".a.txt.charpipe-aB3dE6", true),
            ("..charpipe-aB3dE6", true),
            (".a.txt.charpipe-aB3dE", false),
            (".a.txt.charpipe-aB3d-6", false),
            ("a.txt.charpipe-aB3dE6", false),
            (".charpipe", false),
            ("", false),
        ] {
            assert_eq!(is_temporary(OsStr::new(name)), temporary, "{name}");
        }
    }
}
