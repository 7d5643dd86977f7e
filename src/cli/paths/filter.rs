//! Which of the files in a directory are taken, by their names alone.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use anyhow::{Result, anyhow};
use charpipe::output::is_temp_file_name;
use charpipe::quote::Quoted;

use super::patterns::{IgnorePatterns, PatternMatch, validate_line};

/// Directories in which a version control system keeps its own files.
const VERSION_CONTROL: [&[u8]; 7] = [b".git", b".hg", b".svn", b".bzr", b".jj", b"_darcs", b"CVS"];

/// What is taken from a directory.
#[derive(Debug, Clone)]
pub(super) struct PathFilter {
    globs: Arc<IgnorePatterns>,
    hidden: bool,
    suffix: Option<OsString>,
}

impl PathFilter {
    pub(super) fn new(globs: &[OsString], hidden: bool) -> Result<PathFilter> {
        for glob in globs {
            validate_line(glob.as_bytes())
                .map_err(|mistake| anyhow!("--glob: \"{}\": {mistake}", Quoted::new(glob)))?;
        }
        let globs = IgnorePatterns::from_lines(globs.iter().rev().map(|glob| glob.as_bytes()));
        Ok(PathFilter { globs: Arc::new(globs), hidden, suffix: None })
    }

    pub(super) fn exclude_suffix(&mut self, suffix: &OsStr) {
        self.suffix = Some(suffix.to_owned());
    }

    /// Whether a name is taken, whatever it is that has it.
    pub(super) fn matches_name(&self, name: &[u8]) -> bool {
        (self.hidden || !name.starts_with(b".")) && !VERSION_CONTROL.contains(&name)
    }

    /// Whether a path is taken, which begins below the directory that was named.
    pub(super) fn matches(&self, path: &[u8], name: &OsStr, is_directory: bool) -> bool {
        let fits = match self.globs.match_path(path, is_directory) {
            Some(verdict) => verdict == PatternMatch::Ignored,
            // A directory may contain what fits.
            None => is_directory || self.globs.is_only_negated(),
        };
        let suffix = self.suffix.as_ref().map(|suffix| suffix.as_bytes());
        let backup = suffix.is_some_and(|suffix| name.as_bytes().ends_with(suffix));
        fits && (is_directory || !backup && !is_temp_file_name(name))
    }
}
