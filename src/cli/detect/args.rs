//! Command-line definition of `charpipe detect`.

use std::ffi::OsString;

use clap::builder::Resettable;

use super::help;
use crate::cli::args::{HelpArgs, MAX_BUFFER_SIZE, PathArgs};

/// Detect the encoding of files
#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(
    display_name = "charpipe detect",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE
)]
pub struct DetectArgs {
    #[command(flatten)]
    pub report: ReportArgs,

    #[command(flatten)]
    pub path_args: PathArgs,

    #[command(flatten)]
    pub other: HelpArgs,

    /// Number of bytes to read at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_BUFFER_SIZE))]
    pub buffer_size: Option<u32>,

    /// Files and directories to examine; - for standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath, long_help = help::PATHS)]
    #[arg(help_heading = Resettable::Reset)]
    pub paths: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Print JSON Lines
    #[arg(long, long_help = help::JSON)]
    pub json: bool,

    /// Print up to N candidate encodings per file [default: 1]
    #[arg(long, value_name = "N", long_help = help::CANDIDATES)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub candidates: Option<u32>,
}
