//! Standard streams, and reads and writes that retry after `EINTR` and wait after `EAGAIN`.
//!
//! A signal can interrupt a call, and another process that shares a pipe or a terminal can make it
//! non-blocking. Neither is an error of the data or of the disk. Writes are passed to the kernel
//! immediately, without a buffer that could be left unflushed.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, SeekFrom, fstat, makedev, seek};
use rustix::io::Errno;
use rustix::process::getpgrp;
pub(crate) use rustix::stdio::{stderr, stdin, stdout};
use rustix::termios::tcgetpgrp;

/// The key that ends the input on a terminal.
pub(crate) const END_OF_INPUT_KEY: &str = "Ctrl-D";

/// An open stream.
pub(crate) type Handle<'a> = BorrowedFd<'a>;

/// Returns the stream of a file.
pub(crate) fn of_file(file: &File) -> Handle<'_> {
    file.as_fd()
}

/// Reads available bytes into `buffer`, waiting until there are some. Returns the number of bytes read,
/// which is zero only at the end of the input or for an empty buffer.
pub(crate) fn read(fd: Handle<'_>, buffer: &mut [u8]) -> io::Result<usize> {
    retry(fd, PollFlags::IN, || rustix::io::read(fd, &mut *buffer))
}

/// Reads bytes at `offset` into `buffer` without moving the file position. Returns the number of bytes
/// read, zero at the end of the file.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    retry(file.as_fd(), PollFlags::IN, || rustix::io::pread(file, &mut *buffer, offset))
}

/// Writes as many leading bytes as possible, waiting until at least one can be written. Returns the
/// number of bytes written.
pub(crate) fn write(fd: Handle<'_>, bytes: &[u8]) -> io::Result<usize> {
    retry(fd, PollFlags::OUT, || rustix::io::write(fd, bytes))
}

/// Writes all of `bytes`.
///
/// # Errors
///
/// Returns the error of `write`, and [`io::ErrorKind::WriteZero`] if it makes no progress.
pub(crate) fn write_all(fd: Handle<'_>, mut bytes: &[u8]) -> io::Result<()> {
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

/// Returns whether a stream is the terminal of standard error.
pub(crate) fn shares_stderr_terminal(fd: Handle<'_>) -> bool {
    if !fd.is_terminal() || !stderr().is_terminal() {
        return false;
    }
    let (Ok(text), Ok(messages)) = (fstat(fd), fstat(stderr())) else {
        return false;
    };
    let is_controlling = text.st_rdev == makedev(5, 0); // /dev/tty
    is_controlling || (text.st_dev, text.st_rdev) == (messages.st_dev, messages.st_rdev)
}

/// Returns the position in a stream; zero if it cannot be repositioned.
pub(crate) fn position(fd: Handle<'_>) -> u64 {
    seek(fd, SeekFrom::Current(0)).unwrap_or(0)
}

/// Returns whether a stream is a terminal. All of them interpret escape sequences, unless `TERM` says
/// otherwise.
pub(crate) fn supports_escapes(fd: Handle<'_>) -> bool {
    fd.is_terminal()
}

/// Returns whether a write to a terminal would not have to wait, and whether this process may write
/// to it: one in the background would disturb the one in the foreground.
pub(crate) fn is_available(fd: Handle<'_>) -> bool {
    let is_foreground = tcgetpgrp(fd).map_or(true, |group| group == getpgrp());
    let no_wait = Timespec { tv_sec: 0, tv_nsec: 0 };
    is_foreground
        && poll(&mut [PollFd::from_borrowed_fd(fd, PollFlags::OUT)], Some(&no_wait)) == Ok(1)
}

/// Returns whether a stream is closed.
pub(crate) fn is_closed(fd: Handle<'_>) -> bool {
    rustix::io::fcntl_getfd(fd).is_err()
}

/// Opens something under the lowest free number and leaves it open: `/dev/null` or, where it is missing, an
/// end of a pipe. Returns whether it could be opened.
pub(crate) fn occupy_descriptor() -> bool {
    let null = rustix::fs::open("/dev/null", OFlags::RDWR, Mode::empty());
    let opened = null.or_else(|_| rustix::pipe::pipe().map(|(reader, _)| reader));
    opened.map(std::mem::forget).is_ok()
}

/// Returns the error for a stream that is closed.
pub(crate) fn closed_error() -> io::Error {
    Errno::BADF.into()
}
