//! The terminal of standard error: a message starts on its own line, and the status line, which shows the
//! progress, is erased before it.
//!
//! Output need not end with a line feed. If it goes to the same terminal as the messages, a message
//! first ends the line.
//!
//! After the status line is written the cursor returns to its first column: when the terminal becomes narrower
//! and wraps the line, erasing from the cursor to the end of the screen still removes all of it.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use crate::cli::fs::output::OutputStream;
use crate::cli::sys::stdio;

/// Returns to the start of the line and erases everything from there on.
const ERASE: &str = "\r\x1b[J";

/// The status line on the screen; empty if there is none.
static SHOWN: Mutex<String> = Mutex::new(String::new());

/// Whether there is a status line on the screen.
static IS_SHOWN: AtomicBool = AtomicBool::new(false);

/// Whether the last output on the terminal of standard error did not end with a line feed.
static LINE_UNFINISHED: AtomicBool = AtomicBool::new(false);

/// Returns whether a message has to end a line first, and resets that.
pub fn take_unfinished_line() -> bool {
    LINE_UNFINISHED.swap(false, Relaxed)
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
        suspend(|| {
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

/// Locks the status line, so that no other thread draws or erases it.
pub fn status_line() -> MutexGuard<'static, String> {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the status line, unless the terminal cannot take it or a line on it is unfinished.
pub fn draw(shown: &mut String, text: String) {
    if !stdio::is_available(stdio::stderr()) {
        return;
    }
    if LINE_UNFINISHED.load(Relaxed) {
        return erase(shown);
    }
    let old = if shown.is_empty() { "" } else { ERASE };
    write(&format!("{old}{text}\r"));
    IS_SHOWN.store(true, Relaxed);
    *shown = text;
}

/// Erases the status line.
pub fn erase(shown: &mut String) {
    if !shown.is_empty() {
        write(ERASE);
        IS_SHOWN.store(false, Relaxed);
        shown.clear();
    }
}

fn write(text: &str) {
    // If the terminal is gone, the line cannot be seen.
    let _ = stdio::write_all(stdio::stderr(), text.as_bytes());
}

/// Returns whether the status line is on the screen. Takes no lock.
pub fn has_status_line() -> bool {
    IS_SHOWN.load(Relaxed)
}

/// Calls `write`, which writes to the terminal, while the status line is erased.
pub fn suspend<T>(write: impl FnOnce() -> T) -> T {
    let mut shown = status_line();
    let text = shown.clone();
    erase(&mut shown);
    let result = write();
    if !text.is_empty() {
        draw(&mut shown, text);
    }
    result
}

/// Erases the status line of a process that is about to exit. Neither waits for a thread that writes, nor
/// for the terminal. Messages afterward block forever.
pub fn erase_before_exit() {
    for _ in 0..10 {
        match SHOWN.try_lock() {
            Ok(mut shown) => {
                if stdio::is_available(stdio::stderr()) {
                    erase(&mut shown);
                }
                return std::mem::forget(shown);
            }
            Err(TryLockError::Poisoned(_)) => return,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(10)),
        }
    }
}
