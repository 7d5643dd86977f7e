//! Reads and writes that retry after `EINTR` and wait after `EAGAIN`.
//!
//! A signal can interrupt a call, and another process that shares a pipe or a terminal can make it
//! non-blocking. Neither is an error of the data or of the disk. Writes are passed to the kernel
//! immediately, without a buffer that could be left unflushed.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Reads available bytes into `buffer`, waiting until there are some. Returns the number of bytes read,
/// which is zero only at the end of the input or for an empty buffer.
pub(crate) fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    retry(fd, PollFlags::IN, || rustix::io::read(fd, &mut *buffer))
}

/// Reads bytes at `offset` into `buffer` without moving the file position. Returns the number of bytes
/// read, zero at the end of the file.
pub(crate) fn read_at(fd: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    retry(fd, PollFlags::IN, || rustix::io::pread(fd, &mut *buffer, offset))
}

/// Writes as many leading bytes as possible, waiting until at least one can be written. Returns the
/// number of bytes written.
pub(crate) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    retry(fd, PollFlags::OUT, || rustix::io::write(fd, bytes))
}

/// Writes all of `bytes`.
///
/// # Errors
///
/// Returns the error of `write`, and [`io::ErrorKind::WriteZero`] if it makes no progress.
pub fn write_all(fd: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match write(fd, bytes)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => bytes = &bytes[written..],
        }
    }
    Ok(())
}

fn retry(
    fd: BorrowedFd<'_>,
    interest: PollFlags,
    mut call: impl FnMut() -> rustix::io::Result<usize>,
) -> io::Result<usize> {
    loop {
        match call() {
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_ready(fd, interest)?,
            result => return Ok(result?),
        }
    }
}

fn wait_ready(fd: BorrowedFd<'_>, interest: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::from_borrowed_fd(fd.as_fd(), interest)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
