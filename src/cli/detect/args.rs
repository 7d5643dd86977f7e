//! Command-line definition of `charpipe detect`, and of the options for detection in other commands.

use std::ffi::OsString;

use clap::builder::Resettable;

use super::help;
use crate::cli::shared_args::{HelpArgs, MAX_BUFFER_SIZE, PathArgs};

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
    pub report: DetectReportArgs,

    #[command(flatten, next_help_heading = "Hints")]
    pub hints: HintArgs,

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
pub struct DetectReportArgs {
    /// Print one name per file, which iconv also accepts
    #[arg(long, long_help = help::NAME, conflicts_with_all = ["json", "candidates"])]
    pub name: bool,

    /// Do not print file names
    #[arg(short, long, conflicts_with = "json")]
    pub brief: bool,

    /// Print JSON Lines
    #[arg(long, long_help = help::JSON)]
    pub json: bool,

    /// Print up to N candidate encodings per file [default: 1]
    #[arg(long, value_name = "N", long_help = help::CANDIDATES)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub candidates: Option<u32>,
}

/// What the user knows about the inputs.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct HintArgs {
    /// Language that the text may be in, as pl or zh-Hant (may be repeated)
    #[arg(long, value_name = "LANG", value_delimiter = ',', long_help = help::LANG)]
    pub lang: Vec<String>,

    /// Top-level domain that the text comes from, as jp or example.co.jp
    #[arg(long, value_name = "DOMAIN", long_help = help::TLD)]
    pub tld: Option<String>,
}

/// The options of a conversion from the detected encoding.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct DetectionArgs {
    /// Minimum confidence for --from detect [default: guess, in place likely]
    #[arg(long, value_name = "LEVEL", value_parser = ["guess", "likely", "certain"])]
    #[arg(long_help = help::MIN_CONFIDENCE, overrides_with = "accept_guess")]
    pub min_confidence: Option<String>,

    /// Accept the best guess of --from detect, however uncertain
    #[arg(long, long_help = help::ACCEPT_GUESS, overrides_with = "min_confidence")]
    pub accept_guess: bool,

    #[command(flatten)]
    pub hints: HintArgs,
}
