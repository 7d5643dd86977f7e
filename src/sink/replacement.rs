//! A file that is written beside the one it will replace.
//!
//! The old content stands until the new one is whole and on disk; then one `rename` swaps them.
//! Whoever looks in between sees the old file or the new one, never half of either.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use rustix::io::Errno;
use tempfile::NamedTempFile;

use super::likeness::take_after;
use super::standing;
use crate::identity::Identity;
use crate::quote::Quoted;

/// The longest file name that file systems commonly take, in bytes.
const NAME_MAX: usize = 255;
const MARK: &str = ".charpipe-";
const RANDOM: usize = 6;
/// Links that lead on to links, as many as Linux follows.
pub(super) const LINKS: usize = 40;

/// The new content of a file, on its way.
#[derive(Debug)]
pub struct Replacement {
    file: NamedTempFile,
    target: PathBuf,
}

impl Replacement {
    /// Whether a path leads to a regular file, or to nothing yet, and does not stand for a
    /// descriptor.
    pub fn suits(path: &Path) -> bool {
        let free = fs::metadata(path)
            .map_or_else(|error| error.kind() == io::ErrorKind::NotFound, |found| found.is_file());
        free && standing::descriptor(path).is_none()
    }

    /// Starts the new content of `path`, whose file is `old` if there is one. Where `path` is a
    /// symbolic link, the file it leads to will be replaced and the link stays.
    pub(super) fn of(path: &Path, old: Option<&Metadata>) -> io::Result<Replacement> {
        let target = follow(path)?;
        let name = target.file_name().ok_or(Errno::NOENT)?;
        match old {
            Some(old) => {
                may_replace(&target, old)?;
                // Nobody else may look into it before it has its owner.
                let file = beside(&target, name, 0o600)?;
                take_after(file.as_file(), &target, old)?;
                Ok(Replacement { file, target })
            }
            None if path.as_os_str().as_bytes().ends_with(b"/") => Err(Errno::ISDIR.into()),
            None => Ok(Replacement { file: beside(&target, name, 0o666)?, target }),
        }
    }

    /// The path of the new content while it is not yet in its place.
    pub fn temporary(&self) -> &Path {
        self.file.path()
    }

    pub(super) fn descriptor(&self) -> BorrowedFd<'_> {
        self.file.as_file().as_fd()
    }

    pub(super) fn commit(self) -> Result<(), Uncommitted> {
        self.file.as_file().sync_all().map_err(Uncommitted::Unchanged)?;
        let persisted = self.file.persist(&self.target);
        persisted.map_err(|failure| Uncommitted::Unchanged(failure.error))?;
        sync_folder(folder(&self.target)).map_err(Uncommitted::Unsettled)
    }
}

/// Whether a file with this name is a replacement on its way, or what a crash has left of one.
pub fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let random = name.len().saturating_sub(RANDOM);
    name.starts_with(b".")
        && name[..random].ends_with(MARK.as_bytes())
        && name[random..].iter().all(u8::is_ascii_alphanumeric)
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

/// Puts a rename on disk, as far as the folder may be opened and its file system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !is_beyond_us(error.kind()) => Err(error),
        _ => Ok(()),
    }
}

fn is_beyond_us(error: io::ErrorKind) -> bool {
    matches!(error, io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput)
}

/// Creates `.NAME.charpipe-` with six random characters behind it in the folder of the target.
fn beside(target: &Path, name: &OsStr, mode: u32) -> io::Result<NamedTempFile> {
    let mut prefix = OsString::from(".");
    prefix.push(cut(name, NAME_MAX - 1 - MARK.len() - RANDOM));
    prefix.push(MARK);
    // tempfile's own message names the random path, which helps nobody and is not escaped.
    let mut refused = None;
    tempfile::Builder::new()
        .prefix(&prefix)
        .rand_bytes(RANDOM)
        .make_in(folder(target), |path| {
            let create = OpenOptions::new().write(true).create_new(true).mode(mode).open(path);
            create.inspect_err(|error| refused = error.raw_os_error())
        })
        .map_err(|error| {
            let error = refused.map_or(error.kind().into(), io::Error::from_raw_os_error);
            blaming_folder(folder(target), error)
        })
}

/// Says that it is the folder that refuses, where it is: the file itself may well be writable.
fn blaming_folder(folder: &Path, error: io::Error) -> io::Error {
    let kind = error.kind();
    match kind {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            let folder = Quoted::new(folder);
            io::Error::new(kind, format!("the folder {folder} refuses a new file: {kind}"))
        }
        _ => error,
    }
}

/// The beginning of a name, in whole characters.
fn cut(name: &OsStr, bytes: usize) -> &OsStr {
    let name = name.as_bytes();
    let mut end = name.len().min(bytes);
    while name.get(end).is_some_and(|byte| (0x80..0xC0).contains(byte)) && end > 0 {
        end -= 1;
    }
    OsStr::from_bytes(&name[..end])
}

pub(super) fn folder(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The path at the end of a chain of symbolic links, which may lead to nothing.
fn follow(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&path) {
            Ok(next) => path = folder(&path).join(next),
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::InvalidInput | io::ErrorKind::NotFound => Ok(path),
                    _ => Err(error),
                };
            }
        }
    }
    Err(Errno::LOOP.into())
}

/// Refuses what `open` for writing would refuse. A rename needs no leave of the file itself, but
/// who has made a file read-only means its content. Nor are the names of a file parted.
fn may_replace(target: &Path, old: &Metadata) -> io::Result<()> {
    // A link below /proc may name a file that has no name any more, or another one by now.
    if Identity::at(target)? != Identity::from_metadata(old) {
        return Err(Errno::NOENT.into());
    }
    if old.nlink() > 1 {
        let links = old.nlink();
        let reason = format!("it has {links} hard links, and replacing it would part them");
        return Err(io::Error::other(reason));
    }
    Ok(rustix::fs::access(target, Access::WRITE_OK)?)
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_long_name_is_cut_between_characters() {
        assert_eq!(cut(OsStr::new("abcdef"), 4), "abcd");
        assert_eq!(cut(OsStr::new("abcdef"), 40), "abcdef");
        assert_eq!(cut(OsStr::new("ééé"), 5), "éé");
    }
}
