//! The end of the process, and the interrupts that request it.

use std::io;

use anyhow::{Context, Result};

use super::ffi;
use crate::cli::sys::Cleanup;

/// Prints a message and exits. Allocates nothing and takes no lock.
pub(crate) fn exit_immediately(message: &[u8], code: i32) -> ! {
    ffi::terminate(message, code as u32)
}

/// Ends the process if the reader of its output has exited.
pub(crate) fn exit_by_broken_pipe(code: i32) {
    std::process::exit(code);
}

/// Does nothing: an abort raises nothing.
pub(crate) fn exit_on_abort(_code: i32) {}

/// Makes Ctrl-C, Ctrl-Break, closing the console, logging off and shutting down call `cleanup` before they
/// end the process.
///
/// # Errors
///
/// Returns an error if the handler cannot be installed.
pub(crate) fn on_end(cleanup: Cleanup) -> Result<()> {
    ffi::on_interrupt(cleanup.before_end).context("cannot handle interrupts")
}

/// As [`on_end`], unless that was called: a process cannot be stopped.
///
/// # Errors
///
/// Returns an error if the handler cannot be installed.
pub(crate) fn on_stop_or_end(cleanup: Cleanup) -> Result<()> {
    on_end(cleanup)
}

/// Does nothing: the size of files is not limited.
pub(crate) fn ignore_sigxfsz() -> io::Result<()> {
    Ok(())
}
