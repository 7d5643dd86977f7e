//! Starts the processes of the tests, so that no test depends on its surroundings or waits forever.
//!
//! A process inherits ignored signals. Under `nohup`, or after `&` in a script, the program under test
//! would ignore the signals that a test sends. And a process that never ends would keep its test waiting:
//! whatever is still running after a long time is killed, and the test fails.

#[cfg(unix)]
pub mod processes;

use std::ffi::OsStr;
use std::process::Command;

/// A variable and its value for a process that may not write to files: as part of `.ci/run coverage` it would report that
/// it cannot write what it has run.
pub const NO_PROFILE: (&str, &str) = ("LLVM_PROFILE_FILE", "/dev/null");

/// A command whose process has the default signal actions and does not run for too long.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    #[cfg(unix)]
    processes::prepare();
    Command::new(program)
}
