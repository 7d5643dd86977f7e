//! Locks on files, and syncing.

use std::fs::File;
use std::io;

use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, retry_on_intr};

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
