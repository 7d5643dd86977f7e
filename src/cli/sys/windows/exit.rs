//! The end of the process.

use super::ffi;
use crate::cli::exit::ExitStatus;

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
