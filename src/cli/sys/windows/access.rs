//! Locks on files, and reasons why a file cannot be replaced.

use std::fs::File;
use std::io;
use std::path::Path;

use windows_sys::Win32::Foundation::{
    ERROR_INVALID_FUNCTION, ERROR_LOCK_VIOLATION, ERROR_NOT_SUPPORTED, ERROR_SHARING_VIOLATION,
};

use super::directory::DirectoryHandle;
use super::ffi;
use super::status::FileStatus;

/// Locks a file for as long as it is open, if its file system supports that. Returns false if another
/// process has locked it.
pub(crate) fn try_lock(file: &File) -> io::Result<bool> {
    let is = |error: &io::Error, code: u32| error.raw_os_error() == Some(code as i32);
    match ffi::lock(file) {
        Err(error) if is(&error, ERROR_LOCK_VIOLATION) => Ok(false),
        Err(error) if is(&error, ERROR_NOT_SUPPORTED) || is(&error, ERROR_INVALID_FUNCTION) => {
            Ok(true)
        }
        result => result.map(|()| true),
    }
}

/// Returns whether a file cannot be opened because another process excludes that.
pub(crate) fn is_sharing_violation(error: &io::Error) -> bool {
    let code = error.raw_os_error().map(|code| code as u32);
    matches!(code, Some(ERROR_SHARING_VIOLATION | ERROR_LOCK_VIOLATION))
}

/// Does nothing: a file that is being converted cannot be opened for writing, and a file that was mapped
/// before is compared with its checksum.
pub(crate) fn sync_mappings(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Returns true: the owner of a new file is the user, as of any file that charpipe writes.
pub(crate) fn can_keep_owner(_existing: &FileStatus) -> bool {
    true
}

/// Returns no error: Windows has no directories in which files may be created but not renamed.
pub(crate) fn check_rename_allowed(
    _directory: &DirectoryHandle,
    _path: &Path,
    _existing: Option<(&File, &FileStatus)>,
) -> io::Result<()> {
    Ok(())
}
