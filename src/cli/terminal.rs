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

/// The maximum number of bytes in one write of lines: what POSIX guarantees a pipe to accept without mixing it with
/// the lines of another process.
const MAX_WRITE_LEN: usize = 4096;

/// The lines that have not been written yet.
static PENDING: Mutex<String> = Mutex::new(String::new());

/// Whether lines are written together.
static IS_BATCHING: AtomicBool = AtomicBool::new(false);

/// Whether a line could not be written.
static WRITE_FAILED: AtomicBool = AtomicBool::new(false);

/// Lines are written together while this exists.
pub struct LineBatch(());

impl LineBatch {
    /// Begins to write lines together: until there are enough of them, output is written, or
    /// [`flush_lines`] is called, which has to be done before anything that may wait.
    pub fn begin() -> LineBatch {
        IS_BATCHING.store(true, Relaxed);
        LineBatch(())
    }
}

impl Drop for LineBatch {
    fn drop(&mut self) {
        IS_BATCHING.store(false, Relaxed);
        flush_lines();
    }
}

/// Writes a line to standard error, at the latest at the end of the [`LineBatch`].
pub fn write_line(line: &str) {
    let mut pending = pending_lines();
    if pending.len() + line.len() + 2 > MAX_WRITE_LEN {
        write_pending(&mut pending);
    }
    pending.push_str(line);
    pending.push('\n');
    if !IS_BATCHING.load(Relaxed) {
        write_pending(&mut pending);
    }
}

/// Writes the lines that have not been written yet.
pub fn flush_lines() {
    write_pending(&mut pending_lines());
}

/// Notes that a line cannot be written.
pub fn set_write_failed() {
    WRITE_FAILED.store(true, Relaxed);
}

/// Returns whether a line could not be written.
pub fn write_failed() -> bool {
    WRITE_FAILED.load(Relaxed)
}

fn pending_lines() -> MutexGuard<'static, String> {
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_pending(pending: &mut String) {
    if pending.is_empty() {
        return;
    }
    let written = suspend(|| {
        // A message starts on its own line.
        if LINE_UNFINISHED.swap(false, Relaxed) {
            pending.insert(0, '\n');
        }
        stdio::write_all(stdio::stderr(), pending.as_bytes())
    });
    pending.clear();
    if written.is_err() {
        set_write_failed();
    }
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
        flush_lines();
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
