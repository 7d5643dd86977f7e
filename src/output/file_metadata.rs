//! What a new file takes over from the one it replaces: owner, mode and extended attributes, access
//! control lists among them.

use std::ffi::OsStr;
use std::fs::{File, FileTimes, Metadata, Permissions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr};
use rustix::io::Errno;

/// The most that Linux holds in one extended attribute, and in a list of their names, in bytes.
const MAX_XATTR_SIZE: usize = 65_536;
const ACL_XATTR: &str = "system.posix_acl_access";
/// Attributes that a security module or the superuser sets, who may keep them from us.
const PRIVILEGED_XATTRS: [&[u8]; 2] = [b"security.", b"trusted."];

/// An extended attribute.
struct Xattr {
    name: Vec<u8>,
    value: Vec<u8>,
}

/// Gives the new file the owner, the mode and the extended attributes of the old one.
///
/// # Errors
///
/// `EPERM` if the owner cannot be kept: only the superuser gives files away, but an owner may
/// choose among the own groups.
pub(crate) fn copy_metadata(file: &File, old: &File, old_metadata: &Metadata) -> io::Result<()> {
    copy_owner(file, old_metadata)?;
    let xattrs = read_xattrs(old)?;
    // The directory's default list may have given the new file one.
    match fremovexattr(file, ACL_XATTR) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => {}
        Err(error) => return Err(error.into()),
    }
    // After the owner, because a change of owner clears the set-id bits. With a list the group's
    // bits are its mask: they come with it, or the group would have them alone for an instant.
    let has_acl = xattrs.iter().any(|attribute| attribute.name == ACL_XATTR.as_bytes());
    let bits = if has_acl { 0o7707 } else { 0o7777 };
    file.set_permissions(Permissions::from_mode(old_metadata.mode() & bits))?;
    xattrs.iter().try_for_each(|attribute| attribute.set(file))
}

/// Makes a copy of a file that has nothing in it yet: content, owner, mode, extended attributes and the
/// time of the last change. It is on disk when this returns.
///
/// # Errors
///
/// What the system answers.
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
    let differs = |new: u32, old: u32| (new != old).then_some(old);
    let (user, group) =
        (differs(new.uid(), old_metadata.uid()), differs(new.gid(), old_metadata.gid()));
    if user.is_none() && group.is_none() {
        return Ok(());
    }
    fchown(file, user, group).map_err(|error| {
        let kind = error.kind();
        io::Error::new(kind, format!("its owner and group cannot be kept: {kind}"))
    })
}

/// The extended attributes of a file, access control lists among them. None where its file system
/// has no such thing.
fn read_xattrs(old: &File) -> io::Result<Vec<Xattr>> {
    let mut buffer = vec![0; MAX_XATTR_SIZE];
    let names = match flistxattr(old, &mut buffer[..]) {
        Ok(length) => buffer[..length].to_vec(),
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut attributes = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        match fgetxattr(old, OsStr::from_bytes(name), &mut buffer[..]) {
            Ok(length) => {
                let value = buffer[..length].to_vec();
                attributes.push(Xattr { name: name.to_vec(), value });
            }
            Err(error) if may_be_lost(name, error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(attributes)
}

impl Xattr {
    fn set(&self, file: &File) -> io::Result<()> {
        match fsetxattr(file, OsStr::from_bytes(&self.name), &self.value, XattrFlags::empty()) {
            Err(error) if !may_be_lost(&self.name, error) => Err(error.into()),
            _ => Ok(()),
        }
    }
}

fn may_be_lost(name: &[u8], error: Errno) -> bool {
    let refused = matches!(error, Errno::PERM | Errno::ACCESS | Errno::NOTSUP);
    refused && PRIVILEGED_XATTRS.iter().any(|guarded| name.starts_with(guarded))
}
