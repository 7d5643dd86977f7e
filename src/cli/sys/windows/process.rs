//! The end of the process, and the interrupts that request it.

use std::io;

use anyhow::{Context, Result};

use super::ffi;
use crate::cli::exit::ExitStatus;
use crate::cli::fs::output::TempFileRegistry;
use crate::cli::terminal;

/// Prints a message and exits. Allocates nothing and takes no lock.
pub(crate) fn exit_immediately(message: &[u8], code: i32) -> ! {
    ffi::terminate(message, code as u32)
}

/// Ends the process if the reader of its output has exited.
pub(crate) fn exit_by_broken_pipe() {
    std::process::exit(ExitStatus::Failure as i32);
}

/// Does nothing: an abort raises nothing.
pub(crate) fn exit_on_abort(_code: i32) {}

/// Makes Ctrl-C, Ctrl-Break, closing the console, logging off and shutting down remove the temporary
/// files before they end the process.
///
/// # Errors
///
/// Returns an error if the handler cannot be installed.
pub(crate) fn install_cleanup(temporaries: &TempFileRegistry) -> Result<()> {
    let temporaries = temporaries.clone();
    let cleanup = move || {
        temporaries.remove_all();
        terminal::erase_before_exit();
    };
    ffi::on_interrupt(cleanup).context("cannot handle interrupts")
}

/// Makes interrupts erase the progress. Has no effect after [`install_cleanup`], which does the same.
///
/// # Errors
///
/// Returns an error if the handler cannot be installed.
pub(crate) fn install_progress_cleanup() -> Result<()> {
    install_cleanup(&TempFileRegistry::default())
}

/// Does nothing: the size of files is not limited.
pub(crate) fn ignore_sigxfsz() -> io::Result<()> {
    Ok(())
}
