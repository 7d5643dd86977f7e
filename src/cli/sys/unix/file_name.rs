//! File names as bytes.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The longest file name that file systems commonly support, in bytes.
pub(crate) const NAME_MAX: usize = 255;

/// Returns the file name that consists of these bytes.
pub(crate) fn from_bytes(bytes: &[u8]) -> Cow<'_, OsStr> {
    Cow::Borrowed(OsStr::from_bytes(bytes))
}

/// Returns the path in a line or record of a list of files.
pub(crate) fn from_list(record: Vec<u8>) -> OsString {
    OsString::from_vec(record)
}

/// Returns a path with slashes between its components.
pub(crate) fn with_slashes(path: &[u8]) -> Cow<'_, [u8]> {
    Cow::Borrowed(path)
}

/// Returns whether a name is a single component of a path, other than `.` and `..`.
pub(crate) fn is_component(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !matches!(bytes, b"" | b"." | b"..") && !bytes.contains(&b'/')
}

/// Returns whether a path names a device by its form, whatever the file system contains.
pub(crate) fn is_device(_: &Path) -> bool {
    false
}
