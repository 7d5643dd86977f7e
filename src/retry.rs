//! Reads and writes that wait instead of failing.
//!
//! A signal may interrupt a call, and whoever shares a pipe or a terminal with us may have made
//! it non-blocking. Neither is an error of the data or of the disk. A write goes to the kernel at
//! once: there is no buffer that could be forgotten.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Reads what is there into `space`, waiting until there is something. Bytes read; zero at the
/// end of the input.
pub(crate) fn read(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    retry(fd, PollFlags::IN, || rustix::io::read(fd, &mut *buffer))
}

/// Reads what is at an offset into `space`, and leaves the position in the file where it is. Bytes
/// read; zero at the end of the file.
pub(crate) fn read_at(fd: BorrowedFd<'_>, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    retry(fd, PollFlags::IN, || rustix::io::pread(fd, &mut *buffer, offset))
}

/// Writes the beginning of `bytes`, waiting until there is space. Bytes written.
pub(crate) fn write(fd: BorrowedFd<'_>, bytes: &[u8]) -> io::Result<usize> {
    retry(fd, PollFlags::OUT, || rustix::io::write(fd, bytes))
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
            done => return Ok(done?),
        }
    }
}

fn wait_ready(fd: BorrowedFd<'_>, interest: PollFlags) -> io::Result<()> {
    match poll(&mut [PollFd::from_borrowed_fd(fd.as_fd(), interest)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
