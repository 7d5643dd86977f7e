//! What a new file takes over from the one it replaces: owner, mode and extended attributes.
//!
//! Whatever cannot be kept is left out so that nobody can do more with the new file than with the
//! old one.

use std::ffi::OsStr;
use std::fs::{File, Metadata, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
use std::path::Path;

use rustix::fs::{XattrFlags, fremovexattr, fsetxattr, getxattr, listxattr};
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

/// Gives the new file the owner, the extended attributes and the mode of the old one at `path`.
pub(super) fn take_after(file: &File, path: &Path, old: &Metadata) -> io::Result<()> {
    let mut attributes = attributes(path)?;
    let kept = keep_owner(file, old)?;
    let listed = attributes.iter().any(|attribute| attribute.name == ACL.as_bytes());
    if !kept.group {
        attributes.retain(|attribute| attribute.name != ACL.as_bytes());
    }
    // The folder's default list may have given the new file one.
    match fremovexattr(file, ACL) {
        Ok(()) | Err(Errno::NODATA | Errno::NOTSUP) => {}
        Err(error) => return Err(error.into()),
    }
    for attribute in &attributes {
        attribute.set(file)?;
    }
    // After the owner, because a change of owner clears the set-id bits; after the list, whose
    // mask is the mode's group bits.
    let mode = kept.mode(old.mode(), listed);
    file.set_permissions(Permissions::from_mode(mode))
}

/// What the new file has in common with the old one.
#[derive(Debug, Clone, Copy)]
struct Kept {
    owner: bool,
    group: bool,
}

/// Only the superuser gives files away; but an owner may choose among the own groups.
fn keep_owner(file: &File, old: &Metadata) -> io::Result<Kept> {
    let new = file.metadata()?;
    let same = (new.uid(), new.gid()) == (old.uid(), old.gid());
    if !same && fchown(file, Some(old.uid()), Some(old.gid())).is_err() && new.gid() != old.gid() {
        // What this has achieved is seen below.
        let _ = fchown(file, None, Some(old.gid()));
    }
    let new = file.metadata()?;
    Ok(Kept { owner: new.uid() == old.uid(), group: new.gid() == old.gid() })
}

impl Kept {
    /// The new file's mode, after the old one's. Set-id bits were meant for the old owner and
    /// group. The old group's members are others now, as are all that an access control list
    /// (`listed`) has named, and get no more than they had.
    fn mode(self, old: u32, listed: bool) -> u32 {
        match self {
            Kept { owner: true, group: true } => old & 0o7777,
            Kept { owner: false, group: true } => old & 0o777,
            Kept { group: false, .. } if listed => old & 0o700,
            Kept { group: false, .. } => old & 0o700 | old & (old >> 3) & 0o007,
        }
    }
}

/// The extended attributes of a file, access control lists among them. None where its file system
/// has no such thing.
fn attributes(path: &Path) -> io::Result<Vec<Attribute>> {
    let mut space = vec![0; LARGEST];
    let names = match listxattr(path, &mut space[..]) {
        Ok(length) => space[..length].to_vec(),
        Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let mut attributes = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        match getxattr(path, OsStr::from_bytes(name), &mut space[..]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_gains_by_an_owner_or_group_that_could_not_be_kept() {
        for (owner, group, listed, old, new) in [
            (true, true, false, 0o6755, 0o6755),
            (true, true, true, 0o640, 0o640),
            (false, true, false, 0o6775, 0o775),
            (true, false, false, 0o2664, 0o604),
            (true, false, false, 0o604, 0o600),
            (false, false, false, 0o640, 0o600),
            (false, false, true, 0o664, 0o600),
        ] {
            assert_eq!(Kept { owner, group }.mode(old, listed), new, "{old:o}");
        }
    }
}
