//! What a user at a terminal sees: messages on lines of their own, and why nothing happens.
//!
//! Text need not end with a line feed. Where it goes to the terminal that shows the messages too, a
//! message ends the line first.

use std::io::{self, IsTerminal, Write, stderr, stdin};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use charpipe::output::OutputStream;
use rustix::fs::{fstat, makedev};

use super::messages::print_message;

/// Whether the last text on the terminal of the standard error did not end its line.
static LINE_UNFINISHED: AtomicBool = AtomicBool::new(false);

/// Whether a message has to end a line first. The next one does not.
pub fn take_unfinished_line() -> bool {
    LINE_UNFINISHED.swap(false, Relaxed)
}

/// An output that remembers whether it has ended its line.
pub struct LineTracker {
    pub sink: OutputStream,
    /// Whether it is the terminal of the standard error.
    shares_terminal: bool,
}

impl LineTracker {
    pub fn new(sink: OutputStream) -> LineTracker {
        let shares_terminal = match &sink {
            OutputStream::Stdout => shares_stderr_terminal(rustix::stdio::stdout()),
            OutputStream::Direct(file) => shares_stderr_terminal(file.as_fd()),
            OutputStream::Atomic(_) => false,
        };
        LineTracker { sink, shares_terminal: shares_terminal }
    }
}

impl Write for LineTracker {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.sink.write(bytes)?;
        if self.shares_terminal && count > 0 {
            LINE_UNFINISHED.store(bytes[count - 1] != b'\n', Relaxed);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Whether this is the terminal to which the standard error goes.
fn shares_stderr_terminal(fd: BorrowedFd<'_>) -> bool {
    if !fd.is_terminal() || !stderr().is_terminal() {
        return false;
    }
    let (Ok(text), Ok(messages)) = (fstat(fd), fstat(rustix::stdio::stderr())) else {
        return false;
    };
    let is_controlling = text.st_rdev == makedev(5, 0); // /dev/tty
    is_controlling || (text.st_dev, text.st_rdev) == (messages.st_dev, messages.st_rdev)
}

/// Says that the standard input is read, if that is a terminal and a user can see it. The
/// hint says what may have been meant.
pub fn announce_stdin(hint: &str) {
    if stdin().is_terminal() && stderr().is_terminal() {
        print_message(&format!("reading standard input (press Ctrl-D to end{hint})"));
    }
}
