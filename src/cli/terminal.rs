//! Messages on a terminal: each starts on its own line, and a hint explains why the command waits.
//!
//! Output need not end with a line feed. If it goes to the same terminal as the messages, a message
//! first ends the line.

use std::io::{self, IsTerminal, Write, stderr, stdin};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::cli::fs::output::OutputStream;
use crate::cli::sys::stdio;

use super::messages::print_message;
use super::progress;

/// Whether the last output on the terminal of standard error did not end with a line feed.
static LINE_UNFINISHED: AtomicBool = AtomicBool::new(false);

/// Returns whether a message has to end a line first, and resets that.
pub fn take_unfinished_line() -> bool {
    LINE_UNFINISHED.swap(false, Relaxed)
}

/// Returns whether the last output on the terminal of standard error did not end with a line feed.
pub fn has_unfinished_line() -> bool {
    LINE_UNFINISHED.load(Relaxed)
}

/// An output that records whether it ended with a line feed.
pub struct LineTracker {
    pub sink: OutputStream,
    /// Whether the output is the terminal of standard error.
    pub shares_terminal: bool,
}

impl LineTracker {
    pub fn new(sink: OutputStream) -> LineTracker {
        let shares_terminal = match &sink {
            OutputStream::Stdout => stdio::shares_stderr_terminal(stdio::stdout()),
            OutputStream::Direct(file) => stdio::shares_stderr_terminal(stdio::of_file(file)),
            OutputStream::Atomic(_) => false,
        };
        LineTracker { sink, shares_terminal }
    }
}

impl Write for LineTracker {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.shares_terminal {
            return self.sink.write(bytes);
        }
        progress::suspend(|| {
            let count = self.sink.write(bytes)?;
            if count > 0 {
                LINE_UNFINISHED.store(bytes[count - 1] != b'\n', Relaxed);
            }
            Ok(count)
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Reports that standard input is read, if that and standard error are terminals. `hint` is appended
/// to the key that ends the input.
pub fn announce_stdin(hint: &str) {
    if stdin().is_terminal() && stderr().is_terminal() {
        let key = stdio::END_OF_INPUT_KEY;
        print_message(&format!("reading standard input (press {key} to end{hint})"));
    }
}
