//! Inputs and outputs as arguments name them, and how they are opened.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

use crate::cli::fs::input::InputStream;
use crate::cli::fs::output::{OutputStream, TempFileRegistry};
use crate::cli::quote::Quoted;
use crate::cli::sys::preserve::Preserve;

use super::cleanup;
use super::closed_stdio::closed_at_start;
use super::exit::ExitStatus;
use super::sys::status::FileStatus;
use super::sys::stdio;

/// Where bytes are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Stdin,
    File(PathBuf),
}

impl Input {
    /// Returns the input for an operand.
    pub fn from_arg(file: &OsStr) -> Input {
        if file == "-" { Input::Stdin } else { Input::File(file.into()) }
    }

    /// Returns the inputs for these operands; standard input if there are none.
    pub fn from_args(files: &[OsString]) -> Vec<Input> {
        if files.is_empty() {
            return vec![Input::Stdin];
        }
        files.iter().map(|file| Input::from_arg(file)).collect()
    }

    /// Returns the name for messages, quoted for a terminal.
    pub fn display_name(&self) -> String {
        match self {
            Input::Stdin => "<stdin>".to_owned(),
            // Unquoted, the message would seem to have no file name.
            Input::File(path) if path.as_os_str().is_empty() => "''".to_owned(),
            Input::File(path) => Quoted::from_path(path).to_string(),
        }
    }

    /// Returns the size in bytes, if it is known without reading the input.
    pub fn size(&self) -> Option<u64> {
        let (status, start) = match self {
            Input::Stdin => (FileStatus::of_stream(stdio::stdin()).ok()?, stdin_start()),
            Input::File(path) => (FileStatus::at(path).ok()?, 0),
        };
        status.is_file().then(|| status.len().saturating_sub(start))
    }

    /// Opens the input, unless it is a standard stream that was closed at the start.
    pub fn open(&self) -> io::Result<InputStream> {
        match self {
            Input::Stdin if closed_at_start().stdin => Err(io::Error::other("is closed")),
            Input::Stdin => Ok(InputStream::Stdin),
            Input::File(path) if closed_at_start().closed_stream_at(path).is_some() => {
                Err(stdio::closed_error())
            }
            Input::File(path) => InputStream::open(path),
        }
    }
}

/// Where bytes are written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    Stdout,
    File(PathBuf),
}

impl Output {
    /// Returns the output for the value of `--output`.
    pub fn from_arg(file: Option<&OsStr>) -> Result<Output> {
        match file {
            None => Ok(Output::Stdout),
            Some(file) if file == "-" => Ok(Output::Stdout),
            Some(file) if file.is_empty() => {
                bail!("--output: the file name is empty (use - for standard output)")
            }
            Some(file) if file.as_encoded_bytes().ends_with(b"/") || Path::new(file).is_dir() => {
                let name = Quoted::new(file);
                bail!("--output: {name} is a directory; use --output-dir to write to files in it")
            }
            Some(file) => Ok(Output::File(file.into())),
        }
    }

    /// Returns the name for messages, quoted for a terminal.
    pub fn display_name(&self) -> String {
        match self {
            Output::Stdout => "<stdout>".to_owned(),
            Output::File(path) => Quoted::from_path(path).to_string(),
        }
    }

    pub fn write_error_message(&self) -> String {
        match self {
            Output::Stdout => "write error".to_owned(),
            Output::File(_) => format!("{}: write error", self.display_name()),
        }
    }

    /// Opens the output. A file that is replaced keeps its metadata.
    pub fn open(&self, named_temp_files: bool) -> Result<OutputStream> {
        self.open_preserving(Preserve::default(), named_temp_files)
    }

    /// Opens the output. A file that is replaced keeps this metadata.
    pub fn open_preserving(
        &self,
        preserve: Preserve,
        named_temp_files: bool,
    ) -> Result<OutputStream> {
        let closed = closed_at_start();
        match self {
            Output::Stdout if closed.stdout => bail!("standard output is closed"),
            Output::Stdout => Ok(OutputStream::Stdout),
            Output::File(path) => {
                if let Some(stream) = closed.closed_stream_at(path) {
                    bail!("{stream} is closed");
                }
                let temp_files = TempFileRegistry::new(named_temp_files);
                cleanup::install(&temp_files)?;
                OutputStream::open(path, preserve, &temp_files)
                    .with_context(|| format!("{}: cannot be written", self.display_name()))
            }
        }
    }
}

/// Returns the position of the standard input when this is first called.
pub fn stdin_start() -> u64 {
    static START: OnceLock<u64> = OnceLock::new();
    *START.get_or_init(|| stdio::position(stdio::stdin()))
}

/// Prints text to standard output.
///
/// # Errors
///
/// Returns an error if the text cannot be written.
pub fn print(text: &[u8]) -> Result<ExitStatus> {
    let mut sink = Output::Stdout.open(false)?;
    sink.write_all(text).with_context(|| Output::Stdout.write_error_message())?;
    Ok(ExitStatus::Success)
}
