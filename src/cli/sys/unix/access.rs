//! Locks on files, syncing, and reasons why a file cannot be replaced.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};
use rustix::fs::{Mode, fstat};
use rustix::io::{Errno, retry_on_intr};

use super::directory::DirectoryHandle;
use super::status::{FileStatus, user_id};
use crate::cli::quote::Quoted;

/// Errors of a file system that does not support locks, or not on a file that is open for reading.
const LOCK_UNSUPPORTED_ERRORS: [Errno; 5] =
    [Errno::NOTSUP, Errno::NOSYS, Errno::NOLCK, Errno::INVAL, Errno::BADF];

/// Errors of a file system that does not support syncing, or not on a file that is open for reading.
const SYNC_UNSUPPORTED_ERRORS: [Errno; 4] = [Errno::INVAL, Errno::NOSYS, Errno::BADF, Errno::ROFS];

/// Locks a file for as long as it is open, if its file system supports that. Returns false if another
/// process has locked it.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    match retry_on_intr(|| flock(file, FlockOperation::NonBlockingLockExclusive)) {
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) if !LOCK_UNSUPPORTED_ERRORS.contains(&error) => Err(error.into()),
        _ => Ok(true),
    }
}

/// Returns whether a file cannot be opened because another process excludes that.
pub(crate) fn is_sharing_violation(_: &io::Error) -> bool {
    false
}

/// Syncs a file that is open for reading, so that later stores through a shared mapping update its times:
/// stores to pages that are already dirty do not.
pub(crate) fn sync_mappings(file: &File) -> io::Result<()> {
    match retry_on_intr(|| rustix::fs::fsync(file)) {
        Err(error) if !SYNC_UNSUPPORTED_ERRORS.contains(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

/// Returns whether a new file can get the owner of an existing one.
pub(crate) fn can_keep_owner(existing: &FileStatus) -> bool {
    user_id().is_root() || existing.metadata().uid() == user_id().as_raw()
}

/// Returns an error if a file may be created in the directory but not renamed over another one.
///
/// The kernel reports this at the rename. There is a temporary file by then, and the restriction that
/// forbids renaming it may forbid removing it as well, so it is checked before anything is created.
///
/// # Errors
///
/// Returns [`io::ErrorKind::PermissionDenied`] with the directory and the reason.
pub(crate) fn check_rename_allowed(
    directory: &DirectoryHandle,
    path: &Path,
    existing: Option<(&File, &FileStatus)>,
) -> io::Result<()> {
    let denied = |reason: String| Err(io::Error::new(io::ErrorKind::PermissionDenied, reason));
    let path = Quoted::new(path);
    let of_directory = directory.blocking_attribute.get_or_init(|| blocking_attribute(directory));
    if let Some(attribute) = of_directory {
        return denied(format!("directory {path} is {attribute}"));
    }
    let Some((file, status)) = existing else { return Ok(()) };
    if let Some(attribute) = blocking_attribute(file) {
        return denied(format!("is {attribute}"));
    }
    if is_protected_by_sticky_bit(directory, status)? {
        return denied(format!("directory {path} is sticky and the file belongs to another user"));
    }
    Ok(())
}

/// Returns whether only other users may rename or remove a file. Root without the capability to do so
/// fails earlier, when it sets the mode of the new file.
fn is_protected_by_sticky_bit(directory: &DirectoryHandle, file: &FileStatus) -> io::Result<bool> {
    let user = user_id();
    if user.is_root() || file.metadata().uid() == user.as_raw() {
        return Ok(false);
    }
    let stat = fstat(directory)?;
    Ok(Mode::from_raw_mode(stat.st_mode).contains(Mode::SVTX) && stat.st_uid != user.as_raw())
}

/// Returns the attribute that prevents a file, or the files in a directory, from being renamed or
/// removed. Returns `None` if the file system does not support attributes.
#[cfg(target_os = "linux")]
fn blocking_attribute(file: impl AsFd) -> Option<&'static str> {
    use rustix::fs::{AtFlags, IFlags, StatxAttributes, StatxFlags, ioctl_getflags, statx};

    let both = StatxAttributes::APPEND | StatxAttributes::IMMUTABLE;
    let (append, immutable) = match statx(&file, c"", AtFlags::EMPTY_PATH, StatxFlags::empty()) {
        Ok(stat) if stat.stx_attributes_mask.contains(both) => {
            let has = |attribute| stat.stx_attributes.contains(attribute);
            (has(StatxAttributes::APPEND), has(StatxAttributes::IMMUTABLE))
        }
        _ => {
            let flags = ioctl_getflags(&file).unwrap_or(IFlags::empty());
            (flags.contains(IFlags::APPEND), flags.contains(IFlags::IMMUTABLE))
        }
    };
    match (append, immutable) {
        (_, true) => Some("immutable"),
        (true, false) => Some("append-only"),
        (false, false) => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn blocking_attribute(_: impl AsFd) -> Option<&'static str> {
    None
}
