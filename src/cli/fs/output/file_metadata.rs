//! File metadata copied to the replacement: owner, mode and extended attributes, including access
//! control lists.

use std::ffi::OsStr;
use std::fs::{File, FileTimes, Metadata, Permissions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The size limit of Linux for an extended attribute and for the list of their names, in bytes.
const MAX_XATTR_SIZE: usize = 65_536;

/// The extended attribute that contains the access control list.
const ACL_XATTR: &str = "system.posix_acl_access";

/// Attributes of security modules and the superuser, which other processes may not be able to read or set.
const PRIVILEGED_XATTRS: [&[u8]; 2] = [b"security.", b"trusted."];

/// Copies owner, mode and extended attributes from `old` to `file`.
///
/// # Errors
///
/// Returns `EPERM` if the owner cannot be preserved: only the superuser may change the owner of a file,
/// while its owner may change its group to another one of their groups.
pub(crate) fn copy_metadata(file: &File, old: &File, old_metadata: &Metadata) -> io::Result<()> {
    copy_owner(file, old_metadata)?;
    let xattrs = read_xattrs(old)?;
    // The default access control list of the directory may apply to the new file.
    match fremovexattr(file, ACL_XATTR) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => {}
        Err(error) => return Err(error.into()),
    }
    // After the owner, because changing the owner clears the set-id bits. With an access control list
    // the group bits are its mask, which must not apply to the group before the list is copied.
    let has_acl = xattrs.iter().any(|(name, _)| name == ACL_XATTR.as_bytes());
    let bits = if has_acl { 0o7707 } else { 0o7777 };
    file.set_permissions(Permissions::from_mode(old_metadata.mode() & bits))?;
    for (name, value) in &xattrs {
        match fsetxattr(file, OsStr::from_bytes(name), value, XattrFlags::empty()) {
            Err(error) if !is_ignorable(name, error) => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Copies content, owner, mode, extended attributes and modification time into the empty file `new`, and
/// syncs it.
///
/// # Errors
///
/// Returns the error of the system.
pub(crate) fn copy_file(
    mut content: impl Read,
    (old, old_metadata): (&File, &Metadata),
    mut new: &File,
) -> io::Result<()> {
    io::copy(&mut content, &mut new)?;
    copy_metadata(new, old, old_metadata)?;
    new.set_times(FileTimes::new().set_modified(old_metadata.modified()?))?;
    new.sync_all()
}

fn copy_owner(file: &File, old_metadata: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    let changed = |new: u32, old: u32| (new != old).then_some(old);
    let (user, group) =
        (changed(new.uid(), old_metadata.uid()), changed(new.gid(), old_metadata.gid()));
    if user.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(file, user, group).map_err(|error| {
        let kind = error.kind();
        io::Error::new(kind, format!("cannot preserve owner and group: {kind}"))
    })
}

/// Returns the names and values of the extended attributes of a file, none if its file system does not
/// support them.
fn read_xattrs(file: &File) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let mut buffer = vec![0; MAX_XATTR_SIZE];
    let names = match flistxattr(file, &mut buffer[..]) {
        Ok(len) => buffer[..len].to_vec(),
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut attributes = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        match fgetxattr(file, OsStr::from_bytes(name), &mut buffer[..]) {
            Ok(len) => attributes.push((name.to_vec(), buffer[..len].to_vec())),
            Err(error) if is_ignorable(name, error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(attributes)
}

/// Returns whether an attribute need not be preserved because only privileged processes can do so.
fn is_ignorable(name: &[u8], error: Errno) -> bool {
    let denied = matches!(error, Errno::PERM | Errno::ACCESS | Errno::NOTSUP);
    denied && PRIVILEGED_XATTRS.iter().any(|prefix| name.starts_with(prefix))
}
