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
const LARGEST: usize = 65_536;
const ACL: &str = "system.posix_acl_access";
/// Attributes that a security module or the superuser sets, who may keep them from us.
const GUARDED: [&[u8]; 2] = [b"security.", b"trusted."];

/// An extended attribute.
struct Attribute {
    name: Vec<u8>,
    value: Vec<u8>,
}

/// Gives the new file the owner, the mode and the extended attributes of the old one.
///
/// # Errors
///
/// `EPERM` if the owner cannot be kept: only the superuser gives files away, but an owner may
/// choose among the own groups.
pub(crate) fn take_after(file: &File, old: &File, was: &Metadata) -> io::Result<()> {
    keep_owner(file, was)?;
    let attributes = attributes(old)?;
    // The folder's default list may have given the new file one.
    match fremovexattr(file, ACL) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => {}
        Err(error) => return Err(error.into()),
    }
    // After the owner, because a change of owner clears the set-id bits. With a list the group's
    // bits are its mask: they come with it, or the group would have them alone for an instant.
    let listed = attributes.iter().any(|attribute| attribute.name == ACL.as_bytes());
    let bits = if listed { 0o7707 } else { 0o7777 };
    file.set_permissions(Permissions::from_mode(was.mode() & bits))?;
    attributes.iter().try_for_each(|attribute| attribute.set(file))
}

/// Makes a copy of a file that has nothing in it yet: content, owner, mode, extended attributes and the
/// time of the last change. It is on disk when this returns.
///
/// # Errors
///
/// What the system answers.
pub(crate) fn copy(
    mut content: impl Read,
    (old, was): (&File, &Metadata),
    mut new: &File,
) -> io::Result<()> {
    io::copy(&mut content, &mut new)?;
    take_after(new, old, was)?;
    new.set_times(FileTimes::new().set_modified(was.modified()?))?;
    new.sync_all()
}

fn keep_owner(file: &File, was: &Metadata) -> io::Result<()> {
    let new = file.metadata()?;
    let differs = |new: u32, old: u32| (new != old).then_some(old);
    let (user, group) = (differs(new.uid(), was.uid()), differs(new.gid(), was.gid()));
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
fn attributes(old: &File) -> io::Result<Vec<Attribute>> {
    let mut space = vec![0; LARGEST];
    let names = match flistxattr(old, &mut space[..]) {
        Ok(length) => space[..length].to_vec(),
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut attributes = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        match fgetxattr(old, OsStr::from_bytes(name), &mut space[..]) {
            Ok(length) => {
                let value = space[..length].to_vec();
                attributes.push(Attribute { name: name.to_vec(), value });
            }
            Err(error) if may_stay_behind(name, error) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(attributes)
}

impl Attribute {
    fn set(&self, file: &File) -> io::Result<()> {
        match fsetxattr(file, OsStr::from_bytes(&self.name), &self.value, XattrFlags::empty()) {
            Err(error) if !may_stay_behind(&self.name, error) => Err(error.into()),
            _ => Ok(()),
        }
    }
}

fn may_stay_behind(name: &[u8], error: Errno) -> bool {
    let refused = matches!(error, Errno::PERM | Errno::ACCESS | Errno::NOTSUP);
    refused && GUARDED.iter().any(|guarded| name.starts_with(guarded))
}
