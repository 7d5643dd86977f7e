//! What is left when a signal ends or stops the process: no temporary files, and no status line.

use anyhow::Result;

use crate::cli::fs::output::TempFileRegistry;

use super::exit::ExitStatus;
use super::sys::{Cleanup, process};
use super::terminal;

/// Makes the signals that end the process remove these temporary files before.
///
/// # Errors
///
/// Returns an error if the signals cannot be handled.
pub fn install(temporaries: &TempFileRegistry) -> Result<()> {
    process::on_end(cleanup(temporaries.clone()))
}

/// Makes the signals that end or stop the process erase the status line before.
///
/// # Errors
///
/// Returns an error if the signals cannot be handled.
pub fn install_for_status_line() -> Result<()> {
    process::on_stop_or_end(cleanup(TempFileRegistry::default()))
}

fn cleanup(temporaries: TempFileRegistry) -> Cleanup {
    Cleanup {
        before_end: Box::new(move || {
            temporaries.remove_all();
            terminal::erase_before_exit();
        }),
        around_stop: |stop| terminal::suspend(stop),
        exit_code: ExitStatus::Failure as i32,
    }
}
