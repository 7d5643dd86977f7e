//! The words that say which files are meant.

use std::ffi::OsString;

use crate::cli::help;

/// The words that say which files are meant.
#[derive(Debug, Clone, clap::Args)]
pub struct PathArgs {
    /// Go into directories, but not where .gitignore says so
    #[arg(short, long, long_help = help::RECURSIVE)]
    pub recursive: bool,

    /// In directories take only files that fit GLOB, with !GLOB only those that do not
    #[arg(long, value_name = "GLOB", long_help = help::GLOB)]
    pub glob: Vec<OsString>,

    /// In directories take hidden files too
    #[arg(long)]
    pub hidden: bool,

    /// Take the names of files from FILE, one a line
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(long_help = help::FILES_FROM)]
    pub files_from: Option<OsString>,

    /// The names in the list end with NUL, not with a line feed
    #[arg(short = '0', long)]
    pub null: bool,
}

impl PathArgs {
    /// The first of these words that was given.
    pub fn first(&self) -> Option<&'static str> {
        let given = [
            (self.recursive, "--recursive"),
            (!self.glob.is_empty(), "--glob"),
            (self.hidden, "--hidden"),
            (self.files_from.is_some(), "--files-from"),
            (self.null, "--null"),
        ];
        given.iter().find(|(given, _)| *given).map(|(_, word)| *word)
    }
}
