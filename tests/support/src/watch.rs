//! Starts the processes of the tests, so that no test depends on its surroundings or waits forever.
//!
//! A process inherits ignored signals. Under `nohup`, or after `&` in a script, the program under test
//! would ignore the signals that a test sends. And a process that never ends would keep its test waiting:
//! whatever is still running after a long time is killed, and the test fails.

#[cfg(unix)]
pub mod processes;

use std::ffi::OsStr;
use std::process::Command;

/// A command whose process has the default signal actions and does not run for too long.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    #[cfg(unix)]
    processes::prepare();
    Command::new(program)
}
