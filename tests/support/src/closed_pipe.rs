//! Standard outputs whose reader is gone.

use std::io::{PipeWriter, pipe};

use rustix::event::{PollFd, PollFlags, poll};

/// Returns the writing end of a pipe that no process has open for reading.
///
/// A process that another thread starts has copies of all open files until it executes its program. So this
/// waits until the reading end is closed everywhere: before that, writing would succeed.
pub fn closed_pipe() -> PipeWriter {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    // Without a timeout it returns when the pipe is broken.
    let wait = || poll(&mut [PollFd::new(&writer, PollFlags::empty())], None);
    rustix::io::retry_on_intr(wait).unwrap();
    writer
}
