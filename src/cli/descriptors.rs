//! Which of the standard descriptors were closed when the process began.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in the place of a standard descriptor that is
//! closed, so that no file takes its number. After that `charpipe >&-` would succeed and its
//! output would be lost in silence. The look has to come earlier: the loader calls the functions
//! of `.init_array` before the runtime begins.

#![allow(unsafe_code, reason = "the one way to run before main; the function itself is safe")]

use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use charpipe::sink::descriptor;

static STDIN: AtomicBool = AtomicBool::new(false);
static STDOUT: AtomicBool = AtomicBool::new(false);
static STDERR: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
// SAFETY: the section holds pointers to functions of this type, and the function needs nothing
// that the runtime sets up: it makes two system calls and keeps the answers.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK: extern "C" fn() = look;

#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
extern "C" fn look() {
    STDIN.store(is_closed(rustix::stdio::stdin()), Relaxed);
    STDOUT.store(is_closed(rustix::stdio::stdout()), Relaxed);
    STDERR.store(is_closed(rustix::stdio::stderr()), Relaxed);
}

fn is_closed(fd: BorrowedFd<'_>) -> bool {
    rustix::io::fcntl_getfd(fd).is_err()
}

/// The standard descriptors that were closed when the process began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
}

/// What the look before `main` has found.
pub fn closed_at_start() -> Closed {
    Closed {
        stdin: STDIN.load(Relaxed),
        stdout: STDOUT.load(Relaxed),
        stderr: STDERR.load(Relaxed),
    }
}

impl Closed {
    /// The name of the closed standard stream that a path refers to, if it does: `/dev/stdin`,
    /// `/dev/fd/0`. Opening it would open `/dev/null`.
    pub fn named_by(self, path: &Path) -> Option<&'static str> {
        if !(self.stdin || self.stdout || self.stderr) {
            return None;
        }
        match descriptor(path)? {
            0 => self.stdin.then_some("stdin"),
            1 => self.stdout.then_some("stdout"),
            2 => self.stderr.then_some("stderr"),
            _ => None,
        }
    }
}
