//! Interruption: temporary files are removed.

use std::io;

use anyhow::{Context, Result};

use super::ffi;
use crate::cli::fs::output::TempFileRegistry;

/// Makes Ctrl-C, Ctrl-Break, closing the console, logging off and shutting down remove the temporary
/// files before they end the process.
///
/// # Errors
///
/// Returns an error if the handler cannot be installed.
pub(crate) fn install_cleanup(temporaries: &TempFileRegistry) -> Result<()> {
    let temporaries = temporaries.clone();
    ffi::on_interrupt(move || temporaries.remove_all()).context("cannot handle interrupts")
}

/// Does nothing: the size of files is not limited.
pub(crate) fn ignore_sigxfsz() -> io::Result<()> {
    Ok(())
}
