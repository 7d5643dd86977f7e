//! Restrictions under which a directory takes a new file but does not let it replace another.
//!
//! The kernel reports them at the rename. By then there is a temporary file, and what forbids to
//! rename it may forbid to remove it as well. So they are looked for before anything is created.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

use rustix::fs::{Mode, fstat};
use rustix::process::geteuid;

use super::dir_entry::DirHandle;
use crate::quote::Quoted;

/// Refuses a directory in which no file can be renamed, and an old file that none can replace.
///
/// # Errors
///
/// [`io::ErrorKind::PermissionDenied`], with the directory and the reason.
pub(crate) fn check_rename_allowed(
    directory: &DirHandle,
    old: Option<(&File, &Metadata)>,
) -> io::Result<()> {
    let name = Quoted::new(&directory.path);
    if let Some(attribute) = blocking_attribute(directory) {
        return Err(permission_denied(&format!("the directory {name} is {attribute}")));
    }
    let Some((file, metadata)) = old else { return Ok(()) };
    if let Some(attribute) = blocking_attribute(file) {
        return Err(permission_denied(&format!("it is {attribute}")));
    }
    if is_protected_by_sticky_bit(directory, metadata)? {
        let reason =
            format!("the directory {name} is sticky, and the file belongs to another user");
        return Err(permission_denied(&reason));
    }
    Ok(())
}

fn permission_denied(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, reason)
}

/// Whether only others may rename or remove a file. Where root lacks the capability to do so, it
/// cannot give the new file its mode either, before that has a name.
fn is_protected_by_sticky_bit(directory: &DirHandle, file: &Metadata) -> io::Result<bool> {
    let found = fstat(directory)?;
    let sticky = Mode::from_raw_mode(found.st_mode).contains(Mode::SVTX);
    let user = geteuid();
    Ok(sticky && !user.is_root() && ![found.st_uid, file.uid()].contains(&user.as_raw()))
}

/// The attribute that keeps a file, or what is in a directory, from being renamed and removed.
/// None where the file system does not support attributes, or the system does not report them.
#[cfg(target_os = "linux")]
fn blocking_attribute(file: impl AsFd) -> Option<&'static str> {
    use rustix::fs::{AtFlags, IFlags, StatxAttributes, StatxFlags, ioctl_getflags, statx};

    let both = StatxAttributes::APPEND | StatxAttributes::IMMUTABLE;
    let (append, immutable) = match statx(&file, c"", AtFlags::EMPTY_PATH, StatxFlags::empty()) {
        Ok(found) if found.stx_attributes_mask.contains(both) => {
            let has = |attribute| found.stx_attributes.contains(attribute);
            (has(StatxAttributes::APPEND), has(StatxAttributes::IMMUTABLE))
        }
        _ => {
            let found = ioctl_getflags(&file).unwrap_or(IFlags::empty());
            (found.contains(IFlags::APPEND), found.contains(IFlags::IMMUTABLE))
        }
    };
    match (append, immutable) {
        (_, true) => Some("immutable"),
        (true, false) => Some("append-only"),
        (false, false) => None,
    }
}

#[cfg(not(target_os = "linux"))]
fn attribute(_: impl AsFd) -> Option<&'static str> {
    None
}
