//! Paths that cannot be processed.

use std::io;
use std::path::Path;

use crate::cli::exit::io_message;
use crate::cli::streams::Input;

/// A path that cannot be processed. The message is safe to print.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathError {
    pub input: Input,
    pub message: String,
}

impl PathError {
    pub fn new(path: &Path, message: impl Into<String>) -> PathError {
        PathError { input: Input::File(path.to_owned()), message: message.into() }
    }

    /// Converts the error of a system call.
    pub fn from_io(path: &Path, error: &io::Error) -> PathError {
        PathError::new(path, io_message(error))
    }
}
