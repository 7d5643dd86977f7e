//! The status of files, and the metadata kept by a replacement.

use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, fchown};
use std::path::Path;
use std::time::SystemTime;

use super::stdio::Handle;
use crate::cli::fs::file_id::FileId;

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

    /// Returns the size in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.0.size()
    }

    /// Returns the number of hard links.
    pub(crate) fn links(&self) -> u64 {
        self.0.nlink()
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

    /// Returns whether both have the same size and modification time: whether the file was not written in
    /// between.
    pub(crate) fn is_same_content(&self, other: &FileStatus) -> bool {
        let times = |file: &Metadata| (file.size(), file.mtime(), file.mtime_nsec());
        times(&self.0) == times(&other.0)
    }

    /// Returns whether both also have the same change time: whether no metadata changed either.
    pub(crate) fn is_same(&self, other: &FileStatus) -> bool {
        let times = |file: &Metadata| (file.ctime(), file.ctime_nsec());
        self.is_same_content(other) && times(&self.0) == times(&other.0)
    }

    pub(super) fn metadata(&self) -> &Metadata {
        &self.0
    }
}

/// Copies owner, mode and extended attributes from `old` to `file`.
///
/// # Errors
///
/// Returns `EPERM` if the owner cannot be preserved: only the superuser may change the owner of a file,
/// while its owner may change its group to another one of their groups.
pub(crate) fn copy_metadata(file: &File, old: &File, old_status: &FileStatus) -> io::Result<()> {
    let old_metadata = old_status.metadata();
    copy_owner(file, old_metadata)?;
    let xattrs = xattr::read(old)?;
    xattr::remove_acl(file)?;
    // After the owner, because changing the owner clears the set-id bits. With an access control list
    // the group bits are its mask, which must not apply to the group before the list is copied.
    let bits = if xattr::include_acl(&xattrs) { 0o7707 } else { 0o7777 };
    file.set_permissions(Permissions::from_mode(old_metadata.mode() & bits))?;
    xattr::write(file, &xattrs)
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

    /// The extended attribute that contains the access control list.
    const ACL: &str = "system.posix_acl_access";

    /// Attributes of security modules and the superuser, which other processes may not be able to read
    /// or set.
    const PRIVILEGED: [&[u8]; 3] = [b"security.", b"trusted.", b"com.apple."];

    /// A name and its value.
    pub(super) type Xattr = (Vec<u8>, Vec<u8>);

    /// Removes the access control list that the directory may have given to a new file.
    pub(super) fn remove_acl(file: &File) -> io::Result<()> {
        #[cfg(not(target_vendor = "apple"))]
        match rustix::fs::fremovexattr(file, ACL) {
            Ok(()) | Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
        let _ = file;
        Ok(())
    }

    /// Returns whether the attributes include an access control list.
    pub(super) fn include_acl(xattrs: &[Xattr]) -> bool {
        xattrs.iter().any(|(name, _)| name == ACL.as_bytes())
    }

    /// Returns the names and values of the extended attributes of a file, none if its file system does
    /// not support them.
    pub(super) fn read(file: &File) -> io::Result<Vec<Xattr>> {
        let mut buffer = vec![0; MAX_SIZE];
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

    pub(super) fn include_acl((): &()) -> bool {
        false
    }

    pub(super) fn read(_: &File) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn write(_: &File, (): &()) -> io::Result<()> {
        Ok(())
    }
}
