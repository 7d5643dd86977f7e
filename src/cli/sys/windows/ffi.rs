//! Calls of the Windows API that the standard library does not have. All `unsafe` code for Windows is here.

#![allow(unsafe_code, reason = "foreign functions; the wrappers are safe")]

use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsRawHandle, BorrowedHandle};
use std::path::Path;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{FALSE, INVALID_HANDLE_VALUE, TRUE};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_ARCHIVE, FILE_ATTRIBUTE_HIDDEN,
    FILE_ATTRIBUTE_NORMAL, FILE_ATTRIBUTE_NOT_CONTENT_INDEXED, FILE_ATTRIBUTE_SYSTEM,
    FILE_BASIC_INFO, FILE_TYPE, FileBasicInfo, GetFileInformationByHandle, GetFileType,
    LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, MOVEFILE_REPLACE_EXISTING,
    MOVEFILE_WRITE_THROUGH, MoveFileExW, ReplaceFileW, SetFileInformationByHandle, WriteFile,
};
use windows_sys::Win32::System::Console::{
    ENABLE_PROCESSED_OUTPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle,
    STD_ERROR_HANDLE, STD_HANDLE, SetConsoleCtrlHandler, SetConsoleMode, WriteConsoleW,
};
use windows_sys::Win32::System::IO::OVERLAPPED;
use windows_sys::Win32::System::Threading::{GetCurrentProcess, TerminateProcess};
use windows_sys::core::BOOL;

/// The attributes that a file may be given.
const ATTRIBUTES: u32 = FILE_ATTRIBUTE_ARCHIVE
    | FILE_ATTRIBUTE_HIDDEN
    | FILE_ATTRIBUTE_NOT_CONTENT_INDEXED
    | FILE_ATTRIBUTE_SYSTEM;

/// The offset of the byte that is locked. Locks are mandatory, so it is beyond the end of any file.
const LOCK_OFFSET: u64 = i64::MAX as u64 - 1;

/// Called when the user or the system interrupts the process.
static ON_INTERRUPT: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Converts the result of a call.
fn check(result: BOOL) -> io::Result<()> {
    if result == FALSE { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns the status of a file or directory.
pub(super) fn file_information(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut information = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open as long as `file`, and the structure is valid for writing.
    check(unsafe { GetFileInformationByHandle(file.as_raw_handle(), &raw mut information) })?;
    Ok(information)
}

/// Sets the attributes and the creation time of a file.
pub(super) fn set_attributes(file: &File, attributes: u32, created: u64) -> io::Result<()> {
    let attributes = match attributes & ATTRIBUTES {
        // Zero would leave them unchanged.
        0 => FILE_ATTRIBUTE_NORMAL,
        attributes => attributes,
    };
    // Zero leaves the other times unchanged.
    let information = FILE_BASIC_INFO {
        CreationTime: created as i64,
        FileAttributes: attributes,
        ..FILE_BASIC_INFO::default()
    };
    let size = size_of::<FILE_BASIC_INFO>() as u32;
    // SAFETY: the handle is open as long as `file`, and the structure is that of this class.
    check(unsafe {
        SetFileInformationByHandle(
            file.as_raw_handle(),
            FileBasicInfo,
            (&raw const information).cast(),
            size,
        )
    })
}

/// Returns whether a file is on a disk, a pipe or a device.
pub(super) fn file_type(file: &File) -> FILE_TYPE {
    // SAFETY: the handle is open as long as `file`.
    unsafe { GetFileType(file.as_raw_handle()) }
}

/// Locks a byte of a file, without waiting, for as long as the file is open.
pub(super) fn lock(file: &File) -> io::Result<()> {
    let mut position = OVERLAPPED::default();
    position.Anonymous.Anonymous.Offset = LOCK_OFFSET as u32;
    position.Anonymous.Anonymous.OffsetHigh = (LOCK_OFFSET >> 32) as u32;
    let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open as long as `file` and is not overlapped, so that the call is complete
    // when it returns and the structure need not live longer.
    check(unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut position) })
}

/// Replaces `target`, whose attributes, access control list and streams are kept.
pub(super) fn replace_file(target: &Path, replacement: &Path) -> io::Result<()> {
    let (target, replacement) = (wide(target)?, wide(replacement)?);
    // SAFETY: both strings end with a NUL; the other pointers may be null.
    check(unsafe { ReplaceFileW(target.as_ptr(), replacement.as_ptr(), null(), 0, null(), null()) })
}

/// Renames a file and waits until that is on the disk. Replaces an existing file.
pub(super) fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    let (from, to) = (wide(from)?, wide(to)?);
    let flags = MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH;
    // SAFETY: both strings end with a NUL.
    check(unsafe { MoveFileExW(from.as_ptr(), to.as_ptr(), flags) })
}

fn wide(path: &Path) -> io::Result<Vec<u16>> {
    let mut units: Vec<u16> = path.as_os_str().encode_wide().collect();
    if units.contains(&0) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    units.push(0);
    Ok(units)
}

/// Returns the handle of a standard stream, null if it is closed.
pub(super) fn standard_handle(id: STD_HANDLE) -> BorrowedHandle<'static> {
    // SAFETY: a standard handle may be null, and nothing in this process closes one.
    unsafe {
        match GetStdHandle(id) {
            INVALID_HANDLE_VALUE => BorrowedHandle::borrow_raw(null_mut()),
            handle => BorrowedHandle::borrow_raw(handle),
        }
    }
}

/// Returns whether a handle is a console.
pub(super) fn is_console(handle: BorrowedHandle<'_>) -> bool {
    let mut mode = 0;
    // SAFETY: the handle is open as long as it is borrowed; the call fails for one that is null.
    unsafe { GetConsoleMode(handle.as_raw_handle(), &raw mut mode) != FALSE }
}

/// Makes a console interpret escape sequences. Returns whether it does.
pub(super) fn enable_escape_sequences(handle: BorrowedHandle<'_>) -> bool {
    let mut mode = 0;
    // SAFETY: as above.
    if unsafe { GetConsoleMode(handle.as_raw_handle(), &raw mut mode) } == FALSE {
        return false;
    }
    let mode = mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING;
    // SAFETY: as above.
    unsafe { SetConsoleMode(handle.as_raw_handle(), mode) != FALSE }
}

/// Writes UTF-16 to a console. Returns the number of units written.
pub(super) fn write_console(handle: BorrowedHandle<'_>, units: &[u16]) -> io::Result<usize> {
    let (len, mut written) = (u32::try_from(units.len()).unwrap_or(u32::MAX), 0);
    // SAFETY: the handle is open as long as it is borrowed, and at least `len` units can be read.
    check(unsafe {
        WriteConsoleW(handle.as_raw_handle(), units.as_ptr(), len, &raw mut written, null())
    })?;
    Ok(written as usize)
}

/// Writes a message to standard error and ends the process. Allocates nothing and takes no lock.
pub(super) fn terminate(message: &[u8], code: u32) -> ! {
    let mut written = 0;
    // SAFETY: the call fails if standard error is closed, and `len` bytes can be read.
    unsafe {
        let stderr = GetStdHandle(STD_ERROR_HANDLE);
        let len = message.len() as u32;
        WriteFile(stderr, message.as_ptr(), len, &raw mut written, null_mut());
    }
    loop {
        // SAFETY: the handle of the process is always valid.
        unsafe { TerminateProcess(GetCurrentProcess(), code) };
    }
}

/// Calls a function when Ctrl-C or Ctrl-Break is pressed, the console is closed, the user logs off or
/// the system shuts down. Then the process ends. The function is set once.
pub(super) fn on_interrupt(call: impl Fn() + Send + Sync + 'static) -> io::Result<()> {
    if ON_INTERRUPT.set(Box::new(call)).is_err() {
        return Ok(());
    }
    // SAFETY: the handler is a function of this type that lives forever.
    check(unsafe { SetConsoleCtrlHandler(Some(handle_interrupt), TRUE) })
}

/// Called by the system on a thread of its own. Returns false, so that the default handler is called
/// next, which ends the process.
unsafe extern "system" fn handle_interrupt(_event: u32) -> BOOL {
    if let Some(call) = ON_INTERRUPT.get() {
        call();
    }
    FALSE
}
