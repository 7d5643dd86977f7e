//! Limits, parsers and groups of arguments that several commands have.

use std::ffi::OsString;

use charpipe_transcode::options::TranscodeOptions;
use clap::ArgAction;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::cli::sys::preserve::Preserve;

use super::color::{self, ColorChoice};
use super::help;

/// The maximum of `--buffer-size`, in bytes.
pub const MAX_BUFFER_SIZE: i64 = TranscodeOptions::MAX_BUFFER_SIZE as i64;
/// The maximum of `--jobs`. Each job needs memory of its own.
pub const MAX_JOBS: i64 = 32;

/// Returns a parser of these values, which an argument with `ignore_case` accepts in any case.
pub fn any_case(values: impl Into<PossibleValuesParser>) -> impl TypedValueParser<Value = String> {
    values.into().map(|value| value.to_ascii_lowercase())
}

/// The options of commands that change files.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct ReplaceArgs {
    /// Back up each file as FILE+SUFFIX [default: ~]
    #[arg(short, long, value_name = "SUFFIX", require_equals = true, num_args = 0..=1)]
    #[arg(default_missing_value = "~", long_help = help::BACKUP)]
    pub backup: Option<OsString>,

    /// Show which files would change, without writing
    #[arg(short = 'n', long)]
    pub dry_run: bool,

    /// Continue after a failed file (default)
    #[arg(long, overrides_with = "fail_fast")]
    pub keep_going: bool,

    /// Stop after the first failed file
    #[arg(long, overrides_with = "keep_going")]
    pub fail_fast: bool,

    /// Preserve modification times
    #[arg(short, long)]
    pub keep_mtime: bool,

    /// Number of threads, 1 to 32 [default: number of CPUs, up to 8]
    #[arg(short, long, value_name = "N", long_help = help::JOBS)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_JOBS))]
    pub jobs: Option<u32>,

    /// Replace files that have several hard links (breaks the links)
    #[arg(long)]
    pub break_hard_links: bool,

    /// Convert files that look binary or already converted
    #[arg(long, long_help = help::FORCE)]
    pub force: bool,

    /// Do not preserve metadata of replaced files: owner, group, mode, acl, xattr
    #[arg(long, value_name = "ATTR,…", value_delimiter = ',', value_parser = Preserve::NAMES)]
    #[arg(hide_possible_values = true, long_help = help::NO_PRESERVE)]
    pub no_preserve: Vec<String>,
}

impl ReplaceArgs {
    /// Returns an option that does not apply to standard input, if one is given.
    pub fn option_for_files(&self) -> Option<&'static str> {
        let given = [
            (self.dry_run, "--dry-run"),
            (self.backup.is_some(), "--backup"),
            (self.keep_going, "--keep-going"),
            (self.fail_fast, "--fail-fast"),
            (self.keep_mtime, "--keep-mtime"),
            (self.jobs.is_some(), "--jobs"),
            (self.break_hard_links, "--break-hard-links"),
            (self.force, "--force"),
            (!self.no_preserve.is_empty(), "--no-preserve"),
        ];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }

    pub fn preserve(&self) -> Preserve {
        Preserve::without(self.no_preserve.iter().map(String::as_str))
    }
}

#[derive(Debug, Default, Clone, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "File selection")]
pub struct PathArgs {
    /// Recurse into directories, respecting .gitignore
    #[arg(short, long, long_help = help::RECURSIVE)]
    pub recursive: bool,

    /// Include (or with !, exclude) files matching GLOB
    #[arg(long, value_name = "GLOB", long_help = help::GLOB)]
    pub glob: Vec<OsString>,

    /// Exclude files and directories matching GLOB (same as --glob '!GLOB')
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<OsString>,

    /// Include hidden files
    #[arg(long)]
    pub hidden: bool,

    /// Include files that .gitignore excludes
    #[arg(long)]
    pub no_ignore: bool,

    /// Read file names from FILE, one per line
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[arg(long_help = help::FILES_FROM)]
    pub files_from: Option<OsString>,

    /// Names in lists are NUL-separated: those of --files-from, and those that are printed
    #[arg(short = '0', long)]
    pub null: bool,
}

impl PathArgs {
    /// Returns an option that applies only to files in directories, if one is given.
    pub fn walk_option(&self) -> Option<&'static str> {
        let given = [
            (!self.glob.is_empty(), "--glob"),
            (!self.exclude.is_empty(), "--exclude"),
            (self.hidden, "--hidden"),
            (self.no_ignore, "--no-ignore"),
        ];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// Hidden options for tests.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct TestArgs {
    /// Number of bytes to convert at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_BUFFER_SIZE))]
    pub buffer_size: Option<u32>,

    /// Convert everything through the pivot
    #[arg(long, hide = true)]
    pub no_fast_paths: bool,

    /// Create temporary files under a name, without O_TMPFILE
    #[arg(long, hide = true)]
    pub no_o_tmpfile: bool,
}

/// The options of every command.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Other")]
pub struct HelpArgs {
    /// When to use colors [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = color::CHOICES, overrides_with = "color")]
    #[arg(long_help = help::COLOR)]
    color: Option<String>,

    /// Print the manual page
    #[arg(long)]
    pub man: bool,

    /// Print help (--help prints more)
    #[arg(short, long, action = ArgAction::Help, long_help = "Print help (-h prints a summary)")]
    help: Option<bool>,

    /// Print version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: Option<bool>,
}

impl HelpArgs {
    pub fn color(&self) -> ColorChoice {
        self.color.as_deref().and_then(ColorChoice::from_name).unwrap_or_default()
    }
}
