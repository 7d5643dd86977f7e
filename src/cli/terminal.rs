//! What a user at a terminal sees: messages on lines of their own, and why nothing happens.
//!
//! Text need not end with a line feed. Where it goes to the terminal that shows the messages too, a
//! message ends the line first.

use std::io::{self, IsTerminal, Write, stderr, stdin};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use charpipe::sink::Sink;
use rustix::fs::{fstat, makedev};

use super::report::say;

/// Whether the last text on the terminal of the standard error did not end its line.
static LINE_IS_OPEN: AtomicBool = AtomicBool::new(false);

/// Whether a message has to end a line first. The next one does not.
pub fn take_open_line() -> bool {
    LINE_IS_OPEN.swap(false, Relaxed)
}

/// An output that remembers whether it has ended its line.
pub struct Tracked {
    pub sink: Sink,
    /// Whether it is the terminal of the standard error.
    shared: bool,
}

impl Tracked {
    pub fn new(sink: Sink) -> Tracked {
        let shared = match &sink {
            Sink::Stdout => is_terminal_of_messages(rustix::stdio::stdout()),
            Sink::Direct(file) => is_terminal_of_messages(file.as_fd()),
            Sink::Replacing(_) => false,
        };
        Tracked { sink, shared }
    }
}

impl Write for Tracked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.sink.write(bytes)?;
        if self.shared && count > 0 {
            LINE_IS_OPEN.store(bytes[count - 1] != b'\n', Relaxed);
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Whether this is the terminal to which the standard error goes.
fn is_terminal_of_messages(fd: BorrowedFd<'_>) -> bool {
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
pub fn announce_reading(hint: &str) {
    if stdin().is_terminal() && stderr().is_terminal() {
        say(&format!("reading standard input (press Ctrl-D to end{hint})"));
    }
}
