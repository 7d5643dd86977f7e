//! Command-line definition of `charpipe check`.

use std::ffi::OsString;

use crate::check::{BinaryFiles, BomRule, NewlineRule};

use clap::builder::Resettable;

use super::format;
use crate::cli::args::{HelpArgs, MAX_BUFFER_SIZE, PathArgs};
use crate::cli::check::help;

/// Check that files are valid in an encoding
#[derive(Debug, clap::Args)]
#[command(
    display_name = "charpipe check",
    version,
    disable_help_flag = true,
    disable_version_flag = true,
    long_about = help::ABOUT,
    after_help = help::SHORT_EXAMPLES,
    after_long_help = help::AFTER,
    override_usage = help::USAGE
)]
pub struct CheckArgs {
    #[command(flatten)]
    pub rules: RuleArgs,

    #[command(flatten)]
    pub path_args: PathArgs,

    #[command(flatten)]
    pub report: ReportArgs,

    #[command(flatten)]
    pub other: HelpArgs,

    /// Number of bytes to check at a time
    #[arg(long, value_name = "BYTES", hide = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=MAX_BUFFER_SIZE))]
    pub buffer_size: Option<u32>,

    /// Files to check; - or none for standard input
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    #[arg(help_heading = Resettable::Reset)]
    pub paths: Vec<OsString>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Rules")]
pub struct RuleArgs {
    /// Expected encoding [default: UTF-8]
    #[arg(short, long, value_name = "ENCODING", long_help = help::ENCODING)]
    pub encoding: Option<OsString>,

    /// Byte order mark rule [default: any]
    #[arg(long, value_name = "RULE", value_parser = BomRule::NAMES.map(rule_name), long_help = help::BOM)]
    pub bom: Option<String>,

    /// Line ending rule [default: any]
    #[arg(long, value_name = "STYLE", value_parser = NewlineRule::NAMES.map(rule_name))]
    #[arg(long_help = help::NEWLINE)]
    pub newline: Option<String>,

    /// How to treat files containing NUL [default: report]
    #[arg(long, value_name = "RULE", value_parser = BinaryFiles::NAMES.map(rule_name))]
    #[arg(long_help = help::BINARY)]
    pub binary: Option<String>,

    /// Report UTF-8 that was decoded in another encoding, as "Ã©"
    #[arg(long, long_help = help::MOJIBAKE)]
    pub mojibake: bool,

    /// Check only message headers (requires RFC2047)
    #[arg(long, long_help = help::HEADERS_ONLY)]
    pub headers_only: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Report")]
pub struct ReportArgs {
    /// Output format [default: text]
    #[arg(long, value_name = "FORMAT", value_parser = format::names(), long_help = format::help())]
    pub format: Option<String>,

    /// Report at most N findings per file; the rest are counted
    #[arg(long, value_name = "N")]
    pub max_findings: Option<u64>,

    /// Print nothing; only set the exit code
    #[arg(short, long, visible_short_alias = 's', visible_alias = "silent")]
    pub quiet: bool,
}

fn rule_name<T>((name, _): (&'static str, T)) -> &'static str {
    name
}
