//! The status of files, and the metadata kept by a replacement.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, fchown};
use std::path::Path;
use std::sync::OnceLock;
use std::time::SystemTime;

use rustix::process::Uid;

use super::directory::DirectoryHandle;
use super::stdio::Handle;
use crate::cli::sys::file_id::FileId;
use crate::cli::sys::preserve::{Preserve, PreserveError};

/// The status of a file at some time.
#[derive(Debug, Clone)]
pub(crate) struct FileStatus(Metadata);

impl FileStatus {
    /// Returns the status of an open file.
    pub(crate) fn of(file: &File) -> io::Result<FileStatus> {
        Ok(FileStatus(file.metadata()?))
    }

    /// Returns the status of an open stream.
    pub(crate) fn of_stream(fd: Handle<'_>) -> io::Result<FileStatus> {
        // `Metadata` comes only from a `File`, which owns its descriptor, so it gets a duplicate.
        FileStatus::of(&File::from(fd.try_clone_to_owned()?))
    }

    /// Returns the status of the file at a path; symbolic links are followed.
    pub(crate) fn at(path: &Path) -> io::Result<FileStatus> {
        Ok(FileStatus(fs::metadata(path)?))
    }

    pub(crate) fn is_file(&self) -> bool {
        self.0.is_file()
    }

    pub(crate) fn is_dir(&self) -> bool {
        self.0.is_dir()
    }

    /// Returns the user ID of the owner, if files have one.
    pub(crate) fn owner(&self) -> Option<u32> {
        Some(self.0.uid())
    }

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.0.size()
    }

    /// Returns the number of hard links.
    pub(crate) fn links(&self) -> u64 {
        self.0.nlink()
    }

    /// Returns the permission bits, without the set-id bits.
    pub(crate) fn permissions(&self) -> u32 {
        self.0.mode() & 0o777
    }

    /// Returns whether the file belongs to the user of this process, whom its permissions allow to write it.
    pub(crate) fn is_writable_by_owner(&self) -> bool {
        self.0.mode() & 0o200 != 0 && self.0.uid() == user_id().as_raw()
    }

    pub(crate) fn modified(&self) -> io::Result<SystemTime> {
        self.0.modified()
    }

    /// Returns the identity of a regular file, pipe or FIFO; `None` for terminals, sockets and devices,
    /// which can be read and written at the same time.
    pub(crate) fn file_id(&self) -> Option<FileId> {
        let file_type = self.0.file_type();
        (file_type.is_file() || file_type.is_fifo())
            .then(|| FileId::new(self.0.dev(), self.0.ino()))
    }

    /// Returns whether the entry `name` is still this open file, with the same size and modification time:
    /// whether the file was neither replaced nor written since. `with_metadata` also compares the change time.
    #[allow(clippy::unnecessary_cast, reason = "the field types differ between platforms")]
    pub(crate) fn is_current(
        &self,
        _file: &File,
        directory: &DirectoryHandle,
        name: &OsStr,
        with_metadata: bool,
    ) -> bool {
        // While the file is open, no other one has its inode number.
        let (old, Ok(new)) = (&self.0, directory.stat(name)) else { return false };
        let (mtime, ctime) = ((old.mtime(), old.mtime_nsec()), (old.ctime(), old.ctime_nsec()));
        (old.dev(), old.ino(), old.size())
            == (new.st_dev as u64, new.st_ino as u64, new.st_size as u64)
            && mtime == (new.st_mtime as i64, new.st_mtime_nsec as i64)
            && (!with_metadata || ctime == (new.st_ctime as i64, new.st_ctime_nsec as i64))
    }

    /// Returns whether an open file still has this status: writing, replacing and renaming it update its change time.
    /// A file system may not do so for a rename, so [`is_current`](FileStatus::is_current) is called before the file
    /// is replaced.
    pub(crate) fn is_unchanged(&self, file: &File, _: &DirectoryHandle, _: &OsStr) -> bool {
        let state = |metadata: &Metadata| {
            let modified = (metadata.mtime(), metadata.mtime_nsec());
            let changed = (metadata.ctime(), metadata.ctime_nsec());
            (metadata.size(), metadata.nlink(), modified, changed)
        };
        file.metadata().is_ok_and(|new| state(&self.0) == state(&new))
    }

    pub(super) fn metadata(&self) -> &Metadata {
        &self.0
    }
}

/// Returns the effective user ID of the process, if the system has one.
pub(crate) fn effective_user() -> Option<u32> {
    Some(user_id().as_raw())
}

/// Returns the effective user ID of the process, which it does not change.
pub(super) fn user_id() -> Uid {
    static USER: OnceLock<Uid> = OnceLock::new();
    *USER.get_or_init(rustix::process::geteuid)
}

/// Copies owner, mode, access control list and extended attributes from `old` to `file`, which is new, as far
/// as they are to be preserved. If the owner or the group differs afterward, no user has more permissions than
/// before: the set-id bits and capabilities are dropped, and the new group has no more than everybody.
///
/// # Errors
///
/// Returns a [`PreserveError`], for example if the owner cannot be preserved: only the superuser may
/// change the owner of a file, while its owner may change its group to another one of their groups.
pub(crate) fn copy_metadata(
    (file, status): (&File, &FileStatus),
    (old, old_status): (&File, &FileStatus),
    preserve: Preserve,
) -> io::Result<()> {
    let old_metadata = old_status.metadata();
    let kept = copy_owner(file, status.metadata(), old_metadata, preserve)?;
    if !preserve.mode && !preserve.xattr {
        return Ok(());
    }
    let xattr_error = |error: io::Error| PreserveError::io_error("xattr", &error);
    let mut xattrs = xattr::read(old).map_err(xattr_error)?;
    let acl = xattr::take_acl(&mut xattrs);
    if preserve.mode {
        let acl_error = |error: io::Error| PreserveError::io_error("acl", &error);
        xattr::remove_acl(file).map_err(acl_error)?;
        let copied = acl.as_deref().filter(|_| preserve.acl);
        let bits = match &acl {
            // The group bits are the mask of the list, which must not apply to the group before the list
            // is copied.
            Some(_) if preserve.acl => old_metadata.mode() & 0o7707,
            Some(acl) => acl::mode_without_acl(old_metadata.mode(), acl),
            None => old_metadata.mode() & 0o7777,
        };
        // After the owner, because changing the owner clears the set-id bits.
        file.set_permissions(Permissions::from_mode(kept.limit_mode(bits)))
            .map_err(|error| PreserveError::io_error("mode", &error))?;
        if let Some(acl) = copied {
            let limited = if kept.group { acl.to_vec() } else { acl::limit_group(acl) };
            xattr::write_acl(file, &limited).map_err(acl_error)?;
        }
    }
    if preserve.xattr {
        if !(kept.owner && kept.group) {
            xattr::remove_capabilities(&mut xattrs);
        }
        xattr::write(file, &xattrs).map_err(xattr_error)?;
    }
    Ok(())
}

/// Whether a new file has the owner and group of the old one.
#[derive(Debug, Clone, Copy)]
struct KeptOwnership {
    owner: bool,
    group: bool,
}

impl KeptOwnership {
    /// Removes permissions that the new owner and group must not have.
    fn limit_mode(self, mode: u32) -> u32 {
        let mode = if self.owner && self.group { mode } else { mode & 0o777 };
        match self.group {
            true => mode,
            // Members of the new group were among the others before.
            false => (mode & !0o070) | (mode & ((mode & 0o007) << 3)),
        }
    }
}

fn copy_owner(
    file: &File,
    new: &Metadata,
    old_metadata: &Metadata,
    preserve: Preserve,
) -> io::Result<KeptOwnership> {
    let is_same = KeptOwnership {
        owner: new.uid() == old_metadata.uid(),
        group: new.gid() == old_metadata.gid(),
    };
    let kept = KeptOwnership {
        owner: is_same.owner || preserve.owner,
        group: is_same.group || preserve.group,
    };
    let user = (kept.owner && !is_same.owner).then(|| old_metadata.uid());
    let group = (kept.group && !is_same.group).then(|| old_metadata.gid());
    if user.is_none() && group.is_none() {
        return Ok(kept);
    }
    let changed = fchown(file, user, group).map_err(|error| {
        let names = match (user, group) {
            (None, _) => "group",
            (_, None) => "owner",
            _ if fchown(file, None, group).is_ok() => "owner",
            _ => "owner,group",
        };
        PreserveError::io_error(names, &error)
    });
    changed.map(|()| kept)
}

/// POSIX access control lists in the format of the extended attribute `system.posix_acl_access`.
mod acl {
    /// The length of the version number before the entries.
    const HEADER_LEN: usize = 4;
    /// The length of an entry: a tag and permissions of 16 bits each, and an ID, all little-endian.
    const ENTRY_LEN: usize = 8;

    const NAMED_USER: u8 = 0x02;
    const GROUP: u8 = 0x04;
    const NAMED_GROUP: u8 = 0x08;
    const OTHERS: u8 = 0x20;

    /// Returns the tag and the permissions of each entry.
    fn entries(acl: &[u8]) -> impl Iterator<Item = (u8, u32)> {
        let entries = acl.get(HEADER_LEN..).unwrap_or_default().chunks_exact(ENTRY_LEN);
        entries.map(|entry| (entry[0], u32::from(entry[2])))
    }

    fn permissions_of(tag: u8, acl: &[u8]) -> u32 {
        entries(acl).find(|(found, _)| *found == tag).map_or(0, |(_, permissions)| permissions)
    }

    /// Returns the mode of a file that loses this list. No user gets more permissions: neither the group,
    /// whose bits in `mode` are the mask of the list, nor the users and groups in the list.
    pub(super) fn mode_without_acl(mode: u32, acl: &[u8]) -> u32 {
        let mask = (mode >> 3) & 7;
        let named = entries(acl).filter(|(tag, _)| [NAMED_USER, NAMED_GROUP].contains(tag));
        let limit = named.fold(7, |limit, (_, permissions)| limit & permissions & mask);
        let group = permissions_of(GROUP, acl) & mask & limit;
        (mode & 0o7700) | (group << 3) | (mode & limit & 7)
    }

    /// Returns a list in which the group has no permission that others do not have.
    pub(super) fn limit_group(acl: &[u8]) -> Vec<u8> {
        let others = permissions_of(OTHERS, acl) as u8;
        let mut limited = acl.to_vec();
        for entry in limited.get_mut(HEADER_LEN..).unwrap_or_default().chunks_exact_mut(ENTRY_LEN) {
            if entry[0] == GROUP {
                entry[2] &= others;
            }
        }
        limited
    }
}

/// Extended attributes.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod xattr {
    use std::ffi::OsStr;
    use std::fs::File;
    use std::io;
    use std::os::unix::ffi::OsStrExt;

    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};
    use rustix::io::Errno;

    /// The size limit of Linux for an extended attribute and for the list of their names, in bytes.
    const MAX_SIZE: usize = 65_536;

    /// The size of the first buffer for the list, in bytes.
    const USUAL_SIZE: usize = 512;

    /// The extended attribute that contains the access control list.
    const ACL: &str = "system.posix_acl_access";

    /// The access control lists in the format of XFS, which it lists for the superuser besides [`ACL`].
    const XFS_ACLS: [&[u8]; 2] = [b"trusted.SGI_ACL_FILE", b"trusted.SGI_ACL_DEFAULT"];

    /// Attributes of security modules and the superuser, which other processes may not be able to read
    /// or set.
    const PRIVILEGED: [&[u8]; 3] = [b"security.", b"trusted.", b"com.apple."];

    /// A name and its value.
    pub(super) type Xattr = (Vec<u8>, Vec<u8>);

    /// Removes the access control list that the directory may have given to a new file.
    pub(super) fn remove_acl(file: &File) -> io::Result<()> {
        // Looking for one is faster than removing none.
        #[cfg(not(target_vendor = "apple"))]
        match fgetxattr(file, ACL, &mut [0; 0]).and_then(|_| rustix::fs::fremovexattr(file, ACL)) {
            Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
        let _ = file;
        Ok(())
    }

    /// Removes the access control list from the attributes and returns it.
    pub(super) fn take_acl(xattrs: &mut Vec<Xattr>) -> Option<Vec<u8>> {
        let index = xattrs.iter().position(|(name, _)| name == ACL.as_bytes())?;
        Some(xattrs.swap_remove(index).1)
    }

    /// Sets the access control list of a file.
    pub(super) fn write_acl(file: &File, acl: &[u8]) -> io::Result<()> {
        Ok(fsetxattr(file, ACL, acl, XattrFlags::empty())?)
    }

    /// Removes the capabilities of a program from the attributes.
    pub(super) fn remove_capabilities(xattrs: &mut Vec<Xattr>) {
        xattrs.retain(|(name, _)| name != b"security.capability");
    }

    /// Returns the names and values of the extended attributes of a file, without duplicates of its access control
    /// list, none if its file system does not support them.
    pub(super) fn read(file: &File) -> io::Result<Vec<Xattr>> {
        // Most files have none or few, and the kernel allocates as much as the buffer has.
        let mut buffer = vec![0; USUAL_SIZE];
        let mut names = flistxattr(file, &mut buffer[..]);
        if names == Err(Errno::RANGE) {
            buffer.resize(MAX_SIZE, 0);
            names = flistxattr(file, &mut buffer[..]);
        }
        let names = match names {
            Ok(len) => buffer[..len].to_vec(),
            Err(Errno::NOTSUP | Errno::NOSYS) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        if !names.is_empty() {
            buffer.resize(MAX_SIZE, 0);
        }
        let mut attributes = Vec::new();
        let is_copied = |name: &&[u8]| !name.is_empty() && !XFS_ACLS.contains(name);
        for name in names.split(|byte| *byte == 0).filter(is_copied) {
            match fgetxattr(file, OsStr::from_bytes(name), &mut buffer[..]) {
                Ok(len) => attributes.push((name.to_vec(), buffer[..len].to_vec())),
                Err(error) if is_ignorable(name, error) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(attributes)
    }

    /// Sets the extended attributes of a file.
    pub(super) fn write(file: &File, xattrs: &[Xattr]) -> io::Result<()> {
        for (name, value) in xattrs {
            match fsetxattr(file, OsStr::from_bytes(name), value, XattrFlags::empty()) {
                Err(error) if !is_ignorable(name, error) => return Err(error.into()),
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns whether an attribute need not be preserved because only privileged processes can do so.
    fn is_ignorable(name: &[u8], error: Errno) -> bool {
        let denied = matches!(error, Errno::PERM | Errno::ACCESS | Errno::NOTSUP);
        denied && PRIVILEGED.iter().any(|prefix| name.starts_with(prefix))
    }
}

/// Systems without the calls of Linux.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod xattr {
    use std::fs::File;
    use std::io;

    pub(super) fn remove_acl(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn take_acl((): &mut ()) -> Option<Vec<u8>> {
        None
    }

    pub(super) fn write_acl(_: &File, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn remove_capabilities((): &mut ()) {}

    pub(super) fn read(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn write(_: &File, (): &()) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_owner_or_group_never_has_more_permissions() {
        for (owner, group, mode, expected) in [
            (true, true, 0o6775, 0o6775),
            (false, true, 0o6775, 0o775),
            (true, false, 0o6775, 0o755),
            (false, false, 0o664, 0o644),
            (false, false, 0o660, 0o600),
            (true, false, 0o602, 0o602),
            (true, false, 0o646, 0o646),
        ] {
            let limited = KeptOwnership { owner, group }.limit_mode(mode);
            assert_eq!(limited, expected, "{owner} {group} {mode:o}");
        }
    }

    /// Returns an access control list of these tags and permissions.
    fn list(entries: &[(u8, u8)]) -> Vec<u8> {
        let mut acl = vec![2, 0, 0, 0];
        for (tag, permissions) in entries {
            acl.extend_from_slice(&[*tag, 0, *permissions, 0, 1, 0, 0, 0]);
        }
        acl
    }

    #[test]
    fn no_user_has_more_permissions_without_the_access_control_list() {
        // The owner, a user, the group, the mask and others.
        let acl = |user, group, mask, others| {
            list(&[(1, 6), (2, user), (4, group), (0x10, mask), (0x20, others)])
        };
        for (mode, acl, expected) in [
            // The mask is not the group's permission.
            (0o660, acl(6, 4, 6, 0), 0o640),
            (0o664, acl(6, 4, 6, 4), 0o644),
            // A user who is denied access may be in the group.
            (0o664, acl(0, 6, 6, 4), 0o600),
            // The mask limits all of them.
            (0o644, acl(6, 6, 4, 4), 0o644),
        ] {
            assert_eq!(acl::mode_without_acl(mode, &acl), expected, "{mode:o} {acl:?}");
        }
        assert_eq!(acl::limit_group(&acl(6, 6, 6, 4)), acl(6, 4, 6, 4));
        assert_eq!(acl::limit_group(b""), b"");
    }
}
