//! Exit codes and fatal errors.

use std::fmt;
use std::io;

use anyhow::{Error, Result};

use super::messages::{self, Message};
use super::sys::process::{exit_by_broken_pipe, exit_on_abort};
use super::terminal;

/// The result of a run; for several files, the most severe one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum ExitStatus {
    /// All input was converted without errors.
    #[default]
    Success = 0,
    /// The data had errors.
    DataErrors = 1,
    /// The usage is invalid, or something could not be read or written.
    Failure = 2,
}

/// An error in the command line; its message may have several lines.
#[derive(Debug)]
pub struct UsageError(pub String);

impl fmt::Display for UsageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

/// Returns the exit code for the result of a run. Prints the message of an error, for which the code
/// is 2; the code is 2 instead of 0 also if a message could not be written to standard error. If the
/// reader of the output has exited, terminates the process without a message, on Unix by SIGPIPE.
pub fn exit_with(outcome: Result<ExitStatus>) -> u8 {
    let status = outcome.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            exit_by_broken_pipe(ExitStatus::Failure as i32);
        }
        match error.downcast_ref() {
            Some(UsageError(text)) => messages::print_usage_error(text),
            None => messages::print_message(Message::error(&error_chain(&error))),
        }
        ExitStatus::Failure
    });
    match status {
        ExitStatus::Success if terminal::write_failed() => ExitStatus::Failure as u8,
        status => status as u8,
    }
}

/// Makes a panic or an abort exit with 2. There should be none, but scripts must be able to rely on
/// the three documented exit codes.
pub fn install_panic_hook() {
    exit_on_abort(ExitStatus::Failure as i32);
    std::panic::set_hook(Box::new(|panic| {
        // The runtime panics if it cannot allocate the signal stack of a thread.
        let payload = panic.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text =
            text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or_default();
        if text.contains("alternative stack") {
            messages::print_message(Message::error("out of memory"));
            terminal::flush_lines();
            std::process::exit(ExitStatus::Failure as i32);
        }
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        let text = format!("internal error (please report this bug): {location}");
        messages::print_message(Message::error(&text));
        terminal::flush_lines();
        std::process::exit(ExitStatus::Failure as i32);
    }));
}

/// Returns the message of a system error without its number: "No such file or directory".
pub fn io_message(error: &io::Error) -> String {
    let text = error.to_string();
    match (error.raw_os_error(), text.rfind(" (os error ")) {
        (Some(_), Some(number)) => text[..number].to_owned(),
        _ => text,
    }
}

/// Returns the messages of an error and its causes, separated by colons.
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

#[cfg(test)]
mod tests {
    use std::process::Stdio;

    use charpipe_test_support::watch;

    use super::*;

    /// The text of a panic in a process of its own, which ends it.
    const TEXT: &str = "CHARPIPE_TEST_PANIC";

    #[test]
    fn a_panic_is_an_error_message_and_exit_code_2() {
        if let Ok(text) = std::env::var(TEXT) {
            install_panic_hook();
            panic!("{text}");
        }
        let cases = [
            ("index out of bounds", "internal error (please report this bug): src"),
            ("failed to set up alternative stack guard page: ENOMEM", "out of memory\n"),
        ];
        for (text, expected) in cases {
            let mut process = watch::command(std::env::current_exe().unwrap());
            process.args([
                "--exact",
                "--nocapture",
                "cli::exit::tests::a_panic_is_an_error_message_and_exit_code_2",
            ]);
            let output = process.env(TEXT, text).stdin(Stdio::null()).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(2), "{stderr}");
            assert!(stderr.contains(expected), "{stderr}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn messages_of_system_errors_have_no_numbers() {
        assert_eq!(io_message(&io::Error::from_raw_os_error(2)), "No such file or directory");
        // It is not a number of the system.
        let custom = io::Error::other("the text (os error 2) of a program");
        assert_eq!(io_message(&custom), "the text (os error 2) of a program");
        let chain = Error::new(io::Error::from_raw_os_error(2)).context("cannot open a.txt");
        assert_eq!(error_chain(&chain), "cannot open a.txt: No such file or directory");
    }
}
