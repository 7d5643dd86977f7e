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

use super::report;

/// How a run went. The worst of several files counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Status {
    /// All input was converted.
    #[default]
    Clean = 0,
    /// The data had faults.
    Faults = 1,
    /// Something could not be read or written.
    Trouble = 2,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> ExitCode {
        ExitCode::from(status as u8)
    }
}

/// What is wrong with a command line, in several lines.
#[derive(Debug)]
pub struct Usage(pub String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Ends: with the status as exit code, or with a message and 2. A clean run that could not tell what
/// it had to tell ends with 2 as well. If whoever read the output has
/// gone away, ends as SIGPIPE would have ended it, without a word.
pub fn with(outcome: Result<Status>) -> ExitCode {
    let status = outcome.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            // Returns only where the signal cannot be raised.
            let _ = emulate_default_handler(SIGPIPE);
        }
        match error.downcast_ref() {
            Some(Usage(text)) => report::usage(text),
            None => report::say(&in_words(&error)),
        }
        Status::Trouble
    });
    match status {
        // All went well, but who asked was not told so.
        Status::Clean if report::is_incomplete() => Status::Trouble,
        status => status,
    }
    .into()
}

/// Makes a panic or an abort an ordinary failure. There should be none; a script that looks at exit codes
/// must be able to rely on the three there are.
pub fn never_panic() {
    // An abort gets an exit code too.
    let _ = flag::register_conditional_shutdown(
        SIGABRT,
        Status::Trouble as i32,
        Arc::new(AtomicBool::new(true)),
    );
    std::panic::set_hook(Box::new(|panic| {
        // The runtime panics where it has no memory for the signal stack of a thread.
        let text = panic.payload_as_str().unwrap_or_default();
        if text.contains("alternative stack") {
            report::say("out of memory");
            std::process::exit(Status::Trouble as i32);
        }
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        report::say(&format!("this is a mistake in charpipe, please report it: {place}"));
        std::process::exit(Status::Trouble as i32);
    }));
}

/// An error of the system in words alone: "No such file or directory", without its number.
pub fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(number)) => text[..number].to_owned(),
        _ => text,
    }
}

/// An error and its causes in words.
pub fn in_words(error: &Error) -> String {
    let words = |cause: &(dyn std::error::Error + 'static)| match cause.downcast_ref() {
        Some(error) => reason(error),
        None => cause.to_string(),
    };
    error.chain().map(words).collect::<Vec<_>>().join(": ")
}

fn is_broken_pipe(error: &Error) -> bool {
    let broken = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| cause.downcast_ref().is_some_and(broken))
}
