//! `charpipe install-links DIR`: makes `iconv` a link to charpipe.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::cli::exit::{ExitStatus, UsageError};
use crate::cli::quote::Quoted;

const USAGE: &str = "Usage: charpipe install-links DIR\n\nCreate DIR/iconv, a link to charpipe.";

/// Creates the links in the directory that the arguments name. An existing file is not replaced.
///
/// # Errors
///
/// Returns an error if a link cannot be created.
pub fn run(arguments: &[OsString]) -> Result<ExitStatus> {
    let [directory] = arguments else {
        return Err(UsageError(format!("a directory is required\n{USAGE}")).into());
    };
    if directory == "-h" || directory == "--help" {
        return crate::cli::convert::print(format!("{USAGE}\n").as_bytes());
    }
    let name = if cfg!(windows) { "iconv.exe" } else { "iconv" };
    let link = Path::new(directory).join(name);
    let program = env::current_exe().context("cannot find the program")?;
    create_link(&program, &link)
        .with_context(|| format!("{}: cannot be created", Quoted::from_path(&link)))?;
    Ok(ExitStatus::Success)
}

/// Creates a link unless it exists already. In the directory of the program it is relative.
#[cfg(unix)]
fn create_link(program: &Path, link: &Path) -> io::Result<()> {
    let directory = link.parent().map(fs::canonicalize).transpose()?;
    let target = match program.file_name().filter(|_| program.parent() == directory.as_deref()) {
        Some(name) => PathBuf::from(name),
        None => program.to_owned(),
    };
    match std::os::unix::fs::symlink(&target, link) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if fs::read_link(link).is_ok_and(|found| found == target) { Ok(()) } else { Err(error) }
        }
        result => result,
    }
}

/// Creates a hard link, since symbolic links require a privilege.
#[cfg(not(unix))]
fn create_link(program: &Path, link: &Path) -> io::Result<()> {
    let _: PathBuf = fs::canonicalize(program)?;
    fs::hard_link(program, link)
}
