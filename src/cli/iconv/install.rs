//! `charpipe install-links DIR`: makes `iconv` a link to charpipe.

use std::env;
use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};

use crate::cli::exit::{ExitStatus, UsageError};
use crate::cli::quote::Quoted;
use crate::cli::sys::directory;

const USAGE: &str = "Usage: charpipe install-links DIR\n\nCreate DIR/iconv, a link to charpipe.";

/// Creates the links in the directory that the arguments name. An existing file is not replaced.
///
/// # Errors
///
/// Returns an error if a link cannot be created.
pub fn run(arguments: &[OsString]) -> Result<ExitStatus> {
    let [target] = arguments else {
        return Err(UsageError(format!("a directory is required\n{USAGE}")).into());
    };
    if target == "-h" || target == "--help" {
        return crate::cli::convert::print(format!("{USAGE}\n").as_bytes());
    }
    let name = if cfg!(windows) { "iconv.exe" } else { "iconv" };
    let link = Path::new(target).join(name);
    let program = env::current_exe().context("cannot find the program")?;
    directory::create_program_link(&program, &link)
        .with_context(|| format!("{}: cannot be created", Quoted::from_path(&link)))?;
    Ok(ExitStatus::Success)
}
