//! The end of the process, and the signals that request it.

use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::{process, thread};

use anyhow::{Context, Result};
use signal_hook::consts::{SIGABRT, SIGPIPE};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::{emulate_default_handler, exit};

use crate::cli::sys::Cleanup;

/// Prints a message and exits. Allocates nothing and takes no lock.
pub(crate) fn exit_immediately(message: &[u8], code: i32) -> ! {
    let _ = rustix::io::write(rustix::stdio::stderr(), message);
    exit(code)
}

/// Ends the process as its parent expects if the reader of its output has exited: by SIGPIPE. Returns
/// only if the signal cannot be raised.
pub(crate) fn exit_by_broken_pipe(_code: i32) {
    let _ = emulate_default_handler(SIGPIPE);
}

/// Makes an abort exit with this code.
pub(crate) fn exit_on_abort(code: i32) {
    let _ = flag::register_conditional_shutdown(SIGABRT, code, Arc::new(AtomicBool::new(true)));
}

const TERMINATING: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// Whether the terminating signals are handled.
static CLEANUP_INSTALLED: AtomicBool = AtomicBool::new(false);

/// Makes SIGHUP, SIGINT and SIGTERM call `cleanup` before they terminate the process.
/// Signals that the parent process has set to be ignored (`nohup`, background jobs) remain ignored.
///
/// # Errors
///
/// Returns an error if the handlers or their thread cannot be set up.
pub(crate) fn on_end(cleanup: Cleanup) -> Result<()> {
    CLEANUP_INSTALLED.store(true, Relaxed);
    handle_signals(&TERMINATING, cleanup)
}

/// As [`on_end`], unless that was called, and for the signal that stops the process.
///
/// # Errors
///
/// Returns an error if the handlers or their thread cannot be set up.
pub(crate) fn on_stop_or_end(cleanup: Cleanup) -> Result<()> {
    let installed = CLEANUP_INSTALLED.swap(true, Relaxed);
    let signals = if installed { &[SIGTSTP][..] } else { &[SIGTSTP, SIGHUP, SIGINT, SIGTERM] };
    handle_signals(signals, cleanup)
}

/// Handles these signals, except for those that are ignored, in a thread.
fn handle_signals(signals: &[i32], cleanup: Cleanup) -> Result<()> {
    let ignored = ignored_signals();
    let handled = signals.iter().filter(|signal| ignored & (1 << (**signal - 1)) == 0);
    let mut signals = Signals::new(handled)?;
    let thread = thread::Builder::new().name("signals".into());
    let started = thread.spawn(move || {
        for signal in signals.forever() {
            if signal == SIGTSTP {
                // Returns when the process continues.
                (cleanup.around_stop)(&mut || {
                    let _ = emulate_default_handler(signal);
                });
                continue;
            }
            (cleanup.before_end)();
            // Returns only if the signal cannot be raised.
            let _ = emulate_default_handler(signal);
            process::exit(cleanup.exit_code);
        }
    });
    started.context("cannot start a thread")?;
    Ok(())
}

/// Makes a write beyond the file size limit (`ulimit -f`) fail with an error instead of terminating
/// the process, so that it prints a message and cleans up.
///
/// # Errors
///
/// Returns an error if the handler cannot be installed.
pub(crate) fn ignore_sigxfsz() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)))?;
    Ok(())
}

/// Returns the bit set of ignored signals; zero if the system does not report it.
fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).unwrap_or(0)
}
