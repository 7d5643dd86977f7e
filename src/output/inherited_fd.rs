//! Descriptors that the process was started with, by their number.
//!
//! Opening `/dev/fd/N` would need `/proc`, permission for the file, and on Linux would not share the
//! position in it; `pidfd_getfd` is forbidden in many containers. Duplicating a descriptor always works.

#![allow(unsafe_code, reason = "there is no safe way from a number to a descriptor")]

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use rustix::io::{Errno, FdFlags, fcntl_dupfd_cloexec, fcntl_getfd};

/// The first number that a copy may get: none of the standard streams.
const MIN_COPY_FD: i32 = 3;

/// A copy of an inherited descriptor, which shares its position.
///
/// # Errors
///
/// `EBADF` if it is not open, or was opened by this process.
pub(super) fn duplicate_fd(number: i32) -> io::Result<OwnedFd> {
    if number < 0 {
        return Err(Errno::BADF.into());
    }
    // SAFETY: The number is not -1, and nothing reads, writes or closes the descriptor by this
    // borrow. The kernel answers EBADF for a number that is not open. One that is open and not
    // close-on-exec was inherited, for this process opens none of that kind: it has no owner
    // here who might close it meanwhile.
    let fd = unsafe { BorrowedFd::borrow_raw(number) };
    if fcntl_getfd(fd)?.contains(FdFlags::CLOEXEC) {
        return Err(Errno::BADF.into());
    }
    Ok(fcntl_dupfd_cloexec(fd, MIN_COPY_FD)?)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn only_an_inherited_descriptor_is_duplicated() {
        assert!(duplicate_fd(0).unwrap().as_raw_fd() >= MIN_COPY_FD);
        let (own, _other) = std::io::pipe().unwrap();
        for number in [-1, i32::MIN, i32::MAX, own.as_raw_fd()] {
            assert_eq!(
                duplicate_fd(number).unwrap_err().raw_os_error(),
                Some(Errno::BADF.raw_os_error())
            );
        }
    }
}
