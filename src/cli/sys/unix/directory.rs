//! Operations relative to an open directory.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use rustix::fs::{
    Access, AtFlags, Dir, FileType, Mode, OFlags, RawMode, Stat, accessat, mkdirat, openat,
    readlinkat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, retry_on_intr};

use crate::cli::sys::file_id::FileId;
use crate::cli::sys::{CreateMode, FileAccess, FileKind};

/// Access mode for a directory that may be searched but not read.
#[cfg(target_os = "linux")]
const SEARCH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const SEARCH: OFlags = OFlags::empty();

/// An open directory.
#[derive(Debug)]
pub(crate) struct DirectoryHandle {
    fd: OwnedFd,
    /// The attribute that prevents its files from being renamed, once it has been looked up.
    pub(super) blocking_attribute: OnceLock<Option<&'static str>>,
}

impl DirectoryHandle {
    fn new(fd: OwnedFd) -> DirectoryHandle {
        DirectoryHandle { fd, blocking_attribute: OnceLock::new() }
    }

    /// Opens a directory by its path, following symbolic links.
    pub(crate) fn open(path: &Path) -> io::Result<DirectoryHandle> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
        let open =
            |access| retry_on_intr(|| openat(rustix::fs::CWD, path, flags | access, Mode::empty()));
        Ok(DirectoryHandle::new(match open(OFlags::RDONLY) {
            Err(Errno::ACCESS) => open(SEARCH)?,
            result => result?,
        }))
    }

    /// Opens a subdirectory. Rejects symbolic links.
    pub(crate) fn open_child(&self, name: &OsStr) -> io::Result<DirectoryHandle> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let open = || openat(self, name, flags | OFlags::CLOEXEC, Mode::empty());
        Ok(DirectoryHandle::new(retry_on_intr(open)?))
    }

    /// Creates a subdirectory with these permission bits, as far as the umask allows, and opens it. Its
    /// name is on the disk afterward. If it exists already, it is only opened. Also returns whether it is new.
    pub(crate) fn create_child(
        &self,
        name: &OsStr,
        permissions: u32,
    ) -> io::Result<(DirectoryHandle, bool)> {
        match mkdirat(self, name, mode_from_bits(permissions)) {
            Err(Errno::EXIST) => return Ok((self.open_child(name)?, false)),
            result => result?,
        }
        let child = self.open_child(name)?;
        self.sync(&child)?;
        Ok((child, true))
    }

    /// Returns the permission bits.
    pub(crate) fn permissions(&self) -> io::Result<u32> {
        #[allow(clippy::unnecessary_cast, reason = "the type differs between platforms")]
        Ok(rustix::fs::fstat(self)?.st_mode as u32 & 0o777)
    }

    /// Opens the directory that contains this one now.
    pub(crate) fn open_parent(&self) -> io::Result<DirectoryHandle> {
        self.open_child(OsStr::new(".."))
    }

    /// Returns the identity of the directory.
    pub(crate) fn file_id(&self) -> io::Result<FileId> {
        Ok(file_id_from_stat(&rustix::fs::fstat(self)?))
    }

    /// Returns an error if no file may be created in the directory.
    pub(crate) fn check_writable(&self) -> io::Result<()> {
        Ok(accessat(self, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())?)
    }

    /// Syncs the directory. Where the directory may not be read or its file system does not support
    /// syncing directories, the whole file system is synced, using `file`, which is on it.
    pub(crate) fn sync(&self, file: impl AsFd) -> io::Result<()> {
        match sync_to_disk(self.as_fd()) {
            Err(Errno::BADF | Errno::INVAL) => sync_file_system(file),
            result => Ok(result?),
        }
    }

    /// Calls `found` with the name of each entry except `.` and `..`, and its type if the file system
    /// reports that with the name.
    pub(crate) fn for_each_entry(
        &self,
        mut found: impl FnMut(Option<FileKind>, &[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut entries = retry_on_intr(|| Dir::read_from(self))?;
        while let Some(entry) = entries.read() {
            let entry = entry?;
            let kind = match entry.file_type() {
                FileType::Unknown => None,
                file_type => Some(file_kind(file_type)),
            };
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                found(kind, name)?;
            }
        }
        Ok(())
    }

    /// Returns the type of an entry.
    pub(crate) fn kind_of(&self, name: &OsStr) -> io::Result<FileKind> {
        Ok(file_kind(FileType::from_raw_mode(self.stat(name)?.st_mode)))
    }

    /// Returns the identity of an entry; symbolic links are not followed.
    pub(crate) fn file_id_of(&self, name: &OsStr) -> io::Result<FileId> {
        Ok(file_id_from_stat(&self.stat(name)?))
    }

    pub(super) fn stat(&self, name: &OsStr) -> io::Result<Stat> {
        Ok(statat(self, name, AtFlags::SYMLINK_NOFOLLOW)?)
    }

    /// Returns the target of a symbolic link; `None` for other files, which need not exist.
    pub(crate) fn read_link(&self, name: &OsStr) -> io::Result<Option<PathBuf>> {
        match readlinkat(self, name, Vec::new()) {
            Ok(target) => Ok(Some(OsStr::from_bytes(target.as_bytes()).into())),
            Err(Errno::INVAL | Errno::NOENT) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a file. Never waits, as opening a FIFO would.
    pub(crate) fn open_file(&self, name: &OsStr, access: FileAccess) -> io::Result<File> {
        let access = match access {
            FileAccess::Read | FileAccess::Convert => OFlags::RDONLY,
            FileAccess::Write => OFlags::WRONLY,
        };
        let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NOFOLLOW;
        match retry_on_intr(|| openat(self, name, flags, Mode::empty())) {
            // It was not a link when it was found. Some systems return EMLINK.
            Err(Errno::LOOP | Errno::MLINK) => {
                Err(io::Error::other("has been replaced by a symbolic link"))
            }
            result => Ok(result?.into()),
        }
    }

    /// Creates a file, which must not exist.
    pub(crate) fn create_file(&self, name: &OsStr, mode: CreateMode) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL;
        let flags = flags | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        Ok(retry_on_intr(|| openat(self, name, flags, permissions(mode)))?.into())
    }

    /// Creates a file without a name. Returns `None` if the system does not support that, or could not
    /// link it to a name later.
    #[cfg(target_os = "linux")]
    pub(crate) fn create_unnamed(&self, mode: CreateMode) -> Option<File> {
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let file = retry_on_intr(|| openat(self, ".", flags, permissions(mode))).ok()?;
        // One descriptor shows that all can be linked.
        static IS_LINKABLE: OnceLock<()> = OnceLock::new();
        if IS_LINKABLE.get().is_none() {
            rustix::fs::access(proc_fd_path(&file), Access::EXISTS).ok()?;
            let _ = IS_LINKABLE.set(());
        }
        Some(file.into())
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn create_unnamed(&self, _: CreateMode) -> Option<File> {
        None
    }

    /// Creates a hard link to an open file, which is the entry `_name` if it has a name.
    #[cfg(target_os = "linux")]
    pub(crate) fn link(&self, file: &File, _name: Option<&OsStr>, new: &OsStr) -> io::Result<()> {
        // Permitted to the superuser, since Linux 6.10 to all who opened the file, and faster than a path.
        match rustix::fs::linkat(file, c"", self, new, AtFlags::EMPTY_PATH) {
            Err(Errno::NOENT) => {}
            result => return Ok(result?),
        }
        let flags = AtFlags::SYMLINK_FOLLOW;
        Ok(rustix::fs::linkat(rustix::fs::CWD, proc_fd_path(file), self, new, flags)?)
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn link(&self, file: &File, name: Option<&OsStr>, new: &OsStr) -> io::Result<()> {
        let name = name.ok_or(Errno::NOTSUP)?;
        rustix::fs::linkat(self, name, self, new, AtFlags::empty())?;
        let linked = file_id_from_stat(&rustix::fs::fstat(file)?);
        if self.file_id_of(new).ok() != Some(linked) {
            let _ = self.remove_file(new);
            return Err(io::Error::other("changed by another process"));
        }
        Ok(())
    }

    /// Renames a file to a name at which there may be another one, which it then replaces.
    pub(crate) fn replace(&self, _file: &mut File, name: &OsStr, target: &OsStr) -> io::Result<()> {
        Ok(renameat(self, name, self, target)?)
    }

    /// Renames a file to a name that must not exist. Returns `None` if the system or the file system does not
    /// support that.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(crate) fn rename_new(&self, name: &OsStr, target: &OsStr) -> Option<io::Result<()>> {
        use rustix::fs::{RenameFlags, renameat_with};

        match renameat_with(self, name, self, target, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP | Errno::PERM) => None,
            result => Some(result.map_err(io::Error::from)),
        }
    }

    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    pub(crate) fn rename_new(&self, _: &OsStr, _: &OsStr) -> Option<io::Result<()>> {
        None
    }

    /// Removes a file.
    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(self, name, AtFlags::empty())?)
    }

    /// Returns an error if a file may not be written.
    pub(crate) fn check_file_writable(&self, name: &OsStr) -> io::Result<()> {
        Ok(accessat(self, name, Access::WRITE_OK, AtFlags::empty())?)
    }
}

impl AsFd for DirectoryHandle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Returns whether this error of [`DirectoryHandle::link`] means that hard links are not supported, not
/// permitted or exhausted, or not possible for an open file.
pub(crate) fn is_link_unsupported(error: &io::Error) -> bool {
    use Errno as E;
    let errors = [E::PERM, E::ACCESS, E::NOTSUP, E::NOSYS, E::MLINK, E::XDEV, E::NOENT];
    Errno::from_io_error(error).is_some_and(|error| errors.contains(&error))
}

/// Returns the error for a directory in place of a file.
pub(crate) fn is_a_directory() -> io::Error {
    Errno::ISDIR.into()
}

/// Returns the error for symbolic links without an end.
pub(crate) fn symlink_loop() -> io::Error {
    Errno::LOOP.into()
}

/// Returns whether a file could not be opened because it is a socket.
pub(crate) fn is_socket_error(error: &io::Error) -> bool {
    Errno::from_io_error(error) == Some(Errno::NXIO)
}

fn permissions(mode: CreateMode) -> Mode {
    mode_from_bits(match mode {
        CreateMode::Default => 0o666,
        CreateMode::Private => 0o600,
        CreateMode::Permissions(bits) => bits,
    })
}

#[allow(clippy::unnecessary_cast, reason = "the type differs between platforms")]
fn mode_from_bits(bits: u32) -> Mode {
    Mode::from_raw_mode(bits as RawMode)
}

fn file_kind(file_type: FileType) -> FileKind {
    match file_type {
        FileType::Directory => FileKind::Directory,
        FileType::RegularFile => FileKind::File,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Other,
    }
}

#[allow(clippy::unnecessary_cast, reason = "the field types differ between platforms")]
fn file_id_from_stat(stat: &Stat) -> FileId {
    FileId::new(stat.st_dev as u64, stat.st_ino as u64)
}

#[cfg(target_os = "linux")]
fn proc_fd_path(file: &impl std::os::fd::AsRawFd) -> String {
    format!("/proc/self/fd/{}", file.as_raw_fd())
}

/// Writes the changes of a file or directory to the disk. On Apple systems `fsync` leaves them in the
/// cache of the drive.
fn sync_to_disk(fd: BorrowedFd<'_>) -> rustix::io::Result<()> {
    #[cfg(target_vendor = "apple")]
    match retry_on_intr(|| rustix::fs::fcntl_fullfsync(fd)) {
        // Not every file system supports it.
        Err(Errno::NOTSUP | Errno::NOTTY | Errno::INVAL) => {}
        result => return result,
    }
    retry_on_intr(|| rustix::fs::fsync(fd))
}

/// Syncs a file.
pub(crate) fn sync_file(file: &File) -> io::Result<()> {
    Ok(sync_to_disk(file.as_fd())?)
}

#[cfg(target_os = "linux")]
fn sync_file_system(file: impl AsFd) -> io::Result<()> {
    Ok(retry_on_intr(|| rustix::fs::syncfs(&file))?)
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(_: impl AsFd) -> io::Result<()> {
    rustix::fs::sync();
    Ok(())
}

/// Creates a symbolic link to the program unless it exists already. In the directory of the program it
/// is relative.
pub(crate) fn create_program_link(program: &Path, link: &Path) -> io::Result<()> {
    let directory = link.parent().map(fs::canonicalize).transpose()?;
    let target = match program.file_name().filter(|_| program.parent() == directory.as_deref()) {
        Some(name) => PathBuf::from(name),
        None => program.to_owned(),
    };
    match std::os::unix::fs::symlink(&target, link) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::read_link(link).is_ok_and(|found| found == target) { Ok(()) } else { Err(error) }
        }
        result => result,
    }
}
