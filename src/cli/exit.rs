//! How charpipe ends.

use std::fmt;
use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Error, Result};
use signal_hook::consts::{SIGABRT, SIGPIPE};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;

use super::messages;

/// How a run went. The worst of several files counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ExitStatus {
    /// All input was converted.
    #[default]
    Success = 0,
    /// The data had errors.
    DataErrors = 1,
    /// Something could not be read or written.
    Failure = 2,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// What is wrong with a command line, in several lines.
#[derive(Debug)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Ends: with the status as exit code, or with a message and 2. A clean run that could not tell what
/// it had to tell ends with 2 as well. If whoever read the output has
/// gone away, ends as SIGPIPE would have ended it, without a word.
pub fn exit_with(outcome: Result<ExitStatus>) -> ExitCode {
    let status = outcome.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            // Returns only where the signal cannot be raised.
            let _ = emulate_default_handler(SIGPIPE);
        }
        match error.downcast_ref() {
            Some(UsageError(text)) => messages::print_usage_error(text),
            None => messages::print_message(&error_chain(&error)),
        }
        ExitStatus::Failure
    });
    match status {
        // All went well, but who asked was not told so.
        ExitStatus::Success if messages::stderr_failed() => ExitStatus::Failure,
        status => status,
    }
    .into()
}

/// Makes a panic or an abort an ordinary failure. There should be none; a script that looks at exit codes
/// must be able to rely on the three there are.
pub fn install_panic_hook() {
    // An abort gets an exit code too.
    let _ = flag::register_conditional_shutdown(
        SIGABRT,
        ExitStatus::Failure as i32,
        Arc::new(AtomicBool::new(true)),
    );
    std::panic::set_hook(Box::new(|panic| {
        // The runtime panics where it has no memory for the signal stack of a thread.
        let text = panic.payload_as_str().unwrap_or_default();
        if text.contains("alternative stack") {
            messages::print_message("out of memory");
            std::process::exit(ExitStatus::Failure as i32);
        }
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        messages::print_message(&format!(
            "this is a mistake in charpipe, please report it: {location}"
        ));
        std::process::exit(ExitStatus::Failure as i32);
    }));
}

/// An error of the system in words alone: "No such file or directory", without its number.
pub fn io_message(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(number)) => text[..number].to_owned(),
        _ => text,
    }
}

/// An error and its causes in words.
pub fn error_chain(error: &Error) -> String {
    let message = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref() {
        Some(error) => io_message(error),
        None => cause.to_string(),
    };
    error.chain().map(message).collect::<Vec<_>>().join(": ")
}

fn is_broken_pipe(error: &Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}
