//! The files in a folder and below it.
//!
//! Left out are hidden files unless asked for, what the `.gitignore` files there and above name
//! (also where there is no repository) and `.git/info/exclude`. What a user has told git elsewhere
//! does not count: the same tree has the same files for everybody. Symbolic links are not
//! followed, and what is no regular file is passed by.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow};
use charpipe::quote::Quoted;
use charpipe::sink::is_temporary;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, Error, Match, Walk, WalkBuilder};

use super::{Found, Lost, rules};
use crate::cli::exit::reason;
use crate::cli::job::Input;

/// Folders in which a version control system keeps its own files.
const CONTROL: [&str; 7] = [".git", ".hg", ".svn", ".bzr", ".jj", "_darcs", "CVS"];

/// What is taken from a folder.
#[derive(Debug, Clone)]
pub(super) struct Sieve {
    globs: Arc<Gitignore>,
    hidden: bool,
    suffix: Option<OsString>,
}

impl Sieve {
    pub(super) fn new(globs: &[OsString], hidden: bool) -> Result<Sieve> {
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(false);
        for glob in globs {
            let quoted = Quoted::new(glob);
            let text = glob.to_str().ok_or_else(|| anyhow!("--glob: \"{quoted}\" is not UTF-8"))?;
            builder.add_line(None, text).with_context(|| format!("--glob: \"{quoted}\""))?;
        }
        let globs = Arc::new(builder.build().context("--glob")?);
        Ok(Sieve { globs, hidden, suffix: None })
    }

    pub(super) fn leave_out(&mut self, suffix: &OsStr) {
        self.suffix = Some(suffix.to_owned());
    }

    pub(super) fn folder(&self, root: &Path) -> Folder {
        let lost = Unruled::default();
        if let Some(unruled) = rules::unreadable_down_to(root) {
            lost.add(unruled);
            return Folder { walk: None, found: None, lost };
        }
        let (sieve, top, unruled) = (self.clone(), root.to_owned(), lost.clone());
        let mut builder = WalkBuilder::new(root);
        builder
            .standard_filters(false)
            .hidden(!self.hidden)
            .parents(true)
            .git_ignore(true)
            .git_exclude(true)
            .require_git(false)
            .sort_by_file_name(OsStr::cmp)
            .filter_entry(move |entry| {
                entry.depth() == 0 || sieve.takes(entry, &top) && unruled.passes(entry)
            });
        Folder { walk: Some(builder.build()), found: None, lost }
    }

    fn takes(&self, entry: &DirEntry, top: &Path) -> bool {
        let name = entry.file_name();
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let below = entry.path().strip_prefix(top).unwrap_or(entry.path());
        let fits = match self.globs.matched(below, folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            // A folder may hold what fits.
            Match::None => folder || self.globs.num_ignores() == 0,
        };
        let suffix = self.suffix.as_ref().map(|suffix| suffix.as_encoded_bytes());
        let backup = suffix.is_some_and(|suffix| name.as_encoded_bytes().ends_with(suffix));
        fits && !CONTROL.iter().any(|own| name == *own)
            && (folder || !backup && !is_temporary(name))
    }
}

/// Folders that are not gone into, because the rules for them cannot be read; yet to be told.
#[derive(Debug, Clone, Default)]
struct Unruled(Arc<Mutex<VecDeque<Lost>>>);

impl Unruled {
    fn add(&self, lost: Lost) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_back(lost);
    }

    fn next(&self) -> Option<Lost> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }

    /// Whether this is no folder of that kind. Asked before the walk reads the rules itself.
    fn passes(&self, entry: &DirEntry) -> bool {
        let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        let lost = if folder { rules::unreadable(entry.path()) } else { None };
        let passes = lost.is_none();
        lost.into_iter().for_each(|lost| self.add(lost));
        passes
    }
}

/// The files of a folder, found as they are asked for.
pub(super) struct Folder {
    /// None if the folder itself is not gone into.
    walk: Option<Walk>,
    /// What was found behind folders that are to be told first.
    found: Option<Result<DirEntry, Error>>,
    lost: Unruled,
}

impl Iterator for Folder {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        loop {
            if self.found.is_none() {
                self.found = self.walk.as_mut().and_then(Iterator::next);
            }
            if let Some(lost) = self.lost.next() {
                return Some(Err(lost));
            }
            match self.found.take()? {
                Err(error) => match lost(&error) {
                    Some(lost) => return Some(Err(lost)),
                    None => continue,
                },
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    return Some(Ok(Input::File(entry.into_path())));
                }
                Ok(entry) => {
                    if let Some(lost) = entry.error().and_then(lost) {
                        return Some(Err(lost));
                    }
                }
            }
        }
    }
}

/// What the system has refused. That a line of a `.gitignore` is no pattern stops nobody, as it
/// stops git from nothing.
fn lost(error: &Error) -> Option<Lost> {
    let mut path = Path::new("");
    let mut error = error;
    loop {
        error = match error {
            Error::WithPath { path: found, err } => {
                path = found;
                err
            }
            Error::WithDepth { err, .. } | Error::WithLineNumber { err, .. } => err,
            Error::Partial(errors) => return errors.iter().find_map(lost),
            Error::Io(error) => return Some(Lost::new(path, innermost(error))),
            _ => return None,
        }
    }
}

/// The walk wraps what the system has said into errors that name the path again.
fn innermost(error: &io::Error) -> String {
    let mut text = reason(error);
    let mut cause = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    while let Some(inner) = cause {
        if let Some(error) = inner.downcast_ref::<io::Error>() {
            text = reason(error);
        }
        cause = inner.source();
    }
    text
}
