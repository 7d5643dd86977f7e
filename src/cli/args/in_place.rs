//! The words for files that are converted where they stand.

use std::ffi::OsString;

use crate::cli::help;

/// Most files at once. Each takes memory of its own.
const MAX_JOBS: i64 = 32;

/// The words for files that are converted where they stand.
#[derive(Debug, Clone, clap::Args)]
pub struct InPlaceArgs {
    /// Convert the FILEs where they stand
    #[arg(short, long, long_help = help::IN_PLACE)]
    pub in_place: bool,

    /// Keep the old content of each file by its name with SUFFIX [default: ~]
    #[arg(long, value_name = "SUFFIX", require_equals = true, num_args = 0..=1)]
    #[arg(default_missing_value = "~", long_help = help::BACKUP)]
    pub backup: Option<OsString>,

    /// Say what would be converted, and write nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,

    /// After a file that failed go on with the next (the default)
    #[arg(long, overrides_with = "fail_fast")]
    pub keep_going: bool,

    /// After a file that failed begin no other
    #[arg(long, overrides_with = "keep_going")]
    pub fail_fast: bool,

    /// Keep the time of the last change
    #[arg(short, long)]
    pub keep_mtime: bool,

    /// Convert N files at once [default: as many as there are processors, 2 to 8]
    #[arg(short, long, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_JOBS))]
    pub jobs: Option<u32>,

    /// Part files from their other hard links, which keep the old content, one after the other
    #[arg(long)]
    pub break_hard_links: bool,

    /// Convert files that look binary or already converted
    #[arg(long, long_help = help::FORCE)]
    pub force: bool,
}

impl InPlaceArgs {
    /// The first of these words that was given and says nothing without `--in-place`.
    pub fn idle(&self) -> Option<&'static str> {
        let given = [
            (self.backup.is_some(), "--backup"),
            (self.dry_run, "--dry-run"),
            (self.keep_going, "--keep-going"),
            (self.fail_fast, "--fail-fast"),
            (self.keep_mtime, "--keep-mtime"),
            (self.jobs.is_some(), "--jobs"),
            (self.break_hard_links, "--break-hard-links"),
            (self.force, "--force"),
        ];
        given.iter().find(|(given, _)| *given).map(|(_, word)| *word)
    }
}
