//! Reasons why a file cannot be replaced.

use std::fs::File;
use std::io;

use super::status::FileStatus;
use crate::cli::fs::directory::Directory;

/// Returns no error: Windows has no directories in which files may be created but not renamed.
pub(crate) fn check_rename_allowed(
    _directory: &Directory,
    _existing: Option<(&File, &FileStatus)>,
) -> io::Result<()> {
    Ok(())
}
