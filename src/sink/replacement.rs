//! A file that is written beside the one it will replace.
//!
//! The old content stands until the new one is whole and on disk; then one `rename` swaps them.
//! Whoever looks in between sees the old file or the new one, never half of either.

use std::fmt;
use std::fs::{File, FileTimes, Metadata};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{Access, AtFlags, Mode, OFlags, accessat};
use rustix::io::Errno;

use super::likeness::take_after;
use super::place::Place;
use super::restriction;
use super::temporary::{Temporaries, Temporary};
use crate::identity::Identity;
use crate::patience;

/// The permissions of a new file before the umask, and of one that replaces another: nobody else
/// may look into that before it has its owner.
const FRESH: Mode = Mode::from_raw_mode(0o666);
const CLOSED: Mode = Mode::from_raw_mode(0o600);

/// The new content of a file, on its way.
#[derive(Debug)]
pub struct Replacement {
    temporary: Temporary,
    place: Place,
    /// The file to be replaced, if there is one, open, and what it was when it was opened.
    old: Option<Box<(File, Metadata)>>,
}

impl Replacement {
    /// Starts the new content of `path`, whose file is `old` if there is one. Where `path` is a
    /// symbolic link, the file it leads to will be replaced and the link stays.
    pub(super) fn of(
        path: &Path,
        old: Option<&Metadata>,
        list: &Temporaries,
    ) -> io::Result<Replacement> {
        let Some(found) = old else {
            if path.as_os_str().as_bytes().ends_with(b"/") {
                return Err(Errno::ISDIR.into());
            }
            let place = Place::find(path)?;
            restriction::check(&place.folder, None)?;
            let temporary = Temporary::create(place.clone(), FRESH, list)?;
            return Ok(Replacement { temporary, place, old: None });
        };
        let place = Place::find(path)?;
        is_still_there(&place, found)?;
        // Who may write a file need not be allowed to read it.
        let file = match place.open(OFlags::RDONLY) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                place.open(OFlags::WRONLY)?
            }
            opened => opened?,
        };
        let metadata = file.metadata()?;
        may_replace(&place, &file, &metadata)?;
        Replacement::over(place, file, metadata, list)
    }

    /// Starts the new content of an open file that stands at `place`.
    pub(crate) fn over(
        place: Place,
        file: File,
        metadata: Metadata,
        list: &Temporaries,
    ) -> io::Result<Replacement> {
        let temporary = Temporary::create(place.clone(), CLOSED, list)?;
        Ok(Replacement { temporary, place, old: Some(Box::new((file, metadata))) })
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.temporary.file.as_fd()
    }

    /// Sets the time of the last change, after everything has been written.
    pub(crate) fn set_mtime(&self, time: SystemTime) -> io::Result<()> {
        self.temporary.file.set_times(FileTimes::new().set_modified(time))
    }

    /// Takes the place of the old file, on disk when this returns. `first` is called just before
    /// that with the new file, when everything else has gone well.
    pub(crate) fn commit(
        self,
        first: impl FnOnce(&File) -> io::Result<()>,
    ) -> Result<(), Uncommitted> {
        let Replacement { mut temporary, place, old } = self;
        let finish = || {
            if let Some((file, metadata)) = old.as_deref() {
                take_after(&temporary.file, file, metadata)?;
            }
            temporary.file.sync_all()?;
            temporary.take_place(first)
        };
        finish().map_err(Uncommitted::Unchanged)?;
        // The old file is open until then, so that nobody is given its space as long as the name may
        // still lead there on the disk.
        place.folder.sync(&temporary.file).map_err(Uncommitted::Unsettled)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        patience::write(self.descriptor(), bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// How far a commit has come that failed.
#[derive(Debug)]
pub enum Uncommitted {
    /// The old file stands as it was.
    Unchanged(io::Error),
    /// The new file is in its place and on disk, but its folder may not be: after a crash the old
    /// file may be back.
    Unsettled(io::Error),
}

impl fmt::Display for Uncommitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Uncommitted::Unchanged(_) => "cannot be written",
            Uncommitted::Unsettled(_) => "is written, but its folder may not be on disk",
        })
    }
}

impl std::error::Error for Uncommitted {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Uncommitted::Unchanged(error) | Uncommitted::Unsettled(error) => Some(error),
        }
    }
}

/// Refuses a file that was replaced or removed since it was found, or has other names: these are not
/// parted.
fn is_still_there(place: &Place, old: &Metadata) -> io::Result<()> {
    // Another run with the same output may have ended just now; and a link below /proc may name a
    // file that has no name any more.
    let now = match place.look() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        looked => Some(Identity::from_stat(&looked?)),
    };
    if now != Identity::from_metadata(old) {
        return Err(io::Error::other("another process has replaced or removed it"));
    }
    if old.nlink() > 1 {
        let links = old.nlink();
        let reason = format!("it has {links} hard links, and replacing it would part them");
        return Err(io::Error::other(reason));
    }
    Ok(())
}

/// Refuses a file that cannot be replaced, and one that `open` would not open for writing: a rename
/// requires no permission for the file itself, but a read-only file is meant to keep its content.
///
/// # Errors
///
/// Why it may not be replaced.
pub(crate) fn may_replace(place: &Place, file: &File, metadata: &Metadata) -> io::Result<()> {
    restriction::check(&place.folder, Some((file, metadata)))?;
    Ok(accessat(&place.folder, &place.name, Access::WRITE_OK, AtFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_that_another_process_has_replaced_or_removed_meanwhile_is_said_to_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "old").unwrap();
        let found = fs::metadata(&path).unwrap();
        let another = folder.path().join("another");
        fs::write(&another, "new").unwrap();
        fs::rename(&another, &path).unwrap();
        let refused = |found| {
            let of = Replacement::of(&path, Some(found), &Temporaries::default());
            of.expect_err("it is another file").to_string()
        };
        assert_eq!(refused(&found), "another process has replaced or removed it");
        fs::remove_file(&path).unwrap();
        assert_eq!(refused(&found), "another process has replaced or removed it");
    }
}
