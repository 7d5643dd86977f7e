//! Detects standard streams that were closed when the process started, and occupies their numbers.
//!
//! Before `main`, Rust's runtime opens `/dev/null` for each standard descriptor that is closed, so
//! that no file is opened under its number, and aborts if `/dev/null` is missing. After that `charpipe >&-`
//! would succeed and its output would be silently lost. The descriptors have to be checked earlier: the loader
//! calls the functions in `.init_array` before `main`. What is opened there needs no `/dev/null`. On Windows
//! neither the runtime nor this module opens anything.

#![allow(unsafe_code, reason = "the only way to run before main; the function itself is safe")]

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use crate::cli::sys::inherited_fd::fd_number;
use crate::cli::sys::stdio;

static STDIN_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_CLOSED: AtomicBool = AtomicBool::new(false);
static STDERR_CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(unix)]
// SAFETY: the section holds pointers to functions of this type, and the function needs nothing
// that the runtime sets up: it makes a few system calls and stores the results.
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[used]
static CHECK_STDIO: extern "C" fn() = check_stdio;

extern "C" fn check_stdio() {
    STDIN_CLOSED.store(stdio::is_closed(stdio::stdin()), Relaxed);
    STDOUT_CLOSED.store(stdio::is_closed(stdio::stdout()), Relaxed);
    STDERR_CLOSED.store(stdio::is_closed(stdio::stderr()), Relaxed);
    let ClosedStdio { stdin, stdout, stderr } = recorded();
    for _ in [stdin, stdout, stderr].into_iter().filter(|is_closed| *is_closed) {
        // The system uses the lowest free number.
        if !stdio::occupy_descriptor() {
            // There may be no stream for a message either.
            std::process::exit(2);
        }
    }
}

/// The standard streams that were closed when the process started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosedStdio {
    pub stdin: bool,
    pub stdout: bool,
    pub stderr: bool,
}

/// Returns which standard streams were closed when the process started.
pub fn closed_at_start() -> ClosedStdio {
    #[cfg(windows)]
    check_stdio();
    recorded()
}

fn recorded() -> ClosedStdio {
    ClosedStdio {
        stdin: STDIN_CLOSED.load(Relaxed),
        stdout: STDOUT_CLOSED.load(Relaxed),
        stderr: STDERR_CLOSED.load(Relaxed),
    }
}

impl ClosedStdio {
    /// Returns the name of the closed standard stream that a path such as `/dev/stdin` or
    /// `/dev/fd/0` refers to, if any. Opening that path would open `/dev/null`.
    pub fn closed_stream_at(self, path: &Path) -> Option<&'static str> {
        if !(self.stdin || self.stdout || self.stderr) {
            return None;
        }
        match fd_number(path)? {
            0 => self.stdin.then_some("standard input"),
            1 => self.stdout.then_some("standard output"),
            2 => self.stderr.then_some("standard error"),
            _ => None,
        }
    }
}
